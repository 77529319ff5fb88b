"""Chains of the counts on more systems: brute force, and simulation with z-scores on 20 random systems."""

import math

import numpy as np
import pytest
from brute_force_counts import solve_counts_by_force
from test_count_chain import POLICIES, QUICK, cluster, compare_with_brute_force

import msj
from msj.analysis.count_threshold import CountThreshold
from msj.analysis.counted import counted
from msj.analysis.solved_counts import solve_counts

SHAPES = [
    (7, (2, 3), ("1", "1/3"), ("2/3", "1/3"), 0.4),
    (12, (1, 5), ("1/2", "1"), ("3/4", "1/4"), 1.2),
]


@pytest.mark.parametrize("name", [name for name in POLICIES if name not in QUICK])
def test_w1_at_rate_06_against_brute_force(name):
    compare_with_brute_force(name)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]} servers")
def test_other_clusters_against_brute_force(name, shape):
    servers, needs, rates, shares, rate = shape
    system = cluster(POLICIES[name], servers, needs, rates, shares, arrival_rate=rate)
    present, waits, _ = solve_counts_by_force(system, rate, (36, 36))
    solved = solve_counts(counted(system), rate)
    np.testing.assert_allclose(solved.mean_present, present, rtol=1e-7)
    np.testing.assert_allclose(solved.waiting_probability, waits, rtol=1e-7)


@pytest.mark.parametrize("name", ["most-servers-first", "max-weight", "least-servers-first, not preemptive"])
def test_three_needs_against_brute_force(name):
    rate = 0.4 if "not" not in name else 0.15
    system = cluster(POLICIES[name], 4, (1, 2, 4), (1, 1, 1), ("1/2", "1/4", "1/4"), arrival_rate=rate)
    present, waits, _ = solve_counts_by_force(system, rate, (14, 14, 22))
    solved = solve_counts(counted(system), rate)
    np.testing.assert_allclose(solved.mean_present, present, rtol=1e-7)
    np.testing.assert_allclose(solved.waiting_probability, waits, rtol=1e-7)


def random_systems(count=20, seed=17):
    """Two needs on up to 24 servers, at 40 to 85 % of the threshold (of the naive one where that is not known)."""
    rng = np.random.default_rng(seed)
    names = list(POLICIES)
    for index in range(count):
        name = names[index % len(names)]
        servers = int(rng.integers(3, 25))
        needs = np.sort(rng.choice(np.arange(1, servers + 1), 2, replace=False)).tolist()
        rates = np.exp(rng.uniform(-1, 1, 2)).tolist()
        share = float(rng.uniform(0.1, 0.9))
        system = cluster(POLICIES[name], servers, needs, rates, (share, 1 - share))
        known = CountThreshold()
        threshold = 0.7 * system.naive_threshold
        if known.supports(system) is None:
            threshold = known.saturate(system).stability_threshold
        yield name, system.replace(arrival_rate=float(rng.uniform(0.4, 0.85)) * threshold)


SYSTEMS = list(random_systems())


@pytest.mark.parametrize("index", range(len(SYSTEMS)))
def test_simulation_agrees_on_random_systems(index):
    """|z| <= 4.5 has odds of about 1 in 4,000 with 19 degrees of freedom; with some 120 numbers, 1 in 35 altogether."""
    name, system = SYSTEMS[index]
    exact = msj.analyse(system, exact=True)
    run = msj.simulate(system, jobs=2_000_000, seed=100 + index, replications=20)
    for quantity in ("mean_response_time", "waiting_probability"):
        for job_class in (None, *(c.name for c in system.classes)):
            row = run.find(quantity, job_class=job_class)
            if row is None or row.low is None:
                continue
            known = exact.row(quantity, job_class=job_class).value
            z = (row.value - known) / ((row.high - row.low) / 2 / 2.093 + 1e-300)
            if row.high > row.low:
                assert math.isfinite(z)
                assert abs(z) <= 4.5, (name, quantity, job_class, z, known)
                print(f"{name:40s} {quantity:22s} {job_class!s:10s} z = {z:6.2f}")
