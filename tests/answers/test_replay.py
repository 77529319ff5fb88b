"""Replays: the numbers are those of the jobs, for arrays and for logs."""

import csv
import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from naive import simulate_slowly
from test_easy import easy_slowly

import msj
from msj import InvalidInput, NotSupported, read_log
from msj.simulation import replay_jobs
from msj.workloads import RecordedJobs

DATA = Path(__file__).parents[3] / "shared" / "data"
EXAMPLE = "examples/logs/small_cluster.swf"


def test_the_numbers_are_those_of_the_jobs():
    jobs = msj.RecordedJobs(arrival=[0, 0, 0, 100], need=[1, 2, 1, 1], duration=[30.0, 1.0, 0.0, 20.0])
    found = msj.replay(jobs, servers=2)
    wait, run = np.array([0, 30, 31, 0.0]), np.array([30, 1, 0, 20.0])
    assert found["mean_waiting_time"] == wait.mean()
    assert found["mean_response_time"] == (wait + run).mean()
    assert found["waiting_probability"] == 0.5
    assert found["mean_slowdown"] == ((wait + run)[run > 0] / run[run > 0]).mean()  # no length, no slowdown
    assert found["mean_bounded_slowdown"] == np.maximum((wait + run) / np.maximum(run, 10), 1).mean()
    assert found["makespan"] == 120.0
    assert found["utilisation"] == (30 + 2 + 0 + 20) / 240
    assert found["waiting_time_percentile", None, 50] == np.percentile(wait, 50)
    assert {row.kind for row in found} == {"replayed"}
    assert all(row.low is None for row in found)


def last_come(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    for j in range(len(needs)):
        i = len(needs) - 1 - j
        if not chosen[i] and needs[i] <= free:
            chosen[i] = True
            free -= needs[i]


def test_policies_are_names_tables_objects_or_functions():
    jobs = msj.RecordedJobs(arrival=[0, 0, 0, 1], need=[1, 2, 1, 1], duration=[3.0, 1.0, 1.0, 1.0])
    given = ["fcfs", msj.FirstFit(), {"name": "first-fit", "window": 1}, last_come]
    found = msj.replay(jobs, servers=2, policies=given)
    assert found.places("policy") == ["fcfs", "first-fit", "first-fit (window = 1)", "last_come"]
    assert (
        found.at(policy="fcfs")["mean_waiting_time"] == found.at(policy="first-fit (window = 1)")["mean_waiting_time"]
    )
    again = msj.replay(jobs, servers=2, policies=given)
    assert again.quantities == found.quantities
    with pytest.raises(InvalidInput, match="named twice"):
        msj.replay(jobs, servers=2, policies=["fcfs", "fcfs"])
    with pytest.raises(InvalidInput, match="policy and policies are both given"):
        msj.replay(jobs, servers=2, policy="fcfs", policies=["fcfs"])
    with pytest.raises(InvalidInput, match="did you mean 'fcfs'"):
        msj.replay(jobs, servers=2, policy="fcsf")


def test_what_cannot_be_replayed_is_said():
    jobs = msj.RecordedJobs(arrival=[0], need=[1], duration=[1])
    for given, options, sentence in [
        (jobs, {}, "servers is not given"),
        (msj.RecordedJobs(arrival=[], need=[], duration=[]), {"servers": 2}, "there are no jobs"),
        (42, {"servers": 2}, "int is neither jobs nor a log"),
        ("nowhere.swf", {}, "nowhere.swf: cannot be read"),
        ("examples/logs/small_cluster.csv", {"columns": "submit=1,need=2,run=3"}, "say it with --servers N"),
        (EXAMPLE, {"jobs_file": "jobs.txt"}, "unknown ending"),
        (EXAMPLE, {"jobs_file": "no/such/jobs.csv"}, "folder that does not exist"),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            msj.replay(given, **options)
    with pytest.raises(NotSupported, match="change the arrays yourself"):
        msj.replay(jobs, servers=2, scale_load=2)
    with pytest.raises(NotSupported, match="may stop jobs"):
        msj.replay(EXAMPLE, policy="server-filling", jobs_file="jobs.csv")


def test_recorded_stands_beside_replayed_and_easy_is_what_the_example_was_served_by():
    found = msj.replay(EXAMPLE, policies=["easy-backfilling", "fcfs"], shakes=0)
    recorded = [row for row in found if row.kind == "recorded" and row.job_class is None]
    assert {row.name for row in recorded} >= {"mean_waiting_time", "mean_bounded_slowdown", "waiting_time_percentile"}
    easy = found.at(policy="easy-backfilling")
    for row in recorded:
        assert easy.row(row.name, None, row.level).value == pytest.approx(row.value, rel=1e-12)
    groups = {row.job_class for row in found}
    assert "need 32" in groups
    trace = read_log(EXAMPLE)
    big = trace.column("need") == 32
    assert found.at(policy="easy-backfilling")["mean_waiting_time", "need 32"] == trace.column("wait")[big].mean()


def test_sensitivity_is_the_central_part_of_moved_replays():
    options = {"policies": ["easy-backfilling"], "seed": 3}
    plain = msj.replay(EXAMPLE, shakes=0, **options).at(policy="easy-backfilling")
    found = msj.replay(EXAMPLE, shakes=6, **options).at(policy="easy-backfilling")
    row = found.row("mean_waiting_time")
    assert row.value == plain["mean_waiting_time"]
    assert row.bracket
    assert row.low <= row.value <= row.high
    assert row.low < row.high
    assert msj.replay(EXAMPLE, shakes=6, **options).quantities == msj.replay(EXAMPLE, shakes=6, **options).quantities
    still = msj.replay(EXAMPLE, shakes=3, shake=0, **options).at(policy="easy-backfilling").row("mean_waiting_time")
    assert still.low == still.high == still.value


def test_more_servers_and_less_load_never_make_fcfs_wait_longer():
    waits = [
        msj.replay(EXAMPLE, policy="fcfs", shakes=0, **change).at(policy="fcfs")["mean_waiting_time"]
        for change in ({"scale_load": 1.3}, {}, {"servers": 40}, {"servers": 40, "scale_load": 0.8})
    ]
    assert waits == sorted(waits, reverse=True)


def test_a_replay_of_a_file_can_be_asked_again():
    first = msj.replay(EXAMPLE, policies=["fcfs", "first-fit"], shakes=2, scale_load=1.1)
    assert msj.rerun(first).quantities == first.quantities
    look = msj.log(EXAMPLE)
    assert msj.rerun(look).quantities == look.quantities


def test_a_log_that_was_edited_is_another_question(tmp_path):
    path = tmp_path / "log.swf"
    path.write_bytes(Path(EXAMPLE).read_bytes())
    first = msj.log(path, seed=1)
    assert msj.log(path, seed=1).provenance["identity"] == first.provenance["identity"]
    path.write_bytes(path.read_bytes() + b"3000 9999999 0 60 4\n")
    assert msj.log(path, seed=1).provenance["identity"] != first.provenance["identity"]
    with pytest.raises(InvalidInput, match="has been edited since"):
        msj.rerun(first)
    path.unlink()
    with pytest.raises(InvalidInput, match="is not there"):
        msj.rerun(first)
    jobs = msj.RecordedJobs(arrival=[0], need=[1], duration=[1])
    with pytest.raises(InvalidInput, match="only a hash is kept"):
        msj.rerun(msj.replay(jobs, servers=1))


def test_jobs_files_say_what_was_replayed(tmp_path):
    trace = read_log(EXAMPLE)
    done = replay_jobs(trace.jobs(estimates=trace.column("estimate")), servers=32, policy=msj.EasyBackfilling())
    for ending in ("parquet", "csv", "swf"):
        path = tmp_path / f"jobs.{ending}"
        msj.replay(EXAMPLE, policy="easy-backfilling", shakes=0, jobs_file=path)
        again = read_log(path)
        np.testing.assert_allclose(again.column("wait"), done.start - done.arrival, atol=1e-6)
        np.testing.assert_array_equal(again.column("need"), done.need)
        np.testing.assert_array_equal(again.column("run"), done.duration)
        np.testing.assert_array_equal(again.column("estimate"), trace.column("estimate"))
    assert read_log(tmp_path / "jobs.swf").servers == 32
    with (tmp_path / "jobs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert ",".join(rows[0]) == (
        "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,starting_time,"
        "execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources"
    )
    assert all(
        sum(int(b or a) - int(a) + 1 for a, _, b in (p.partition("-") for p in row["allocated_resources"].split()))
        == int(row["requested_number_of_resources"])
        for row in rows
    )
    msj.replay(EXAMPLE, policies=["fcfs", "first-fit"], shakes=0, jobs_file=tmp_path / "two.parquet")
    assert pandas.read_parquet(tmp_path / "two_first-fit.parquet").policy.unique().tolist() == ["first-fit"]


ORACLE = DATA / "easy_oracle" / "pyss-EASY-KTH-SP2.swf.gz"


@pytest.mark.skipif(not ORACLE.exists(), reason=f"{ORACLE} is not here")
def test_easy_through_a_trace_equals_another_simulator():
    trace = read_log(ORACLE)
    frame = trace.frame.copy()
    # Jobs 16293 and 16294 start and end together; which leaves first decides who overtakes. Pyss takes the younger.
    frame.loc[frame.job == 16294, "run"] -= 1e-4

    trace = trace.replace(frame=frame)
    done = replay_jobs(trace.jobs(estimates=trace.column("estimate")), servers=100, policy=msj.EasyBackfilling())
    np.testing.assert_allclose(done.start - done.arrival, trace.column("wait"), atol=1e-3)
    served = trace.replay(policies=["easy-backfilling"], shakes=0).at(policy="easy-backfilling")
    assert served["mean_waiting_time"] == pytest.approx(6836.87, abs=0.01)


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not here")
@pytest.mark.parametrize("policy", [msj.Fcfs(), msj.FirstFit()], ids=lambda p: p.name)
def test_policies_equal_their_slow_twins_on_a_real_log(policy):
    trace = read_log(DATA / "swf" / "KTH-SP2-1996-2.1-cln.swf.gz")
    trace = trace.replace(frame=trace.frame[:2000])
    columns = [trace.column(name) for name in ("submit", "need", "run")]
    start, _, _, _ = simulate_slowly(*columns, servers=100, serve=policy.serve)
    done = replay_jobs(trace.jobs(), servers=100, policy=policy)
    np.testing.assert_array_equal(done.start, start)


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not here")
def test_easy_equals_its_definition_on_a_real_log():
    trace = read_log(DATA / "swf" / "CTC-SP2-1996-3.1-cln.swf.gz")
    trace = trace.replace(frame=trace.frame[:2000])
    columns = [trace.column(name) for name in ("submit", "need", "run")]
    start = easy_slowly(*columns, np.maximum(trace.column("estimate"), columns[2]), 338)
    done = trace.replay(policies=["easy-backfilling"], overruns="stretch", shakes=0)
    assert done.at(policy="easy-backfilling")["mean_waiting_time"] == pytest.approx(
        (start - columns[0]).mean(), rel=1e-12
    )


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not here")
@pytest.mark.parametrize(
    ("name", "offered", "log", "shuffled"),
    [
        ("KTH-SP2-1996-2.1-cln", 0.69, 0.75, 0.67),
        ("CTC-SP2-1996-3.1-cln", 0.84, 0.81, 0.77),
        ("HPC2N-2002-2.2-cln", 0.60, 0.95, 0.90),
        ("NASA-iPSC-1993-3.1-cln", 0.47, 0.80, 0.58),
    ],
)
def test_logs_fill_machines_as_known(name, offered, log, shuffled):
    found = msj.log(DATA / "swf" / f"{name}.swf.gz", seed=1)
    assert found["offered_utilisation"] == pytest.approx(offered, abs=0.005)
    assert found.at(order="log")["saturated_utilisation"] == pytest.approx(log, abs=0.01)
    assert found.at(order="shuffled")["saturated_utilisation"] == pytest.approx(shuffled, abs=0.015)


def saturated_slowly(need, run, servers):
    now, free, ends, work = 0.0, servers, [], 0.0
    started = []
    for n, r in zip(need, run, strict=True):
        while free < n:
            ends.sort()
            now, back = ends.pop(0)
            free += back
        ends.append((now + r, n))
        free -= n
        started.append((now, r, n))
    work = sum(n * min(r, now - begin) for begin, r, n in started)
    return work / (servers * now)


def test_saturated_utilisation_is_work_done_up_to_the_last_start():
    from msj.answers.log import saturated_utilisation

    trace = read_log(EXAMPLE)
    need, run = trace.column("need")[:500], trace.column("run")[:500]
    assert saturated_utilisation(need, run, 32) == pytest.approx(saturated_slowly(need, run, 32), rel=1e-12)


def test_what_a_log_does_not_say_is_missing_in_words():
    table = msj.log("examples/logs/small_cluster.csv", columns="submit=1,need=2,run=3", time_unit="min")
    names = [gap.name for gap in table.missing]
    assert names == ["utilisation", "waiting times", "estimates"]
    assert "at most" in table.missing[0].reason
    assert "offered_utilisation" not in table
    assert "servers" not in table
    assert "mean_waiting_time" not in table
    sized = msj.log("examples/logs/small_cluster.csv", columns="submit=1,need=2,run=3", time_unit="min", servers=32)
    assert "offered_utilisation" in sized


def test_users_are_named_only_if_asked():
    quiet = msj.log("examples/logs/small_cluster_sacct.txt", servers=32)
    assert not any((row.job_class or "").startswith("user") for row in quiet)
    assert "u14" not in quiet.to_json()
    asked = msj.log("examples/logs/small_cluster_sacct.txt", servers=32, users=True)
    assert "user u14" in {row.job_class for row in asked}


def test_who_waits_at_the_beginning_is_not_moved(monkeypatch):
    """However short it had waited by then; others come up to ten seconds sooner or later, none before the first."""
    replaying = importlib.import_module("msj.answers.replay")  # the function of that name hides it
    seen = []
    jobs = RecordedJobs(arrival=np.array([0.0, 0.0, 100.0]), need=np.array([1, 2, 3]), duration=np.ones(3))
    given = SimpleNamespace(jobs=jobs, waited=np.array([0.5, 0.0, 0.0]), counted=np.array([True, True, True]))
    monkeypatch.setattr(replaying, "_reordered", lambda done, _: done)
    monkeypatch.setattr(replaying, "measures", lambda *_: {})
    asked = SimpleNamespace(
        given=given, shake=10.0, root=np.random.SeedSequence(1), levels=(), groups=None, _times=lambda done: done,
        _served=lambda _, jobs: seen.append(dict(zip(jobs.jobs.need, jobs.jobs.arrival, strict=True))),
    )  # fmt: skip
    replaying._Replay._shaken(asked, None, 20, "fcfs", None)
    assert {arrivals[1] for arrivals in seen} == {0.0}
    assert any(arrivals[2] > 0 for arrivals in seen)
    assert all(90 < arrivals[3] < 110 for arrivals in seen)
