"""Infinite variance: percentiles of waiting have intervals, wider than independent batches give; the rest has none."""

import numpy as np
import pytest

import msj
from msj.simulation.long_memory import hurst_of, inflation, old_enough


def cluster(shape, policy="fcfs"):
    small = msj.JobClass(name="small", need=1, share=0.7, duration=msj.Pareto(shape=shape, minimum=1))
    large = msj.JobClass(name="large", need=4, share=0.3, duration=msj.Exponential(mean=2))
    return msj.System(servers=16, classes=[small, large], policy=policy, utilisation=0.6)


def test_which_rows_have_intervals():
    found = msj.simulate(cluster(1.7, "easy-backfilling"), jobs=200_000, seed=1)
    assert found.row("waiting_time_percentile", None, 95.0).low < found["waiting_time_percentile", None, 95.0]
    for name, level in (("mean_waiting_time", None), ("waiting_probability", None), ("response_time_percentile", 95.0)):
        assert found.row(name, None, level).low is None


def test_a_run_too_young_for_its_jobs_has_none():
    found = msj.simulate(cluster(1.2), jobs=200_000, seed=1)
    assert found.row("waiting_time_percentile", None, 90.0).low is None


def test_laws_whose_tail_is_not_known_have_none():
    assert hurst_of(cluster(2.5)) is None  # finite variance: nothing to widen
    assert hurst_of(cluster(1.7)) == pytest.approx(0.65)
    assert not old_enough(cluster(1.2), 1.0, 1e3)
    assert old_enough(cluster(2.5), 1.0, 1.0)


def test_the_widening_is_that_of_fractional_noise():
    """Brute force: batches with the covariance of fractional Gaussian noise, several runs of them."""
    hurst, runs, each = 0.75, 3, 8
    lags = np.abs(np.subtract.outer(np.arange(each), np.arange(each))).astype(float)
    noise = 0.5 * (abs(lags + 1) ** (2 * hurst) + abs(lags - 1) ** (2 * hurst) - 2 * lags ** (2 * hurst))
    covariance = np.kron(np.eye(runs), noise)
    count = runs * each
    of_the_mean = covariance.sum() / count**2
    between = (np.trace(covariance) - count * of_the_mean) / (count - 1)  # what the variance of batches tends to
    assert inflation(count, runs, hurst) == pytest.approx(of_the_mean / (between / count), rel=1e-12)
