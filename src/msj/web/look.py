"""All that can be said of a cluster at once, the most useful first: a report that grows while it is looked at.

How much it takes and where the servers go; how long jobs stay at its load, exactly where that is possible; what a
change would bring; percentiles, which cost most, last. Each step gives the whole report so far, with its findings in
words. No response time at the load is simulated here: ``simulate`` does that and sharpens it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from msj.answers.changed import SameJobs
from msj.answers.response import beside_prediction, bounds, exact_response, predicted
from msj.answers.simulated import jobs_for_an_interval
from msj.effort import Effort
from msj.errors import MsjError, OutOfTime
from msj.model import System
from msj.planning import Capacity, possible_changes, what_if
from msj.planning.what_if import Change, WhatIf
from msj.reports.contents import Load, Report, ResponseSection, WhatIfSection
from msj.reports.gather import assembled, how_much, unknown
from msj.reports.response import waiting_section
from msj.reports.wording import sentence
from msj.results import Quantity, Result
from msj.workloads.streams import seed_record

LINE_JOBS = 200_000  # of a saturated system that has to be simulated
CHANGE_JOBS = 400_000  # of each change that has to be simulated, at most
MORE_LOAD = 1.2


def look(
    system: System,
    effort: Effort,
    *,
    seed: int = 1,
    changes: bool = True,
    percentiles: bool = True,
    reference: Quantity | None = None,
) -> Iterator[Result]:
    """Yield the report on a cluster, again and again, each time with more in it.

    The first has the threshold and the means, and nothing that could wait. What a change would bring and percentiles
    follow if they are asked for: a page asks once its controls have come to rest. ``reference`` is the mean response
    time that the page shows where it is not exact; differences are from it.
    """
    root = np.random.SeedSequence(seed)
    capacity, load, notes = how_much(system, effort.replace(jobs=LINE_JOBS), root)
    facts = {"seed": seed_record(root)}
    if capacity is None or load is None:
        yield assembled(system, None, unknown(notes), notes, facts)
        return
    sections = {**unknown([]), "load": load}

    def so_far() -> Report:
        return assembled(system, capacity, sections, notes, facts)

    if load.stable:
        sections["response"] = _response(system, load, capacity, effort, percentiles=False)
    yield so_far()
    further: list[Quantity] = []
    tried: list[WhatIf] = []
    stay = sections["response"].find("mean_response_time") or reference
    for found in _changes(system, load, capacity, stay, effort, root) if changes else ():
        if found.change.system == system:
            further = _rows_of(found)
        else:
            tried.append(found)
            sections["what_if"] = WhatIfSection(rows=tuple(tried))
        report = so_far()
        yield replace(report, quantities=(*report.quantities, *further))
    if effort.over and (changes or (percentiles and load.stable)):
        part = "the effects of all changes and the percentiles" if changes else "the percentiles"
        raise OutOfTime(f"{part} were not complete in time; use msj report")
    if percentiles and load.stable:
        sections["response"] = _response(system, load, capacity, effort, percentiles=None)
        sections["waiting"] = waiting_section(sections["response"])
        report = so_far()
        yield replace(report, quantities=(*report.quantities, *further))


def _response(
    system: System, load: Load, capacity: Capacity, effort: Effort, *, percentiles: bool | None
) -> ResponseSection:
    """Return what is known at the load without simulating; how far RESET is off comes with the percentiles, late."""
    rate = load.arrival_rate
    try:
        prediction = predicted(system, rate, capacity)
        exact = exact_response(system, rate, effort, percentiles=percentiles)
        means = beside_prediction(exact, prediction) if percentiles is None else (*prediction.rows, *exact.rows)
        rows = (*bounds(system, rate), *means)
        return ResponseSection(here=rows, notes=(*prediction.notes, *exact.notes))
    except MsjError as error:
        return ResponseSection(notes=(f"No analysis at this load: {sentence(error)}",))


def _changes(
    system: System,
    load: Load,
    capacity: Capacity,
    stay: Quantity | None,
    effort: Effort,
    root: np.random.SeedSequence,
) -> Iterator[WhatIf]:
    """Try each change at the load, and more load on the cluster as it is; ``stay`` is the mean shown for that."""
    rate = load.arrival_rate
    wished = [*possible_changes(system)]
    wished.insert(1, Change(of="mix", words="20 % more load", system=system))
    same_jobs = None
    # Jobs of its own: the run behind a simulated mean has those of the seed itself.
    other = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 2))
    if load.stable and (stay is None or stay.kind != "exact"):
        there, known = system.replace(arrival_rate=rate), capacity.value if capacity.proved else None
        jobs = min(jobs_for_an_interval(there, known), CHANGE_JOBS)
        same_jobs = SameJobs(system=there, root=other, jobs=jobs, threshold=known)
    for change in wished:
        if effort.over:
            return
        more = change.system == system
        try:
            yield what_if(
                change,
                rate * MORE_LOAD if more else rate,
                effort.replace(jobs=CHANGE_JOBS),
                other,
                before=stay,
                same_jobs=None if more else same_jobs,
            )
        except MsjError:
            continue  # a change that nothing can be said of is not shown


def _rows_of(found: WhatIf) -> list[Quantity]:
    """Return what more load brings as rows; whether it is taken at all is told by the capacity."""
    at: dict[str, Any] = {"section": "what_if", "change": found.change.words}
    rows = (found.mean_response_time, found.difference)
    given = Quantity(name="arrival_rate", value=found.arrival_rate, kind="exact", method="definition")
    return [row.put(**at) for row in (given, *rows) if row is not None]
