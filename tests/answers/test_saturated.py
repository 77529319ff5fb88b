"""Closed forms and the chain: the same numbers, and the right one chosen."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import msj
from msj import Erlang, InvalidInput, JobClass, NotSupported, System
from msj.analysis.base import SaturatedAnalysis
from msj.answers.saturated import analyses
from strategies import exponentials, simple, systems

SHARED = ("stability_threshold", "wasted_servers", "saturated_utilisation")


@settings(max_examples=150)
@given(systems(most_servers=14, most_classes=3, durations=exponentials()))
def test_every_closed_form_that_applies_agrees_with_the_chain(system):
    chain = msj.analyse(system, method="chain")
    for analysis in analyses(SaturatedAnalysis):
        if analysis.closed_form and analysis.supports(system) is None:
            found = analysis.saturate(system)
            for name in SHARED:
                assert getattr(found, name) == pytest.approx(chain[name], rel=1e-10, abs=1e-12), analysis.name
            if found.relative_completions_at_departure is not None:
                expected = chain["relative_completions_at_departure"]
                assert found.relative_completions_at_departure == pytest.approx(expected, rel=1e-9, abs=1e-11)


@given(
    st.integers(2, 60),
    st.integers(1, 19).map(lambda n: Fraction(n, 20)),
    st.sampled_from([Fraction(1, 50), Fraction(1, 3), 1, 7, 200]),
)
@example(53, Fraction(13, 20), 200)  # few small jobs run, although by their share of the work there should be many
@example(600, Fraction(13, 20), 200)
def test_one_and_n_agrees_with_the_chain(servers, share, rate):
    system = simple(servers, (1, 1, 1 - share), (servers, rate, share))
    chain, form = (msj.analyse(system, method=method) for method in ("chain", "closed-form"))
    for name in (*SHARED, "relative_completions_at_departure"):
        assert form[name] == pytest.approx(chain[name], rel=1e-9, abs=1e-11)


def methods(system, **options):
    return {row.name: row.method for row in msj.analyse(system, **options)}


def test_what_is_chosen():
    assert methods(simple(9, (1, 1, 0.5), (9, 2, 0.5)))["stability_threshold"] == "1-and-n sums"
    assert methods(simple(9, (1, 1, 0.5), (4, 2, 0.5)))["stability_threshold"] == "two-class product form"
    assert methods(simple(9, (1, 1, 0.5), (4, 1, 0.5)))["stability_threshold"] == "two-class product form"
    three = methods(simple(9, (1, 1, 0.5), (4, 1, 0.25), (5, 1, 0.25)))
    assert three["stability_threshold"] == "one service law, renewal sum"
    assert three["relative_completions_at_departure"] == "saturated chain"
    assert methods(simple(9, (1, 1, 0.5), (4, 2, 0.3), (5, 3, 0.2)))["stability_threshold"] == "saturated chain"
    two = methods(simple(9, (1, 1, 0.5), (4, 2, 0.5)))
    assert two["relative_completions_at_departure"] == "two-class product form"
    assert methods(simple(9, (1, 1, 0.5), (9, 2, 0.5)), method="chain")["wasted_servers"] == "saturated chain"


def test_a_large_two_class_system_needs_no_chain():
    result = msj.analyse(simple(900_000, (3, 2, 0.9), (10, 1, 0.1), load=0.5), percentiles=False)
    assert result.row("relative_completions_at_departure").method == "two-class product form"


def test_a_large_system_of_one_law_leaves_the_chain_alone_and_says_so():
    result = msj.analyse(simple(300_000, (3, 2, 0.8), (5, 2, 0.1), (10, 2, 0.1), load=0.5))
    assert "relative_completions_at_departure" not in result
    assert "left out: they need a chain that would take" in result.notes[0]


def test_forcing_a_closed_form_where_none_applies_gives_every_reason():
    classes = [
        JobClass(name="a", need=1, share="1/2", duration=Erlang(stages=2, mean=1)),
        JobClass(name="b", need=2, share="1/2", duration=Erlang(stages=2, mean=1)),
    ]
    with pytest.raises(NotSupported, match=r"one-and-n: class 'a' has erlang durations.*two-class: class 'a' has"):
        msj.analyse(System(servers=4, classes=classes), method="closed-form")
    with pytest.raises(NotSupported, match="there are 3 classes and this form needs exactly two"):
        msj.analyse(simple(9, (1, 1, 0.5), (4, 2, 0.3), (5, 3, 0.2)), method="closed-form")


def test_an_unknown_method_is_refused():
    with pytest.raises(InvalidInput, match="method = 'magic' is unknown"):
        msj.analyse(simple(2, (1, 1, 1)), method="magic")
