"""Does a job that arrives have to wait? What is known of one cluster (zeroq, Theorems 4.1 and 4.2).

The sufficient condition for stability, the bounds of ``queueing_bounds`` and whether they say anything, and the
probability itself, exact where the chain is small enough and simulated.
"""

from __future__ import annotations

from collections.abc import Mapping

from msj.analysis.queueing_terms import COUPLING, upper_rows
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.closed_forms.queueing_bounds import QueueingBounds
from msj.errors import Failure
from msj.growth.queueing_bounds import offered, queueing_bounds
from msj.growth.waiting import EXACT_SECONDS, Waiting, effort_for, waiting_at
from msj.results import Missing, Outcome, Quantity, Result, Watch, provenance
from msj.results.coordinates import Place
from msj.workloads import Rng, seed_record


@question
def zero_queueing(
    system: SystemLike,
    *,
    simulation: bool = True,
    jobs: int | None = None,
    rng: Rng = None,
    seed: Rng = None,
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
        The exact probability is left out where its chain would take longer on a usual core.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=400, utilisation=0.8, classes=[
    ...     msj.JobClass(name="all", need=2, share=1, duration=msj.Exponential(mean=1))])
    >>> result = msj.zero_queueing(system, simulation=False)
    >>> [(row.name, round(row.value, 6)) for row in result if "waiting" in row.name]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('waiting_probability_bound', 1.08566), ('waiting_probability_sharper_bound', 0.151091),
     ('waiting_probability_sharpest_bound', 0.002948), ('waiting_probability_lower_bound', 0.00127),
     ('waiting_probability', 0.001377)]
    """
    system = as_system(system)
    root = root_of(rng, seed)
    recorded = seed_record(root)
    bounds = queueing_bounds(system)
    rate, _ = offered(system)
    effort = effort_for(exact_seconds, jobs, progress=progress)
    found = waiting_at(system, rate, bounds, effort, root, simulation=simulation)
    return Result(
        system=system.replace(arrival_rate=rate).to_spec(),
        quantities=waiting_rows(bounds, found),
        outcome=Outcome.UNSTABLE if found.stable is False else Outcome.SOLVED,
        provenance=provenance(jobs=found.jobs, seed=recorded),
        notes=(*_notes(bounds), *found.notes),
        missing=missing_bound(bounds),
    )


def missing_bound(bounds: QueueingBounds, at: Mapping[str, Place] = {}) -> tuple[Missing, ...]:
    """Return why there is no upper bound, where there is none."""
    if not bounds.why_no_bound:
        return ()
    name, reason = "waiting_probability_bound", bounds.why_no_bound
    return (Missing(name=name, failure=Failure.NOT_SUPPORTED, reason=reason, at=at),)


def waiting_rows(bounds: QueueingBounds, found: Waiting) -> tuple[Quantity, ...]:
    """Return bounds, exact and simulated probabilities of one cluster as rows."""
    return (*_bound_rows(bounds), *found.exact, *found.simulated)


def _bound_rows(bounds: QueueingBounds) -> list[Quantity]:
    proved = bounds.as_in_the_paper  # for exponential durations; true for all, by another argument
    rows = [
        Quantity(name="offered_utilisation", value=bounds.utilisation, kind="exact", method="definition"),
        Quantity(
            name="sufficient_utilisation",
            value=bounds.sufficient_utilisation,
            kind="bound",
            method="1 − m_max/n: stable below it" + ("" if proved else ", by the servers busy at saturation"),
            citation="zeroq, Theorem 4.1" if proved else "after zeroq, Theorem 4.1",
        ),
        Quantity(
            name="sharper_sufficient_utilisation",
            value=bounds.sharper_sufficient_utilisation,
            kind="bound",
            method="least busy servers when somebody waits, over n",
            citation="after zeroq, Theorem 4.1",
        ),
        *upper_rows(bounds, all_of_them=False),
        Quantity(
            name="waiting_probability_lower_bound",
            value=bounds.lower_bound,
            kind="bound",
            method=COUPLING,
            citation="Kaufman 1981",
        ),
    ]
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


def _notes(bounds: QueueingBounds) -> list[str]:
    notes = []
    for value, name in (
        (bounds.bound, "The bound of zeroq's Theorem 4.2"),
        (bounds.sharper_bound, "The sharper bound"),
        (bounds.sharpest_bound, "The sharpest bound"),
    ):
        if value is None:
            continue
        if value >= 1.0:
            notes.append(f"{name} is {value:.4g}, above 1: it says nothing here.")
        else:
            notes.append(f"{name} says that at most {100 * value:.3g} % of the jobs wait.")
    return notes
