"""Regimes are decided exactly, by limits, and not at all where there is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.closed_forms.load_focused import Regime
from msj.growth.expressions import Expression
from msj.growth.regime import decide_regime


@pytest.mark.parametrize(
    ("text", "regime"),
    [
        ("n^-0.5", Regime.N_SERVER),
        ("n^-(1/3)", Regime.N_SERVER),
        ("n^-0.999999999999", Regime.N_SERVER),
        ("1/ln(n)", Regime.N_SERVER),
        ("ln(n)/n", Regime.N_SERVER),
        ("1/ceil(sqrt(n))", Regime.N_SERVER),
        ("ln(ln(n))/n", Regime.N_SERVER),
        ("exp(sqrt(ln(n)))/n", Regime.N_SERVER),
        ("n**-(e/4)", Regime.N_SERVER),
        ("1/n", Regime.BALANCED),
        ("0.01/n + n^-2", Regime.BALANCED),
        ("n^-(1/3)/n^(2/3)", Regime.BALANCED),  # in floating point the exponents do not sum to -1
        ("min(n^-0.5, 3/n)", Regime.BALANCED),
        ("(1 + 1/ln(ln(n)))/n", Regime.BALANCED),
        ("exp(-ln(n))", Regime.BALANCED),
        ("1/(n + n%2)", Regime.BALANCED),
        ("sqrt(n + 1) - sqrt(n) - 1/(2*sqrt(n)) + 1/n", Regime.BALANCED),
        ("1/(n*sqrt(ln(n)))", Regime.ABOVE_BORDER),
        ("1/(n*ln(ln(n)))", Regime.ABOVE_BORDER),
        ("2/(n*ln(n))", Regime.BORDER),
        ("max(1/(n*log2(n)), n^-2)", Regime.BORDER),
        ("1/(n*ln(n)) + exp(-n)", Regime.BORDER),
        ("1/(n*ln(n)^1.01)", Regime.ONE_SERVER),
        ("1/(n*ln(n)*ln(ln(n)))", Regime.ONE_SERVER),
        ("exp(-sqrt(ln(n)))/n", Regime.ONE_SERVER),
        ("n^-1.000000000001", Regime.ONE_SERVER),
        ("n**-pi", Regime.ONE_SERVER),
        ("n^-2", Regime.ONE_SERVER),
        ("exp(-n)", Regime.ONE_SERVER),
        ("n^-n", Regime.ONE_SERVER),
        ("0.3", Regime.CONSTANT),
        ("1 - 1/n", Regime.CONSTANT),
    ],
)
def test_exact_decisions(text: str, regime: Regime) -> None:
    decision = decide_regime(Expression(text))
    assert decision.regime is regime, decision.reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n/10", "p_n -> infinity, so p_n is no share"),
        ("-1/n", "n p_n -> -1, so p_n is no share"),
        ("-n^-2", "not positive"),
        ("n - n", "not positive"),
        ("-ln(n)", "p_n -> -infinity"),
        ("sqrt(5 - n)", "not known"),
        ("1/(n - n)", "not known"),
        ("(n%2)/n", "not known"),  # 0 or 1/n
        ("(n%2)/sqrt(n)", "n p_n tends to"),
        ("1/(n*(1 + (n%2)*ln(n)))", "n p_n tends to"),  # 1/n for every other n
        ("floor(sqrt(n)) - sqrt(n) + 1/n", "not known"),
        ("9^9^9/n", "not known"),
    ],
)
def test_what_is_no_share_or_has_no_limit_stays_undecided(text: str, said: str) -> None:
    decision = decide_regime(Expression(text))
    assert decision.regime is Regime.UNDECIDED
    assert said in decision.reason


def test_limits_are_given() -> None:
    assert decide_regime(Expression("0.25/n")).limit == 0.25
    assert decide_regime(Expression("3/(n*ln(n))")).limit == 3
    assert decide_regime(Expression("2/(n*log2(n))")).limit == pytest.approx(2 * math.log(2))
    assert decide_regime(Expression("1e300*1e300/n")).limit == math.inf


numbers = st.sampled_from(["0", "1", "2", "0.5", "1e-300", "1e300", "pi", "n", "ln(n)"])
expressions = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**", "//", "%"]), inner).map(
            lambda t: f"({t[0]}){t[1]}({t[2]})"
        ),
        st.tuples(st.sampled_from(["ln", "sqrt", "exp", "floor", "abs", "-", "log2"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        st.tuples(inner, inner).map(lambda t: f"min({t[0]}, {t[1]})"),
    ),
    max_leaves=6,
)


@given(expressions)
def test_every_expression_gets_a_decision(text: str) -> None:
    decision = decide_regime(Expression(text[:200]) if len(text) <= 200 else Expression("n"))
    assert decision.reason
    assert decision.regime in Regime
