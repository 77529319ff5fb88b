"""How far counts are cut, by hand: first guesses, the next cut, the error that is left, and what is too large.

Most are of five servers, needs 1 and 3 of mean durations 2 and 1/2, at rates 3/2 and 1: a tenth of the servers idles,
the mean work is (1.5·2² + 1·1.5²)/5/0.1 = 16.5, and ln 1e12 + 4 = 31.6310211 steps are gone up at most.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from msj import TooLarge
from msj.analysis import solved_counts
from msj.analysis.count_threshold import CountThreshold, _exactly, largest_packed
from msj.analysis.counted import Counted, counted
from msj.analysis.solved_counts import (
    _cheapest_first,
    _cut_error,
    _expected,
    _further,
    _require_room,
    cheapest,
    cuts_to_expect,
    sizes,
    solve_counts,
)
from msj.disciplines.counting import ByNeed, Heaviest
from msj.errors import NotAccurate
from strategies import simple

RISES = 31.6310211
STAYS = (
    "without preemption, larger needs first, it depends on the past who holds the servers while both wait; simulate it"
)


def jobs(rule, shares=(0.6, 0.4), rates=(0.5, 2.0)):
    return Counted(rule=rule, shares=np.array(shares), service_rates=np.array(rates), kind_of=(0, 1))


def by_need(**how):
    return ByNeed(servers=5, needs=(1, 3), **how)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # Large ones alone: one at a time, load 1/2. Small ones wait for all work there is, 2 each.
        (by_need(larger_first=True), (5 + RISES * 16.5 / 2, 1 + RISES / math.log(2))),
        # Small ones alone: five at a time, load 3/5. Large ones wait for all work there is, 3/2 each.
        (by_need(larger_first=False), (5 + RISES / -math.log(0.6), 1 + RISES * 16.5 / 1.5)),
        # As long as a large one runs, which ends at rate 2, small ones pile up: 1.5/(1.5 + 2) is less than 3/5.
        (by_need(larger_first=False, preemptive=False), (5 + RISES / -math.log(0.6), 1 + RISES * 16.5 / 1.5)),
        # Nobody is alone where large ones come first and wait for small ones that run on.
        (by_need(larger_first=True, preemptive=False), (5 + RISES * 16.5 / 2, 1 + RISES * 16.5 / 1.5)),
        # The heaviest packing: counts go as needs do, and 1·2 + 3·1.5 = 6.5.
        (
            Heaviest(servers=5, needs=(1, 3), limited=False, ties="smallest"),
            (11 + RISES * 16.5 / 6.5, 7 + RISES * 16.5 * 3 / 6.5),
        ),
    ],
)
def test_first_guesses_of_a_cut(rule, expected):
    assert _expected(jobs(rule), 2.5) == pytest.approx(expected, rel=1e-7)
    assert cuts_to_expect(jobs(rule), 2.5) == [math.ceil(x) for x in expected]
    assert cuts_to_expect(jobs(rule), 2.5, share=0.6) == [math.ceil(0.6 * x) for x in expected]


def test_first_guesses_where_large_jobs_run_long():
    # At rates 3/4 and 1/10, ends of large jobs at 1/4: 0.75/(0.75 + 0.25) = 3/4 is more than the load of small ones.
    rule = by_need(larger_first=False, preemptive=False)
    found = _expected(jobs(rule, (15 / 17, 2 / 17), (0.5, 0.25)), 0.85)
    assert found[0] == pytest.approx(5 + RISES / -math.log(0.75), rel=1e-7)
    with_preemption = _expected(jobs(by_need(larger_first=False), (15 / 17, 2 / 17), (0.5, 0.25)), 0.85)
    assert with_preemption[0] == pytest.approx(5 + RISES / -math.log(0.3), rel=1e-7)


def test_first_guesses_of_three_needs():
    # Of the last need, 5, one runs, which ends at rate 1/10: 0.3/(0.3 + 0.1) of small ones come before it does.
    rule = ByNeed(servers=5, needs=(1, 2, 5), larger_first=False, preemptive=False)
    three = Counted(
        rule=rule, shares=np.array([0.75, 0.125, 0.125]), service_rates=np.array([1.0, 9.0, 0.1]), kind_of=(0, 1, 2)
    )
    assert _expected(three, 0.4)[0] == pytest.approx(5 + RISES / -math.log(0.75), rel=1e-7)


def test_first_guesses_where_too_much_comes():
    # A thousandth is taken for what idles: the mean work is (3·2² + 2·1.5²)/5/0.001 = 3,300. Large ones alone are 1.
    found = _expected(jobs(by_need(larger_first=True)), 5.0)
    assert found == pytest.approx([5 + RISES * 3_300 / 2, 1 + RISES * 3_300 / 1.5], rel=1e-7)


def test_no_fewer_than_eight_are_let_in():
    alone = ByNeed(servers=1, needs=(1,), larger_first=True)
    few = Counted(rule=alone, shares=np.ones(1), service_rates=np.array([1e9]), kind_of=(0,))
    assert _expected(few, 1.0)[0] < 3
    assert cuts_to_expect(few, 1.0) == [8]


@pytest.mark.parametrize(
    ("marginal", "cut"),
    [
        # 2^-n at 24 is 2^15.86 times 1e-12: sixteen more.
        (0.5 ** np.arange(25), 24 + 16),
        # From 3 it would be 37 more, and three times as many is enough at once.
        (0.5 ** np.arange(4), 3 + 6),
        # Nothing is left at 60 or 30 already: a sixth more, or six.
        (0.5 ** np.arange(61), 60 + 10),
        (0.25 ** np.arange(31), 30 + 6),
        # Two more would do: six.
        (0.5 ** np.arange(39), 38 + 6),
        # It does not fall, or nobody is there: nothing can be told.
        (np.full(11, 0.1), 2 * 10 + 8),
        (np.arange(1.0, 12.0), 2 * 10 + 8),
        (np.append(0.5 ** np.arange(10), 0.0), 10 + 8),
        # Of few counts the last two tell: 8 steps of a quarter each.
        (np.array([0.9] * 4 + [4 * 6.5e-8, 6.5e-8]), 5 + 8),
        # What lies a sixth before the end tells, not what lies before that: at 12, two before, 4 times as much.
        (np.array([0.9] * 10 + [4e-6, 3e-6, 1e-6]), 12 + math.ceil(math.log(1e6) * 2 / math.log(4))),
    ],
)
def test_the_next_cut(marginal, cut):
    assert _further(marginal) == cut


def test_what_a_cut_may_still_change():
    def at(cut, *present):
        return SimpleNamespace(at_the_cut=cut, mean_present=np.array(present))

    # The mean grew by 1/2 to 10 while the chance at the cut fell to a hundredth; ten times that.
    assert _cut_error(at(1e-4, 3.0, 6.5), at(1e-6, 3.0, 7.0)) == pytest.approx(10 * 0.01 * 0.5 / 10)
    assert _cut_error(at(1e-4, 3.0, 7.5), at(4e-5, 3.0, 7.0)) == pytest.approx(10 * 0.4 * 0.5 / 10)
    assert _cut_error(at(0.5, 3.0, 6.5), at(0.25, 3.0, 7.0)) == np.inf  # it has hardly fallen
    assert _cut_error(at(0.0, 3.0, 6.5), at(0.0, 3.0, 7.0)) == 0


def test_laws_of_the_counts():
    # Large jobs come first and are an M/M/1 of load 0.6; the law of all jobs has the mean of the counts.
    solved = solve_counts(counted(simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="most-servers-first")), 0.8)
    assert solved.marginal(1, 60)[:9] == pytest.approx(0.4 * 0.6 ** np.arange(9), rel=1e-9)
    law = solved.jobs_law(400)
    assert law.sum() == pytest.approx(1, rel=1e-9)
    assert law @ np.arange(401) == pytest.approx(float(solved.mean_present.sum()), rel=1e-8)
    for last in (0, 1, 6):
        assert solved.jobs_law(last) == pytest.approx(law[: last + 1], rel=1e-12)


def test_the_law_of_one_need_is_that_of_a_queue_of_many_servers():
    # M/M/2 of load 3/4: 1, 3/2, 9/8 and then three quarters of the one before, over 7.
    solved = solve_counts(counted(simple(4, (2, 1, 1), policy="most-servers-first")), 1.5)
    assert solved.jobs_law(5) == pytest.approx(np.array([1, 1.5, 1.125, 1.125 * 0.75, 0.6328125, 0.474609375]) / 7)
    assert solved.cut_error == 0


def test_room_for_the_chain(monkeypatch):
    few = jobs(by_need(larger_first=True))  # 48 phases; from five small jobs on nothing changes
    assert sizes(few, 0, [9, 47]) == [48] * 6
    _require_room(few, 0, [9, 47], 48**3 * 5)
    words = r"would have 48 phases \(up to 47 of need 3\), more than can be solved"
    with pytest.raises(TooLarge, match=words):
        _require_room(few, 0, [9, 47], 48**3 * 5 - 1)
    monkeypatch.setattr(solved_counts, "MOST_PHASES", 48)
    _require_room(few, 0, [9, 47], 1e9)
    with pytest.raises(TooLarge, match=words):
        _require_room(few, 0, [9, 47], 48**3 * 5 - 1)
    monkeypatch.setattr(solved_counts, "MOST_PHASES", 47)
    with pytest.raises(TooLarge, match=words):
        _require_room(few, 0, [9, 47], 1e9)


def test_the_cheaper_count_is_the_level():
    # Without preemption either may be it. Many small jobs are let in, or few large ones.
    system = simple(5, (1, "1/2", "3/5"), (3, 2, "2/5"), policy={"name": "most-servers-first", "preemptive": False})
    known = counted(system)
    most = cuts_to_expect(known, 1.0)
    costs = {level: max(sizes(known, level, most)) ** 3 * (len(sizes(known, level, most)) + 15) for level in (0, 1)}
    order = sorted(costs, key=costs.get)
    assert _cheapest_first(known, 1.0) == order
    assert cheapest(known, 1.0) == (order[0], most)


def test_where_rounding_spoils_one_count_as_level_another_does(monkeypatch):
    known = counted(
        simple(5, (1, "1/2", "3/5"), (3, 2, "2/5"), policy={"name": "most-servers-first", "preemptive": False})
    )
    best, other = _cheapest_first(known, 1.0)

    def only(*levels):
        def solve(_jobs, _rate, level, most_operations):
            if level not in levels:
                raise NotAccurate(f"not with {level}")
            return level, most_operations

        monkeypatch.setattr(solved_counts, "_with_level", solve)
        return solve_counts(known, 1.0, most_operations=7.0)

    assert only(best, other) == (best, 7.0)
    assert only(other) == (other, 7.0)
    with pytest.raises(NotAccurate, match=f"not with {best}"):
        only()


def test_packings_in_use_give_the_rate_to_the_last_digit():
    # Five small, or two and a large one, at 1.2 and 0.2 in service per arrival: w·5 + (1 − w)·2 = 1.2·x, 1 − w = 0.2·x.
    both = np.array([[5, 0], [2, 1]])
    assert _exactly(both, np.array([1.2, 0.2])) == pytest.approx(5 / 1.8, rel=1e-15)
    assert _exactly(both[:1], np.array([1.2, 0.2])) is None  # fewer packings than needs
    assert _exactly(np.array([[5, 0], [5, 0]]), np.array([1.2, 0.2])) is None  # nobody can say how they are mixed


def test_largest_packed_where_one_packing_is_enough():
    # Two and one of needs 1 and 3 as 2 : 1, all five servers in use: 5 over (2·1 + 1·3)/3 for each job.
    rule = Heaviest(servers=5, needs=(1, 3), limited=False, ties="random")
    assert largest_packed(jobs(rule, (2 / 3, 1 / 3), (1.0, 1.0))) == pytest.approx(3.0, rel=1e-9)


@pytest.mark.parametrize(
    ("classes", "policy", "reason"),
    [
        (((1, 1, "1/2"), (3, 2, "1/2")), "most-servers-first", None),
        (((2, 1, 1),), {"name": "most-servers-first", "preemptive": False}, None),
        (((1, 1, "1/4"), (2, 1, "1/4"), (3, 2, "1/2")), {"name": "threshold-parallelism", "order": "elastic"}, None),
        (((1, 1, "1/4"), (2, 1, "1/4"), (3, 2, "1/2")), "max-weight", None),
        (((1, 1, "1/4"), (2, 1, "1/4"), (3, 2, "1/2")), "static-quickswap", None),
        (((1, 1, "1/2"), (3, 2, "1/2")), {"name": "least-servers-first", "preemptive": False}, None),
        (
            ((1, 1, "1/4"), (2, 1, "1/4"), (3, 2, "1/2")),
            "most-servers-first",
            "the threshold of a priority rule is known for two needs and there are 3; simulate it",
        ),
        (
            ((1, 1, "1/2"), (3, 2, "1/2")),
            {"name": "most-servers-first", "preemptive": False},
            STAYS,
        ),
    ],
)
def test_whose_threshold_is_known(classes, policy, reason):
    assert CountThreshold().supports(simple(5, *classes, policy=policy)) == reason


def test_thresholds_by_hand():
    def of(policy, *classes, servers=5):
        return CountThreshold().saturate(simple(servers, *classes, policy=policy))

    # Needs take turns: five small ones of duration 2 at a time, or one large one of 1/2: 1/(0.6·2/5 + 0.4·0.5/1).
    turns = of("static-quickswap", (1, "1/2", "3/5"), (3, 2, "2/5"))
    assert turns.stability_threshold == pytest.approx(1 / 0.44, rel=1e-12)
    assert turns.saturated_utilisation == pytest.approx(1.8 / 5 / 0.44, rel=1e-12)
    assert turns.wasted_servers == pytest.approx(5 - 1.8 / 0.44, rel=1e-12)
    # One need: two of need 2 at a time on five servers, at rate 3 each.
    assert of("most-servers-first", (2, 3, 1)).stability_threshold == 6
    # Small ones of need 2 first, two at a time; a large one of need 5 runs only if none is there: P(0) of an M/M/2 of
    # offered load a = x/2·1 is (1 − a/2)/(1 + a/2), and x/2·(1/2) = P(0): a/2 = (2 − a)/(2 + a), a² + 4·a = 4.
    found = of("least-servers-first", (2, 1, "1/2"), (5, 2, "1/2"))
    assert found.stability_threshold == pytest.approx(2 * (math.sqrt(8) - 2), rel=1e-12)
    assert found.method == "what the favoured need leaves"
    # Large ones of need 3 first, one at a time and so at most 1/0.9; there is room for those of need 2 beside them.
    plenty = of("most-servers-first", (2, 10, "1/10"), (3, 1, "9/10"))
    assert plenty.stability_threshold == pytest.approx(1 / 0.9, rel=1e-12)
    # Needs 2 and 3 of three servers, small ones first but nobody is stopped: one at a time, and never none.
    stay = of({"name": "least-servers-first", "preemptive": False}, (2, 4, "3/4"), (3, "1/2", "1/4"), servers=3)
    assert stay.stability_threshold == pytest.approx(1 / (0.75 / 4 + 0.25 / 0.5), rel=1e-9)
    # Two of need 2, or one and one of need 3: 2·(1 − w) + w = 1.2·x and w = 0.2·x.
    best = of("max-weight", (2, "1/2", "3/5"), (3, 2, "2/5"))
    assert best.stability_threshold == pytest.approx(2 / 1.4, rel=1e-14)


def test_packings_are_counted_before_they_are_listed(monkeypatch):
    """On 4 servers 0 to 4 jobs of need 1 and 0 to 2 of need 2: 15 sets."""
    rule = Heaviest(servers=4, needs=(1, 2), limited=False, ties="smallest")
    monkeypatch.setattr("msj.disciplines.counting.MOST_SETS", 15)
    assert rule.why_not_decided() is None
    monkeypatch.setattr("msj.disciplines.counting.MOST_SETS", 14)
    assert rule.why_not_decided() == "jobs of 2 needs fit on 4 servers in too many ways to list; simulate it"
