"""Run times: drawn from a law, fitted, compared with it, and with SciPy where it knows the same."""

import numpy as np
import pytest
from scipy import optimize, stats

import msj
from msj.errors import InvalidInput
from msj.fitting.durations import fit_duration
from msj.fitting.erlang_mixtures import best_mixture, fitted_mixture, points_of
from msj.fitting.goodness import distance

LAWS = {
    "exponential": msj.Exponential(mean=4),
    "erlang": msj.Erlang(stages=3, mean=2),
    "hyperexponential": msj.Hyperexponential(rates=[5, 0.2], probabilities=[0.7, 0.3]),
    "lognormal": msj.Lognormal(mean=5, cv=2),
    "deterministic": msj.Deterministic(value=7),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_that_is_drawn_from_comes_back_with_its_mean_and_cv(name):
    law = LAWS[name]
    values = law.sample(np.random.default_rng(5), 20_000)
    found = fit_duration(values)
    assert found.duration.law == name
    assert found.word == "agrees"
    # Of lognormal laws the sample's own cv is a poor estimate; the likeliest one is better.
    error = 4 * law.cv / np.sqrt(len(values))
    assert float(found.duration.mean) == pytest.approx(float(law.mean), rel=error or 1e-9)
    assert found.duration.cv == pytest.approx(law.cv, rel=0.1)


def test_the_likelihood_is_that_which_a_search_over_all_parameters_finds():
    values = LAWS["hyperexponential"].sample(np.random.default_rng(3), 4000)
    points = points_of(values)
    found = fitted_mixture(points, (1, 1))

    def lost(x):
        p, a, b = 1 / (1 + np.exp(-x[0])), np.exp(x[1]), np.exp(x[2])
        return -points.weight @ np.log(p * a * np.exp(-a * points.value) + (1 - p) * b * np.exp(-b * points.value))

    best = optimize.minimize(lost, [0.5, 1.0, -1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    ours = lost([np.log(found.probabilities[0] / found.probabilities[1]), *np.log(found.rates)])
    assert ours == pytest.approx(best.fun, abs=2e-5)


@pytest.mark.parametrize("stages", [(1,), (3,), (1, 1), (1, 3), (1, 1, 2)])
def test_every_mixture_has_the_mean_of_the_data(stages):
    values = np.random.default_rng(1).weibull(0.6, 3000) * 50
    law = fitted_mixture(points_of(values), stages).duration()
    assert float(law.mean) == pytest.approx(values.mean(), rel=1e-4)


def test_the_law_that_is_written_is_the_mixture_that_was_fitted():
    values = np.concatenate([np.random.default_rng(2).gamma(3, 1, 2000), np.random.default_rng(3).exponential(90, 900)])
    mixture = fitted_mixture(points_of(values), (1, 3))
    drawn = mixture.duration().sample(np.random.default_rng(4), 20_000)
    assert stats.kstest(drawn, mixture.cdf).pvalue > 1e-3


def test_more_variable_data_take_more_phases_and_never_more_than_allowed():
    values = np.exp(np.random.default_rng(1).normal(0, 2, 20_000))
    for phases in (1, 2, 4):
        assert best_mixture(points_of(values), phases).stages.sum() <= max(phases, 1)


def test_the_distance_is_that_of_scipy():
    values = np.random.default_rng(1).exponential(1.0, 500)
    assert distance(values, lambda x: 1 - np.exp(-x)) == pytest.approx(stats.kstest(values, "expon").statistic)
    tied = np.round(values, 1)
    assert distance(tied, lambda x: 1 - np.exp(-x)) == pytest.approx(stats.kstest(tied, "expon").statistic)


def test_run_times_like_no_law_are_kept_as_they_are_with_their_mean():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(10, 0.1, 5000), rng.normal(1000, 1, 3000), np.full(777, 40_000.0)])
    found = fit_duration(values)
    assert found.duration.law == "empirical"
    assert found.word in ("agrees", "good")
    assert float(found.duration.mean) == pytest.approx(values.mean(), rel=1e-5)
    assert found.duration.cv == pytest.approx(values.std() / values.mean(), rel=0.01)


@pytest.mark.parametrize(("asked", "law"), [("lognormal", "lognormal"), ("empirical", "empirical")])
def test_a_law_that_is_asked_for_is_taken_however_far_it_is(asked, law):
    values = np.random.default_rng(1).uniform(10, 11, 1000)
    assert fit_duration(values, asked).duration.law == law


def test_a_phase_type_that_is_asked_for_can_be_solved_exactly():
    values = np.random.default_rng(1).lognormal(5, 2, 1000)
    assert fit_duration(values, "phase-type").duration.as_phase_type() is not None


def test_an_unknown_law_is_refused():
    with pytest.raises(InvalidInput, match="'gamma' is no law to fit"):
        fit_duration(np.ones(3), "gamma")


def test_one_job_alone_ran_as_long_as_it_ran():
    found = fit_duration(np.array([3.0]))
    assert (found.duration.law, float(found.duration.mean)) == ("deterministic", 3.0)
