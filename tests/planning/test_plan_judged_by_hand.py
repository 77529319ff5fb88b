"""What is known of a point: exact rows, the test's means and intervals, replays; each on numbers made up by hand."""

import importlib
import math
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas
import pytest

import msj
from msj.disciplines.fcfs import Fcfs
from msj.effort import Effort
from msj.engines.completed import Completed
from msj.executors.kept import Kept
from msj.options import Scenario
from msj.planning import exact_point, log_subject, sequential
from msj.planning import judge as judging
from msj.planning.cap import Efficiency
from msj.planning.capacity import _simulated_blame, find_capacity
from msj.planning.exact_point import (
    Exactly,
    _level,
    _mixed,
    _other_levels,
    _row,
    _usual,
    classes_of,
    exactly,
    judge_exact,
    too_much,
)
from msj.planning.judge import Judge
from msj.planning.log_subject import LogSubject, _with_efficiency
from msj.planning.odds import Odds
from msj.planning.point import Judged, Point, Verdict
from msj.planning.seen import TargetEstimate
from msj.planning.sequential import Budget, _look
from msj.planning.subject import SystemSubject, _run_time_alone
from msj.planning.target import read_target, read_targets
from msj.planning.trial import Seen, Trial, _group, values_of
from msj.planning.what_if import possible_changes, what_if
from msj.results import Quantity
from msj.results.coordinates import At
from msj.simulation.blocks import PIECES
from msj.simulation.estimates import Estimates
from msj.simulation.intervals import Variance, mean_interval, pooled, probability_interval

MEETS, MISSES, UNDECIDED = Verdict.MEETS, Verdict.MISSES, Verdict.UNDECIDED
TWO = msj.read("examples/two_servers.toml")  # needs 1 and 2, shares 2/3 and 1/3, mean durations 1 and 2
WAIT = read_target("mean wait <= 2")


def job_class(name, need, share, law):
    return msj.JobClass(name=name, need=need, share=share, duration=law)


THREE = msj.System(
    servers=4,
    arrival_rate=0.5,
    classes=[
        job_class("a", 1, 0.2, msj.Exponential(mean=1)),
        job_class("b", 2, 0.3, msj.Lognormal(mean=1, cv=1)),  # E[1/D] = (1 + cv²)/mean = 2
        job_class("c", 2, 0.5, msj.Deterministic(value=4)),
    ],
)


def quantity(value, name="mean_waiting_time", **more):
    return Quantity(name=name, value=value, kind="exact", method="by hand", **more)


@pytest.mark.parametrize(
    ("text", "row", "verdict", "limit"),
    [
        ("mean wait <= 2", quantity(2.0), MEETS, 2),
        ("mean wait <= 2", quantity(2.001), MISSES, 2),
        ("mean wait <= 2", quantity(1.95, low=1.9, high=2.0), MEETS, 2),
        ("mean wait <= 2", quantity(1.95, low=1.9, high=2.1), UNDECIDED, 2),
        ("mean wait <= 2", quantity(2.05, low=2.0, high=2.1), UNDECIDED, 2),
        ("mean wait <= 2", quantity(2.05, low=2.01, high=2.1), MISSES, 2),
        ("P(wait > 3) <= 5 %", quantity(3.0, "waiting_time_percentile", level=95.0), MEETS, 3),
        ("P(wait > 3) <= 5 %", quantity(3.1, "waiting_time_percentile", level=95.0), MISSES, 3),
        ("share waiting <= 5 %", quantity(0.06, "waiting_probability"), MISSES, 0.05),
    ],
)
def test_an_exact_row_is_compared_with_its_limit(text, row, verdict, limit):
    found = judge_exact(read_target(text), row)
    assert (found.verdict, found.limit) == (verdict, limit)


@pytest.mark.parametrize(
    ("text", "level", "usual"),
    [
        ("p95 wait <= 2", 95, 95),
        ("p94 wait <= 2", 94, None),
        ("P(wait > 3) <= 5 %", 95, 95),
        ("P(wait > 3) <= 30 %", 70, None),
        ("share waiting <= 5 %", None, None),
        ("mean wait <= 2", None, None),
    ],
)
def test_a_probability_is_judged_by_the_percentile_that_says_the_same(text, level, usual):
    target = read_target(text)
    assert (_level(target), _usual(target)) == (level if level is None else pytest.approx(level), usual)


def test_whom_a_target_is_about():
    silent = THREE.replace(classes=[*THREE.classes[:2], THREE.classes[2].replace(share=0.5),
                                    job_class("d", 2, 0, msj.Exponential(mean=1))])  # fmt: skip
    for text, names in (
        ("mean wait <= 2", "abc"), ("mean wait[class=b] <= 2", "b"), ("mean wait[need=2] <= 2", "bc"),
    ):  # fmt: skip
        assert classes_of(silent, read_target(text)) == list(names)


ROWS = (
    quantity(9.0),
    quantity(1.0, job_class="a"),
    quantity(2.0, job_class="b"),
    quantity(3.0, job_class="c"),
    quantity(20.0, "waiting_time_percentile", level=90.0),
    quantity(40.0, "waiting_time_percentile", level=95.0),
    quantity(50.0, "waiting_time_percentile", level=95.0, job_class="a"),
    quantity(60.0, "waiting_time_percentile", level=95.0, job_class="b"),
    quantity(70.0, "waiting_time_percentile", level=95.0, job_class="c"),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mean wait <= 2", 9.0),
        ("mean wait[class=b] <= 2", 2.0),
        ("mean wait[need=1] <= 2", 1.0),
        ("mean wait[need=2] <= 2", (0.3 * 2 + 0.5 * 3) / 0.8),
        ("mean response <= 2", None),
        ("mean response[need=2] <= 2", None),
        ("p95 wait <= 2", 40.0),
        ("p90 wait <= 2", 20.0),
        ("p95 wait[class=c] <= 2", 70.0),
        ("p95 wait[need=2] <= 2", None),  # a percentile of two classes is no mean of theirs
        ("p94 wait <= 2", None),
        ("P(wait > 1) <= 5 %", 40.0),
        ("mean slowdown[class=b] <= 2", 1 + 2.0 * 2),
        ("mean slowdown[class=c] <= 2", 1 + 3.0 / 4),
        ("mean slowdown[need=2] <= 2", (0.3 * 5 + 0.5 * 1.75) / 0.8),
        ("mean slowdown[class=a] <= 2", None),  # infinite
        ("mean slowdown <= 2", None),
        ("p95 slowdown[class=b] <= 2", None),
        ("mean bounded slowdown[class=b] <= 2", None),
    ],
)
def test_the_row_that_a_target_is_about(text, value):
    found = _row(THREE, ROWS, read_target(text, "hours"))
    assert (None if found is None else found.value) == (None if value is None else pytest.approx(value))


def test_a_mean_slowdown_is_one_where_nobody_waits_and_unknown_under_other_policies():
    rows = (quantity(0.0, job_class="a"), quantity(2.0, job_class="b"))
    found = _row(THREE, rows, read_target("mean slowdown[class=a] <= 2"))
    assert (found.name, found.value, found.job_class, found.low) == ("mean_slowdown", 1.0, "a", None)
    assert _row(THREE.replace(policy="first-fit"), rows, read_target("mean slowdown[class=b] <= 2")) is None
    group = _mixed(THREE, ["b", "c"], [quantity(1.0), quantity(5.0)], read_target("mean wait[need=2] <= 2"))
    assert (group.value, group.job_class) == (pytest.approx((0.3 + 2.5) / 0.8), "need 2")


def test_percentiles_that_no_table_has_are_those_of_the_law():
    """At levels that tables have, both say the same; a group of several classes has none."""
    table = msj.analyse(TWO)
    names = {
        "p95 wait <= 2": ("waiting_time_percentile", None),
        "p95 wait[class=large] <= 2": ("waiting_time_percentile", "large"),
        "p95 response[class=small] <= 2": ("response_time_percentile", "small"),
        "p95 response[need=2] <= 2": ("response_time_percentile", "large"),
    }  # fmt: skip
    asked = [*map(read_target, names), read_target("mean wait <= 2"), read_target("p95 slowdown <= 2")]
    found = _other_levels(TWO, 0.72, asked, Effort())
    assert list(found) == asked[:4]
    for row, (name, of) in zip(found.values(), names.values(), strict=True):
        assert (row.name, row.job_class, row.level) == (name, of, 95.0)
        assert row.value == pytest.approx(table[name, of, 95], rel=1e-5)
    assert _other_levels(TWO, 0.72, asked, Effort(operations=0)) == {}
    law = msj.Exponential(mean=1)
    classes = [job_class("a", 1, 0.5, law), job_class("b", 2, 0.25, law), job_class("c", 2, 0.25, law)]
    group = read_target("p94 wait[need=2] <= 2")
    assert _other_levels(msj.System(servers=2, arrival_rate=0.5, classes=classes), 0.5, [group], Effort()) == {}


def test_what_cannot_be_costs_nothing_to_know(monkeypatch):
    targets = read_targets(["mean wait <= 2", "utilisation <= 0.7"], None)
    assert exactly(TWO.replace(arrival_rate=1.0), targets, Effort()).unstable == (
        "2 servers' worth of work arrives for 2 servers"
    )
    # 0.72 · 2 servers of work for 2 servers: more than 0.7, and nothing else is looked at.
    found = exactly(TWO.replace(arrival_rate=0.72), targets, Effort())
    assert [(each.row.name, each.row.value, each.verdict) for each in found.judged] == [("utilisation", 0.72, MISSES)]
    assert (found.left, found.threshold) == ((), None)
    assert exactly(TWO.replace(arrival_rate=0.6), targets[1:], Effort()).judged[0].verdict is MEETS
    monkeypatch.setattr(exact_point, "attainable_row", lambda _: quantity(0.8, "attainable_threshold"))
    assert too_much(TWO, 0.8) == "the arrival rate 0.8 is not below 0.8, which no policy can exceed"
    assert too_much(TWO, 0.79) == ""
    monkeypatch.setattr(exact_point, "_threshold", lambda *_: 0.6)
    at = exactly(TWO.replace(arrival_rate=0.6), targets[:1], Effort())
    assert at == Exactly(unstable="the arrival rate 0.6 is not below the stability threshold 0.6")
    monkeypatch.setattr(exact_point, "_values", lambda *_: {targets[0]: quantity(1.5)})
    more = (*targets, read_target("p95 slowdown <= 9"))
    below = exactly(TWO.replace(arrival_rate=0.59), more, Effort())
    assert [each.row.value for each in below.judged] == [pytest.approx(0.59), 1.5]
    assert (below.threshold, below.left) == (0.6, more[2:])
    monkeypatch.setattr(exact_point, "_threshold", lambda *_: None)
    unknown = exactly(TWO.replace(arrival_rate=0.59), more, Effort())
    assert (unknown.threshold, unknown.left, len(unknown.judged)) == (None, (targets[0], more[2]), 1)


def judge(monkeypatch, known, tested=None, *, targets=(WAIT,), effort=None, kept=None):
    asked = []
    monkeypatch.setattr(judging, "exactly", lambda *_: known)

    def simulate(system, left, **options):
        asked.append((left, options))
        return tested

    monkeypatch.setattr(judging, "simulate_point", simulate)
    made = Judge(
        targets=targets, effort=effort or Effort(), root=np.random.SeedSequence(1), odds=Odds(0.08),
        budget=Budget(jobs=1000), kept=kept or Kept(),
    )  # fmt: skip
    return made, asked


def judged(value, verdict, target=WAIT, kind="exact"):
    row = Quantity(name=target.name, value=value, kind=kind, method="by hand")
    return Judged(target=target, row=row, limit=target.limit, verdict=verdict)


def test_what_is_known_exactly_is_not_simulated(monkeypatch):
    other = read_target("mean response <= 4")
    for known in (
        Exactly(unstable="it grows", left=(other,)),
        Exactly(judged=(judged(3.0, MISSES),), left=(other,)),
        Exactly(judged=(judged(1.0, MEETS),)),
        Exactly(judged=(judged(1.0, UNDECIDED),)),
    ):
        made, asked = judge(monkeypatch, known, targets=(WAIT, other))
        found = made.point(TWO, {"servers": 2})
        assert (found.judged, found.unstable, found.jobs, asked) == (known.judged, known.unstable, 0, [])
        assert len(made.kept.answers) == 1


def test_what_is_left_is_simulated_once_and_kept(monkeypatch):
    other = read_target("mean response <= 4")
    tested = sequential.Tested(judged=(judged(3.0, MEETS, other, "simulated"),), jobs=640, note="a note")
    told = []
    effort = Effort(progress=lambda progress: told.append((progress.done, progress.words)))
    known = Exactly(judged=(judged(1.0, MEETS),), left=(other,), threshold=0.9)
    kept = Kept()
    made, asked = judge(monkeypatch, known, tested, targets=(WAIT, other), effort=effort, kept=kept)
    found = made.point(TWO, {"servers": 2})
    assert found == Point(place=At({"servers": 2}), judged=(*known.judged, *tested.judged), jobs=640, note="a note")
    assert made.point(TWO, {"servers": 2}) is found
    ((left, options),) = asked
    assert (left, options["threshold"], options["budget"]) == ((other,), 0.9, Budget(jobs=1000))
    assert options["odds"].share == pytest.approx(0.08 / 16 / 2)  # the first point, of two targets
    made.point(TWO, {"servers": 3})
    assert told == [(0.0, str(At({"servers": 2}))), (1 / 16, str(At({"servers": 3})))]
    for servers in range(4, 40):
        made.point(TWO, {"servers": servers})
    assert told[-1][0] == 0.95
    # Another run finds it there, and spends the same odds on what it has to ask.
    again, more = judge(monkeypatch, known, tested, targets=(WAIT, other), kept=kept)
    assert (again.point(TWO, {"servers": 2}), more, again.odds.asked) == (found, [], 1)
    assert again.about((WAIT, other)) is again
    fewer = again.about((other,))
    assert (fewer.targets, fewer.odds, fewer.kept) == ((other,), again.odds, again.kept)


def test_a_point_for_which_there_was_no_time_is_not_kept(monkeypatch):
    known = Exactly(left=(WAIT,))
    late = sequential.Tested(judged=(judged(1.0, UNDECIDED, kind="simulated"),), out_of_time=True)
    made, _ = judge(monkeypatch, known, late)
    assert not made.out_of_time
    made.point(TWO, {"servers": 2})
    assert (made.out_of_time, made.kept.answers) == (True, {})
    sure = sequential.Tested(judged=(judged(3.0, MISSES, kind="simulated"),), out_of_time=True)
    made, _ = judge(monkeypatch, known, sure)
    made.point(TWO, {"servers": 2})
    assert (made.out_of_time, len(made.kept.answers)) == (False, 1)
    made, asked = judge(monkeypatch, known, late, effort=Effort(cancel=lambda: True))
    assert made.point(TWO, {"servers": 2}).note == "there was no time for it"
    assert (made.out_of_time, asked) == (True, [])


def subject(system, *texts, policy="fcfs"):
    asked = []
    targets = tuple(read_target(text, system.time_unit) for text in texts or ["mean wait <= 2"])
    judge = SimpleNamespace(
        targets=targets, point=lambda system, place: asked.append((system, place)), out_of_time=False,
        about=lambda own: SimpleNamespace(targets=own),
    )  # fmt: skip
    return SystemSubject(system, {policy: system.replace(policy=policy).policy}, judge), asked


@pytest.mark.parametrize(("rate", "naive"), [(0.3, 2), (0.72, 2), (0.999, 2), (1.0, 3), (1.6, 4)])
def test_counting_server_hours_leaves_room_for_the_work_and_the_largest_job(rate, naive):
    found, _ = subject(TWO.replace(arrival_rate=rate))  # 2 servers of work a job; the largest needs 2
    assert (found.work, found.naive_servers, found.least_servers) == (pytest.approx(2 * rate), naive, naive)


def test_a_point_says_where_it_stands():
    found, asked = subject(TWO.replace(arrival_rate=0.5))
    found.at_load("fcfs", 1.5)
    found.at_servers("fcfs", 7)
    found.at_share("fcfs", "large", 0.25)
    found.at_cap("fcfs", 1, Efficiency())
    systems, places = zip(*asked, strict=True)
    assert places == (
        {"policy": "fcfs", "arrival_rate": 0.75},
        {"policy": "fcfs", "servers": 7},
        {"policy": "fcfs", "of_class": "large", "class_share": 0.25},
        {"policy": "fcfs", "largest_need": 1},
    )
    assert (systems[0].arrival_rate, systems[1].servers, float(systems[2].classes[1].share)) == (0.75, 7, 0.25)
    assert [c.need for c in systems[3].classes] == [1, 1]
    found.part = "needs up to 1"
    found.at_servers("fcfs", 7)
    assert asked[-1][1] == {"policy": "fcfs", "servers": 7, "cluster": "needs up to 1"}


def test_a_policy_for_powers_of_two_is_planned_in_those():
    filling, _ = subject(TWO.replace(arrival_rate=0.5), policy="server-filling")
    assert [filling.next_size("server-filling", n) for n in (2, 3, 5, 8, 9)] == [2, 4, 8, 8, 16]
    assert (filling.monotone("server-filling"), subject(TWO.replace(arrival_rate=0.5))[0].monotone("fcfs")) == (
        False,
        True,
    )


def test_partitions_have_their_own_jobs_and_targets():
    texts = ["mean wait <= 2", "mean wait[class=b] <= 3", "mean wait[need=1] <= 4", "mean wait[need=8] <= 5"]
    classes = [*THREE.classes[:2], job_class("c", 8, 0.5, msj.Exponential(mean=1))]
    found, _ = subject(THREE.replace(servers=16, classes=classes), *texts)
    parts = found.parts()
    assert list(parts) == [1, 2]
    small, large = parts[2]
    assert (small.system.servers, large.system.servers) == (2, 8)
    assert (small.rate, large.rate) == (pytest.approx(0.25), pytest.approx(0.25))
    assert [(c.name, float(c.share)) for c in small.system.classes] == [("a", 0.4), ("b", 0.6)]
    assert [each.limit for each in small.targets] == [2, 3, 4]
    assert [each.limit for each in large.targets] == [2, 5]
    assert (small.part, large.part) == ("needs up to 2", "needs above 2")
    assert parts[1][1].rate == pytest.approx(0.4)
    with pytest.raises(msj.NotSupported, match="all jobs need 2 servers"):
        subject(THREE.replace(classes=[THREE.classes[1].replace(share=1)]))[0].parts()


FIXED = msj.System(
    servers=4,
    arrival_rate=0.1,
    classes=[
        job_class("a", 1, 0.2, msj.Deterministic(value=1)),
        job_class("b", 2, 0.2, msj.Deterministic(value=2)),
        job_class("c", 2, 0.6, msj.Deterministic(value=4)),
    ],
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mean response <= 3", "the mean run time alone is 3"),  # 0.2 · 1 + 0.2 · 2 + 0.6 · 4
        ("mean response <= 3.01", ""),
        ("mean response[need=2] <= 3.49", "the mean run time alone is 3.5"),  # a quarter and three quarters
        ("mean response[need=2] <= 3.51", ""),
        ("mean wait <= 0.1", ""),
        # 60 % run for longer than 3; five standard errors of 100,000 durations are 0.77 %.
        ("p50 response <= 3", "60.0% of the run times alone exceed 3"),
        ("p40.9 response <= 3", "60.0% of the run times alone exceed 3"),
        ("p40.6 response <= 3", ""),
        ("p50 response <= 4", ""),
        ("P(response[need=2] > 3) <= 70 %", "75.0% of the run times alone exceed 3"),
        ("mean slowdown <= 0.99", "nobody leaves sooner than alone, so no slowdown is below 1"),
        ("mean slowdown <= 1", ""),
        ("p90 bounded slowdown <= 0.9", "nobody leaves sooner than alone, so no slowdown is below 1"),
    ],
)
def test_run_times_alone_may_exceed_a_target(text, reason):
    assert _run_time_alone(FIXED, read_target(text)) == reason
    found, _ = subject(FIXED, "mean wait <= 1", text)
    assert found.why_never() == (
        f"{read_target(text).words(None)} cannot be met by any size: {reason}" if reason else ""
    )


def completed(**columns):
    count = len(columns["arrival"])
    given = {"number": np.arange(count), "job_class": [0] * count, "need": [1] * count, "preemptions": None, **columns}
    return Completed(**{name: None if each is None else np.array(each) for name, each in given.items()})


JOBS = completed(
    arrival=[0.0, 1.0, 2.0, 3.0], duration=[4.0, 0.5, 2.0, 0.1], start=[0.0, 3.0, 2.5, 3.0],
    finish=[4.0, 3.5, 6.5, 3.1], need=[1, 2, 2, 1], job_class=[0, 1, 2, 0],
)  # fmt: skip


def test_what_is_measured_of_each_job():
    measures = {name: read_target(f"mean {name} <= 2", "minutes").measure for name in
                ("wait", "response", "slowdown", "bounded slowdown")}  # fmt: skip

    def values(name, jobs=JOBS, unit=None):
        return values_of(measures[name], jobs, unit).tolist()

    assert values("wait") == [0, 2, 0.5, 0]
    assert values("response") == pytest.approx([4, 2.5, 4.5, 0.1])
    assert values("slowdown") == pytest.approx([1, 5, 2.25, 1])
    # Ten seconds are a sixth of a minute: the last job counts as that long, and as 1 at least.
    assert values("bounded slowdown", unit="minutes") == pytest.approx([1, 5, 2.25, 1])
    assert values("bounded slowdown", unit="seconds") == pytest.approx([1, 1, 1, 1])
    stopped = completed(**{**{name: getattr(JOBS, name) for name in ("arrival", "duration", "start", "finish")},
                           "preemptions": [0, 0, 1, 1]})  # fmt: skip
    assert values("wait", stopped) == pytest.approx([0, 2, 2.5, 0])  # a stopped job also waits later: 4.5 less 2


def test_jobs_of_a_block_are_summed_by_piece_for_each_target():
    given, pieces = SimpleNamespace(system=THREE), np.array([0, 0, 1, 7])

    def seen(text):
        found = Trial._seen(given, read_target(text), JOBS, pieces)
        assert len(found.sums) == len(found.jobs) == PIECES
        return found.sums[[0, 1, 7]].tolist(), found.jobs[[0, 1, 7]].tolist(), found.values.tolist()

    assert seen("mean wait <= 2") == ([2, 0.5, 0], [2, 1, 1], [])
    assert seen("mean response <= 2") == ([2, 0.5, 0], [2, 1, 1], [])  # judged by the wait
    assert seen("mean wait[need=2] <= 2") == ([2, 0.5, 0], [1, 1, 0], [])
    assert seen("mean wait[class=c] <= 2") == ([0, 0.5, 0], [0, 1, 0], [])
    assert seen("P(response > 2.5) <= 50 %") == ([1, 1, 0], [2, 1, 1], [])
    assert seen("p50 wait <= 0.5") == ([1, 0, 0], [2, 1, 1], [0, 2, 0.5, 0])
    assert _group(read_target("mean wait <= 2"), THREE, JOBS) is None


@pytest.mark.parametrize(("rate", "jobs"), [(0.1, 100_000), (0.6, 100_000), (0.6, 777_777), (0.88, 4_000_000)])
def test_first_blocks_are_long_enough_and_the_last_analysis_uses_the_jobs_allowed(rate, jobs):
    trial = Trial(system=THREE.replace(arrival_rate=rate), seed=1, most_jobs=jobs)
    assert trial.piece >= 250
    assert trial.jobs_at(32) <= max(jobs / 8, 100_000)
    assert any(0.98 * jobs < trial.jobs_at(blocks) <= jobs for blocks in range(32, 200, 8))


@pytest.mark.parametrize(
    ("memory", "index", "most"),
    [(3.0, 0, 150), (1.0, 0, 80), (1e9, 0, 1_000_000), (3.0, 32, 160)],  # fifty memories; as many as counted; the limit
)
def test_how_many_jobs_may_follow_a_block(monkeypatch, memory, index, most):
    """Eight pieces of 10 jobs, twice as long from block 32 on."""
    follow = Mock(side_effect=KeyboardInterrupt)
    one = SimpleNamespace(advance=lambda *_, **__: None, follow=follow)
    monkeypatch.setattr(importlib.import_module("msj.planning.trial"), "new_replication", lambda *_, **__: one)
    question = SimpleNamespace(rate=0.5, root=np.random.SeedSequence(1), controls=None)
    given = SimpleNamespace(
        system=None, question=question, warm_up=lambda _: 7, piece=10, pace=SimpleNamespace(memory=memory)
    )
    with pytest.raises(KeyboardInterrupt):
        Trial.trial(given, index, lambda: False)
    assert follow.call_args.args == (8, most)


def estimate(text, sums=(40.0, 80.0), counts=(60.0, 60.0), *, system=THREE, values=(), **more):
    """What two batches say of a target; the whole of each is in its first piece."""
    found = object.__new__(TargetEstimate)
    found.target = read_target(text, "hours" if "bounded" in text else None)
    found.of = classes_of(system, found.target)
    pieces = np.zeros((2, 2, PIECES))
    pieces[:, :, 0] = sums, counts
    given = {
        "system": system, "rate": 0.5, "simulated": 64_000, "sure": True, "forgets": True,
        "sums": pieces[0].ravel(), "counts": pieces[1].ravel(), "values": np.array(values, dtype=float),
        "reading": SimpleNamespace(memories=40.0, batches=[0, 1], pace=SimpleNamespace(memory=3.0), no_variance=None),
        "controlled": lambda group, name, theory: ("controlled", group.name, name, theory),
        "theory": lambda group, column: (group.name, column),
    } | more  # fmt: skip
    vars(found).update(given)
    return found


def test_blocks_of_a_batch_are_put_together_piece_by_piece(monkeypatch):
    """Two blocks make the first batch: pieces of 0 and 1, 2 and 3 ... of both after each other; one the second."""
    begun = []
    monkeypatch.setattr(Estimates, "__init__", lambda self, *given, **named: begun.append((given, named)))
    seen = [Seen(sums=np.arange(8.0) + 100 * i, jobs=np.full(8, i + 1.0), values=np.array([5.0 * i])) for i in range(3)]
    found = TargetEstimate("system", target=WAIT, of=["a"], seen=seen, groups=[[4, 5], [9]], jobs=640, controls=None)
    assert begun == [(("system",), {"controls": None})]
    assert found.series("target", None, pieces=True).tolist() == [1, 5, 9, 13, 201, 205, 209, 213, *range(200, 208)]
    assert found.series("jobs", None, pieces=True).tolist() == [2] * 4 + [4] * 4 + [3] * 8
    assert found.series("target", None).tolist() == [856, 1628]
    assert found.series("jobs", None).tolist() == [24, 24]
    assert (found.values.tolist(), found.simulated, found.of) == ([0, 5, 10], 640, ["a"])


@pytest.mark.parametrize(
    ("text", "more", "found"),
    [
        ("mean wait <= 2", {}, ("controlled", None, "target", (None, "waiting"))),
        ("mean response <= 2", {}, ("controlled", None, "target", (None, "waiting"))),
        ("mean wait[class=a] <= 2", {}, ("controlled", "a", "target", ("a", "waiting"))),
        ("mean wait[class=b] <= 2", {}, ("controlled", "b", "target", ("b", "waiting"))),
        ("mean wait[need=2] <= 2", {}, ("controlled", None, "target", None)),
        ("mean slowdown[class=c] <= 2", {}, ("controlled", "c", "target", None)),
        ("mean slowdown[class=a] <= 2", {}, (1.0, None)),  # E[1/D²] is infinite
        ("mean slowdown <= 2", {}, (1.0, None)),  # as it is for all then
        ("mean wait <= 2", {"forgets": False}, (1.0, None)),
        ("mean wait <= 2", {"counts": (120.0, 0.0)}, (1.0, None)),
        ("mean wait <= 2", {"counts": (50.0, 50.0)}, ("controlled", None, "target", (None, "waiting"))),
        ("mean wait <= 2", {"sums": (0.0, 0.0)}, (0.0, None)),
        ("p95 wait <= 2", {"sums": (40.0, 0.0)}, ("controlled", None, "target", None)),  # a third of 30: no longer rare
    ],
)
def test_which_mean_and_variance_a_target_has(text, more, found):
    assert estimate(text, **more)._estimate == found


def test_few_jobs_say_nothing_and_endless_variances_have_no_interval():
    value, variance = estimate("mean wait <= 2", counts=(50.0, 49.0))._estimate
    assert (math.isnan(value), variance) == (True, None)
    endless = SimpleNamespace(memories=40.0, no_variance="endless")
    assert estimate("mean wait <= 2", reading=endless)._estimate == (1.0, None)
    shared = THREE.replace(policy="first-fit")
    assert estimate("mean response <= 2", system=shared)._estimate[3] == (None, "waiting")


def test_an_indicator_that_is_hardly_ever_one():
    """40 memories and 120 jobs are 30 independent observations; 60 degrees of freedom are those of theory."""
    assert estimate("p95 wait <= 2", (0.0, 0.0))._estimate == (0.0, Variance(pytest.approx(1 / 30), 61))
    found = estimate("p95 wait <= 2", (6.0, 18.0))._estimate
    # A fifth of them: six seen. Theory: 0.8/6; the batches: residuals of ∓ 6, 2 · 72/24² = 0.25.
    assert found == (0.2, pooled(pytest.approx(0.25).expected, 2, 0.8 / 6))


def test_intervals_hold_at_the_odds_asked_for():
    variance = Variance(0.04, 30)
    plain = estimate("mean wait <= 2", _estimate=(1.5, variance))
    assert plain.interval(0.01) == pytest.approx(mean_interval(1.5, variance, 0.99))
    counted = estimate("p95 wait <= 2", _estimate=(0.1, variance))
    assert counted.interval(0.01) == pytest.approx(probability_interval(0.1, variance, 0.99))
    assert estimate("mean wait <= 2", _estimate=(1.5, None)).interval(0.01) is None
    # A mean response time is the wait and what is known: 0.2 · 1 + 0.3 · 1 + 0.5 · 4 = 2.5; of b and c 2.3/0.8.
    stay = estimate("mean response <= 2", _estimate=(1.5, variance))
    assert stay.interval(0.01) == pytest.approx([2.5 + end for end in mean_interval(1.5, variance, 0.99)])
    assert estimate("mean response[need=2] <= 2").known_part == pytest.approx(2.3 / 0.8)
    assert plain.known_part == 0


def test_where_nobody_waited_so_few_do_and_no_longer_than_the_memory():
    """At most 3 jobs of memory at a rate of 0.5: six units of time; 40 memories saw nobody."""
    most = 6 * probability_interval(0.0, Variance(1 / 40, 61), 0.99)[1]
    nobody = estimate("mean wait <= 2", (0.0, 0.0))
    assert nobody.interval(0.01) == pytest.approx((0, most))
    assert estimate("mean response <= 2", (0.0, 0.0)).interval(0.01) == pytest.approx((2.5, 2.5 + most))
    assert estimate("mean wait <= 2", (0.0, 0.0), sure=False).interval(0.01) is None
    assert estimate("mean slowdown[class=c] <= 2", (0.0, 0.0)).interval(0.01) is None


@pytest.mark.parametrize(
    ("ends", "sure", "may_meet", "verdict"),
    [
        ((2.01, 3.0), True, True, MISSES),
        ((2.01, 3.0), False, False, MISSES),
        ((2.0, 3.0), True, True, UNDECIDED),
        ((1.0, 2.01), True, True, UNDECIDED),
        ((1.0, 2.0), True, True, MEETS),
        ((1.0, 2.0), False, True, UNDECIDED),
        ((1.0, 2.0), True, False, UNDECIDED),
        (None, True, True, UNDECIDED),
    ],
)
def test_a_verdict_needs_the_whole_interval(ends, sure, may_meet, verdict):
    asked = []

    def interval(odds):
        asked.append(odds)
        return ends

    found = estimate("mean wait[class=b] <= 2", interval=interval, sure=sure, _estimate=(1.5, None))
    got = found.judged(0.01, may_meet=may_meet)
    assert (got.verdict, got.limit, asked[0]) == (verdict, 2.0, 0.01)
    row = got.row
    assert (row.name, row.value, row.kind, row.job_class) == ("mean_waiting_time", 1.5, "simulated", "b")
    assert row.method == "simulation of fcfs, 64,000 jobs"
    if ends is None or not sure:
        assert (row.low, row.high) == (None, None)
    else:  # the usual 95 %, and never without the value itself
        assert (row.low, row.high) == (min(ends[0], 1.5), ends[1])
        assert asked[1] == pytest.approx(0.025)


def test_a_verdict_meets_at_once_if_nobody_says_otherwise():
    found = estimate("mean wait <= 2", interval=lambda _: (1.0, 1.2), _estimate=(1.5, None))
    assert found.judged(0.01).verdict is MEETS
    assert (found.row().low, found.row().high) == (1.0, 1.5)


def test_a_percentile_is_shown_between_those_of_uncertain_levels():
    """Two batches of 100 jobs that waited 1 to 100 and 51 to 150: beyond the 90th percentile are only late ones."""
    values = [*range(1, 101), *range(51, 151)]
    found = estimate("p90 wait <= 2", counts=(100.0, 100.0), values=values)
    value, low, high = found._percentile()
    assert value == pytest.approx(np.percentile(values, 90))
    beyond = [sum(each > value for each in values[:100]), sum(each > value for each in values[100:])]
    spread = np.std(np.array(beyond) - np.mean(beyond), ddof=1) * math.sqrt(2) / sum(beyond)
    ends = probability_interval(0.1, Variance(spread**2, 1))
    levels = [100 * max(1 - ends[1], 0), 100 * min(1 - ends[0], 1)]
    assert (low, high) == pytest.approx([np.percentile(values, level) for level in levels])
    assert low < value < high
    assert found.row().level == 90
    for more in ({"sure": False}, {"forgets": False}, {"counts": (0.0, 200.0)}):
        other = estimate("p90 wait <= 2", **{"counts": (100.0, 100.0), "values": values, **more})
        assert other._percentile() == (value, None, None)
    same = estimate("p90 wait <= 2", counts=(100.0, 100.0), values=[5.0] * 200)
    assert same._percentile() == (5.0, None, None)  # none is beyond
    rare = estimate("p90 wait <= 2", counts=(200.0, 0.0), values=range(200))
    assert rare._percentile() == (pytest.approx(179.1), None, None)  # a batch without any of these jobs
    assert estimate("p50 wait <= 2", counts=(50.0, 50.0), values=range(100))._percentile()[0] == 49.5
    assert math.isnan(estimate("p50 wait <= 2", counts=(50.0, 49.0), values=range(99))._percentile()[0])


def test_a_queue_that_grows_is_told_by_how_much():
    looks = SimpleNamespace(standings=[SimpleNamespace(growth=0.123456, jobs=6400)])
    assert _look(THREE, (WAIT,), looks, [], None) == sequential.Tested(
        unstable="the queue grows by about 0.1235 jobs per unit of time", jobs=6400
    )


def trace(estimate=math.nan):
    frame = pandas.DataFrame({
        "submit": [0.0, 10.0, 20.0, 100.0, 100.0], "wait": math.nan, "run": [30.0, 20.0, 5.0, 40.0, 0.0],
        "need": [2, 4, 1, 2, 1], "estimate": estimate,
    })  # fmt: skip
    return msj.Trace(frame=frame.astype({"wait": float, "estimate": float}), servers=4)


def log(*texts, servers=4, effort=None, **more):
    targets = tuple(read_target(text, "seconds") for text in texts or ["mean wait <= 10 s"])
    return LogSubject(
        trace(**more), servers, {"fcfs": Fcfs()}, targets, Scenario(), effort or Effort(), np.random.SeedSequence(1)
    )


@pytest.mark.parametrize(
    ("text", "value", "verdict"),
    [
        # Starts by hand: 0, 30 (after the first), 50, 100, 100; waits of 0, 20, 30, 0 and 0.
        ("mean wait <= 10 s", 10, MEETS),
        ("mean wait <= 9.99 s", 10, MISSES),
        ("mean wait[need=1] <= 15 s", 15, MEETS),
        ("mean wait[need=4] <= 15 s", 20, MISSES),
        ("p75 wait <= 15 s", 20, MISSES),
        ("P(wait > 20 s) <= 20 %", 0.2, MEETS),
        ("share waiting <= 30 %", 0.4, MISSES),
        ("mean response <= 30 s", 29, MEETS),
        ("mean slowdown <= 3", 2.75, MEETS),  # 1, 2, 7 and 1; the job of no length has none
        ("utilisation <= 0.41", 225 / (4 * 140), MEETS),
    ],
)
def test_what_a_replay_of_five_jobs_measures(text, value, verdict):
    found = log(text).at_servers("fcfs", 4)
    (one,) = found.judged
    assert (one.row.value, one.verdict) == (pytest.approx(value), verdict)
    assert (one.row.method, one.row.kind) == ("replay of 5 jobs", "replayed")


def test_a_log_as_what_is_planned():
    found = log()
    assert (found.work, found.needs, found.least_servers) == (pytest.approx(2.25), [1, 2, 4], 4)
    assert dict(found.at_load("fcfs", 2.0).place) == {"policy": "fcfs", "utilisation": pytest.approx(1.125)}
    assert dict(found.at_cap("fcfs", 2, Efficiency()).place) == {"policy": "fcfs", "largest_need": 2}
    assert (found.monotone("fcfs"), found.out_of_time) == (True, False)
    assert found.at_servers("fcfs", 4) is found.at_servers("fcfs", 4)
    late = log(effort=Effort(cancel=lambda: True))
    assert (late.at_servers("fcfs", 4).note, late.out_of_time) == ("there was no time for it", True)
    assert late.remark_on("fcfs", [4]) == ""
    told = []
    watched = log(effort=Effort(progress=lambda progress: told.append(progress.done)))
    for servers in range(4, 24):
        watched.at_servers("fcfs", servers)
    assert told == [min(number / 16, 0.95) for number in range(20)]


def test_submissions_are_moved_by_up_to_a_minute(monkeypatch):
    loose, tight = log("mean wait <= 1000 s", estimate=50.0), log("mean wait <= 1e-9 s")
    assert (loose.shaken("fcfs", 4, 3), tight.shaken("fcfs", 4, 3)) == (3, 0)
    served, replay = [], log_subject.replay_jobs

    def replay_jobs(jobs, **options):
        served.append(jobs.jobs)
        return replay(jobs, **options)

    monkeypatch.setattr(log_subject, "replay_jobs", replay_jobs)
    assert loose.remark_on("fcfs", [4, 1200]) == (
        "Of 10 replays with submissions moved by up to a minute, 10 meet the targets with 4 servers and 10 meet the "
        "targets with 1,200 servers."
    )
    assert len(served) == 20
    given = {(2, 30.0): 0.0, (4, 20.0): 10.0, (1, 5.0): 20.0, (2, 40.0): 100.0, (1, 0.0): 100.0}
    moved = []
    for jobs in served[:10]:
        assert np.all(np.diff(jobs.arrival) >= 0)
        assert set(jobs.estimate) == {50.0}
        pairs = list(zip(jobs.need.tolist(), jobs.duration.tolist(), strict=True))
        assert sorted(pairs) == sorted(given)
        moved += [at - given[pair] for at, pair in zip(jobs.arrival, pairs, strict=True)]
        assert jobs.arrival[0] >= 0
    assert -60 <= min(moved) < -40 < 40 < max(moved) <= 60
    assert [list(jobs.arrival) for jobs in served[:10]] == [list(jobs.arrival) for jobs in served[10:]]
    assert len({tuple(jobs.arrival) for jobs in served}) == 10


def test_a_capped_job_of_a_log_runs_longer_and_is_estimated_longer():
    given = log(estimate=50.0)._given
    linear = _with_efficiency(given, 2, Efficiency()).jobs.jobs
    assert linear.need.tolist() == [2, 2, 1, 2, 1]
    assert linear.duration == pytest.approx([30, 40, 5, 40, 0])
    assert linear.estimate == pytest.approx([50, 100, 50, 50, 50])
    # Half serial: on 4 servers 1.6 times as fast as on one, on 2 servers 4/3 times; 1.2 times as long.
    half = _with_efficiency(given, 2, Efficiency(serial=0.5)).jobs.jobs
    assert half.duration == pytest.approx([30, 24, 5, 40, 0])
    assert _with_efficiency(log()._given, 2, Efficiency()).jobs.jobs.estimate is None


def test_the_blame_of_a_simulated_line_is_not_negative():
    line = SimpleNamespace(jobs=21_000, idle_by_class=((0.3, 0.1), (0.05, 0.1)))
    rows = _simulated_blame(TWO, line)
    assert [(row.job_class, row.value) for row in rows] == [("small", 0.3), ("large", 0.05)]
    assert [(row.low, row.high) for row in rows] == [pytest.approx((0.2, 0.4)), pytest.approx((0.0, 0.15))]
    assert rows[0].method == "saturated line, 21,000 jobs, by the class at the head of the line"
    assert find_capacity(TWO, blame=False).blocked_servers == ()


def words_of(servers, *classes):
    made = [job_class(name, need, share, msj.Exponential(mean=mean)) for name, need, share, mean in classes]
    return [change.words for change in possible_changes(msj.System(servers=servers, classes=made))]


def test_changes_worth_looking_at():
    assert words_of(7, ("a", 1, 0.55, 1), ("b", 7, 0.45, 1)) == [
        "one more server (8)", "no job above 3 servers", "no job above 1 server",
        "half as many 'b' jobs (22.5 % instead of 45 %)", "twice as many 'b' jobs (90 % instead of 45 %)",
    ]  # fmt: skip
    # Two caps at most; more than nine tenths are too many; of equal needs the class with more work.
    assert words_of(4000, ("a", 2, 0.2, 1), ("b", 8, 0.34, 1), ("c", 16, 0.23, 4), ("d", 16, 0.23, 5)) == [
        "one more server (4,001)", "1,000 more servers (5,000)", "no job above 8 servers", "no job above 2 servers",
        "half as many 'd' jobs (11.5 % instead of 23 %)", "twice as many 'd' jobs (46 % instead of 23 %)",
    ]  # fmt: skip
    assert words_of(8, ("a", 1, 0.54, 1), ("b", 2, 0.46, 1)) == [
        "one more server (9)", "2 more servers (10)", "no job above 1 server",
        "half as many 'b' jobs (23 % instead of 46 %)",
    ]  # fmt: skip


def test_what_a_changed_cluster_takes_is_asked_without_what_takes_long(monkeypatch):
    changing, asked = importlib.import_module("msj.planning.what_if"), []
    row = Quantity(name="stability_threshold", value=1.1, kind="exact", method="by hand")
    found = changing.Capacity(
        stability_threshold=row, naive_threshold=row, wasted_servers=row, saturated_utilisation=row
    )
    monkeypatch.setattr(changing, "find_threshold", lambda *given, **more: asked.append((given, more)) or found)
    assert changing._capacity(TWO, "effort", "root") == found
    assert asked == [((TWO, "effort", "root"), {"completions": False, "bracket": False})]


def test_a_change_is_exact_where_it_can_be_and_unstable_at_its_threshold(monkeypatch):
    change = possible_changes(TWO)[0]
    changing = importlib.import_module("msj.planning.what_if")
    monkeypatch.setattr(changing, "_capacity", lambda *_: SimpleNamespace(highest=1.2, value=1.1))
    at = what_if(change, 1.2)
    assert (at.stable, at.mean_response_time, at.difference, at.arrival_rate) == (False, None, None, 1.2)
    stay = Quantity(name="mean_response_time", value=3.0, kind="exact", method="by hand")
    monkeypatch.setattr(changing, "exact_response", lambda *_, **__: SimpleNamespace(find=lambda name: stay))
    below = what_if(change, 1.19, before=stay.replace(value=5.5))
    assert (below.stable, below.mean_response_time, below.difference.value) == (True, stay, -2.5)
    assert below.difference.name == "mean_response_time_difference"
    assert what_if(change, 1.19).difference is None
    assert what_if(change, 1.19, before=stay.replace(value=5.5, kind="simulated")).difference is None
