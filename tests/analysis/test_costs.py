"""What analyses say they cost, and what is said of it in words: numbers by hand, and both sides of every limit.

Most are of one cluster of five servers: jobs of need 1 and mean duration 2, and of need 3 and mean duration 1/2. Under
FCFS its levels 0 to 5 have 1 to 6 phases, 9 ways to be without a queue and 6 with one.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from msj import Exponential, JobClass, System, TooLarge
from msj.analysis import (
    count_chain,
    dependent_response,
    exact_response,
    finite_skip_chain,
    finite_skip_response,
    sparse_fronts,
    sparse_response,
)
from msj.analysis.attainable_threshold import AttainableThreshold
from msj.analysis.base import Analysis, ResponseAnalysis
from msj.analysis.chain_cost import chain_cost, descent_cost, in_words, level_cost
from msj.analysis.count_chain import CountChain
from msj.analysis.count_threshold import CountThreshold
from msj.analysis.dependent_fronts import DependentFronts
from msj.analysis.dependent_law import operations
from msj.analysis.dependent_response import DependentResponse
from msj.analysis.exact_response import ExactResponse
from msj.analysis.finite_skip_chain import AS_LARGE_AS_IT_IS, FiniteSkipChain, about_cost
from msj.analysis.finite_skip_response import FiniteSkipResponse, front_levels
from msj.analysis.msr_response import MsrResponse
from msj.analysis.msr_threshold import MsrThreshold
from msj.analysis.one_and_n import OneAndNForm
from msj.analysis.product_form_loss import ProductFormLoss
from msj.analysis.same_law import SameLawForm
from msj.analysis.saturated_chain import SaturatedChain
from msj.analysis.sparse_dependent import SparseDependent
from msj.analysis.sparse_fronts import SparseFronts
from msj.analysis.sparse_response import SparseResponse, levels_cost, require_memory
from msj.analysis.tagged_law import tagged_cost
from msj.analysis.two_class import TwoClassForm
from msj.effort import USUAL, Cost
from strategies import simple

MMPP = {"law": "mmpp", "rates": [3, 1], "switching": [[0, 1], [0.5, 0]]}


def cluster(**fields):
    return simple(5, (1, "1/2", "3/5"), (3, 2, "2/5"), **fields)


def filled(**fields):
    """Server-filling on four servers: five full fronts, of at most four jobs."""
    return simple(4, (1, "1/2", "3/5"), (2, 2, "2/5"), policy="server-filling", **fields)


@pytest.mark.parametrize(
    ("states", "types", "expected"),
    [
        (1_000, 1, 2.8e7),  # a line: 28,000 operations for each state
        (1_000, 2, 2.8e7),
        (100, 3, 1_760 * 3 * 10**2.42),
        (10_000, 4, 1_760 * 4 * 10**4.84),
    ],
)
def test_a_saturated_chain_costs_by_its_states_and_types(states, types, expected):
    assert chain_cost(states, types).operations == pytest.approx(expected, rel=1e-12)
    assert chain_cost(states, types).bytes == 1400 * states


def test_levels_cost_the_cube_of_the_largest_and_a_descent_its_square_for_each_node():
    assert level_cost([3, 10, 7], 99.0) == Cost(operations=1000 * 18, bytes=99.0)
    # 53·(24 + 25·3) = 5,247 nodes of 50·(8²/8 + 12·(4 + 8)) = 7,600
    assert descent_cost([4, 8], 3).operations == 5_247 * 7_600
    assert descent_cost([4, 8], 3, 2).operations == 2 * 5_247 * 7_600
    assert descent_cost([4, 8], 3).bytes == 0


def test_following_a_job_by_hand():
    # −ln(1e-13) = 29.93360621 levels for each of 0.4·1.5 + 1 jobs beyond the 3; −ln(1e-7) = 16.11809565 for each event
    levels, events = 3 + 29.93360621 * 1.6, 16.11809565 * 2 * 1.5 + 50
    expected = 60 * (levels * 5 + 2_000) * events
    assert operations((3, 5, 4), clock=2.0, stay=1.5, rate=0.4) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.1, "about a second"),
        (1.49, "about a second"),
        (1.5, "about 2 seconds"),
        (3_599, "about 3599 seconds"),
        (3_600, "hours, if it fits at all"),
    ],
)
def test_how_long_it_takes_in_words(seconds, words):
    assert in_words(Cost(operations=5e9 * seconds)) == words


class Costs(Analysis):
    """An analysis of a given cost."""

    name = summary = citation = "costs"

    def __init__(self, spent=None):
        self.spent = spent

    def supports(self, system):
        return None

    def cost(self, system):
        return super().cost(system) if self.spent is None else Cost(operations=self.spent)


def test_percentiles_cost_nothing_more_unless_an_analysis_says_so():
    assert ResponseAnalysis.percentile_cost(Costs(1.0), cluster()) == Cost(operations=0.0)


@pytest.mark.parametrize(
    ("spent", "told", "at_once"),
    [
        (None, "yes", True),  # what says nothing costs nothing
        (5e8, "yes", True),
        (5.01e8, "yes", False),
        (5e9, "yes", False),
        (5.01e9, "yes, about a second", False),
        (1e12, "yes, about 200 seconds", False),
        (1e14, "yes, hours, if it fits at all", False),
        (1.01e14, "no: too large, it would take days or not fit into memory", False),
        (math.nan, "no: too large, it would take days or not fit into memory", False),
    ],
)
def test_whether_an_answer_can_be_waited_for(spent, told, at_once):
    assert Costs(spent).how_long(cluster()) == told
    assert Costs(spent).in_a_moment(cluster()) is at_once
    assert spent is not None or Costs().cost(cluster()) == Cost(operations=0)
    assert Costs().concerns(cluster()) is True  # unless it says otherwise


def test_formulas_cost_next_to_nothing():
    needs = {"a": 1, "b": 2, "c": 1, "d": 5}
    law = Exponential(mean=1)
    three = System(servers=7, classes=[JobClass(name=c, need=v, share="1/4", duration=law) for c, v in needs.items()])
    assert AttainableThreshold().cost(three) == Cost(operations=10 * 3 * 3 * 7, bytes=280)
    assert ProductFormLoss().cost(three) == Cost(operations=100 * 3 * 7, bytes=56)
    assert SameLawForm().cost(three).operations == 50 * 7 * 4
    assert OneAndNForm().cost(three).operations == 350
    assert TwoClassForm().cost(three).operations == 1_400
    turns = cluster(policy={"name": "msr", "packings": [[5, 0], [2, 1], [1, 1]], "shares": [1, 2, 3]})
    assert MsrResponse().cost(turns) == Cost(operations=50 * 2 * 5 * 27, bytes=100 * 5 * 9)
    assert MsrThreshold().cost(turns).operations == 0


def test_dense_blocks_of_fcfs():
    assert ExactResponse().cost(cluster()).operations == 216 * (6 + 15)
    # two classes and all jobs: 5,247 nodes of 50·(36/8 + 12·21)
    assert ExactResponse().percentile_cost(cluster()).operations == 5_247 * 50 * 256.5
    assert DependentResponse().cost(cluster(arrivals=MMPP)).operations == 12**3 * (6 + 15)
    assert SaturatedChain().cost(cluster()).operations == 28_000 * 6


@pytest.mark.parametrize("analysis", [exact_response, dependent_response])
def test_memory_is_that_of_the_better_way_to_keep_levels(analysis):
    assert analysis._memory((2000,) * 65) == 736e6  # eight levels at a time; all of them would take 2,272 MB
    assert analysis._memory((1, 353_000)) > 9 * 8 * 353_000**2  # several blocks
    assert analysis._memory((1, 400_000)) == 8 * 400_000**2  # hopeless: one block is more than 1e12 bytes


@pytest.mark.parametrize("analysis", [exact_response, dependent_response])
def test_what_is_too_large_to_be_counted_costs_without_bound(analysis, monkeypatch):
    def refuse(_):
        raise TooLarge("too large")

    system = cluster(arrivals=MMPP)
    analysis._sizes.cache_clear()
    monkeypatch.setattr(analysis, "open_level_sizes", refuse)
    asked = analysis.VARIANT()
    assert asked.cost(system) == Cost(operations=np.inf, bytes=np.inf)
    assert asked.percentile_cost(system).operations == np.inf
    analysis._sizes.cache_clear()


def test_memory_that_is_not_there_is_refused_before_anything_is_built():
    needed = exact_response._memory((1, 2, 3, 4, 5, 6))
    assert needed == 3168
    assert exact_response.open_model(cluster(), memory_limit=3168).level_sizes == (1, 2, 3, 4, 5, 6)
    with pytest.raises(TooLarge, match=r"6 levels of up to 6 phases, 0\.0 GB, and 0\.0 GB are allowed"):
        exact_response.open_model(cluster(), memory_limit=3167)


def test_percentiles_under_markovian_arrivals_cost_the_stay_that_reset_predicts():
    system = cluster(arrivals=MMPP, load=0.5)
    saturated = SaturatedChain().saturate(system)
    threshold = saturated.stability_threshold
    # The rate of arrivals is 3 in a third of the time and 1 else, variance 8/9 about 5/3, forgotten at rate 3/2: the
    # index of dispersion is 1 + 2·(8/9)/(5/3·3/2), the arrivals' own term 16/45.
    stay = (1 + saturated.relative_completions_at_departure + 16 / 45) / (0.5 * threshold)
    # five servers whose jobs end at rate 2 at most, and two phases of the arrivals
    expected = operations((2, 4, 6, 8, 10, 12), 10.0, stay, 0.5 * threshold)
    assert DependentResponse().percentile_cost(system).operations == pytest.approx(expected, rel=1e-9)


def test_percentiles_of_jobs_in_some_order_cost_what_they_do_at_nine_tenths_if_no_load_is_given():
    system = cluster(order={"law": "sticky", "probability": "1/2"})
    expected = DependentResponse().percentile_cost(system.replace(load=0.9)).operations
    assert DependentResponse().percentile_cost(system).operations == pytest.approx(expected, rel=1e-12)
    assert DependentResponse().percentile_cost(system.replace(load=0.5)).operations < 0.5 * expected


def test_percentiles_under_regular_arrivals_cost_no_less_than_a_job_on_its_own_way():
    # M/M/1 at rate 1 but for its arrivals: 1 + Delta + (I − 1)/2 = 1 − 3/8 is below 1
    gap = {"law": "erlang", "stages": 4, "mean": 1}
    system = simple(3, (3, 1, 1), arrivals={"law": "renewal", "gap": gap}, load=0.75)
    sizes = (4, 4)  # nobody there, or one that runs, in one of four stages of a gap
    expected = operations(sizes, 3.0, 4.0, 0.75)
    assert DependentResponse().percentile_cost(system).operations == pytest.approx(expected, rel=1e-12)


def test_sparse_levels_of_fcfs(monkeypatch):
    # (100,000 + 80·10,000)^1.3 = 9^1.3·10^6.5 unknowns of 46 ns, after 0.6 s, at 5e9 operations a second
    assert levels_cost(1e5, 1e4).operations == pytest.approx(5e9 * (0.6 + 4.6e-8 * 9**1.3 * 10**6.5), rel=1e-12)
    assert SparseResponse().cost(cluster()).operations == levels_cost(9, 6).operations + 6 * 28_000
    assert SparseResponse().cost(cluster()).bytes == levels_cost(9, 6).bytes
    # at most 5/(3·0.5) completions per unit of time, for 10 times the longest mean; 6 ns for each of 9 + 6·400
    events = 5 / 1.5 * 10 * 2
    assert SparseResponse().percentile_cost(cluster()).operations == pytest.approx(5e9 * 6e-9 * events * 2_409)
    two_phases = SparseDependent().cost(cluster(arrivals=MMPP)).operations
    assert two_phases == levels_cost(18, 12).operations + 6 * 28_000
    needed = levels_cost(9, 6).bytes
    monkeypatch.setattr(sparse_response, "MEMORY_LIMIT", needed)
    assert levels_cost(9, 6).operations < np.inf
    require_memory(9, 6, needed)
    monkeypatch.setattr(sparse_response, "MEMORY_LIMIT", needed - 1)
    assert levels_cost(9, 6) == Cost(operations=np.inf, bytes=needed)
    with pytest.raises(TooLarge, match=r"needs 9 states and levels of 6, 0\.0002 GB or more, and 0\.0002 GB are"):
        require_memory(9, 6, needed - 1)


def test_fronts_in_dense_blocks_and_sparse_levels(monkeypatch):
    system = filled()
    assert FiniteSkipChain().cost(system).operations == pytest.approx(1_760 * 4 * 5**1.21, rel=1e-12)
    assert FiniteSkipResponse().cost(system) == Cost(operations=125 * (5 + 15), bytes=8 * 25 * 13)
    assert DependentFronts().cost(filled(arrivals=MMPP)) == Cost(operations=1000 * (5 + 15), bytes=8 * 100 * 13)
    monkeypatch.setattr(finite_skip_response, "MOST_PHASES", 5)
    assert FiniteSkipResponse().cost(system).operations == 125 * 20
    finite_skip_response.require_room(5)
    monkeypatch.setattr(finite_skip_response, "MOST_PHASES", 4)
    assert FiniteSkipResponse().cost(system) == Cost(operations=np.inf, bytes=8 * 25 * 13)
    with pytest.raises(TooLarge, match="levels of 5 fronts and at most 4 can be solved"):
        finite_skip_response.require_room(5)
    monkeypatch.setattr(sparse_fronts, "MOST_PHASES", 5)
    assert SparseFronts().cost(system).operations == np.inf
    assert SparseFronts().how_long(system) == "no: finite-skip-response tells more of so few fronts"
    monkeypatch.setattr(sparse_fronts, "MOST_PHASES", 4)
    # 80 µs for each of 5 + 1.6·5 fronts
    expected = levels_cost(8, 5).operations + 5e9 * 8e-5 * 13
    assert SparseFronts().cost(system).operations == pytest.approx(expected, rel=1e-12)
    assert SparseFronts().how_long(system) == AS_LARGE_AS_IT_IS
    assert SparseFronts().why_no_percentiles(system) == "percentiles are known for levels of up to 4 fronts only"


@pytest.mark.parametrize(
    ("fronts", "chain", "response"),
    [
        (500, "yes", "yes"),  # a million operations to list each: a moment
        (501, "yes, about 501 fronts, about a second", "yes, levels of about 501 fronts, about a second"),
        # 1.5e9 to list, 0.05e9 for the chain, 1500³·20 for five levels
        (1_500, "yes, about 1,500 fronts, about a second", "yes, levels of about 1,500 fronts, about 14 seconds"),
        (2_000, "yes, about 2,000 fronts, about a second", "yes, levels of about 2,000 fronts, about 32 seconds"),
        (
            2_001,
            "yes, about 2,001 fronts, about a second",
            "yes up to 2,000 fronts a level; there are about 2,001",
        ),
        # 1e11 to list and 7,040·10^6.05 = 0.079e11 for the chain
        (
            100_000,
            "yes, about 100,000 fronts, about 22 seconds",
            "yes up to 2,000 fronts a level; there are about 100,000",
        ),
    ],
)
def test_how_long_fronts_take_whose_number_is_known_before(fronts, chain, response, monkeypatch):
    monkeypatch.setattr(finite_skip_chain, "_about_fronts", lambda _: float(fronts))
    system = filled()
    assert FiniteSkipChain().how_long(system) == chain
    assert FiniteSkipChain().in_a_moment(system) is (chain == "yes")
    assert FiniteSkipResponse().how_long(system) == response
    assert about_cost(system).operations == pytest.approx(1e6 * fronts + 7_040 * fronts**1.21, rel=1e-12)


def test_fronts_beyond_all_lists_are_refused(monkeypatch):
    most = finite_skip_chain.MOST_FRONTS
    for fronts, words in ((most, "yes, about"), (1.01 * most, "no: too large, about")):
        monkeypatch.setattr(finite_skip_chain, "_about_fronts", lambda _, fronts=fronts: float(fronts))
        assert FiniteSkipChain().how_long(filled()).startswith(words)
    finite_skip_chain._chain.cache_clear()
    with pytest.raises(TooLarge, match=r"fronts and .* can be listed"):
        finite_skip_chain._chain(filled())


def test_fronts_nobody_counted_are_a_moment_where_even_the_most_there_can_be_are_few(monkeypatch):
    # FCFS has so many states, and each of the two jobs behind them is of one of two types
    system = simple(4, (1, "1/2", "3/5"), (2, 2, "2/5"), policy={"name": "first-fit", "window": 2})
    most = chain_cost(finite_skip_chain.number_of_states(system) * 4.0, 2).operations
    for limit, known in ((most, True), (0.999 * most, False)):
        monkeypatch.setattr(finite_skip_chain, "A_MOMENT", limit)
        assert FiniteSkipChain().in_a_moment(system) is known
        told = "yes" if known else AS_LARGE_AS_IT_IS
        assert (FiniteSkipChain().how_long(system), FiniteSkipResponse().how_long(system)) == (told, told)


def test_following_a_job_through_a_front_by_hand():
    local = sparse.csr_array(np.diag([-1.0, -3.0]))
    levels = SimpleNamespace(
        level_sizes=(2, 5, 3, 10, 7), first_repeating_level=4, local_without_arrivals={4: local}.__getitem__
    )
    # a clock of 0.5 + 3, which ticks 50·3.5/0.7 = 250 times; 6·10·4·150 = 36,000 entries
    found = tagged_cost(levels, threshold=1.2, rate=0.5)
    assert found.operations == pytest.approx(1.5e6 * 10 * 16 * 1.5 + 250 * (2.5e6 + 576_000 + 200), rel=1e-12)
    assert found.bytes == pytest.approx(1_080_000 + 16 * 250 * 20, rel=1e-12)
    # at the threshold a billionth of it is taken for the distance: 50·4.2/1.2e-9 events
    found = tagged_cost(levels, threshold=1.2, rate=1.2)
    assert found.bytes == pytest.approx(1_080_000 + 16 * 1.75e11 * 20, rel=1e-9)


def test_percentiles_of_fronts_cost_what_has_to_be_followed():
    # In order of arrival and left alone once started: those ahead are enough, for two classes and all jobs.
    first = simple(4, (1, "1/2", "3/5"), (2, 2, "2/5"), policy={"name": "first-fit", "window": 1})
    assert FiniteSkipResponse().percentile_cost(first) == descent_cost(front_levels(first).level_sizes, 3)
    levels, threshold = front_levels(filled()), FiniteSkipChain().saturate(filled()).stability_threshold
    for load, share in ((None, 0.9), (0.5, 0.5)):
        expected = tagged_cost(levels, threshold, share * threshold)
        found = FiniteSkipResponse().percentile_cost(filled(load=load))
        assert found.operations == pytest.approx(expected.operations, rel=1e-9)


def test_chains_of_counts(monkeypatch):
    # The naive threshold, 5/1.8, is met: small jobs fill up. At 0.9 of it large ones are an M/M/1 of load 1/2, of
    # which (ln 1e12 + 4)/ln 2 = 45.6 and one more are let in, 0 to 47; levels 0 to 5.
    system = cluster(policy="most-servers-first")
    assert count_chain._rate_of(system) == pytest.approx(2.5, rel=1e-12)
    assert CountChain().cost(system) == Cost(operations=2 * 48**3 * (6 + 15), bytes=8 * 48**2 * (6 + 20))
    assert count_chain._rate_of(system.replace(load=0.5)) == pytest.approx(2.5 / 1.8, rel=1e-12)
    assert count_chain._rate_of(system.replace(arrival_rate=0.25)) == 0.25
    # Without preemption, larger first, no threshold is known, and the naive one is taken.
    stay = cluster(policy={"name": "most-servers-first", "preemptive": False})
    assert count_chain._rate_of(stay) == pytest.approx(2.5, rel=1e-12)
    # Where it is known it is not the naive one: of needs 2 and 3 two servers of five idle beside the large ones.
    wasting = simple(5, (2, 1, "1/2"), (3, 1, "1/2"), policy="least-servers-first")
    threshold = CountThreshold().saturate(wasting).stability_threshold
    assert threshold < 0.9 * wasting.naive_threshold
    assert count_chain._rate_of(wasting) == pytest.approx(0.9 * threshold, rel=1e-12)
    for spent, limit in ((USUAL.operations, 5 * USUAL.operations), (0.1 * USUAL.operations, USUAL.operations)):
        monkeypatch.setattr(CountChain, "cost", lambda *_, spent=spent: Cost(operations=spent))
        assert CountChain()._limit(system) == pytest.approx(limit)


def test_thresholds_of_counts_cost_something_only_where_chains_are_solved_for_them():
    stay = {"name": "least-servers-first", "preemptive": False}
    # 40 evaluations of 500,000 for each of 2·5 + 1 levels, with none or one large job running
    assert CountThreshold().cost(cluster(policy=stay)).operations == 40 * 5e5 * 22
    assert CountThreshold().cost(cluster(policy="least-servers-first")).operations == 0
    assert CountThreshold().cost(simple(5, (2, 1, 1), policy=stay)).operations == 0
    assert CountThreshold().cost(cluster(policy="static-quickswap")).operations == 0


def test_what_sparse_fronts_will_hold_is_asked_first(monkeypatch):
    asked = []
    monkeypatch.setattr(sparse_fronts, "require_memory", lambda *given: asked.append(given))
    monkeypatch.setattr(sparse_fronts, "number_of_fronts", lambda _: 10)
    monkeypatch.setattr(sparse_fronts, "_solved", lambda *_: "solved")
    monkeypatch.setattr(sparse_fronts, "GROUND_FRONTS", 3)
    monkeypatch.setattr(sparse_fronts.SparseFronts, "require", lambda *_: None)
    assert sparse_fronts.sparse_fronts_at(cluster(), 0.5, memory_limit=1e6) == "solved"
    assert asked == [(30, 10, 1e6)]
