"""Response times: the curve against load by every method that applies, and all that is known at the report's load.

Exact values come from the level-structured chain, the prediction from RESET (reset, Theorem 4.2), the band from the
WCFS bounds (wcfs, Theorem 2), and simulated points stand beside them with 95 % intervals, as a check that shares no
code with the rest. A method that does not apply says why in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msj.analysis import response_curve
from msj.analysis.exact_response import ExactResponse, estimated_seconds
from msj.analysis.reset import predicted_mean_response_time
from msj.analysis.wcfs_bounds import ResponseTimeBounds, bound_rows
from msj.answers import simulate
from msj.disciplines.fcfs import is_fcfs
from msj.errors import MsjError, Unstable
from msj.model import System
from msj.planning import Capacity
from msj.planning.effort import analyse_quickly, enough_jobs
from msj.reports.clock import Clock
from msj.reports.contents import Curve, Load, Point, ResponseSection, WaitingSection
from msj.results import Outcome, Quantity, Result
from msj.simulation.simulate import FIRST_LOOK
from msj.workloads import Rng, seed_sequence

GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.965, 0.98)
COARSE = (0.3, 0.6, 0.8, 0.9)
REPLICATIONS = 10  # few and long ones: each starts empty and pays for that
SIMULATED_AT = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def response_section(
    system: System, load: Load, capacity: Capacity, *, precision: float, jobs: int, rng: Rng, clock: Clock
) -> ResponseSection:
    """Gather the curves and what is known at the load."""
    notes: list[str] = []
    here: tuple[Quantity, ...] = ()
    run: Result | None = None
    threshold = capacity.stability_threshold.value
    if load.stable:
        here = _analysed(system.replace(arrival_rate=load.arrival_rate), notes)
        clock.tell(0.3)
        there = system.replace(arrival_rate=load.arrival_rate)
        run = _run(there, threshold, precision, jobs, rng, clock, notes)
    rates = [share * threshold for share in GRID]
    curves = [
        _exact(system, threshold, capacity, clock, notes),
        _predicted(system, rates, capacity, notes),
        *_bounds(system, rates, notes),
        _simulated(system, threshold, precision, jobs, rng, clock, notes),
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


def _analysed(system: System, notes: list[str]) -> tuple[Quantity, ...]:
    try:
        result = analyse_quickly(system)
    except MsjError as error:
        notes.append(f"No analysis at this load: {_sentence(error)}")
        return ()
    notes.extend(result.notes)
    return tuple(row for row in result if row.name not in ("stability_threshold", "naive_threshold"))


def _run(
    system: System,
    threshold: float,
    precision: float,
    jobs: int,
    rng: Rng,
    clock: Clock,
    notes: list[str],
    cut: str = "The simulation",
) -> Result | None:
    """Simulate; None where that is refused or cut."""
    rate = float(system.arrival_rate or 0.0)
    try:
        least = enough_jobs(system, rate, 1, replications=REPLICATIONS, stability_threshold=threshold)
        run = simulate(
            system,
            precision=precision if least <= FIRST_LOOK else None,  # a run must not stop before it has settled
            jobs=max(jobs, least),
            rng=rng,
            replications=REPLICATIONS,
            progress=clock.watch,
        )
    except MsjError as error:
        notes.append(f"No simulation: {_sentence(error)}")
        return None
    if run.outcome is Outcome.INTERRUPTED:
        clock.interrupted()
        notes.append(f"{cut} was cut short to keep the report within {clock.seconds:g} seconds.")
        return None
    if run.outcome is Outcome.UNSTABLE:
        notes.append(f"Simulated at arrival rate {rate:.4g}, the queue keeps growing, so no mean is shown there.")
    return run


def _point(system: System, rate: float, row: Quantity) -> Point:
    return Point(arrival_rate=rate, utilisation=rate / system.naive_threshold, mean_response_time=row)


def _stay(rows: Iterable[Quantity]) -> Quantity | None:
    return next((row for row in rows if row.name == "mean_response_time" and row.job_class is None), None)


def _exact(system: System, threshold: float, capacity: Capacity, clock: Clock, notes: list[str]) -> Curve | None:
    if capacity.stability_threshold.kind != "exact":
        notes.append("No exact curve: the stability threshold is not known exactly.")
        return None
    if is_fcfs(system):
        return _exact_fcfs(system, clock, notes)
    points = []
    for done, share in enumerate(GRID):
        clock.tell(0.3 + 0.3 * done / len(GRID))
        rate = share * threshold
        try:
            row = _stay(analyse_quickly(system.replace(arrival_rate=rate), percentiles=False))
        except MsjError as error:
            notes.append(f"No exact curve: {_sentence(error)}")
            break
        if row is None or row.kind != "exact":
            notes.append("No exact curve: no exact method for mean response times applies to this policy.")
            break
        points.append(_point(system, rate, row))
        if clock.up:
            notes.append("The exact curve has fewer points than usual, to keep the report within its time.")
            break
    return Curve(name="exact", kind="exact", points=tuple(points))


def _exact_fcfs(system: System, clock: Clock, notes: list[str]) -> Curve | None:
    reason = ExactResponse().supports(system)
    if reason is not None:
        notes.append(f"No exact curve: {reason}.")
        return None
    each = estimated_seconds(system)[0]
    grid = next((grid for grid in (GRID, COARSE) if each * len(grid) < 0.2 * clock.seconds), ())
    if not grid:
        how_long = f"about {each:.0f} seconds" if each < 3600 else "hours, if it fits at all"
        notes.append(f"No exact curve: one load would take {how_long}; msj curve computes it.")
        return None
    try:
        found = response_curve(system, grid, progress=lambda now: clock.tell(0.3 + 0.3 * now.done))
    except MsjError as error:
        notes.append(f"No exact curve: {_sentence(error)}")
        return None
    return Curve(
        name="exact",
        kind="exact",
        points=tuple(
            _point(
                system,
                float(rate),
                Quantity(
                    name="mean_response_time",
                    value=float(value),
                    kind="exact",
                    method="QBD",
                    citation=ExactResponse.citation,
                ),
            )
            for rate, value in zip(found.arrival_rates, found.mean_response_time, strict=True)
        ),
    )


def _predicted(system: System, rates: Sequence[float], capacity: Capacity, notes: list[str]) -> Curve | None:
    delta = capacity.relative_completions
    if delta is None:
        notes.append("No RESET prediction: it needs the saturated chain of a finite-skip policy, solved exactly.")
        return None
    threshold = capacity.stability_threshold.value
    rows = [
        Quantity(
            name="predicted_mean_response_time",
            value=predicted_mean_response_time(rate, threshold, delta),
            kind="asymptotic",
            method="RESET/MARC",
            citation="reset, Theorem 4.2",
        )
        for rate in rates
    ]
    points = tuple(_point(system, rate, row) for rate, row in zip(rates, rows, strict=True))
    return Curve(name="RESET", kind="asymptotic", points=points)


def _bounds(system: System, rates: Sequence[float], notes: list[str]) -> list[Curve]:
    try:
        reason = ResponseTimeBounds().supports(system)
        if reason is not None:
            notes.append(f"No bounds: {reason}.")
            return []
        rows = [{row.name: row for row in bound_rows(system, rate)} for rate in rates]
    except (MsjError, Unstable) as error:
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
    system: System, threshold: float, precision: float, jobs: int, rng: Rng, clock: Clock, notes: list[str]
) -> Curve:
    points = []
    streams = seed_sequence(rng).spawn(len(SIMULATED_AT))  # independent points: else all would err the same way
    for done, share in enumerate(SIMULATED_AT):
        clock.tell(0.6 + 0.4 * done / len(SIMULATED_AT))
        if clock.up:
            notes.append("The simulated curve has fewer points than usual, to keep the report within its time.")
            break
        rate = share * threshold
        there = system.replace(arrival_rate=rate)
        run = _run(there, threshold, precision, jobs, streams[done], clock, notes, "A point of the curve")
        if run is None:
            break  # refused or cut: higher loads would need even longer runs
        row = _stay(run)
        if row is not None:
            points.append(_point(system, rate, row))
    return Curve(name="simulated", kind="simulated", points=tuple(points))


def _sentence(error: MsjError) -> str:
    text = error.message.rstrip(".")
    return f"{text}."
