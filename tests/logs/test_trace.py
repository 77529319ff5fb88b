"""A trace is a frozen value; what a scenario changes; which servers jobs hold; what is seen over time."""

import dataclasses

import numpy as np
import pandas
import pytest

import msj
from msj import InvalidInput, NotSupported, Trace, read_log
from msj.logs.allocation import intervals, lowest_free
from msj.logs.groups import by_need
from msj.logs.look import arrivals, estimates_and_runs, gantt, need_and_run, over_time
from msj.logs.scenario import prepared
from msj.options import Scenario

EXAMPLE = "examples/logs/small_cluster.swf"


def trace_of(submit, need, run, wait=np.nan, estimate=np.nan, **more):
    frame = pandas.DataFrame({"submit": submit, "wait": wait, "run": run, "need": need, "estimate": estimate})
    return Trace(frame=frame.astype({"submit": float, "run": float, "wait": float, "estimate": float}), **more)


def test_a_trace_is_frozen_and_checked():
    trace = trace_of([0, 1], [1, 2], [5, 6], servers=4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.servers = 5
    with pytest.raises(InvalidInput, match="not in order of submission"):
        trace_of([1, 0], [1, 2], [5, 6])
    with pytest.raises(InvalidInput, match="has no column wait"):
        Trace(frame=pandas.DataFrame({"submit": [0.0]}))
    with pytest.raises(InvalidInput, match="servers = 0"):
        trace.replace(servers=0)


def test_where_and_between_choose_jobs_and_leave_the_trace_alone():
    trace = trace_of([0, 10, 20], [1, 2, 1], [5, 6, 7])
    assert trace.between(5, 20).column("need").tolist() == [2]
    assert trace.where(need=1).column("submit").tolist() == [0.0, 20.0]
    assert trace.where(lambda jobs: jobs.run > 5, need=1).column("run").tolist() == [7.0]
    assert len(trace) == 3
    with pytest.raises(InvalidInput, match="no column 'nede'"):
        trace.where(nede=1)
    with pytest.raises(InvalidInput, match="no truth value for each job"):
        trace.where(lambda jobs: jobs.need)


def test_the_same_trace_is_the_same_spec():
    assert read_log(EXAMPLE).to_spec() == read_log(EXAMPLE).to_spec()
    assert read_log(EXAMPLE).to_spec() != read_log(EXAMPLE).between(0, 1e5).to_spec()


def test_estimates_are_what_was_said_or_asked():
    trace = trace_of([0, 1, 2], [1, 1, 1], [10, 20, 30], estimate=[15, np.nan, 25], servers=4)
    found = {
        word: prepared(trace, Scenario(estimates=word), 4).jobs.jobs for word in ("exact", "requested", "factor:2")
    }
    assert found["exact"].estimate is None
    assert found["requested"].estimate.tolist() == [15.0, 20.0, 25.0]
    assert found["factor:2"].estimate.tolist() == [20.0, 40.0, 60.0]
    assert prepared(trace, Scenario(), 4).jobs.jobs.estimate.tolist() == [15.0, 20.0, 25.0]
    cut = prepared(trace, Scenario(overruns="cut"), 4)
    assert cut.jobs.jobs.duration.tolist() == [10.0, 20.0, 25.0]
    stretched = prepared(trace, Scenario(overruns="stretch"), 4)
    assert stretched.jobs.jobs.estimate.tolist() == [15.0, 20.0, 30.0]
    assert any("1 jobs ran longer than requested" in note for note in stretched.notes)
    with pytest.raises(NotSupported, match="no requested times"):
        prepared(trace_of([0], [1], [1]), Scenario(estimates="requested"), 4)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"estimates": "guess"}, "estimates 'guess' are unknown; write exact"),
        ({"estimates": "factor:0.5"}, "would be shorter than the runs"),
        ({"overruns": "kill"}, "overruns 'kill' is unknown"),
        ({"scale_load": 0}, "scale_load = 0 must be greater than 0"),
        ({"largest_need": 1.5}, "largest_need = 1.5 must be a whole number"),
    ],
)
def test_scenarios_are_checked(options, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        Scenario(**options)


def test_a_largest_need_keeps_the_work():
    trace = trace_of([0, 1], [8, 2], [10, 20], estimate=[30, 30])
    jobs = prepared(trace, Scenario(largest_need=4), 4).jobs.jobs
    assert (jobs.need.tolist(), jobs.duration.tolist(), jobs.estimate.tolist()) == ([4, 2], [20.0, 20.0], [60.0, 30.0])


def test_scaled_load_brings_submissions_closer():
    trace = trace_of([100, 110, 130], [1, 1, 1], [1, 1, 1])
    assert prepared(trace, Scenario(scale_load=2), 1).jobs.jobs.arrival.tolist() == [100.0, 105.0, 115.0]


def test_jobs_that_do_not_fit_are_left_out_and_said():
    found = prepared(trace_of([0, 1], [8, 2], [10, 20]), Scenario(), 4)
    assert found.jobs.jobs.need.tolist() == [2]
    assert "1 jobs need more than 4 servers and are left out." in found.notes
    with pytest.raises(InvalidInput, match="no job of the log fits on 1 servers"):
        prepared(trace_of([0, 1], [8, 2], [10, 20]), Scenario(), 1)


def test_the_state_of_the_log_is_what_ran_and_waited():
    trace = trace_of([0, 0, 5, 8, 12], [2, 1, 2, 1, 1], [20, 3, 10, 5, 5], wait=[0, 0, 15, 13, 0], servers=3)
    found = prepared(trace, Scenario(from_log_state=True), 3, between=(10, np.inf))
    jobs = found.jobs.jobs
    assert found.place.tolist() == [0, 2, 3, 4]  # one running, two waiting, one to come; job 1 was done
    assert jobs.arrival.tolist() == [10.0, 10.0, 10.0, 12.0]
    assert jobs.duration.tolist() == [10.0, 10.0, 5.0, 5.0]
    assert found.counted.tolist() == [False, True, True, True]
    assert found.waited.tolist() == [0.0, 5.0, 2.0, 0.0]
    result = trace.replay(policies=["fcfs"], from_log_state=True, from_time=10, shakes=0)
    # FCFS: job 2 starts at 20, job 3 with it, job 4 too would need a fourth server and starts at 25.
    assert result.at(policy="fcfs")["mean_waiting_time"] == pytest.approx((15 + 12 + 13) / 3)
    with pytest.raises(NotSupported, match="no waiting times"):
        trace_of([0], [1], [1], servers=1).replay(from_log_state=True)


def allocated_slowly(start, finish, need, servers):
    free, held, found = set(range(servers)), {}, {}
    for job in sorted(range(len(start)), key=lambda j: (start[j], j)):
        for other in [o for o in held if finish[o] <= start[job]]:
            free |= held.pop(other)
        got = set(sorted(free)[: need[job]])
        found[job] = got
        if finish[job] > start[job]:
            held[job] = got
            free -= got
    return found


def test_servers_are_the_lowest_that_are_free():
    jobs = read_log(EXAMPLE)
    done = msj.simulation.replay_jobs(jobs.jobs(), servers=32, policy=msj.FirstFit())
    for finish in (done.finish, np.where(np.arange(len(done)) % 7, done.finish, done.start)):
        texts = lowest_free(done.start, finish, done.need, 32)
        slowly = allocated_slowly(done.start, finish, done.need.tolist(), 32)
        for job, text in enumerate(texts):
            ids = set()
            for part in text.split():
                first, _, last = part.partition("-")
                ids |= set(range(int(first), int(last or first) + 1))
            assert ids == slowly[job]
            assert len(ids) == done.need[job]


def test_more_in_use_than_there_are_is_survived():
    found, places = intervals(np.zeros(3), np.ones(3), np.array([2, 2, 2]), 3)
    assert np.diff(places).tolist() == [1, 1, 0]
    assert found.tolist() == [[0, 1], [2, 2]]


def test_use_and_queue_over_time_are_exact():
    trace = trace_of([0, 0, 10], [2, 1, 4], [10, 20, 10], wait=[0, 5, 10], servers=4)
    found = over_time(trace, bins=6)  # 0 to 30: 2 to 5, 3 to 10, 1 to 20, 4 from 20 to 30, less 1 from 25 on
    assert found.moment.tolist() == [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]
    np.testing.assert_allclose(found.in_use, [2, 3, 1, 1, 5, 4])
    np.testing.assert_allclose(found.waiting, [1, 0, 1, 1, 0, 0])
    assert found.peak == 5


def test_arrivals_by_hour_and_weekday():
    monday = 1709510400.0  # 2024-03-04
    hours, days = arrivals(trace_of([0, 3600, 86400], [1, 1, 1], [1, 1, 1], begins=monday))
    assert np.flatnonzero(hours).tolist() == [0, 1]
    assert days.tolist() == [2, 1, 0, 0, 0, 0, 0]
    assert arrivals(trace_of([0], [1], [1])) is None


def test_every_job_is_in_a_box():
    trace = read_log(EXAMPLE)
    groups, boxes = need_and_run(trace)
    assert boxes.sum() == len(trace)
    assert boxes.sum(axis=1).tolist() == np.bincount(groups.of_job).tolist()
    assert estimates_and_runs(trace).sum() == len(trace)
    assert np.tril(estimates_and_runs(trace)).sum() == len(trace)  # nobody ran longer than requested
    window = gantt(trace)
    assert (window.finish >= window.start).all()
    assert ((window.first >= 0) & (window.first + window.count <= 32)).all()


@pytest.mark.parametrize("needs", [[1], [1, 2, 3], list(range(1, 14)), [1, 1000, 2**21], list(range(1, 200, 7))])
def test_groups_by_need_hold_every_job_in_order(needs):
    need = np.array(needs * 2)
    groups = by_need(need)
    for i, name in enumerate(groups.names):
        low, _, high = name.removeprefix("need ").partition(" to ")
        assert ((need[groups.of_job == i] >= int(low)) & (need[groups.of_job == i] <= int(high or low))).all()
    assert (np.diff(groups.of_job[np.argsort(need, kind="stable")]) >= 0).all()


@pytest.mark.parametrize(
    "ask", [msj.log, msj.fit, msj.report_log, lambda none: msj.plan(none, targets="mean wait <= 1 h")]
)
def test_a_trace_without_jobs_is_refused_in_words(ask):
    none = read_log(EXAMPLE).between(-2, -1)
    assert len(none) == 0
    with pytest.raises(InvalidInput, match="the trace has no jobs; choose another stretch"):
        ask(none)
