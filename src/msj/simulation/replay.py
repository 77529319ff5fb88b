"""Given jobs under a policy: when each starts and finishes."""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.disciplines import Policy
from msj.engines.completed import Completed
from msj.errors import InvalidInput
from msj.simulation.engine_of import engine_for
from msj.workloads import RecordedJobs, Rng, Streams, seed_sequence
from msj.workloads.job_block import JobBlock
from msj.workloads.system_jobs import BLOCK


def replay_jobs(
    jobs: RecordedJobs, *, servers: int, policy: Policy, rng: Rng = 0, generic: bool = False, block: int = BLOCK
) -> Completed:
    """Run recorded jobs through a policy until the last is done.

    Parameters
    ----------
    jobs
        The jobs; none may need more than ``servers``.
    servers
        Number of servers.
    policy
        Who is served when.
    rng
        For policies that draw lots.
    generic
        Use the kernel that runs any plain function, even where the policy has one of its own.
    block
        Jobs handed over at a time; the answer does not depend on it.

    Returns
    -------
    The jobs in order of arrival, with start and finish.

    Examples
    --------
    >>> from msj.disciplines import Fcfs
    >>> jobs = RecordedJobs(arrival=[0, 0, 0], need=[1, 2, 1], duration=[3.0, 1.0, 1.0])
    >>> replay_jobs(jobs, servers=2, policy=Fcfs()).start.tolist()
    [0.0, 3.0, 4.0]
    """
    require_fitting(jobs.jobs, servers)
    streams = Streams(root=seed_sequence(rng), replication=0)
    kernel: Any = engine_for(policy, servers=servers, needs=np.unique(jobs.jobs.need), streams=streams, generic=generic)
    source, parts = jobs.rewound(), []  # the same jobs may be replayed under many policies
    while len(part := source.take(block)):
        parts.append(kernel.advance(part).copy())
    parts.append(kernel.drain())
    return Completed.join(parts)


def require_fitting(jobs: JobBlock, servers: int) -> None:
    """Raise an error if a job needs more than all servers."""
    too_large = np.flatnonzero(jobs.need > servers)
    if too_large.size:
        first = int(too_large[0])
        raise InvalidInput(f"job {first} needs {jobs.need[first]} of {servers} servers; raise servers")
