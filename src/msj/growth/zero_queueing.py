"""Does a job that arrives have to wait? What is known of one cluster (zeroq, Theorems 4.1 and 4.2).

The sufficient condition for stability, the bounds of ``queueing_bounds`` and whether they say anything, and the
probability itself, exact where the chain is small enough and simulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msj.analysis.saturated import WORTH_THE_WAIT, Method, solve_saturated
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.closed_forms.queueing_bounds import QueueingBounds
from msj.errors import Failure, MsjError
from msj.fronts.fcfs_counts import number_of_states
from msj.growth.queueing_bounds import offered, queueing_bounds
from msj.growth.queueing_probability import (
    EXACT_SECONDS,
    QueueingProbability,
    exact_probability,
    simulated_probability,
)
from msj.growth.waste_limit import limiting_waste
from msj.model import System
from msj.results import Kind, Missing, Outcome, Quantity, Result, Watch, provenance
from msj.results.coordinates import Place
from msj.workloads import Rng, seed_record

IN_A_MOMENT = 5_000  # states of a chain that is solved although the sufficient condition already decides
COUPLING = "comparison with infinitely many servers"


@question
def zero_queueing(
    system: SystemLike,
    *,
    simulation: bool = True,
    jobs: int | None = None,
    rng: Rng = None,
    seed: int | None = None,
    exact_seconds: float = EXACT_SECONDS,
    progress: Watch | None = None,
) -> Result:
    """Return what is known of the probability that an arriving job waits.

    Parameters
    ----------
    system
        A cluster under FCFS with a load, or the file that describes it.
    simulation
        Whether to simulate it; ``jobs`` (all replications), ``rng``, ``seed`` and ``progress`` as in
        :func:`msj.simulate`.
    exact_seconds
        The exact probability is left out where its chain is estimated to take longer.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=400, utilisation=0.8, classes=[
    ...     msj.JobClass(name="all", need=2, share=1, duration=msj.Exponential(mean=1))])
    >>> result = msj.zero_queueing(system, simulation=False)
    >>> [(row.name, round(row.value, 6)) for row in result if "waiting" in row.name]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('waiting_probability_bound', 1.08566), ('waiting_probability_sharper_bound', 0.151091),
     ('waiting_probability_lower_bound', 0.00127), ('waiting_probability', 0.001377)]
    """
    system = as_system(system)
    root = root_of(rng, seed)
    recorded = seed_record(root)
    bounds = queueing_bounds(system)
    rate, _ = offered(system)
    system = system.replace(arrival_rate=rate)
    exact = exact_probability(system, most_seconds=exact_seconds)
    found = stability_of(system, bounds, rate)
    simulation = simulation and found.stable is not False  # of a queue that grows there is nothing to estimate
    simulated = None
    if simulation:
        simulated = simulated_probability(
            system, rate, threshold=found.threshold, jobs=jobs, rng=root, progress=progress
        )
    stable, notes = found.stable, [*_notes(bounds), *found.notes]
    if simulation and simulated is None:
        stable = False
        notes.append("The simulated queue keeps growing.")
    if simulated is not None and simulated.note:
        notes.append(f"{simulated.note}.")
    return Result(
        system=system.to_spec(),
        quantities=waiting_rows(bounds, exact, simulated),
        outcome=Outcome.UNSTABLE if stable is False else Outcome.SOLVED,
        provenance=provenance(jobs=simulated.jobs if simulated else 0, seed=recorded),
        notes=tuple(notes),
        missing=missing_bound(bounds),
    )


def missing_bound(bounds: QueueingBounds, at: Mapping[str, Place] = {}) -> tuple[Missing, ...]:
    """Return why there is no upper bound, where there is none."""
    if not bounds.why_no_bound:
        return ()
    name, reason = "waiting_probability_bound", bounds.why_no_bound
    return (Missing(name=name, failure=Failure.NOT_SUPPORTED, reason=reason, at=at),)


def waiting_rows(
    bounds: QueueingBounds, exact: QueueingProbability | None, simulated: QueueingProbability | None
) -> tuple[Quantity, ...]:
    """Return bounds, exact and simulated probabilities of one cluster as rows."""
    rows = _bound_rows(bounds)
    if exact is not None:
        rows += _probability_rows(exact, "exact", "QBD", "reset, section 3.1")
    if simulated is not None:
        rows += _probability_rows(simulated, "simulated", f"simulation, {simulated.jobs:,} jobs", "")
    return tuple(rows)


def _bound_rows(bounds: QueueingBounds) -> list[Quantity]:
    rows = [
        Quantity(name="offered_utilisation", value=bounds.utilisation, kind="exact", method="definition"),
        Quantity(
            name="sufficient_utilisation",
            value=bounds.sufficient_utilisation,
            kind="bound",
            method="1 − m_max/n: stable below it",
            citation="zeroq, Theorem 4.1",
        ),
    ]
    for name, value, method, citation in (
        ("waiting_probability_bound", bounds.bound, f"drift, K = {bounds.kinds}", "zeroq, Theorem 4.2"),
        ("waiting_probability_sharper_bound", bounds.sharper_bound, f"drift, {COUPLING}", "zeroq, equation (13)"),
        ("waiting_probability_lower_bound", bounds.lower_bound, COUPLING, "Kaufman 1981"),
    ):
        if value is not None:
            rows.append(Quantity(name=name, value=value, kind="bound", method=method, citation=citation))
    if len(bounds.lower_bound_by_class) > 1:
        rows += [
            Quantity(
                name="waiting_probability_lower_bound",
                value=value,
                kind="bound",
                method=COUPLING,
                citation="Kaufman 1981",
                job_class=name,
            )
            for name, value in bounds.lower_bound_by_class.items()
        ]
    return rows


def _probability_rows(found: QueueingProbability, kind: Kind, method: str, citation: str) -> list[Quantity]:
    # Exact and simulated stand side by side, so they cannot share a name.
    name = "waiting_probability" if kind == "exact" else "simulated_waiting_probability"
    by_class = found.by_class if len(found.by_class) > 1 else {}
    return [
        Quantity(
            name=name,
            value=estimate.value,
            kind=kind,
            method=method,
            citation=citation,
            job_class=job_class,
            low=None if kind == "exact" else estimate.low,
            high=None if kind == "exact" else estimate.high,
        )
        for job_class, estimate in [(None, found.overall), *by_class.items()]
    ]


def _notes(bounds: QueueingBounds) -> list[str]:
    notes = []
    for value, name in (
        (bounds.bound, "The bound of zeroq's Theorem 4.2"),
        (bounds.sharper_bound, "The sharper bound"),
    ):
        if value is None:
            continue
        if value >= 1.0:
            notes.append(f"{name} is {value:.4g}, above 1: it says nothing here.")
        else:
            notes.append(f"{name} says that at most {100 * value:.3g} % of the jobs wait.")
    return notes


@dataclass(frozen=True, kw_only=True)
class Stability:
    """Whether a cluster is stable, None where nobody knows; its threshold, known or about right; sentences."""

    stable: bool | None
    threshold: float
    notes: tuple[str, ...] = ()


def stability_of(system: System, bounds: QueueingBounds, rate: float) -> Stability:
    """Say whether the cluster is stable, by the sufficient condition or, where that fails, by its threshold.

    Where the threshold takes too long, that of the waste of large clusters stands in for it (``waste_limit``): good
    enough to choose the length of a simulation, not to decide anything.
    """
    try:
        most = IN_A_MOMENT if bounds.surely_stable else WORTH_THE_WAIT
        method: Method = "auto" if number_of_states(system) <= most else "closed-form"
        threshold = solve_saturated(system, method)[0].stability_threshold
    except MsjError as error:
        about = (system.servers - limiting_waste(system)) / system.mean_work
        about = about if about > rate else system.naive_threshold
        if bounds.surely_stable:
            return Stability(stable=True, threshold=about)
        said = f"is below 1 but not below {bounds.sufficient_utilisation:.6g}"
        unknown = f"whether the cluster is stable is not known here ({error.message})"
        return Stability(
            stable=None, threshold=about, notes=(f"Utilisation {bounds.utilisation:.6g} {said}: {unknown}.",)
        )
    if bounds.surely_stable:
        return Stability(stable=True, threshold=threshold)
    stable = rate < threshold
    known = f"lambda* = {threshold:.6g}, and with lambda = {rate:.6g} the cluster is {'' if stable else 'un'}stable"
    words = f"The sufficient condition fails, but the threshold is known: {known}."
    return Stability(stable=stable, threshold=threshold, notes=(words,))
