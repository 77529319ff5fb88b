"""Simulate a system until enough is known about it."""

from __future__ import annotations

import math
import os
import time as clock
from collections.abc import Callable, Iterator
from importlib.metadata import version
from types import FunctionType
from typing import Any

import numpy as np

from msj.errors import InvalidInput, TooLarge
from msj.model import System
from msj.model.numbers import positive, whole
from msj.policies import Policy
from msj.policies.own_function import OwnFunction
from msj.results import Outcome, Quantity, Result, provenance
from msj.simulation.checkpoint import continued, save
from msj.simulation.choose import kernel_for
from msj.simulation.estimates import WARM_UP, quantities_of
from msj.simulation.jobs_file import JobsFile
from msj.simulation.kernels.compiling import compiled_before
from msj.simulation.replication import Replication
from msj.simulation.run import PIECES, Progress, Run
from msj.simulation.sketch import RELATIVE_ERROR, first_bin
from msj.simulation.tally import Counter
from msj.workloads import PoissonJobs, Rng, Streams, seed_sequence

JOBS = 1_000_000
MOST_JOBS = 1_000_000_000
MOST_SERVERS = 1_000_000_000  # FCFS keeps an entry for each
SURELY = 1.5  # half-widths of a 95 % interval: about three standard errors
FIRST_LOOK = 200_000  # jobs after which a run with a precision to reach is first looked at


def simulate(
    system: System,
    *,
    policy: Any = None,
    jobs: int | None = None,
    time: float | None = None,
    precision: float | None = None,
    rng: Rng = None,
    replications: int = 20,
    processes: int = 1,
    warm_up: float = WARM_UP,
    stability_threshold: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    jobs_file: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    message: Callable[[str], None] | None = None,
) -> Result:
    """Return estimates with 95 % intervals of how long jobs stay and what servers do.

    Parameters
    ----------
    system
        The cluster, with an arrival rate or a utilisation; a ``load`` needs ``stability_threshold``.
    policy
        Replaces the system's policy: a name, a table, a policy, or a plain function that decides.
    jobs, time
        How many jobs to simulate, or for how long (as many jobs as arrive in that time on average), all
        replications together; rounded up to 20 equal pieces of each replication. With ``precision`` it is the
        most. A million jobs if nothing is said.
    precision
        Stop when the half-width of the mean response time's interval is at most this share of it.
    rng
        Seed, ``SeedSequence``, ``Generator``, or None for a fresh seed (recorded in the provenance).
    replications
        Independent runs; from ten on they are the batches of the intervals, below that their pieces are.
    processes
        Run replications side by side; the answer does not depend on it.
    warm_up
        Share of each replication that is left out at its beginning.
    progress
        Called with a :class:`Progress` after every piece of the run.
    jobs_file
        Write every job to this Parquet file, the warm-up too.
    checkpoint
        Keep the run's state in this file; if it exists, the run is continued from there, bit for bit.
    message
        Called with a sentence before something takes unusually long (compiling, once after installation).

    Examples
    --------
    >>> import msj
    >>> from msj.simulation import simulate
    >>> system = msj.System(servers=1, arrival_rate=0.5, classes=[
    ...     msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))])
    >>> result = simulate(system, jobs=200_000, rng=1)
    >>> row = result.quantities[0]
    >>> row.name, row.low < 2 < row.high
    ('mean_response_time', True)
    """
    started = clock.perf_counter()
    if policy is not None:
        system = system.replace(policy=policy_of(policy))
    rate = arrival_rate_of(system, stability_threshold)
    run = new_run(system, rate, seed_sequence(rng), jobs, time, precision, replications, warm_up)
    if checkpoint is not None:
        run = continued(run, checkpoint, any_seed=rng is None)
    if whole(processes, "processes") > 1 and jobs_file is not None:
        raise InvalidInput(f"processes = {processes} with jobs_file; jobs are written by one process only")
    warn_of_compiling(run, message)
    with JobsFile(jobs_file) as file:
        outcome = run.advance(
            processes=processes,
            watch=progress,
            keep=None if jobs_file is None else file.write,
            save=None if checkpoint is None else lambda state: save(state, checkpoint),
        )
    return result_of(system, rate, run, outcome, clock.perf_counter() - started)


def arrival_rate_of(system: System, stability_threshold: float | None) -> float:
    """Return lambda, or say what is missing."""
    if system.load is not None and stability_threshold is None:
        raise InvalidInput(
            "load is a share of the stability threshold, which a simulation does not know; "
            "give stability_threshold=, or arrival_rate or utilisation instead of load"
        )
    rate = system.arrival_rate_at(math.nan if stability_threshold is None else stability_threshold)
    if rate is None:
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    return rate


def warn_of_compiling(run: Run, message: Callable[[str], None] | None) -> None:
    """Say so if the run's kernel has never been compiled here."""
    kernel = run.replications[0].kernel
    if message is not None and not compiled_before(type(kernel).__module__):
        message("compiling the simulation for this policy: some seconds, once after installation")


def policy_of(policy: Any) -> Any:
    """Return a policy object for a plain function or ``file.py:function``; leave the rest to the system."""
    if isinstance(policy, str) and ".py:" in policy:
        return OwnFunction.from_file(policy)
    return OwnFunction(function=policy) if isinstance(policy, FunctionType) else policy


def new_run(
    system: System,
    rate: float,
    root: np.random.SeedSequence,
    jobs: int | None,
    time: float | None,
    precision: float | None,
    replications: int,
    warm_up: float,
) -> Run:
    """Check what is asked and make the run, not yet begun."""
    if system.servers > MOST_SERVERS:
        raise TooLarge(
            f"{system.servers:.3g} servers are more than a simulation keeps track of (at most {MOST_SERVERS:,}); "
            "use fewer, or a closed form (msj analyse)"
        )
    replications = whole(replications, "replications")
    if jobs is not None and time is not None:
        raise InvalidInput("jobs and time are both given; say how long to simulate in one way only")
    if time is not None:
        jobs = max(round(float(positive(time, "time")) * rate), 1)
    if precision is not None:
        precision = float(positive(precision, "precision"))
    if not 0 <= warm_up < 1:
        raise InvalidInput(f"warm_up = {warm_up} must be at least 0 and below 1; give the share to leave out")
    most = whole(jobs, "jobs") if jobs is not None else MOST_JOBS if precision is not None else JOBS
    first = most if precision is None else min(FIRST_LOOK, most)
    return Run(
        asked={
            "system": system.to_spec(),
            "arrival_rate": rate,
            "seed": _plain_seed(root),
            "jobs": most,
            "precision": precision,
            "replications": replications,
            "warm_up": warm_up,
        },
        replications=[new_replication(system, rate, Streams(root=root, replication=i)) for i in range(replications)],
        piece=math.ceil(first / (replications * PIECES)),
        most_jobs=most,
        precision=precision,
        warm_up=warm_up,
    )


def new_replication(system: System, rate: float, streams: Streams) -> Replication:
    """Make one replication from its streams."""
    if not isinstance(system.policy, Policy):
        raise InvalidInput(f"policy {system.policy!r} cannot be simulated; give a name such as 'fcfs'")
    typical = min(float(c.duration.mean) for c in system.active_classes)
    return Replication(
        source=PoissonJobs(system, arrival_rate=rate, streams=streams),
        kernel=kernel_for(system, system.policy, streams),
        counter=Counter(classes=len(system.classes), lowest=first_bin(typical)),
    )


def result_of(system: System, rate: float, run: Run, outcome: Outcome, seconds: float) -> Result:
    """Return what a run says as rows."""
    citation = system.policy.citation if isinstance(system.policy, Policy) else ""
    count = len(run.replications)
    method = f"simulation of {system.policy.name}, {run.done:,} jobs in {count} replication{'s' if count > 1 else ''}"
    rows = [
        Quantity(name="arrival_rate", value=rate, kind="exact", method="as given"),
        Quantity(name="offered_utilisation", value=rate / system.naive_threshold, kind="exact", method="as given"),
    ]
    notes: tuple[str, ...] = ()
    if outcome is Outcome.UNSTABLE:
        # Means over a growing queue say nothing: only the growth does.
        rows.append(Quantity(name="queue_growth_rate", value=run.growth or 0.0, kind="simulated", method=method))
        notes = (f"the number of jobs grows by about {run.growth:.4g} per unit of time; no mean is meaningful",)
    elif run.batches:
        measured = quantities_of(system, run.batches, method, citation)
        notes = tuple(left_behind(system, measured, rate / system.naive_threshold, run))
        rows = measured + rows
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=outcome,
        provenance=provenance(
            numba=version("numba"),
            seed=run.asked["seed"],
            jobs=run.done,
            replications=count,
            warm_up=run.warm_up,
            percentile_error=RELATIVE_ERROR,
            seconds=round(seconds, 6),
            jobs_per_second=round(run.done / seconds),
        ),
        notes=notes,
    )


def left_behind(system: System, measured: list[Quantity], offered: float, run: Run) -> Iterator[str]:
    """Say what the rows cannot: means over jobs that are through leave out those that are not.

    A policy may starve a class for longer than a run lasts. Then less work is done than arrives, or jobs of a class
    arrive and none is through.
    """
    through = {row.job_class for row in measured if row.name == "mean_response_time"}
    expected = run.done * (1.0 - run.warm_up)
    if len(system.classes) > 1:
        for c in system.active_classes:
            if c.name not in through and expected * float(c.share) >= 10:
                yield (
                    f"About {expected * float(c.share):,.0f} jobs of class '{c.name}' arrived in what was measured "
                    "and none was through: they may wait for ever. The means leave them out; simulate more jobs."
                )
    done = next(row for row in measured if row.name == "utilisation")
    if done.high is not None and done.value + SURELY * (done.high - done.value) < 0.995 * offered:
        yield (
            f"The servers did {done.value:.4g} ({done.low:.4g} to {done.high:.4g}) of what they can while the jobs "
            f"brought {offered:.4g}: jobs were left behind, and the means leave out those that wait longest. Simulate "
            "more jobs: the queue may keep growing."
        )


def _plain_seed(root: np.random.SeedSequence) -> Any:
    entropy: Any = root.entropy
    plain = [int(word) for word in entropy] if isinstance(entropy, (list, tuple)) else int(entropy)
    return plain if not root.spawn_key else {"entropy": plain, "spawn_key": list(root.spawn_key)}
