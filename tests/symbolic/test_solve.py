"""Exact answers against the papers, the theory sheet, and chains and formulas that share no code."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from msj.errors import InvalidInput, TooLarge, Unstable
from msj.symbolic import solve_exactly, solve_symbolically

EXAMPLE = {"servers": 2, "needs": (1, 2), "shares": ("2/3", "1/3"), "rates": (1, "1/2")}


def test_running_example_of_reset_section_4_1():
    answer = solve_exactly(**EXAMPLE)
    assert answer.state_names == ("[1,1]", "[1,2]", "[2]")
    assert answer.threshold == Fraction(9, 10)
    assert answer.time_average == (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5))
    assert answer.departure_average == (Fraction(4, 9), Fraction(2, 9), Fraction(1, 3))
    assert answer.relative_completions == (Fraction(69, 50), Fraction(-27, 100), Fraction(-37, 100))
    assert answer.departure_relative_completions == Fraction(43, 100)
    assert answer.wasted_servers == Fraction(1, 5)
    assert answer.response_time(Fraction(1, 2)) == Fraction(143, 100) / (
        Fraction(9, 10) * (1 - Fraction(1, 2) / Fraction(9, 10))
    )
    assert isinstance(answer.threshold, Fraction)


@cache
def two_servers():
    return solve_symbolically(**EXAMPLE, parameters=("p1", "p2", "mu1", "mu2"))


def same(found, expected):
    p1, p2 = sympy.symbols("p1 p2")
    return sympy.cancel((found - expected).subs(p2, 1 - p1)) == 0


def test_two_servers_as_formulas_of_reset_appendix_c_2():
    p1, p2, mu1, mu2, arrivals = sympy.symbols("p1 p2 mu1 mu2 lambda")
    answer = two_servers()
    assert answer.parameters == (p1, p2, mu1, mu2)
    D = mu2 * p1**2 + 2 * mu2 * p1 * p2 + 2 * mu1 * p2
    threshold = 2 * mu1 * mu2 / D
    assert same(answer.threshold, threshold)
    for found, expected in zip(
        answer.time_average, (mu2 * p1**2 / D, 2 * mu2 * p1 * p2 / D, 2 * mu1 * p2 / D), strict=True
    ):
        assert same(found, expected)
    for found, expected in zip(answer.departure_average, (p1**2, p1 * p2, p2), strict=True):
        assert same(found, expected)
    first, second, third = answer.relative_completions
    paper_first = 2 * p2 * (2 * mu1**2 * (1 + p2) - mu1 * mu2 * (-2 * p1 + p1**2 + 3 * p2) - mu2**2 * p1 * p2)
    paper_second = 4 * mu1**2 * p2**2 - 2 * mu1 * mu2 * (p1**2 + p1**2 * p2 + 2 * p2**2) + mu2**2 * p1**2 * p2
    assert same(first, paper_first / D**2)
    assert same(second, paper_second / D**2)
    # The closed form printed for [2] is garbled; this is the line before it.
    assert same(third, paper_second / D**2 + (mu2 * p1**2 + 2 * (mu2 - mu1) * p2) / D)
    ahead = p1 * p2 * (4 * mu1**2 - 2 * mu1 * mu2 * (1 + 3 * p2) + mu2**2 * (1 + p2 + 2 * p2**2)) / D**2
    assert same(answer.departure_relative_completions, ahead)
    assert same(answer.wasted_servers, 2 - threshold * (p1 / mu1 + 2 * p2 / mu2))
    assert same(answer.response_time(), (1 + ahead) / (threshold * (1 - arrivals / threshold)))


def test_all_shares_as_symbols_are_written_as_the_paper_writes_them():
    answer = two_servers()
    assert str(answer.threshold) == "2*mu1*mu2/(2*mu1*p2 + mu2*p1*(p2 + 1))"
    assert str(answer.departure_relative_completions) == (
        "p1*p2*(4*mu1**2 - 2*mu1*mu2*(3*p2 + 1) + mu2**2*(2*p2**2 + p2 + 1))/(2*mu1*p2 + mu2*p1*(p2 + 1))**2"
    )


def test_the_last_share_not_chosen_makes_up_the_rest():
    system = {"servers": 3, "needs": (1, 2, 3), "shares": ("1/2", "1/3", "1/6"), "rates": (1, 2, 3)}
    p1, p3 = sympy.symbols("p1 p3")
    assert solve_symbolically(**system, parameters=["p1"]).shares == (p1, Fraction(1, 3), Fraction(2, 3) - p1)
    assert solve_symbolically(**system, parameters=["p3"]).shares == (Fraction(1, 2), Fraction(1, 2) - p3, p3)
    assert solve_symbolically(**system, parameters=["p3", "p1"]).shares == (p1, 1 - p1 - p3, p3)


@pytest.mark.parametrize(
    ("servers", "needs", "shares", "rates", "threshold", "ahead"),
    [
        (3, (1, 2, 3), ("1/3",) * 3, ("1/3", "2/3", 1), 0.7168141593, 0.1608191714),
        (4, (1, 4), ("0.42", "0.58"), ("1/4", 1), 0.5412908340, 0.3271131265),
        (10, (1, 10), ("0.1", "0.9"), ("0.1", 1), 0.5410539156, 1.8498581387),
        (20, (1, 20), ("1/2", "1/2"), (1, "1/2"), 0.7426255837, 0.3407306506),
    ],
)
def test_known_numbers(servers, needs, shares, rates, threshold, ahead):
    answer = solve_exactly(servers=servers, needs=needs, shares=shares, rates=rates)
    assert float(answer.threshold) == pytest.approx(threshold, abs=5e-11, rel=0)
    assert float(answer.departure_relative_completions) == pytest.approx(ahead, abs=5e-11, rel=0)


def test_known_fraction():
    answer = solve_exactly(servers=4, needs=(1, 4), shares=("1/2", "1/2"), rates=("1/2", "2/3"))
    assert answer.threshold == Fraction(96, 139)


@pytest.mark.parametrize(
    ("large", "share", "wasted", "percent"), [(100, Fraction(64, 1000), 77, 61), (200, Fraction(13, 1000), 125, 37)]
)
def test_wasted_servers_of_two_hundred(large, share, wasted, percent):
    answer = solve_exactly(servers=200, needs=(1, large), shares=(1 - share, share), rates=(2, 1))
    assert len(answer.states) == 201
    assert round(answer.wasted_servers) == wasted
    assert round(100 * (1 - answer.wasted_servers / 200)) == percent


def same_law_threshold(servers, needs, shares, rate):
    """twoclass, section 8: rate / E[1/sigma], sigma = how many i.i.d. needs fit in order."""
    total = {0: Fraction(1)}
    at_least = [Fraction(1)]
    while total:
        grown = {}
        for used, chance in total.items():
            for need, share in zip(needs, shares, strict=True):
                if used + need <= servers:
                    grown[used + need] = grown.get(used + need, 0) + chance * share
        total = grown
        at_least.append(sum(grown.values()))
    mean = sum((at_least[i] - at_least[i + 1]) / i for i in range(1, len(at_least) - 1))
    return rate / mean


def test_same_law_known_number():
    shares = (Fraction(4, 10), Fraction(3, 10), Fraction(2, 10), Fraction(1, 10))
    answer = solve_exactly(servers=16, needs=(1, 3, 5, 16), shares=shares, rates=(1,) * 4)
    assert answer.threshold == same_law_threshold(16, (1, 3, 5, 16), shares, 1)
    assert float(answer.threshold) == pytest.approx(2.64824762, abs=5e-9, rel=0)


@st.composite
def systems(draw, most_servers=7, most_classes=3):
    servers = draw(st.integers(1, most_servers))
    needs = draw(st.lists(st.integers(1, servers), min_size=1, max_size=most_classes))
    weights = [draw(st.integers(1, 9)) for _ in needs]
    rates = [Fraction(draw(st.integers(1, 9)), draw(st.integers(1, 9))) for _ in needs]
    return {
        "servers": servers,
        "needs": tuple(needs),
        "shares": tuple(Fraction(weight, sum(weights)) for weight in weights),
        "rates": tuple(rates),
    }


@settings(max_examples=25, deadline=None)
@given(systems(), st.integers(1, 9))
def test_same_law_for_all_classes(system, rate):
    answer = solve_exactly(**(system | {"rates": (rate,) * len(system["needs"])}))
    assert answer.threshold == same_law_threshold(system["servers"], system["needs"], system["shares"], rate)


@settings(max_examples=25, deadline=None)
@given(systems())
def test_balance_little_and_centring(system):
    answer = solve_exactly(**system)
    assert sum(answer.time_average) == sum(answer.departure_average) == 1
    assert sum(y * d for y, d in zip(answer.time_average, answer.relative_completions, strict=True)) == 0
    work = sum(
        share * need / rate
        for share, need, rate in zip(system["shares"], system["needs"], system["rates"], strict=True)
    )
    assert answer.wasted_servers == system["servers"] - answer.threshold * work


@settings(max_examples=15, deadline=None)
@given(systems(most_classes=2), st.integers(1, 9))
def test_splitting_a_class_in_two_changes_nothing(system, percent):
    share, *shares = system["shares"]
    whole = solve_exactly(**system)
    split = solve_exactly(
        servers=system["servers"],
        needs=(system["needs"][0], *system["needs"]),
        shares=(share * percent / 10, share * (10 - percent) / 10, *shares),
        rates=(system["rates"][0], *system["rates"]),
    )
    assert split.threshold == whole.threshold
    assert split.departure_relative_completions == whole.departure_relative_completions


def ordered_list_answers(servers, needs, shares, phases):
    """The saturated system as reset, Section 3.5 defines it: an ordered list of k jobs, in floating point."""
    fresh = [
        ((i, a), float(share * chance))
        for i, share in enumerate(shares)
        for a, chance in enumerate(phases[i][0])
        if chance
    ]
    jobs = [(i, a) for i, (initial, _) in enumerate(phases) for a in range(len(initial))]
    states = list(itertools.product(jobs, repeat=servers))
    index = {state: i for i, state in enumerate(states)}
    D0, D1 = np.zeros((2, len(states), len(states)))
    busy = np.zeros(len(states))
    for state, i in index.items():
        free = servers
        for position, (job_class, phase) in enumerate(state):
            if needs[job_class] > free:
                break
            free -= needs[job_class]
            generator = phases[job_class][1]
            for b, rate in enumerate(generator[phase]):
                if b != phase and rate:
                    moved = (*state[:position], (job_class, b), *state[position + 1 :])
                    D0[i, index[moved]] += float(rate)
            leaving = -float(sum(generator[phase]))
            for job, chance in fresh:
                D1[i, index[(*state[:position], *state[position + 1 :], job)]] += leaving * chance
        busy[i] = servers - free
    D0 -= np.diag((D0 + D1).sum(axis=1))
    # States with a waiting job in a later phase do not recur; the equations still have one solution.
    Y = np.linalg.lstsq(np.vstack([(D0 + D1).T, np.ones(len(states))]), np.eye(len(states) + 1)[-1], rcond=None)[0]
    threshold = float(Y @ D1.sum(axis=1))
    Delta = np.linalg.lstsq(np.vstack([D0 + D1, Y]), np.append(threshold - D1.sum(axis=1), 0), rcond=None)[0]
    return threshold, float(Y @ D1 @ Delta / threshold), float(servers - Y @ busy)


ERLANG = ((Fraction(1), Fraction(0)), ((Fraction(-2), Fraction(2)), (Fraction(0), Fraction(-2))))
COXIAN = ((Fraction(1), Fraction(0)), ((Fraction(-3), Fraction(1)), (Fraction(0), Fraction(-1, 2))))
HYPEREXPONENTIAL = ((Fraction(3, 10), Fraction(7, 10)), ((Fraction(-1, 3), Fraction(0)), (Fraction(0), Fraction(-2))))
EXPONENTIAL = ((Fraction(1),), ((Fraction(-3, 4),),))


@pytest.mark.parametrize(
    ("servers", "needs", "shares", "phases"),
    [
        (2, (1, 2), (Fraction(2, 3), Fraction(1, 3)), (ERLANG, EXPONENTIAL)),
        (3, (1, 2), (Fraction(1, 4), Fraction(3, 4)), (ERLANG, HYPEREXPONENTIAL)),
        (3, (1, 2, 3), (Fraction(1, 2), Fraction(1, 5), Fraction(3, 10)), (EXPONENTIAL, COXIAN, ERLANG)),
        (4, (2, 3), (Fraction(1, 3), Fraction(2, 3)), (HYPEREXPONENTIAL, EXPONENTIAL)),
        (4, (1, 2, 4), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (EXPONENTIAL, EXPONENTIAL, ERLANG)),
    ],
)
def test_phase_types_against_the_ordered_list(servers, needs, shares, phases):
    answer = solve_exactly(servers=servers, needs=needs, shares=shares, phases=phases)
    threshold, ahead, wasted = ordered_list_answers(servers, needs, shares, phases)
    assert float(answer.threshold) == pytest.approx(threshold, rel=1e-9)
    assert float(answer.departure_relative_completions) == pytest.approx(ahead, rel=1e-9)
    assert float(answer.wasted_servers) == pytest.approx(wasted, rel=1e-9)


FORMULAS = [
    ((2, (1, 2)), ("p1", "p2", "mu1", "mu2")),
    ((3, (1, 2, 3)), ("p1", "p2", "p3")),
    ((3, (1, 2, 3)), ("p2", "mu1", "mu3")),
    ((4, (1, 2, 4)), ("mu1", "mu2", "mu3")),
    ((5, (2, 3)), ("p2", "mu1")),
    ((8, (1, 3)), ("p1", "p2")),
    ((8, (1, 3, 8)), ("mu2",)),
    ((8, (1, 8)), ("p1", "p2", "mu1", "mu2")),
    ((3, (2, 2)), ("p1", "mu1", "mu2")),
    ((5, (2,)), ("mu1",)),
]


@cache
def formula(number):
    (servers, needs), parameters = FORMULAS[number]
    return solve_symbolically(**base_system(servers, needs), parameters=parameters)


def base_system(servers, needs):
    count = len(needs)
    shares = tuple(Fraction(i + 1, count * (count + 1) // 2) for i in range(count))
    return {"servers": servers, "needs": needs, "shares": shares, "rates": (Fraction(1, 2), 3, Fraction(4, 5))[:count]}


@pytest.mark.parametrize("number", range(len(FORMULAS)))
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_formulas_and_numbers_agree_at_random_points(number, data):
    (servers, needs), parameters = FORMULAS[number]
    system = base_system(servers, needs)
    weights = [data.draw(st.integers(1, 9)) for _ in needs]
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    free = [i for i in range(len(needs)) if f"p{i + 1}" in parameters]
    if free and len(free) < len(needs):  # fixed shares stay, except the last of them
        fixed = [i for i in range(len(needs)) if i not in free]
        room = 1 - sum(system["shares"][i] for i in fixed[:-1])
        for i in range(len(needs)):
            shares[i] = system["shares"][i] if i in fixed[:-1] else shares[i] * room
        shares[fixed[-1]] = 1 - sum(share for i, share in enumerate(shares) if i != fixed[-1])
    elif not free:
        shares = list(system["shares"])
    rates = [
        Fraction(data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))) if f"mu{i + 1}" in parameters else rate
        for i, rate in enumerate(system["rates"])
    ]
    values = {f"p{i + 1}": shares[i] for i in free}
    values |= {name: rates[int(name[2:]) - 1] for name in parameters if name.startswith("mu")}
    at_point = formula(number).at(**values)
    number_answer = solve_exactly(servers=servers, needs=needs, shares=shares, rates=rates)
    assert at_point == number_answer


def test_symbols_inside_a_phase_type():
    stage, large, share = sympy.symbols("stage large share")
    phases = (((1, 0), ((-stage, stage), (0, -stage))), ((1,), ((-large,),)))
    answer = solve_exactly(servers=3, needs=(1, 2), shares=(share, 1 - share), phases=phases)
    number = solve_exactly(
        servers=3, needs=(1, 2), shares=("1/4", "3/4"), phases=(ERLANG, ((1,), ((Fraction(-3, 4),),)))
    )
    assert answer.at(stage=2, large=Fraction(3, 4), share=Fraction(1, 4)) == number


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (("p1", "q"), "parameter 'q' is unknown; choose among p1, p2, mu1, mu2"),
        (("mu3",), "parameter 'mu3' is unknown"),
        (("lambda",), "lambda is always free"),
        ((), r"the parameters are \(\); give a list of names among p1"),
        ("p1", "the parameters are 'p1'; give a list"),
    ],
)
def test_unknown_parameters_are_refused(parameters, sentence):
    with pytest.raises(InvalidInput, match=sentence) as caught:
        solve_symbolically(**EXAMPLE, parameters=parameters)
    assert "\n" not in str(caught.value)


def test_the_share_of_a_single_class_is_no_parameter():
    with pytest.raises(InvalidInput, match="'p1' is unknown; choose among mu1;"):
        solve_symbolically(servers=2, needs=(1,), shares=(1,), rates=(1,), parameters=["p1"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"shares": ("2/3", "1/2")}, "the shares sum to 7/6, not 1"),
        ({"rates": (1, 0)}, "the rate of class 2 is 0; give a positive rate"),
        ({"rates": (1, -1)}, "the rate of class 2 is -1; give a positive rate"),
        ({"rates": None}, "neither of rates and phases"),
        ({"phases": ()}, "both of rates and phases"),
        ({"rates": (1, sympy.Symbol("lambda"))}, "the symbol lambda is the arrival rate"),
        ({"rates": (1, sympy.sqrt(sympy.Symbol("a")))}, r"sqrt\(a\) is not a rational function"),
        ({"rates": (1, sympy.exp(sympy.Symbol("a")))}, r"exp\(a\) is not a rational function"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(change, sentence):
    with pytest.raises(InvalidInput, match=sentence) as caught:
        solve_exactly(**(EXAMPLE | change))
    assert "\n" not in str(caught.value)


def test_too_many_states_are_refused_by_number_of_symbols():
    system = {"servers": 20, "needs": (1, 2, 3), "shares": ("1/3",) * 3, "rates": (1, 1, 1)}
    with pytest.raises(TooLarge, match="has 121 states and exact work with 1 free symbols stops at 32"):
        solve_symbolically(**system, parameters=["p1"])
    with pytest.raises(TooLarge, match="has 121 states and exact work with 4 free symbols stops at 9"):
        solve_symbolically(**system, parameters=["p1", "p2", "p3", "mu1", "mu2", "mu3"])
    with pytest.raises(TooLarge, match="has 121 states and exact work with 0 free symbols stops at 100"):
        solve_exactly(**system, most_states=100)


def test_no_response_time_at_or_above_the_threshold():
    answer = solve_exactly(**EXAMPLE)
    with pytest.raises(Unstable, match="arrival rate 9/10 is not below the stability threshold 9/10"):
        answer.response_time("9/10")
    with pytest.raises(InvalidInput, match="arrival rate is 0; give a positive rate"):
        answer.response_time(0)


def test_values_for_parameters_are_checked():
    answer = two_servers()
    with pytest.raises(InvalidInput, match="given for p1, mu1 but the parameters are p1, p2, mu1, mu2"):
        answer.at(p1="1/2", mu1=1)
    with pytest.raises(InvalidInput, match="the shares sum to 5/6, not 1"):
        answer.at(p1="1/2", p2="1/3", mu1=1, mu2=1)
