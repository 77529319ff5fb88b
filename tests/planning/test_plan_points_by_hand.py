"""Points, their rows, tables and words, from numbers made up by hand."""

import math
from types import SimpleNamespace

import pytest

import msj
from msj.planning.found import kind_of, planned_row, worst_first
from msj.planning.money import Price, read_growth, read_price
from msj.planning.plan_result import PlanResult, _number, point_rows, target_rows
from msj.planning.point import Judged, Point, Verdict
from msj.planning.search import Smallest
from msj.planning.sizes import SizePlan, plan_size
from msj.planning.target import read_target
from msj.planning.wording import how_much, reason_of, size_remarks, size_sentence
from msj.results import Outcome, Quantity, provenance
from msj.results.coordinates import At

MEETS, MISSES, UNDECIDED = Verdict.MEETS, Verdict.MISSES, Verdict.UNDECIDED
WAIT, RESPONSE = read_target("mean wait <= 2"), read_target("p95 response[class=large] <= 8")
NAN = float("nan")


def judged(value, verdict=MEETS, *, target=WAIT, kind="exact", low=None, high=None):
    row = Quantity(
        name=target.name, value=value, kind=kind, method="by hand", job_class=target.group or None, level=target.level,
        low=low, high=high,
    )  # fmt: skip
    return Judged(target=target, row=row, limit=target.limit, verdict=verdict)


def point(*all_judged, servers=4, **more):
    return Point(place=At({"servers": servers}), judged=all_judged, **more)


@pytest.mark.parametrize(
    ("given", "verdict", "binding"),
    [
        (point(), UNDECIDED, None),
        (point(judged(1.0)), MEETS, 1.0),
        (point(judged(2.0, UNDECIDED)), UNDECIDED, 2.0),
        (point(judged(2.1, UNDECIDED)), UNDECIDED, 2.1),
        (point(judged(1.0), judged(7.0, target=RESPONSE)), MEETS, 7.0),
        (point(judged(1.9), judged(7.0, target=RESPONSE)), MEETS, 1.9),
        (point(judged(1.0), judged(9.0, UNDECIDED, target=RESPONSE)), UNDECIDED, 9.0),
        (point(judged(1.0), judged(9.0, MISSES, target=RESPONSE)), MISSES, 9.0),
        (point(judged(1.0), unstable="it grows"), MISSES, 1.0),
    ],
)
def test_a_point_is_as_good_as_its_worst_target(given, verdict, binding):
    assert given.verdict is verdict
    assert (None if given.binding is None else given.binding.row.value) == binding


def test_a_point_is_read_back_as_it_was_written():
    given = point(judged(9.0, MISSES, target=RESPONSE), judged(1.5, UNDECIDED), jobs=12, note="a note", unstable="x")
    targets = (WAIT, RESPONSE)
    written = given.to_dict(targets)
    assert [each["target"] for each in written["judged"]] == [1, 0]
    assert Point.from_dict(given.place, written, targets) == given


def test_an_answer_is_as_sure_as_the_least_sure_point():
    assert kind_of([]) == "exact"
    assert kind_of([point(judged(1.0), judged(1.0, kind="bound"))]) == "exact"
    assert kind_of([point(judged(1.0)), point(judged(1.0, kind="replayed"))]) == "replayed"


@pytest.mark.parametrize(
    ("low", "high", "bracket"), [(None, None, False), (3, None, True), (None, 5, True), (3, 5, True)]
)
def test_an_open_answer_is_a_bracket(low, high, bracket):
    row = planned_row("planned_servers", 4, "exact", "m", low=low, high=high, at={"policy": "fcfs"})
    assert (row.value, row.low, row.high, row.bracket, dict(row.at)) == (4.0, low, high, bracket, {"policy": "fcfs"})
    assert dict(planned_row("planned_servers", 4, "exact", "m").at) == {}


def test_points_that_meet_the_targets_come_with_most_room_first():
    points = [point(judged(1.8), servers=1), point(judged(2.5, MISSES), servers=2), point(judged(0.4), servers=3)]
    assert [each.place["servers"] for each in worst_first(points)] == [3, 1]


def test_targets_and_points_are_rows():
    wanted = list(target_rows([WAIT, RESPONSE]))
    assert [(row.name, row.value, row.kind, row.job_class, row.level) for row in wanted] == [
        ("mean_waiting_time", 2.0, "bound", None, None),
        ("response_time_percentile", 8.0, "bound", "large", 95.0),
    ]
    assert {row.at["quantity"] for row in wanted} == {"target"}

    def last(given):
        *numbers, row = point_rows([given])
        assert [each.at["servers"] for each in numbers] == [4] * len(given.judged)
        assert row.name == "meets_targets"
        return row.value, row.kind, row.method, row.low, row.high, row.bracket

    decided = (None, None, False)
    assert last(point(judged(1.0))) == (1.0, "exact", "the targets compared", *decided)
    assert last(point(judged(3.0, MISSES, kind="replayed"))) == (0.0, "replayed", "the targets compared", *decided)
    assert last(point(unstable="it grows", note="n")) == (0.0, "bound", "it grows", *decided)
    both = (judged(1.0), judged(7.0, UNDECIDED, target=RESPONSE, kind="replayed"))
    value, *rest = last(point(*both, note="a note"))
    assert (math.isnan(value), *rest) == (True, "simulated", "a note", 0.0, 1.0, True)
    assert math.isnan(last(point(judged(2.5, UNDECIDED)))[0])


def result(*points, notes=("The answer.",), targets=(WAIT, RESPONSE)):
    return PlanResult(
        system={"servers": 4}, quantities=(), outcome=Outcome.SOLVED, provenance=provenance(), notes=notes,
        points=points, targets=targets,
    )  # fmt: skip


def test_points_of_one_kind_of_place_make_a_table():
    at = [
        Point(place=At({"policy": "fcfs", "servers": 1200, "cluster": "a"}), judged=(judged(1.0),), jobs=64_000),
        Point(place=At({"policy": "fcfs", "servers": 3}), unstable="it grows"),
        Point(place=At({"policy": "fcfs", "largest_need": 2}),
              judged=(judged(1.0), judged(7.123456, UNDECIDED, target=RESPONSE, kind="simulated", low=6.543, high=8))),
    ]  # fmt: skip
    sizes, caps = result(*at).tables()
    words = ["mean wait <= 2", "p95 response[class=large] <= 8", "", "how"]
    assert sizes == (
        ["cluster", "servers", *words],
        [["a", "1200", "1", "", "meets", "exact, 64,000 jobs"], ["", "3", "", "", "unstable", "bound"]],
    )
    # Where nothing differs, the last of the places is shown.
    assert caps == (
        ["largest need", *words],
        [["2", "1", "7.123 (6.54 to 8)", "undecided", "simulated"]],
    )


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (judged(NAN, kind="simulated"), "?"),
        (judged(1.23456), "1.235"),
        (judged(1.23456, low=1.0, high=2.0), "1.235"),
        (judged(1.23456, kind="simulated", low=1.0), "1.235"),
        (judged(1.23456, kind="simulated", high=2.0), "1.235"),
        (judged(1.23456, kind="simulated", low=1.1111, high=2.2222), "1.235 (1.11 to 2.22)"),
    ],
)
def test_a_number_is_shown_with_its_interval_unless_it_is_exact(given, shown):
    assert _number(given.row) == shown


def test_the_sentence_comes_first_then_the_table_then_what_else_to_know():
    found = result(point(judged(1.0)), notes=("The answer <4>.", "A remark & more."), targets=(WAIT,))
    assert found.sentence == "The answer <4>."
    parts = found.to_text(width=100).split("\n\n")
    assert len(parts) == 3
    assert parts[0].endswith("The answer <4>.")
    assert "mean wait <= 2" in parts[1]
    assert parts[2] == "A remark & more."
    page = found._repr_html_()
    assert page.count("The answer &lt;4&gt;.") == 1
    assert page.count("<p>A remark &amp; more.</p>") == 1
    assert page.index("The answer") < page.index("<table") < page.index("A remark")


@pytest.mark.parametrize(
    ("text", "factor", "years"),
    [("20 %/year", 1.2**3, 3), ("3 % per month", 1.03**6, 0.5), ("5 %/quarter", 1.05**8, 2), ("50%/y", 1.5, 1)],
)
def test_growth_is_read_in_any_unit(text, factor, years):
    assert read_growth(text).years_until(factor) == pytest.approx(years)


def test_no_growth_is_refused():
    with pytest.raises(msj.InvalidInput, match="cannot be read"):
        read_growth("0 %/year")
    assert read_growth(None) is None
    assert read_price(None) is None


@pytest.mark.parametrize(
    ("text", "servers", "said"),
    [
        ("EUR 2/server month", 5, "120 EUR a year"),  # 2 · 12 · 5
        ("2 EUR/server months", 50, "1,200 EUR a year"),
        ("12.49/server year", 8, "99.92 a year"),
        ("25.15/server year", 4, "101 a year"),  # 100.6
        ("0.001/server hour", 3, "26.3 a year"),  # 8766 hours: 26.298
    ],
)
def test_what_servers_cost_is_told_without_pennies_from_a_hundred_on(text, servers, said):
    assert read_price(text).said(servers) == said
    assert Price(yearly=0.5, currency="", words="").said(8) == "4 a year"


def subject(*targets, time_unit=None, work=3.25):
    return SimpleNamespace(targets=targets or (WAIT,), time_unit=time_unit, work=work)


@pytest.mark.parametrize(
    ("value", "verdict", "unit", "said"),
    [
        (1.23456, MEETS, None, "1.235 instead of 2"),
        (1.23456, UNDECIDED, "hours", "1.235 hours instead of 2, which is not decided"),
        (2.002, MISSES, None, "2.002 instead of 2, 0.1 % too much"),
        (2.18, MISSES, None, "2.18 instead of 2, 9 % too much"),
        (2.1986, MISSES, None, "2.199 instead of 2, 9.9 % too much"),
        (2.25, MISSES, "hours", "2.25 hours instead of 2, 12 % too much"),
        (5.998, MISSES, None, "5.998 instead of 2, 200 % too much"),
        (6.0, MISSES, None, "6 instead of 2, 3 times as much"),
        (6.68, MISSES, None, "6.68 instead of 2, 3.34 times as much"),
    ],
)
def test_a_number_stands_beside_its_limit(value, verdict, unit, said):
    assert how_much(judged(value, verdict), unit) == said


def test_shares_have_no_unit_of_time():
    share = read_target("share waiting <= 5 %")
    row = Quantity(name=share.name, value=0.1, kind="exact", method="by hand")
    assert how_much(Judged(target=share, row=row, limit=0.05, verdict=MEETS), "hours") == "0.1 instead of 0.05"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (point(judged(3.0), unstable="it grows"), "it grows, so the queue grows without end"),
        (point(note="a note"), "a note"),
        (point(), "nothing is known of it"),
        (point(judged(3.0, MISSES)), "mean wait is 3 instead of 2, 50 % too much"),
    ],
)
def test_why_a_point_misses(given, said):
    assert reason_of(subject(), given) == said


def sizes(points, first, lowest, *, naive, present, monotone=False, **more):
    return SizePlan(
        policy="fcfs",
        found=Smallest(first=first, lowest=lowest, checked=2 * (first or 10), **more),
        points={n: point(judged(value, verdict), servers=n) for n, (value, verdict) in points.items()},
        naive=naive,
        present=present,
        monotone=monotone,
    )


MANY = {3: (9.0, MISSES), 4: (1.9, MEETS), 5: (4.0, MISSES), 6: (2.1, UNDECIDED), 7: (1.0, MEETS)}


@pytest.mark.parametrize(
    ("plan", "targets", "said"),
    [
        (sizes(MANY, 7, 7, naive=3, present=7, monotone=True), (WAIT,),
         "7 servers under fcfs: the smallest size that meets mean wait <= 2, and every larger one does, too."),
        (sizes(MANY, 7, 7, naive=3, present=7), (WAIT, RESPONSE),
         "7 servers under fcfs: the smallest size from which on every size tried up to 14 meets all 2 targets."),
        (sizes(MANY, 7, 6, naive=3, present=7), (WAIT,),
         ("Between 6 and 7 servers under fcfs: 5 are too few, 7 meet mean wait <= 2, and in between the effort allowed "
         "does not decide.")),
        (sizes(MANY, None, 6, naive=3, present=7), (WAIT,),
         ("4 servers under fcfs meet mean wait <= 2, and so do 1 of the larger sizes tried; from where on all do is "
         "open: at 7 servers mean wait is 1 instead of 2.")),
        (sizes({3: (9.0, MISSES), 5: (4.0, MISSES)}, None, 6, naive=3, present=7), (WAIT,),
         ("No size up to 5 servers under fcfs is known to meet the targets: mean wait is 4 instead of 2, 100 % too "
         "much.")),
    ],
)  # fmt: skip
def test_the_answer_about_sizes_in_one_sentence(plan, targets, said):
    assert size_sentence(subject(*targets), plan) == said


TOO_FEW = "5 servers are too few: mean wait is 4 instead of 2, 100 % too much."
COUNTED = "Counting server-hours (3.25 busy servers) says"
MISSED_THERE = f"{COUNTED} 3: there mean wait is 9 instead of 2, 4.5 times as much."


@pytest.mark.parametrize(
    ("plan", "targets", "said"),
    [
        (sizes(MANY, 7, 7, naive=3, present=7), (WAIT,),
         [TOO_FEW, MISSED_THERE, "That is what the cluster has: 7 servers."]),
        (sizes(MANY, 7, 7, naive=4, present=6, lucky=(4,), worse=((4, 5),)), (WAIT, RESPONSE),
         [TOO_FEW, "The binding target is mean wait <= 2.",
          ("4 servers meet the targets, too, by luck of packing: more servers make it worse (5 misses them where 4 "
          "does not)."), f"{COUNTED} 4, which meets the targets.", "The cluster has 6: 1 is missing."]),
        (sizes(MANY, 7, 7, naive=7, present=4, lucky=(4,), worse=((4, 5),)), (WAIT,),
         [TOO_FEW,
          ("4 servers meet the targets, too, by luck of packing: more servers make it worse (5 misses them where 4 "
          "does not)."), f"{COUNTED} 7, which is enough here.", "The cluster has 4, which is one of these."]),
        (sizes(MANY, 7, 7, naive=3, present=5), (WAIT,), [TOO_FEW, MISSED_THERE, "The cluster has 5: 2 are missing."]),
        (sizes(MANY, 7, 7, naive=3, present=9), (WAIT,), [TOO_FEW, MISSED_THERE, "The cluster has 9: 2 to spare."]),
        (sizes(MANY, None, 6, naive=3, present=9), (WAIT,), [MISSED_THERE]),
        (sizes({7: (1.0, MEETS)}, 7, 7, naive=7, present=7), (WAIT, RESPONSE),
         ["The binding target is mean wait <= 2.", f"{COUNTED} 7, which is enough here.",
          "That is what the cluster has: 7 servers."]),
    ],
)  # fmt: skip
def test_what_else_to_know_of_sizes(plan, targets, said):
    assert size_remarks(subject(*targets), plan) == said


def test_where_the_counted_size_is_unstable_that_is_said():
    plan = sizes(MANY, 7, 7, naive=3, present=7)
    plan.points[3] = point(servers=3, unstable="it grows")
    assert f"{COUNTED} 3: there it grows, so the queue grows without end." in size_remarks(subject(), plan)


def test_a_plan_of_sizes_knows_its_answer_and_the_next_that_misses():
    plan = sizes(MANY, 7, 7, naive=3, present=7)
    assert (plan.answer, plan.decided, plan.largest_miss) == (plan.points[7], True, 5)
    early = sizes(MANY, 4, 4, naive=3, present=7)
    assert (early.answer, early.largest_miss) == (early.points[4], 3)
    assert not sizes(MANY, 7, 6, naive=3, present=7).decided
    none = sizes({**MANY, 7: (3.0, MISSES)}, None, 6, naive=3, present=7)
    assert (none.answer, none.decided, none.largest_miss) == (None, False, 7)
    assert sizes({7: (1.0, MEETS)}, 7, 7, naive=7, present=7).largest_miss is None


def planned(answer, *, servers=9, least=5, naive=4, needs=(1, 3), monotone=True, even=False):
    """What is planned, and asked, where sizes from the answer on do; sizes may have to be even."""
    asked = []

    def at_servers(policy, size):
        assert policy == "fcfs"
        asked.append(size)
        return point(judged(1.0, MEETS if size >= answer else MISSES), servers=size)

    given = SimpleNamespace(
        servers=servers, least_servers=least, naive_servers=naive, needs=list(needs), at_servers=at_servers,
        next_size=lambda _, size: size + size % 2 if even else size, monotone=lambda _: monotone,
    )  # fmt: skip
    return plan_size(given, "fcfs"), asked


def test_a_plan_of_sizes_begins_at_the_size_there_is_and_tries_the_counted_one_and_the_next():
    plan, asked = planned(7)
    assert asked == [9, 6, 7, 4, 9, 8]  # halves between 4 and 9; counted; there now; one more than the answer
    assert list(plan.points) == [4, 6, 7, 8, 9]
    assert (plan.found.first, plan.found.lowest, plan.found.checked) == (7, 7, 9)
    assert (plan.naive, plan.present, plan.monotone) == (4, 9, True)
    # Now too small: an eighth more than the least, and the size there is only if its jobs fit.
    assert planned(17, servers=4, least=16, needs=(1, 5))[1] == [18, 16, 17, 4, 18]
    assert planned(17, servers=5, least=16, needs=(1, 5))[1] == [18, 16, 17, 4, 5, 18]
    assert planned(6, servers=4, least=5, needs=(1, 5))[1] == [6, 5, 4, 7]
    # 64 times the least is tried, and no more.
    assert max(planned(10**6)[1]) == 64 * 5
    assert planned(64 * 5)[0].found.first == 64 * 5


def test_sizes_that_a_policy_is_not_for_are_passed_over():
    plan, asked = planned(7, even=True, naive=5)
    assert all(size % 2 == 0 for size in asked)
    assert (plan.found.first, plan.found.lowest, plan.naive, plan.present) == (8, 8, 6, 9)
    assert list(plan.points) == [6, 8, 10]
    assert plan.found.checked == 10
    assert 12 in planned(7, even=True, servers=12)[1]
