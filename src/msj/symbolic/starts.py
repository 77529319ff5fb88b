"""Which jobs start after a completion in saturated MSJ FCFS.

With f servers free the head of the line is known to need more than f. When a job of need v completes, the head is
of class j with probability p_j 1[v_j > f] / P(V > f); if it fits in f + v servers it starts, and fresh jobs start
after it until one does not fit. So what starts depends on the state only through (f, v), and is worked out once
for each such pair. Filling is done job by job: the law of what fills f servers is a mixture of the laws for
fewer servers (theory of the counts-only chain: :mod:`msj.symbolic.chain`).
"""

from __future__ import annotations

from msj.symbolic.entries import Entry, Phases, is_zero

State = tuple[int, ...]
"""Jobs per slot; a slot is a (class, phase) pair."""

Law = dict[State, Entry]


class Starts:
    """The laws of what starts: vectors of started jobs per slot, by free servers and completed need."""

    def __init__(
        self,
        *,
        needs: tuple[int, ...],
        shares: tuple[Entry, ...],
        phases: tuple[Phases, ...],
        slots: list[tuple[int, int]],
    ) -> None:
        self.needs, self.shares, self.phases, self.slots = needs, shares, phases, slots
        self._nothing: State = (0,) * len(slots)
        self._after: dict[tuple[int, int], Law] = {}
        # filling[f]: fresh jobs start one by one into f free servers until one does not fit. At most
        # max(needs) - 1 servers are left when filling begins, and each law rests on the smaller ones.
        self._filling: list[Law] = []
        for free in range(max(needs)):
            law: Law = {}
            add_to(law, self._nothing, self._blocked(free))
            for i, need in enumerate(needs):
                if need <= free:
                    self._start(law, i, shares[i], free - need)
            self._filling.append(law)

    def _blocked(self, free: int) -> Entry:
        return sum(share for share, need in zip(self.shares, self.needs, strict=True) if need > free)

    def _start(self, law: Law, i: int, chance: Entry, left: int) -> None:
        """Add to `law`: with this chance a class-i job starts and the `left` servers are filled."""
        for slot, (j, a) in enumerate(self.slots):
            if j == i and not is_zero(self.phases[i][0][a]):
                for started, rest in self._filling[left].items():
                    add_to(law, plus(started, slot, 1), chance * self.phases[i][0][a] * rest)

    def after_completion(self, free: int, need: int) -> Law:
        """Return what starts when a job of this need completes while so many servers were free."""
        if (free, need) not in self._after:
            law: Law = {}
            blocked = self._blocked(free)
            for j, wanted in enumerate(self.needs):
                if wanted > free + need:
                    add_to(law, self._nothing, self.shares[j] / blocked)
                elif wanted > free:
                    self._start(law, j, self.shares[j] / blocked, free + need - wanted)
            self._after[free, need] = law
        return self._after[free, need]


def plus(state: State, slot: int, jobs: int) -> State:
    """Return the state with so many jobs more in one slot."""
    return (*state[:slot], state[slot] + jobs, *state[slot + 1 :])


def add_to(law: Law, target: State, value: Entry) -> None:
    """Add probability or rate to one target; zeros are left out."""
    if not is_zero(value):
        law[target] = law[target] + value if target in law else value
