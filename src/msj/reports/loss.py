"""The report of a loss system: jobs that do not fit are lost and none waits, so every load is stable.

What there is to say is the blocking probability, exactly where the product form applies (Kaufman 1981; Roberts 1981)
and by simulation elsewhere. Thresholds, waits and policies under which jobs wait have no place in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from msj.answers.response import exact_response
from msj.answers.simulated import simulated
from msj.effort import Effort
from msj.errors import InvalidInput, MsjError
from msj.model import System
from msj.reports.contents import (
    Finding,
    Load,
    OutlookSection,
    PolicySection,
    Report,
    ResponseSection,
    WaitingSection,
    WhatIfSection,
)
from msj.reports.policies import policy_name
from msj.reports.wording import percent, sentence, short
from msj.results import Outcome, Quantity
from msj.results.units import rate_words

STABLE = "Jobs that do not fit are lost and none waits, so every load is stable."


def loss_sections(system: System, effort: Effort, root: np.random.SeedSequence) -> dict[str, Any]:
    """Return the sections of the report of a loss system."""
    rate = system.arrival_rate_at(math.nan)
    if rate is None or math.isnan(rate):
        raise InvalidInput(
            f"policy '{system.policy.name}' has no stability threshold, and so no usual load; give arrival_rate or "
            "utilisation"
        )
    used = rate / system.naive_threshold
    load = Load(arrival_rate=rate, load=math.nan, utilisation=used, words="as given", stable=True)
    return {
        "load": load,
        "response": _response(system, rate, effort, root),
        "waiting": WaitingSection(notes=("No job waits: it starts when it arrives, or is lost.",)),
        "policies": PolicySection(notes=("Under other policies jobs wait, so their response times do not compare.",)),
        "what_if": WhatIfSection(notes=("msj analyse FILE --servers N gives the losses of other sizes.",)),
        "outlook": OutlookSection(),
    }


def _response(system: System, rate: float, effort: Effort, root: np.random.SeedSequence) -> ResponseSection:
    notes: list[str] = []
    here: tuple[Quantity, ...] = ()
    simulated_here: tuple[Quantity, ...] = ()
    try:
        exact = exact_response(system, rate, effort)
        here, notes = exact.rows, [*exact.notes]
    except MsjError as error:
        notes.append(f"No analysis at this load: {sentence(error)}")
    try:
        run = simulated(system.replace(arrival_rate=rate), effort, root)
        if run.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        simulated_here = run.quantities
        notes += [note for note in run.notes if note != run.provenance.get("no_controls")]
    except MsjError as error:
        notes.append(f"No simulation: {sentence(error)}")
    return ResponseSection(
        here=here, simulated_here=simulated_here, most_jobs=effort.jobs, notes=tuple(dict.fromkeys(notes))
    )


def loss_findings(report: Report) -> Iterator[Finding]:
    """Return the findings about a loss system: how many jobs are lost, of which class most, and the servers in use."""
    lost = report.response.find("loss_probability")
    assert report.load is not None
    if lost is None:
        return
    per = rate_words(report.time_unit)
    yield Finding(
        sentence=f"{percent(lost.value)} of the {short(report.load.arrival_rate)} {per} are lost under "
        f"{policy_name(report.cluster.policy)}: they do not fit when they arrive.",
        quantity=lost,
        section="response",
    )
    classes = [report.response.find("loss_probability", c.name) for c in report.cluster.active_classes]
    known = [row for row in classes if row is not None]
    if len(known) > 1:
        worst = max(known, key=lambda row: row.value)
        yield Finding(
            sentence=f"Class '{worst.job_class}' loses most: {percent(worst.value)} of its jobs.",
            quantity=worst,
            section="response",
        )
    used = report.response.find("utilisation")
    if used is not None:
        yield Finding(
            sentence=f"{percent(used.value)} of the servers are in use; without losses the jobs would use "
            f"{percent(report.load.utilisation)}.",
            quantity=used,
            section="response",
        )
