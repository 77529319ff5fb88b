"""Times of given jobs and parts of a log held out: every number on handfuls of jobs, both sides of every rule."""

from types import SimpleNamespace

import numpy as np
import pandas
import pytest

import msj
from msj import InvalidInput
from msj.answers import held_out
from msj.answers.held_out import Parts, drawn, parts_of, predictions
from msj.answers.job_times import JobTimes, checked_levels, measures, rows_of
from msj.effort import Effort
from msj.engines.completed import Completed
from msj.fitting import FitOptions
from msj.logs import Trace
from msj.logs.groups import by_need

ROOT = np.random.SeedSequence(1)


def times_of(wait, run, response=None):
    wait, run = np.array(wait, dtype=float), np.array(run, dtype=float)
    response = wait + run if response is None else np.array(response, dtype=float)
    return JobTimes(wait=wait, run=run, response=response, waited=wait > 0)


def trace_of(submit, need, run, **more):
    nothing = np.full(len(submit), np.nan)
    columns = {"submit": np.array(submit, dtype=float), "wait": nothing, "estimate": nothing, "run": run, "need": need}
    return Trace(frame=pandas.DataFrame(columns), **more)


# --- times of jobs ---


def test_means_and_percentiles_of_four_jobs():
    """Responses are 4, 0.5, 12 and 45; over the run times of 4, 5 and 25 that is 1, 2.4 and 1.8.

    Bounded, run times below 10 count as 10: 0.4, 0.05, 1.2 and 1.8, the first two of which count as 1.
    """
    times = times_of([0, 0.5, 7, 20], [4, 0, 5, 25])
    assert times.means() == pytest.approx(
        {
            "mean_response_time": 61.5 / 4,
            "mean_waiting_time": 27.5 / 4,
            "waiting_probability": 3 / 4,
            "mean_slowdown": 5.2 / 3,
            "mean_bounded_slowdown": (1 + 1 + 1.2 + 1.8) / 4,
        }
    )
    assert measures(times, (0, 100))["response_time_percentile", 100.0] == 45
    assert times.percentiles([25, 100]) == pytest.approx(
        {
            ("waiting_time_percentile", 25.0): 0.375,  # between the first and the second, three quarters of the way
            ("waiting_time_percentile", 100.0): 20,
            ("response_time_percentile", 25.0): 0.5 + 0.75 * 3.5,
            ("response_time_percentile", 100.0): 45,
        }
    )


def test_jobs_of_no_length_have_no_slowdown_and_no_jobs_have_nothing():
    assert set(times_of([1, 2], [0, 0]).means()) == {
        "mean_response_time", "mean_waiting_time", "waiting_probability", "mean_bounded_slowdown",
    }  # fmt: skip
    assert times_of([1], [0.5]).means()["mean_slowdown"] == 3  # however short
    nobody = times_of([], [])
    assert nobody.means() == nobody.percentiles([50]) == measures(nobody, [50]) == {}


def test_percentages_are_from_0_to_100():
    assert checked_levels([0, "99.5", 100]) == (0, 99.5, 100)
    for level in (-0.1, 100.1):
        with pytest.raises(InvalidInput, match="is no percentage"):
            checked_levels([50, level])


def test_rows_have_the_ends_of_their_bracket_and_hold_the_value():
    """Waits 3 of need 1 and 5 of need 2. A bracket that does not hold its value is widened to it."""
    times, groups = times_of([3, 5], [1, 1]), by_need(np.array([1, 2]))
    mean = ("mean_waiting_time", None)
    spread = {(None, mean): (4.5, 6.0), ("need 1", mean): (1.0, 2.0), ("need 2", mean): (4.0, 7.0)}
    given = {"levels": (), "kind": "replayed", "method": "m"}
    rows = [row for row in rows_of(times, groups, spread=spread, at={"policy": "p"}, **given) if row.name == mean[0]]
    found = {row.job_class: (row.low, row.value, row.high, row.bracket) for row in rows}
    assert found == {None: (4.0, 4.0, 6.0, True), "need 1": (1.0, 3.0, 3.0, True), "need 2": (4.0, 5.0, 7.0, True)}
    assert [dict(row.at) for row in rows] == [{"policy": "p"}] * 3
    plain = rows_of(times, groups, **given)
    assert {(row.low, row.high, row.bracket, len(row.at)) for row in plain} == {(None, None, False, 0)}
    assert [row.job_class for row in plain if row.name == mean[0]] == [None, "need 1", "need 2"]
    for one in (None, by_need(np.array([2, 2]))):
        assert {row.job_class for row in rows_of(times, one, **given)} == {None}


# --- the part of a log held out ---


def test_a_log_is_cut_at_a_moment_and_the_rest_comes_closer():
    """From 10 to 110 s; the last 30 % begin at 80 s, and come four times as close: 30 s become 7.5 s.

    Of the jobs from there on, that of need 5 does not fit on 4 servers: 4·2 + 1·7 + 3·1 of work are left.
    """
    trace = trace_of([10, 20, 79, 80, 90, 95, 110], [1, 9, 2, 4, 5, 1, 3], [3.0, 1, 1, 2, 100, 7, 1])
    parts = parts_of(trace, 4, share=0.3, scale_load=4)
    assert parts.first.column("submit").tolist() == [10, 20, 79]
    jobs = parts.jobs.jobs
    assert jobs.arrival.tolist() == [0, 3.75, 7.5]
    assert (jobs.need.tolist(), jobs.duration.tolist()) == ([4, 1, 3], [2, 7, 1])
    assert (parts.span, parts.scale) == (7.5, 4)
    assert parts.utilisation == pytest.approx(18 / (4 * 7.5))
    assert parts_of(trace, 4, share=0.3).span == pytest.approx(30)
    for share in (0, 1):
        with pytest.raises(InvalidInput, match="is no part of the log"):
            parts_of(trace, 4, share=share)
    # Less than a second is a time, no second is none.
    assert parts_of(trace_of([0, 1], [1, 1], [1.0, 2]), 2, share=0.5).utilisation == pytest.approx(2 / (2 * 0.5))
    assert np.isnan(parts_of(trace_of([5, 5], [1, 1], [1.0, 1]), 2, share=0.5).utilisation)


@pytest.mark.parametrize(("first", "later", "fewer"), [(200, 200, None), (199, 300, 199), (300, 150, 150)])
def test_either_part_has_to_have_two_hundred_jobs(first, later, fewer):
    def ones(count):
        return trace_of(range(count), np.ones(count, dtype=int), np.ones(count))

    parts = Parts(first=ones(first), jobs=ones(later).jobs(), span=1.0, utilisation=0.5, scale=1.0)
    assert parts.why_not == (
        None
        if fewer is None
        else f"a part of the log has {fewer} jobs, and 200 are needed to say anything of a prediction"
    )


def every_two_seconds(**changes):
    """Need 2 for 2 s on 4 servers: half of them are busy where a job comes every 2 s."""
    job = msj.JobClass(name="a", need=2, share=1, duration=msj.Deterministic(value=2))
    arrivals = {"law": "renewal", "gap": {"law": "deterministic", "value": 1}}
    return msj.System(**({"servers": 4, "classes": [job], "arrivals": arrivals} | changes))


def held(span, scale=1.0):
    jobs = trace_of([0, 1], [4, 4], np.array([2.0, 2.0])).jobs()  # the second waits for a second
    return Parts(first=trace_of([0], [1], [1.0]), jobs=jobs, span=span, utilisation=0.5, scale=scale)


@pytest.mark.parametrize("span", [9000.0, 2001.0, 9.0])
def test_jobs_are_drawn_at_their_rate_over_the_whole_time_and_none_at_its_end(span):
    jobs = drawn(every_two_seconds(), held(span), ROOT, 0).jobs
    assert np.diff(jobs.arrival) == pytest.approx(2)
    assert jobs.arrival[0] <= 2
    assert span - 2 <= jobs.arrival[-1] < span
    assert drawn(every_two_seconds(), held(float(jobs.arrival[-1])), ROOT, 0).jobs.arrival[-1] == jobs.arrival[-2]


def test_one_job_is_drawn_however_short_the_time_is():
    assert len(drawn(every_two_seconds(), held(1e-6), ROOT, 0).jobs) == 1


def test_where_submissions_come_closer_so_do_days(monkeypatch):
    asked = []

    def seen(system, **more):
        asked.append((system.arrivals.cycle, more["arrival_rate"], more["streams"].replication))
        return held_out_source(system, **more)

    held_out_source = held_out.SystemJobs
    monkeypatch.setattr(held_out, "SystemJobs", seen)
    daily = {"law": "daily", "rates": [1, 3], "cycle": 100}
    drawn(every_two_seconds(arrivals=daily), held(50.0, scale=4.0), ROOT, 3)
    assert asked == [(25.0, 0.5, 3)]


def test_who_is_put_aside_waits_then_too(monkeypatch):
    """Three jobs come at 1 s and begin after 0, 2 and 3 s. The first is put aside for 4 s; the others never are.

    The last is not put aside although it takes longer than its run time: it is served at half the speed.
    """
    columns = {
        "number": [0, 1, 2], "arrival": [1, 1, 1], "job_class": [0, 0, 0], "need": [1, 1, 1], "duration": [5, 2, 4],
        "start": [1, 3, 4], "finish": [10, 5, 12], "preemptions": [1, 0, 0],
    }  # fmt: skip
    done = Completed(**{name: np.array(values, dtype=float) for name, values in columns.items()})
    monkeypatch.setattr(held_out, "replay_jobs", lambda *_, **__: done)
    waits = held_out._waits(None, 4, None, ROOT)
    assert waits == pytest.approx([(4 + 2 + 3) / 3, 3.9])  # 95 % of the way from 2 to 4 is 0.9 beyond 3
    done.preemptions[:] = [0, 2, 0]  # and whoever began late waits at least until then
    assert held_out._waits(None, 4, None, ROOT)[0] == pytest.approx((0 + 2 + 3) / 3)


def test_rows_of_draws_have_the_least_and_the_most_and_ratios_go_by_their_mean():
    found = np.array([[1.0, 10.0], [4.0, 40.0], [7.0, 10.0]])
    rows = held_out._rows(found, "simulated", "m", "fcfs", "independent fit")
    assert [(row.name, row.level, row.low, row.value, row.high, row.bracket) for row in rows] == [
        ("mean_waiting_time", None, 1, 4, 7, True),
        ("waiting_time_percentile", 95, 10, 20, 40, True),
    ]
    assert dict(rows[0].at) == {"policy": "fcfs", "workload": "independent fit"}
    for row in held_out._rows(found[:1], "replayed", "m", "fcfs", "replay"):
        assert (row.low, row.high, row.bracket) == (None, None, False)
    ratios = held_out._ratios(found, np.array([8.0, 5.0]), "m", "fcfs", "independent fit")
    assert [(row.at["quantity"], row.level, row.value) for row in ratios] == [
        ("mean_waiting_time", None, 0.5),
        ("waiting_time_percentile", 95, 4),
    ]
    assert not held_out._ratios(found, np.array([0.0, 0.0]), "m", "fcfs", "independent fit")


@pytest.mark.parametrize(("in_all", "expected"), [(1, 3), (13, 6), (40, 8)])
def test_as_many_draws_as_make_so_many_jobs_and_neither_too_few_nor_too_many(monkeypatch, in_all, expected):
    """Of a part of two jobs 13 jobs are six draws; from three draws to eight."""
    for name, value in (("DRAWN_JOBS", in_all), ("FEWEST", 3), ("MOST", 8)):
        monkeypatch.setattr(held_out, name, value)
    system = every_two_seconds()
    monkeypatch.setattr(held_out, "fitted", lambda *_: SimpleNamespace(independent=system, system=system))
    seen = []
    policies = {"a": msj.Fcfs(), "b": msj.Fcfs()}
    rows = predictions(held(9.0), 4, FitOptions(), policies=policies, root=ROOT, effort=Effort(progress=seen.append))
    assert [now.done for now in seen] == pytest.approx([i / (2 * expected) for i in range(2 * expected)])
    assert seen[1].words == f"2 of {2 * expected} sampled workloads"
    assert {row.method for row in rows if row.at["workload"] == "dependent fit"} == {
        f"{expected} draws of the dependent fit, as long as the part held out"
    }
    assert {row.method for row in rows if row.at["workload"] == "replay"} == {"replay of 2 jobs"}
    for policy in policies:
        at = {
            name: {
                r.at["workload"]: r.value
                for r in rows
                if r.name == name and r.level is None and r.at["policy"] == policy
            }
            for name in ("mean_waiting_time", "predicted_over_replayed")
        }
        assert at["mean_waiting_time"]["replay"] == 0.5
        assert [*at["predicted_over_replayed"]] == ["independent fit", "dependent fit"]
