"""Solve sparse levels: restarted GMRES on a growing number of levels, until cut and residual no longer matter.

Each cycle of GMRES (:mod:`msj.markov.gmres`) starts from the true residual with the ratio of the levels above the cut
and the spread within levels taken anew from the last iterate. So the ratio is a fixed point: the tail that is assumed
is the tail that is found. Two cycles tell how strongly what is found depends on what was assumed, and a secant step
takes the rest of the way.

How far off the mean level may be. If flows r are missing from the balance equations, E[level] is off by r·h, where h is
what a unit of mass is worth: about (q + spread)²/(2·(lambda* − lambda)) at level q, as for a random walk with that
drift whose place is known up to ``spread``. That is an estimate, not a proof; tests hold it to dense solutions.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from msj.errors import NotAccurate, TooLarge
from msj.markov.gmres import gmres_cycle
from msj.markov.sparse_level_operator import GroundFactors, LevelOperator
from msj.markov.sparse_levels import SparseLaw, SparseLevels, Vector

FIRST_CUT = 64
MOST_STEPS = 30  # of a cycle; usually a dozen, as ratio and spread are better taken anew often
MOST_CYCLES = 40
FINE = 1e-11  # error of the mean level, relative to jobs in the system, that is aimed at
FAR_ENOUGH = 5e-11  # the same, of the cut
CLEARLY = 0.3  # how much smaller the other errors are than that of the cut before a cut is given up
ACCURATE = 1e-9
ROUNDING = 1e-14  # residual from which on a cycle that does not help is the last
SAFETY = 10.0  # what is said of errors is this much more than is seen of them
VECTORS = MOST_STEPS / 2 + 12  # alive at once; those of a cycle in single precision
GROUND_BYTES = 12 * 40 + 16 * 8  # a state of the ground: factors and rates
LEAST_LEVELS_MASS = 1e-8  # of all: below, what the levels hold is rounding of the ground


def estimate_memory(ground: float, states: float, cut: float) -> float:
    """Return about how many bytes :func:`solve` holds for so many states and levels.

    Examples
    --------
    >>> round(estimate_memory(199_208, 17_716, 300) / 1e9, 1)
    1.3
    """
    return 8.0 * VECTORS * (ground + states * cut) + GROUND_BYTES * ground + 8.0 * 2 * cut**2


def solve(
    process: SparseLevels,
    *,
    start: Vector,
    ratio: float,
    throughput: float,
    spread: float,
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
    ratio
        About how the mass of far levels falls from one to the next.
    throughput
        lambda*, the mean rate down of the levels without the ground; above the arrival rate.
    spread
        How many levels the states within a level are worth, about.
    scale
        What errors of the mean level are small compared with: the mean number of jobs in service, say.
    memory_limit
        Bytes to stay below.
    """
    ground_factors = GroundFactors(process)
    cut = FIRST_CUT
    _require_room(process, cut, memory_limit)
    ground = start / start.sum()
    entering = process.ground_up * ground[process.place] / process.arrival_rate
    levels = entering[:, None] * ratio ** np.arange(cut)
    steps = 0
    while True:
        unit = float(np.maximum(levels, 0.0).sum()) / float(ground.sum())
        if not unit > 0.0:
            raise NotAccurate("so few jobs wait that levels cannot be told from nothing")
        stage = _Stage(
            LevelOperator(process, ground_factors, cut, ratio, unit), ground, levels, throughput, spread, scale
        )
        stage.run()
        steps += stage.steps
        if stage.cut_error <= FAR_ENOUGH:
            return _law(stage, steps)
        ground, levels, ratio = stage.ground, stage.levels, stage.operator.ratio
        longer = stage.next_cut()
        _require_room(process, longer, memory_limit)
        levels = np.concatenate([levels, levels[:, -1:] * ratio ** np.arange(1.0, longer - cut + 1)], axis=1)
        cut = longer


class _Stage:
    """The iteration with one cut."""

    def __init__(
        self, operator: LevelOperator, ground: Vector, levels: Vector, throughput: float, spread: float, scale: float
    ) -> None:
        self.operator = operator
        self._gap, self._spread, self._scale = throughput - operator.process.arrival_rate, spread, scale
        self._vector = np.concatenate([ground, levels.ravel() / operator.unit])
        self._residual = np.empty(operator.length)
        self._basis: NDArray[np.float32] | None = None
        self._assumed: list[tuple[float, float]] = []  # ratios: assumed above the cut, found below it
        self.steps = 0
        self._normalise()

    @property
    def ground(self) -> Vector:
        """pi_0."""
        return self.operator.parts(self._vector)[0]

    @property
    def levels(self) -> Vector:
        """The levels up to the cut."""
        return np.asarray(self.operator.parts(self._vector)[1] * self.operator.unit)

    def run(self) -> None:
        """Iterate until the mean level is known well enough, or well enough to see that the cut is too low."""
        operator = self.operator
        if self._basis is None:
            self._basis = np.empty((MOST_STEPS + 1, operator.length), dtype=np.float32)
        last = np.inf
        for _ in range(MOST_CYCLES):
            operator.set_laws(self._vector)
            self.judge()
            if self.error <= max(FINE, CLEARLY * self.cut_error):
                return
            if self.error > 0.5 * last and self.residual < ROUNDING:
                return
            last = self.error
            reduction = max(1e-2, 0.2 * FINE / self.error)
            correction, steps = gmres_cycle(
                operator.apply, operator.precondition, self._residual, self._basis, reduction=reduction
            )
            self.steps += steps
            self._vector += correction
            self._follow_ratio()
            self._normalise()

    def next_cut(self) -> int:
        """Return where the cut should be enough, as fast as the shape settles from level to level now."""
        cut = self.operator.cut
        early, late = self._change(cut // 2, 3 * cut // 4), self._change(3 * cut // 4, cut)
        pace = log(early / late) / (cut / 4) if 0.0 < late < early else 0.0
        pace -= log(self.operator.ratio)  # the tail itself shrinks, too
        more = log(max(self.cut_error, FINE) / (0.01 * FINE)) / pace if pace > 0.0 else cut
        return ceil(cut + min(max(more, cut / 4), 4 * cut))

    def _change(self, low: int, high: int) -> float:
        """Return how much the shape of a level differs from that of a lower one."""
        levels = self.operator.parts(self._vector)[1]
        first, second = levels[:, low - 1], levels[:, high - 1]
        if not (first.sum() > 0.0 and second.sum() > 0.0):
            return 1.0
        return float(np.abs(first / first.sum() - second / second.sum()).sum())

    def judge(self) -> None:
        """Look how far off the iterate is."""
        operator = self.operator
        operator.balance(self._vector, self._residual)
        ground, levels = operator.parts(self._residual)
        missed = np.append(np.abs(ground).sum(), operator.unit * np.abs(levels).sum(axis=0))
        worth = (np.arange(operator.cut + 1) + self._spread) ** 2 / (2.0 * self._gap)
        self.residual = float(missed.sum() / operator.process.arrival_rate)
        masses = self.masses
        ratio = operator.ratio
        top = abs(masses[-1]) * ratio / (1.0 - ratio)
        far = top * (operator.cut + 1.0 / (1.0 - ratio))
        mean = float(masses @ np.arange(1, operator.cut + 1)) + far
        change = self._change(3 * operator.cut // 4, operator.cut)
        unsure = 0.0
        if self._far_levels_matter:
            rounding = missed[-self._span :].sum() / (operator.process.arrival_rate * masses[-1] * self._span)
            unsure = (abs(self._found() - ratio) + float(rounding)) / (1.0 - ratio)
        share = far / (mean + self._scale)
        self.shape_change = change if self._far_levels_matter else 1.0
        self.cut_error = float(share * min(1.0, self.shape_change))
        self.error = float(missed @ worth / (mean + self._scale) + 2.0 * share * unsure)
        self.mean = mean

    @property
    def masses(self) -> Vector:
        """Mass of each level from 1 on."""
        return np.asarray(self.operator.unit * self.operator.parts(self._vector)[1].sum(axis=0))

    def _found(self) -> float:
        """Return the mean ratio of the highest levels; over a quarter of them, as neighbours differ by little."""
        masses = self.masses
        if not self._far_levels_matter:
            return self.operator.ratio
        mean = (masses[-1] / masses[-1 - self._span]) ** (1.0 / self._span)
        return float(np.clip(mean, 1e-6, 1.0 - 1e-12))

    @property
    def _far_levels_matter(self) -> bool:
        """Whether the highest levels hold more than rounding."""
        masses = self.masses
        return bool(masses[-1 - self._span :].min() > 1e-11 * masses.max())

    @property
    def _span(self) -> int:
        return self.operator.cut // 4

    def _follow_ratio(self) -> None:
        found = self._found()
        self._assumed.append((self.operator.ratio, found))
        following = found
        if len(self._assumed) > 1:
            (x0, y0), (x1, y1) = self._assumed[-2:]
            slope = (y1 - y0) / (x1 - x0) if abs(x1 - x0) > 1e-14 else 0.0
            if abs(slope) < 0.5:
                following = x1 + (y1 - x1) / (1.0 - slope)
        top = np.maximum(self.operator.parts(self._vector)[1][:, -1], 1e-300)
        self.operator.set_ratio(float(np.clip(following, 1e-6, 1.0 - 1e-12)), top / top.sum())

    def _normalise(self) -> None:
        ratio, masses = self.operator.ratio, self.masses
        total = self.ground.sum() + masses.sum() + masses[-1] * ratio / (1.0 - ratio)
        self._vector /= total


def _law(stage: _Stage, steps: int) -> SparseLaw:
    held = stage.masses.sum()
    if not held >= LEAST_LEVELS_MASS:
        raise NotAccurate(
            f"the probability that somebody waits is about {held:.1e}, too small beside one to be known to its digits; "
            "at this load jobs hardly wait: their mean response time is their mean duration"
        )
    relative = max(stage.error, stage.cut_error)
    if not relative <= ACCURATE:
        raise NotAccurate(
            f"the mean number of jobs is known to {relative:.1e} only, relatively, and {ACCURATE:.0e} is required; "
            "simulate this system, or lower the load"
        )
    return SparseLaw(
        ground=np.maximum(stage.ground, 0.0),
        levels=np.maximum(stage.levels, 0.0),
        ratio=stage.operator.ratio,
        residual=stage.residual,
        cut_error=stage.cut_error,
        shape_change=stage.shape_change,
        level_error=SAFETY * (stage.error + stage.cut_error) * (stage.mean + stage._scale),
        steps=steps,
    )


def _require_room(process: SparseLevels, cut: int, memory_limit: float) -> None:
    needed = estimate_memory(process.ground.shape[0], len(process.leaving), cut)
    if needed > memory_limit:
        raise TooLarge(
            f"{process.ground.shape[0]:,} states and {cut:,} levels of {len(process.leaving):,} need "
            f"{needed / 1e9:.2g} GB, and {memory_limit / 1e9:.2g} GB are allowed; use the RESET prediction "
            "(msj analyse), or simulate"
        )
