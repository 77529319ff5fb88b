"""The small rules of exact work by hand: polynomials and how they are written, what is read, and where it ends."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import ZZ
from sympy.polys.rings import ring

from msj.errors import InvalidInput, NotSupported, TooLarge, Unstable
from msj.symbolic import count_states, exponential, saturated_chain, solve_exactly, solve_symbolically
from msj.symbolic.chain import refuse_above
from msj.symbolic.elimination import eliminate, gain_until_last, stationary_weights
from msj.symbolic.entries import _check_phases, check_model, exact, is_negative, is_zero
from msj.symbolic.front_chain import Step, build_front
from msj.symbolic.presentation import Factors, Presentation, _length, divided, factors_of
from msj.symbolic.solve import _in_order
from msj.symbolic.write import _integer, _latex, _python, _text, write

EXAMPLE = {"servers": 2, "needs": (1, 2), "shares": ("2/3", "1/3"), "rates": (1, "1/2")}
R, P1, P2, MU1, MU2 = ring("p1,p2,mu1,mu2", ZZ)
p1, p2, mu1, mu2 = R.symbols

# Polynomials.


@pytest.mark.parametrize("factor", [P1, P1 - P2, P1 * MU1 + 2 * P2**2, 3 * P1 + 1, MU1**2 - MU2])
@pytest.mark.parametrize("quotient", [P2 + 5, P1**3 - 2 * P1 * MU2 + 7, MU1 - MU2])
def test_what_divides_is_divided(factor, quotient):
    assert divided(factor * quotient, factor) == quotient
    assert divided(factor * quotient + 1, factor) is None
    assert divided(factor * factor * quotient, factor) == factor * quotient


def test_terms_that_cancel_come_up_again_in_a_division():
    assert divided(P1**3 - P2**3, P1 - P2) == P1**2 + P1 * P2 + P2**2
    assert divided(P1**4 - MU2**4, P1 + MU2) == P1**3 - P1**2 * MU2 + P1 * MU2**2 - MU2**3
    assert divided(P1**3 - P2**3, P1 + P2) is None


def test_what_divides_at_one_point_only_is_found_out():
    """Polynomials are tried where p1 = 101 and p2 = 107: there p1 divides 101·p2, and 2·p1 divides p1·(p2 + 1)."""
    assert divided(101 * P2, P1) is None
    assert divided(P1 * (P2 + 1), 2 * P1) is None
    assert divided(P1 * P2 - 101 * P2, P1 - 101) == P2  # nothing is told where the divisor is zero
    assert divided(P1 * P2 - 100 * P2, P1 - 101) is None


def writer(**options):
    return Presentation(R, shares=(p1, p2), **options)


@pytest.mark.parametrize(
    ("polynomial", "sign"),
    [(1 - P1, 1), (P1 - 1, -1), (P1 - 2 * P2, -1), (2 * P1 - P2, 1), (P1**2 - P1, -1), (P1 - P1**2 * MU1, 1), (P1, 1)],
)
def test_the_sign_is_that_of_small_equal_symbols(polynomial, sign):
    assert writer()._sign(polynomial) == sign


def test_short_is_few_terms_then_few_minus_signs_then_small_numbers():
    assert _length(3 * P1 - 5 * P2 + 1) == (3, 1, 9)
    rewriting = writer(dependent=p2)
    assert rewriting._shortest(1 - P1) == P2
    assert rewriting._shortest(2 - P1) == 1 + P2
    assert rewriting._shortest(1 + P1) == 1 + P1
    assert writer()._shortest(1 - P1) == 1 - P1


@pytest.mark.parametrize(
    ("numerator", "denominator", "written"),
    [
        (-2 * P1**2 * (MU1 - MU2), Factors(constant=3, irreducible={1 - P1: 1}), "2*p1**2*(-mu1 + mu2)/(3*p2)"),
        (-2 * (MU1 - MU2) ** 2, Factors(constant=1, irreducible={}), "-2*(mu1 - mu2)**2"),
        (4 * MU1, Factors(constant=6, irreducible={P1 - 1: 1}), "-2*mu1/(3*p2)"),
        (4 * MU1, Factors(constant=6, irreducible={P1 - 1: 2}), "2*mu1/(3*p2**2)"),
        (MU1 * (1 - P1) ** 3, Factors(constant=1, irreducible={MU2: 2}), "mu1*p2**3/mu2**2"),
        (P1 * MU1 + (2 * P1 - P1**2) * MU2, Factors(constant=5, irreducible={}), "p1*(mu1 + mu2*(p2 + 1))/5"),
    ],
)
def test_fractions_are_written_with_few_minus_signs(numerator, denominator, written):
    found = writer(dependent=p2).fraction(numerator, denominator)
    assert str(found) == written
    below = denominator.constant * sympy.prod(f.as_expr() ** n for f, n in denominator.irreducible.items())
    assert sympy.cancel((found - numerator.as_expr() / below).subs(p2, 1 - p1)) == 0


def test_long_polynomials_are_only_divided_by_what_is_likely():
    polynomial = 6 * P1**2 * (P1 + P2) * (MU1**2 + MU1 * MU2)
    likely = writer(likely=[P1 + P2, P2])
    assert likely._split(polynomial, 40) == factors_of(polynomial)
    assert likely._split(polynomial, 41) == Factors(constant=6, irreducible={P1: 2, MU1: 1, P1 + P2: 1, MU1 + MU2: 1})
    assert writer()._split(polynomial, 40) == factors_of(polynomial)
    assert writer()._split(polynomial, 41).irreducible == {P1: 2, MU1: 1, (P1 + P2) * (MU1 + MU2): 1}


# Elimination.


@pytest.mark.parametrize("seed", range(6))
def test_states_are_taken_out_without_loss(seed):
    """Weights and gains solve their equations exactly, on a ring of states with some rates more."""
    rng = np.random.default_rng(seed)
    size = 2 + seed
    Q = np.where(rng.random((size, size)) < 0.4, rng.integers(1, 9, (size, size)), 0)
    Q[np.arange(size), (np.arange(size) + 1) % size] += 2
    rows = [{j: Fraction(int(rate)) for j, rate in enumerate(row) if rate} for row in Q]  # diagonals are ignored
    np.fill_diagonal(Q, 0)
    taken = eliminate(rows)
    weights = stationary_weights(taken)
    for j in range(size):
        assert sum(weights[i] * int(Q[i, j]) for i in range(size)) == weights[j] * int(Q[j].sum())
    assert weights[taken.last] == 1
    gains = [Fraction(int(gain)) for gain in rng.integers(-5, 6, size)]
    found = gain_until_last(taken, gains)
    for i in range(size):
        onward = gains[i] + sum(int(Q[i, j]) * found[j] for j in range(size))
        assert (found[i] == 0) if i == taken.last else (found[i] * int(Q[i].sum()) == onward)


# What is written.


def test_numbers_of_up_to_forty_digits_are_written_out():
    """2^129 has 130 binary digits, and one more of the denominator: below 132."""
    assert _text(Fraction(2**129)) == str(2**129)
    assert _text(Fraction(2**130)) == "1.361129468e+39 (rounded)"
    assert _text(Fraction(1, 2**129)).startswith(f"1/{2**129} ~ 1.469367939e-39")
    assert [_text(Fraction(n, 8)) for n in (2, 16, 3)] == ["1/4 = 0.25", "2", "3/8 = 0.375"]
    assert _text(Fraction(2, 3)) == "2/3 ~ 0.6666666667"
    assert _text(mu1 / 2) == "mu1/2"
    assert _latex(Fraction(2**129)) == f"= {2**129}"
    assert _latex(Fraction(2**130)) == rf"\approx {2**130}.0000000000"
    assert _latex(mu1 / 2) == r"= \frac{\mu_{1}}{2}"


def test_python_has_whole_numbers_only():
    assert _python(Fraction(-3, 4)) == "Fraction(-3, 4)"
    assert _python(sympy.Rational(3, 4)) == "Fraction(3, 4)"
    assert _python(sympy.Integer(5)) == "Fraction(5, 1)"
    assert _python(mu1 / 2) == "(mu1)/(2)"
    assert _python(1 / mu1) == "(1)/(mu1)"
    assert _python(mu1 + 1) == "mu1 + 1"
    assert _integer(2**9999 - 1) == str(2**9999 - 1)
    assert _integer(2**9999) == hex(2**9999)


def test_the_mean_response_time_is_written_out_where_it_is_short():
    answer = solve_exactly(**EXAMPLE)
    line = "  = 143/(100*(9/10 - lambda)) + O(1)\n"
    assert line in write(answer)
    assert " + O(1)\n  =" not in write(replace(answer, threshold=Fraction(2**130)))
    formula = solve_symbolically(**EXAMPLE, parameters=("mu1",))
    assert " + O(1)\n  =" not in write(formula)
    assert "where" not in write(formula)


# What is read.


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (Decimal("0.1"), Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.25), Fraction(1, 4)),
        (sympy.Rational(2, 6), Fraction(1, 3)),
        ("4/6", Fraction(2, 3)),
        (np.int64(3), Fraction(3)),
    ],
)
def test_numbers_are_read_without_rounding(value, found):
    assert exact(value, "it") == found
    assert isinstance(exact(value, "it"), Fraction)


@pytest.mark.parametrize("value", [True, float("inf"), Decimal("NaN"), "1/0", "x", sympy.sqrt(2), None, 1j])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InvalidInput, match=r"^it is .*, which is not a rational number"):
        exact(value, "it")


def test_signs_and_zeros():
    assert [is_negative(value) for value in (Fraction(-1, 9), Fraction(0), -mu1, 2)] == [True, False, False, False]
    assert is_zero((mu1**2 - 1) / (mu1 - 1) - mu1 - 1)
    assert not is_zero(mu1)
    assert is_zero(Fraction(0))


def test_models_at_the_edge_of_what_is_allowed():
    half = Fraction(1, 2)

    def check(servers=3, needs=(1, 3), shares=(half, half)):
        check_model(servers=servers, needs=needs, shares=shares, phases=(exponential(1),) * 2)

    check()
    check(servers=np.int64(3), needs=(np.int64(1), 3))
    for wrong in ({"servers": 2}, {"servers": True}, {"needs": (0, 3)}, {"needs": (1, 4)}, {"needs": (1, True)}):
        with pytest.raises(InvalidInput):
            check(**wrong)
    for shares in ((Fraction(3, 2), -half), (1, Fraction(0)), (half, Fraction(1, 3))):
        with pytest.raises(InvalidInput, match="share"):
            check(shares=shares)


@pytest.mark.parametrize(
    ("duration", "sentence"),
    [
        (((1, 0, 0), ((-1, 1, 0), (0, -1, 1), (0, 0, -1))), None),
        (((0, 1, 0), ((-2, 0, 0), (1, -1, 0), (0, 3, -3))), None),
        (((1, 0, 0), ((-1, 0, 0), (1, -1, 0), (0, 0, 0))), "phase 3 never finishes"),
        (((1, 0, 0), ((-1, 0, 0), (0, -1, 1), (0, 1, -1))), "phase 2 never finishes"),
        (((2, -1), ((-1, 0), (0, -1))), r"initial law of it is \(2, -1\)"),
        (((1, 0), ((-2, 1), (-1, -1))), r"row 2 of the generator of it is \(-1, -1\)"),
        (((1, 0), ((-2, 3), (0, -1))), r"row 1 of the generator of it is \(-2, 3\)"),
        (((), ()), "0 phases"),
        (((1, 0), ((-1, 0, 0), (0, -1))), "2 by 2/3"),
        (((1,), ((-1,), (-1,))), "1 phases but its generator is 2 by 1"),
    ],
)
def test_phases_that_end(duration, sentence):
    if sentence is None:
        _check_phases(duration, "it")
        return
    with pytest.raises(InvalidInput, match=sentence):
        _check_phases(duration, "it")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"shares": ("x", "1/3")}, "the share of class 1 is 'x'"),
        ({"shares": ("2/3", "y")}, "the share of class 2 is 'y'"),
        ({"rates": (1, "z")}, "class 2 is 'z'"),
        ({"rates": ("z", 1)}, "class 1 is 'z'"),
        ({"rates": (1, 0)}, "class 2"),
        ({"shares": ("1/2", "1/3")}, "shares sum to 5/6"),
        ({"servers": 1}, "class 2 needs 2 of 1 servers"),
    ],
)
def test_what_is_wrong_is_named_by_its_class(change, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        solve_exactly(**EXAMPLE | change)
    with pytest.raises(InvalidInput, match=sentence):
        solve_symbolically(**EXAMPLE | change, parameters=("p1",))


def test_phases_that_are_wrong_are_named_by_their_class():
    told = {"servers": 1, "needs": (1, 1), "shares": ("1/2", "1/2")}
    for n in (1, 2):
        phases = [exponential(1), exponential(1)]
        phases[n - 1] = 7
        with pytest.raises(InvalidInput, match=f"the phases of class {n} are 7"):
            solve_exactly(**told, phases=phases)


def test_parameters_are_shares_and_rates_by_number():
    with pytest.raises(InvalidInput, match="'p3' is unknown; choose among p1, p2, mu1, mu2; lambda"):
        solve_symbolically(**EXAMPLE, parameters=("p3",))
    with pytest.raises(InvalidInput, match="a list of names among p1, p2, mu1, mu2"):
        solve_symbolically(**EXAMPLE, parameters=())
    one = {"servers": 1, "needs": (1,), "shares": (1,), "rates": (3,)}
    with pytest.raises(InvalidInput, match="'p1' is unknown; choose among mu1; lambda"):
        solve_symbolically(**one, parameters=("p1",))
    assert str(solve_symbolically(**one, parameters=("mu1",)).threshold) == "mu1"


def test_jobs_begin_in_the_phases_of_their_law():
    """On two servers, one leaves from either phase at rate 3 or 5; who comes begins in the first with chance 1/4."""
    phases = (((Fraction(1, 4), Fraction(3, 4)), ((-3, 0), (0, -5))),)
    chain = saturated_chain(servers=2, needs=(1,), shares=(1,), phases=phases)
    assert chain.states == ((2, 0), (1, 1), (0, 2))
    assert chain.with_completion == (
        {0: Fraction(6, 4), 1: Fraction(18, 4)},
        {0: Fraction(5, 4), 1: Fraction(3, 4) + Fraction(15, 4), 2: Fraction(9, 4)},
        {1: Fraction(10, 4), 2: Fraction(30, 4)},
    )
    big = saturated_chain(servers=2, needs=(1, 2), shares=("1/2", "1/2"), phases=(phases[0], exponential(7)))
    # The large job leaves: large again; or small of either phase and then a large one that waits, or small again.
    found = dict(zip(big.states, (big.with_completion[-1].get(n, 0) for n in range(len(big.states))), strict=True))
    assert found[0, 0, 1] == Fraction(7, 2)
    assert (found[1, 0, 0], found[0, 1, 0]) == (Fraction(7, 16), Fraction(21, 16))
    assert (found[2, 0, 0], found[1, 1, 0], found[0, 2, 0]) == (Fraction(7, 64), Fraction(42, 64), Fraction(63, 64))


# Answers.


def test_response_times_below_the_threshold_only():
    answer = solve_exactly(**EXAMPLE)
    assert answer.response_time("89/100") == Fraction(143, 100) / Fraction(1, 100)
    for rate in ("9/10", 1):
        with pytest.raises(Unstable, match="9/10"):
            answer.response_time(rate)
    for rate in (0, "-1/10"):
        with pytest.raises(InvalidInput, match="give a positive rate"):
            answer.response_time(rate)


def test_numbers_are_put_in_for_all_parameters_and_checked():
    formula = solve_symbolically(**EXAMPLE, parameters=("p1", "p2", "mu1"))
    assert formula.at(p1="2/3", p2="1/3", mu1=1) == solve_exactly(**EXAMPLE)
    with pytest.raises(InvalidInput, match="given for p1, mu1 but the parameters are p1, p2, mu1"):
        formula.at(p1="2/3", mu1=1)
    with pytest.raises(InvalidInput, match="share of class 2 is -1"):
        formula.at(p1=2, p2=-1, mu1=1)
    with pytest.raises(InvalidInput, match="given for nothing but"):
        formula.at()


def test_symbols_are_shares_then_rates_then_others_by_number():
    names = ("x", "mu2", "p10", "a3", "mu10", "p2", "p")
    found = [symbol.name for symbol in _in_order({sympy.Symbol(name) for name in names})]
    assert found == ["p", "p2", "p10", "mu2", "mu10", "a3", "x"]


@pytest.mark.parametrize(
    ("needs", "phases", "names"),
    [
        ((1, 1), (exponential(1), exponential(2)), ("(2, 0)", "(1, 1)", "(0, 2)")),  # of one need
        ((1, 2), (((1, 0), ((-2, 2), (0, -2))), exponential(2)), ("(2|0, 0)", "(1|1, 0)", "(1|0, 0)")),  # phases
        ((1, 2), (exponential(1), exponential(2)), ("[1,1]", "[1,2]", "[2]")),
    ],
)
def test_states_are_named_as_in_the_paper_where_that_says_all(needs, phases, names):
    chain = saturated_chain(servers=2, needs=needs, shares=("1/4", "3/4"), phases=phases)
    assert chain.names()[:3] == names


# Where it ends.


@pytest.mark.parametrize(
    ("parameters", "servers", "sentence"),
    [
        (("mu1",), 32, "33 states and exact work with 1 free symbols stops at 32"),
        (("mu1", "mu2"), 32, "33 states and exact work with 1 free symbols stops at 32"),
        (("p1", "mu1"), 18, "19 states and exact work with 2 free symbols stops at 18"),
        (("p1", "mu1", "mu2"), 18, "19 states and exact work with 2 free symbols stops at 18"),
    ],
)
def test_the_more_symbols_the_fewer_states(parameters, servers, sentence):
    """One job of all servers, or 1 to k small ones: k + 1 states; if all rates are symbols one is the unit of time."""
    system = {"servers": servers, "needs": (1, servers), "shares": ("1/2", "1/2"), "rates": (1, 2)}
    with pytest.raises(TooLarge, match=f"{sentence}; take fewer servers, classes, phases or symbols"):
        solve_symbolically(**system, parameters=parameters)


@pytest.mark.parametrize(("symbols", "most"), [(3, 13), (4, 9)])
def test_many_symbols_and_few_states(symbols, most):
    """Three classes of needs 1, 1 and k: n small ones of two sorts, n = 1..k; p1, mu1, p2, mu2 in turn."""
    names = ("p1", "mu1", "p2", "mu2")[:symbols]
    system = {"servers": 4, "needs": (1, 1, 4), "shares": ("1/2", "1/4", "1/4"), "rates": (1, 2, 3)}
    size = count_states(servers=4, needs=(1, 1, 4), phase_counts=(1, 1, 1))
    assert size == 2 + 3 + 4 + 5 + 1
    with pytest.raises(TooLarge, match=f"15 states and exact work with {symbols} free symbols stops at {most};"):
        solve_symbolically(**system, parameters=names)


def test_so_many_states_and_servers_and_no_more():
    phases = (exponential(1), exponential(2))
    refuse_above(33, servers=32, needs=(1, 32), phases=phases)
    with pytest.raises(TooLarge, match="classes, phases, or raise most_states"):
        refuse_above(32, servers=32, needs=(1, 32), phases=phases)
    assert count_states(servers=1_000_000, needs=(1,), phase_counts=(1,)) == 1
    with pytest.raises(TooLarge, match="at most 1,000,000"):
        count_states(servers=1_000_001, needs=(1,), phase_counts=(1,))


class Line:
    """Full with so many jobs, of which the first is served; classes 0 and 1, the second with some chance of a mark."""

    def __init__(self, length, *, classes=1, stuck=False):
        self.servers, self.length, self.stuck = 3, length, stuck
        self.fresh = [(c, c, Fraction(1)) for c in range(classes)]

    def empty(self):
        return ()

    def full(self, front):
        return len(front) == self.length

    def add(self, front, job):
        return (*front, job)

    def settled(self, front):
        return [(front, Fraction(1))]

    def steps(self, front):
        by_class = tuple(Fraction(2 * (c == front[0])) for c in range(len(self.fresh)))
        after = front if self.stuck else front[1:]
        return [Step(own=Fraction(1, 3), by_class=by_class, after=after, completes=True)]

    def busy(self, front):
        return Fraction(1)


def built(line, most_states, shares=(Fraction(1),), rates=(Fraction(5),)):
    return build_front(line, shares=shares, rates=rates, number=Fraction, most_states=most_states)


def test_fronts_that_are_written_down():
    """At rate 1/3 + 2·mu of whom is served; the next to join is of either class."""
    shares, rates = (Fraction(1, 4), Fraction(3, 4)), (Fraction(5), Fraction(7))
    chain = built(Line(1, classes=2), 2, shares, rates)
    assert chain.states == ((0,), (1,))
    assert chain.names() == ("(0)", "(1)")
    first, second = Fraction(1, 3) + 10, Fraction(1, 3) + 14
    assert chain.with_completion == ({0: first / 4, 1: first * 3 / 4}, {0: second / 4, 1: second * 3 / 4})
    assert chain.without_completion == ({}, {})
    assert (chain.servers, chain.busy((0,))) == (3, 1)
    with pytest.raises(TooLarge, match="more than 1 full fronts"):
        built(Line(1, classes=2), 1, shares, rates)


def test_fronts_on_the_way_to_full_ones():
    assert built(Line(100), 2).states == ((0,) * 100,)
    with pytest.raises(TooLarge, match="more than 101 fronts were met"):
        built(Line(101), 2)


def test_the_law_of_what_joins_is_a_product():
    """Two in line: the second moves up and the next is of either class; begun by nobody, so both are drawn."""
    shares, rates = (Fraction(1, 4), Fraction(3, 4)), (Fraction(5), Fraction(7))
    line = Line(2, classes=2)
    line.steps = lambda front: [Step(own=Fraction(6), by_class=(Fraction(0),) * 2, after=(), completes=True)] * 2
    chain = built(line, 4, shares, rates)
    assert chain.names() == ("(0,0)", "(0,1)", "(1,0)", "(1,1)")
    law = {n: 12 * Fraction(part, 16) for n, part in enumerate((1, 3, 3, 9))}
    assert chain.with_completion == (law,) * 4


def test_servers_in_use_need_not_be_whole():
    """Who is served holds 1/2 or 5/3 of three servers, for 3/31 or 3/43 of a unit of time."""
    line = Line(1, classes=2)
    line.busy = lambda front: (Fraction(1, 2), Fraction(5, 3))[front[0]]
    told = {"servers": 3, "needs": (1, 1), "shares": ("1/4", "3/4"), "rates": (5, 7), "front": line, "served": "a line"}
    first, second = Fraction(1, 4) * Fraction(3, 31), Fraction(3, 4) * Fraction(3, 43)
    wasted = 3 - (first / 2 + second * Fraction(5, 3)) / (first + second)
    found = solve_exactly(**told)
    assert (found.wasted_servers, found.threshold) == (wasted, 1 / (first + second))
    assert found.served == "a line"
    for parameters in (("mu1",), ("p1", "mu2"), ("p1", "p2", "mu1", "mu2")):
        given = {"p1": "1/4", "p2": "3/4", "mu1": 5, "mu2": 7}
        formula = solve_symbolically(**told, parameters=parameters).at(**{name: given[name] for name in parameters})
        assert formula == found


def test_parts_that_do_not_meet():
    shares, rates = (Fraction(1, 4), Fraction(3, 4)), (Fraction(5), Fraction(7))
    with pytest.raises(NotSupported, match="2 parts that do not meet"):
        built(Line(1, classes=2, stuck=True), 9, shares, rates)
