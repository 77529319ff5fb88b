"""What changes would bring, the most useful first: more servers, then caps, then another mix.

Where response times are simulated, every change is tried on the jobs of the cluster as it is, so that the difference is
known better than either mean (``answers.changed``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.answers.changed import SameJobs
from msj.answers.simulated import jobs_for_an_interval
from msj.effort import Effort
from msj.errors import MsjError, OutOfTime
from msj.model import System
from msj.planning import Capacity, possible_changes, what_if, what_makes_it_stable
from msj.reports.contents import Load, ResponseSection, WhatIfSection
from msj.reports.wording import sentence

MOST_JOBS = 4_000_000


def what_if_section(
    system: System,
    load: Load,
    capacity: Capacity,
    response: ResponseSection,
    effort: Effort,
    root: np.random.SeedSequence,
    *,
    affordable: int,
) -> WhatIfSection:
    """Try the changes at the report's arrival rate, on ``affordable`` jobs in all.

    ``response`` is what is known of the cluster as it is.
    """
    stay = response.find("mean_response_time")
    rows, notes = [], []
    remedies: tuple[Any, ...] = ()
    if not load.stable:
        try:
            remedies = what_makes_it_stable(system, load.arrival_rate, effort, root)
        except OutOfTime:
            notes.append("What would make it stable could not be found within the time.")
    changes = possible_changes(system)
    same_jobs = None
    if load.stable:
        same_jobs = _same_jobs(system, load, capacity, effort, root, affordable // (len(changes) + 1))
    for done, change in enumerate(changes):
        effort.tell(done / len(changes), change.words)
        try:
            if effort.over:
                raise OutOfTime("the time was used up")
            rows.append(what_if(change, load.arrival_rate, effort, root, before=stay, same_jobs=same_jobs))
        except OutOfTime:
            left = "; ".join(each.words for each in changes[done:])
            notes.append(f"Left out to keep the report within its time (--seconds): {left}.")
            break
        except MsjError as error:
            notes.append(f"{change.words}: {sentence(error)}")
    return WhatIfSection(rows=tuple(rows), remedies=remedies, notes=tuple(notes))


def _same_jobs(
    system: System,
    load: Load,
    capacity: Capacity,
    effort: Effort,
    root: np.random.SeedSequence,
    affordable: int,
) -> SameJobs:
    """Return the jobs to serve: as many as intervals ask for, but not more than there is time for all changes."""
    there = system.replace(arrival_rate=load.arrival_rate)
    known = capacity.value if capacity.proved else None
    least = jobs_for_an_interval(there, known)
    jobs = min(max(effort.jobs or 0, least), MOST_JOBS, max(affordable, round(0.6 * least)))
    return SameJobs(system=there, root=root, jobs=jobs, threshold=known)
