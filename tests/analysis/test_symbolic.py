"""Exact answers for systems as users describe them."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

import msj
from msj import Fit, JobClass, NotSupported, System
from strategies import simple, systems

TWO = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"))


def test_fractions_come_out():
    answer = msj.in_symbols(TWO).answer
    assert answer.threshold == Fraction(9, 10)
    assert answer.departure_relative_completions == Fraction(43, 100)


def test_decimals_are_what_the_user_wrote():
    assert msj.in_symbols(simple(2, (1, 1.0, 0.9), (2, 0.1, 0.1))).answer.threshold == Fraction(2, 10) / (
        Fraction(1, 10) * Fraction(81, 100) + 2 * Fraction(1, 10) * Fraction(9, 100) + 2 * Fraction(1, 10)
    )


def test_a_class_that_never_arrives_is_left_out():
    never = JobClass(name="never", need=2, share=0, duration={"law": "exponential", "mean": 1})
    assert msj.in_symbols(TWO.replace(classes=[*TWO.classes, never])).answer.threshold == Fraction(9, 10)


@settings(max_examples=25)
@given(systems(most_servers=5, most_classes=2))
def test_fractions_agree_with_floats(system):
    exact, float_ = msj.in_symbols(system).answer, msj.analyse(system, method="chain")
    assert float(exact.threshold) == pytest.approx(float_["stability_threshold"], rel=1e-11)
    expected = float_["relative_completions_at_departure"]
    assert float(exact.departure_relative_completions) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_fitted_laws_are_rounded_once_and_then_exact():
    classes = [
        JobClass(name="a", need=1, share="1/2", duration=Fit(mean=1, cv=2)),
        JobClass(name="b", need=3, share="1/2", duration=Fit(mean=1, cv=0.8)),
    ]
    system = System(servers=3, classes=classes)
    expected = msj.analyse(system)["stability_threshold"]
    assert float(msj.in_symbols(system).answer.threshold) == pytest.approx(expected, rel=1e-12)


def test_formulas_need_exponential_durations():
    classes = [JobClass(name="a", need=1, share=1, duration={"law": "erlang", "stages": 2, "mean": 1})]
    with pytest.raises(NotSupported, match="formulas need exponential durations: class 'a' has erlang"):
        msj.in_symbols(System(servers=2, classes=classes), ["mu1"])
