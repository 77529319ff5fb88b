"""Intervals from numbers small enough to be worked out on paper; Student's quantiles are those of printed tables."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from msj.simulation.intervals import (
    Variance,
    batch_variance,
    in_parallel,
    likeness,
    mean_interval,
    pooled,
    probability_interval,
    remaining,
    student_interval,
    unseen,
)
from msj.simulation.percentile_interval import (
    _between_batches,
    _crossing,
    _exceedances,
    _interval,
    _quantiles,
    _scores,
    _seen_by_most,
    percentile_intervals,
)
from msj.simulation.sketch import BINS, Sketch, first_bin


@pytest.mark.parametrize(
    ("given", "value", "freedom"),
    [
        # Long jobs 0.02: of 60 degrees for the queue and 12 for long jobs, weighted 1 : 2, 28 are left.
        ((0.015, 11, 0.01, 0.02), (10 * 0.015 + 28 * 0.03) / 38, 38),
        # They count for four times the batches at most: 0.004, so again 1 : 2.
        ((0.001, 11, 0.002, 0.05), (10 * 0.001 + 28 * 0.006) / 38, 38),
        # From twenty batches on the queue counts for three times the batches at most.
        ((0.001, 20, 0.01), (19 * 0.001 + 60 * 0.003) / 79, 79),
        ((0.001, 19, 0.01), (18 * 0.001 + 60 * 0.01) / 78, 78),
        # A thousand independent observations: theory is worth 30,000/1,000 degrees.
        ((0.0015, 11, 0.001), (10 * 0.0015 + 30 * 0.001) / 40, 40),
        # Five thousand: 6 degrees, fewer than the 12 that long jobs are worth at most.
        ((0.0003, 11, 0.0001, 0.0001), (10 * 0.0003 + 6 * 0.0002) / 16, 16),
        # Twice what theory says is not a contradiction yet.
        ((0.02, 11, 0.01), (10 * 0.02 + 60 * 0.01) / 70, 70),
        ((0.0201, 11, 0.01), 0.0201, 10),
        ((0.0, 11, 0.0), 0.0, 10),
    ],
)
def test_batches_and_theory_are_pooled_by_their_degrees_of_freedom(given, value, freedom):
    found = pooled(*given)
    assert (found.value, found.freedom) == pytest.approx((value, freedom), rel=1e-12)


@pytest.mark.parametrize(
    ("count", "theory", "value", "freedom"),
    [
        (9, None, 0.01 * 0.09, 8),  # only the batches: of 0.01 a share of 0.09
        # 0.01 · 0.09/0.06 = 0.015 is seen in the scale of the plain mean; a share of 0.06 is like the queue by 0.4, so
        # theory is worth 24 of 60 degrees there, and in parallel with 12 for the share itself 8.
        (11, (0.01, 0.0), 0.06 * (10 * 0.015 + 24 * 0.01) / 34, 10 + 8),
        (11, (0.1, 0.0), 0.06 * (10 * 0.015 + 24 * 0.1) / 34, 10 + 8),
        # From twelve batches on theory is close to what is seen: 0.015 · (1 + 10/12).
        (12, (0.1, 0.0), 0.06 * (11 * 0.015 + 24 * 0.0275) / 35, 11 + 8),
        # With long jobs 28 degrees for 0.03 altogether, of which 11.2 count.
        (11, (0.01, 0.02), 0.06 * (10 * 0.015 + 11.2 * 0.03) / 21.2, 10 + 11.2 * 12 / 23.2),
    ],
)
def test_what_controls_leave_over_counts_theory_by_how_much_it_is_like_the_queue(count, theory, value, freedom):
    found = remaining(0.01, count, 0.09, 0.06, theory)
    more = 1.172  # 1.1 and 1.2 · 0.06: what batches do not see
    assert (found.value, found.freedom) == pytest.approx((value * more, freedom), rel=1e-12)


def test_shares_and_degrees_of_freedom():
    assert unseen(0.25) == pytest.approx(1.4)
    assert (likeness(0.06), likeness(0.15), likeness(0.2)) == pytest.approx((0.4, 1.0, 1.0))
    assert in_parallel(3.0, 6.0) == pytest.approx(2.0)


def test_ratios_of_sums_over_batches_of_unequal_length():
    """1, 4, 4 over 1, 2, 3: the ratio is 1.5, residuals are −1/2, 1, −1/2 and their variance is 3/4."""
    above, below = np.array([1.0, 4.0, 4.0]), np.array([1.0, 2.0, 3.0])
    assert batch_variance(above, below) == pytest.approx(3 * 0.75 / 81)
    half = 4.302653 * math.sqrt(3 * 0.75) / 6
    assert student_interval(above, below) == pytest.approx((1.5, 1.5 - half, 1.5 + half), rel=1e-6)


def test_means_have_their_interval_on_the_logarithm():
    variance = Variance(0.04, 7)
    assert variance.half_width == pytest.approx(2.364624 * 0.2, rel=1e-6)
    assert mean_interval(3.0, variance) == pytest.approx((3 * math.exp(-0.4729248), 3 * math.exp(0.4729248)), rel=1e-6)
    assert mean_interval(3.0, variance, 0.9) == pytest.approx(
        (3 * math.exp(-0.2829847), 3 * math.exp(0.2829847)), rel=1e-6
    )
    assert mean_interval(3.0, Variance(1e12, 7)) == (3 * math.exp(-700), 3 * math.exp(700))  # no overflow


@pytest.mark.parametrize(("confidence", "quantile"), [(0.975, 2.364624), (0.9, 1.414924)])
def test_probabilities_within_the_interval_are_those_the_score_test_leaves(confidence, quantile):
    low, high = probability_interval(0.2, Variance(0.05, 7), confidence)
    assert 0 < low < 0.2 < high < 1
    for p in (low, high):
        assert (0.2 - p) ** 2 == pytest.approx(quantile**2 * 0.05 * 0.2 * p, rel=1e-5)
    assert probability_interval(0.0, Variance(0.01, 7), confidence) == pytest.approx((0, quantile**2 / 100), rel=1e-5)
    assert probability_interval(0.0, Variance(1.0, 7), confidence) == (0.0, 1.0)
    assert probability_interval(0.9, Variance(1.0, 7), confidence)[1] == 1.0


# Percentiles.


def test_where_scores_fall_to_a_limit():
    edges, scores = np.array([1.0, 3.0, 6.0]), np.array([3.0, 1.0, -2.0])
    assert [_crossing(edges, scores, limit) for limit in (3.0, 2.0, 1.0, -1.0, -2.0)] == pytest.approx([1, 2, 3, 5, 6])
    assert math.isnan(_crossing(edges, scores, -2.5))
    for scores in ([math.inf, 0.5, -math.inf], [math.inf, 0.5, 0.2]):
        assert _crossing(edges, np.array(scores), 0.75) == 3.0  # nothing to go by between: the edge itself
    assert _crossing(edges, np.array([2.0, 0.5, -math.inf]), -1.0) == 6.0


@pytest.mark.parametrize(
    ("scores", "interval"),
    [
        ([1.0, 0.0, -2.0], (0.0, 5.0)),
        ([1.5, 0.5, -2.5], (2.0, 5.0)),
        ([-1.0, -1.5, -3.0], (0.0, 0.0)),
        ([-0.5, -1.5, -3.0], (0.0, 2.0)),
        ([2.0, 0.0, -0.5], None),
        ([3.0, 1.5, 1.2], None),
    ],
)
def test_the_interval_is_where_scores_are_within_one(scores, interval):
    assert _interval(np.array([1.0, 3.0, 7.0]), np.array(scores)) == interval


def test_exceedances_of_batches_that_use_different_bins():
    lowest = first_bin(1.0)
    batches = [
        Sketch(lowest, np.array([2, 5]), np.array([3, 1])),
        Sketch(lowest, np.array([5, 9]), np.array([2, 4])),
    ]
    bins, beyond, jobs = _exceedances(batches)
    assert bins.tolist() == [0, 2, 5, 9]
    assert beyond.tolist() == [[4, 1, 0, 0], [6, 6, 4, 0]]
    assert jobs.tolist() == [4, 6]


def test_the_variance_between_batches_over_the_share_seen():
    """Of 4 and 6 jobs 1 and 4 are beyond: residuals ∓1, variance 2. Then 0 and 2: ∓0.8, variance 1.28. Then nobody."""
    seen, variance = _between_batches(np.array([[1.0, 0.0, 0.0], [4.0, 2.0, 0.0]]), np.array([4.0, 6.0]))
    assert seen == pytest.approx([0.5, 0.2, 0.0])
    assert variance == pytest.approx([2 * 2 / 100 / 0.5, 2 * 1.28 / 100 / 0.2, 0.0])


@pytest.mark.parametrize(
    ("share", "at", "there", "most"),
    [
        (0.2, 1, 9, True),
        (0.2, 1, 8, False),
        (0.3, 1, 9, True),
        (0.5, 0, 9, True),
        (0.05, 2, 9, True),
        (0.05, 2, 8, False),
    ],
)
def test_nine_of_ten_batches_have_jobs_beyond_the_percentile(share, at, there, most):
    """Beyond the first edge at which no more than the share of all jobs is left; the last one where there is none."""
    beyond = np.zeros((10, 3))
    beyond[:there, at] = 1.0
    assert _seen_by_most(beyond, np.array([0.5, 0.2, 0.1]), share) is most


@pytest.mark.parametrize(
    ("batches", "options", "spread", "freedom"),
    [
        # A share of 0.2 of 40 memories: theory says 0.8/40 in units of the share, and is worth 60 degrees beside 10.
        (0.03, {}, (10 * 0.03 + 60 * 0.02) / 70, 70),
        (0.04, {}, (10 * 0.04 + 60 * 0.02) / 70, 70),
        (0.041, {}, 0.041, 10),  # more than twice what theory says: batches alone
        (0.03, {"most": 5.0}, (10 * 0.03 + 5 * 0.02) / 15, 15),
        (0.0003, {"memories": 4000.0}, (10 * 0.0003 + 2 * 0.0002) / 12, 12),  # 2,000 · 0.0002/0.2
        # Long jobs are worth 12; kappa = 2e-5/(0.05 · 0.2)² = 0.2 leaves batches 1/(1/10 + 0.1) degrees.
        (0.03, {"long_jobs": 0.05, "fourth": 2e-5}, (5 * 0.03 + 60 * 0.02 + 12 * 0.05) / 77, 77),
        (0.03, {"long_jobs": 0.02, "fourth": 7.2e-6}, (5 * 0.03 + 60 * 0.02 + 12 * 0.02) / 77, 77),
        (0.02, {"long_jobs": 0.01}, (10 * 0.02 + 60 * 0.02 + 12 * 0.01) / 82, 82),
        (0.03, {"long_jobs": 0.01, "fourth": 2e-5}, (10 * 0.03 + 60 * 0.02) / 70, 70),  # batches say more than that
    ],
)
def test_scores_by_hand(batches, options, spread, freedom):
    given = {"memories": 40.0, "most": 60.0, "long_jobs": 0.0, "fourth": 0.0} | options
    seen = np.array([0.5, 0.2, 0.1])
    long_jobs = np.full(3, given.pop("long_jobs"))
    found = _scores(seen, np.full(3, batches), 11, 0.2, long_jobs=long_jobs, **given)
    unit = stdtrit(freedom, 0.975) * math.sqrt(spread * 0.2)
    assert found == pytest.approx([0.3 / unit, 0.0, -0.1 / unit], rel=1e-9, abs=1e-12)


def test_without_any_spread_only_equality_is_left():
    none = np.zeros(3)
    found = _scores(np.array([1.0, 0.2, 0.0]), none, 11, 0.2, math.inf, 60.0, none, 0.0)
    assert found.tolist() == [math.inf, 0.0, -math.inf]


def test_quantiles_are_looked_up_where_they_decide():
    """Brute force: the interval is the one with the quantile of every edge."""
    chance = np.random.default_rng(1)
    edges = np.arange(1.0, 41.0)
    for _ in range(60):
        freedom = np.sort(chance.integers(2, 30, 40).astype(float))[:: chance.choice([-1, 1])]
        apart = np.sort(chance.normal(0, 4, 40))[::-1]
        wanted = _interval(edges, apart / stdtrit(freedom, 0.975))
        assert _interval(edges, apart / _quantiles(freedom, apart)) == (wanted and pytest.approx(wanted, rel=1e-12))
    same = _quantiles(np.full(3, 7.0), np.array([3.0, 0.0, -3.0]))
    assert same == pytest.approx([2.364624] * 3, rel=1e-6)


class LongJobs:
    """As many as one likes."""

    fourth = 2 * (1 / 8 - 1 / 19) * 1000 * 0.4**2  # kappa leaves 8 of 19 degrees

    def in_bins(self, lowest):
        assert lowest == first_bin(1.0)
        return np.full(BINS, 0.4)


def uniform(*places):
    """Batches of a hundred values, one in each of a hundred bins from a place on."""
    batches = []
    for place in places:
        histogram = np.zeros(BINS)
        histogram[place : place + 100] = 1
        batches.append(Sketch.of(first_bin(1.0), histogram))
    return batches


@pytest.mark.parametrize("level", [50, 80])
def test_long_jobs_alone_make_the_interval_of_a_percentile(level):
    """Equal batches and endless memories: a variance of 0.4/1,000 with 12 of 20 degrees of freedom, t = 2.085963."""
    batches, share = uniform(*[500] * 20), 1 - level / 100
    ((low, high),) = percentile_intervals(batches, (level,), 1e12, long_jobs=LongJobs(), run=1000.0)
    half = 2.085963 * math.sqrt(12 / 20 * 0.0004)
    ends, beyond = batches[0].edges(np.arange(501, 601)), 0.99 - np.arange(100) / 100
    assert low == pytest.approx(float(np.interp(-share - half, -beyond, ends)), rel=1e-6)
    assert high == pytest.approx(float(np.interp(-share + half, -beyond, ends)), rel=1e-6)


def test_batches_that_are_alike_have_wider_intervals_and_theory_is_not_asked():
    """Ten batches one bin lower, ten one higher: ±1 in a hundred. 400 times the variance, 19 degrees, t = 2.093024.

    A share s of jobs beyond x contradicts p if |s − p| > t·sqrt(400·v·p/s), v = 20·(20/19)/2000².
    """
    batches, p = uniform(*[499] * 10, *[501] * 10), 0.3
    ((low, high),) = percentile_intervals(batches, (70,), 100.0, wider=400.0)
    unit = 2.093024**2 * 400 * 20 * (20 / 19) / 2000**2 * p
    ends, beyond = batches[0].edges(np.arange(501, 601)), 0.99 - np.arange(100) / 100
    for end in (low, high):
        seen = float(np.interp(end, ends, beyond))
        assert abs(seen - p) == pytest.approx(math.sqrt(unit / seen), rel=0.01)
    assert low < high


def test_percentiles_that_too_few_jobs_are_beyond_have_no_interval():
    batches = uniform(*[500] * 20)
    levels = (50, 90, 95.5, 96)  # of 100 independent ones 50, 10, 4.5 and 4 are beyond
    assert [found is None for found in percentile_intervals(batches, levels, 100.0001)] == [False, False, False, True]
    assert percentile_intervals(batches, (96, 97), 100.0) == [None, None]
    assert percentile_intervals(batches, (97, 50), 100.0)[1] is not None
    assert percentile_intervals(batches, (50,), 9.0) != [None] == percentile_intervals(batches, (50,), 8.99)


def test_batches_that_are_alike_must_nearly_all_have_seen_what_is_beyond():
    """Twelve of twenty batches have all that is beyond the 70th percentile."""
    batches = uniform(*[400] * 8, *[500] * 12)
    assert percentile_intervals(batches, (70,), 100.0)[0] is not None
    assert percentile_intervals(batches, (70,), 100.0, wider=2.0) == [None]
