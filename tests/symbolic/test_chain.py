"""The counts-only chain: its states, its rates against the papers', and what it refuses."""

import itertools
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from msj.errors import InvalidInput, TooLarge
from msj.symbolic import count_states, exponential, saturated_chain

ERLANG = ((1, 0), ((-2, 2), (0, -2)))


def rate(chain, rows, start, end):
    return rows[chain.states.index(start)].get(chain.states.index(end), 0)


def test_running_example_has_the_rates_of_reset_section_4_1():
    chain = saturated_chain(
        servers=2, needs=(1, 2), shares=("2/3", "1/3"), phases=(exponential(1), exponential(Fraction(1, 2)))
    )
    both, one, big = (2, 0), (1, 0), (0, 1)
    assert chain.states == (both, one, big)
    expected = {
        (both, both): Fraction(4, 3),
        (both, one): Fraction(2, 3),
        (one, big): Fraction(1),
        (big, both): Fraction(2, 9),
        (big, one): Fraction(1, 9),
        (big, big): Fraction(1, 6),
    }
    for pair in itertools.product(chain.states, repeat=2):
        assert rate(chain, chain.with_completion, *pair) == expected.get(pair, 0)
    assert chain.without_completion == ({0: -2}, {1: -1}, {2: Fraction(-1, 2)})


def test_symbols_give_the_rates_of_reset_appendix_c_2():
    p1, mu1, mu2 = sympy.symbols("p1 mu1 mu2")
    p2 = 1 - p1
    chain = saturated_chain(servers=2, needs=(1, 2), shares=(p1, p2), phases=(exponential(mu1), exponential(mu2)))
    both, one, big = (2, 0), (1, 0), (0, 1)
    expected = {
        (both, both): 2 * mu1 * p1,
        (both, one): 2 * mu1 * p2,
        (one, big): mu1,
        (big, both): mu2 * p1**2,
        (big, one): mu2 * p1 * p2,
        (big, big): mu2 * p2,
    }
    for pair in itertools.product(chain.states, repeat=2):
        assert sympy.cancel(rate(chain, chain.with_completion, *pair) - expected.get(pair, 0)) == 0


def test_phases_move_without_a_completion():
    chain = saturated_chain(servers=2, needs=(1, 2), shares=("1/2", "1/2"), phases=(ERLANG, exponential(3)))
    assert chain.states == ((2, 0, 0), (1, 1, 0), (1, 0, 0), (0, 2, 0), (0, 1, 0), (0, 0, 1))
    assert rate(chain, chain.without_completion, (2, 0, 0), (1, 1, 0)) == 4
    assert rate(chain, chain.without_completion, (1, 1, 0), (0, 2, 0)) == 2
    # One of two second-phase jobs leaves; the head, drawn now, is small and starts, or large and waits.
    assert rate(chain, chain.with_completion, (0, 2, 0), (1, 1, 0)) == 2
    assert rate(chain, chain.with_completion, (0, 2, 0), (0, 1, 0)) == 2
    assert chain.with_completion[0] == {}


def test_a_phase_that_is_never_entered_has_no_states():
    idle = ((1, 0), ((-2, 0), (0, -5)))
    chain = saturated_chain(servers=2, needs=(1, 2), shares=("1/2", "1/2"), phases=(idle, exponential(3)))
    assert chain.states == ((2, 0, 0), (1, 0, 0), (0, 0, 1))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_states_are_the_counts_that_leave_too_little_room_and_rows_sum_to_zero(data):
    servers = data.draw(st.integers(1, 7))
    needs = data.draw(st.lists(st.integers(1, servers), min_size=1, max_size=3))
    durations = [data.draw(st.sampled_from([exponential(Fraction(3, 2)), ERLANG])) for _ in needs]
    shares = [Fraction(1, len(needs))] * len(needs)
    chain = saturated_chain(servers=servers, needs=needs, shares=shares, phases=durations)
    slots = [need for need, (initial, _) in zip(needs, durations, strict=True) for _ in initial]
    every = itertools.product(*(range(servers // need + 1) for need in slots))
    expected = {
        counts for counts in every if 0 <= servers - sum(c * v for c, v in zip(counts, slots, strict=True)) < max(needs)
    }
    assert set(chain.states) == expected
    assert len(chain.states) == len(expected)
    phase_counts = [len(initial) for initial, _ in durations]
    assert count_states(servers=servers, needs=needs, phase_counts=phase_counts) == len(expected)
    for quiet, completing in zip(chain.without_completion, chain.with_completion, strict=True):
        assert sum(quiet.values()) + sum(completing.values()) == 0


def test_the_example_of_reset_section_3_11_has_eleven_states():
    # The paper's simplified system has 13: it also remembers the class of the blocked job.
    assert count_states(servers=30, needs=(3, 10), phase_counts=(1, 1)) == 11


def test_names_follow_the_paper_where_the_blocked_need_is_certain():
    chain = saturated_chain(servers=3, needs=(1, 2, 3), shares=("1/3", "1/3", "1/3"), phases=(exponential(1),) * 3)
    named = {state: chain.paper_name(state) for state in chain.states}
    assert named == {
        (3, 0, 0): "[1,1,1]",
        (2, 0, 0): None,
        (1, 1, 0): "[1,2]",
        (1, 0, 0): "[1,3]",
        (0, 1, 0): None,
        (0, 0, 1): "[3]",
    }
    assert chain.names() == tuple(str(state) for state in chain.states)


def test_names_show_phases_and_classes_of_equal_need():
    chain = saturated_chain(servers=1, needs=(1, 1), shares=("1/2", "1/2"), phases=(ERLANG, exponential(1)))
    assert chain.names() == ("(1|0, 0)", "(0|1, 0)", "(0|0, 1)")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"servers": 0}, "servers is 0; give a whole number"),
        ({"servers": 2.0}, "servers is 2.0; give a whole number"),
        ({"needs": (1, 3)}, "class 2 needs 3 of 2 servers"),
        ({"needs": (True, 2)}, "need of class 1 is True"),
        ({"needs": (), "shares": (), "phases": ()}, "0 classes"),
        ({"needs": (1,)}, "1 needs, 2 shares and 2 durations"),
        ({"shares": ("2/3", "2/3")}, "shares sum to 4/3, not 1"),
        ({"shares": (2 / 3, 1 / 3)}, "not 1; write them as fractions"),
        ({"shares": (1, 0)}, "share of class 2 is 0; shares must be positive"),
        ({"shares": ("x", 1)}, "share of class 1 is 'x', which is not a rational number"),
        ({"shares": (float("nan"), 1)}, "share of class 1 is nan"),
        ({"shares": (sympy.sqrt(2), 1 - sympy.sqrt(2))}, r"share of class 1 is sqrt\(2\)"),
        ({"shares": (sympy.Symbol("p"), sympy.Symbol("q"))}, r"shares sum to p \+ q, not 1"),
        ({"phases": (exponential(1), 3)}, "phases of class 2 are 3; give a pair"),
        ({"phases": (exponential(1), ((1, 0), ((-1,),)))}, "class 2 has 2 phases but its generator is 1 by 1"),
        ({"phases": (exponential(1), ((1, 1), ((-1, 0), (0, -1))))}, r"initial law of class 2 is \(1, 1\)"),
        ({"phases": (exponential(-1), exponential(1))}, r"row 1 of the generator of class 1 is \(1\)"),
        ({"phases": (exponential(1), ((1, 0), ((-1, 1), (1, -1))))}, "class 2 in phase 1 never finishes"),
    ],
)
def test_bad_models_are_refused_in_one_sentence(change, sentence):
    model = {"servers": 2, "needs": (1, 2), "shares": ("2/3", "1/3"), "phases": (exponential(1),) * 2}
    with pytest.raises(InvalidInput, match=sentence) as caught:
        saturated_chain(**(model | change))
    assert "\n" not in str(caught.value)


def test_too_many_states_are_refused_before_building():
    with pytest.raises(TooLarge, match="has 100001 states and exact work with 0 free symbols stops at 400"):
        saturated_chain(servers=100_000, needs=(1, 100_000), shares=("1/2", "1/2"), phases=(exponential(1),) * 2)
