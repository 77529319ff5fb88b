"""Plans that are simulated: the test against exact values, its odds, what is kept, what is left open."""

import math

import numpy as np
import pytest

import msj
from msj.effort import Effort
from msj.planning import sequential
from msj.planning.odds import Odds
from msj.planning.point import Verdict
from msj.planning.sequential import Budget, simulate_point
from msj.planning.target import read_targets
from msj.planning.trial import Trial
from msj.simulation.question import Known

SMALL = msj.System(
    servers=3,
    arrival_rate=0.9,
    classes=[
        msj.JobClass(name="a", need=1, share="2/3", duration=msj.Exponential(mean=1)),
        msj.JobClass(name="b", need=2, share="1/3", duration=msj.Exponential(mean=1)),
    ],
)
FIRST_FIT = SMALL.replace(policy="first-fit")


def judged_by_test(texts, system=SMALL, *, odds=0.05, jobs=100_000, seed=1):
    targets = read_targets(texts, system.time_unit, classes=["a", "b"], needs=[1, 2])
    share = Odds(odds).next_point(len(targets))
    root = np.random.SeedSequence(seed)
    return simulate_point(
        system, targets, threshold=None, effort=Effort(), root=root, odds=share, budget=Budget(jobs=jobs)
    )


def test_what_the_test_sees_are_the_exact_values():
    exact = msj.analyse(SMALL)
    texts = {
        "p95 wait <= 0.1": exact["waiting_time_percentile", None, 95],
        "p90 response[class=b] <= 0.1": exact["response_time_percentile", "b", 90],
        "mean wait[need=2] <= 0.01": exact["mean_waiting_time", "b"],
        "mean response <= 1.01": exact["mean_response_time"],
        "share waiting <= 1 %": exact["waiting_probability"],
    }
    found = judged_by_test(list(texts))
    assert {each.verdict for each in found.judged} == {Verdict.MISSES}
    for judged, value in zip(found.judged, texts.values(), strict=True):
        assert judged.row.value == pytest.approx(value, rel=0.1)
        assert judged.row.low - 0.05 * value < value < judged.row.high + 0.05 * value
    p95 = texts["p95 wait <= 0.1"]
    share = judged_by_test([f"P(wait > {p95}) <= 50 %"]).judged[0]
    assert share.verdict is Verdict.MEETS
    assert share.row.value == pytest.approx(0.05, abs=0.01)


def test_the_odds_of_all_verdicts_add_up_to_less_than_the_whole():
    for targets in (1, 3):
        odds = Odds(0.05)
        points = [odds.next_point(targets) for _ in range(300)]
        spent = sum(targets * point.at_look(look) for point in points for look in range(1, 100))
        assert 0.045 < spent < 0.05


def test_a_mean_at_its_limit_stays_open():
    mean = msj.analyse(SMALL)["mean_waiting_time"]
    assert judged_by_test([f"mean wait <= {mean!r}"]).judged[0].verdict is Verdict.UNDECIDED


def test_an_overloaded_cluster_never_meets_a_target_however_loose():
    crowded = FIRST_FIT.replace(arrival_rate=2.4)  # the work alone takes 3.2 servers of 3
    found = msj.plan(crowded, targets="mean wait <= 1000000", seed=1, jobs=60_000)
    assert found.at(servers=3)["meets_targets"] == 0
    full = judged_by_test(
        ["mean wait <= 1000000"], FIRST_FIT.replace(arrival_rate=2.2)
    )  # 2.93 of 3: not soon forgotten
    assert full.unstable or full.judged[0].verdict is not Verdict.MEETS


def test_points_are_kept_and_a_plan_goes_on_where_it_was_and_cores_do_not_matter(tmp_path, monkeypatch):
    asked = {"targets": "p95 wait <= 1", "seed": 3, "jobs": 70_000, "out": tmp_path}
    first = msj.plan(FIRST_FIT, **asked)
    assert msj.plan(FIRST_FIT, **{**asked, "out": None}, workers=2).quantities == first.quantities

    def refuse(*_, **__):
        raise AssertionError("a point that is there was asked again")

    monkeypatch.setattr("msj.planning.judge.simulate_point", refuse)
    again = msj.plan(FIRST_FIT, **asked)
    assert again.quantities == first.quantities
    with pytest.raises(AssertionError, match="asked again"):
        msj.plan(FIRST_FIT, **{**asked, "targets": "p95 wait <= 1.1"})


def test_what_the_effort_does_not_decide_is_a_range_that_holds_the_answer():
    exact = msj.plan(SMALL, targets="mean wait <= 0.2")
    value = exact.at(servers=4)["mean_waiting_time"]
    rough = msj.plan(SMALL, targets=f"mean wait <= {1.005 * value}", seed=1, jobs=70_000, effort=Effort(operations=0))
    row = rough.row("planned_servers")
    assert row.bracket
    assert row.low <= 4 <= row.high == row.value
    assert rough.outcome.label == "undecided"
    assert rough.sentence.startswith("Between 4 and 5 servers under fcfs")
    assert rough.at(servers=4).row("meets_targets").bracket


def test_a_plan_without_time_says_so_and_is_no_answer():
    found = msj.plan(FIRST_FIT, targets="p95 wait <= 1", seed=1, seconds=1e-9)
    assert found.outcome is msj.Outcome.OUT_OF_TIME
    assert "planned_servers" not in found


def test_one_more_server_may_make_it_worse_and_the_plan_says_so():
    found = msj.plan("examples/one_more_server.toml", targets="share waiting[class=small] <= 7.5 %")
    assert found["planned_servers"] == 7
    met = {n: row.value for n, row in found.along("servers", "meets_targets")}
    assert (met[5], met[6], met[7]) == (1, 0, 1)
    assert "5 servers meet the targets, too, by luck of packing" in found.to_text().replace("\n", " ")
    assert found.row("planned_servers").kind == "exact"


def test_a_policy_that_jobs_leave_unserved_is_refused():
    with pytest.raises(msj.NotSupported, match="turns jobs away"):
        msj.plan(SMALL.replace(policy="loss"), targets="mean wait <= 1")


def test_blocks_that_are_out_of_time_are_not_half_counted():
    over = Effort(cancel=lambda: True)
    targets = read_targets(["mean wait <= 1"], None)
    odds = Odds(0.05).next_point(1)
    found = simulate_point(
        SMALL, targets, threshold=None, effort=over, root=np.random.SeedSequence(1), odds=odds, budget=Budget()
    )
    assert found == sequential.Tested(out_of_time=True)


@pytest.mark.parametrize("load", [0.5, 0.95, 0.99])
def test_a_block_leaves_out_what_settling_takes_but_no_more_than_a_quarter_of_what_it_counts(load):
    threshold = msj.analyse(SMALL)["stability_threshold"]
    system = SMALL.replace(arrival_rate=load * threshold)
    trial = Trial(system=system, known=Known(stability_threshold=threshold), seed=1, most_jobs=100_000)
    counted = [8 * trial.piece * 2**stage for stage in range(4)]
    settling = math.ceil(trial.pace.settling)
    left_out = [min(settling, jobs // 4) for jobs in counted]
    assert [trial.warm_up(stage) for stage in range(4)] == left_out
    assert trial.jobs_at(33) == 32 * (counted[0] + left_out[0]) + counted[1] + left_out[1]
