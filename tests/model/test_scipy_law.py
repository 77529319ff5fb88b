"""Laws of scipy.stats: closed forms, msj's own laws beside them, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

import msj
from msj import Erlang, InvalidInput, JobClass, Lognormal, Pareto, Scipy, System, Uniform, Weibull
from msj.model.durations import duration_from_spec
from msj.model.spec_file import from_document


def law(name, **parameters):
    return duration_from_spec({"law": "scipy", "name": name, **parameters})


@pytest.mark.parametrize(
    ("made", "mean", "second"),
    [
        (law("gamma", a=2.5, scale=2), 5.0, 2.5 * 3.5 * 4),
        (law("beta", a=2, b=3, scale=10), 4.0, 100 * (2 * 3) / (5 * 6)),
        (law("halfnorm", scale=3), 3 * math.sqrt(2 / math.pi), 9.0),
        (law("rayleigh"), math.sqrt(math.pi / 2), 2.0),
        (law("lomax", c=3), 1 / 2, 2 / (2 * 1)),
        (law("lomax", c=1.5), 2.0, math.inf),
        (law("invgauss", mu="1/2"), 0.5, 0.5**3 + 0.25),
        (law("expon", loc=1, scale=2), 3.0, 4 + 9),
        (law("triang", c=0.5, scale=4), 2.0, 7 * 16 / 24),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_moments_are_the_closed_forms(made, mean, second):
    assert made.mean == pytest.approx(mean, rel=1e-9)
    assert made.second_moment == pytest.approx(second, rel=1e-9)
    assert (made.moment(1), made.moment(2)) == (made.mean, made.second_moment)
    assert math.isnan(made.moment(3))


@pytest.mark.parametrize(
    ("made", "own"),
    [
        (law("erlang", a=3, scale=2), Erlang(stages=3, mean=6)),
        (law("uniform", loc=1, scale=3), Uniform(low=1, high=4)),
        (law("weibull_min", c=0.5, scale=2), Weibull(shape=0.5, mean=4)),
        (law("lognorm", s=1, scale=2), Lognormal(mean=2 * math.exp(0.5), cv=math.sqrt(math.e - 1))),
        (law("pareto", b=2.5, scale=3), Pareto(shape=2.5, minimum=3)),
    ],
    ids=lambda given: given.law,
)
def test_it_is_msjs_own_law_where_there_is_one(made, own):
    assert made.mean == pytest.approx(float(own.mean), rel=1e-12)
    assert made.second_moment == pytest.approx(own.second_moment, rel=1e-9)
    assert made.tail_index == pytest.approx(own.tail_index, rel=1e-3)
    drawn = [np.sort(each.sample(np.random.default_rng(seed), 20_000)) for seed, each in enumerate((made, own))]
    # Two-sample Kolmogorov-Smirnov distance; 0.0243 is exceeded with probability below 1e-5.
    assert stats.ks_2samp(*drawn).statistic < 0.0243


@pytest.mark.parametrize(
    ("made", "index"),
    [
        (law("lomax", c=3), 3), (law("burr12", c=1.5, d=2), 3), (law("fisk", c=3), 3), (law("invgamma", a=3), 3),
        (law("betaprime", a=2, b=3.5), 3.5), (law("halfnorm"), math.inf), (law("gamma", a=0.5), math.inf),
        (law("lognorm", s=4), math.inf), (law("weibull_min", c=0.2), math.inf), (law("beta", a=1, b=1), math.inf),
    ],
    ids=lambda given: getattr(given, "name", ""),
)  # fmt: skip
def test_power_laws_are_known_as_such(made, index):
    assert made.tail_index == pytest.approx(index, rel=0.02)


def test_samples_come_from_the_generator_that_is_given():
    made = law("gamma", a=2)
    one, same, other = (made.sample(np.random.default_rng(seed), 5) for seed in (1, 1, 2))
    assert (one == same).all()
    assert not (one == other).any()


@pytest.mark.parametrize(
    "frozen",
    [stats.gamma(2, scale=3), stats.gamma(2, 0, 3), stats.gamma(a=2, scale=3), stats.gamma(np.float64(2), 0.0, 3)],
)
def test_a_frozen_distribution_is_the_law_of_its_name_and_parameters(frozen):
    found = JobClass(name="all", need=1, share=1, duration=frozen).duration
    assert found == law("gamma", a=2, scale=3) == law("gamma", scale=3, loc=0, a=2)
    assert duration_from_spec(found.to_spec()) == found


def test_the_identity_is_name_and_parameters():
    assert law("gamma", a=2, scale=1).identity() == law("gamma", a=2).identity()
    different = [law("gamma", a=2), law("gamma", a=3), law("gamma", a=2, scale=2), law("chi2", df=2)]
    assert len({each.identity() for each in different}) == len(different)


def test_a_frozen_distribution_may_be_the_duration_of_a_stage():
    from msj.disciplines.stages import Stage

    assert Stage(need=1, duration=stats.gamma(2)).duration == law("gamma", a=2)


def test_scaling_moves_the_start_too():
    assert law("expon", loc=1, scale=2).scaled(3) == law("expon", loc=3, scale=6)


def test_the_m_g_1_queue_of_a_gamma_law_has_pollaczeks_mean():
    # One server, load 1/2, E[X] = 1, E[X²] = 3/2: E[T] = 1 + (1/2)(3/2)/(2(1 − 1/2)) = 7/4.
    one = JobClass(name="all", need=1, share=1, duration=stats.gamma(2, scale=0.5))
    found = msj.simulate(System(servers=1, arrival_rate=0.5, classes=[one]), jobs=200_000, seed=1)
    row = next(q for q in found.quantities if q.name == "mean_response_time" and q.job_class is None)
    low, high = row.low, row.high
    assert abs(row.value - 1.75) <= 2.5 * (high - low) / 2  # about five standard errors


@pytest.mark.parametrize(
    ("make_it", "sentence"),
    [
        (lambda: law("gamm", a=2), "name = 'gamm' is no continuous distribution of scipy.stats; did you mean 'gamma'"),
        (lambda: law("poisson", mu=2), "'poisson' is no continuous distribution"),
        (lambda: law(3), "name = 3 must be a text"),
        (lambda: law("gamma"), "law 'scipy' with name 'gamma' needs a; add a = ..."),
        (lambda: law("gamma", a=2, scael=1), "'scael' for law 'scipy' with name 'gamma'; did you mean 'scale'"),
        (lambda: law("gamma", a=-1), "'gamma' does not exist with a = -1"),
        (lambda: law("gamma", a="two"), "a = 'two' is not a number"),
        (lambda: law("gamma", a=2, scale=-1), "does not exist with a = 2, scale = -1"),
        (lambda: law("gamma", a=2, loc=-1), "can be negative, from -1 on; durations are positive"),
        (lambda: law("norm", loc=5), "can be negative, from -inf on"),
        (lambda: law("lomax", c=1), "has an infinite mean"),
        (lambda: duration_from_spec(stats.geom(0.5)), "name = 'geom' is no continuous distribution"),
        (lambda: duration_from_spec(stats.gamma([1, 2])), r"a = \[1, 2\] is not a number"),
        (lambda: duration_from_spec(stats.rv_histogram(([1, 2], [0, 1, 2])).freeze()), "scipy.stats has by name"),
        (lambda: duration_from_spec(stats.gamma), "is not a table"),
    ],
)  # fmt: skip
def test_what_is_no_law_of_durations_is_said(make_it, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        make_it()


def test_a_spec_file_names_it():
    duration = {"law": "scipy", "name": "gamma", "a": 2, "scale": 1}
    found = from_document({"servers": 1, "classes": [{"name": "all", "need": 1, "share": 1, "duration": duration}]})
    assert found.classes[0].duration == Scipy(name="gamma", parameters={"a": 2})


def test_a_distribution_of_ones_own_is_not_taken_for_one_of_scipy(monkeypatch):
    class Mine(stats.rv_continuous):
        def _cdf(self, x):
            return -np.expm1(-x)

    own = Mine(a=0.0, name="mine")
    monkeypatch.setattr(stats, "mine", own, raising=False)
    for given in (own(), {"law": "scipy", "name": "mine"}):
        with pytest.raises(InvalidInput, match="mine"):
            duration_from_spec(given)
