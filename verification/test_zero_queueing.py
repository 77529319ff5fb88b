"""Zero queueing at the sizes of the paper (zeroq, section 7), and the fluid limit up to 65,536 servers.

Everything here is simulated at a fixed seed; orders are required of 95 % intervals, so they cannot hang on noise.
"""

import math
import time
from itertools import pairwise

import numpy as np
import pytest

from msj import Exponential, JobClass, System
from msj.engines.cluster import Cluster
from msj.engines.fcfs import FcfsEngine
from msj.growth.fluid_paths import fluid
from msj.papers import PAPERS, Work, figures_named
from msj.workloads import Streams, SystemJobs, seed_sequence


@pytest.mark.parametrize("name", ["fig5", "fig6", "fig7", "fig8"])
def test_figures_of_the_paper(name):
    figure = figures_named(PAPERS["zeroq"], name)[name]
    rows = figure.compute(Work())
    for claim in figure.claims(rows):
        assert claim.passed, claim
    for row in rows:
        if row.get("bound") is None:
            continue
        # Simulated between the bounds: below the upper ones everywhere, not significantly below the lower one.
        assert row["simulated"] <= row["sharper_bound"] <= row["bound"]
        assert row["high"] >= row["lower_bound"]


def test_fluid_error_shrinks_like_the_root_of_n():
    classes = [
        JobClass(name="a", need=1, share=0.6, duration=Exponential(mean=4)),
        JobClass(name="b", need=8, share=0.4, duration=Exponential(mean=1)),
    ]
    system = System(servers=100, utilisation=0.8, classes=classes)
    for start in ("empty", [1.0, 1.2]):
        found = fluid(system, 20, start=start, servers=[2**k for k in range(6, 17, 2)], paths=20, rng=1)
        distances = [row for _, row in found.along("servers", "mean_distance_to_fluid")]
        assert len(distances) == 6
        for small, large in pairwise(distances):
            assert large.high < small.low
        # Relative errors of the means are about 5 %: the slope's standard error is about 0.01.
        assert found["distance_exponent"] == pytest.approx(-0.5, abs=0.05)


def test_fcfs_cost_grows_logarithmically():
    """Cost per job from 2^6 to 2^16 servers, jobs of need 1: doubling n adds a constant, it multiplies nothing."""
    costs = []
    for k in range(6, 17, 2):
        n = 2**k
        classes = [JobClass(name="all", need=1, share=1, duration=Exponential(mean=1))]
        system = System(servers=n, utilisation=0.9, classes=classes)
        streams = Streams(root=seed_sequence(1), replication=0)
        source = SystemJobs(system, arrival_rate=0.9 * n, streams=streams)
        engine = FcfsEngine(Cluster(servers=n, needs=np.array([1]), streams=streams))
        for _ in range(math.ceil(10 * 0.9 * n / 16384) + 1):
            engine.advance(source.take(16384))
        best = math.inf
        for _ in range(9):
            block = source.take(16384)
            started = time.perf_counter()
            engine.advance(block)
            best = min(best, time.perf_counter() - started)
        costs.append(best / 16384 * 1e9)
    print("ns per job:", [round(cost) for cost in costs])
    # A thousand times the servers: a logarithm gives a factor of about 2.7, a linear scan one of hundreds.
    assert costs[-1] < 6 * costs[0]
    assert np.all(np.diff(costs) < costs[0])
