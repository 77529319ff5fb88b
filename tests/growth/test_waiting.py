"""The probability of waiting of one cluster: exact against a formula, simulated against exact, none where none is."""

import numpy as np
import pytest
from scipy.stats import poisson

from msj.growth.queueing_bounds import queueing_bounds
from msj.growth.waiting import effort_for, waiting_at
from strategies import simple


def waiting(system, utilisation, *, seconds=5.0, jobs=None, simulation=False):
    rate = utilisation * system.naive_threshold
    system = system.replace(utilisation=utilisation)
    root = np.random.SeedSequence(3)
    return waiting_at(system, rate, queueing_bounds(system), effort_for(seconds, jobs), root, simulation=simulation)


def test_one_class_is_erlang_c():
    blocked = poisson.pmf(15, 15 * 0.8) / poisson.cdf(15, 15 * 0.8)
    [row] = waiting(simple(60, (4, 1, 1)), 0.8).exact
    assert row.value == pytest.approx(blocked / (1 - 0.8 * (1 - blocked)), rel=1e-9)


def test_too_large_or_unstable_chains_give_none():
    assert waiting(simple(4000, (3, 1, 0.4), (10, 1, 0.3), (32, 1, 0.3)), 0.5).exact == ()
    unstable = waiting(simple(2, (1, 1, 0.5), (2, 1, 0.5)), 0.99, jobs=20_000, simulation=True)
    assert (unstable.stable, unstable.exact, unstable.simulated) == (False, (), ())


def test_simulation_covers_the_exact_value():
    # 95 % intervals for three numbers at a fixed seed: one in seven seeds would miss one of them.
    found = waiting(simple(24, (1, 1, 0.5), (6, 2, 0.5)), 0.6, jobs=400_000, simulation=True)
    assert len(found.exact) == len(found.simulated) == 3
    for exact, simulated in zip(found.exact, found.simulated, strict=True):
        assert exact.job_class == simulated.job_class
        assert simulated.low <= exact.value <= simulated.high
    assert found.simulated[0].high - found.simulated[0].low < 0.02


def test_nobody_waits_is_not_certainty():
    # P(Poisson(500) >= 1000) is far below any interval: none was seen, and the interval still has a length.
    [row] = waiting(simple(1000, (1, 1, 1)), 0.5, seconds=0.0, jobs=200_000, simulation=True).simulated
    assert (row.value, row.low) == (0.0, 0.0)
    assert 0 < row.high < 0.1
