"""Pictures of a log as numbers, what a scenario makes of its jobs, the files they are written to: small, by hand."""

from datetime import datetime

import numpy as np
import pandas
import pyarrow.parquet
import pytest

from msj import InvalidInput, NotSupported
from msj.logs.allocation import intervals, lowest_free
from msj.logs.groups import by_need
from msj.logs.job_files import BATSIM, Served, check_path, write_jobs
from msj.logs.look import (
    RUN_EDGES,
    RUN_NAMES,
    _mean_level,
    arrivals,
    estimates_and_runs,
    gantt,
    in_use_words,
    need_and_run,
    over_time,
    starts,
)
from msj.logs.reading import as_trace
from msj.logs.scenario import prepared
from msj.logs.trace import Trace
from msj.options import ReadOptions, Scenario
from msj.options.replaying import factor_of


def trace_of(submit, need, run, wait=np.nan, estimate=np.nan, **more):
    frame = pandas.DataFrame({"submit": submit, "wait": wait, "run": run, "need": need, "estimate": estimate})
    return Trace(frame=frame.astype({"submit": float, "run": float, "wait": float, "estimate": float}), **more)


def test_the_mean_level_of_stretches():
    """Weight 3 from 1 to 4 and weight 5 from 3 to 7: 3·2 = 6 up to 3, 6 + 8 = 14 up to 4, 14 + 15 = 29 up to 7."""
    begin, end, weight = np.array([1.0, 3.0]), np.array([4.0, 7.0]), np.array([3.0, 5.0])
    mean, peak = _mean_level(begin, end, weight, np.array([0.0, 2, 4, 10]))
    np.testing.assert_allclose(mean, [3 / 2, (14 - 3) / 2, (29 - 14) / 6])
    assert peak == 8.0
    # Where one ends as another begins, both are never there together.
    assert _mean_level(np.array([0.0, 4.0]), end, weight, np.array([0.0, 6.0]))[1] == 5.0


def test_starts_are_submissions_where_no_waits_are_known():
    trace = trace_of([0, 10], [2, 3], [100, 50], servers=9)
    assert starts(trace).tolist() == [0.0, 10.0]
    assert over_time(trace, 4).waiting is None
    assert in_use_words(trace) == "if no job waited, at most 5 were in use at one moment"
    waited = trace_of([0, 10], [2, 3], [100, 50], wait=[0, 95])
    assert starts(waited).tolist() == [0.0, 105.0]
    assert in_use_words(waited) == "at most 3 were in use at one moment"
    # A log that is over at once is shown for one second.
    short = over_time(trace_of([7], [2], [0.25]), 4)
    np.testing.assert_allclose(short.moment, [7.0, 7.25, 7.5, 7.75])
    np.testing.assert_allclose(short.in_use, [2, 0, 0, 0])


def test_hours_and_weekdays_of_submissions():
    """Second 0 is 2024-03-04, a Monday, at 22:30."""
    submit = np.array([0, 0.4, 0.6, 1.6, 25.6, 6 * 24 + 1.6]) * 3600
    hours, days = arrivals(trace_of(submit, [1] * 6, [1] * 6, begins=1709510400.0 + 22.5 * 3600))
    assert {hour: n for hour, n in enumerate(hours.tolist()) if n} == {22: 2, 23: 1, 0: 3}
    assert days.tolist() == [3 + 1, 1, 1, 0, 0, 0, 0]
    assert (len(hours), len(days)) == (24, 7)


def test_the_names_of_run_times_are_those_of_their_edges():
    assert len(RUN_NAMES) == len(RUN_EDGES) - 1 == 9


def test_jobs_in_boxes_of_need_and_run_time():
    runs = [9.9, 10, 59, 60, 3600, 3 * 86400 - 1, 3 * 86400]  # 10 and 60 s, 1 h and 3 days begin a stretch
    trace = trace_of([0] * 7, [4, 4, 1, 4, 1, 1, 4], runs, estimate=[10, 60, np.nan, 600, 86400, 3 * 86400, 1e9])
    groups, boxes = need_and_run(trace)
    assert groups.names == ("need 1", "need 4")
    assert boxes.tolist() == [[0, 1, 0, 0, 1, 0, 0, 1, 0], [1, 1, 1, 0, 0, 0, 0, 0, 1]]
    found = estimates_and_runs(trace)
    assert found.shape == (9, 9)
    assert [tuple(place) for place in np.argwhere(found).tolist()] == [(1, 0), (2, 1), (3, 2), (7, 4), (8, 7), (8, 8)]
    assert found.sum() == 6
    assert estimates_and_runs(trace_of([0], [1], [1])) is None


def test_groups_of_many_needs_are_powers_of_two():
    groups = by_need(np.array([1, 2, 3, 4, 5, 8, 9]), most=3)
    assert groups.names == ("need 1", "need 2", "need 3 to 4", "need 5 to 8", "need 9")
    assert groups.of_job.tolist() == [0, 1, 2, 2, 3, 3, 4]
    assert by_need(np.array([7, 2, 5]), most=3).names == ("need 2", "need 5", "need 7")
    assert by_need(np.array([7, 2, 5]), most=3).of_job.tolist() == [2, 0, 1]
    assert by_need(np.array([7, 2, 5]), most=2).names == ("need 2", "need 5 to 7")
    huge = by_need(np.array([2**20 + 1, 3]))
    assert (huge.names, huge.of_job.tolist()) == (("need 3", "need 1048577"), [1, 0])
    none = by_need(np.array([], dtype=np.int64))
    assert (none.names, len(none.of_job)) == ((), 0)


def test_servers_given_back_at_a_moment_are_taken_at_it():
    """Job 1 leaves at 5; job 2 takes its server 2 and 3, job 3, of no length, is in nobody's way."""
    start, finish = np.array([0.0, 0.0, 5.0, 6.0, 6.0]), np.array([9.0, 5.0, 8.0, 6.0, 7.0])
    need = np.array([2, 1, 2, 1, 2])
    assert lowest_free(start, finish, need, 6) == ["0-1", "2", "2-3", "4", "4-5"]
    found, places = intervals(start, finish, need, 6)
    assert (found[:, 0].tolist(), places.tolist()) == ([0, 2, 2, 4, 4], [0, 1, 2, 3, 4, 5])
    # In pieces: server 1 and 3 are free when 2 are needed.
    torn = lowest_free(np.array([0.0, 0, 0, 0, 2]), np.array([9.0, 1, 9, 1, 3]), np.array([1, 1, 1, 1, 2]), 4)
    assert torn == ["0", "1", "2", "3", "1 3"]


def test_more_stretches_than_there_is_room_for_at_first():
    """40 jobs on every server, those on even ones leave, and one takes 20 stretches; room is for 41 at first."""
    start = np.array([0.0] * 40 + [5.0, 6.0])
    finish = np.array([1.0, 9.0] * 20 + [6.0, 7.0])
    found = lowest_free(start, finish, np.array([1] * 40 + [20, 20]), 40)
    evens = " ".join(str(i) for i in range(0, 40, 2))
    assert found == [*(str(i) for i in range(40)), evens, evens]


def test_a_window_in_the_middle_of_a_log():
    """Starts 0, 10, ..., 90; four jobs around the middle start at 30 to 60, and who runs in between is shown."""
    submit = np.arange(10) * 10.0
    run = np.array([35.0, 5, 5, 15, 15, 15, 15, 5, 5, 5])
    found = gantt(trace_of(submit, [2, 1, 1, 1, 2, 3, 1, 1, 1, 1], run, servers=8), jobs=4)
    assert found.row.tolist() == [0, 3, 4, 5]
    assert found.start.tolist() == [30.0, 30.0, 40.0, 50.0]
    assert found.finish.tolist() == [35.0, 45.0, 55.0, 60.0]
    assert found.first.tolist() == [0, 2, 0, 2]
    assert found.count.tolist() == [2, 1, 2, 3]


def test_a_window_where_all_start_together():
    """It lasts for the median run time, at least a second."""
    found = gantt(trace_of([5, 5, 5], [1, 2, 3], [10, 20, 60], servers=2))
    assert found.start.tolist() == [5.0] * 3
    assert found.finish.tolist() == [15.0, 25.0, 25.0]
    assert (found.first.tolist(), found.count.tolist()) == ([0, 1, 3], [1, 2, 3])  # as many servers as were in use
    assert gantt(trace_of([5, 5, 5], [1, 2, 3], [0.25, 0.5, 60])).finish.tolist() == [5.25, 5.5, 6.0]
    assert gantt(trace_of([5], [100_000], [9])).count.tolist() == [100_000]
    assert gantt(trace_of([5], [100_001], [9])) is None


@pytest.mark.parametrize(
    ("word", "factor"), [(None, None), ("exact", None), ("requested", None), ("factor:1", 1.0), ("factor:5/2", 2.5)]
)
def test_factors_of_estimates(word, factor):
    assert factor_of(word) == factor


def jobs_of(found):
    return [found.jobs.jobs.arrival.tolist(), found.jobs.jobs.need.tolist(), found.jobs.jobs.duration.tolist()]


def test_a_stretch_of_the_log_has_its_beginning_and_not_its_end():
    trace = trace_of([0, 10, 20, 30], [1, 2, 3, 4], [5, 6, 7, 8], estimate=[9, 9, 9, 9])
    found = prepared(as_trace(trace, ReadOptions(from_time=10, until_time=30)), Scenario(), 8)
    assert jobs_of(found) == [[10.0, 20.0], [2, 3], [6.0, 7.0]]
    assert found.jobs.jobs.estimate.tolist() == [9.0, 9.0]
    assert (found.waited.tolist(), found.counted.tolist()) == ([0.0, 0.0], [True, True])
    assert as_trace(trace, ReadOptions(from_time=10)).column("need").tolist() == [2, 3, 4]
    assert as_trace(trace, ReadOptions(until_time="10")).column("need").tolist() == [1]
    with pytest.raises(InvalidInput, match="no job of the log was submitted in this stretch"):
        as_trace(trace, ReadOptions(from_time=11, until_time=20))


def test_a_stretch_may_be_given_by_dates_in_the_local_time_of_the_log():
    trace = trace_of([0, 3600, 86400], [1, 2, 3], [5, 6, 7]).replace(begins=1_709_251_200.0)  # 2024-03-01 00:00
    for first in ("2024-03-01 01:00", "2024-03-01T01:00:00", datetime(2024, 3, 1, 1)):
        assert as_trace(trace, ReadOptions(from_time=first)).column("need").tolist() == [2, 3]
    assert as_trace(trace, ReadOptions(until_time="2024-03-02")).column("need").tolist() == [1, 2]
    with pytest.raises(InvalidInput, match="does not say the date it begins; give seconds of the log"):
        as_trace(trace.replace(begins=None), ReadOptions(from_time="2024-03-01"))
    for wrong, sentence in (
        ("yesterday", "is no moment"),
        ("2024-03-01T01:00+02:00", "has a time zone"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            ReadOptions(from_time=wrong)


def test_notes_of_a_scenario_count_what_they_speak_of():
    trace = trace_of([0, 1, 2, 3], [8, 6, 3, 2], [10, 20, 30, 40], estimate=[30, np.nan, 20, 40])
    found = prepared(trace, Scenario(largest_need=3), 2)
    assert found.notes == (
        "1 jobs have no requested time: their estimate is how long they ran.",
        (
            "1 jobs ran longer than requested: they run as long as they did, and the scheduler believes what was "
            "requested (--overruns keep)."
        ),
        "2 jobs get 3 servers instead of more, and run longer.",
        "3 jobs need more than 2 servers and are left out.",
    )
    assert found.place.tolist() == [3]
    cut = prepared(trace, Scenario(largest_need=3, overruns="cut", scale_load=4), 3)
    assert jobs_of(cut) == [[0.0, 0.25, 0.5, 0.75], [3, 3, 3, 2], [pytest.approx(80 / 3), 40.0, 20.0, 40.0]]
    np.testing.assert_allclose(cut.jobs.jobs.estimate, [80.0, 40.0, 20.0, 40.0])
    plain = prepared(trace_of([0], [1], [5]), Scenario(), 1)
    assert plain.notes == ("The log has no estimates: policies that use them are told how long jobs really ran.",)
    assert prepared(trace_of([0], [1], [5]), Scenario(estimates="exact"), 1).notes == ()
    few = trace_of([0, 1, 2, 3], [1] * 4, [5, 6, 7, 8], estimate=[9, 9, np.nan, np.nan])
    assert prepared(few, Scenario(), 1).jobs.jobs.estimate is None  # half of them is not enough to believe in
    assert prepared(few, Scenario(estimates="requested"), 1).jobs.jobs.estimate.tolist() == [9.0, 9.0, 7.0, 8.0]


def test_the_state_of_a_log_at_its_moments():
    """Submitted 0, 2, 10, 20, 100; a tenth of the span is second 10.

    Job 0 starts at 4 and has 4 of 10 left at 10; job 1 starts at 3 and ends at 10, so it is gone; job 2 is submitted
    and starts at 10: it runs, with all of its time to come.
    """
    trace = trace_of(
        [0, 2, 10, 20, 100], [1, 2, 3, 4, 5], [10, 7, 6, 5, 4], wait=[4, 1, 0, 5, 0], estimate=[12, 8, 9, 7, 5]
    )
    found = prepared(trace, Scenario(from_log_state=True), 8)
    assert found.place.tolist() == [0, 2, 3, 4]
    assert jobs_of(found) == [[10.0, 10.0, 20.0, 100.0], [1, 3, 4, 5], [4.0, 6.0, 5.0, 4.0]]
    assert found.jobs.jobs.estimate.tolist() == [6.0, 9.0, 7.0, 5.0]
    assert found.counted.tolist() == [False, False, True, True]
    assert found.notes[-1].startswith("At second 10 of the log 2 jobs were running and 0 waiting; ")
    until = prepared(trace, Scenario(from_log_state=True), 8, between=(3, 100))
    assert until.place.tolist() == [1, 0, 2, 3]  # who runs comes first
    assert until.waited.tolist() == [0.0, 3.0, 0.0, 0.0]
    assert jobs_of(until)[2] == [7.0, 10.0, 6.0, 5.0]
    assert until.notes[-1].startswith("At second 3 of the log 1 jobs were running and 1 waiting; ")
    late = prepared(trace, Scenario(from_log_state=True), 8, between=(4, np.inf))
    assert late.place.tolist() == [1, 0, 2, 3, 4]  # in order of their starts
    # An estimate that has run out is none left, and not less.
    short = trace_of([0, 1, 50], [1, 1, 1], [40, 40, 5], wait=[0, 0, 0], estimate=[10, 45, 5])
    assert prepared(short, Scenario(from_log_state=True), 8, between=(20, np.inf)).jobs.jobs.estimate.tolist() == [
        0,
        26,
        5,
    ]


def served(**changes):
    given = {
        "policy": "first fit(2)", "job": np.array([7, 9]), "submit": np.array([0.0, 10.0]), "need": np.array([2, 3]),
        "run": np.array([20.0, 5.0]), "estimate": np.array([30.0, 8.5]), "start": np.array([4.0, 12.5]),
        "finish": np.array([24.0, 17.5]), "counted": np.array([True, False]),
    }  # fmt: skip
    return Served(**given | changes)


def test_jobs_as_a_workload_file(tmp_path):
    lines = write_jobs(tmp_path / "a.swf", served(), only=True, servers=6).read_text().splitlines()
    assert lines[:3] == ["; Version: 2.2", "; Computer: replay by msj", "; Note: policy first fit(2)"]
    assert lines[3:8] == ["; MaxJobs: 2", "; MaxRecords: 2", "; MaxProcs: 6", "; MaxNodes: 6", ";"]
    # The second waited 2.5 s; times that are not all whole keep their decimals.
    assert lines[8:] == [
        "7 0 4.0 20 2 -1 -1 2 30.0 -1 1 -1 -1 -1 -1 -1 -1 -1",
        "9 10 2.5 5 3 -1 -1 3 8.5 -1 1 -1 -1 -1 -1 -1 -1 -1",
    ]
    named = served(job=np.array(["x", "y"], dtype=object), estimate=None, finish=np.array([19.0, 17.0]))
    lines = write_jobs(tmp_path / "a.swf", named, only=True, servers=6).read_text().splitlines()
    # Names become numbers; a job that ended early, by rounding, has not waited for less than no time.
    assert lines[8].split()[:9] == ["1", "0", "0", "20", "2", "-1", "-1", "2", "-1"]
    assert lines[9].split()[:4] == ["2", "10", "2", "5"]


def test_jobs_as_a_table_of_batsim(tmp_path):
    path = write_jobs(tmp_path / "a.csv", served(), only=False, servers=6)
    assert path.name == "a_first_fit_2_.csv"
    header, *rows = path.read_text().splitlines()
    assert header == BATSIM
    assert rows[0] == "7,msj,0.0,2,30.0,1,4.0,20.0,24.0,4.0,24.0,1.2,0-1"
    assert rows[1] == "9,msj,10.0,3,8.5,1,12.5,5.0,17.5,2.5,7.5,1.5,2-4"
    plain = write_jobs(tmp_path / "b.csv", served(estimate=None, run=np.array([20.0, 0.0])), only=True, servers=6)
    assert [row.split(",")[4] for row in plain.read_text().splitlines()[1:]] == ["20.0", "0.0"]
    assert plain.read_text().splitlines()[2].split(",")[11] == ""  # no run, no stretch
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a_first_fit_2_.csv", "b.csv"]  # nothing half written


def test_jobs_as_parquet(tmp_path):
    path = write_jobs(tmp_path / "a.parquet", served(), only=True, servers=6)
    found = pyarrow.parquet.read_table(path).to_pydict()
    assert found == {
        "job": [7, 9], "policy": ["first fit(2)"] * 2, "submit": [0.0, 10.0], "need": [2, 3], "run": [20.0, 5.0],
        "estimate": [30.0, 8.5], "start": [4.0, 12.5], "finish": [24.0, 17.5], "wait": [4.0, 2.5],
        "counted": [True, False],
    }  # fmt: skip
    path = write_jobs(
        tmp_path / "a.parquet", served(estimate=None, finish=np.array([19.0, 17.5])), only=True, servers=6
    )
    found = pyarrow.parquet.read_table(path).to_pydict()
    assert (found["estimate"], found["wait"]) == ([20.0, 5.0], [0.0, 2.5])


def test_files_of_jobs_are_checked_before(tmp_path):
    check_path(tmp_path / "a.CSV", [False, False])
    check_path(tmp_path / "a.swf", [True])
    with pytest.raises(NotSupported, match="this policy may stop jobs"):
        check_path(tmp_path / "a.csv", [False, True])
    with pytest.raises(InvalidInput, match="has an unknown ending"):
        check_path(tmp_path / "a.txt", [])
    with pytest.raises(InvalidInput, match="is in a folder that does not exist"):
        check_path(tmp_path / "b" / "a.csv", [])
