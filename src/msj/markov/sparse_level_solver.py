"""Solve sparse levels: restarted GMRES in Laguerre coordinates, until what is left out no longer matters.

Each cycle of GMRES (:mod:`msj.markov.gmres`) works in single precision on the true residual, which is computed in
double precision. How many coefficients are needed depends on how fast all but the leading mode dies out from level to
level. A guess, by a diffusion with the drift and the decay that are known: its modes fall by 1 − y per level, with
D·y² − (lambda* − lambda)·y = 1/(the time in which states forget), D from the leading mode, for which that is 0. What
comes out is written down level by level and judged there (:mod:`msj.markov.sparse_level_residual`); if it does not do,
more coefficients are taken.
"""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from msj.errors import NotAccurate, TooLarge
from msj.markov import laguerre
from msj.markov.gmres import gmres_cycle
from msj.markov.sparse_level_mode import LeadingMode, leading_mode
from msj.markov.sparse_level_operator import GroundFactors, LevelEquations, Preconditioned
from msj.markov.sparse_level_residual import missing_flows
from msj.markov.sparse_levels import SparseLaw, SparseLevels, Vector

LEFT_OUT = 1e-15  # of a sequence, by the coefficients that are not taken
LEAST_COEFFICIENTS, MOST_COEFFICIENTS = 16, 400
MOST_STEPS = 40  # of a cycle
MOST_CYCLES = 25
POLISHING_STEPS, MOST_POLISHED = 15, 3  # of the last cycles, among rounding
REDUCTION = 3e-3  # of the residual in a cycle
SMALL = 1e-13  # residual, relative to all flows, from which on the law is looked at, and what is rounding taken out
FINE = 1e-10  # error of the mean level, relative to jobs in the system, that is aimed at,
FINE_NEAR_SATURATION = 4e-13  # or this over 1 − load, if that is more: rates are known to rounding only
ACCURATE = 1e-9
VECTORS = MOST_STEPS / 2 + 10  # alive at once; those of a cycle in single precision
GROUND_BYTES = 12 * 40 + 16 * 8  # a state of the ground: factors and rates
LEAST_LEVELS_MASS = 1e-8  # of all: below, what the levels hold is rounding of the ground
AT_ONCE = 64  # levels written down at a time


def estimate_memory(ground: float, states: float, coefficients: float, levels: float) -> float:
    """Return about how many bytes :func:`solve` holds for so many states, coefficients and levels written down.

    Examples
    --------
    >>> round(estimate_memory(199_208, 17_716, 90, 500) / 1e9, 1)
    0.8
    """
    return 8.0 * (VECTORS * (ground + states * coefficients) + 4.0 * states * levels) + GROUND_BYTES * ground


def usual_size(*, ratio: float, gap: float, forgetting: float) -> tuple[float, int]:
    """Return a and k for levels that fall by ``ratio``, with the drift ``gap`` downwards, in states that forget."""
    spreading = gap / (1.0 - ratio)
    step = (gap + sqrt(gap * gap + 4.0 * spreading / forgetting)) / (2.0 * spreading)
    a = laguerre.middle(min(max(1.0 - step, 0.3), 0.99))
    return a, max(LEAST_COEFFICIENTS, ceil(log(LEFT_OUT) / log(a)))


def solve(
    process: SparseLevels,
    *,
    start: Vector,
    anchor: int,
    ratio: float,
    throughput: float,
    spread: float,
    forgetting: float,
    scale: float,
    memory_limit: float = 4e9,
) -> SparseLaw:
    """Return the stationary law, or raise TooLarge or NotAccurate with the reason.

    Parameters
    ----------
    process
        The rates.
    start
        About the law of the ground, up to a factor.
    anchor
        A state of the levels that is often visited.
    ratio
        About how the mass of far levels falls from one to the next.
    throughput
        lambda*, the mean rate down of the levels without the ground; above the arrival rate.
    spread
        How many levels the states within a level are worth, about.
    forgetting
        The time in which states within a level forget where they were, about.
    scale
        What errors of the mean level are small compared with: the mean number of jobs in service, say.
    memory_limit
        Bytes to stay below.
    """
    waiting = float((start @ process.ground_up).sum() / (start.sum() * process.arrival_rate))
    if not waiting >= 0.01 * LEAST_LEVELS_MASS:
        raise NotAccurate(_hardly(waiting))
    mode = leading_mode(process, anchor=anchor, guess=ratio)
    gap = throughput - process.arrival_rate
    a, count = usual_size(ratio=mode.ratio, gap=gap, forgetting=forgetting)
    _require_room(process, count, memory_limit)
    search = _Search(process, mode, start, a, count, spread=spread, gap=gap, scale=scale)
    law = search.run()
    while law.level_error > search.tolerance and search.count < MOST_COEFFICIENTS:
        more = min(ceil(1.3 * search.count), MOST_COEFFICIENTS)
        _require_room(process, more, memory_limit)
        search.widen(more)
        last, law = law, search.run()
        if law.level_error > 0.5 * last.level_error:
            law = min(law, last, key=lambda found: found.level_error)
            break
    return _checked(law, search)


class _Search:
    """The iteration: the law so far, with so many coefficients."""

    def __init__(
        self,
        process: SparseLevels,
        mode: LeadingMode,
        start: Vector,
        a: float,
        count: int,
        *,
        spread: float,
        gap: float,
        scale: float,
    ) -> None:
        self.process, self.ratio, self.a = process, mode.ratio, a
        self.spread, self.gap, self._scale = spread, gap, scale
        self._factors = GroundFactors(process)
        ground = start / start.sum()
        waiting = float((ground @ process.ground_up).sum()) / process.arrival_rate
        self.unit = waiting / (1.0 - mode.ratio)
        self.steps = 0
        levels = np.outer(mode.shape, waiting / self.unit * laguerre.at_zero(a, count))
        self._set_up(count, ground, levels)

    def _set_up(self, count: int, ground: Vector, levels: Vector) -> None:
        settings = {"ratio": self.ratio, "a": self.a, "count": count, "unit": self.unit}
        self.count = count
        self._equations = LevelEquations(self.process, **settings)  # type: ignore[arg-type]
        self._quick = Preconditioned(self.process, self._factors, **settings)  # type: ignore[arg-type]
        self._vector = np.concatenate([ground, levels.ravel()])
        self._vector /= self._equations.mass(self._vector)
        self._residual = np.empty_like(self._vector)

    def widen(self, count: int) -> None:
        """Take more coefficients."""
        ground, levels = self._equations.parts(self._vector)
        wider = np.zeros((len(levels), count))
        wider[:, : self.count] = levels
        self._set_up(count, ground, wider)

    def run(self) -> SparseLaw:
        """Iterate until the law is fine or nothing is gained; return the best."""
        room = np.empty((MOST_STEPS + 1, self._equations.length), dtype=np.float32)
        best: SparseLaw | None = None
        last, polished = np.inf, 0
        for _ in range(MOST_CYCLES):
            size = self._measure()
            if size <= SMALL or size > 0.5 * last:
                law = self._law()
                best = law if best is None or law.level_error < best.level_error else best
                polished += 1
                if best.level_error <= self.tolerance or polished > MOST_POLISHED:
                    break
                self._make_consistent()
            last = size
            self._cycle(room if size > SMALL else room[: POLISHING_STEPS + 1])
        return self._law() if best is None else best

    def _measure(self) -> float:
        """Compute the residual; return about the flow that is missing, relative to all that flows."""
        self._equations.balance(self._vector, self._residual)
        ground, levels = self._equations.parts(self._residual)
        missing = np.abs(ground).sum() + self.unit * np.sqrt((levels**2).sum(axis=1)).sum()
        ground, levels = self._equations.parts(self._vector)
        flow = np.abs(ground) @ -self.process.ground.diagonal()
        flow += self.unit * (np.sqrt((levels**2).sum(axis=1)) @ self.process.leaving)
        return float(missing / flow)

    def _cycle(self, room: NDArray[np.float32]) -> None:
        ground, levels = self._equations.parts(self._vector)
        shape, quick = levels.sum(axis=1), self._quick
        if not (ground.max() > 0.0 and shape.max() > 0.0):
            raise NotAccurate(
                "the iteration for its levels runs away, as it does where jobs remember for long what came before "
                "them; simulate this system, or lower the load"
            )
        quick.set_laws(ground, shape)
        correction, steps = gmres_cycle(quick.apply, quick.precondition, self._residual, room, reduction=REDUCTION)
        self.steps += steps
        self._vector += correction
        self._vector /= self._equations.mass(self._vector)

    def _make_consistent(self) -> None:
        """Take out of what is missing its sum, rounding of the rates, as no law could make up for it."""
        shape = np.abs(self._equations.parts(self._vector)[1]).sum(axis=1)
        each = laguerre.total(self.a) / (1.0 - self.ratio) * self.unit
        missing = self._equations.mass(self._residual) / each
        self._equations.parts(self._residual)[1][:, 0] -= missing * shape / shape.sum()

    @property
    def compared_with(self) -> float:
        """What errors of the mean level are small compared with."""
        return self._mean + self._scale

    @property
    def tolerance(self) -> float:
        """The error of the mean level that is aimed at."""
        load_left = self.gap / (self.gap + self.process.arrival_rate)
        return max(FINE, FINE_NEAR_SATURATION / load_left) * self.compared_with

    def _law(self) -> SparseLaw:
        """Write the law down level by level and look what is missing from its balance."""
        ground, _ = self._equations.parts(self._vector)
        ground, levels = np.maximum(ground, 0.0), self._levels()
        total = ground.sum() + levels.sum() + levels[:, -1].sum() * self.ratio / (1.0 - self.ratio)
        ground, levels = ground / total, levels / total
        missing = missing_flows(self.process, ground, levels, self.ratio)
        law = SparseLaw(
            ground=ground,
            levels=levels,
            ratio=self.ratio,
            residual=missing.total / self.process.arrival_rate,
            level_error=missing.level_error(spread=self.spread, gap=self.gap),
            coefficients=self.count,
            steps=self.steps,
        )
        self._mean = law.mean_level()
        return law

    def _levels(self) -> Vector:
        """Return the levels one by one, until they fall by the ratio for good."""
        coefficients = self._equations.parts(self._vector)[1] * self.unit
        last = ceil(self.count * (1.0 + self.a) / (1.0 - self.a)) + AT_ONCE
        values = laguerre.values(self.a, self.count, last)
        nothing = 1e-16 * float(np.sqrt((coefficients**2).sum(axis=1)).sum())
        parts: list[Vector] = []
        for first in range(0, last, AT_ONCE):
            differences = coefficients @ values[:, first : first + AT_ONCE]
            parts.append(differences)
            if np.abs(differences).sum(axis=0).max() <= nothing:
                break
        levels = lfilter([1.0], [1.0, -self.ratio], np.concatenate(parts, axis=1), axis=1)
        return np.asarray(np.maximum(levels, 0.0))


def _checked(law: SparseLaw, search: _Search) -> SparseLaw:
    held = law.levels.sum()
    if not held >= LEAST_LEVELS_MASS:
        raise NotAccurate(_hardly(held))
    relative = law.level_error / search.compared_with
    if not relative <= ACCURATE:
        raise NotAccurate(
            f"the mean number of jobs is known to {relative:.1e} only, relatively, and {ACCURATE:.0e} is required; "
            "simulate this system, or lower the load"
        )
    return law


def _hardly(waiting: float) -> str:
    return (
        f"the probability that somebody waits is about {waiting:.1e}, too small beside one to be known to its digits; "
        "at this load jobs hardly wait: their mean response time is their mean duration"
    )


def _require_room(process: SparseLevels, count: int, memory_limit: float) -> None:
    ground, states = process.ground.shape[0], process.states
    needed = estimate_memory(ground, states, count, 6 * count)
    if needed > memory_limit:
        raise TooLarge(
            f"{ground:,} states and {count:,} coefficients for each of {states:,} need {needed / 1e9:.2g} GB, and "
            f"{memory_limit / 1e9:.2g} GB are allowed; use the RESET prediction (msj analyse), or simulate"
        )
