"""Engines of the finite-skip models: job by job against slow twins, and on average against the exact chain."""

import naive_models
import numpy as np
import pytest

import msj
from msj import Erlang, Exponential, JobClass, System
from msj.engines.cluster import Cluster
from msj.engines.completed import Completed
from msj.engines.fork_join import ForkJoinEngine
from msj.engines.pools import PoolsEngine
from msj.engines.red_and_blue import RedAndBlueEngine
from msj.engines.set_up import SetUpEngine
from msj.engines.stages import StagesEngine
from msj.workloads import JobBlock, PoissonJobs, Streams, seed_sequence

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
    block = PoissonJobs(system, arrival_rate=rate, streams=streams(2)).take(jobs)
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


POOLS = {
    "resources": ([4, 1, 6], [[[2, 0, 1]], [[1, 1, 3]], [[1, 0, 5]]]),
    "groups": ([2, 3], [[[2, 0], [0, 2]], [[0, 1]], [[0, 1], [1, 0]]]),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("rate", [0.5, 1.2])
def test_pools_job_by_job(name, rate):
    capacity, ways = POOLS[name]
    system = cluster(5, [1, 1, 1], [Exponential(mean=1), Erlang(stages=2, mean=2), Exponential(mean="1/2")])
    block = drawn(system, rate)
    servers = [True] + [name == "groups"] * (len(capacity) - 1)
    engine = PoolsEngine(on(5), capacity=capacity, ways=ways, servers=servers)
    assert_same(
        in_blocks(engine, block), *naive_models.in_pools(block.arrival, block.job_class, block.duration, capacity, ways)
    )


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_fork_join_job_by_job(rate):
    system = cluster(4, [3, 1], [Exponential(mean=1), Erlang(stages=2, mean=2)])
    block = drawn(system, rate)
    laws = [c.duration for c in system.classes]
    done = ForkJoinEngine(on(4), laws=laws).advance(block)
    flat = ForkJoinEngine(on(4), laws=laws).tasks(block)
    tasks = np.split(flat, np.cumsum(block.need)[:-1])
    assert all(own[0] == length for own, length in zip(tasks, block.duration, strict=True))
    assert_same(done, *naive_models.fork_join(block.arrival, [list(own) for own in tasks], 4))
    np.testing.assert_allclose(done.duration, [own.mean() for own in tasks])


@pytest.mark.parametrize("rate", [0.3, 0.6])
def test_stages_job_by_job(rate):
    system = cluster(3, [1, 2], [Exponential(mean=1), Exponential(mean=1)])
    needs = [[1, 3, 2], [2, 1]]
    laws = [[Exponential(mean=1), Exponential(mean="1/2"), Exponential(mean="1/2")], [Exponential(mean=1)] * 2]
    block = drawn(system, rate)
    lengths = StagesEngine(on(3), needs=needs, laws=laws).drawn(block)
    stages = [
        [(needs[c][s], row[s]) for s in range(len(needs[c]))] for c, row in zip(block.job_class, lengths, strict=True)
    ]
    engine = StagesEngine(on(3), needs=needs, laws=laws)
    assert_same(in_one_block(engine, block), *naive_models.in_stages(block.arrival, stages, 3))


def in_one_block(engine, block):
    return Completed.join([engine.advance(block).copy(), engine.drain().copy()])


@pytest.mark.parametrize("rate", [0.5, 1.3])
def test_red_and_blue_job_by_job(rate):
    system = cluster(3, [1, 1], [Exponential(mean=1), Exponential(mean=3)])
    block = drawn(system, rate)
    engine = RedAndBlueEngine(on(3), blue=[False, True])
    assert_same(
        in_blocks(engine, block), *naive_models.one_colour(block.arrival, block.job_class == 1, block.duration, 3)
    )


@pytest.mark.parametrize("staggered", [False, True])
def test_servers_are_on_and_off_as_long_as_the_chain_says(staggered):
    """Means of 40 pieces against the exact ones: z-scores below 4 (odds of a false alarm below 3e-4 each)."""
    model = {"name": "set-up", "set_up_rate": 0.5, "staggered": staggered}
    system = cluster(4, [2, 1], [Exponential(mean=1), Erlang(stages=2, mean=1)]).replace(load=0.7, model=model)
    exact = msj.analyse(system, percentiles=False)
    source = PoissonJobs(system, arrival_rate=exact["arrival_rate"], streams=streams(3))
    engine = SetUpEngine(on(4, seed=3), set_up_rate=0.5, staggered=staggered)
    states = ("busy", "idle", "set_up", "off")
    pieces = []
    for _ in range(41):
        before, clock = engine.power[0].copy(), engine.clock
        engine.advance(source.take(10_000))
        pieces.append([(engine.power[0][s] - before[s]) / (engine.clock - clock) for s in states])
    shares = np.array(pieces[1:])
    np.testing.assert_allclose(shares.sum(axis=1), 4, rtol=1e-9)
    errors = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    for state, mean, error in zip(states, shares.mean(axis=0), errors, strict=True):
        assert abs(mean - exact[f"{state}_servers"]) < 4 * error, state
        assert error < 0.02


@pytest.mark.parametrize("path", ["preemption_cost", "set_up"])
def test_models_with_clocks_of_their_own_agree_with_their_chains(path):
    """Two of the engines draw random times, so no twin can follow them job by job; z below 4.6 (odds 1 in 5,000)."""
    system = msj.read(f"examples/models/{path}.toml")
    exact = msj.analyse(system, percentiles=False)
    row = msj.simulate(system, jobs=300_000, rng=4).quantities[0]
    assert row.name == "mean_response_time"
    assert abs(row.value - exact["mean_response_time"]) < 2.2 * (row.high - row.low) / 2
    assert row.high - row.low < 0.1 * row.value
