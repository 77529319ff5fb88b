"""Plans for the jobs of a log, against replays of every size."""

import numpy as np
import pytest

import msj

LOG = "examples/logs/small_cluster.swf"
TRACE = msj.read_log(LOG)


def replayed(servers, policy, **options):
    return msj.replay(TRACE, servers=servers, policy=policy, shakes=0, **options).at(policy=policy)


@pytest.mark.parametrize("policy", ["fcfs", "easy-backfilling"])
def test_a_plan_for_a_log_is_what_replays_of_all_sizes_say(policy):
    found = msj.plan(LOG, targets="mean wait <= 1 h", policies=[policy], seed=1)
    answer = int(found["planned_servers"])
    assert found.row("planned_servers").kind == "replayed"
    for servers, row in found.along("servers", "mean_waiting_time"):
        assert row.value == pytest.approx(replayed(servers, policy)["mean_waiting_time"])
    sizes = range(answer - 4, answer + 5)
    assert [replayed(n, policy)["mean_waiting_time"] <= 3600 for n in sizes] == [n >= answer for n in sizes]


def test_what_is_measured_of_a_logs_jobs_is_what_replays_measure():
    rows = replayed(60, "easy-backfilling", levels=[90])
    targets = {
        "p90 wait <= 1 s": rows["waiting_time_percentile", None, 90],
        "mean response <= 1 s": rows["mean_response_time"],
        "mean bounded slowdown <= 1.001": rows["mean_bounded_slowdown"],
        "mean slowdown <= 1.001": rows["mean_slowdown"],
        "share waiting <= 0.1 %": rows["waiting_probability"],
    }
    found = msj.plan(TRACE, targets=list(targets), vary="policy", policies=["easy-backfilling"], servers=60)
    shown = [judged.row.value for judged in found.points[0].judged]
    assert shown == pytest.approx(list(targets.values()))


def test_load_and_cap_of_a_log_are_planned_by_replay():
    asked = {"targets": "mean wait <= 1 h", "policies": ["easy-backfilling"], "servers": 60, "seed": 1}
    load = msj.plan(TRACE, vary="load", **asked)
    used = load["planned_utilisation"]
    work = (TRACE.column("need") * TRACE.column("run")).sum() / np.ptp(TRACE.column("submit"))
    factor = used * 60 / work
    assert replayed(60, "easy-backfilling", scale_load=factor)["mean_waiting_time"] <= 3600
    cap = msj.plan(TRACE, vary="cap", **asked)
    for largest, row in cap.along("largest_need", "mean_waiting_time"):
        wanted = replayed(60, "easy-backfilling", largest_need=largest)["mean_waiting_time"]
        assert row.value == pytest.approx(wanted)


def test_classes_shares_and_partitions_of_a_log_are_refused():
    for options, said in (
        ({"targets": "mean wait[class=a] <= 1 h"}, "use \\[need=N\\]"),
        ({"targets": "mean wait <= 1 h", "vary": "share:a"}, "a log has no classes"),
        ({"targets": "mean wait <= 1 h", "vary": "partition"}, "not cut into partitions"),
    ):
        with pytest.raises(msj.MsjError, match=said):
            msj.plan(LOG, **options)
