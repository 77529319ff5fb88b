"""The saturated chain of MSJ FCFS over any field, counts only.

Jobs start in order of arrival until the next one does not fit. While the head of the line is blocked nothing
starts, so the number of free servers f only grows, and all that is known of the head is that it needs more than
f: the state is the count of jobs in service per (class, phase), and the head is drawn when it matters. On the
completion of a class-i job f' = f + v_i servers are free, and the head is of class j with probability
p_j 1[v_j > f] / P(V > f). If v_j <= f' it starts, and fresh jobs follow until one does not fit. This merges
the states of the simplified saturated system (reset, Section 3.11 and Appendix B) that differ only in the
blocked job.

The entries need +, -, * and / only: Fractions give rational numbers, sympy expressions give formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from msj.errors import TooLarge
from msj.symbolic.entries import Entry, Phases, check_model, exact, exact_phases, is_zero
from msj.symbolic.starts import Law, Starts, State, add_to, plus

MOST_SERVERS = 1_000_000  # for counting the states; chains that can be solved are far smaller
RATIONAL_STATES = 400
"""The most states taken on with rational numbers: seconds, half a minute for awkward shares and rates."""


@dataclass(frozen=True, kw_only=True)
class SaturatedChain:
    """A finite chain whose transitions are split by whether a job completes.

    Attributes
    ----------
    servers, needs
        The cluster and the need of each class.
    phase_counts
        The number of phases of each class.
    states
        Jobs in service per (class, phase), classes first; jobs of early classes first.
    without_completion, with_completion
        The matrices D0 and D1 row by row, zeros left out; D0 carries the diagonal, so the rows of D0 + D1 sum
        to 0.
    """

    servers: int
    needs: tuple[int, ...]
    phase_counts: tuple[int, ...]
    states: tuple[State, ...]
    without_completion: tuple[dict[int, Entry], ...]
    with_completion: tuple[dict[int, Entry], ...]

    def busy(self, state: State) -> int:
        """Return the number of busy servers."""
        return sum(count * need for count, need in zip(state, self._need_of_slot(), strict=True))

    def paper_name(self, state: State) -> str | None:
        """Name a state as reset does, ``[1,2]``: the needs in service, then the need of the blocked job.

        There is no such name if the blocked job may have one of several needs, if two classes have the same
        need, or if durations have phases; with no server free the blocked job is not drawn and not named.
        """
        if len(set(self.needs)) < len(self.needs) or len(state) > len(self.needs):
            return None
        free = self.servers - self.busy(state)
        blocked = [need for need in self.needs if need > free] if free else []
        if len(blocked) > 1:
            return None
        serving = [need for count, need in zip(state, self.needs, strict=True) for _ in range(count)]
        return "[" + ",".join(str(need) for need in serving + blocked) + "]"

    def names(self) -> tuple[str, ...]:
        """Return the paper's name of every state if all have one, otherwise all counts: ``(1|0, 2)``.

        In the counts a comma parts the classes and a bar the phases of one class.
        """
        named = [self.paper_name(state) for state in self.states]
        if None not in named:
            return tuple(str(name) for name in named)
        return tuple(self._counts_name(state) for state in self.states)

    def _counts_name(self, state: State) -> str:
        rest = iter(state)
        groups = ["|".join(str(next(rest)) for _ in range(count)) for count in self.phase_counts]
        return f"({', '.join(groups)})"

    def _need_of_slot(self) -> list[int]:
        return [need for need, phases in zip(self.needs, self.phase_counts, strict=True) for _ in range(phases)]


def count_states(*, servers: int, needs: Sequence[int], phase_counts: Sequence[int]) -> int:
    """Return how many states the chain has, without building it.

    Examples
    --------
    >>> from msj.symbolic import count_states
    >>> count_states(servers=30, needs=(3, 10), phase_counts=(1, 1))
    11
    """
    if servers > MOST_SERVERS:
        raise TooLarge(f"{servers:.3g} servers are too many to solve without rounding; use at most {MOST_SERVERS:,}")
    ways = np.zeros(servers + 1)  # ways[u]: count vectors of the slots so far that keep u servers busy
    ways[0] = 1.0
    for need, phases in zip(needs, phase_counts, strict=True):
        # Sums of every need-th entry: a table of need columns, padded with zeros, summed downwards.
        table = np.zeros((-(-(servers + 1) // need), need))
        table.ravel()[: servers + 1] = ways
        for _ in range(phases):
            table = np.minimum(np.cumsum(table, axis=0), 1e18)  # exact where it matters: chains of hundreds
        ways = table.ravel()[: servers + 1]
    return int(ways[servers - max(needs) + 1 :].sum())


def saturated_chain(
    *,
    servers: int,
    needs: Sequence[int],
    shares: Sequence[Entry],
    phases: Sequence[Phases],
    most_states: int = RATIONAL_STATES,
) -> SaturatedChain:
    """Build the counts-only saturated chain.

    Parameters
    ----------
    servers
        Number of servers.
    needs, shares, phases
        Per class: servers needed, share of arrivals, and duration as a pair (initial law, generator);
        :func:`~msj.symbolic.entries.exponential` makes the exponential one.
    most_states
        Refuse a chain with more states than this.

    Raises
    ------
    InvalidInput
        If the model breaks a rule, for example if the shares do not sum to exactly 1.
    TooLarge
        If the chain has more than `most_states` states.

    Examples
    --------
    The running example of reset: two servers, needs 1 and 2.

    >>> from fractions import Fraction
    >>> from msj.symbolic import exponential, saturated_chain
    >>> chain = saturated_chain(
    ...     servers=2,
    ...     needs=(1, 2),
    ...     shares=(Fraction(2, 3), Fraction(1, 3)),
    ...     phases=(exponential(1), exponential(Fraction(1, 2))),
    ... )
    >>> chain.states, chain.names()
    (((2, 0), (1, 0), (0, 1)), ('[1,1]', '[1,2]', '[2]'))
    >>> [str(rate) for rate in chain.with_completion[2].values()]
    ['2/9', '1/9', '1/6']
    """
    shares = tuple(exact(share, f"the share of class {i}") for i, share in enumerate(shares, start=1))
    phases = tuple(exact_phases(pair, f"class {i}") for i, pair in enumerate(phases, start=1))
    check_model(servers=servers, needs=needs, shares=shares, phases=phases)
    refuse_above(most_states, servers=servers, needs=needs, phases=phases)
    return build(servers=int(servers), needs=tuple(map(int, needs)), shares=shares, phases=phases)


def refuse_above(
    most_states: int, *, servers: int, needs: Sequence[int], phases: Sequence[Phases], symbols: int = 0
) -> None:
    """Raise :class:`TooLarge` if the chain would have more than so many states."""
    size = count_states(servers=servers, needs=needs, phase_counts=[len(initial) for initial, _ in phases])
    if size > most_states:
        raise TooLarge(
            f"the saturated chain has {size} states and exact work with {symbols} free symbols stops at {most_states}; "
            f"take fewer servers, classes, phases{' or symbols' if symbols else ''}, or raise most_states and wait"
        )


def build(
    *, servers: int, needs: tuple[int, ...], shares: tuple[Entry, ...], phases: tuple[Phases, ...]
) -> SaturatedChain:
    """Build the chain of a model that has been checked, over the field its entries belong to."""
    slots = [(i, a) for i, (initial, _) in enumerate(phases) for a in range(len(initial))]
    starts = Starts(needs=needs, shares=shares, phases=phases, slots=slots)
    # The largest jobs alone: a long enough run of them always leads there, so this state is recurrent.
    largest = needs.index(max(needs))
    entered = next(a for a, chance in enumerate(phases[largest][0]) if not is_zero(chance))
    first = tuple(servers // needs[largest] if slot == (largest, entered) else 0 for slot in slots)
    rows: dict[State, tuple[Law, Law]] = {}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        if state in rows:
            continue
        free = servers - sum(count * needs[i] for count, (i, _) in zip(state, slots, strict=True))
        rows[state] = _transitions(state, free, starts)
        waiting.extend(target for law in rows[state] for target in law if target not in rows)
    states = sorted(rows, reverse=True)
    index = {state: i for i, state in enumerate(states)}

    def numbered(law: Law) -> dict[int, Entry]:
        return dict(sorted((index[target], rate) for target, rate in law.items()))

    return SaturatedChain(
        servers=servers,
        needs=needs,
        phase_counts=tuple(len(initial) for initial, _ in phases),
        states=tuple(states),
        without_completion=tuple(numbered(rows[state][0]) for state in states),
        with_completion=tuple(numbered(rows[state][1]) for state in states),
    )


def _transitions(state: State, free: int, starts: Starts) -> tuple[Law, Law]:
    """Return the rates out of a state without and with a completion; the first holds the diagonal."""
    quiet: Law = {}
    completing: Law = {}
    total: Entry = 0
    for slot, (i, a) in enumerate(starts.slots):
        if not state[slot]:
            continue
        generator = starts.phases[i][1]
        gone = plus(state, slot, -1)
        total = total - state[slot] * generator[a][a]
        for other, (j, b) in enumerate(starts.slots):
            if j == i and b != a:
                add_to(quiet, plus(gone, other, 1), state[slot] * generator[a][b])
        exit_rate = -sum(generator[a])
        if not is_zero(exit_rate):
            for started, chance in starts.after_completion(free, starts.needs[i]).items():
                target = tuple(x + y for x, y in zip(gone, started, strict=True))
                add_to(completing, target, state[slot] * exit_rate * chance)
    add_to(quiet, state, -total)
    return quiet, completing
