"""Parts of a fit on a few jobs: counts, moments, likelihoods and words worked out by hand."""

import importlib
import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas
import pytest

import msj
from msj.fitting import arrivals, durations, erlang_mixtures
from msj.fitting.arrivals import _apart, _chosen, fit_arrivals
from msj.fitting.bursts import Bursts, _share, _third_cumulant, fit_bursts
from msj.fitting.classes import classes_by_need
from msj.fitting.clock import _spent, clock_dispersion, fit_clock
from msj.fitting.dispersion import Dispersion, _index, dispersion_of
from msj.fitting.durations import _empirical, _lognormal, fit_duration
from msj.fitting.erlang_mixtures import (
    ErlangMixture,
    Points,
    _choices,
    _mean,
    _stages,
    _summing_to_one,
    fitted_mixture,
    points_of,
)
from msj.fitting.goodness import not_contradicted, word_for
from msj.fitting.order import _bic, _rows, fit_order
from msj.fitting.remarks import _listed, _words, arrivals_words, notes_of, order_words, remarks_of
from msj.model.arrivals import DailyArrivals, MmppArrivals, PoissonArrivals

DAY = 86400.0
MMPP = MmppArrivals(rates=[9, 1], switching=[[0, 0.2], [0.05, 0]])


def dispersion(jobs, work=None, *, work_error=None, window=(10.0, 20.0), span=1000.0, count=400, squared_cv=1.5):
    jobs = np.array(jobs, dtype=float)
    return Dispersion(
        window=np.array(window), jobs=jobs, jobs_error=np.full(len(jobs), 0.1),
        work=jobs if work is None else np.array(work), work_error=np.array(work_error or np.ones(len(jobs))),
        squared_cv=squared_cv, span=span, count=count,
    )  # fmt: skip


def test_curves_are_apart_by_the_root_mean_square_of_their_logarithms():
    assert _apart(np.array([1.0, 8.0]), np.array([1.0, 2.0])) == pytest.approx(math.log(4) / math.sqrt(2))
    assert _apart(np.array([0.01, -3.0]), np.array([0.05, 0.02])) == 0  # less than 0.05 says nothing
    assert _apart(np.array([]), np.array([])) == 0


@pytest.mark.parametrize(
    ("jobs", "law"),
    [
        # 100 and 50 windows of 4 and 8 jobs: errors sqrt(2.25/100) = 0.15 and sqrt(2.125/50) = 0.206, three times.
        ([1.449, 1.617], "poisson"),
        ([1.451, 1.0], "mmpp"),
        ([1.0, 1.620], "mmpp"),
        ([0.551, 0.383], "poisson"),
        ([0.549, 1.0], "mmpp"),
        ([1.0, 0.380], "mmpp"),
    ],
)
def test_arrivals_are_poisson_within_three_errors_in_all_windows(jobs, law):
    found, how = _chosen(dispersion(jobs), {"poisson": 0.5, "mmpp": 0.234, "daily": 0.3})
    assert found == law
    if law == "mmpp":
        assert how.endswith("(difference of log dispersions: poisson 0.50, mmpp 0.23, daily 0.30)")
    assert _chosen(dispersion([], window=()), {"poisson": 0.0})[0] == "poisson"
    one = dispersion([1.46], window=(10.0,))  # beyond three errors of 0.15
    assert _chosen(one, {"poisson": 0.5, "mmpp": 0.2})[0] == "mmpp"


@pytest.mark.parametrize(
    ("work_error", "count", "by_work", "target"),
    [
        # What the order does not explain: 1.8 and 7.3 instead of 5 and 8, which is 3.2 and 0.7 less.
        ([1.0, 1.0], 200, True, [1.8, 7.3]),
        ([1.0, 1.0], 199, False, [5.0, 8.0]),
        ([1.05, 1.0], 200, True, [1.8, 7.3]),
        ([1.08, 1.0], 200, False, [5.0, 8.0]),
    ],
)
def test_laws_are_fitted_to_work_where_it_comes_less_unevenly(monkeypatch, work_error, count, by_work, target):
    asked = []
    given = dispersion([5.0, 8.0], [2.0, 7.5], work_error=work_error)
    monkeypatch.setattr(arrivals, "dispersion_of", lambda *_: given)
    monkeypatch.setattr(arrivals, "fit_bursts", lambda *args: asked.append(args))
    monkeypatch.setattr(arrivals, "fit_clock", lambda *_: None)
    submit = np.linspace(10.0, 60.0, count)
    found = fit_arrivals(submit, np.ones(count), order_excess=0.2)
    assert (found.by_work, found.target.tolist()) == (by_work, pytest.approx(target))
    assert found.rate == pytest.approx((count - 1) / 50)
    # All of it: 1.5 of the jobs' cv and 0.2 of their order are in every curve.
    apart = [math.log(2.7 / (1.7 + each)) for each in target]
    assert found.distances == {"poisson": pytest.approx(math.sqrt(np.mean(np.square(apart))))}
    if count < 200:
        assert asked == []
    else:
        ((_, window, wanted, error),) = asked
        assert (window.tolist(), wanted.tolist()) == ([10.0, 20.0], pytest.approx(target))
        assert error.tolist() == (work_error if by_work else [0.1, 0.1])


def test_bursts_have_the_dispersions_of_their_formula():
    made = Bursts(rate=1.0, excess=3.0, time=2.0, share=0.25)
    assert made.dispersion(np.array([4.0])) == pytest.approx([1 + 3 * (1 - (1 - math.exp(-2)) / 2)])
    # Variance 40 · 1/(2 · 2) = 10, rates sqrt(10/0.09) = 10.5 apart: the lower one would be -0.05.
    silent = Bursts(rate=1.0, excess=40.0, time=2.0, share=0.1).arrivals()
    assert [float(rate) for rate in silent.rates] == pytest.approx([10, 0])
    assert np.array(silent.switching, dtype=float) == pytest.approx(np.array([[0, 0.45], [0.05, 0]]))


def test_the_third_cumulant_is_that_of_the_counts_less_poisson_s():
    submit = np.array([0, 0.1, 0.2, 1.5, 2.5, 2.6, 3.9, 4.0]) + 7  # 3, 1, 2 and 1 in four windows; the last in none
    # Mean 1.75, central moments 0.6875 and 0.28125: 0.28125 − 3 · 0.6875 + 2 · 1.75.
    assert _third_cumulant(submit, 1.0) == pytest.approx(1.71875)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_how_lopsided_the_rate_is_tells_the_share_of_bursts(share):
    """Two rates with variance 4, a share of the time at the higher: third central moment by definition."""
    apart = 2 / math.sqrt(share * (1 - share))
    third = share * ((1 - share) * apart) ** 3 - (1 - share) * (share * apart) ** 3
    x = 3.0 / 2.0  # windows of 3, bursts of 2
    cumulant = 6 * third * 2.0**3 * (x - 2 + (x + 2) * math.exp(-x))
    assert _share(cumulant, 4.0, 2.0, 3.0) == pytest.approx(share)


def test_bursts_are_read_off_their_own_curve():
    """Excess 5 over times of 6; one window that is off, but hardly trusted. Even arrivals: 16 in windows of 16."""
    window = 2.0 ** np.arange(8)
    target = Bursts(rate=1.0, excess=5.0, time=6.0, share=0.5).dispersion(window)
    error = np.full(8, 0.01)
    target[3], error[3] = 1.0, 1e6
    found = fit_bursts(np.arange(1601.0) + 0.5, window, target, error)
    assert found.rate == 1.0
    assert (found.time, found.excess) == (pytest.approx(6.0, rel=0.02), pytest.approx(5.0, rel=0.02))
    variance = found.excess / (2 * found.time)
    # 16 is nearest to twice 6; the third cumulant of constant counts is 2 · 16.
    assert found.share == pytest.approx(_share(32.0, variance, found.time, 16.0))
    assert fit_bursts(np.arange(1601.0), window, np.full(8, 0.9), error) is None
    # A window counts for no more than an error of a twentieth says.
    bent = target + np.linspace(-0.3, 0.3, 8)
    bent[3] = target[2]
    errors = (np.full(8, 1e-6), 0.05 * np.maximum(bent, 1.0))
    one, other = (fit_bursts(np.arange(1601.0), window, bent, each) for each in errors)
    assert one == other


def test_the_share_of_bursts_leaves_the_lower_rate_at_nothing_and_is_never_nothing():
    window = 2.0 ** np.arange(8)
    strong = Bursts(rate=1.0, excess=50.0, time=6.0, share=0.5).dispersion(window)
    found = fit_bursts(np.arange(1601.0), window, strong, np.full(8, 0.01))
    assert found.share == pytest.approx(1 / (1 + found.excess / (2 * found.time)))
    assert min(float(rate) for rate in found.arrivals().rates) == pytest.approx(0, abs=1e-9)
    crowd = np.sort(np.concatenate([np.arange(1601.0), np.full(3000, 800.2)]))  # one window with thousands
    assert fit_bursts(crowd, window, strong, np.full(8, 0.01)).share == 0.001


def test_time_spent_in_each_step_of_a_cycle():
    # From 1.5 to 7.25 in cycles of 3: [3, 4) and [6, 7); [1.5, 2), [4, 5) and [7, 7.25); [2, 3) and [5, 6).
    assert _spent(1.5, 7.25, 1.0, 3) == pytest.approx([2.0, 1.75, 2.0])
    assert _spent(3.0, 15.0, 2.0, 3) == pytest.approx([4.0, 4.0, 4.0])


def test_a_clock_is_learned_from_four_days_and_a_week_from_three():
    hourly = np.arange(21 * 24 + 1) * 3600.0
    assert fit_clock(hourly[:96], None) is None
    four = fit_clock(hourly[:97], None)  # the last job is in the first hour of the fifth day
    assert [float(rate) for rate in four.rates] == pytest.approx([5 / 14400] + [1 / 3600] * 23, rel=1e-5)
    assert (four.weekly, float(four.cycle)) == ((), DAY)
    assert fit_clock(hourly[:-1], None).weekly == ()
    weekly = [float(factor) for factor in fit_clock(hourly, None).weekly]
    assert weekly == pytest.approx([73 * 7 / 505] + [72 * 7 / 505] * 6, abs=5e-4)
    # Second 0 at 02:00 on a Thursday, day 3 of a week: the one job more comes three weeks later.
    later = fit_clock(hourly, 2 * 3600.0)
    assert int(np.argmax([float(factor) for factor in later.weekly])) == 3
    assert int(np.argmax([float(rate) for rate in later.rates])) == 2


@pytest.mark.parametrize("length", [0.5, 2.0, 3.7, 11.0])
def test_the_dispersion_of_a_clock_is_that_of_windows_anywhere(length):
    law = DailyArrivals(rates=[1.0, 3.0, 0.5], cycle=6.0)
    fine = np.linspace(0.0, 24.0, 24_000, endpoint=False)
    rate = np.array([1.0, 3.0, 0.5])[(fine % 6 // 2).astype(int)]
    above = np.concatenate([[0.0], np.cumsum(rate)]) * 0.001
    step = round(length / 0.001)
    mean = above[step : step + 6000] - above[:6000]
    assert clock_dispersion(law, np.array([length])) == pytest.approx([1 + mean.var() / mean.mean()], rel=2e-3)


def test_an_index_of_dispersion_and_its_error_by_hand():
    assert _index(np.array([1.0, 3.0]), 2.0) == (0.25, 0.0)
    # Mean 2, second moment 8, fourth 96: error sqrt((96 − 64)/3).
    assert _index(np.array([0.0, 0.0, 6.0]), 0.5) == pytest.approx((8.0, math.sqrt(32 / 3)))


def test_dispersions_are_those_of_counts_and_sums_in_windows():
    rng = np.random.default_rng(1)
    submit, work = np.sort(rng.uniform(5.0, 245.0, 240)), rng.uniform(1.0, 9.0, 240)
    found = dispersion_of(submit, work)
    span = submit[-1] - submit[0]
    assert (found.span, found.count) == (pytest.approx(span), 240)
    assert found.squared_cv == pytest.approx((work.std() / work.mean()) ** 2)
    assert len(found.window) == 3
    for i, length in enumerate(found.window):
        edges = submit[0] + length * np.arange(int(span // length) + 1)
        inside = [(submit >= a) & (submit < b) for a, b in pairwise(edges)]
        jobs, sums = np.array([each.sum() for each in inside]), np.array([work[each].sum() for each in inside])
        assert found.jobs[i] == pytest.approx(jobs.var() / jobs.mean())
        assert found.work[i] == pytest.approx(sums.var() / sums.mean() / work.mean() - found.squared_cv)
        fourth = ((sums - sums.mean()) ** 4).mean() - sums.var() ** 2
        assert found.work_error[i] == pytest.approx(math.sqrt(fourth / len(sums)) / sums.mean() / work.mean())


def law_found(name, *, contradicted=True, distance=0.04, cv=1.0, own=1.0):
    return SimpleNamespace(
        name=name, contradicted=contradicted, distance=distance, cv=cv, duration=SimpleNamespace(cv=own)
    )


@pytest.mark.parametrize(
    ("phase_type", "lognormal", "chosen"),
    [
        ({"contradicted": False, "distance": 0.5}, {"contradicted": False}, "phase-type"),
        ({}, {"contradicted": False, "distance": 0.5}, "lognormal"),
        ({}, {}, "phase-type"),
        ({"distance": 0.05, "cv": 2.0, "own": 2.19}, {}, "phase-type"),
        ({"distance": 0.051}, {}, "lognormal"),
        ({"cv": 2.0, "own": 2.21}, {}, "lognormal"),
        ({"cv": 2.0, "own": 1.79}, {}, "lognormal"),
        ({"cv": 2.0, "own": 1.81}, {}, "phase-type"),
        ({"distance": 0.06}, {"distance": 0.06}, "empirical"),
    ],
)
def test_the_first_law_that_is_not_contradicted_or_else_near_is_taken(monkeypatch, phase_type, lognormal, chosen):
    monkeypatch.setattr(durations, "_phase_type", lambda *_: law_found("phase-type", **phase_type))
    monkeypatch.setattr(durations, "_lognormal", lambda *_: law_found("lognormal", **lognormal))
    monkeypatch.setattr(durations, "_empirical", lambda *_: law_found("empirical"))
    assert fit_duration(np.array([1.0, 2.0])).name == chosen


def test_laws_of_a_few_run_times_by_hand():
    with pytest.raises(msj.InvalidInput, match="is out of range"):  # e^30 and e^-30: a variance of 900
        _lognormal(np.exp([-30.0, 30.0]))
    found = _lognormal(np.exp([0.0, 2.0]))  # logarithms of mean 1 and variance 1
    assert (float(found.duration.mean), found.duration.cv) == pytest.approx((math.exp(1.5), math.sqrt(math.e - 1)))
    assert found.distance == pytest.approx(0.5 - 0.158655, abs=1e-6)  # P(N < −1)
    same = fit_duration(np.array([3.0, 3.0]))
    assert (same.duration.law, same.distance, same.jobs, same.mean, same.cv) == ("deterministic", 0, 2, 3, 0)
    two = fit_duration(np.array([1.0, 3.0]), "empirical")
    assert (two.mean, two.cv, two.jobs, two.distance, two.how) == (2, 0.5, 2, 0, "the recorded run times")
    assert len(_empirical(np.arange(1.0, 201)).duration.values) == 200
    many = _empirical(np.arange(400.0, 0.0, -1))  # two by two
    assert [float(value) for value in many.duration.values] == pytest.approx([2 * i + 1.5 for i in range(200)])
    assert many.how == "200 equally likely values, each the mean of a slice"
    assert many.distance == pytest.approx(1 / 400)
    assert fit_duration(np.array([1.0, 3.0]), "phase-type", phases=1).how == "an Erlang law by its mean"


def test_data_become_points_the_largest_one_by_one():
    points = points_of(np.arange(300.0, 0.0, -1))  # 250 in 200 slices, the first 50 of which have two
    assert (len(points.value), points.count) == (250, 300)
    assert points.value[[0, 1, 49, 50, 199, 200, 249]].tolist() == [1.5, 3.5, 99.5, 101, 250, 251, 300]
    assert points.weight == pytest.approx([2 / 300] * 50 + [1 / 300] * 200)
    assert len(points_of(np.arange(51.0)).value) == 51
    few = Points(value=np.array([1.0, 3.0]), weight=np.array([0.25, 0.75]), count=4)
    assert (few.mean, few.squared_cv) == pytest.approx((2.5, 0.75 / 6.25))


def mixture(stages, rates, probabilities):
    return ErlangMixture(stages=np.array(stages), rates=np.array(rates), probabilities=np.array(probabilities), bic=0.0)


def test_a_mixture_is_written_by_its_simplest_name():
    one, erlang = mixture([1], [0.5], [1.0]).duration(), mixture([3], [1.5], [1.0]).duration()
    assert (one.law, float(one.mean)) == ("exponential", 2)
    assert (erlang.law, erlang.stages, float(erlang.mean)) == ("erlang", 3, 2)
    assert mixture([1, 1], [2.0, 0.5], [0.4, 0.6]).duration().law == "hyperexponential"
    law = mixture([2, 3], [2.0, 0.5], [0.4, 0.6]).duration()
    assert [float(p) for p in law.initial] == pytest.approx([0.4, 0, 0.6, 0, 0])
    assert np.array(law.generator, dtype=float).tolist() == [
        [-2, 2, 0, 0, 0], [0, -2, 0, 0, 0], [0, 0, -0.5, 0.5, 0], [0, 0, 0, -0.5, 0.5], [0, 0, 0, 0, -0.5],
    ]  # fmt: skip
    assert mixture([1, 2], [2.0, 0.5], [0.4, 0.6]).cdf(np.array([3.0])) == pytest.approx(
        [0.4 * (1 - math.exp(-6)) + 0.6 * (1 - 2.5 * math.exp(-1.5))]
    )
    assert _summing_to_one(np.array([1 / 6, 2 / 3, 1 / 6])) == pytest.approx((0.166667, 0.666666, 0.166667), abs=1e-12)


def spread(squared_cv):
    off = math.sqrt(squared_cv)
    return Points(value=np.array([1 - off, 1 + off]), weight=np.array([0.5, 0.5]), count=10)


def test_which_stages_are_tried():
    assert list(_choices(spread(0.26), 1)) == [(1,), (3,), (4,), (5,)]
    assert list(_choices(spread(0.26), 2)) == [(1,), (3,), (4,), (5,), (1, 1)]
    assert list(_choices(spread(1e-6), 1)) == [(1,), (49,), (50,)]
    assert list(_choices(spread(0.9), 1)) == [(1,), (2,)]
    assert list(_choices(Points(value=np.array([1.0, 9.0]), weight=np.array([0.9, 0.1]), count=9), 1)) == [(1,), (2,)]
    assert list(_stages(2, 4, 1)) == [(1, 1), (1, 2), (1, 3), (2, 2)]
    assert list(_stages(3, 5, 1)) == [(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 2)]
    assert list(_stages(1, 4, 3)) == [(3,), (4,)]


def test_one_branch_has_the_likelihood_of_its_law():
    """Exponential with mean 3: −log 3 − 1 a job. Erlang of 2 stages, rate 2/3: log(4/9) + E[log x] − 2."""
    points = Points(value=np.array([1.0, 2.0, 6.0]), weight=np.full(3, 1 / 3), count=30)
    found = fitted_mixture(points, (1,))
    assert (found.rates, found.probabilities) == (pytest.approx([1 / 3]), pytest.approx([1.0]))
    assert found.bic == pytest.approx(60 * (math.log(3) + 1) + math.log(30))
    two = fitted_mixture(points, (2,))
    assert two.bic == pytest.approx(-60 * (math.log(4 / 9) + math.log(12) / 3 - 2) + math.log(30))


def test_branches_begin_at_the_means_of_equal_shares_of_the_jobs(monkeypatch):
    begun = []

    def iterated(x, w, s, rates):
        begun.append(rates.tolist())
        return -1.0 - len(begun), np.array([0.25, 0.75]), rates

    monkeypatch.setattr(erlang_mixtures, "_iterated", iterated)
    points = Points(value=np.array([1.0, 2.0, 6.0]), weight=np.full(3, 1 / 3), count=30)
    found = fitted_mixture(points, (1, 1))  # the middle job is in the upper half: means 1 and 4
    assert begun == [[1.0, 0.25]]
    assert found.bic == pytest.approx(60 * 2 + 3 * math.log(30))
    begun.clear()
    found = fitted_mixture(points, (1, 2))
    assert begun == [[1.0, 0.5], [0.25, 2.0]]
    assert found.rates.tolist() == [1.0, 0.5]  # the likelier
    nobody = np.zeros(3, dtype=bool)
    assert _mean(points.value, points.weight, nobody) == pytest.approx(3)
    assert _mean(points.value, np.array([0.5, 0.25, 0.25]), np.array([True, False, True])) == pytest.approx(2 / 0.75)


@pytest.mark.parametrize(
    ("distance", "count", "word"),
    [(0.05, 10_000, "good"), (0.0501, 10_000, "fair"), (0.10, 10_000, "fair"), (0.1001, 10_000, "poor"),
     (0.016, 10_000, "agrees"), (0.017, 10_000, "good")],
)  # fmt: skip
def test_words_for_distances(distance, count, word):
    assert word_for(distance, count) == word
    assert (not_contradicted(1.63, 1), not_contradicted(1.62, 1)) == (False, True)


def test_orders_of_eight_jobs_by_hand():
    """Of class 0 after 0, and of 1 after 1, so many; the last job is followed by the first."""
    mixed = fit_order(np.array([0, 0, 1, 0, 1, 1, 1, 0]), 2)  # two of each pair
    assert (mixed.order.law, mixed.stickiness, mixed.alike, mixed.alike_if_independent) == ("independent", 0, 0.5, 0.5)
    assert mixed.error == pytest.approx(1 / math.sqrt(8))
    runs = fit_order(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2, "sticky")  # six alike, two not: s = (6 − 2)/8
    assert (runs.stickiness, float(runs.order.probability), runs.alike) == (pytest.approx(0.5), 0.5, 0.75)
    assert runs.error == pytest.approx(1 / math.sqrt(6 * 4 / 9 + 2 / 0.25))
    assert runs.how == "as asked"
    uneven = fit_order(np.array([0, 0, 0, 1]), 2)
    assert (uneven.alike, uneven.alike_if_independent) == (0.5, pytest.approx(0.625))
    one = fit_order(np.zeros(5, dtype=np.int64), 1)
    assert (one.alike, one.alike_if_independent, one.stickiness, one.how) == (1, 1, 0, "there is one class")


def test_an_order_pays_for_its_parameters(monkeypatch):
    assert _bic(np.array([[3, 1], [0, 4]]), np.full((2, 2), 0.5), 2) == pytest.approx(
        16 * math.log(2) + 2 * math.log(8)
    )
    module, paid = importlib.import_module("msj.fitting.order"), []

    def bic(pairs, steps, parameters):
        assert steps.sum(axis=1) == pytest.approx(np.ones(4))
        paid.append(parameters)
        return 100.0 - parameters / 10_000  # equal but for what is rounded off

    monkeypatch.setattr(module, "_bic", bic)
    found = fit_order(np.array([0, 1, 2, 3, 0, 0, 1, 1, 2, 2, 3, 3]), 4)
    assert paid == [0, 1, 9]
    assert found.order.law in ("independent", "markov", "sticky")
    rows = _rows(np.array([[1, 2], [3, 0]]))
    assert rows == ((pytest.approx(0.333333333, abs=1e-12), pytest.approx(0.666666667, abs=1e-12)), (1.0, 0.0))
    assert [sum(row) for row in rows] == [1.0, 1.0]


def test_merging_takes_the_cheapest_neighbour_again_and_again():
    """Six rare needs: each time the rarest goes where least server-time is misplaced."""
    need = np.repeat([1, 2, 4, 9, 10, 30], [40, 10, 35, 20, 15, 50])
    found = classes_by_need(need, np.where(need == 4, 3.0, 1.0))
    assert found.members == ((1, 2), (4,), (9, 10), (30,))
    assert (found.needs, found.counts().tolist()) == ((1, 4, 9, 30), [50, 35, 35, 50])
    assert found.names == ("need 1 to 2", "need 4", "need 9 to 10", "need 30")
    exactly = np.repeat([1, 2, 3], [30, 30, 30])
    assert classes_by_need(exactly, np.ones(90), most=3).members == ((1,), (2,), (3,))
    # Needs 1 and 2 would become 1 and misplace 30 · 4, needs 2 and 3 become 2 and misplace 30 · 1.
    assert classes_by_need(exactly, np.array([5.0] * 30 + [4.0] * 30 + [1.0] * 30), most=2).members == ((1,), (2, 3))


def trace(count, **columns):
    frame = pandas.DataFrame({
        "submit": np.arange(count) * 10.0, "wait": math.nan, "run": 5.0, "need": 1, "estimate": math.nan, **columns,
    })  # fmt: skip
    return msj.Trace(frame=frame.astype({"wait": float, "estimate": float}), servers=4)


@pytest.mark.parametrize(("count", "least"), [(10, 1), (39, 1), (40, 2), (400, 20), (600, 30), (1000, 30)])
def test_a_class_has_a_twentieth_of_the_jobs_or_thirty(monkeypatch, count, least):
    module, asked = importlib.import_module("msj.fitting.fitted"), []

    class Seen(Exception):
        pass

    def classes_of(given, **options):
        asked.append((len(given), options))
        raise Seen

    monkeypatch.setattr(module, "classes_of", classes_of)
    options = module.FitOptions(classes=7)
    with pytest.raises(Seen):
        module.fitted(trace(count), options, 4)
    assert asked == [(count, {"by": None, "most": 7, "least": least})]
    with pytest.raises(Seen):
        module.fitted(trace(count, **{"class": "a"}), options, 1)
    assert asked[1][1]["by"] == "class"
    with pytest.raises(Seen):  # jobs that do not fit are left out
        module.fitted(trace(count + 1, need=[5] + [4] * count), options, 4)
    assert asked[2][0] == count


def test_too_few_jobs_or_all_at_once_are_refused():
    module = importlib.import_module("msj.fitting.fitted")
    for few in (trace(9), trace(20, submit=np.full(20, 7.0))):
        with pytest.raises(msj.InvalidInput, match="too few jobs"):
            module.fitted(few, module.FitOptions(), 4)
    with pytest.raises(msj.InvalidInput, match="no such column"):
        module.fitted(trace(20), module.FitOptions(by="colour"), 4)


def test_what_the_order_adds_to_the_dispersion_of_work():
    """Jobs of work 1 and 3, half each, sticky 1/2: covariances 1/2, 1/4, ... of the variance 1, twice, over 2²."""
    module = importlib.import_module("msj.fitting.fitted")
    of_job = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    classes = classes_by_need(of_job + 1, np.ones(8), least=1)
    work = np.where(of_job == 0, 1.0, 3.0)
    assert module.order_excess(classes, fit_order(of_job, 2, "sticky"), work) == pytest.approx(2 * 1 / 4)
    assert module.order_excess(classes, fit_order(of_job, 2, "independent"), work) == pytest.approx(0, abs=1e-12)


def duration(law, *, word="agrees", mean=90.0):
    return SimpleNamespace(duration=law, word=word, mean=mean, cv=1.23456, how="by hand", distance=0.12345)


EXACT, ROUGH = msj.Exponential(mean=90), msj.Lognormal(mean=90, cv=2)


def fit(laws, *, members=None, law=None, distances=None, by_work=False):
    names = tuple(f"c{i}" for i in range(len(laws)))
    members = members or tuple((i + 1,) for i in range(len(laws)))
    classes = SimpleNamespace(
        names=names, members=members, needs=tuple(m[0] for m in members), counts=lambda: [1200] * len(names),
    )  # fmt: skip

    class Sized(SimpleNamespace):
        def __len__(self):
            return len(names)

    law = law or PoissonArrivals()
    return SimpleNamespace(
        trace=trace(3, submit=[DAY, 1.5 * DAY, 2.5 * DAY]), classes=Sized(**vars(classes)), durations=tuple(laws),
        arrivals=SimpleNamespace(arrivals=law, how="by hand", by_work=by_work, distances=distances or {}),
        order=SimpleNamespace(alike=0.25, alike_if_independent=0.1234, how="as asked",
                              order=SimpleNamespace(law="sticky")),
    )  # fmt: skip


def test_every_part_has_its_remark():
    found = fit([duration(EXACT), duration(ROUGH, word="poor")], members=((1,), (4, 5, 6)))
    remarks = remarks_of(found, 1 / 60, "minutes")
    # From the second day on for a day and a half.
    assert remarks["name"] == "Fitted by msj to 3 jobs of 1.5 days. msj fit says how well it predicts."
    assert remarks["c0"] == (
        "1,200 jobs; run times have mean 1.5 minutes and cv 1.23.\nexponential: by hand; distance 0.123, agrees."
    )
    assert remarks["c1"] == (
        "1,200 jobs; run times have mean 1.5 minutes and cv 1.23. Needs 4, 5 and 6 were merged into 4.\n"
        "lognormal: by hand; distance 0.123, poor."
    )
    assert list(remarks) == ["name", "policy", "arrival_rate", "arrivals", "order", "c0", "c1"]
    assert order_words(found) == (
        "Order of jobs, sticky: 25 % of the jobs are of the class of the one before, by chance 12.3 % would be "
        "(as asked)."
    )


def test_arrivals_are_told_by_their_law():
    daily = DailyArrivals(rates=[1.0, 3.0], cycle=6.0)
    assert arrivals_words(fit([duration(EXACT)])) == "Arrivals are Poisson: by hand."
    assert arrivals_words(fit([duration(EXACT)], law=daily)) == "Arrivals go by the clock: by hand."
    assert arrivals_words(fit([duration(EXACT)], law=MMPP, by_work=True)) == (
        "Arrivals come in bursts (MMPP of two states, by moments of counts): by hand. Work arrives less unevenly than "
        "jobs do, so bursts are as strong as those of work."
    )


def test_what_a_fit_cannot_tell_is_noted():
    last = "A fit has no users: who waits long may send less, and who waits less, more."
    assert notes_of(fit([duration(EXACT)], distances={"poisson": 0.25})) == [last]
    all_, far, users = notes_of(fit([duration(ROUGH), duration(ROUGH)], distances={"poisson": 0.26, "mmpp": 9.0}))
    assert all_.startswith("All classes have run times that only simulation understands; ")
    assert far.startswith("The arrivals' dispersions differ from the log's by a factor of 1.30 on average")
    assert users == last
    some, poor, _ = notes_of(fit([duration(EXACT, word="poor"), duration(ROUGH), duration(EXACT, word="poor")]))
    assert some.startswith("c1 have run times that only")
    assert poor == "The run times of c0 and c2 are described poorly."


@pytest.mark.parametrize(
    ("members", "listed"),
    [((1, 2), "1 and 2"), ((1, 2, 3, 4), "1, 2, 3 and 4"), ((1, 2, 3, 4, 7), "1 to 7 (5 of them)")],
)
def test_needs_are_listed_up_to_four(members, listed):
    assert _listed(members) == listed


@pytest.mark.parametrize(
    ("names", "words"),
    [("a", "a"), ("ab", "a and b"), ("abcd", "a, b, c and d"), ("abcde", "a, b, c and 2 more"),
     ("abcdefg", "a, b, c and 4 more")],
)  # fmt: skip
def test_names_are_listed_up_to_four(names, words):
    assert _words(list(names)) == words
