"""The engine of parts where the queue never ends, against brute-force chains that were made from the same text."""

import numpy as np
import pytest

from fronts.brute_force_cases import CASES
from fronts.brute_force_values import kept
from msj.engines.cluster import Cluster
from msj.engines.parts import PartsEngine
from msj.workloads import JobBlock, Streams, seed_sequence

JOBS, PIECES = 12_000, 30


def all_at_once(values, shares):
    """So many jobs, all there from the beginning."""
    rng = np.random.default_rng(2)
    job_class = rng.choice(len(shares), size=JOBS, p=shares)
    first = [own["segments"][0] for own in values["classes"]]
    drawn = np.array([segment["law"].sample(rng, JOBS) for segment in first])
    need = np.array([segment["need"] for segment in first], dtype=np.int64)[job_class]
    return JobBlock(arrival=np.zeros(JOBS), job_class=job_class, need=need, duration=drawn[job_class, np.arange(JOBS)])


@pytest.mark.parametrize("name", CASES)
def test_throughput_when_the_queue_never_ends(name):
    """The mean time between completions in 30 pieces of the first half; z below 4 (odds of a false alarm 4e-4 each)."""
    values, shares, *_ = CASES[name]
    servers = sum(count for count, _, _ in values["groups"])
    cluster = Cluster(
        servers=servers, needs=np.arange(1, servers + 1), streams=Streams(root=seed_sequence(2), replication=0)
    )
    engine = PartsEngine(cluster, **values)
    finish = np.sort(
        np.concatenate([each.finish.copy() for each in (engine.advance(all_at_once(values, shares)), engine.drain())])
    )
    size = (JOBS // 2 - 300) // PIECES
    between = np.diff(finish[300 : 301 + PIECES * size : size]) / size
    error = between.std(ddof=1) / np.sqrt(PIECES)
    exact = 1.0 / kept()[name]["throughput"]
    assert abs(between.mean() - exact) < 4 * error
    assert error < 0.06 * exact
