"""Wasted servers as a curve: against a class's share, the ratio of two rates, or the number of servers.

Waste is no monotone function of anything (twoclass, section 9.3): where some jobs need many times what the others
need, it rises and falls each time one more of them is pushed out of service. Where to look for that is known. If
nothing were wasted, class i would hold the share

    w = (p_i v_i / mu_i) / (sum_j p_j v_j / mu_j)

of the servers and w·k/v_i jobs of it would be in service; waste has about one peak for each unit of that number. And
log(w/(1 − w)) differs only by a constant from log(p_i/(1 − p_i)) and, with two classes, from −log(mu_i/mu_j). So one
grid serves both curves: even steps of w, which catch the peaks, and even steps of log(w/(1 − w)), which catch what
happens close to the ends. More points go where the curve still bends. Local optima (least waste) and pessima (most
waste; twoclass's words) are then located between the points by Brent's method. The number of servers takes every whole
number, so there they are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from msj.analysis.base import Saturated
from msj.analysis.vary import MOST_POINTS, Vary, VaryServers, parse_vary
from msj.answers.saturated import Method, solve_saturated
from msj.errors import InvalidInput, MsjError
from msj.model import System
from msj.model.numbers import whole
from msj.results import Progress, Watch

Array: TypeAlias = NDArray[np.float64]

BENT = 1e-3  # of the highest waste: what is straighter than this needs no more points
TURNED = 1e-8  # of the highest waste: a rise or fall smaller than this is rounding
COLUMNS = ("wasted_servers", "saturated_utilisation", "stability_threshold")


@dataclass(frozen=True, kw_only=True)
class Extremum:
    """A local optimum (least waste) or pessimum (most waste); ``at_end`` if the range ends there."""

    kind: Literal["optimum", "pessimum"]
    parameter: float
    wasted_servers: float
    saturated_utilisation: float
    stability_threshold: float
    at_end: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class WasteCurve:
    """Waste, utilisation and threshold of the saturated system, point by point; made by :func:`waste_curve`."""

    system: System
    vary: Vary
    parameter: NDArray[Any]
    wasted_servers: Array
    saturated_utilisation: Array
    stability_threshold: Array
    method: tuple[str, ...]
    citation: tuple[str, ...]
    extrema: tuple[Extremum, ...]
    systems_solved: int


def waste_curve(
    system: System,
    vary: Vary | str,
    *,
    points: int | None = None,
    method: Method = "auto",
    progress: Watch | None = None,
) -> WasteCurve:
    """Return waste, utilisation and threshold against one parameter, with the local optima and pessima of the waste.

    Parameters
    ----------
    system
        The cluster; how much arrives does not matter.
    vary
        What the curve runs over: a VaryShare, VaryRateRatio or VaryServers, or the text of one (:func:`parse_vary`).
    points
        About how many points to take over a share or a rate ratio; by default the more, the more large jobs fit.
    method
        As in :func:`msj.analyse`, at each point.
    progress
        Told after each point.

    Examples
    --------
    >>> import msj
    >>> curve = waste_curve(msj.read("examples/two_servers.toml"), "share:large=0..1")
    >>> [(e.kind, round(e.parameter, 3), round(e.wasted_servers, 3)) for e in curve.extrema]
    [('optimum', 0.0, 0.0), ('pessimum', 0.333, 0.2), ('optimum', 1.0, 0.0)]
    """
    vary = parse_vary(vary) if isinstance(vary, str) else vary
    solved = _Solved(system, vary, method, progress)
    values: list[float]
    if isinstance(vary, VaryServers) or vary.values:
        if points is not None:
            raise InvalidInput(
                f"points = {points} does not go with {vary}; write a step, as in servers=10..400..10, or a range "
                "without values"
            )
        values = [*(vary.grid() if isinstance(vary, VaryServers) else vary.values)]
    else:
        most = _enough(system) if points is None else whole(points, "points", least=3)
        if most > MOST_POINTS:
            raise InvalidInput(f"points = {most:,} is more than {MOST_POINTS:,}; take fewer")
        solved.at((vary.low + vary.high) / 2.0)  # refuses what cannot be varied or solved
        values = _refined(vary.grid(system, most), solved.waste, most)
    extrema = [_extremum(i, sign, values, solved) for i, sign in _turns([solved.waste(value) for value in values])]
    values = sorted({*values, *(extremum.parameter for extremum in extrema)})
    found = [solved.at(value) for value in values]
    return WasteCurve(
        system=system,
        vary=vary,
        parameter=np.array(values),
        wasted_servers=np.array([one.wasted_servers for one in found]),
        saturated_utilisation=np.array([one.saturated_utilisation for one in found]),
        stability_threshold=np.array([one.stability_threshold for one in found]),
        method=tuple(one.method for one in found),
        citation=tuple(one.citation for one in found),
        extrema=tuple(extrema),
        systems_solved=len(solved.known),
    )


class _Solved:
    """The saturated system at each value asked for, solved once."""

    def __init__(self, system: System, vary: Vary, method: Method, progress: Watch | None) -> None:
        self.system, self.vary, self.method, self.progress = system, vary, method, progress
        self.known: dict[float, Saturated] = {}

    def at(self, value: float) -> Saturated:
        if value not in self.known:
            try:
                self.known[value], _ = solve_saturated(self.vary.at(self.system, value), self.method, completions=False)
            except MsjError as error:
                raise error.within(str(self.vary)) from None
            if self.progress is not None:
                solved = len(self.known)
                self.progress(Progress(done=1.0 - 1.0 / (1.0 + solved / 100.0), words=f"{solved} systems solved"))
        return self.known[value]

    def waste(self, value: float) -> float:
        return self.at(value).wasted_servers


def _enough(system: System) -> int:
    """Return how many points show every peak: some for each large job in service, and not for ever."""
    return min(200 + 16 * (system.servers // max(c.need for c in system.classes)), 1000)


def _refined(values: list[float], waste: Callable[[float], float], most: int) -> list[float]:
    """Add points where the curve bends, up to ``most``."""
    while len(values) < most:
        x, y = np.array(values), np.array([waste(value) for value in values])
        chord = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
        bend = np.abs(y[1:-1] - chord)
        bend = np.maximum(np.append(0.0, bend), np.append(bend, 0.0))  # at the two ends of each step
        worst = np.argsort(-bend)[: most - len(values)]
        worst = worst[bend[worst] > BENT * np.max(y)]
        if len(worst) == 0:
            break
        values = sorted({*values, *((x[worst] + x[worst + 1]) / 2.0).tolist()})
    return values


def _turns(heights: list[float]) -> list[tuple[int, int]]:
    """Return where a curve is lowest (-1) or highest (+1) before it turns, ends included; nothing if it is flat."""
    slack = TURNED * max(heights)
    turns: list[tuple[int, int]] = []
    lowest = highest = direction = 0
    for i, height in enumerate(heights):
        lowest = i if height < heights[lowest] else lowest
        highest = i if height > heights[highest] else highest
        if direction >= 0 and height < heights[highest] - slack:
            turns.append((highest, 1))
            lowest, direction = i, -1
        elif direction <= 0 and height > heights[lowest] + slack:
            turns.append((lowest, -1))
            highest, direction = i, 1
    if turns:  # the first turn is no further than the slack from the beginning, and likewise at the end
        turns[0] = (0, turns[0][1])
        turns.append((len(heights) - 1, direction))
    return turns


def _extremum(i: int, sign: int, values: list[float], solved: _Solved) -> Extremum:
    """Return the turn at ``values[i]``, located between its neighbours where there is something between them."""
    value, at_end = values[i], i in (0, len(values) - 1)
    if not at_end and not isinstance(solved.vary, VaryServers) and not solved.vary.values:
        low, width = values[i - 1], values[i + 1] - values[i - 1]  # scaled: Brent stops at 1e-8 of the argument
        search = minimize_scalar(
            lambda x: -sign * solved.waste(low + float(x) * width), bounds=(0.0, 1.0), options={"xatol": 1e-6}
        )
        value = max(value, low + float(search.x) * width, key=lambda x: sign * solved.waste(x))
    facts = {name: getattr(solved.at(value), name) for name in COLUMNS}
    return Extremum(kind="pessimum" if sign > 0 else "optimum", parameter=value, at_end=at_end, **facts)
