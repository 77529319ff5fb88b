"""The same jobs under several policies, and how they differ, as a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msj.answers.known import known_of
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.simulate import with_arrival_rate
from msj.answers.threshold import exceeded, quick_threshold
from msj.disciplines.applicable import chosen_policies, why_not_comparable
from msj.effort import Effort
from msj.results import Result, Watch
from msj.simulation import LEVELS, compare_at_rate
from msj.workloads import Rng


@question
def compare(
    system: SystemLike,
    policies: Iterable[Any],
    *,
    jobs: int | None = None,
    rng: Rng = None,
    seed: int | None = None,
    replications: int | None = None,
    workers: int = 1,
    processes: int | None = None,
    warm_up: float | None = None,
    levels: Sequence[float] = LEVELS,
    controls: bool = True,
    stability_threshold: float | None = None,
    effort: Effort | None = None,
    progress: Watch | None = None,
    dask: Any = None,
) -> Result:
    """Serve the same jobs by each policy.

    Rows stand at a ``policy``; the differences of the means from the first policy, ``mean_response_time_difference``
    and the like, at a ``policy`` and a ``baseline``. A policy that does not apply to the cluster is left out: a note
    and ``missing`` have the reason, and the next policy is the baseline if it was the first. If no policy applies,
    that is an error.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; a load is a share of the threshold under its own policy.
    policies
        Names, tables, policies or plain functions; the differences are from the first of them that applies.
    jobs, rng, seed, replications, workers, processes, warm_up, levels, controls, stability_threshold, effort, progress
        As for :func:`msj.simulate`.
    dask
        A Dask cluster, as for :func:`msj.simulate`.

    Examples
    --------
    >>> import msj
    >>> found = msj.compare("examples/two_servers.toml", ["fcfs", "first-fit"], jobs=100_000, seed=1)
    >>> found.at(policy="first-fit")["mean_response_time"] < found.at(policy="fcfs")["mean_response_time"]
    True
    >>> row = found.at(baseline="fcfs").row("mean_response_time_difference")
    >>> row.at["policy"], row.high < 0
    ('first-fit', True)
    """
    own, chosen = as_system(system), list(chosen_policies(policies).values())
    if stability_threshold is None:
        stability_threshold = quick_threshold(own)
    served = with_arrival_rate(own, stability_threshold)
    known = {}
    for index, policy in enumerate(chosen):
        if why_not_comparable(served, policy) is not None:
            continue
        one = served.replace(policy=policy)
        same = one.policy == own.policy and stability_threshold is not None
        found = stability_threshold if same else quick_threshold(one)
        known[index] = known_of(one, exceeded(one) if found is None else found)
    return compare_at_rate(
        served,
        chosen,
        root=root_of(rng, seed),
        effort=effort,
        known=known,
        jobs=jobs,
        replications=replications,
        workers=workers,
        processes=processes,
        warm_up=warm_up,
        levels=levels,
        controls=controls,
        progress=progress,
        dask=dask,
    )
