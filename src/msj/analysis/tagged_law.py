"""The laws of response and waiting times in any finite-skip system: one tagged job followed to its end.

A tagged arrival sees the stationary law (PASTA). Its way has two parts (``fronts.tagged_front``):

- **behind the front**, while that is full: only those ahead matter, so the levels go down without arrivals, and
  infinitely many of them are one vector (``markov.level_descent``). Meanwhile others queue up behind the job.
- **in the front**: those behind may join it too, so the number of jobs in the system is a level again. The job is done
  when it completes. Its waiting time is the time in which it is not served, before and, where it may be interrupted,
  after it has started.

Both are watched at the events of one Poisson process of rate Lambda (``markov.uniformized``). Each event is an arrival
with probability p = lambda/Lambda, whatever the job's own way, so after k events, k − j of which concerned those ahead,
j jobs stand behind it with probability C(k, j)·p^j·(1 − p)^(k − j). All terms are positive.

How many stand behind is counted up to a limit B. Whether there are more can only matter if B jobs complete before the
tagged one does, in a front that is always full; the limit is such that this has probability below 1e-12.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu
from scipy.special import gammaln

from msj.effort import Cost
from msj.errors import NotAccurate, TooLarge
from msj.fronts.front_chain import FrontLevels
from msj.fronts.front_waiting import FrontWaiting
from msj.fronts.tagged_front import TaggedFront, TaggedLevels
from msj.markov.level_process import LevelLaw
from msj.markov.uniformized import UniformizedSurvival

Vector = NDArray[np.float64]
OVERTAKEN = 1e-12  # chance that more jobs behind than are counted would matter
MOST_BEHIND = 5_000
MOST_EVENTS = 400_000
MOST_BYTES = 3e9
SPREAD = 9.0


class TaggedLaws:
    """The laws of response and waiting times; outputs are the classes, of given ``shares``, then all jobs."""

    def __init__(self, levels: FrontLevels, tagged: TaggedLevels, law: LevelLaw, rate: float, shares: Vector) -> None:
        self._ahead = _Ahead(levels, tagged, law, rate)
        self._tagged, self._rate, self._shares = tagged, rate, shares

    def response(self, *, until: float = 1e-7) -> UniformizedSurvival:
        """Follow the job until it is done but for a share of ``until``: enough for percentiles to 99.99."""
        return self._followed(self._front, until)

    def waiting(self, *, until: float = 1e-7) -> UniformizedSurvival:
        """Follow the job through the time in which it is present and not served; ``until`` is a share of who waits."""
        return self._followed(_NotServed(self._front), until)

    @cached_property
    def _front(self) -> _InFront:
        return _InFront(self._tagged, self._rate, self._ahead.clock, len(self._shares))

    def _followed(self, front: _InFront | _NotServed, until: float) -> UniformizedSurvival:
        chance = self._rate / self._ahead.clock
        vector, alive = np.zeros(front.size), []
        for k in range(MOST_EVENTS):
            behind, weights = _arrivals_before(k, chance)
            vector = front.after(vector, self._ahead.joined(k - behind) * weights[:, None], behind)
            # Of k events so many were arrivals; those ahead have seen the others.
            arrivals, chances = _binomial(k, chance)
            alive.append(float(chances @ self._ahead.mass(k - arrivals)) + front.by_class(vector))
            if k and (alive[-1] <= until * alive[0])[self._shares > 0].all():  # of those that wait at all
                break
        else:
            raise NotAccurate(f"the job that is followed is not done after {MOST_EVENTS:,} events; lower the load")
        per_class = np.where(self._shares > 0, np.array(alive), 0.0)
        alive_and_all = np.column_stack([per_class, per_class @ self._shares])
        return UniformizedSurvival(rate=self._ahead.clock, alive=alive_and_all, error=OVERTAKEN)


def starts_at_once(model: TaggedFront, levels: FrontLevels | FrontWaiting) -> list[Vector]:
    """Return, for the fronts of each level but the last, the chance that an arrival of each class is served at once."""
    found = [np.zeros((len(fronts), model.classes)) for fronts in levels.fronts[:-1]]
    for chances, fronts in zip(found, levels.fronts, strict=False):
        for i, front in enumerate(fronts):
            if not model.full(front):
                for job, c, chance in model.tagged:
                    joined = model.settled(model.add(front, job))
                    chances[i, c] += chance * sum(share for reached, share in joined if model.serves(reached))
    return found


def tagged_cost(levels: FrontLevels, threshold: float, rate: float) -> Cost:
    """Return about what it costs to follow a job; it agrees with what a dozen models took to a factor of three.

    There are about as many fronts with a tagged job as fronts times places in them. The law of the response time falls
    about as e^(−(lambda* − lambda)·t), by distributional Little. Whoever decides who is served looks at every place.
    """
    fronts, places = max(levels.level_sizes), levels.first_repeating_level
    clock = rate - float(levels.local_without_arrivals(places).diagonal().min())
    events = 50.0 * clock / max(threshold - rate, 1e-9 * threshold)
    entries = 6.0 * fronts * places * 150.0
    return Cost(
        operations=1.5e6 * fronts * places**2 * (1.0 + places / 8.0)
        + events * (2.5e6 + 16.0 * entries + 2.0 * fronts**2),
        bytes=30.0 * entries + 16.0 * events * sum(levels.level_sizes[:-1]),
    )


def _binomial(events: int, chance: float) -> tuple[NDArray[np.int64], Vector]:
    """Return the numbers of successes that are not out of the question, and their probabilities."""
    mean, spread = events * chance, SPREAD * np.sqrt(events * chance * (1.0 - chance))
    j = np.arange(max(0, int(mean - spread - 20)), min(events, int(mean + spread + 20)) + 1)
    logs = gammaln(events + 1.0) - gammaln(j + 1.0) - gammaln(events - j + 1.0)
    return j, np.exp(logs + j * np.log(chance) + (events - j) * np.log1p(-chance))


def _arrivals_before(event: int, chance: float) -> tuple[NDArray[np.int64], Vector]:
    """Return how many arrivals may have come before this event, and the probability of each and of no arrival now."""
    if event == 0:
        return np.zeros(1, dtype=np.int64), np.ones(1)
    j, chances = _binomial(event - 1, chance)
    return j, chances * (1.0 - chance)


class _Ahead:
    """Those ahead of a job that waits behind the front: mass left and mass that joins, event by event of theirs."""

    def __init__(self, levels: FrontLevels, tagged: TaggedLevels, law: LevelLaw, rate: float) -> None:
        last = levels.first_repeating_level
        local = [levels.local_without_arrivals(n) for n in range(last + 1)]
        fastest = max(
            max(float(-block.diagonal().min()) for block in local),
            max(float(x.max(initial=0.0)) for x in tagged.leaving),
        )
        self.clock = rate + fastest
        full = [~mask for mask in tagged.not_full]
        self._full, self._open = full, tagged.not_full
        self._local = [sparse.csr_array((block / fastest).T) for block in local]
        self._down: list[Any] = [None, *(sparse.csr_array((block / fastest).T) for block in levels.completions[1:])]
        size = levels.level_sizes[-1]
        self._above = np.eye(size) + (local[-1].toarray() + law.rate_matrix @ levels.repeating_completions) / fastest
        self._weights = np.linalg.solve(np.eye(size) - law.rate_matrix, np.ones(size))
        self._top = law.first_repeating.copy()
        self._below = [law.boundary[n] * full[n] for n in range(last)]
        first = np.concatenate([law.boundary[n][tagged.not_full[n]] for n in range(last)])
        self._joined, self._mass, self._known = np.zeros((64, len(first))), np.zeros(64), 1
        self._joined[0], self._mass[0] = first, self._left()

    def joined(self, events: NDArray[np.int64]) -> Vector:
        """Return what joins the front at these events: events × fronts that are not full."""
        self._until(int(events.max()))
        return np.asarray(self._joined[events])

    def mass(self, events: NDArray[np.int64]) -> Vector:
        """Return the probability of being behind the front after these events."""
        self._until(int(events.max()))
        return np.asarray(self._mass[events])

    def _left(self) -> float:
        return float(self._top @ self._weights + sum(vector.sum() for vector in self._below))

    def _until(self, event: int) -> None:
        while self._known <= event:
            if self._known == len(self._mass):
                if 2 * self._joined.nbytes > MOST_BYTES:
                    raise TooLarge(f"the job that is followed is not done after {self._known:,} events; lower the load")
                self._mass = np.append(self._mass, np.zeros_like(self._mass))
                self._joined = np.concatenate([self._joined, np.zeros_like(self._joined)])
            flows = []
            for n, vector in enumerate(self._below):
                above = self._below[n + 1] if n + 1 < len(self._below) else self._top
                flows.append(vector + self._local[n] @ vector + self._down[n + 1] @ above)
            self._top = self._top @ self._above
            joined = [flow[mask] for flow, mask in zip(flows, self._open, strict=False)]
            self._below = [flow * mask for flow, mask in zip(flows, self._full, strict=False)]
            self._joined[self._known], self._mass[self._known] = np.concatenate(joined), self._left()
            self._known += 1


class _InFront:
    """The tagged job in the front: levels 1..L, then L + 1, ..., L + B, all in one vector."""

    def __init__(self, tagged: TaggedLevels, rate: float, clock: float, classes: int) -> None:
        self._tagged = tagged
        self._last = len(tagged.quiet) - 1
        self._most = self._most_behind()
        sizes = [*tagged.level_sizes[: self._last], *[tagged.level_sizes[-1]] * (self._most + 1)]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self.size = int(self._starts[-1])
        self.event = self._rates(rate, clock)
        self.in_service = self._spread(tagged.in_service)
        self.of_class = (self._spread(tagged.job_class)[None, :] == np.arange(classes)[:, None]).astype(float)
        self._entry = np.cumsum([0, *(joins[0].shape[0] for joins in tagged.joins)])
        self._joins = [[sparse.csr_array(block.T) for block in joins] for joins in tagged.joins]

    def after(self, vector: Vector, flows: Vector, behind: NDArray[np.int64]) -> Vector:
        """Return the vector after one event at which jobs join: ``flows`` is numbers behind × fronts."""
        return np.asarray(self.event @ vector) + self.joined(flows, behind)

    def by_class(self, vector: Vector) -> Vector:
        """Return the mass by class of the tagged job."""
        return np.asarray(self.of_class @ vector)

    def joined(self, flows: Vector, behind: NDArray[np.int64]) -> Vector:
        """Return where jobs get that join with so many behind them."""
        found = np.zeros(self.size)
        top = found[self._starts[self._last] :].reshape(self._most + 1, -1)
        for n, joins in enumerate(self._joins):
            mine = flows[:, self._entry[n] : self._entry[n + 1]]
            if not mine.any():
                continue
            few = min(max(len(joins) - 1 - int(behind[0]), 0), len(behind))  # the numbers run on one by one
            for place in range(few):
                level = n + 1 + int(behind[place])
                found[self._starts[level] : self._starts[level + 1]] += joins[behind[place]] @ mine[place]
            if few < len(behind):
                above = min(int(behind[few]) - (len(joins) - 1), self._most)
                counted = min(len(behind) - few, self._most - above)
                if counted:
                    top[above : above + counted] += (joins[-1] @ mine[few : few + counted].T).T
                top[self._most] += joins[-1] @ mine[few + counted :].sum(axis=0)
        return found

    def _spread(self, values: tuple[NDArray[Any], ...]) -> NDArray[Any]:
        return np.concatenate([*values[: self._last], *values[-1:] * (self._most + 1)])

    def _most_behind(self) -> int:
        """Return B: jobs that complete while the tagged one is in a front that is always full are hardly ever more."""
        local = self._tagged.quiet[-1] - sparse.diags_array(self._tagged.leaving[-1])
        solve = splu((-local).tocsc()).solve
        left = np.ones(local.shape[0])
        for count in range(1, MOST_BEHIND):
            left = solve(self._tagged.repeating_completions @ left)
            if left.max(initial=0.0) <= OVERTAKEN:
                return count + self._last
        raise TooLarge(f"more than {MOST_BEHIND:,} jobs may overtake one in the front; simulate the percentiles")

    def _rates(self, rate: float, clock: float) -> Any:
        """Return the matrix of one event, transposed."""
        tagged, last, most = self._tagged, self._last, self._most
        quiet = [
            block + sparse.diags_array(clock - rate - leaving)
            for block, leaving in zip(tagged.quiet, tagged.leaving, strict=True)
        ]
        blocks: list[list[Any]] = [[None] * (last + 1) for _ in range(last + 1)]
        for n in range(last):
            blocks[n][n] = quiet[n]
            blocks[n][n + 1] = rate * tagged.arrivals[n]
            blocks[n + 1][n] = tagged.completions[n + 1]
        one_more = sparse.diags_array(np.ones(most), offsets=1, shape=(most + 1, most + 1)).tolil()
        one_more[most, most] = 1.0  # not counted any further
        one_less = sparse.diags_array(np.ones(most), offsets=-1, shape=(most + 1, most + 1))
        blocks[last][last] = (
            sparse.kron(sparse.eye_array(most + 1), quiet[last])
            + sparse.kron(one_more, rate * tagged.arrivals[last])
            + sparse.kron(one_less, tagged.repeating_completions)
        )
        lowest = sparse.csr_array((np.ones(1), ([0], [0])), shape=(1, most + 1))
        blocks[last - 1][last] = sparse.kron(lowest, blocks[last - 1][last])
        blocks[last][last - 1] = sparse.kron(lowest.T, blocks[last][last - 1])
        return sparse.csr_array(sparse.block_array(blocks, format="csr").T / clock)


class _NotServed:
    """The same, watched only while the job is not served: what passes in service takes no time.

    With P the matrix of one event, s the phases in which the job is served and u the others, the job that gets into
    service comes back to u by P_su after (I − P_ss)^(−1) visits to s, or leaves.
    """

    def __init__(self, front: _InFront) -> None:
        self._front = front
        self._served = np.flatnonzero(front.in_service)
        self._others = np.flatnonzero(~front.in_service)
        self.size = len(self._others)
        self._of_class = front.of_class[:, self._others]
        event = front.event  # transposed
        self._stays = event[self._others][:, self._others]
        self._starts = event[self._served][:, self._others]
        self._stops = event[self._others][:, self._served]
        within = sparse.eye_array(len(self._served)) - event[self._served][:, self._served]
        # An M-matrix: no pivots are needed, so it may be ordered for little fill.
        how = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
        self._visits = splu(within.tocsc(), **how).solve if self._stops.nnz else None

    def after(self, vector: Vector, flows: Vector, behind: NDArray[np.int64]) -> Vector:
        """Return the vector after one event, the next of those that count; see :class:`_InFront`."""
        reached = self._front.joined(flows, behind)
        stays = np.asarray(self._stays @ vector) + reached[self._others]
        if self._visits is None:  # whoever is in service stays
            return stays
        return np.asarray(stays + self._stops @ self._visits(self._starts @ vector + reached[self._served]))

    def by_class(self, vector: Vector) -> Vector:
        """Return the mass by class of the tagged job."""
        return np.asarray(self._of_class @ vector)
