"""Everything about one cluster, gathered through the public functions.

Nothing here computes: capacity and what-ifs come from ``planning``, answers from the analyses and simulations, the
outlook from ``scaling``. A section that cannot be filled holds the sentence why.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from msj.errors import InvalidInput, MsjError
from msj.model import System
from msj.planning import Capacity, find_capacity, possible_changes, what_if, what_makes_it_stable
from msj.report.clock import Clock, Tell
from msj.report.contents import (
    Load,
    OutlookSection,
    PolicySection,
    Report,
    ResponseSection,
    WaitingSection,
    WhatIfSection,
)
from msj.report.findings import findings_of
from msj.report.outlook import outlook_section
from msj.report.policies import check_policies, policy_section
from msj.report.response import response_section, waiting_section
from msj.results import provenance
from msj.workloads import Rng, seed_sequence

SECONDS = 60.0
PRECISION = 0.02
USUAL_LOAD = 0.8  # share of the threshold where the file names no load
FEWEST_JOBS, MOST_JOBS = 20_000, 4_000_000


def gather(
    system: System,
    *,
    policies: Sequence[Any] | None = None,
    precision: float = PRECISION,
    seconds: float = SECONDS,
    rng: Rng = None,
    progress: Tell | None = None,
) -> Report:
    """Gather a report about a cluster.

    Parameters
    ----------
    system
        The cluster. Where it names no load, 0.8 of the stability threshold is taken.
    policies
        Policies to compare with the cluster's own; by default the usual ones that can run it.
    precision
        Relative half-width wanted of simulated means; no run is longer than 400/precision² jobs.
    seconds
        About how long it may take; what would take longer is cut, with a note.
    rng
        Seed; the same seed gives the same report.
    progress
        Called with what is being done and the share that is done.

    Examples
    --------
    >>> import msj
    >>> report = gather(msj.read("examples/two_servers.toml"), policies=["first-fit"], precision=0.1, rng=1)
    >>> print(report.findings[0].sentence)
    Under fcfs the cluster takes at most 0.9 jobs per unit of time, 90 % of what counting server-time promises (1): 10 % of the servers are lost to head-of-line blocking.
    """  # noqa: E501
    jobs = jobs_for(precision)
    check_policies(system, policies or ())  # before anything is computed
    root = seed_sequence(rng)
    clock = Clock(seconds, progress)
    notes: list[str] = []
    capacity, load = None, None
    with clock.section("how much load it takes", 0.25):
        try:
            capacity = find_capacity(
                system, jobs=min(jobs, 400_000), rng=root, watch=clock.watch, stop=lambda: clock.up
            )
            load = load_of(system, capacity)
        except MsjError as error:
            notes.append(f"How much load it takes is not known: {error.message}.")
        except KeyboardInterrupt:
            clock.interrupted()
            notes.append(
                f"How much load it takes could not be found within the time of a report of {seconds:g} seconds; "
                "give it more."
            )
    if capacity is None or load is None:
        sections = _unknown(notes)
    else:
        sections = _sections(system, load, capacity, policies, precision, jobs, root, clock)
    facts = {
        "seed": _plain_seed(root),
        "precision": precision,
        "most_jobs_per_run": jobs,
        "spec_sha256": spec_hash(system),
        "seconds": round(clock.spent, 3),
    }
    report = Report(
        system=system,
        findings=(),
        capacity=capacity,
        **sections,
        notes=tuple(notes),
        provenance=provenance(**facts),
    )
    return Report(**{**vars(report), "findings": findings_of(report)})


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
    else:
        given = next(key for key in ("load", "arrival_rate", "utilisation") if getattr(system, key) is not None)
        words = f"{given.replace('_', ' ')} {float(getattr(system, given)):.4g}, as given"
    highest = threshold.value if threshold.high is None else threshold.high
    stable = rate < (highest if system.load is None else threshold.value)
    utilisation = rate / system.naive_threshold
    return Load(arrival_rate=rate, load=rate / threshold.value, utilisation=utilisation, words=words, stable=stable)


def _sections(
    system: System,
    load: Load,
    capacity: Capacity,
    policies: Sequence[Any] | None,
    precision: float,
    jobs: int,
    root: np.random.SeedSequence,
    clock: Clock,
) -> dict[str, Any]:
    # Sections are independent of each other: each draws from a stream of its own.
    streams = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 1)).spawn(4)
    with clock.section("response times", 0.45):
        response = response_section(system, load, capacity, precision=precision, jobs=jobs, rng=streams[0], clock=clock)
    if response.queue_grows:
        load = replace(load, stable=False)
    waiting = waiting_section(response) if load.stable else WaitingSection(notes=(_OVERLOADED,))
    with clock.section("policies on the same jobs", 0.65):
        compared = policy_section(system, load, policies, jobs=jobs, rng=streams[1], clock=clock)
    with clock.section("what changes would bring", 0.85):
        changes = _what_ifs(system, load, jobs, streams[2], clock)
    with clock.section("outlook", 1.0):
        outlook = outlook_section(system, load, capacity, jobs=jobs, rng=streams[3], clock=clock)
    return {
        "load": load,
        "response": response,
        "waiting": waiting,
        "policies": compared,
        "what_if": changes,
        "outlook": outlook,
    }


_OVERLOADED = "At this load the queue grows without bound, so waits have no distribution."


def _what_ifs(system: System, load: Load, jobs: int, rng: Rng, clock: Clock) -> WhatIfSection:
    rows, notes = [], []
    jobs = min(jobs, 400_000)
    remedies: tuple[Any, ...] = ()
    changes = possible_changes(system)
    for done, change in enumerate(changes):
        clock.tell(done / len(changes))
        if clock.up:
            notes.append(f"'{change.words}' and what follows are left out to keep the report within its time.")
            break
        try:
            rows.append(what_if(change, load.arrival_rate, jobs=jobs, rng=rng, watch=clock.watch))
        except MsjError as error:
            notes.append(f"{change.words}: {error.message}.")
        except KeyboardInterrupt:
            clock.interrupted()
    if not load.stable and not clock.up:
        try:
            remedies = what_makes_it_stable(system, load.arrival_rate, jobs=jobs, rng=rng, watch=clock.watch)
        except KeyboardInterrupt:
            clock.interrupted()
            notes.append("What would make it stable could not be found within the time.")
    return WhatIfSection(rows=tuple(rows), remedies=remedies, notes=tuple(notes))


def _unknown(notes: list[str]) -> dict[str, Any]:
    why = tuple(notes)
    return {
        "load": None,
        "response": ResponseSection(notes=why),
        "waiting": WaitingSection(notes=why),
        "policies": PolicySection(notes=why),
        "what_if": WhatIfSection(notes=why),
        "outlook": OutlookSection(notes=why),
    }


def spec_hash(system: System) -> str:
    """Return a hash of the system as a spec file describes it: the same cluster, the same hash."""
    text = json.dumps(system.to_spec(), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain_seed(root: np.random.SeedSequence) -> Any:
    entropy: Any = root.entropy
    return [int(word) for word in entropy] if isinstance(entropy, (list, tuple)) else int(entropy)
