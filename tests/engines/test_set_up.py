"""Servers that come on after a random time, which no twin can follow job by job: against the exact chain."""

import numpy as np
import pytest
from one_by_one import cluster, on, streams

import msj
from msj import Erlang, Exponential
from msj.engines.set_up import SetUpEngine
from msj.workloads import JobBlock, SystemJobs


@pytest.mark.parametrize("staggered", [False, True])
def test_servers_are_on_and_off_as_long_as_the_chain_says(staggered):
    """Means of 40 pieces against the exact ones: z-scores below 4 (odds of a false alarm below 3e-4 each)."""
    model = {"name": "set-up", "set_up_rate": 0.5, "staggered": staggered}
    system = cluster(4, [2, 1], [Exponential(mean=1), Erlang(stages=2, mean=1)]).replace(load=0.7, model=model)
    exact = msj.analyse(system, percentiles=False)
    source = SystemJobs(system, arrival_rate=exact["arrival_rate"], streams=streams(3))
    engine = SetUpEngine(on(4, seed=3), set_up_rate=0.5, staggered=staggered)
    states = ("busy", "idle", "set_up", "off")
    pieces = []
    for _ in range(41):
        before, clock = engine.areas, engine.clock
        engine.advance(source.take(10_000))
        pieces.append(
            [(engine.areas[f"{s}_servers"] - before[f"{s}_servers"]) / (engine.clock - clock) for s in states]
        )
    shares = np.array(pieces[1:])
    np.testing.assert_allclose(shares.sum(axis=1), 4, rtol=1e-9)
    errors = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    for state, mean, error in zip(states, shares.mean(axis=0), errors, strict=True):
        assert abs(mean - exact[f"{state}_servers"]) < 4 * error, state
        assert error < 0.02


def test_servers_idle_while_jobs_wait_for_them_are_wasted():
    """By Little's law for idle servers: two jobs of all three servers, one after the other; each waits for its set-up.

    Both come at 0. The first waits until all three servers are on, the second starts when the first ends, on the same
    servers: what is wasted is three servers for as long as the first waited.
    """
    engine = SetUpEngine(on(3, seed=1), set_up_rate=0.5, staggered=False)
    never = 1e9
    block = JobBlock(
        arrival=np.array([0.0, 0.0, never]), job_class=np.zeros(3, dtype=np.int64), need=np.array([3, 3, 1]),
        duration=np.array([2.0, 1.0, 1.0]),
    )  # fmt: skip
    done = engine.advance(block)
    first = done.start[done.number == 0][0]
    assert first > 0
    assert done.start[done.number == 1][0] == pytest.approx(first + 2.0)
    assert engine.wasted_area == pytest.approx(3 * first)
