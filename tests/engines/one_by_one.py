"""A cluster's jobs, let in as a run lets them in, to compare an engine with its slow twin job by job."""

import numpy as np

from msj import JobClass, System
from msj.engines.cluster import Cluster
from msj.engines.completed import Completed
from msj.workloads import JobBlock, Streams, SystemJobs, seed_sequence

JOBS = 400


def streams(seed=1):
    return Streams(root=seed_sequence(seed), replication=0)


def on(servers, seed=1):
    """What an engine is told; the needs matter only to engines that sort jobs by them."""
    return Cluster(servers=servers, needs=np.arange(1, servers + 1), streams=streams(seed))


def cluster(servers, needs, laws):
    shares = [f"1/{len(needs)}"] * len(needs)
    return System(
        servers=servers,
        classes=[
            JobClass(name=f"class {i}", need=need, share=share, duration=law)
            for i, (need, share, law) in enumerate(zip(needs, shares, laws, strict=True))
        ],
    )


def drawn(system, rate, jobs=JOBS):
    block = SystemJobs(system, arrival_rate=rate, streams=streams(2)).take(jobs)
    return JobBlock(
        arrival=block.arrival.copy(),
        job_class=block.job_class.copy(),
        need=block.need.copy(),
        duration=block.duration.copy(),
    )


def in_blocks(engine, block):
    """Let the jobs arrive in blocks of odd sizes, as a run does."""
    parts, first = [], 0
    for size in (1, 7, 150, len(block)):
        here = slice(first, first + size)
        first += size
        part = JobBlock(
            arrival=block.arrival[here],
            job_class=block.job_class[here],
            need=block.need[here],
            duration=block.duration[here],
        )
        parts.append(engine.advance(part).copy())
    parts.append(engine.drain().copy())
    return Completed.join([part for part in parts if len(part)])


def assert_same(done, start, finish):
    assert np.array_equal(done.number, np.arange(len(start)))
    np.testing.assert_allclose(done.start, start, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(done.finish, finish, rtol=1e-12, atol=1e-9)


def in_one_block(engine, block):
    return Completed.join([engine.advance(block).copy(), engine.drain().copy()])
