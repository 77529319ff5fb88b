"""Servers that come on after a random time, which no twin can follow job by job: against the exact chain."""

import numpy as np
import pytest
from one_by_one import cluster, on, streams

import msj
from msj import Erlang, Exponential
from msj.engines.set_up import SetUpEngine
from msj.workloads import SystemJobs


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
