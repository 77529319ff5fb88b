"""Simulate a system until enough is known about it."""

from __future__ import annotations

import math
import os
import time as clock
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from msj.disciplines import Policy
from msj.disciplines.own_function import OwnFunction
from msj.engines.compiling import compiled_before
from msj.errors import InvalidInput, TooLarge
from msj.model import System
from msj.model.numbers import positive, whole
from msj.results import Outcome, Progress, Quantity, Result, Watch, provenance
from msj.simulation.checkpoint import continued, save
from msj.simulation.engine_of import engine_of
from msj.simulation.estimates import WARM_UP, quantities_of
from msj.simulation.jobs_file import JobsFile
from msj.simulation.replication import Replication
from msj.simulation.run import PIECES, Run
from msj.simulation.sketch import RELATIVE_ERROR, first_bin
from msj.simulation.tally import Counter
from msj.store import code_identity
from msj.workloads import PoissonJobs, Streams, seed_record

JOBS = 1_000_000
MOST_JOBS = 1_000_000_000
MOST_SERVERS = 1_000_000_000  # FCFS keeps an entry for each
SURELY = 1.5  # half-widths of a 95 % interval: about three standard errors
# The rooms a run's numbers come from.
COMPUTES = ("disciplines", "engines", "fronts", "model", "simulation", "workloads")
FIRST_LOOK = 200_000  # jobs after which a run with a precision to reach is first looked at


def simulate_at_rate(
    system: System,
    *,
    root: np.random.SeedSequence,
    jobs: int | None = None,
    time: float | None = None,
    precision: float | None = None,
    replications: int = 20,
    processes: int = 1,
    warm_up: float = WARM_UP,
    progress: Watch | None = None,
    jobs_file: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    any_seed: bool = False,
    over: Callable[[], bool] | None = None,
) -> Result:
    """Return estimates with 95 % intervals for a system that says how much arrives; the options of ``msj.simulate``.

    ``any_seed`` lets a checkpoint be continued whatever its seed.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=1, arrival_rate=0.5, classes=[
    ...     msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))])
    >>> row = simulate_at_rate(system, root=np.random.SeedSequence(1), jobs=200_000).row("mean_response_time")
    >>> row.low < 2 < row.high
    True
    """
    started = clock.perf_counter()
    rate = arrival_rate_of(system)
    run = new_run(system, rate, root, jobs, time, precision, replications, warm_up)
    if checkpoint is not None:
        run = continued(run, checkpoint, system=system, any_seed=any_seed)
    if whole(processes, "processes") > 1 and jobs_file is not None:
        raise InvalidInput(f"processes = {processes} with jobs_file; jobs are written by one process only")
    warn_of_compiling(run, progress)
    with JobsFile(jobs_file) as file:
        outcome = run.advance(
            processes=processes,
            watch=progress,
            keep=None if jobs_file is None else file.write,
            save=None if checkpoint is None else lambda state: save(state, checkpoint),
            over=over,
        )
    return result_of(system, rate, run, outcome, clock.perf_counter() - started)


def arrival_rate_of(system: System) -> float:
    """Return lambda, or say what is missing."""
    if system.load is not None:
        raise InvalidInput("load is a share of the stability threshold, which a simulation does not know")
    rate = system.arrival_rate_at(math.nan)
    if rate is None:
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    return rate


def warn_of_compiling(run: Run, progress: Watch | None) -> None:
    """Say so if the run's kernel has never been compiled here."""
    kernel = run.replications[0].kernel
    if progress is not None and not compiled_before(type(kernel).__module__):
        words = "compiling the simulation for this policy: some seconds, once after installation"
        progress(Progress(done=0.0, words=words, notice=True))


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
        asked=question_of(system)
        | {
            "arrival_rate": rate,
            "seed": seed_record(root),
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


def question_of(system: System) -> dict[str, Any]:
    """Return what an answer depends on besides the run's own options: system, policy, and the code that computes."""
    policy = system.policy
    return {
        "system": system.to_spec(),
        "identity": system.identity(),
        "function": policy.parts() if isinstance(policy, OwnFunction) else {},
        "code": code_identity(COMPUTES),
        "versions": {name: version(name) for name in ("msj", "numpy", "numba")},
    }


def new_replication(system: System, rate: float, streams: Streams) -> Replication:
    """Make one replication from its streams."""
    if not isinstance(system.policy, Policy):
        raise InvalidInput(f"policy {system.policy!r} cannot be simulated; give a name such as 'fcfs'")
    typical = min(float(c.duration.mean) for c in system.active_classes)
    return Replication(
        source=PoissonJobs(system, arrival_rate=rate, streams=streams),
        kernel=engine_of(system, streams),
        counter=Counter(classes=len(system.classes), lowest=first_bin(typical)),
    )


def result_of(system: System, rate: float, run: Run, outcome: Outcome, seconds: float) -> Result:
    """Return what a run says as rows."""
    citation = system.policy.citation if isinstance(system.policy, Policy) else ""
    count = len(run.replications)
    method = f"simulation of {system.policy.name}, {run.done:,} jobs in {count} replication{'s' if count > 1 else ''}"
    rows = [
        Quantity(name="arrival_rate", value=rate, kind="exact", method="definition"),
        Quantity(name="offered_utilisation", value=rate / system.naive_threshold, kind="exact", method="definition"),
    ]
    notes: tuple[str, ...] = ()
    if outcome is Outcome.UNSTABLE:
        # Means over a growing queue say nothing: only the growth does.
        rows.append(Quantity(name="queue_growth_rate", value=run.growth or 0.0, kind="simulated", method=method))
        notes = (f"The number of jobs grows by about {run.growth:.4g} per unit of time; no mean is meaningful.",)
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
