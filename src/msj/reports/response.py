"""Response times: the curve against load by every method that applies, and all that is known at the report's load.

Exact values come from the level-structured chain, the prediction from RESET (reset, Theorem 4.2), the band from the
WCFS bounds (wcfs, Theorem 2), and simulated points stand beside them with 95 % intervals, as a check that shares no
code with the rest. A method that does not apply says why in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from msj.analysis.base import BoundAnalysis, ResponseAnalysis
from msj.analysis.chain_cost import in_words
from msj.answers.response import Response, beside_prediction, bounds, exact_response, predicted
from msj.answers.saturated import analyses, that_apply, why_none
from msj.answers.simulated import jobs_for_an_interval, simulated
from msj.effort import Cost, Effort
from msj.errors import MsjError
from msj.model import System
from msj.planning import Capacity
from msj.reports.contents import Curve, Load, Point, ResponseSection, WaitingSection
from msj.results import Outcome, Quantity, Result

GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.965, 0.98)
COARSE = (0.3, 0.6, 0.8, 0.9)
SIMULATED_AT = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def response_section(
    system: System, load: Load, capacity: Capacity, effort: Effort, root: np.random.SeedSequence
) -> ResponseSection:
    """Gather the curves and what is known at the load."""
    notes: list[str] = []
    here: tuple[Quantity, ...] = ()
    run: Result | None = None
    if load.stable:
        here = _here(system, load.arrival_rate, capacity, effort, notes)
        effort.tell(0.3)
        run = _run(system, load.arrival_rate, capacity, effort, root, notes)
    rates = [share * capacity.value for share in GRID]
    curves = [
        _exact(system, capacity, effort.part(0.3, 0.6), notes),
        _predicted(system, rates, capacity, notes),
        *_bounds(system, rates, notes),
        _simulated(system, capacity, effort.part(0.6, 1.0), root, notes),
    ]
    return ResponseSection(
        curves=tuple(curve for curve in curves if curve is not None and curve.points),
        here=here,
        simulated_here=() if run is None or run.outcome is Outcome.UNSTABLE else run.quantities,
        queue_grows=run is not None and run.outcome is Outcome.UNSTABLE,
        notes=tuple(dict.fromkeys(notes)),
    )


def waiting_section(response: ResponseSection) -> WaitingSection:
    """Take the waiting-time percentiles from what is known at the load, exact ones first."""
    for rows in (response.here, response.simulated_here):
        found = tuple(row for row in rows if row.name == "waiting_time_percentile")
        if found:
            return WaitingSection(rows=found)
    return WaitingSection(notes=("No percentiles are known at this load.",))


def _here(system: System, rate: float, capacity: Capacity, effort: Effort, notes: list[str]) -> tuple[Quantity, ...]:
    """Return what is known at the load without simulating."""
    try:
        prediction, exact = predicted(system, rate, capacity), exact_response(system, rate, effort)
        notes += [*prediction.notes, *exact.notes]
        return (*bounds(system, rate), *beside_prediction(exact, prediction))
    except MsjError as error:
        notes.append(f"No analysis at this load: {_sentence(error)}")
        return ()


def _run(
    system: System,
    rate: float,
    capacity: Capacity,
    effort: Effort,
    root: np.random.SeedSequence,
    notes: list[str],
    cut: str = "The simulation",
) -> Result | None:
    """Simulate as long as the precision and the cluster's memory ask; None where that is refused or cut."""
    there = system.replace(arrival_rate=rate)
    # A bracket is too vague to know the memory by, or to forbid a load.
    threshold = None if capacity.bracketed else capacity.value
    try:
        jobs = max(effort.jobs or 0, jobs_for_an_interval(there, threshold))
        run = simulated(there, effort.replace(jobs=jobs), root, threshold=threshold)
    except MsjError as error:
        notes.append(f"No simulation: {_sentence(error)}")
        return None
    if run.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if run.outcome is Outcome.OUT_OF_TIME:
        notes.append(f"{cut} was cut short to keep the report within its time.")
        return None
    if run.outcome is Outcome.UNSTABLE:
        notes.append(f"Simulated at arrival rate {rate:.4g}, the queue keeps growing, so no mean is shown there.")
    return run


def _point(system: System, rate: float, row: Quantity) -> Point:
    return Point(arrival_rate=rate, utilisation=rate / system.naive_threshold, mean_response_time=row)


def _exact(system: System, capacity: Capacity, effort: Effort, notes: list[str]) -> Curve | None:
    if capacity.stability_threshold.kind != "exact":
        notes.append("No exact curve: the stability threshold is not known exactly.")
        return None
    try:
        able = that_apply(ResponseAnalysis, system)
        if not able:
            notes.append(f"No exact curve: {why_none(analyses(ResponseAnalysis), system)}.")
            return None
        each = min((analysis.cost(system) for analysis in able), key=lambda cost: cost.operations)
        grid = next((grid for grid in (GRID, COARSE) if effort.allows(_times(each, len(grid)))), ())
        if not grid:
            notes.append(f"No exact curve: one load would take {in_words(each)}; msj curve computes it.")
            return None
        return Curve(name="exact", kind="exact", points=_exact_points(system, grid, capacity, effort, notes))
    except MsjError as error:
        notes.append(f"No exact curve: {_sentence(error)}")
        return None


def _times(cost: Cost, loads: int) -> Cost:
    return Cost(operations=loads * cost.operations, bytes=cost.bytes)


def _exact_points(
    system: System, grid: Sequence[float], capacity: Capacity, effort: Effort, notes: list[str]
) -> tuple[Point, ...]:
    points: list[Point] = []
    for done, share in enumerate(grid):
        effort.tell(done / len(grid))
        found: Response = exact_response(system, share * capacity.value, effort, percentiles=False)
        row = found.find("mean_response_time")
        if row is None:
            notes += found.notes
            break
        points.append(_point(system, share * capacity.value, row))
        if effort.over:
            notes.append("The exact curve has fewer points than usual, to keep the report within its time.")
            break
    return tuple(points)


def _predicted(system: System, rates: Sequence[float], capacity: Capacity, notes: list[str]) -> Curve | None:
    if capacity.relative_completions is None:
        notes.append("No RESET prediction: it needs the saturated chain of a finite-skip policy, solved exactly.")
        return None
    points = [_point(system, rate, predicted(system, rate, capacity).rows[0]) for rate in rates]
    return Curve(name="RESET", kind="asymptotic", points=tuple(points))


def _bounds(system: System, rates: Sequence[float], notes: list[str]) -> list[Curve]:
    try:
        if not that_apply(BoundAnalysis, system):
            reasons = [str(analysis.supports(system)) for analysis in analyses(BoundAnalysis)]
            notes.append(f"No bounds: {'; '.join(reasons)}.")
            return []
        rows = [{row.name: row for row in bounds(system, rate)} for rate in rates]
    except MsjError as error:
        notes.append(f"No bounds: {_sentence(error)}")
        return []
    names = {"lower bound": "response_time_lower_bound", "upper bound": "response_time_upper_bound"}
    return [
        Curve(
            name=name,
            kind="bound",
            points=tuple(_point(system, rate, row[key]) for rate, row in zip(rates, rows, strict=True) if key in row),
        )
        for name, key in names.items()
    ]


def _simulated(
    system: System, capacity: Capacity, effort: Effort, root: np.random.SeedSequence, notes: list[str]
) -> Curve:
    points = []
    # Independent points: else all would err the same way, and as the run at the load does.
    streams = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 1)).spawn(len(SIMULATED_AT))
    for done, share in enumerate(SIMULATED_AT):
        effort.tell(done / len(SIMULATED_AT))
        if effort.over:
            notes.append("The simulated curve has fewer points than usual, to keep the report within its time.")
            break
        rate = share * capacity.value
        run = _run(system, rate, capacity, effort, streams[done], notes, "A point of the curve")
        if run is None:
            break  # refused or cut: higher loads would need even longer runs
        row = run.find("mean_response_time")
        if row is not None:
            points.append(_point(system, rate, row))
    return Curve(name="simulated", kind="simulated", points=tuple(points))


def _sentence(error: MsjError) -> str:
    text = error.message.rstrip(".")
    return f"{text}."
