"""Contract of every duration law: what it says of itself is what it draws, and a spec file keeps it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from msj import Coxian, Empirical, Erlang, Exponential, Fit, Hyperexponential, InvalidInput, PhaseType
from msj.model.durations import Duration, duration_from_spec
from msj.model.spec_file import from_document
from msj.registry import DURATIONS

# One table per law, as a spec file has it, with the mean and second moment worked out by hand.
EXAMPLES = {
    "exponential": ({"rate": 0.5}, 2.0, 8.0),
    "hyperexponential": ({"rates": [2, "1/2"], "probabilities": ["3/4", 0.25]}, 0.875, 2 * (0.75 / 4 + 0.25 * 4)),
    "erlang": ({"stages": 3, "mean": 6}, 6.0, 48.0),
    "coxian": ({"rates": [2, 1], "continue": [0.5]}, 1.0, 2 * (0.5 * 0.25 + 0.5 * (0.25 + 0.5 + 1))),
    "phase-type": ({"initial": [1, 0], "generator": [[-3, 1], [0, -1]]}, 1 / 3 + 1 / 3, 2 * (1 / 9 + 1 / 9 + 1 / 3)),
    "fit": ({"mean": 3, "cv": 1.5}, 3.0, 9 * 3.25),
    "deterministic": ({"value": 3}, 3.0, 9.0),
    "uniform": ({"low": 1, "high": 4}, 2.5, 7.0),
    "lognormal": ({"mean": 2, "cv": 0.5}, 2.0, 5.0),
    "weibull": ({"shape": 2, "mean": 1}, 1.0, 4 / math.pi),
    "pareto": ({"shape": 5, "minimum": 2}, 2.5, 20 / 3),
    "scipy": ({"name": "gamma", "a": 2, "scale": 3}, 6.0, 54.0),
    "empirical": ({"values": [1, 2, 6]}, 3.0, 41 / 3),
}


def make(law):
    return duration_from_spec({"law": law, **EXAMPLES[law][0]})


def test_every_law_has_an_example():
    assert set(EXAMPLES) == set(DURATIONS.names())


@pytest.mark.parametrize("law", DURATIONS.names())
class TestContract:
    def test_moments(self, law):
        made, (_, mean, second) = make(law), EXAMPLES[law]
        assert float(made.mean) == pytest.approx(mean, rel=1e-12)
        assert made.second_moment == pytest.approx(second, rel=1e-12)
        assert float(made.cv) == pytest.approx(math.sqrt(second / mean**2 - 1), rel=1e-9, abs=1e-12)

    def test_samples_have_the_moments(self, law):
        made = make(law)
        drawn = made.sample(np.random.default_rng(1), 200_000)
        assert drawn.shape == (200_000,)
        assert drawn.min() >= 0
        # Five standard errors: a false alarm about once in two million for each of the two checks.
        for power, moment in ((1, float(made.mean)), (2, made.second_moment)):
            error = (drawn**power).std() / math.sqrt(drawn.size)
            assert abs((drawn**power).mean() - moment) <= 5 * error + 1e-12

    def test_phase_type_is_the_same_law(self, law):
        made = make(law)
        phases = made.as_phase_type()
        if phases is None:
            assert law in {"deterministic", "uniform", "lognormal", "weibull", "pareto", "empirical", "scipy"}
            return
        assert phases.mean == pytest.approx(float(made.mean), rel=1e-12)
        assert phases.second_moment == pytest.approx(made.second_moment, rel=1e-12)
        mine = np.sort(made.sample(np.random.default_rng(2), 20_000))
        theirs = np.sort(phases.sample(np.random.default_rng(3), 20_000))
        # Two-sample Kolmogorov-Smirnov distance; 0.0243 is exceeded with probability below 1e-5.
        grid = np.concatenate([mine, theirs])
        gap = np.searchsorted(mine, grid, "right") - np.searchsorted(theirs, grid, "right")
        assert np.abs(gap).max() / 20_000 < 0.0243

    def test_round_trip(self, law):
        made = make(law)
        assert duration_from_spec(made.to_spec()) == made

    def test_scaling(self, law):
        made = make(law)
        for factor in (2, 0.25):
            assert float(made.scaled(factor).mean) == pytest.approx(factor * float(made.mean), rel=1e-12)
            assert made.scaled(factor).second_moment == pytest.approx(factor**2 * made.second_moment, rel=1e-12)

    def test_frozen(self, law):
        with pytest.raises(AttributeError):
            make(law).mean = 5

    def test_unknown_key_suggests_the_nearest(self, law):
        with pytest.raises(InvalidInput, match=f"unknown key 'meen' for law '{law}'"):
            duration_from_spec({"law": law, **EXAMPLES[law][0], "meen": 1})

    def test_missing_keys_are_named(self, law):
        with pytest.raises(InvalidInput, match=f"law '{law}'"):
            duration_from_spec({"law": law})


@given(st.floats(0.1, 30), st.floats(1e-3, 1e3))
def test_fit_matches_mean_and_cv(cv, mean):
    phases = Fit(mean=mean, cv=cv).as_phase_type()
    assert phases.mean == pytest.approx(mean, rel=1e-9)
    assert phases.second_moment == pytest.approx(mean**2 * (1 + cv**2), rel=1e-9)


@pytest.mark.parametrize("cv", [1 / math.sqrt(s) for s in (2, 3, 4, 7, 100)])
def test_fit_at_whole_stages_is_erlang(cv):
    stages = round(1 / cv**2)
    assert len(Fit(mean=1, cv=cv).as_phase_type().alpha) == stages
    assert Fit(mean=1, cv=cv).as_phase_type().moment(3) == pytest.approx(
        Erlang(stages=stages, mean=1).as_phase_type().moment(3), rel=1e-9
    )


def test_unreachable_phases_are_dropped():
    law = PhaseType(initial=[1, 0, 0], generator=[[-1, 0, 0], [0, -2, 1], [1, 0, -3]])
    assert len(law.alpha) == 1


@pytest.mark.parametrize(
    ("make_it", "sentence"),
    [
        (lambda: Exponential(mean=0), "mean = 0 must be greater than 0"),
        (lambda: Exponential(rate=-1), "rate = -1 must be greater than 0"),
        (lambda: Exponential(rate=math.nan), "rate = nan is not finite"),
        (lambda: Exponential(mean="a third"), "mean = 'a third' is not a number"),
        (lambda: Exponential(mean="1/0"), "mean = '1/0' is not a number"),
        (lambda: Exponential(mean=1, rate=1), "both is given"),
        (lambda: Exponential(), "neither is given"),
        (lambda: Exponential(mean=True), "mean = True is not a number"),
        (lambda: Erlang(stages=2.5, mean=1), "stages = 2.5 must be a whole number"),
        (lambda: Erlang(stages=0, mean=1), "stages = 0 must be at least 1"),
        (lambda: Hyperexponential(rates=[1, 2], probabilities=[0.5, 0.6]), "probabilities sum to 1.1"),
        (lambda: Hyperexponential(rates=[1], probabilities=[0.5, 0.5]), "1 rates and 2 probabilities"),
        (lambda: Coxian(rates=[1, 2], continues=[]), "non-empty list"),
        (lambda: Coxian(rates=[1, 2], continues=[2]), r"continue\[0\] = 2 must lie between 0 and 1"),
        (lambda: Fit(mean=1, cv=0.05), "would take 400 stages"),
        (lambda: PhaseType(initial=[1], generator=[[1]]), r"generator\[0\]\[0\] = 1 must be negative"),
        (lambda: PhaseType(initial=[1, 0], generator=[[-1, -1], [0, -1]]), r"generator\[0\]\[1\] = -1"),
        (lambda: PhaseType(initial=[1, 0], generator=[[-1, 2], [0, -1]]), "row 0 of generator sums to 1"),
        (lambda: PhaseType(initial=[1, 0], generator=[[-1, 1], [1, -1]]), "never leaves"),
        (lambda: PhaseType(initial=[0.5, 0.4], generator=[[-1, 1], [0, -1]]), "initial sum to 0.9"),
        (lambda: PhaseType(initial=[1], generator=[[-1, 1], [0, -1]]), "it must be 1 by 1"),
        (lambda: PhaseType(initial=[1], generator=3), "must be a list of rows"),
        (lambda: Empirical(values=[]), "non-empty list"),
        (lambda: Empirical(values=[1, -2]), r"values\[1\] = -2 must be greater than 0"),
        (lambda: Empirical(file="no such file.csv"), "cannot be read"),
        (lambda: duration_from_spec({"law": "pareto", "shape": 1, "minimum": 1}), "makes the mean infinite"),
        (lambda: duration_from_spec({"law": "uniform", "low": 3, "high": 1}), "low = 3 exceeds high = 1"),
        (lambda: duration_from_spec({"law": "weibul", "shape": 1}), "did you mean 'weibull'"),
        (lambda: duration_from_spec({"mean": 1}), "no law is named"),
        (lambda: duration_from_spec("exponential"), "is not a table"),
    ],
)  # fmt: skip
def test_bad_values_get_a_sentence(make_it, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        make_it()


def test_recorded_durations_from_a_file(tmp_path):
    path = tmp_path / "durations.csv"
    path.write_text("seconds,user\n1.5,a\n2.5,b\n", encoding="utf-8")
    assert Empirical(file=str(path)).mean == 2.0
    path.write_text("1\n0\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="row 2: 0 must be a positive"):
        Empirical(file=str(path))
    path.write_text("1\nx\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="row 2: 'x' is not a number"):
        Empirical(file=str(path))
    path.write_text("seconds\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="holds no numbers"):
        Empirical(file=str(path))


def test_laws_are_durations():
    assert all(issubclass(law, Duration) for law in DURATIONS)


@pytest.mark.parametrize("law", DURATIONS.names())
def test_the_keys_a_law_declares_are_those_that_scale_it(law):
    """Written with a unit and read in a smaller one, a law is the scaled law; independent of ``scaled``."""
    table = {"law": law, **EXAMPLES[law][0]}
    powers = DURATIONS.get(law).time_powers

    def with_unit(value, power):
        if isinstance(value, list):
            return [with_unit(item, power) for item in value]
        return f"{value} h" if power > 0 else f"{value} per h"

    written = {key: with_unit(value, powers[key]) if powers.get(key) else value for key, value in table.items()}
    assert written != table
    job_class = {"name": "all", "need": 1, "share": 1, "duration": written}
    found = from_document({"servers": 1, "time_unit": "min", "classes": [job_class]}).classes[0].duration
    plain = duration_from_spec(table)
    for one in (found, plain.scaled(60), plain.retimed(60)):
        assert float(one.mean) == pytest.approx(60 * float(plain.mean), rel=1e-12)
        assert one.second_moment == pytest.approx(3600 * plain.second_moment, rel=1e-12)


@pytest.mark.parametrize("shape", [0.5, 1.0, 1.7, 4.0])
def test_moments_of_weibull_are_those_of_its_integral(shape):
    """E[(X/s)^r] = ∫ v^r f(v) dv, f the density of P(X/s > v) = exp(−v^shape), and s is what makes the mean right."""

    def integral(order):
        return quad(lambda v: v**order * shape * v ** (shape - 1) * math.exp(-(v**shape)), 0, np.inf, limit=500)[0]

    made = duration_from_spec({"law": "weibull", "shape": shape, "mean": 3})
    scale = 3 / integral(1)
    for order in (-3, -2, -1, 0, 1, 2, 3, 4):
        expected = scale**order * integral(order) if order > -shape else math.inf
        assert made.moment(order) == pytest.approx(expected, rel=1e-6), order
    assert made.moment(2) == pytest.approx(made.second_moment, rel=1e-12)


@pytest.mark.parametrize("law", DURATIONS.names())
def test_the_first_two_moments_are_the_mean_and_the_second_moment(law):
    made = make(law)
    assert [made.moment(1), made.moment(2)] == pytest.approx([float(made.mean), made.second_moment], rel=1e-12)
