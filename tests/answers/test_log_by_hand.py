"""What is said of a log and of its replay, on handfuls of jobs: each number worked out beside it."""

import sys

import numpy as np
import pandas
import pytest

import msj
from msj import InvalidInput
from msj.answers.log import _missing, _said, saturated_utilisation
from msj.answers.replay import _Replay, policies_of, servers_of
from msj.engines.completed import Completed
from msj.logs import Trace
from msj.logs.reason import Reason
from msj.logs.scenario import Prepared

replays = sys.modules["msj.answers.replay"]  # the verb has its name
ROOT = np.random.SeedSequence(1)
UNKNOWN = np.nan


def trace_of(submit, need, run, wait=UNKNOWN, estimate=UNKNOWN, more=None, **about):
    columns = {"submit": submit, "wait": wait, "run": run, "estimate": estimate}
    frame = {name: np.broadcast_to(np.array(column, dtype=float), len(submit)) for name, column in columns.items()}
    return Trace(frame=pandas.DataFrame(frame | {"need": need} | (more or {})), **about)


def overall(result, **at):
    return {row.name: row.value for row in result if row.job_class is None and row.level is None and dict(row.at) == at}


# --- a log ---


def test_a_log_of_half_a_second_with_half_known_columns():
    """Three jobs within 0.5 s on 4 servers: work 2·3 + 1·4 + 4·1 = 14.

    Estimates are known of the first two: 3 s were right, which is no overrun, and 2 s were half of what it took.
    Waits are known of the last two; the shorter is half a second. Jobs start at 3, 3.75 and 5.5.
    """
    trace = trace_of(
        [3, 3.25, 3.5], [2, 1, 4], [3, 4, 1], wait=[UNKNOWN, 0.5, 2], estimate=[3, 2, UNKNOWN], servers=4, rows=5
    )
    found = msj.log(trace, seed=1)
    assert [row.name for row in found][:4] == ["jobs_read", "jobs_used", "servers", "offered_utilisation"]
    wanted = {
        "jobs_read": 5, "jobs_used": 3, "servers": 4, "arrival_rate": 3 / 0.5, "offered_utilisation": 14 / (4 * 0.5),
        "mean_need": 7 / 3, "largest_need": 4, "mean_run_time": 8 / 3, "overrun_share": 1 / 2,
        "mean_estimate_accuracy": 1, "mean_waiting_time": 1.25, "waiting_probability": 1,
        "mean_response_time": (4.5 + 3) / 2, "mean_slowdown": (4.5 / 4 + 3) / 2, "mean_bounded_slowdown": 1,
        "peak_servers_in_use": 7,
    }  # fmt: skip
    assert overall(found) == pytest.approx(wanted)
    assert found.row("peak_servers_in_use").method == "read off the log"
    assert found.row("mean_waiting_time", "need 4").value == 2
    assert found.system == {"time_unit": "seconds", "servers": 4}
    assert found.provenance["jobs"] == 3
    assert not found.missing


def test_an_overrun_is_as_accurate_as_can_be_and_the_others_less():
    trace = trace_of([0, 1], [1, 1], [8, 3], estimate=[2, 12])
    assert overall(msj.log(trace))["mean_estimate_accuracy"] == pytest.approx((1 + 3 / 12) / 2)


def test_a_log_of_one_moment_and_no_size_says_what_it_can():
    found = msj.log(trace_of([5, 5], [1, 2], [3, 4]))
    assert not {"arrival_rate", "servers", "offered_utilisation", "saturated_utilisation"} & {row.name for row in found}
    assert found.row("peak_servers_in_use").method == "as if every job started when it was submitted"
    assert found.system == {"time_unit": "seconds"}
    assert found.title == "log"
    sized = msj.log(trace_of([5, 5], [1, 2], [3, 4], servers=3, source="one.swf"))
    assert sized["servers"] == 3
    assert "offered_utilisation" not in sized
    assert "saturated_utilisation" not in sized  # both start at once
    assert sized.title == "one.swf"


def test_how_full_a_waiting_line_keeps_two_servers():
    """Need 1 for 3 s beside need 1 for 1 s; need 2 from 3 to 5 s; need 1, the last to start, at 5 s: 3 + 1 + 4 of 10.

    In a thousandth of the time it is as full. Where all start at once nobody waits, and there is nothing to say.
    """
    need = np.array([1, 1, 2, 1])
    for scale in (1, 1e-3):
        assert saturated_utilisation(need, scale * np.array([3.0, 1, 2, 9]), 2) == pytest.approx(8 / 10)
    assert np.isnan(saturated_utilisation(need, np.ones(4), 5))


def test_jobs_that_do_not_fit_are_left_out_of_the_waiting_line():
    """Jobs that need all servers keep all busy, in any order; one of need 3 is never served, and says nothing."""
    found = msj.log(trace_of([0, 1, 2], [2, 3, 2], [4, 100, 4], servers=2), seed=1)
    for order in ("log", "shuffled"):
        assert found.at(order=order)["saturated_utilisation"] == pytest.approx(1)
    assert "mean of 10 shuffles" in found.at(order="shuffled").row("saturated_utilisation").method
    alone = msj.log(trace_of([0, 1], [3, 3], [4, 4], servers=2), seed=1)
    assert "saturated_utilisation" not in alone


def test_names_come_by_their_work_and_need_to_be_two():
    """Work of queue a is 1·9 + 2·1, of b 4·5, of the unknown one 1·1; all jobs are of one partition."""
    more = {"queue": ["a", "b", "-1", "a"], "partition": ["x"] * 4, "user": ["u", "v", "v", "v"]}
    trace = trace_of([0, 1, 2, 3], [1, 4, 1, 2], [9, 5, 1, 1], wait=[0, 6, 1, 3], more=more, servers=8)

    def waits(found):
        rows = [row for row in found if row.name == "mean_waiting_time" and row.job_class]
        return [(row.job_class, row.value) for row in rows if not row.job_class.startswith("need")]

    queues = [("queue b", 6), ("queue a", 1.5), ("queue unknown", 1)]
    assert waits(msj.log(trace)) == queues
    assert waits(msj.log(trace, users=True)) == [*queues, ("user v", 10 / 3), ("user u", 0)]


def test_rows_left_out_are_told_with_their_lines():
    left_out = {Reason.STEP: (1, (7,)), Reason.NEVER_RAN: (2, (3, 5)), Reason.NO_NEED: (1234, (1, 2))}
    assert _said(trace_of([0], [1], [1], left_out=left_out)) == [
        f"1 row is left out as step: {Reason.STEP.sentence} (line 7).",
        f"2 rows are left out as never-ran: {Reason.NEVER_RAN.sentence} (lines 3, 5).",
        f"1,234 rows are left out as no-need: {Reason.NO_NEED.sentence} (lines 1, 2, ...).",
    ]


@pytest.mark.parametrize("lacking", [(), ("utilisation",), ("waiting times",), ("estimates",)])
def test_what_a_log_does_not_say_is_missing(lacking):
    known = {"servers": 3, "wait": 1.0, "estimate": 5.0}
    for gap in lacking:
        del known[{"utilisation": "servers", "waiting times": "wait", "estimates": "estimate"}[gap]]
    assert tuple(gap.name for gap in _missing(trace_of([0], [1], [1], **known))) == lacking


# --- a replay ---


def test_a_replay_from_the_state_of_the_log(tmp_path):
    """Two servers at 5 s: A has 5 s left on one; B and D have waited for 4 and 3 s; C, E and F come later.

    FCFS: B from 5 to 9; D needs both, from 10, when A is done, to 13; C, submitted at 7, from 13 to 15; E at 30 at
    once, for half a second; F needs both, and waits for a quarter of a second until 30.5. A itself does not count.
    """
    trace = trace_of(
        [0, 1, 2, 7, 30, 30.25], [1, 1, 2, 1, 1, 2], [10, 4, 3, 2, 0.5, 1], wait=[0, 5, 10, 6, 0, UNKNOWN],
        more={"job": [11, 12, 13, 14, 15, 16]}, servers=2,
    )  # fmt: skip
    path = tmp_path / "jobs.parquet"
    found = msj.replay(trace, from_log_state=True, from_time=5, shakes=0, jobs_file=path, levels=(100,))
    wanted = {
        "mean_waiting_time": (4 + 8 + 6 + 0 + 0.25) / 5,
        "mean_response_time": (8 + 11 + 8 + 0.5 + 1.25) / 5,
        "waiting_probability": 4 / 5,
        "mean_slowdown": (8 / 4 + 11 / 3 + 8 / 2 + 1 + 1.25) / 5,
        "mean_bounded_slowdown": (1 + 1.1 + 1 + 1 + 1) / 5,
        "makespan": 31.5 - 5,
        "utilisation": (5 + 4 + 6 + 2 + 0.5 + 2) / (2 * 26.5),
    }
    assert overall(found, policy="fcfs") == pytest.approx(wanted)
    assert found.at(policy="fcfs")["mean_waiting_time", "need 2"] == pytest.approx((8 + 0.25) / 2)
    recorded = {row.job_class: row.value for row in found if row.kind == "recorded" and row.name == "mean_waiting_time"}
    assert recorded == {None: (5 + 10 + 6 + 0) / 4, "need 1": 11 / 3, "need 2": 10}
    assert overall(found)["mean_response_time"] == pytest.approx((9 + 13 + 8 + 0.5) / 4)
    assert overall(found)["waiting_probability"] == pytest.approx(3 / 4)
    assert found.at(policy="fcfs").row("makespan").method == "replay of 5 jobs"
    assert (found.provenance["jobs"], found.provenance["replays"]) == (6, 1)
    written = pandas.read_parquet(path)
    assert written["job"].tolist() == [11, 12, 13, 14, 15, 16]
    assert written["submit"].tolist() == [5, 1, 2, 7, 30, 30.25]


def test_times_too_short_for_a_second_and_none_at_all():
    """Need 2 for half a second on 4 servers: half of them are busy. Jobs of no length keep nothing busy."""
    jobs = msj.RecordedJobs(arrival=[1], need=[2], duration=[0.5])
    found = msj.replay(jobs, servers=4)
    assert (found["utilisation"], found["makespan"]) == (0.5, 0.5)
    assert found.provenance["replays"] == 1
    assert found.notes == ()
    moved = msj.replay(jobs, servers=4, shakes=2, shake=0, seed=1).row("mean_response_time")
    assert (moved.low, moved.value, moved.high, moved.bracket) == (0.5, 0.5, 0.5, True)
    restarted = msj.replay(jobs, servers=4, policy={"name": "server-filling", "restart": True})
    assert restarted["makespan"] == 0.5
    assert "utilisation" not in restarted  # how much work was lost is not known
    still = msj.replay(msj.RecordedJobs(arrival=[1], need=[2], duration=[0.0]), servers=4)
    assert still["makespan"] == 0
    assert "utilisation" not in still


def completed(**columns):
    count = len(columns["start"])
    usual = {"number": np.arange(count), "job_class": np.zeros(count, int), "need": np.ones(count, int)}
    return Completed(**(usual | {name: np.array(column, dtype=float) for name, column in columns.items()}))


def ask_of(arrival, duration, waited=0.0, counted=True, trace=None, need=None, estimate=None, shake=0.0):
    count = len(arrival)
    need = [1] * count if need is None else need
    given = Prepared(
        jobs=msj.RecordedJobs(arrival=arrival, need=need, duration=duration, estimate=estimate),
        counted=np.broadcast_to(np.array(counted), count).copy(),
        waited=np.broadcast_to(np.array(waited, dtype=float), count).copy(),
        place=np.arange(count),
    )
    return _Replay(given, 4, ROOT, (50.0,), shake, trace)


def test_who_is_stopped_waits_whenever_he_is_not_served():
    """Two jobs of 5 s come at 1 s; one begins at once and ends at 10 s, the other begins at 3 s and ends at 8 s.

    The third began to wait two seconds before it came, and is served at twice the speed: it waits until it begins.
    """
    ask = ask_of([1, 1, 1], [5, 5, 4], waited=[0, 0, 2], counted=[True, True, True])
    given = {"arrival": [1, 1, 1], "duration": [5, 5, 4], "start": [1, 3, 4], "finish": [10, 8, 6]}
    stopped = ask._times(completed(**given, preemptions=[1, 0, 0]))
    assert stopped.wait.tolist() == [4, 2, 5]
    assert stopped.response.tolist() == [9, 7, 7]
    assert stopped.waited.tolist() == [False, True, True]  # before their first start
    assert ask._times(completed(**given)).wait.tolist() == [0, 2, 5]
    early = ask._times(completed(arrival=[1.5, 1, 1], duration=[5, 5, 4], start=[1, 1.5, 1], finish=[6, 6, 6]))
    assert early.wait.tolist() == [0, 0.5, 2]  # rounding makes no wait negative
    assert early.waited.tolist() == [False, True, True]


def test_served_jobs_say_whether_any_was_stopped_and_have_numbers():
    ask = ask_of([1, 1], [5, 5])
    given = {"arrival": [1, 1], "duration": [5, 5], "start": [1, 3], "finish": [10, 8]}
    for preemptions, stopped in ((None, False), ([0, 0], False), ([0, 1], True)):
        done = completed(**given, **({} if preemptions is None else {"preemptions": preemptions}))
        assert ask.served(done, "p").preemptive is stopped
    assert ask.served(done, "p").job.tolist() == [1, 2]
    trace = trace_of([1, 1], [1, 1], [5, 5])
    assert ask_of([1, 1], [5, 5], trace=trace).served(done, "p").job.tolist() == [1, 2]


def test_submissions_are_moved_both_ways_and_who_is_there_at_the_beginning_stays(monkeypatch):
    """Jobs are told apart by their run times. Waits of each need are those of the moved replays themselves."""
    count = 40
    arrival, duration = np.concatenate([[10, 10, 10], np.arange(11.0, 48.0)]), 1 + 0.01 * np.arange(count)
    need = np.tile([1, 4], count // 2)
    waited = np.zeros(count)
    waited[1] = 0.5  # it came before
    counted = np.ones(count, dtype=bool)
    counted[0] = False  # it is running
    given = {"need": need, "estimate": 3 * duration, "waited": waited, "counted": counted, "shake": 6.0}
    ask = ask_of(arrival, duration, trace=trace_of(arrival, need, duration), **given)
    jobs, served = [], []

    def seen(moved, **more):
        jobs.append(moved.jobs)
        served.append(replay_jobs(moved, **more))
        return served[-1]

    replay_jobs = replays.replay_jobs
    monkeypatch.setattr(replays, "replay_jobs", seen)
    told = []
    found = ask._shaken(msj.Fcfs(), 1, "fcfs", told.append)
    assert [(now.done, now.words) for now in told] == [(0, "fcfs: replay 2 of 2")]
    (block,), (done,) = jobs, served
    number = np.round((block.duration - 1) / 0.01).astype(int)
    assert sorted(number) == list(range(count))
    assert (block.need == need[number]).all()
    assert block.estimate == pytest.approx(3 * block.duration)
    moved = np.empty(count)
    moved[number] = block.arrival
    assert (np.diff(block.arrival) >= 0).all()
    assert moved[:2].tolist() == [10, 10]
    by = moved - arrival
    assert (np.abs(by) <= 6).all()
    assert moved.min() == 10
    assert by[10:].min() < -2
    assert by[10:].max() > 2
    late = done.start - done.arrival
    number = np.round((done.duration - 1) / 0.01).astype(int)
    late = late + waited[number]
    for name, chosen in (("need 1", need[number] == 1), ("need 4", need[number] == 4), (None, need[number] > 0)):
        low, high = found[name, ("mean_waiting_time", None)]
        assert low == high == pytest.approx(late[chosen & counted[number]].mean())


def test_moved_replays_are_counted_and_told():
    trace = trace_of([0, 5, 9], [1, 1, 1], [3, 3, 3], servers=1)
    seen = []
    found = msj.replay(trace, policies=["fcfs", "first-fit"], shakes=2, shake=0, seed=1, progress=seen.append)
    assert [(now.done, now.words) for now in seen] == [
        (0, "fcfs: replay 2 of 3"), (0.25, "fcfs: replay 3 of 3"),
        (0.5, "first-fit: replay 2 of 3"), (0.75, "first-fit: replay 3 of 3"),
    ]  # fmt: skip
    assert found.provenance["replays"] == 3
    assert {row.job_class for row in found} == {None}
    assert "nothing recorded beside" in found.notes[-2]
    assert found.notes[-1].startswith("Brackets are the central 95 % of 2 replays with submissions moved by up to 0 s")
    usual = msj.replay(trace.replace(frame=trace.frame.assign(wait=0.0)), seed=1)
    assert usual.provenance["replays"] == 21
    assert "What the log recorded stands beside" in usual.notes[-2]
    assert "20 replays with submissions moved by up to 60 s" in usual.notes[-1]
    assert not any("replays with" in note for note in msj.replay(trace, shakes=0).notes)
    with pytest.raises(InvalidInput, match="shakes"):
        msj.replay(trace, shakes=-1)


def test_jobs_larger_than_the_machine_are_capped_where_that_is_asked(tmp_path):
    """Need 8 for 3 s on 4 servers: 4 servers for 6 s, or none at all."""
    path = tmp_path / "log.swf"
    rows = [
        f"{i} {i} 0 {run} {need} -1 -1 {need} -1 -1 1 1 1 1 1 1 -1 -1" for i, (need, run) in enumerate(((2, 1), (8, 3)))
    ]
    path.write_text("\n".join(rows) + "\n")
    capped = msj.replay(path, servers=4, largest_need=4, shakes=0).at(policy="fcfs")
    assert capped["mean_response_time"] == pytest.approx((1 + 6) / 2)
    assert capped["makespan"] == 7
    plain = msj.replay(path, servers=4, shakes=0)
    assert plain.at(policy="fcfs")["makespan"] == 1


def test_the_size_is_what_is_given_or_else_what_the_log_says():
    sized, unsized = trace_of([0], [1], [1], servers=5), trace_of([0], [3], [1])
    assert [servers_of(sized, None), servers_of(sized, 7), servers_of(unsized, 7), servers_of(None, 7)] == [5, 7, 7, 7]
    with pytest.raises(InvalidInput, match=r"say it with --servers N \(if no job waited, at most 3 were in use"):
        servers_of(unsized, None)
    with pytest.raises(InvalidInput, match="servers is not given; say how many"):
        servers_of(None, None)


def test_fcfs_where_no_policy_is_named_and_none_is_no_list():
    assert [*policies_of(None, None)] == ["fcfs"]
    assert [*policies_of("first-fit", None)] == ["first-fit"]
    assert [*policies_of(None, ["first-fit", "fcfs"])] == ["first-fit", "fcfs"]
    with pytest.raises(InvalidInput, match="policies is empty"):
        policies_of(None, [])
