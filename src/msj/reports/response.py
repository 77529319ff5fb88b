"""Response times: the curve against load by every method that applies, and all that is known at the report's load.

Exact values come from the level-structured chain, the prediction from RESET (reset, Theorem 4.2), the band from the
WCFS bounds (wcfs, Theorem 2), and simulated points stand beside them with 95 % intervals, as a check that shares no
code with the rest. A method that does not apply says why in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Event

import numpy as np

from msj.analysis.base import BoundAnalysis, ResponseAnalysis
from msj.analysis.chain_cost import in_words
from msj.answers.response import Response, beside_prediction, bounds, exact_response, predicted
from msj.answers.saturated import that_apply
from msj.answers.simulated import jobs_for_an_interval, simulated
from msj.effort import Cost, Effort
from msj.errors import MsjError
from msj.executors.workers import cores, workers
from msj.model import System
from msj.planning import Capacity
from msj.reports.contents import Curve, Load, Point, ResponseSection, WaitingSection
from msj.reports.wording import sentence
from msj.results import Outcome, Quantity, Result

MAX_SHARE = 1 / 3  # of the jobs of the curve that one of its points may take
EXACT_PART = 0.4  # of the time for curves
CLEARLY = 0.95  # of what the saturated system was seen to take
GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.965, 0.98)
COARSE = (0.3, 0.6, 0.8, 0.9)
SIMULATED_AT = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def response_section(
    system: System,
    load: Load,
    capacity: Capacity,
    effort: Effort,
    root: np.random.SeedSequence,
) -> ResponseSection:
    """Gather what is known at the load."""
    notes: list[str] = []
    here: tuple[Quantity, ...] = ()
    run: Result | None = None
    if load.stable:
        here = _here(system, load.arrival_rate, capacity, effort, notes)
        effort.tell(0.3)
        run = _run(system, load.arrival_rate, capacity, effort, root, notes)
        if run is not None and run.outcome is not Outcome.UNSTABLE:
            # How the interval was found is for those who ask msj simulate.
            notes += [note for note in run.notes if note != run.provenance.get("no_controls")]
        if run is not None and not any(row.kind == "exact" and row.name == "mean_response_time" for row in here):
            notes.insert(0, "No exact method applies here, so response times are simulated.")
    return ResponseSection(
        here=here,
        simulated_here=() if run is None or run.outcome is Outcome.UNSTABLE else run.quantities,
        queue_grows=run is not None and run.outcome is Outcome.UNSTABLE and not taken(load.arrival_rate, capacity),
        most_jobs=effort.jobs,
        enough_jobs=None if run is None or run.outcome is Outcome.UNSTABLE else run.provenance.get("enough_jobs"),
        notes=tuple(dict.fromkeys(notes)),
    )


def _with_here(curve: Curve, found: ResponseSection, system: System) -> Curve:
    """Return the simulated curve with the point at the report's own load, which is known best."""
    rows = {row.name: row for row in found.simulated_here if row.job_class is None and row.level is None}
    if "mean_response_time" not in rows or "arrival_rate" not in rows:
        return curve
    here = _point(system, rows["arrival_rate"].value, rows["mean_response_time"])
    return replace(curve, points=tuple(sorted((*curve.points, here), key=lambda point: point.arrival_rate)))


def with_curves(
    found: ResponseSection,
    system: System,
    capacity: Capacity,
    effort: Effort,
    root: np.random.SeedSequence,
    *,
    affordable: int,
) -> ResponseSection:
    """Add the curves against load, by every method that applies; simulated points take ``affordable`` jobs in all."""
    notes = list(found.notes)
    full = _surely_taken(capacity)
    rates = [share * full for share in GRID]
    curves = [
        _exact(system, capacity, effort.part(0.0, EXACT_PART), notes),
        _predicted(system, rates, capacity),
        *_bounds(system, rates, notes),
        _with_here(_simulated(system, capacity, effort.part(EXACT_PART, 1.0), root, notes, affordable), found, system),
    ]
    return replace(
        found,
        curves=tuple(curve for curve in curves if curve is not None and curve.points),
        notes=tuple(dict.fromkeys(notes)),
    )


def _surely_taken(capacity: Capacity) -> float:
    """Return the rate up to which curves go: where no theorem gives the limit, the lower end of its bracket."""
    return capacity.lowest if capacity.bracketed else capacity.value


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
        notes.append(f"No analysis at this load: {sentence(error)}")
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
    # Mere evidence is too vague to know the memory by, or to forbid a load.
    threshold = capacity.value if capacity.proved else None
    try:
        jobs = effort.jobs or jobs_for_an_interval(there, threshold)
        run = simulated(there, effort.replace(jobs=jobs), root, threshold=threshold)
    except MsjError as error:
        notes.append(f"No simulation: {sentence(error)}")
        return None
    if run.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    stay = run.find("mean_response_time")
    if run.outcome is Outcome.OUT_OF_TIME and stay is None:
        notes.append(f"{cut} was cut short to keep the report within its time (--seconds).")
        return None
    if run.outcome is Outcome.UNSTABLE and taken(rate, capacity):
        notes.append(
            f"At arrival rate {rate:.4g} the simulated queue was still growing after {run.provenance['jobs']:,} jobs, "
            "although the saturated system takes more: the run was too short, and no mean is shown (--seconds)."
        )
    elif run.outcome is Outcome.UNSTABLE:
        notes.append(f"Simulated at arrival rate {rate:.4g}, the queue keeps growing, so no mean is shown there.")
    return run


def taken(rate: float, capacity: Capacity) -> bool:
    """Return whether all evidence is that a rate is taken: then a queue that grows is one that fills up still."""
    return capacity.bracketed and rate < CLEARLY * capacity.lowest


def _point(system: System, rate: float, row: Quantity) -> Point:
    return Point(arrival_rate=rate, utilisation=rate / system.naive_threshold, mean_response_time=row)


def _exact(system: System, capacity: Capacity, effort: Effort, notes: list[str]) -> Curve | None:
    if capacity.stability_threshold.kind != "exact":
        return None
    try:
        able = that_apply(ResponseAnalysis, system)
        if not able:
            return None
        each = min((analysis.cost(system) for analysis in able), key=lambda cost: cost.operations)
        grid = next((grid for grid in (GRID, COARSE) if effort.allows(_times(each, len(grid)))), ())
        if not grid:
            notes.append(f"No exact curve: one load would take {in_words(each)}; msj curve computes it.")
            return None
        return Curve(name="exact", kind="exact", points=_exact_points(system, grid, capacity, effort, notes))
    except MsjError as error:
        notes.append(f"No exact curve: {sentence(error)}")
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


def _predicted(system: System, rates: Sequence[float], capacity: Capacity) -> Curve | None:
    if capacity.relative_completions is None:
        return None
    found = [(rate, predicted(system, rate, capacity).rows) for rate in rates]
    points = [_point(system, rate, rows[0]) for rate, rows in found if rows]
    return Curve(name="RESET", kind="asymptotic", points=tuple(points))


def _bounds(system: System, rates: Sequence[float], notes: list[str]) -> list[Curve]:
    try:
        if not that_apply(BoundAnalysis, system):
            return []
        rows = [{row.name: row for row in bounds(system, rate)} for rate in rates]
    except MsjError as error:
        notes.append(f"No bounds: {sentence(error)}")
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
    system: System,
    capacity: Capacity,
    effort: Effort,
    root: np.random.SeedSequence,
    notes: list[str],
    affordable: int,
) -> Curve:
    """Simulate at several loads, side by side: each point has a stream of its own, so that it does not matter how."""
    full = _surely_taken(capacity)
    known = capacity.value if capacity.proved else None
    # Independent points: else all would err the same way, and as the run at the load does.
    streams = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 1)).spawn(len(SIMULATED_AT))
    stopped = Event()
    alone = effort.replace(progress=None, cancel=stopped.is_set)

    def at(rate: float, stream: np.random.SeedSequence) -> tuple[Result | None, list[str]]:
        least = jobs_for_an_interval(system.replace(arrival_rate=rate), known)
        if alone.over or least > MAX_SHARE * affordable:
            return None, ["The simulated curve has fewer points than usual, to keep the report within its time."]
        longer = max(min(effort.jobs or 0, affordable // len(SIMULATED_AT)), least)
        said: list[str] = []
        return _run(system, rate, capacity, alone.replace(jobs=longer), stream, said, "A point of the curve"), said

    points = []
    # Threads: the loops let go of Python's lock, and the compiled code is shared.
    with workers(threads=min(cores(), len(SIMULATED_AT))) as hands:
        try:
            rates = [share * full for share in SIMULATED_AT]
            begun = [hands.submit(at, rate, stream) for rate, stream in zip(rates, streams, strict=True)]
            for done, (rate, future) in enumerate(zip(rates, begun, strict=True)):
                effort.tell(done / len(rates))
                run, said = future.result()
                notes += said
                if run is None:
                    break  # refused or cut: higher loads would need even longer runs
                row = run.find("mean_response_time")
                if row is not None and (row.low is not None or run.outcome is not Outcome.OUT_OF_TIME):
                    points.append(_point(system, rate, row))
        finally:
            stopped.set()
    return Curve(name="simulated", kind="simulated", points=tuple(points))
