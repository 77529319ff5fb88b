"""The first events of a system, as a simulation with the same seed has them.

A policy that decides by its function is run by it, one decision at a time (``engines.recording``). Others (policies
that keep a state of their own, or share servers) are run by their own kernel; where they never preempt, their events
follow from the times at which jobs start and finish.
"""

from __future__ import annotations

import numpy as np

from msj.disciplines.model import policy_of
from msj.engines.completed import Completed
from msj.engines.recording import Event, RecordingEngine
from msj.errors import NotSupported
from msj.model import System
from msj.simulation.engine_of import cluster_of, engine_of
from msj.workloads import JobBlock, Streams, SystemJobs


def record_events(
    system: System, rate: float, count: int, root: np.random.SeedSequence
) -> tuple[JobBlock, tuple[Event, ...]]:
    """Return the first jobs of a system that starts empty, and its first ``count`` events."""
    policy = policy_of(system)
    if system.model is not None:
        raise NotSupported(f"model '{system.model.name}' has no list of decisions; leave model out to see its policy's")
    streams = Streams(root=root, replication=0)
    jobs = SystemJobs(system, arrival_rate=rate, streams=streams, least_busy=0.0).take(count)
    if policy.serve_is_complete:
        engine = RecordingEngine(cluster_of(system, streams), rule=policy.on(system))
        engine.limit = count
        return jobs, tuple(engine.events_of(jobs))
    if not (policy.preemptive or policy.shares_speed or policy.turns_away):
        kernel = engine_of(system, streams)
        done = Completed.join([kernel.advance(jobs).copy(), kernel.drain()])
        events = _events(system.servers, done, jobs)
        if events is not None:
            return jobs, tuple(events[:count])
    raise NotSupported(
        f"policy '{policy.name}' decides by more than a function of the jobs present, so its decisions cannot be "
        "listed; msj simulate --jobs-file has the times of every job"
    )


def _events(servers: int, done: Completed, jobs: JobBlock) -> list[Event] | None:
    """Return the events up to the last arrival, from when jobs start and finish; completions come before arrivals.

    None if a job starts at another time: then the policy decides by a clock of its own.
    """
    happens = [(float(jobs.arrival[i]), 1, i) for i in range(len(jobs))]
    happens += [(float(finish), 0, int(n)) for n, finish in zip(done.number, done.finish, strict=True)]
    start = dict(zip(done.number.tolist(), done.start.tolist(), strict=True))
    if not {time for time, _, _ in happens}.issuperset(start.values()):
        return None
    present: list[int] = []
    served: set[int] = set()
    events = []
    for time, kind, job in sorted(each for each in happens if each[0] <= float(jobs.arrival[-1])):
        if kind:
            present.append(job)
        else:
            present.remove(job)
            served.discard(job)
        started = [i for i in present if i not in served and start[i] <= time]
        served |= set(started)
        free = servers - sum(int(jobs.need[i]) for i in served)
        events.append(
            Event(
                time=time,
                arrival=bool(kind),
                job=job,
                present=tuple(present),
                served=tuple(sorted(served)),
                started=tuple(started),
                stopped=(),
                free=free,
            )
        )
    return events
