"""Laws from outside: what they declare is compared with what they draw, and correct ones pass.

Trials have seeds of their own, so each test has one outcome; a correct law fails with probability below 1e-6.
"""

import math

import numpy as np
import pytest
from verification.outside_laws import trials, try_at_some_rate
from verification.random_arrivals import WrappedArrivals, wrapped_arrivals
from verification.random_laws import wrapped_law

import msj
from msj.errors import BadLaw
from msj.model.arrivals import MarkovForm, arrivals_from
from msj.model.trials import try_arrivals, try_duration, try_order
from msj.model.trials.limits import deviation_factor, dkw_distance, dkw_limit
from own_laws import Own, OwnArrivals, OwnOrder, PoissonOfOnesOwn

NAMES = ("small", "large")


def exponential(x):
    return -np.expm1(-x)


def fails(*values, **arguments):
    raise ArithmeticError("out of range")


def two_phases(mean):
    return msj.Erlang(stages=2, mean=mean).as_phase_type()


class TestLimits:
    def test_the_dkw_bound_is_massarts(self):
        d = dkw_limit(1000, 1e-6)
        assert 2 * math.exp(-2 * 1000 * d**2) == pytest.approx(1e-6)

    def test_the_median_of_means_keeps_its_error_probability(self):
        t, half = deviation_factor(1e-4, 11), 6
        p = 1 / (1 + t**2)
        tail = sum(math.comb(11, k) * p**k * (1 - p) ** (11 - k) for k in range(half, 12))
        assert 2 * tail == pytest.approx(1e-4)

    def test_the_distance_is_that_of_kolmogorov_and_smirnov(self):
        from scipy import stats

        drawn = np.sort(np.random.default_rng(5).exponential(1.3, 500))
        assert dkw_distance(drawn, exponential, 1.0, 500).value == pytest.approx(
            stats.kstest(drawn, "expon").statistic, abs=1e-7
        )

    def test_rounding_at_an_atom_is_no_difference(self):
        drawn = np.full(100, 0.1 + 0.2)
        assert dkw_distance(drawn, lambda x: (x >= 0.3).astype(float), 0.3, 10).value == 0.0
        assert dkw_distance(np.zeros(100), lambda x: np.ones(len(x)), 1.0, 10).value == 0.0


# What is wrong with the law, and what the refusal says: the value, the rule, the fix.
WRONG_DURATIONS = {
    "negative samples": (Own(change=lambda x: x - 0.1), "drew -0.0", "must be finite and not negative", "Own.sample"),
    "NaN": (Own(change=lambda x: np.where(x > 5, np.nan, x)), "drew nan", "must be finite", "correct Own.sample"),
    "infinite": (Own(change=lambda x: np.where(x > 5, np.inf, x)), "drew inf", "must be finite", "correct Own.sample"),
    "three times the mean": (
        Own(change=lambda x: 3 * x),
        "the mean 1, and its samples have 2.99",
        "may differ",
        "mean",
    ),
    "half the mean": (Own(change=lambda x: x / 2), "the mean 1, and its samples have 0.499", "may differ", "mean"),
    "wrong second moment": (
        Own(second=4.0, fourth=50.0),
        "the second moment 4, and its samples have 1.9",
        "may differ",
        "correct second_moment",
    ),
    "impossible second moment": (Own(second=0.5), "second_moment = 0.5", "at least the mean squared", "correct one"),
    "phase type of another mean": (
        Own(phases=two_phases(2.0)),
        "its phase type has 2",
        "both must be equal",
        "correct mean or as_phase_type",
    ),
    "phase type of another second moment": (
        Own(phases=two_phases(1.0)),
        "the second moment 2, and its phase type has 1.5",
        "both must be equal",
        "correct second_moment or as_phase_type",
    ),
    "phase type of other samples": (
        Own(second=1.5, phases=two_phases(1.0)),
        "by as_phase_type",
        "may differ by 0.00",
        "correct as_phase_type or sample",
    ),
    "other distribution function": (
        Own(distribution=lambda x: exponential(1.1 * x)),
        "by cdf",
        "may differ by 0.00",
        "correct cdf or sample",
    ),
    "no distribution function": (
        Own(distribution=lambda x: 2 * exponential(x)),
        "declares cdf(",
        "must rise from 0 to 1",
        "correct cdf",
    ),
    "infinite mean": (Own(mean=math.inf), "mean = inf", "must be positive and finite", "correct the mean"),
    "mean in words": (Own(mean="one", second=2.0), "mean = 'one'", "must be a number", "correct Own.mean"),
    "too few samples": (Own(change=lambda x: x[1:]), "shape (4095,)", "4096 numbers in one dimension", "Own.sample"),
    "one number": (Own(change=lambda x: 1.0), "returned a float", "4096 numbers in one dimension", "Own.sample"),
    "a column": (Own(change=lambda x: x[:, None]), "shape (4096, 1)", "in one dimension", "correct Own.sample"),
    "texts": (Own(change=lambda x: x.astype(str)), "type <U", "must be real numbers", "correct Own.sample"),
    "complex numbers": (Own(change=lambda x: x + 0j), "type complex128", "must be real numbers", "correct Own.sample"),
    "an exception in sample": (Own(change=fails), "ArithmeticError: out of range", "must return", "correct Own.sample"),
    "an exception in cdf": (Own(distribution=fails), "ArithmeticError: out of range", "must return", "correct Own.cdf"),
    "the same samples again": (
        Own(change=lambda x: np.random.default_rng(1).exponential(1.0, len(x))),
        "the same samples at every call",
        "must be independent",
        "draw all random numbers from rng",
    ),
    "random numbers from elsewhere": (
        Own(change=lambda x: np.random.default_rng().exponential(1.0, len(x))),
        "different samples with equal generators",
        "must depend on rng only",
        "draw all random numbers from rng",
    ),
}


@pytest.mark.parametrize("wrong", WRONG_DURATIONS)
def test_a_wrong_duration_law_is_refused_with_value_rule_and_fix(wrong):
    law, *words = WRONG_DURATIONS[wrong]
    with pytest.raises(BadLaw) as refusal:
        try_duration(law)
    assert str(refusal.value).startswith("duration law 'own'")
    for word in words:
        assert word in str(refusal.value)


class NotScaled(Own):
    def scaled(self, factor):
        return self


def test_a_law_that_does_not_scale_is_refused():
    with pytest.raises(BadLaw, match=r"has the mean 1 after scaled\(2\); twice the duration has 2; correct scaled"):
        try_duration(NotScaled())


def test_all_that_is_declared_is_tested():
    law = Own(fourth=24.0, phases=msj.Exponential(mean=1).as_phase_type(), distribution=exponential)
    trial = try_duration(law)
    tests = ["distribution function", "distribution of the phase type", "mean", "second moment"]
    assert [check.name for check in trial.checks] == tests
    assert trial.notes == []
    # 27 blocks of 4,096 samples of variance 1, each test at a quarter of 9e-7.
    assert trial.checks[0].limit == pytest.approx(dkw_limit(27 * 4096, 9e-7 / 4))
    assert trial.checks[2].limit == pytest.approx(deviation_factor(9e-7 / 4) / 64)
    assert 0 < trial.largest < 1


def test_a_trial_gives_the_same_numbers_each_time():
    assert try_duration(Own()).checks == try_duration(Own()).checks
    assert try_arrivals(OwnArrivals(), 2.0).checks == try_arrivals(OwnArrivals(), 2.0).checks


def test_whole_numbers_and_lists_will_do():
    counted = Own(second=1.0, change=lambda x: np.ones(len(x), dtype=np.int64))
    assert try_duration(counted).largest <= 1
    assert try_duration(Own(change=lambda x: x.tolist())).largest <= 1


def test_an_infinite_second_moment_allows_no_test_of_the_mean():
    trial = try_duration(Own(second=math.inf, change=lambda x: 100 * x))
    assert trial.checks == []
    [note] = trial.notes
    assert "the mean was not compared" in note
    assert "second moment is infinite" in note


def odd_gap(gaps, classes, value):
    gaps[7] = value


def odd_class(gaps, classes):
    classes[3] = 2


def chain_of(factor):
    return lambda rate: MarkovForm.of([[-factor * rate]], [[factor * rate]])


WRONG_ARRIVALS = {
    "twice the rate": (OwnArrivals(factor=2.0), "draws 0.80", "must draw the rate it is given", "correct sampler"),
    "half the rate": (OwnArrivals(factor=0.5), "draws 0.20", "must draw the rate it is given", "correct sampler"),
    "wrong dispersion": (OwnArrivals(known=-1.0), "dispersion = -1", "must not be negative", "correct dispersion"),
    "negative gap": (
        OwnArrivals(change=lambda g, c: odd_gap(g, c, -1.0)),
        "drew -1 (value 8 of 2,048)",
        "gaps between arrivals must be finite and not negative",
        "correct OwnArrivals.draw",
    ),
    "NaN gap": (OwnArrivals(change=lambda g, c: odd_gap(g, c, np.nan)), "drew nan", "must be finite", "correct"),
    "infinite gap": (OwnArrivals(change=lambda g, c: odd_gap(g, c, np.inf)), "drew inf", "must be finite", "correct"),
    "an exception": (OwnArrivals(change=fails), "ArithmeticError: out of range", "must return", "correct"),
    "wrong shares": (
        OwnArrivals(marks=(0.5, 0.5), declared=(0.7, 0.3)),
        "the share 0.7 of class 'small', and 0.50",
        "may differ",
        "correct shares or draw",
    ),
    "wrong shares, dispersion unknown": (
        OwnArrivals(known=math.nan, marks=(0.5, 0.5), declared=(0.7, 0.3)),
        "the share 0.7 of class 'small', and 0.50",
        "may differ",
        "correct shares or draw",
    ),
    "unknown class": (
        OwnArrivals(marks=(0.5, 0.5), change=odd_class),
        "set class 2 (arrival 4 of 2,048)",
        "from 0 to 1",
        "correct draw() of Gaps",
    ),
    "chain of another rate": (
        OwnArrivals(form=chain_of(2.0)),
        "has the rate 0.4, and its Markov chain has 0.8",
        "both must be equal",
        "correct markov_form",
    ),
    "chain of another dispersion": (
        OwnArrivals(form=chain_of(1.0), known=2.0),
        "has the dispersion 2, and its Markov chain has 1",
        "both must be equal",
        "correct markov_form",
    ),
    "not Poisson": (
        PoissonOfOnesOwn(change=lambda g, c: g.fill(g.mean())),
        "declares Poisson arrivals",
        "may differ",
        "set poisson = False",
    ),
    "random numbers from elsewhere": (
        OwnArrivals(change=lambda g, c: np.random.default_rng().shuffle(g)),
        "different gaps with equal generators",
        "must depend on rng only",
        "draw all random numbers from rng",
    ),
}


@pytest.mark.parametrize("wrong", WRONG_ARRIVALS)
def test_a_wrong_arrival_law_is_refused_with_value_rule_and_fix(wrong):
    law, *words = WRONG_ARRIVALS[wrong]
    with pytest.raises(BadLaw) as refusal:
        try_arrivals(law, 0.4, NAMES)
    assert str(refusal.value).startswith(f"arrival law '{law.law}'")
    for word in words:
        assert word in str(refusal.value)


class OneRate(OwnArrivals):
    def sampler(self, rate, rng, names):
        return super().sampler(0.4, rng, names)


def test_a_law_that_ignores_the_rate_it_is_given_is_refused():
    with pytest.raises(BadLaw, match=r"draws 0\.40\d* arrivals per unit of time at the rate 0\.2 "):
        try_arrivals(OneRate(), 0.4)


@pytest.mark.parametrize(("dispersion", "words"), [(math.nan, "no dispersion"), (math.inf, "an infinite dispersion")])
def test_without_a_dispersion_the_rate_is_not_tested(dispersion, words):
    trial = try_arrivals(OwnArrivals(known=dispersion, factor=2.0), 0.4)
    [note] = trial.notes
    assert "the rate was not compared" in note
    assert words in note


def test_a_law_that_remembers_for_too_long_is_not_tested():
    slow = arrivals_from({"law": "mmpp", "rates": [1, 3], "switching": [[0, 1e-5], [1e-5, 0]]})
    trial = try_arrivals(WrappedArrivals(inner=slow), 2.0)
    assert trial.checks == []
    assert "relaxation time" in trial.notes[0]


def test_a_correct_order_passes_and_a_wrong_one_is_refused():
    assert try_order(OwnOrder(probabilities=(0.7, 0.3)), [0.7, 0.3]).largest < 1
    with pytest.raises(BadLaw, match=r"class number \d the share 0\.\d, and the system has 0\.\d; both must be equal"):
        try_order(OwnOrder(probabilities=(0.7, 0.3)), [0.5, 0.5])
    with pytest.raises(BadLaw, match=r"row sums from 0\.9 to 0\.9; probabilities must not be negative and must sum"):
        try_order(OwnOrder(probabilities=(0.6, 0.3)), [0.6, 0.4])
    with pytest.raises(BadLaw, match=r"shape \(3, 1, 1\); entering must have .* with 2 classes; correct chain"):
        try_order(OwnOrder(probabilities=(0.4, 0.3, 0.3)), [0.6, 0.4])


# Slices of verification/test_outside_laws.py.
@pytest.mark.parametrize(("make", "try_it"), [(wrapped_law, try_duration), (wrapped_arrivals, try_at_some_rate)])
class TestRandomLaws:
    def test_correct_ones_pass(self, make, try_it):
        found = [outcome for _, outcome in trials(make, try_it, 20, 1)]
        assert [str(outcome) for outcome in found if isinstance(outcome, Exception)] == []
        assert max(outcome.largest for outcome in found) < 1

    @pytest.mark.parametrize("factor", [2.0, 0.5])
    def test_a_factor_of_two_is_found(self, make, try_it, factor):
        found = trials(lambda rng: make(rng, max_cv=3.0, factor=factor), try_it, 10, 2)
        assert all(isinstance(outcome, BadLaw) for _, outcome in found)
