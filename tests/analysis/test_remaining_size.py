"""Largest mean remaining time of every law against integrals, eigenvalue sums and dense grids of ages."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

import msj
from msj import Coxian, Erlang, Exponential, Hyperexponential, InvalidInput, JobClass, NotSupported, PhaseType, System
from msj.analysis.remaining_size import (
    largest_mean_remaining,
    largest_remaining_size,
    mean_remaining,
    why_unbounded,
    why_unknown,
)
from msj.analysis.wcfs_bounds import ResponseTimeBounds, wcfs_bounds
from msj.model.durations import Deterministic, Empirical, Fit, Lognormal, Pareto, Uniform, Weibull
from msj.registry import DURATIONS


def excess_by_integration(survival, ages, *, upper=math.inf):
    """m(a) = integral of P(X > x) over x > a, divided by P(X > a)."""
    return [integrate.quad(survival, a, upper, epsabs=0, epsrel=1e-10, limit=400)[0] / survival(a) for a in ages]


CONTINUOUS = {
    "exponential": (Exponential(mean=3), stats.expon(scale=3).sf, np.linspace(0, 30, 12), math.inf),
    "erlang": (Erlang(stages=4, mean=2), stats.gamma(4, scale=0.5).sf, np.linspace(0, 15, 16), math.inf),
    "uniform": (Uniform(low=1, high=4), stats.uniform(1, 3).sf, np.linspace(0, 3.99, 20), 4.0),
    "uniform from 0": (Uniform(low=0, high=4), stats.uniform(0, 4).sf, np.linspace(0, 3.99, 20), 4.0),
    "weibull": (
        Weibull(shape=1.5, mean=special.gamma(1 + 1 / 1.5)),
        stats.weibull_min(1.5).sf,
        np.linspace(0, 5, 16),
        math.inf,
    ),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_laws_that_age_are_worst_when_fresh(name):
    law, survival, ages, upper = CONTINUOUS[name]
    found = excess_by_integration(survival, ages, upper=upper)
    assert max(found) == pytest.approx(largest_mean_remaining(law), rel=1e-8)
    assert found[0] == pytest.approx(float(law.mean), rel=1e-8)


@pytest.mark.parametrize(
    ("law", "survival", "ages"),
    [
        (Pareto(shape=3, minimum=1), lambda x: min(1.0, x**-3.0) if x > 0 else 1.0, [1, 10, 100, 1000]),
        (Lognormal(mean=1, cv=1.5), stats.lognorm(math.sqrt(math.log(3.25))).sf, [1, 10, 100, 1000]),
        (Weibull(shape=0.5, mean=2), stats.weibull_min(0.5).sf, [1, 10, 100, 1000]),
    ],
    ids=["pareto", "lognormal", "weibull"],
)
def test_heavy_tails_have_no_largest(law, survival, ages):
    found = excess_by_integration(survival, ages)
    assert all(later > 1.5 * earlier for earlier, later in itertools.pairwise(found))
    assert largest_mean_remaining(law) == math.inf
    assert f"a {law.law} duration" in why_unbounded(law)
    assert "without bound" in why_unbounded(law)


def test_deterministic_and_the_border_of_weibull():
    assert largest_mean_remaining(Deterministic(value=7)) == 7.0
    assert largest_mean_remaining(Weibull(shape=1, mean=2)) == 2.0
    assert why_unbounded(Weibull(shape=1, mean=2)) is None
    assert "a weibull duration (shape 0.99, mean 2)" in why_unbounded(Weibull(shape=0.99, mean=2))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_recorded_values_on_a_dense_grid_of_ages(values):
    recorded = np.array(values, dtype=float)
    ages = np.linspace(0, recorded.max(), 10 * int(recorded.max()) + 1)[:-1]  # holds every whole number
    dense = max((recorded[recorded > a] - a).mean() for a in ages)
    assert largest_mean_remaining(Empirical(values=values)) == pytest.approx(dense, rel=1e-12)


def test_hyperexponential_by_integration_and_ignoring_empty_branches():
    law = Hyperexponential(rates=[2, "2/3"], probabilities=[0.5, 0.5])
    found = excess_by_integration(lambda x: 0.5 * math.exp(-2 * x) + 0.5 * math.exp(-2 * x / 3), [0, 1, 4, 10, 20])
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1.5, rel=1e-9)
    assert largest_mean_remaining(law) == 1.5
    assert largest_mean_remaining(Hyperexponential(rates=[2, 0.1], probabilities=[1, 0])) == 0.5


def dense_supremum(law, points=60_000):
    """Largest m(a) over many ages from the eigenvalues of T, and the limit: no matrix exponential, no refinement."""
    values, vectors = np.linalg.eig(law.subgenerator)
    weights = (law.alpha @ vectors) * np.linalg.solve(vectors, np.ones(len(values)))
    slowest = values.real.max()
    ages = np.concatenate([np.linspace(0, 20, points), np.geomspace(20, 500, points // 10)]) / -slowest
    decays = np.exp(np.outer(ages, values - slowest))
    return max(float(((decays @ (weights / -values)).real / (decays @ weights).real).max()), -1.0 / slowest)


@st.composite
def random_phase_types(draw):
    size = draw(st.integers(2, 5))
    entries = st.floats(0.05, 3.0)
    moves = np.array([[draw(entries) * draw(st.booleans()) for _ in range(size)] for _ in range(size)])
    np.fill_diagonal(moves, 0.0)
    ends = np.array([draw(entries) for _ in range(size)])
    generator = moves - np.diag(moves.sum(axis=1) + ends)
    initial = np.array([draw(st.floats(0.01, 1.0)) for _ in range(size)])
    return PhaseType(initial=(initial / initial.sum()).tolist(), generator=generator.tolist())


@given(random_phase_types())
def test_random_phase_types_on_a_dense_grid_of_ages(law):
    values, vectors = np.linalg.eig(law.subgenerator)
    if np.linalg.cond(vectors) > 1e5:
        return  # nearly defective: the eigenvalue sum, not the method, would be inaccurate
    found = largest_mean_remaining(law)
    assert found == pytest.approx(dense_supremum(law), rel=1e-7)
    per_phase = np.linalg.solve(-law.subgenerator, np.ones(len(values)))
    assert float(law.mean) * (1 - 1e-12) <= found <= per_phase.max() * (1 + 1e-12)


def test_the_supremum_is_over_age_and_not_over_phase():
    # Whoever is in the slow phase has 7 to go on average, but age alone never tells that a job is in it.
    law = PhaseType(initial=[0.9, 0.1], generator=[[-1.0, 0.0], [0.05, -0.15]])
    assert np.linalg.solve(-law.subgenerator, np.ones(2)).max() == pytest.approx(7.0)
    assert largest_mean_remaining(law) == pytest.approx(dense_supremum(law), rel=1e-8)
    assert largest_mean_remaining(law) < 6.7


def two_erlangs(stages, means, chances):
    """With chances[i] an Erlang of means[i]: two humps, and the longest to wait is between them."""
    rates = [stages / mean for mean in means]
    generator = np.zeros((2 * stages, 2 * stages))
    for branch, rate in enumerate(rates):
        at = slice(branch * stages, (branch + 1) * stages)
        generator[at, at] = rate * (np.eye(stages, k=1) - np.eye(stages))
    initial = np.zeros(2 * stages)
    initial[[0, stages]] = chances
    return PhaseType(initial=initial.tolist(), generator=generator.tolist())


@pytest.mark.parametrize(("stages", "chance"), [(3, 0.9), (20, 0.99), (60, 0.5), (20, 1e-9)])
def test_a_maximum_between_two_humps(stages, chance):
    means = (1.0, 10.0)

    def excess(age):
        with mpmath.workdps(40):
            parts = [(chance, means[0]), (1 - mpmath.mpf(chance), means[1])]
            alive = [p * mpmath.gammainc(stages, stages * age / m, regularized=True) for p, m in parts]
            # E[X; X > a] = mean·P(one stage more outlasts a)
            work = [p * m * mpmath.gammainc(stages + 1, stages * age / m, regularized=True) for p, m in parts]
            return float((sum(work) - age * sum(alive)) / sum(alive))

    ages = np.linspace(0, 6, 241)
    best = ages[np.argmax([excess(a) for a in ages])]
    expected = max(excess(a) for a in np.linspace(max(best - 0.03, 0), best + 0.03, 241))
    found = largest_mean_remaining(two_erlangs(stages, means, [chance, 1 - chance]))
    assert found == pytest.approx(expected, rel=1e-7)
    assert found >= expected * (1 - 1e-11)
    assert best == 0 or found > max(excess(0.0), means[1] / stages) * 1.0001


@pytest.mark.parametrize("chance", [0.9, 0.5, 1e-3, 1e-12, 1e-60, 1e-90])
def test_a_rare_slow_branch_counts_however_rare(chance):
    assert largest_mean_remaining(Coxian(rates=[1, 0.01], continues=[chance])) == pytest.approx(100, rel=1e-9)
    # Exp(1), or rarely a sum of three stages: sums of exponentials with alternating signs, so many digits.
    rates = [mpmath.mpf(1), mpmath.mpf(1) / 100, mpmath.mpf(2)]

    def excess(age):
        with mpmath.workdps(300):
            weights = [
                mpmath.fprod(other / (other - rate) for other in rates if other != rate) * chance for rate in rates
            ]
            weights[0] += 1 - mpmath.mpf(chance)
            terms = [weight * mpmath.exp(-rate * age) for weight, rate in zip(weights, rates, strict=True)]
            return float(sum(term / rate for term, rate in zip(terms, rates, strict=True)) / sum(terms))

    expected = max(100.0, *(excess(age) for age in np.linspace(0, 1500, 751)))
    found = largest_mean_remaining(Coxian(rates=[1, 0.01, 2], continues=[chance, 1]))
    assert found == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("stages", [1, 2, 7, 40, 100])
def test_the_general_method_agrees_with_the_special_ones(stages):
    erlang = Erlang(stages=stages, mean=2)
    assert largest_mean_remaining(erlang.as_phase_type()) == pytest.approx(2.0, rel=1e-12)
    rates, chances = [2.0**-i for i in range(min(stages, 7))], [1 / min(stages, 7)] * min(stages, 7)
    hyper = Hyperexponential(rates=rates, probabilities=chances)
    assert largest_mean_remaining(hyper.as_phase_type()) == pytest.approx(largest_mean_remaining(hyper), rel=1e-12)


@pytest.mark.parametrize(("cv", "expected"), [(0.1, 1.0), (0.6, 1.0), (1, 1.0), (2, 1 / (1 - math.sqrt(3 / 5)))])
def test_fitted_laws(cv, expected):
    assert largest_mean_remaining(Fit(mean=1, cv=cv)) == pytest.approx(expected, rel=1e-12)


def test_at_one_age():
    law = Coxian(rates=[2, 0.5, 1], continues=[0.4, 0.7])
    for age in (0.0, 0.3, 2.0, 9.0):
        exact = mpmath.matrix([list(row) for row in law.as_phase_type().subgenerator])
        phases = mpmath.matrix([list(law.as_phase_type().alpha)]) * mpmath.expm(exact * age)
        ones = mpmath.matrix([1, 1, 1])
        expected = (phases * mpmath.lu_solve(-exact, ones))[0] / (phases * ones)[0]
        assert mean_remaining(law.as_phase_type(), age) == pytest.approx(float(expected), rel=1e-12)
    assert mean_remaining(law.as_phase_type(), 5000.0) == pytest.approx(2.0, rel=1e-12)
    with pytest.raises(InvalidInput, match="age = -1 must be"):
        mean_remaining(law.as_phase_type(), -1)


def test_time_scales_with_time():
    law = PhaseType(initial=[0.3, 0.7], generator=[[-2, 1.5], [0.2, -0.3]])
    assert largest_mean_remaining(law.scaled(1e6)) == pytest.approx(1e6 * largest_mean_remaining(law), rel=1e-12)


def test_sizes_of_a_system_take_the_worst_class_that_arrives():
    classes = [
        JobClass(name="wide", need=4, share="1/2", duration=Exponential(mean=1)),
        JobClass(name="long", need=1, share="1/2", duration=Exponential(mean=6)),
        JobClass(name="never", need=4, share=0, duration=Pareto(shape=3, minimum=1)),
    ]
    assert largest_remaining_size(System(servers=4, classes=classes)) == 1.5


def test_a_law_of_scipy_does_not_say():
    law = msj.Scipy(name="gamma", parameters={"a": 2})
    with pytest.raises(msj.NotSupported, match="scipy"):
        largest_mean_remaining(law)


@pytest.mark.parametrize("name", [name for name in DURATIONS.names() if name != "scipy"])
def test_every_other_law_of_the_catalogue_has_an_answer(name):
    options = {
        "exponential": {"mean": 1},
        "erlang": {"stages": 2, "mean": 1},
        "hyperexponential": {"rates": [1, 2], "probabilities": [0.5, 0.5]},
        "coxian": {"rates": [1, 2], "continue": [0.5]},
        "phase-type": {"initial": [1], "generator": [[-1]]},
        "deterministic": {"value": 1},
        "uniform": {"low": 1, "high": 2},
        "empirical": {"values": [1, 2]},
        "pareto": {"shape": 3, "minimum": 1},
        "weibull": {"shape": 2, "mean": 1},
    }.get(name, {"mean": 1, "cv": 2})
    law = msj.model.durations.duration_from_spec({"law": name, **options})
    assert largest_mean_remaining(law) >= float(law.mean) * (1 - 1e-12)


def test_a_law_nobody_told_about_is_refused():
    class Odd(Deterministic):
        law = "odd"
        largest_mean_remaining = None

    class Told(Odd):
        largest_mean_remaining = 3.0

    assert largest_mean_remaining(Told(value=1)) == 3.0  # a law says it itself
    with pytest.raises(NotSupported, match="law 'odd' is not known; use law = 'fit'"):
        largest_mean_remaining(Odd(value=1))
    assert why_unknown(Deterministic(value=1)) is None
    assert why_unknown(Odd(value=1)) == "the largest mean remaining time of law 'odd' is not known; use law = 'fit'"
    # Whoever asks whether there are bounds is told so; one job at a time needs no remaining size.
    jobs = JobClass(name="jobs", need=1, share=1, duration=Odd(value=1))
    two, one = (System(servers=k, classes=[jobs], utilisation=0.5) for k in (2, 1))
    assert "no bound is known for class 'jobs', as the largest mean" in ResponseTimeBounds().supports(two)
    assert wcfs_bounds(two).reason == ResponseTimeBounds().supports(two)
    assert math.isnan(wcfs_bounds(two).rem_sup)
    assert wcfs_bounds(one).lower == wcfs_bounds(one).upper == pytest.approx(1.5)


def test_a_peak_between_rates_that_are_far_apart():
    """All but one job in a thousand are through at once; that one has two stages of mean 1 before it, then one."""
    law = PhaseType(initial=[0.999, 0.001, 0.0], generator=[[-1e10, 0, 0], [0, -1, 1], [0, 0, -1]])
    assert float(law.mean) == pytest.approx(0.002, rel=1e-6)
    assert largest_mean_remaining(law) == pytest.approx(2.0, rel=1e-6)
