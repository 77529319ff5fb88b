"""Regimes are decided exactly where the leading term is known, with care elsewhere, and not at all when in doubt."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.growth.expressions import Expression
from msj.growth.leading_term import LeadingTerm, leading_term
from msj.growth.regime import Regime, decide_regime


@pytest.mark.parametrize(
    ("text", "regime"),
    [
        ("n^-0.5", Regime.N_SERVER),
        ("n^-(1/3)", Regime.N_SERVER),
        ("n^-0.999999999999", Regime.N_SERVER),
        ("1/ln(n)", Regime.N_SERVER),
        ("ln(n)/n", Regime.N_SERVER),
        ("1/ceil(sqrt(n))", Regime.N_SERVER),
        ("1/n", Regime.BALANCED),
        ("0.01/n + n^-2", Regime.BALANCED),
        ("n^-(1/3)/n^(2/3)", Regime.BALANCED),  # in floating point the exponents do not sum to -1
        ("min(n^-0.5, 3/n)", Regime.BALANCED),
        ("1/(n*sqrt(ln(n)))", Regime.ABOVE_BORDER),
        ("2/(n*ln(n))", Regime.BORDER),
        ("max(1/(n*log2(n)), n^-2)", Regime.BORDER),
        ("1/(n*ln(n)^1.01)", Regime.ONE_SERVER),
        ("n^-1.000000000001", Regime.ONE_SERVER),
        ("n^-2", Regime.ONE_SERVER),
        ("0.3", Regime.CONSTANT),
        ("1 - 1/n", Regime.CONSTANT),
        ("n/10", Regime.UNDECIDED),
        ("-1/n", Regime.UNDECIDED),
    ],
)
def test_exact_decisions(text: str, regime: Regime) -> None:
    decision = decide_regime(Expression(text))
    assert decision.exact
    assert decision.regime is regime, decision.reason


@pytest.mark.parametrize(
    ("text", "regime"),
    [
        ("ln(ln(n))/n", Regime.N_SERVER),
        ("1/(n*ln(ln(n)))", Regime.ABOVE_BORDER),
        ("1/(n*ln(n)*ln(ln(n)))", Regime.ONE_SERVER),
        ("exp(-sqrt(ln(n)))/n", Regime.ONE_SERVER),
        ("exp(sqrt(ln(n)))/n", Regime.N_SERVER),
        ("exp(-n)", Regime.ONE_SERVER),
        ("n**-pi", Regime.ONE_SERVER),
        ("n**-(e/4)", Regime.N_SERVER),
        # Too close to call: balanced in truth, but no measurement can tell that from slow growth.
        ("(1 + 1/ln(ln(n)))/n", Regime.UNDECIDED),
        ("exp(-ln(n))", Regime.UNDECIDED),
        ("1/(n*ln(n)) + exp(-n)", Regime.UNDECIDED),
        ("1/(n + n%2)", Regime.UNDECIDED),
        ("sqrt(5 - n)", Regime.UNDECIDED),
    ],
)
def test_numerical_decisions_are_right_or_not_made(text: str, regime: Regime) -> None:
    decision = decide_regime(Expression(text))
    assert not decision.exact
    assert decision.regime is regime, decision.reason


@given(
    st.floats(0.01, 100),
    st.fractions(-3, 3, max_denominator=12),
    st.fractions(-3, 3, max_denominator=12),
    st.floats(0.01, 100),
    st.fractions(-3, 3, max_denominator=12),
)
def test_leading_terms_lead(c: float, a: Fraction, b: Fraction, other: float, d: Fraction) -> None:
    """A sum is as large as its leading term far out (checked in logarithms, where nothing overflows)."""
    text = f"{c!r}*n^({a})*ln(n)^({b}) + {other!r}*n^({d})"
    term = leading_term(Expression(text))
    assert term is not None
    log_n, u = 1e9, math.log(1e9)
    logs = [math.log(c) + float(a) * log_n + float(b) * u, math.log(other) + float(d) * log_n]
    total = max(logs) + math.log(sum(math.exp(x - max(logs)) for x in logs))
    found = math.log(term.coefficient) + float(term.power) * log_n + float(term.log_power) * u
    # Equal powers of n with different powers of ln n differ by at most (ln n)^(-1/12) = e^-1.7 in the smaller term.
    assert found == pytest.approx(total, abs=math.log1p(1e4 * math.exp(-u / 12)) + 1e-6)


def test_logarithms_of_terms() -> None:
    assert leading_term(Expression("log2(5*n^3*ln(n))")) == LeadingTerm(
        coefficient=3 / math.log(2), log_power=Fraction(1)
    )
    for text in ("ln(ln(n))", "exp(n)", "n - n", "n//2", "n^n", "ln(3 + 1/n)", "floor(1/n)", "min(-n, n)"):
        assert leading_term(Expression(text)) is None, text


def test_limits_are_given() -> None:
    assert decide_regime(Expression("0.25/n")).limit == 0.25
    assert decide_regime(Expression("3/(n*ln(n))")).limit == 3
    assert decide_regime(Expression("2/(n*log2(n))")).limit == pytest.approx(2 * math.log(2))


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
