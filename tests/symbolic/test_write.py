"""Answers written as text, LaTeX and Python; the Python is run and must give the same numbers."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
import sympy

from msj.errors import InvalidInput
from msj.symbolic import solve_exactly, solve_symbolically, write

EXAMPLE = {"servers": 2, "needs": (1, 2), "shares": ("2/3", "1/3"), "rates": (1, "1/2")}
PHASES = (((1, 0), ((-2, 2), (0, -2))), ((1,), ((-1,),)))


@cache
def two_servers():
    return solve_symbolically(**EXAMPLE, parameters=("p1", "p2", "mu1", "mu2"))


def run(source):
    module = {}
    exec(compile(source, "written", "exec"), module)
    return module


def assert_same_numbers(module, expected, *values):
    assert module["STATES"] == expected.states
    assert module["STATE_NAMES"] == expected.state_names
    assert module["stability_threshold"](*values) == expected.threshold
    assert module["wasted_servers"](*values) == expected.wasted_servers
    assert module["time_average"](*values) == expected.time_average
    assert module["departure_average"](*values) == expected.departure_average
    assert module["relative_completions"](*values) == expected.relative_completions
    assert module["departure_relative_completions"](*values) == expected.departure_relative_completions
    arrivals = expected.threshold / 2
    assert module["response_time"](arrivals, *values) == expected.response_time(arrivals)


def test_python_of_numbers_is_exact():
    answer = solve_exactly(**EXAMPLE)
    assert_same_numbers(run(write(answer, "python")), answer)


def test_python_of_phases_is_exact():
    answer = solve_exactly(servers=3, needs=(1, 2), shares=("1/4", "3/4"), phases=PHASES)
    assert_same_numbers(run(write(answer, "python")), answer)


def test_python_of_formulas_is_exact_with_fractions():
    module = run(write(two_servers(), "python"))
    assert_same_numbers(module, solve_exactly(**EXAMPLE), Fraction(2, 3), Fraction(1, 3), Fraction(1), Fraction(1, 2))


@pytest.mark.parametrize("parameters", [("p1",), ("mu2",), ("p3", "mu1"), ("p1", "p2", "p3")])
def test_python_of_three_classes_is_exact_with_fractions(parameters):
    # Fixed halves and thirds end up as coefficients: none of them may turn into a float.
    shares, rates = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1, 3), Fraction(3, 2), Fraction(5, 7))
    system = {"servers": 3, "needs": (1, 2, 3), "shares": shares, "rates": rates}
    module = run(write(solve_symbolically(**system, parameters=parameters), "python"))
    known = {f"p{i + 1}": share for i, share in enumerate(shares)} | {
        f"mu{i + 1}": rate for i, rate in enumerate(rates)
    }
    assert_same_numbers(module, solve_exactly(**system), *(known[name] for name in parameters))


def test_python_takes_floats():
    module = run(write(two_servers(), "python"))
    assert module["departure_relative_completions"](2 / 3, 1 / 3, 1.0, 0.5) == pytest.approx(0.43, rel=1e-13)


def test_python_of_numbers_too_long_to_print():
    huge = Fraction(7**9001, 3**15943)
    answer = replace(solve_exactly(**EXAMPLE), threshold=huge)
    assert run(write(answer, "python"))["stability_threshold"]() == huge
    assert "lambda* = " in write(answer, "text")
    assert r"\lambda^* &\approx " in write(answer, "latex")


def test_python_refuses_symbols_that_cannot_be_arguments():
    rate = sympy.Symbol("class")
    answer = solve_exactly(servers=1, needs=(1,), shares=(1,), rates=(rate,))
    with pytest.raises(InvalidInput, match="'class' cannot name a Python argument"):
        write(answer, "python")


def test_text_of_formulas():
    text = write(two_servers(), "text")
    assert text.startswith("Saturated MSJ FCFS on 2 servers\n  class 1: need 1, share p1, exponential with rate mu1\n")
    assert "  where p1 + p2 = 1\n" in text
    assert "lambda* = 2*mu1*mu2/(2*mu1*p2 + mu2*p1*(p2 + 1))\n" in text
    assert "  P(Y_d = [1,2]) = p1*p2\n" in text
    assert "  Delta([2]) = mu2*p1*(-2*mu1*(p2**2 + 1) + mu2*(p2**3 + 2*p2 + 1))/" in text


def test_text_says_when_a_decimal_is_rounded():
    text = write(solve_exactly(servers=3, needs=(1, 2), shares=("1/4", "3/4"), phases=PHASES), "text")
    assert "class 1: need 1, share 1/4, phase type started by (1 0) with generator [-2 2; 0 -2]\n" in text
    exact = solve_exactly(servers=10, needs=(1, 10), shares=("0.1", "0.9"), rates=("0.1", 1))
    text = write(exact, "text")
    assert "stability threshold: lambda* = 140000000000/258754249729 ~ 0.5410539156\n" in text
    assert "Delta(Y_d) = 1.849858139 (rounded)\n" in text
    assert "P(Y_d = [10]) = 9/10 = 0.9\n" in text


def test_latex():
    lines = write(two_servers(), "latex").splitlines()
    assert lines[0] == "% Saturated MSJ FCFS on 2 servers"
    assert lines[4] == r"\begin{align*}"
    assert lines[-1] == r"\end{align*}"
    assert lines[5] == (
        r"  \lambda^* &= \frac{2 \mu_{1} \mu_{2}}{2 \mu_{1} p_{2} + \mu_{2} p_{1} \left(p_{2} + 1\right)} \\"
    )
    assert r"  \mathbb{P}(Y_d = [1,2]) &= p_{1} p_{2} \\" in lines
    assert all(line.endswith(r"\\") for line in lines[5:-2])
    for line in lines:
        assert line.count("{") == line.count("}")
    assert r"  \Delta([2]) &= - \frac{37}{100} \\" in write(solve_exactly(**EXAMPLE), "latex").splitlines()


def test_unknown_style_is_refused():
    with pytest.raises(InvalidInput, match="the style 'html' is unknown; choose among text, latex, python"):
        write(solve_exactly(**EXAMPLE), "html")
