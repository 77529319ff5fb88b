"""Whether one cluster is stable and how likely an arriving job is to wait: exact and simulated, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msj.analysis.chain_cost import OPERATIONS_A_SECOND
from msj.answers.response import exact_response
from msj.answers.simulated import simulated
from msj.answers.threshold import exact_threshold
from msj.closed_forms.queueing_bounds import QueueingBounds
from msj.effort import Effort
from msj.errors import MsjError
from msj.model import System
from msj.results import Outcome, Quantity

EXACT_SECONDS = 5.0  # of a usual core: an exact probability that would take longer is left out
IN_A_MOMENT = 5e8  # operations of a chain that is solved although the sufficient condition already decides


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """P(wait), for all jobs and by class: exact rows, simulated rows (none where there are none), and sentences."""

    exact: tuple[Quantity, ...] = ()
    simulated: tuple[Quantity, ...] = ()
    stable: bool | None = None  # None where nobody knows
    jobs: int = 0
    notes: tuple[str, ...] = ()


def effort_for(exact_seconds: float, jobs: int | None, **more: object) -> Effort:
    """Return the effort that people name in seconds: of a usual core, so that all machines choose alike."""
    return Effort(operations=exact_seconds * OPERATIONS_A_SECOND, jobs=jobs).replace(**more)


def waiting_at(
    system: System,
    rate: float,
    bounds: QueueingBounds,
    effort: Effort,
    root: np.random.SeedSequence,
    *,
    simulation: bool = True,
) -> Waiting:
    """Return what is known of one cluster at an arrival rate."""
    system = system.replace(arrival_rate=rate)
    stability = stability_of(system, bounds, rate)
    stable, notes, jobs = stability.stable, list(stability.notes), 0
    exact: tuple[Quantity, ...] = ()
    found: tuple[Quantity, ...] = ()
    if stable is not False:
        try:
            exact = exact_response(system, rate, effort, percentiles=False).rows
        except MsjError:  # no exact probability: there are bounds, and the simulation
            exact = ()
    if simulation and stable is not False:  # of a queue that grows there is nothing to estimate
        run = simulated(system, effort, root, threshold=stability.threshold)
        if run.outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        jobs, found, notes = run.provenance["jobs"], run.quantities, [*notes, *run.notes]
        if run.outcome is Outcome.UNSTABLE:
            stable, found = False, ()
            notes.append("The simulated queue keeps growing.")
    return Waiting(
        exact=_probabilities(exact, "waiting_probability"),
        simulated=_probabilities(found, "simulated_waiting_probability"),
        stable=stable,
        jobs=jobs,
        notes=tuple(notes),
    )


def _probabilities(rows: tuple[Quantity, ...], name: str) -> tuple[Quantity, ...]:
    """Exact and simulated stand side by side, so they cannot share a name; one class alone is all jobs."""
    chosen = [row.replace(name=name) for row in rows if row.name == "waiting_probability"]
    classes = {row.job_class for row in chosen if row.job_class is not None}
    return tuple(row for row in chosen if row.job_class is None or len(classes) > 1)


@dataclass(frozen=True, kw_only=True)
class Stability:
    """Whether a cluster is stable, None where nobody knows; its threshold where it is known; sentences."""

    stable: bool | None
    threshold: float | None = None
    notes: tuple[str, ...] = ()


def stability_of(system: System, bounds: QueueingBounds, rate: float) -> Stability:
    """Say whether the cluster is stable, by the sufficient condition or, where that fails, by its threshold."""
    effort = Effort(operations=IN_A_MOMENT if bounds.surely_stable else Effort.operations)
    try:
        threshold = exact_threshold(system, effort, completions=False).value
    except MsjError as error:
        if bounds.surely_stable:
            return Stability(stable=True)
        said = f"is below 1 but not below {bounds.sharper_sufficient_utilisation:.6g}"
        unknown = f"whether the cluster is stable is not known here ({error.message})"
        return Stability(stable=None, notes=(f"Utilisation {bounds.utilisation:.6g} {said}: {unknown}.",))
    if bounds.surely_stable:
        return Stability(stable=True, threshold=threshold)
    stable = rate < threshold
    known = f"lambda* = {threshold:.6g}, and with lambda = {rate:.6g} the cluster is {'' if stable else 'un'}stable"
    words = f"The sufficient condition fails, but the threshold is known: {known}."
    return Stability(stable=stable, threshold=threshold, notes=(words,))
