"""Simulate a system until enough is known about it.

Simulation and analysis do not import each other. A ``load`` is a share of the threshold under the system's own policy,
which the analysis knows; the simulation wants an arrival rate. The two meet here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msj.analysis.finite_skip_chain import FiniteSkipChain
from msj.analysis.saturated import saturated_analyses, solve_saturated
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.disciplines import Policy
from msj.disciplines.base import Fills
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Effort
from msj.errors import MsjError, NotSupported, TooLarge
from msj.fronts.fcfs_counts import number_of_states
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.results import Result, Watch
from msj.simulation import LEVELS, Known, simulate_at_rate
from msj.workloads import Rng

QUICK = 20_000  # states times classes of a chain that is solved unasked: a fraction of a second


@question
def simulate(
    system: SystemLike,
    *,
    policy: Any = None,
    jobs: int | None = None,
    time: float | None = None,
    precision: float | None = None,
    rng: Rng = None,
    seed: int | None = None,
    replications: int | None = None,
    workers: int = 1,
    processes: int | None = None,
    warm_up: float | None = None,
    levels: Sequence[float] = LEVELS,
    stability_threshold: float | None = None,
    effort: Effort | None = None,
    progress: Watch | None = None,
    jobs_file: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Result:
    """Return estimates with 95 % intervals of how long jobs stay and what servers do.

    A run that is too short for intervals says so (outcome ``too-short``), with the number of jobs that would do; a
    load that is known to be too much is not simulated (``unstable``). See ``docs/simulation.md``.

    Parameters
    ----------
    system
        The cluster, or the file that describes it.
    policy
        Replaces the system's policy: a name, a table, a policy, a plain function that decides, or
        ``"file.py:function"``. A load is still a share of the threshold under the system's own policy.
    jobs, time
        How many jobs to simulate, or for how long (as many jobs as arrive in that time on average), all
        replications together. With ``precision`` it is the most. A million jobs if nothing is said.
    precision
        Stop when the half-width of the mean response time's interval is at most this share of it.
    rng, seed
        Either: a seed, ``SeedSequence``, ``Generator``, or None for a fresh seed (recorded in the provenance).
    replications
        Independent runs; chosen by the cluster's memory if nothing is said.
    workers, processes
        Two names for one thing: how many replications run side by side; the answer does not depend on it.
    warm_up
        Share of each replication that is left out at its beginning; chosen by the cluster's memory if nothing is said.
    levels
        Percentiles to give.
    stability_threshold
        Of the system's own policy, where that is known from elsewhere.
    effort
        Limits and a deadline, where they are kept together.
    progress
        Told after every piece of the run, and before something takes unusually long.
    jobs_file
        Write every job to this file, the warm-up and those that followed too: ``.csv``, or else Parquet.
    checkpoint
        Keep the run's state in this file; if it exists, the run is continued from there, bit for bit. More jobs may be
        asked for than before.

    Examples
    --------
    >>> import msj
    >>> result = msj.simulate("examples/two_servers.toml", jobs=200_000, seed=1)
    >>> row = result.row("mean_response_time")
    >>> result.outcome.label, row.low < 7.517772 < row.high
    ('job-limit-reached', True)
    """
    own = as_system(system)
    if stability_threshold is None:
        stability_threshold = quick_threshold(own)
    served = with_arrival_rate(own, stability_threshold)
    if policy is not None:
        served = served.replace(policy=policy)
        if served.policy != own.policy:
            stability_threshold = quick_threshold(served)
    elif own.load is not None and stability_threshold is None:
        stability_threshold = float(served.arrival_rate) / float(own.load)  # type: ignore[arg-type]
    return simulate_at_rate(
        served,
        root=root_of(rng, seed),
        effort=effort,
        known=Known(stability_threshold=stability_threshold),
        jobs=jobs,
        time=time,
        precision=precision,
        replications=replications,
        workers=workers,
        processes=processes,
        warm_up=warm_up,
        levels=levels,
        progress=progress,
        jobs_file=jobs_file,
        checkpoint=checkpoint,
        any_seed=rng is None and seed is None,
    )


def quick_threshold(system: System) -> float | None:
    """Return the stability threshold if it is known in a fraction of a second, else None.

    Examples
    --------
    >>> import msj
    >>> round(quick_threshold(msj.read("examples/two_servers.toml")), 12)
    0.9
    """
    return _quick_threshold(system.replace(load=None, arrival_rate=None, utilisation=None, name=""))


@lru_cache(maxsize=64)
def _quick_threshold(system: System) -> float | None:
    try:
        closed = next((a for a in saturated_analyses() if a.closed_form and a.supports(system) is None), None)
        if closed is not None:
            return float(closed.saturate(system).stability_threshold)
        if fills(system):
            return float(system.naive_threshold)
        return float(solve_saturated(system)[0].stability_threshold) if _solved_quickly(system) else None
    except MsjError:
        return None


def fills(system: System) -> bool:
    """Return whether no server ever idles while jobs wait: then the naive threshold is the threshold."""
    policy = system.policy
    if system.model is not None or not isinstance(policy, Policy) or policy.supports(system) is not None:
        return False
    needs = {c.need for c in system.active_classes}
    found = policy.fills_on(system.servers, min(needs))
    if found is Fills.EQUAL_NEEDS:
        return len(needs) == 1 and system.servers % min(needs) == 0
    return found in (Fills.ALWAYS, Fills.SHARED) and policy.oldest_served(system.servers, min(needs)) is not None


def _solved_quickly(system: System) -> bool:
    if system.model is not None or why_not_phase_type(system) is not None:
        return False
    size = number_of_states(system) * len(system.active_classes)
    if is_fcfs(system):
        return size <= QUICK
    front = system.policy.front_on(system.servers) if isinstance(system.policy, Policy) else None
    if front is None or FiniteSkipChain().supports(system) is not None:
        return False
    return size * float(len(system.active_classes)) ** front <= QUICK


def with_arrival_rate(system: System, stability_threshold: float | None = None) -> System:
    """Replace a load by the arrival rate it stands for under the system's own policy.

    Examples
    --------
    >>> import msj
    >>> round(with_arrival_rate(msj.read("examples/two_servers.toml")).arrival_rate, 12)
    0.72
    """
    if system.load is None:
        return system
    if stability_threshold is None:
        try:
            stability_threshold = solve_saturated(system)[0].stability_threshold
        except (NotSupported, TooLarge) as error:
            raise NotSupported(
                f"load = {float(system.load):g} is a share of the stability threshold, which is not known here "
                f"({error}); give utilisation or arrival_rate instead"
            ) from None
    return system.replace(arrival_rate=system.arrival_rate_at(stability_threshold))
