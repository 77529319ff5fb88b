"""Answers along load, share, cap, partitions and policies, from points whose verdicts are made up by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from msj.planning import answer, choices
from msj.planning.along_load import _rates, along_load, along_share
from msj.planning.answer import _next, _outcome, _said, _size_rows, _with_growth, _with_price, _years, along_servers
from msj.planning.cap import Efficiency, read_efficiency
from msj.planning.choices import along_cap, along_partition, along_policy, caps
from msj.planning.found import Found
from msj.planning.money import Growth, Price
from msj.planning.point import Judged, Point, Verdict
from msj.planning.search import Smallest
from msj.planning.sizes import SizePlan
from msj.planning.target import read_target
from msj.planning.vary import Along, Vary
from msj.results import Outcome, Quantity
from msj.results.coordinates import At

MEETS, MISSES, UNDECIDED = Verdict.MEETS, Verdict.MISSES, Verdict.UNDECIDED
TARGET = read_target("mean wait <= 2")
OTHER = read_target("mean response <= 4")


def judged(value, verdict, kind="simulated", target=TARGET):
    row = Quantity(name=target.name, value=value, kind=kind, method="by hand")
    return Judged(target=target, row=row, limit=target.limit, verdict=verdict)


def point(verdict, value=1.0, kind="simulated", **place):
    return Point(place=At(place), judged=(judged(value, verdict, kind),))


def loads(verdict, *, policies=("fcfs",), servers=10, work=5.0, kind="simulated", monotone=True):
    return SimpleNamespace(
        servers=servers, work=work, policies=list(policies), targets=(TARGET,), time_unit=None,
        monotone=lambda _: monotone,
        at_load=lambda policy, factor: point(verdict(factor), 1.7 * factor, kind, policy=policy, load=factor),
    )  # fmt: skip


def row_of(row):
    return row.name, row.value, row.kind, row.low, row.high, row.bracket, dict(row.at)


def test_the_most_load_is_told_as_utilisation_and_beside_the_load_there_is():
    """5 of 10 servers busy: steps of 1/200 of 2 times the load there is; up to 1.3 it meets the target."""
    found = along_load(loads(lambda x: MEETS if x <= 1.305 else MISSES), "fcfs")
    assert (
        found.sentence == "Utilisation 65.0% under fcfs (1.3 times the load there is): the most that meets the targets."
    )
    (row,) = found.rows
    assert row_of(row) == ("planned_utilisation", pytest.approx(0.65), "simulated", None, None, False, {})
    assert row.method == f"bisection; {len(found.points)} loads tried"
    assert found.remarks == (
        "At 1.31 times the load there is, mean wait is 2.227 instead of 2, 11 % too much.",
        "The load there is meets the targets; more may come.",
    )
    assert (found.met, found.decided) == (True, True)


def test_less_than_the_load_there_is_may_be_the_most():
    found = along_load(loads(lambda x: MEETS if x <= 0.5 else MISSES, policies=("fcfs", "other"), kind="exact"), "fcfs")
    (row,) = found.rows
    assert row_of(row) == ("planned_utilisation", pytest.approx(0.25), "exact", None, None, False, {"policy": "fcfs"})
    assert found.remarks[-1] == "The load there is misses the targets; that is less than what comes now."
    same = along_load(loads(lambda x: MEETS if x <= 1.0 else MISSES), "fcfs")
    assert same.rows[0].value == pytest.approx(0.5)
    assert same.remarks[-1] == "The load there is meets the targets; more may come."


def test_a_most_load_that_is_not_decided_is_a_range():
    found = along_load(loads(lambda x: MEETS if x <= 1.205 else MISSES if x > 1.405 else UNDECIDED), "fcfs")
    (row,) = found.rows
    assert row_of(row)[1:6] == (pytest.approx(0.6), "simulated", pytest.approx(0.6), pytest.approx(0.705), True)
    assert found.sentence == (
        "Between 1.2 and 1.41 times the load there is under fcfs: the effort allowed does not decide what is in "
        "between."
    )
    assert not found.decided
    assert found.remarks[0].startswith("At 1.41 times the load there is, mean wait is 2.397 instead of 2")


def test_a_load_up_to_all_that_the_servers_can_do_has_no_miss_above():
    found = along_load(loads(lambda _: MEETS), "fcfs")
    (row,) = found.rows
    assert row_of(row)[1:6] == (pytest.approx(199 / 200), "simulated", None, None, False)
    assert found.sentence.endswith("(1.99 times the load there is): the most that meets the targets.")
    assert found.remarks == ("The load there is meets the targets; more may come.",)
    assert found.decided  # more would be all that the servers can do


def test_where_nothing_above_is_decided_the_load_found_is_not_called_the_most():
    found = along_load(loads(lambda load: MEETS if load < 0.7 else UNDECIDED), "fcfs")
    assert not found.decided
    assert found.sentence.endswith("meets the targets: the effort allowed does not decide whether more does.")
    assert (found.rows[0].low, found.rows[0].high) == (None, None)


def test_no_load_at_all_is_told_with_the_reason_at_the_lowest():
    found = along_load(loads(lambda _: MISSES), "fcfs")
    assert (found.rows, found.met) == ((), False)
    # The lowest is a step of 0.01: its wait is said to be 0.017.
    assert found.sentence.startswith("No load under fcfs is known to meet the targets: mean wait is 0.017 instead of 2")


@pytest.mark.parametrize(
    ("threshold", "beyond", "rate_row", "load_row"),
    [
        # Rate 0.6 · 1.5 = 0.9 of a threshold of 1.2; up to 0.6 · 2 = 1.2 where it is open; between 1 and 1.5.
        ((1.2, None, None), None, (0.9, None, None), (0.75, None, None)),
        ((1.2, None, None), 2.0, (0.9, 0.9, 1.2), (0.75, 0.75, 1.0)),
        ((1.2, 1.0, 1.5), None, (0.9, None, None), (0.75, 0.6, 0.9)),
        ((1.2, 1.0, 1.5), 2.0, (0.9, 0.9, 1.2), (0.75, 0.6, 1.2)),
    ],
)
def test_the_most_load_as_a_rate_and_as_a_share_of_the_threshold(threshold, beyond, rate_row, load_row):
    value, low, high = threshold
    row = Quantity(name="stability_threshold", value=value, kind="simulated", method="", low=low, high=high)
    given = SimpleNamespace(rate=0.6, threshold_row=lambda policy: {"fcfs": row}[policy])
    rows = _rates(given, "fcfs", 1.5, beyond, "exact", "how", {"policy": "fcfs"})
    assert [row.name for row in rows] == ["planned_arrival_rate", "planned_load"]
    for got, wanted in zip(rows, (rate_row, load_row), strict=True):
        assert (got.value, got.low, got.high) == pytest.approx(wanted)
        assert (got.kind, got.method, dict(got.at)) == ("exact", "how", {"policy": "fcfs"})


def shares(verdict, policies=("fcfs",), now=0.25):
    classes = [SimpleNamespace(name="small", share=1 - now), SimpleNamespace(name="large", share=now)]
    asked = []

    def at_share(policy, job_class, share):
        asked.append(share)
        return point(verdict(share), 6 * share, policy=policy, of_class=job_class, class_share=share)

    given = SimpleNamespace(
        system=SimpleNamespace(classes=classes), policies=list(policies), at_share=at_share, time_unit=None
    )
    return along_share(given, "fcfs", "large"), asked


def test_the_largest_share_in_steps_of_one_per_cent():
    found, asked = shares(lambda share: MEETS if share <= 0.405 else MISSES)
    assert asked[:2] == [0.25, 0.62]  # what it is now, then half of what is above
    (row,) = found.rows
    assert row_of(row) == ("planned_share", 0.4, "simulated", None, None, False, {"of_class": "large"})
    assert row.method == f"steps of 1 %; {len(set(asked))} shares tried"
    assert found.sentence == (
        "0.40 of the arrivals may be of class 'large' under fcfs: the largest share up to which every one tried meets "
        "the targets."
    )
    assert found.remarks == (
        "It is 0.25 now, and as many jobs arrive whatever the share.",
        "At 0.41, mean wait is 2.46 instead of 2, 23 % too much.",
    )
    assert (found.met, found.decided) == (True, True)


def test_shares_that_are_not_decided_are_a_range():
    found, _ = shares(lambda share: MEETS if share <= 0.405 else MISSES if share > 0.495 else UNDECIDED, ("fcfs", "b"))
    (row,) = found.rows
    assert row_of(row)[1:6] == (0.4, "simulated", 0.4, 0.5, True)
    assert dict(row.at) == {"of_class": "large", "policy": "fcfs"}
    assert found.sentence == "Between 0.40 and 0.50 of the arrivals may be of class 'large' under fcfs."
    assert not found.decided


def test_any_share_and_no_share():
    found, _ = shares(lambda share: MEETS if share <= 0.405 else UNDECIDED)
    assert (found.decided, found.rows[0].value, found.rows[0].low, found.rows[0].high) == (False, 0.4, None, None)
    assert found.sentence.endswith("under fcfs: the effort allowed does not decide whether more may.")
    found, asked = shares(lambda _: MEETS, now=0.999)
    assert found.decided
    assert (found.rows[0].value, found.rows[0].bracket, found.decided) == (0.99, False, True)
    assert asked[0] == max(asked) == 0.99
    assert found.remarks == ("It is 0.999 now, and as many jobs arrive whatever the share.",)
    found, asked = shares(lambda _: MISSES, now=0.001)
    assert asked == [0.01]
    assert (found.rows, found.met) == ((), False)
    assert found.sentence.startswith(
        "No share of class 'large' from 1 % on under fcfs is known to meet the targets: mean wait is 0.06 instead of 2"
    )


def capped(verdicts, policies=("fcfs",), values=None, servers=12, needs=(1, 4, 6)):
    given = SimpleNamespace(
        servers=servers, needs=list(needs), policies=list(policies), targets=(TARGET,), time_unit=None,
        at_cap=lambda policy, cap, _: point(verdicts[cap], (values or {}).get(cap, 3.0), policy=policy,
                                            largest_need=cap),
    )  # fmt: skip
    return along_cap(given, "fcfs", Efficiency())


def test_the_largest_cap_with_the_next_that_misses_and_smaller_ones_that_do():
    found = capped({6: MISSES, 4: MISSES, 3: MEETS, 2: MISSES, 1: MISSES}, values={4: 2.5})
    assert found.sentence == "3 servers for the largest job under fcfs: the largest cap tried that meets the targets."
    (row,) = found.rows
    assert row_of(row) == ("planned_cap", 3.0, "simulated", None, None, False, {})
    assert row.method == "5 caps tried, linear speed-up"
    assert found.remarks[0] == "With 4, mean wait is 2.5 instead of 2, 25 % too much."
    assert "(linear speed-up)" in found.remarks[1]
    assert found.remarks[2:] == ("Smaller caps that miss: 1, 2.",)
    assert [each.place["largest_need"] for each in found.points] == [1, 2, 3, 4, 6]
    assert (found.met, found.decided) == (True, True)


def test_caps_that_are_open_above_the_answer_are_a_range():
    found = capped({6: UNDECIDED, 4: UNDECIDED, 3: MEETS, 2: UNDECIDED, 1: MEETS}, policies=("fcfs", "b"))
    (row,) = found.rows
    assert row_of(row)[1:] == (3.0, "simulated", 3.0, 6.0, True, {"policy": "fcfs"})
    assert not found.decided
    assert len(found.remarks) == 1  # nothing misses
    below = capped({6: MISSES, 4: MISSES, 3: MISSES, 2: MISSES, 1: MEETS})
    assert below.sentence.startswith("1 server for the largest job under fcfs: ")
    assert below.remarks[0].startswith("With 2, ")


def test_no_cap_is_needed_and_no_cap_is_enough():
    found = capped({6: MEETS, 4: UNDECIDED, 3: MISSES, 2: MEETS, 1: MEETS})
    assert found.sentence == "No cap is needed under fcfs: with 6 servers for the largest job the targets are met."
    assert (found.decided, found.rows[0].bracket) == (True, False)
    assert found.remarks[1:] == ("Smaller caps that miss: 3.",)
    none = capped({6: MISSES, 4: MISSES, 3: MISSES, 2: MISSES, 1: UNDECIDED}, values={1: 2.25})
    assert none.sentence == (
        "No cap on the largest job under fcfs is known to meet the targets: mean wait is 2.25 instead of 2, which is "
        "not decided."
    )
    assert (none.met, none.rows, len(none.points), len(none.remarks)) == (False, (), 5, 1)


def test_amdahls_law_is_named_with_its_share():
    given = SimpleNamespace(
        servers=2, needs=[1, 2], policies=["fcfs"], targets=(TARGET,), time_unit=None,
        at_cap=lambda policy, cap, _: point(MEETS, policy=policy, largest_need=cap),
    )  # fmt: skip
    found = along_cap(given, "fcfs", read_efficiency("amdahl:0.25"))
    assert found.rows[0].method == "2 caps tried, Amdahl's law with 0.25 serial"
    assert "Amdahl's law with 0.25 serial" in found.remarks[0]
    # Half is serial: on 3 servers a job runs 1/(1/2 + 1/6) = 3/2 as fast as on one.
    assert Efficiency(serial=0.5).speed_up(3) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("servers", "needs", "tried"),
    [
        (12, [1, 4, 6], [6, 4, 3, 2, 1]),  # 12 // 2, 3, 4, 6 ... and the needs
        (10, [3, 7], [7, 5, 3, 2, 1]),
        (4, [4], [4, 2, 1]),
        (600, [*range(1, 25)], [*range(24, 0, -1)]),  # 24 are not too many
        (600, [*range(1, 26)], [*range(25, 0, -2), 1]),  # 25 are: every other one, and the smallest
        (600, [*range(1, 50)], [*range(49, 0, -3), 1]),
    ],
)
def test_caps_are_needs_and_what_fits_a_whole_number_of_times(servers, needs, tried):
    assert caps(SimpleNamespace(servers=servers, needs=needs)) == tried


def sized(first, lowest=None, *, most=50, kind="exact"):
    points = {most: point(MEETS if first else MISSES, kind=kind, servers=most)}
    found = Smallest(first=first, lowest=lowest or first or 1, checked=most)
    return SizePlan(policy="fcfs", found=found, points=points, naive=most, present=most, monotone=True)


def partitioned(monkeypatch, pool, **cuts):
    plans = {"pool": pool} | {f"{at}{i}": plan for at, pair in cuts.items() for i, plan in enumerate(pair)}
    monkeypatch.setattr(choices, "plan_size", lambda subject, policy: plans[subject])
    parts = {int(at[1:]): (f"{at}0", f"{at}1") for at in cuts}
    found = along_partition("pool", "fcfs", parts)
    rows = [(row.name, row.value, row.low, row.high, dict(row.at)) for row in found.rows]
    return found, rows


ASKED_OF_BOTH = "Each partition must meet the targets for its own jobs; a target about all jobs is asked of both."


def test_one_pool_is_set_beside_the_best_two_partitions(monkeypatch):
    found, rows = partitioned(
        monkeypatch, sized(20), c2=(sized(7), sized(19)), c4=(sized(9), sized(14)), c8=(sized(None), sized(3))
    )
    assert found.sentence == "One pool of 20 servers under fcfs, 3 fewer than the best two partitions."
    assert rows == [
        ("planned_servers", 20.0, None, None, {}),
        ("partitioned_servers", 26.0, None, None, {"largest_need": 2}),
        ("partitioned_servers", 23.0, None, None, {"largest_need": 4}),
        ("planned_cut", 4.0, None, None, {}),
    ]
    assert found.remarks == (
        "Cut at 2: 7 servers for needs up to 2 and 19 for larger ones, 26 together.",
        "Cut at 4: 9 servers for needs up to 4 and 14 for larger ones, 23 together.",
        ASKED_OF_BOTH,
    )
    assert len(found.points) == 7
    assert (found.met, found.decided) == (True, True)


def test_two_partitions_may_be_smaller_or_the_only_ones(monkeypatch):
    found, _ = partitioned(monkeypatch, sized(25), c2=(sized(7), sized(13)))
    assert found.sentence == "Two partitions of 20 servers under fcfs, cut at needs of 2, 5 fewer than one pool."
    found, _ = partitioned(monkeypatch, sized(20), c2=(sized(7), sized(13)))  # as many: one pool
    assert found.sentence == "One pool of 20 servers under fcfs, 0 fewer than the best two partitions."
    found, rows = partitioned(monkeypatch, sized(None), c2=(sized(7), sized(13)))
    assert found.sentence == "Two partitions of 20 servers under fcfs, cut at needs of 2."
    assert [row[0] for row in rows] == ["partitioned_servers", "planned_cut"]
    assert found.met
    found, rows = partitioned(monkeypatch, sized(20), c2=(sized(7), sized(None)))
    assert found.sentence == "One pool of 20 servers under fcfs."
    assert [row[0] for row in rows] == ["planned_servers"]
    assert (found.met, found.remarks) == (True, (ASKED_OF_BOTH,))
    found, rows = partitioned(monkeypatch, sized(None), c2=(sized(None), sized(3)))
    assert found.sentence == "Neither one pool nor two partitions under fcfs are known to meet the targets."
    assert (found.met, rows) == (False, [])


def test_partitions_are_decided_if_all_their_sizes_are(monkeypatch):
    found, rows = partitioned(monkeypatch, sized(20, 18), c2=(sized(7), sized(19)))
    assert rows[0] == ("planned_servers", 20.0, 18.0, 20.0, {})
    assert not found.decided
    for pair in ((sized(7, 6), sized(19)), (sized(7), sized(19, 18))):
        found, rows = partitioned(monkeypatch, sized(20), c2=pair)
        assert rows[0] == ("planned_servers", 20.0, None, None, {})
        assert not found.decided
    uncounted = (sized(None, 3), sized(19, 18))  # cannot meet the targets: not compared
    assert partitioned(monkeypatch, sized(20), c2=uncounted)[0].decided


def policies(**known):
    points = {name: point(verdict, value, policy=name) for name, (verdict, value) in known.items()}
    given = SimpleNamespace(policies=list(known), servers=1200, time_unit=None, at_servers=lambda name, _: points[name])
    return along_policy(given)


def test_the_policy_with_most_room_comes_first_and_others_are_named():
    found = policies(a=(MEETS, 1.5), b=(MEETS, 0.5), c=(MISSES, 3.0))
    assert found.sentence == "b meets the targets on 1,200 servers with most room; so does a."
    assert [(row.at["policy"], row.value, row.kind) for row in found.rows] == [
        ("a", 0.0, "simulated"), ("b", 1.0, "simulated"), ("c", 0.0, "simulated"),
    ]  # fmt: skip
    assert (found.met, found.decided) == (True, True)
    found = policies(a=(MEETS, 1.5), b=(MEETS, 0.5), c=(MEETS, 1.0))
    assert found.sentence == "b meets the targets on 1,200 servers with most room; so do c, a."
    found = policies(a=(UNDECIDED, 1.5), c=(MISSES, 3.0))
    assert found.sentence == "No policy of 2 is known to meet the targets on 1,200 servers."
    assert (found.met, found.decided, found.rows) == (False, False, ())


def found_with(*points, rows=(), met=True, decided=True, sentence="S.", remarks=("R.",)):
    return Found(sentence=sentence, rows=tuple(rows), points=points, met=met, decided=decided, remarks=remarks)


OPEN, SHUT = point(UNDECIDED, servers=3), point(MISSES, servers=3)


@pytest.mark.parametrize(
    ("found", "late", "outcome"),
    [
        ([found_with()], True, Outcome.SOLVED),
        ([found_with(), found_with(decided=False)], False, Outcome.UNDECIDED),
        ([found_with(), found_with(decided=False)], True, Outcome.OUT_OF_TIME),
        ([found_with(), found_with(met=False)], True, Outcome.SOLVED),
        ([found_with(SHUT, met=False)], True, Outcome.TARGETS_NOT_MET),
        ([found_with(SHUT, OPEN, met=False, decided=False)], False, Outcome.UNDECIDED),
        ([found_with(SHUT, OPEN, met=False, decided=False)], True, Outcome.OUT_OF_TIME),
    ],
)
def test_the_outcome_of_a_plan(found, late, outcome):
    assert _outcome(SimpleNamespace(out_of_time=late), found) is outcome


def test_of_several_policies_first_the_answers_then_what_else_to_know():
    one, two = found_with(sentence="One.", remarks=("A.", "B.")), found_with(sentence="Two.", remarks=("C.",))
    assert _said(["x"], [one]) == ["One.", "A.", "B."]
    assert _said(["x", "y"], [one, two]) == ["One. Two.", "x: A. B.", "y: C."]


def test_rows_of_a_size():
    plan = SizePlan(
        policy="b", found=Smallest(first=9, lowest=9, checked=18),
        points={9: point(MEETS, servers=9), 8: point(MISSES, servers=8)}, naive=6, present=11, monotone=False,
    )  # fmt: skip
    rows = _size_rows(SimpleNamespace(policies=["a", "b"]), plan)
    at = {"policy": "b"}
    assert [row_of(row) for row in rows] == [
        ("planned_servers", 9.0, "simulated", None, None, False, at),
        ("naive_servers", 6.0, "bound", None, None, False, at),
        ("spare_servers", 2.0, "simulated", None, None, False, at),
    ]
    assert rows[0].method == "bisection, neighbours and wider steps tried; 2 sizes"
    open_ = SizePlan(**{**vars(plan), "found": Smallest(first=9, lowest=7, checked=18), "monotone": True})
    row = _size_rows(SimpleNamespace(policies=["b"]), open_)[0]
    assert row_of(row)[1:] == (9.0, "simulated", 7.0, 9.0, True, {})
    assert row.method == "bisection, more servers never hurt; 2 sizes"
    none = SizePlan(**{**vars(plan), "found": Smallest(first=None, lowest=7, checked=18)})
    assert [row.name for row in _size_rows(SimpleNamespace(policies=["b"]), none)] == ["naive_servers"]


@pytest.mark.parametrize(
    ("years", "said"), [(2.0, "2.0 years"), (1.999, "24 months"), (0.5, "6 months"), (3.14, "3.1 years")]
)
def test_less_than_two_years_are_told_in_months(years, said):
    assert _years(years) == said


def test_growth_is_told_by_the_headroom():
    """Up to 1.44 times the load there is: two years at 20 % a year."""
    before = found_with(OPEN)
    growth = Growth(yearly=1.2, words="20 %/year")
    given = loads(lambda x: MEETS if x <= 1.445 else MISSES, policies=("fcfs", "b"), servers=1000, work=500.0)
    found = _with_growth(given, "fcfs", before, growth)
    assert found.remarks == (
        "R.",
        "1,000 servers under fcfs take 44% more load; growing by 20 %/year, that is used up in 2.0 years.",
    )
    headroom, years = found.rows
    assert row_of(headroom)[:3] == ("load_headroom", pytest.approx(0.44), "simulated")
    assert row_of(years)[:3] == ("years_of_headroom", pytest.approx(2.0), "simulated")
    assert dict(headroom.at) == dict(years.at) == {"policy": "fcfs"}
    assert years.method == "growth of 20 %/year"
    assert found.points[0] is OPEN
    assert len(found.points) > 3
    alone = loads(lambda x: MEETS if x <= 1.445 else MISSES)
    assert {str(dict(row.at)) for row in _with_growth(alone, "fcfs", before, growth).rows} == {"{}"}
    # Points that are there already are not told twice.
    again = _with_growth(given, "fcfs", found, growth)
    assert again.points == found.points


def test_no_headroom_and_headroom_that_is_open_are_told():
    growth = Growth(yearly=1.2, words="20 %/year")
    none = _with_growth(loads(lambda _: MISSES, servers=1000, work=500.0), "fcfs", found_with(), growth)
    assert none.remarks[1] == "There is no headroom on 1,000 servers under fcfs: the load there is misses the targets."
    assert (none.rows, none.points) == ((), ())
    open_ = loads(lambda x: MEETS if x <= 0.8 else UNDECIDED)
    few = _with_growth(open_, "fcfs", found_with(), growth)
    assert few.remarks[1] == "The headroom on 10 servers under fcfs is too little to be told."
    assert few.rows == ()
    assert len(few.points) > 3
    # No headroom at all, exactly as much as comes: that is a number.
    just = _with_growth(loads(lambda x: MEETS if x <= 1 else MISSES), "fcfs", found_with(), growth)
    assert [row.value for row in just.rows] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_the_price_of_a_size_and_of_one_more():
    rows = [
        Quantity(name="planned_servers", value=9.0, kind="exact", method="m", low=8.0, high=10.0),
        Quantity(name="partitioned_servers", value=12.0, kind="exact", method="m"),
        Quantity(name="naive_servers", value=5.0, kind="bound", method="m"),
    ]
    points = [point(MEETS, 1.5, servers=9), point(MEETS, 1.25, servers=10)]
    found = _with_price(found_with(*points, rows=rows), Price(yearly=50.0, currency="EUR", words="50 EUR"))
    assert found.rows[:3] == tuple(rows)
    assert [(row.name, row.value, row.low, row.high, row.method) for row in found.rows[3:]] == [
        ("yearly_cost", 450.0, 400.0, 500.0, "50 EUR, planned_servers"),
        ("yearly_cost", 600.0, None, None, "50 EUR, partitioned_servers"),
    ]
    assert found.remarks == (
        "R.", "9 servers cost 450 EUR a year; one more 50 EUR a year, for which mean wait goes from 1.5 to 1.25.",
    )  # fmt: skip
    unsized = found_with(rows=rows[2:])
    assert _with_price(unsized, Price(yearly=50.0, currency="EUR", words="")) is unsized


def test_what_one_more_server_brings_is_about_the_same_target():
    now = Point(place=At({"servers": 9}), judged=(judged(1.0, MEETS), judged(3.6, MEETS, target=OTHER)))
    more = Point(place=At({"servers": 10}), judged=(judged(0.5, MEETS), judged(3.2, MEETS, target=OTHER)))
    assert _next(found_with(now, more), 9.0) == ", for which mean response goes from 3.6 to 3.2"
    assert _next(found_with(now), 9.0) == ""
    assert _next(found_with(more), 9.0) == ""
    assert _next(found_with(now, Point(place=At({"servers": 10}), judged=(judged(0.5, MEETS),))), 9.0) == ""
    assert _next(found_with(Point(place=At({"servers": 9})), more), 9.0) == ""


def test_sizes_are_planned_with_what_the_subject_remarks(monkeypatch):
    plan = SizePlan(
        policy="fcfs", found=Smallest(first=9, lowest=9, checked=18),
        points={8: point(MISSES, 3.0, servers=8), 9: point(MEETS, servers=9)}, naive=8, present=9, monotone=True,
    )  # fmt: skip
    monkeypatch.setattr(answer, "plan_size", lambda *_: plan)
    asked = []

    def remark_on(policy, sizes):
        asked.append((policy, list(sizes)))
        return "More."

    given = SimpleNamespace(policies=["fcfs"], targets=(TARGET,), time_unit=None, work=7.0, remark_on=remark_on)
    found = along_servers(given, "fcfs")
    assert asked == [("fcfs", [9, 8])]
    assert (found.met, found.decided, found.remarks[-1]) == (True, True, "More.")
    assert found.points == tuple(plan.points.values())
    given.remark_on = lambda *_: ""
    assert found.remarks[:-1] == along_servers(given, "fcfs").remarks


def test_the_line_that_is_varied_is_the_one_that_is_planned(monkeypatch):
    for name in ("along_servers", "along_load", "along_cap", "along_share", "along_partition"):
        monkeypatch.setattr(answer, name, lambda _, policy, *more, name=name: (name, policy, *more))
    monkeypatch.setattr(answer, "along_policy", lambda _: "along_policy")
    given = SimpleNamespace(policies={"a": 1, "b": 2}, parts=lambda: "parts")

    def along(kind, job_class=None):
        return answer._along(given, Vary(along=kind, job_class=job_class), "amdahl:0.5")

    assert along(Along.POLICY) == ["along_policy"]
    assert along(Along.SERVERS) == [("along_servers", "a"), ("along_servers", "b")]
    assert along(Along.LOAD) == [("along_load", "a"), ("along_load", "b")]
    assert along(Along.CAP) == [("along_cap", name, Efficiency(serial=0.5)) for name in "ab"]
    assert along(Along.SHARE, "big") == [("along_share", "a", "big"), ("along_share", "b", "big")]
    assert along(Along.PARTITION) == [("along_partition", "a", "parts"), ("along_partition", "b", "parts")]
    assert answer._policies(given, Vary(along=Along.POLICY)) == ["a"]
    assert answer._policies(given, Vary(along=Along.CAP)) == ["a", "b"]
    assert answer._odds({"odds": 0.05}).count("at most 5 %") == 1


@pytest.mark.parametrize("jobs", [0, 1000])
def test_where_points_were_simulated_the_odds_are_told(monkeypatch, jobs):
    met = replace(point(MEETS, load=0.5), jobs=jobs)
    found = Found(sentence="Half of it.", rows=(), points=(met,), met=True)
    monkeypatch.setattr(answer, "_along", lambda *_: [found])
    monkeypatch.setattr(answer, "_policies", lambda *_: ["fcfs"])
    subject = SimpleNamespace(why_never=lambda: None, targets=(TARGET,), out_of_time=False)
    options = {"growth": None, "price": None, "efficiency": None}
    plan = answer.answered(subject, Vary(along=Along.LOAD), system={}, facts={"odds": 0.05}, **options)
    assert plan.provenance["jobs"] == jobs
    assert any("the odds that any verdict here is wrong are at most 5 %" in note for note in plan.notes) is (jobs > 0)
