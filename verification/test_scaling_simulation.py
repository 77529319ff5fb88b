"""Simulated answers of growing clusters: intervals that cover, and sizes up to 65,536 servers within minutes."""

import time
from itertools import pairwise

import numpy as np
import pytest

import msj
from msj.closed_forms import two_class
from msj.growth.cluster import cluster_scaling
from msj.growth.waste_limit import limiting_waste
from msj.simulation.saturated_line import saturated_line


def test_intervals_of_the_saturated_waste_cover():
    """200 runs: with true coverage 95 % fewer than 181 or more than 198 inside happen once in 300 times."""
    system = msj.System(
        servers=100,
        classes=[
            msj.JobClass(name="small", need=3, share=0.8, duration=msj.Exponential(mean=1)),
            msj.JobClass(name="large", need=40, share=0.2, duration=msj.Exponential(mean=0.5)),
        ],
    )
    exact = two_class(servers=100, needs=(3, 40), shares=(0.8, 0.2), rates=(1, 2)).wasted_servers
    runs = [saturated_line(system, jobs=100_000, rng=seed) for seed in range(200)]
    inside = sum(run.ends[1] < exact < run.ends[2] for run in runs)
    mean = np.mean([run.idle[0] for run in runs])
    error = np.std([run.idle[0] for run in runs]) / np.sqrt(200)
    print(f"{inside} of 200 inside; mean {mean:.4f} +- {error:.4f}, exact {exact:.4f}")
    assert 181 <= inside <= 198
    assert abs(mean - exact) < 3.5 * error


@pytest.mark.parametrize("keep", ["load", "utilisation"])
def test_the_example_up_to_65536_servers(keep):
    system = msj.read("examples/hpc_partition.toml")
    started = time.perf_counter()
    found = cluster_scaling(system, [2**k for k in range(5, 17)], keep=keep, rng=1)
    print(f"{time.perf_counter() - started:.0f} s")
    waits = [row.value for _, row in found.along("servers", "waiting_probability")]
    assert len(waits) == 12
    assert all(after < before or after == 0 for before, after in pairwise(waits))
    for _, row in found.along("servers", "wasted_servers")[-3:]:
        slack = 0.5 * (row.high - row.low)  # three intervals at once
        assert row.low - slack < limiting_waste(system) < row.high + slack
