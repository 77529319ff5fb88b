"""The probability of waiting itself: exact against formulas, simulated against exact."""

import pytest
from scipy.stats import poisson

from msj.growth import queueing_probability
from msj.growth.queueing_probability import (
    enough_jobs,
    exact_probability,
    memory_of,
    simulated_probability,
)
from strategies import simple


def erlang_c(servers, load):
    blocked = poisson.pmf(servers, servers * load) / poisson.cdf(servers, servers * load)
    return blocked / (1 - load * (1 - blocked))


def test_one_class_is_erlang_c():
    found = exact_probability(simple(60, (4, 1, 1), utilisation=0.8))
    assert found.overall.value == pytest.approx(erlang_c(15, 0.8), rel=1e-9)
    assert found.by_class["need 4"] == found.overall


def test_too_large_or_unstable_chains_give_none():
    three = simple(4000, (3, 1, 0.4), (10, 1, 0.3), (32, 1, 0.3), utilisation=0.5)
    assert exact_probability(three) is None
    assert exact_probability(simple(2, (1, 1, 0.5), (2, 1, 0.5), utilisation=0.99)) is None


def test_simulation_covers_the_exact_value():
    # 95 % intervals for three numbers at a fixed seed: one in seven seeds would miss one of them.
    system = simple(24, (1, 1, 0.5), (6, 2, 0.5), utilisation=0.6)
    exact = exact_probability(system)
    found = simulated_probability(system, 0.6 * system.naive_threshold, jobs=400_000, rng=3)
    for name, estimate in found.by_class.items():
        assert estimate.low <= exact.by_class[name].value <= estimate.high
    assert found.overall.low <= exact.overall.value <= found.overall.high
    assert found.overall.high - found.overall.low < 0.02
    assert found.note == ""


def test_nobody_waits_is_not_certainty():
    system = simple(1000, (1, 1, 1), utilisation=0.5)
    found = simulated_probability(system, 500.0, jobs=200_000, rng=1)
    memory = 1.0 + 2 * 500 * 2 / 500**2
    assert (found.overall.value, found.overall.low) == (0.0, 0.0)
    assert 1 <= found.overall.high / (3 * memory * 500 / (0.8 * found.jobs)) < 1.6
    assert "began empty" in found.note


def test_a_growing_queue_gives_none():
    system = simple(2, (1, 1, 0.5), (2, 1, 0.5), utilisation=0.99)
    assert simulated_probability(system, 0.99 * system.naive_threshold, jobs=100_000, rng=1) is None


def test_enough_jobs_grow_with_the_cluster():
    small, large = (simple(n, (1, 1, 1), utilisation=0.9) for n in (1000, 1_000_000))
    # Mean duration 1, and 2·V/d² with V = lambda·E[D²] = 2·lambda and d = n/10.
    assert memory_of(small, 900.0) == pytest.approx(1 + 2 * 1800 / 100**2)
    assert memory_of(large, 900_000.0) == pytest.approx(1 + 2 * 1_800_000 / 100_000**2)
    assert enough_jobs(small, 900.0) == pytest.approx(20 * 100 * 1.36 * 900, abs=1)
    assert enough_jobs(large, 900_000.0) == pytest.approx(20 * 100 * 1.00036 * 900_000, abs=1)
    assert enough_jobs(simple(4, (1, 1, 1)), 0.4) == 1_000_000


def test_close_to_saturation_no_more_is_simulated_than_can_be_waited_for(monkeypatch):
    monkeypatch.setattr(queueing_probability, "MOST_JOBS", 20_000)
    found = simulated_probability(simple(4, (1, 1, 1)), 3.99, rng=1)
    assert found.jobs == 20_000
    assert found.note.endswith("would be enough")
