"""Arrivals: drawn from each law, fitted, and compared with what the law itself knows."""

import numpy as np
import pytest

from msj.errors import InvalidInput
from msj.fitting.arrivals import fit_arrivals
from msj.fitting.bursts import Bursts
from msj.fitting.clock import clock_dispersion, fit_clock
from msj.fitting.dispersion import dispersion_of, windows
from msj.model.arrivals import DailyArrivals, MmppArrivals

BURSTS = MmppArrivals(rates=[9, 1], switching=[[0, 0.2], [0.05, 0]])
HOURS = [1, 1, 1, 1, 1, 1, 2, 4, 8, 9, 9, 8, 7, 8, 9, 9, 8, 6, 4, 3, 2, 2, 1, 1]


def times(law, count, seed=1):
    gaps, classes = np.empty(count), np.empty(count, dtype=np.int64)
    law.sampler(float(law.own_rate), np.random.default_rng(seed), ["all"]).draw(gaps, classes)
    return np.cumsum(gaps)


def works(count, seed=2):
    return np.random.default_rng(seed).exponential(1.0, count)


def test_poisson_arrivals_are_found_to_be_poisson():
    chosen = [
        fit_arrivals(np.cumsum(np.random.default_rng(i).exponential(3.0, 5000)), works(5000, i)).arrivals.law
        for i in range(20)
    ]
    assert chosen.count("poisson") >= 18  # three standard errors in each of ten windows: one in thirty is lost


def test_bursts_come_back_with_their_dispersion_their_time_and_their_rates():
    submit = times(BURSTS, 60_000)
    found = fit_arrivals(submit, works(60_000)).arrivals
    assert isinstance(found, MmppArrivals)
    rate = float(BURSTS.own_rate)
    # Over many draws these have standard deviations of 5, 6 and 2 %.
    assert found.dispersion(rate) == pytest.approx(BURSTS.dispersion(rate), rel=0.2)
    assert found.relaxation_time(rate) == pytest.approx(BURSTS.relaxation_time(rate), rel=0.24)
    assert sorted(float(r) for r in found.rates) == pytest.approx([1, 9], rel=0.1)
    assert float(found.own_rate) == pytest.approx(len(submit) / submit[-1], rel=0.03)


def test_a_process_made_of_its_moments_has_them():
    made = Bursts(rate=2.0, excess=30.0, time=5.0, share=0.2)
    law = made.arrivals()
    assert float(law.own_rate) == pytest.approx(2.0, rel=1e-5)
    assert law.dispersion(2.0) == pytest.approx(31.0, rel=1e-4)
    assert law.relaxation_time(2.0) == pytest.approx(5.0, rel=1e-4)


def test_a_rate_that_would_be_negative_is_silence():
    silent = MmppArrivals(rates=[20, 0], switching=[[0, 1.0], [0.05, 0]])
    found = fit_arrivals(times(silent, 40_000), works(40_000)).arrivals
    assert min(float(r) for r in found.rates) < 0.3
    assert found.dispersion(1.0) == pytest.approx(silent.dispersion(1.0), rel=0.25)


def test_the_curve_of_dispersions_is_that_of_the_counts():
    made = Bursts(rate=2.6, excess=31.5, time=4.0, share=0.2)
    found = dispersion_of(times(BURSTS, 400_000), works(400_000))
    expected = made.dispersion(found.window)
    assert np.abs((found.jobs - expected) / found.jobs_error).max() < 4.5


def test_windows_hold_two_jobs_at_least_and_thirty_of_them_fit():
    assert windows(240.0, 240) == pytest.approx([2, 4, 8])
    assert windows(240.0, 239) == pytest.approx([480 / 239, 960 / 239])  # twice that would fit less than 30 times
    assert windows(240.0, 60) == pytest.approx([8])
    for few in (2, 15, 20, 30, 31, 59):
        assert len(windows(240.0, few)) == 0
    found = fit_arrivals(np.cumsum(np.random.default_rng(1).exponential(3.0, 20)), works(20))
    assert (found.arrivals.law, len(found.target), found.distances) == ("poisson", 0, {"poisson": 0.0})


def test_independent_work_adds_its_squared_cv_and_nothing_else():
    found = dispersion_of(times(BURSTS, 400_000), np.random.default_rng(3).exponential(1.0, 400_000))
    assert found.squared_cv == pytest.approx(1.0, abs=0.02)
    assert np.abs((found.work - found.jobs) / found.work_error).max() < 4


def test_a_daily_cycle_comes_back_hour_by_hour_and_day_by_day():
    weekly = [1.2, 1.1, 1.3, 1.2, 1.1, 0.6, 0.5]
    law = DailyArrivals(rates=[r / 600 for r in HOURS], cycle=86400, weekly=weekly)
    submit = times(law, 60_000)
    found = fit_arrivals(submit, works(60_000)).arrivals
    assert isinstance(found, DailyArrivals)
    # Some hundreds of jobs in the quietest hour: 4 standard errors are a fifth.
    expected = np.array(HOURS) / 600 * np.mean(weekly)
    assert np.array([float(r) for r in found.rates]) == pytest.approx(expected, rel=0.2)
    assert [float(w) for w in found.weekly] == pytest.approx([w / np.mean(weekly) for w in weekly], rel=0.06)


def test_hours_are_those_of_the_log_s_own_clock():
    # Second 0 of the log is 15:00 on a Saturday: 1970 began on a Thursday.
    begins = 2 * 86400 + 15 * 3600.0
    submit = np.sort(np.concatenate([np.arange(60) * 86400 + s for s in (0.0, 60.0, 120.0)]))
    found = fit_clock(submit, begins)
    assert np.argmax([float(r) for r in found.rates]) == 15
    monday = fit_clock(np.sort(np.concatenate([np.arange(10) * 7 * 86400.0 + s for s in range(50)])), begins)
    assert np.argmax([float(w) for w in monday.weekly]) == 5


def test_the_dispersion_of_a_clock_is_none_over_whole_weeks_and_that_of_its_rates_over_short_windows():
    law = DailyArrivals(rates=[0.0, 2.0], cycle=2.0)
    found = clock_dispersion(law, np.array([1e-3, 2.0]))
    assert found[0] == pytest.approx(1 + 1e-3 * 1.0, rel=1e-2)  # mean 1 and variance 1 of the rate, times the window
    assert found[1] == pytest.approx(1.0, abs=1e-9)


def test_bursts_of_short_jobs_count_as_the_work_they_bring():
    submit = times(BURSTS, 60_000)
    window = (submit // 3).astype(int)
    crowd = np.bincount(window)[window]
    found = fit_arrivals(submit, 1.0 / crowd)
    assert found.by_work
    plain = fit_arrivals(submit, works(60_000))
    assert not plain.by_work
    assert found.arrivals.dispersion(1.0) < 0.5 * plain.arrivals.dispersion(1.0)


def test_a_law_that_cannot_be_fitted_is_refused_with_the_reason():
    submit = np.cumsum(np.random.default_rng(1).exponential(1.0, 1000))
    with pytest.raises(InvalidInput, match="too short for a daily cycle"):
        fit_arrivals(submit, works(1000), law="daily")
    with pytest.raises(InvalidInput, match="'weekly' is no law to fit"):
        fit_arrivals(submit, works(1000), law="weekly")
    assert fit_arrivals(submit, works(1000), law="poisson").how == "as asked"
