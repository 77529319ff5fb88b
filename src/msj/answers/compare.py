"""The same jobs under several policies, and how they differ, as a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.simulate import with_arrival_rate
from msj.results import Result, Watch
from msj.simulation import WARM_UP, compare_at_rate
from msj.workloads import Rng


@question
def compare(
    system: SystemLike,
    policies: Iterable[Any],
    *,
    jobs: int | None = None,
    rng: Rng = None,
    seed: int | None = None,
    replications: int = 20,
    processes: int = 1,
    warm_up: float = WARM_UP,
    stability_threshold: float | None = None,
    progress: Watch | None = None,
) -> Result:
    """Serve the same jobs by each policy.

    Rows stand at a ``policy``; the differences of the means from the first policy, ``mean_response_time_difference``
    and the like, at a ``policy`` and a ``baseline``.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; a load is a share of the threshold under its own policy.
    policies
        Names, tables, policies or plain functions; the differences are from the first of them.
    jobs, rng, seed, replications, processes, warm_up, stability_threshold, progress
        As for :func:`msj.simulate`.

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
    return compare_at_rate(
        with_arrival_rate(as_system(system), stability_threshold),
        list(policies),
        root=root_of(rng, seed),
        jobs=jobs,
        replications=replications,
        processes=processes,
        warm_up=warm_up,
        progress=progress,
    )
