"""Everything about one cluster, gathered through the public functions.

Nothing here computes: capacity and what-ifs come from ``planning``, answers from the analyses and simulations, the
outlook from ``growth``. A section that cannot be filled holds the sentence why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from msj.answers import SystemLike, as_system, question, root_of
from msj.answers.threshold import turns_away
from msj.effort import Effort
from msj.errors import InvalidInput, MsjError
from msj.model import System
from msj.planning import Capacity, bounded_capacity, find_capacity
from msj.reports.changes import what_if_section
from msj.reports.contents import (
    Load,
    OutlookSection,
    PolicySection,
    Report,
    ResponseSection,
    WaitingSection,
    WhatIfSection,
)
from msj.reports.findings import findings_of
from msj.reports.loss import STABLE, loss_sections
from msj.reports.outlook import TIMES, outlook_section
from msj.reports.policies import check_policies, policy_section
from msj.reports.response import response_section, waiting_section, with_curves
from msj.reports.rows import all_rows, left_out
from msj.reports.timetable import JOBS_PER_SECOND, Timetable
from msj.reports.wording import sentence
from msj.results import Outcome, Watch, provenance
from msj.simulation.plan import said
from msj.workloads import Rng
from msj.workloads.streams import seed_record

SECONDS = 60.0
PRECISION = 0.02
USUAL_LOAD = 0.8  # share of the threshold where the file names no load
FEWEST_JOBS, MOST_JOBS = 20_000, 4_000_000
MOST_JOBS_HERE = 40_000_000  # at the report's own load, if precision and time ask for them
CHANGES = 6  # that a report usually tries
FOR_A_LOOK = 400_000  # jobs of what is simulated many times: thresholds, changes
#: Share of the work that each section may do, the most useful first.
SHARES = {"capacity": 0.13, "response": 0.37, "policies": 0.2, "what_if": 0.15, "curve": 0.08, "outlook": 0.07}


@question
def report(
    system: SystemLike,
    *,
    policies: Sequence[Any] | None = None,
    precision: float = PRECISION,
    seconds: float = SECONDS,
    rng: Rng = None,
    seed: Rng = None,
    progress: Watch | None = None,
) -> Report:
    """Gather everything about a cluster.

    The answer is a result whose rows stand at their ``section`` (capacity, response, simulation, curve, policies,
    what_if, outlook) and which has ``findings``; :func:`msj.reports.write_text` and :func:`msj.reports.write_page`
    write it down.

    Parameters
    ----------
    system
        The cluster, or the file that describes it. Where it names no load, 0.8 of the stability threshold is taken.
    policies
        Policies to compare with the cluster's own; by default the usual ones that can run it.
    precision
        Relative half-width wanted of simulated means. The run at the report's own load goes on until it is reached, for
        40 million jobs at most; others take no more than 400/precision², or what their intervals ask for.
    seconds
        How much work it may do, in seconds of a nominal machine (a million simulated jobs in a second). Run lengths
        follow from it, not from the clock. The clock ends a report that takes three times as long and a minute more;
        the outcome is then ``out-of-time``.
    rng, seed
        Either; the same seed gives the same report, unless the clock ended it.
    progress
        Told what is being done and how much is done.

    Examples
    --------
    >>> import msj
    >>> found = msj.report("examples/two_servers.toml", policies=["first-fit"], precision=0.1, seed=1)
    >>> print(found.findings[0].sentence)
    Under fcfs the cluster takes at most 0.9 jobs per unit of time, 90 % of what counting server-time promises (1): 10 % of the servers are lost to head-of-line blocking.
    """  # noqa: E501
    system = as_system(system)
    jobs = jobs_for(precision)
    loses_jobs = turns_away(system)
    if not loses_jobs:
        check_policies(system, policies or ())  # before anything is computed
    root = root_of(rng, seed)
    times = Timetable(seconds=seconds, progress=progress)
    capacity, notes = None, [STABLE] if loses_jobs else []
    if loses_jobs:
        sections = loss_sections(system, times.section("losses", 1.0, jobs=jobs, precision=precision), root)
    else:
        effort = times.section("how much it can take", SHARES["capacity"], jobs=min(jobs, FOR_A_LOOK))
        capacity, load, notes = how_much(system, effort, root)
        if capacity is None or load is None:
            sections = unknown(notes)
        else:
            sections = _sections(system, load, capacity, policies, precision, jobs, root, times)
    facts = {
        "seed": seed_record(root),
        "precision": precision,
        "most_jobs_per_run": sections["response"].most_jobs,
        "seconds": round(times.spent, 3),
    }
    if times.late:
        notes.append(
            f"The clock ended this report after {times.spent:.0f} seconds, so it depends on the machine; "
            "--seconds allows more."
        )
    return assembled(system, capacity, sections, notes, facts, late=times.late)


def how_much(
    system: System, effort: Effort, root: np.random.SeedSequence
) -> tuple[Capacity | None, Load | None, list[str]]:
    """Return how much load the cluster takes and the load it is asked about; neither where that cannot be known."""
    try:
        capacity = find_capacity(system, effort, root)
        return capacity, load_of(system, capacity), []
    except MsjError as error:
        notes = [f"How much it can take is not known: {sentence(error)}"]
        capacity = bounded_capacity(system)
        known = system.load is None and system.arrival_rate_at(capacity.value) is not None
        load = load_of(system, capacity) if known else None
        return None if load is None else capacity, load, notes


def assembled(
    system: System,
    capacity: Capacity | None,
    sections: dict[str, Any],
    notes: list[str],
    facts: dict[str, Any],
    *,
    late: bool = False,
) -> Report:
    """Return the report that these sections are, with its rows and its findings; ``late`` if the clock ended it."""
    load = sections["load"]
    parts = {key: sections[key] for key in ("response", "policies", "what_if", "outlook")}
    outcome = Outcome.SOLVED if load is not None and load.stable else Outcome.UNSTABLE
    if late and outcome is Outcome.SOLVED:
        outcome = Outcome.OUT_OF_TIME
    empty = Report(
        system=system.to_spec(),
        quantities=all_rows(capacity, **parts),
        outcome=Outcome.NOT_KNOWN if load is None else outcome,
        provenance=provenance(**facts),
        notes=tuple(notes),
        missing=left_out(sections["policies"]),
        cluster=system,
        findings=(),
        capacity=capacity,
        **sections,
    )
    return replace(empty, findings=findings_of(empty))


def jobs_for(precision: float) -> int:
    """Return the most jobs one simulation takes.

    Examples
    --------
    >>> jobs_for(0.02), jobs_for(0.5)
    (1000000, 20000)
    """
    if isinstance(precision, bool) or not isinstance(precision, (int, float)) or not 0 < precision < 1:
        raise InvalidInput(f"precision = {precision!r} must be between 0 and 1; 0.02 means within 2 %")
    return int(np.clip(round(400 / precision**2), FEWEST_JOBS, MOST_JOBS))


def load_of(system: System, capacity: Capacity) -> Load:
    """Return the load the report is about."""
    threshold = capacity.stability_threshold
    rate = system.arrival_rate_at(threshold.value)
    if rate is None:
        rate = USUAL_LOAD * threshold.value
        words = f"no load is given, so {USUAL_LOAD:g} of the stability threshold is taken"
    elif (given := given_load(system)) is None:
        words = f"the arrivals' own rate, {rate:.4g}"
    else:
        words = f"{given.replace('_', ' ')} {float(getattr(system, given)):.4g}, as given"
    stable = rate < (threshold.ends[1] if system.load is None else threshold.value)
    utilisation = rate / system.naive_threshold
    return Load(arrival_rate=rate, load=rate / threshold.value, utilisation=utilisation, words=words, stable=stable)


def given_load(system: System) -> str | None:
    """Return the key by which the file says how much arrives."""
    return next((key for key in ("load", "arrival_rate", "utilisation") if getattr(system, key) is not None), None)


def _sections(
    system: System,
    load: Load,
    capacity: Capacity,
    policies: Sequence[Any] | None,
    precision: float,
    jobs: int,
    root: np.random.SeedSequence,
    times: Timetable,
) -> dict[str, Any]:
    # Sections are independent of each other: each draws from a stream of its own. The run at the report's own load
    # has the seed itself, so that msj simulate gives the same row.
    streams = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 2)).spawn(3)
    most = min(max(times.jobs(SHARES["response"]), FEWEST_JOBS), MOST_JOBS_HERE)
    effort = times.section("response times", SHARES["response"], jobs=most, precision=precision)
    response = response_section(system, load, capacity, effort, root)
    response = replace(response, notes=(*response.notes, *_more_time(response)))
    if response.queue_grows:
        load = replace(load, stable=False)
    if not load.stable:
        response = replace(response, notes=(*response.notes, _NO_MEANS))
    waiting = waiting_section(response) if load.stable else WaitingSection(notes=(_OVERLOADED,))
    effort = times.section("policies on the same jobs", SHARES["policies"], jobs=jobs)
    affordable = times.jobs(SHARES["policies"])
    compared = policy_section(system, load, policies, effort, streams[0], affordable=affordable, response=response)
    effort = times.section("what changes would bring", SHARES["what_if"], parts=CHANGES, jobs=jobs)
    affordable = times.jobs(SHARES["what_if"])
    changes = what_if_section(system, load, capacity, response, effort, streams[1], affordable=affordable)
    effort = times.section("the curve", SHARES["curve"], jobs=jobs, precision=precision)
    response = with_curves(response, system, capacity, effort, root, affordable=times.jobs(SHARES["curve"]))
    sizes = len(TIMES) - 1
    most = max(times.jobs(SHARES["outlook"]) // sizes, FEWEST_JOBS)
    effort = times.section("outlook", SHARES["outlook"], parts=sizes, jobs=most)
    outlook = outlook_section(system, load, capacity, response, effort, streams[2])
    return {
        "load": load,
        "response": response,
        "waiting": waiting,
        "policies": compared,
        "what_if": changes,
        "outlook": outlook,
    }


_OVERLOADED = "At this load the queue grows without bound, so waits have no distribution."
_NO_MEANS = "At this load the queue grows without bound, so there are no mean response times."


def _more_time(response: ResponseSection) -> Iterator[str]:
    """Say which --seconds would have been enough for the run at the load."""
    if response.enough_jobs:
        seconds = response.enough_jobs / JOBS_PER_SECOND / SHARES["response"]
        yield f"--seconds {said(1.2 * seconds).replace(',', '')} would be enough for that."


def unknown(notes: list[str]) -> dict[str, Any]:
    """Return the sections of a report about which nothing can be said but why."""
    why = tuple(notes)
    return {
        "load": None,
        "response": ResponseSection(notes=why),
        "waiting": WaitingSection(notes=why),
        "policies": PolicySection(notes=why),
        "what_if": WhatIfSection(notes=why),
        "outlook": OutlookSection(notes=why),
    }
