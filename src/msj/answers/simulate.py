"""Simulate a system until enough is known about it.

Simulation and analysis do not import each other. A ``load`` is a share of the threshold under the system's own policy,
which the analysis knows; the simulation wants an arrival rate. The two meet here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from msj.answers.known import known_of
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.saturated import solve_saturated
from msj.answers.threshold import exceeded, quick_threshold, turns_away
from msj.effort import Effort
from msj.errors import NotSupported, TooLarge
from msj.model import System
from msj.results import Result, Watch
from msj.simulation import LEVELS, simulate_at_rate
from msj.workloads import Rng

NO_NOISE = 1e-6  # relative width of an interval that only rounding errors have


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
    controls: bool = True,
    stability_threshold: float | None = None,
    effort: Effort | None = None,
    progress: Watch | None = None,
    jobs_file: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    dask: Any = None,
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
    controls
        Whether what exactly solved single servers find on the same jobs is used to take off noise.
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
    dask
        A Dask cluster whose workers run the replications: the address of its scheduler, or a ``distributed.Client``.
        The answer does not depend on it.

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
    if stability_threshold is None:
        stability_threshold = exceeded(served)
    found = simulate_at_rate(
        served,
        root=root_of(rng, seed),
        effort=effort,
        known=known_of(served, stability_threshold),
        jobs=jobs,
        time=time,
        precision=precision,
        replications=replications,
        workers=workers,
        processes=processes,
        warm_up=warm_up,
        levels=levels,
        controls=controls,
        progress=progress,
        jobs_file=jobs_file,
        checkpoint=checkpoint,
        any_seed=rng is None and seed is None,
        dask=dask,
    )
    return replace(found, notes=(*found.notes, *_known_already(found))) if controls else found


def _known_already(found: Result) -> Iterator[str]:
    """Say so where a control variate is the cluster itself, so that its exact mean is what is shown."""
    row = found.find("mean_response_time")
    if row is not None and row.interval is not None and row.interval[1] - row.interval[0] < NO_NOISE * row.value:
        yield (
            "The control variate is the cluster itself: its mean response and waiting times above are the exact ones "
            "(Pollaczek-Khinchine), not estimates. --no-controls estimates them, msj analyse gives them as exact."
        )


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
    if turns_away(system):
        raise NotSupported(
            f"load = {float(system.load):g} is a share of the stability threshold, and policy "
            f"'{system.policy.name}' turns jobs away and has none; give utilisation or arrival_rate instead"
        )
    if stability_threshold is None:
        try:
            stability_threshold = solve_saturated(system, completions=False)[0].stability_threshold
        except (NotSupported, TooLarge) as error:
            raise NotSupported(
                f"load = {float(system.load):g} is a share of the stability threshold, which is not known here "
                f"({error}); give utilisation or arrival_rate instead"
            ) from None
    return system.replace(arrival_rate=system.arrival_rate_at(stability_threshold))
