"""What Slurm prints: columns by name, steps and parts of jobs, times in every shape."""

import numpy as np
import pytest
from logs_by_hand import DATA, accounted, counts

from msj import InvalidInput, read_log

HEADER = "JobID|JobName|Submit|Eligible|Start|End|Elapsed|Timelimit|State|NNodes|AllocCPUS|AllocTRES"
ROW = (
    "{id}|{name}|2024-03-01T08:00:00|{eligible}|2024-03-01T08:05:00|2024-03-01T09:05:00|01:00:00|02:00:00|{state}|2|{cpus}|"
    "cpu={cpus},gres/gpu:a100=4,gres/gpu=4,node=2"
)


def row(job="1", name="x", eligible="2024-03-01T08:00:00", state="COMPLETED", cpus=16):
    return ROW.format(id=job, name=name, eligible=eligible, state=state, cpus=cpus)


def log_of(tmp_path, *lines, name="sacct.txt"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def edges():
    path = DATA / "sacct" / "edge_cases_HANDMADE_parsable2.txt"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path


def test_the_hand_made_cases_are_judged_as_decided(edges):
    trace = read_log(edges)
    assert trace.rows == 23
    assert accounted(trace)
    assert counts(trace) == {"step": 4, "piece": 1, "still-running": 1, "never-ran": 5, "no-run-time": 1}
    jobs = trace.frame.set_index(trace.frame.job.astype(str))
    assert jobs.index.tolist() == [
        "1001", "2001_2", "3000+0", "4002", "4005", "4006", "4007", "4007", "4008", "4010", "4009",
    ]  # fmt: skip
    assert jobs.need.tolist() == [128, 4, 264, 12, 32, 32, 64, 64, 1, 16, 1]
    assert jobs.run.tolist() == [7210, 2520, 3600, 912426, 3621, 7200, 540, 3600, 60, 600, 3600]
    assert jobs.wait.tolist() == [300, 3, 600, 30, 0, 10, 60, 179, 5, 60, 0]
    assert np.isnan(jobs.estimate["4002"])  # no limit
    assert jobs.estimate["1001"] == 4 * 3600
    assert read_log(edges, wait_from="submit").frame.wait.tolist()[7] == 300
    gpus = read_log(edges, servers_are="gpus")
    assert gpus.frame.need.tolist() == [8, 16]
    assert counts(gpus)["no-need"] == 9
    assert read_log(edges, servers_are="nodes").frame.need.tolist()[:4] == [2, 1, 5, 1]


def test_a_dump_without_a_header_is_read_where_its_columns_are_known():
    path = DATA / "sacct" / "xdmod-phillips.noheader.txt"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    trace = read_log(path)
    assert trace.rows == 4285 == len(path.read_text().splitlines())
    assert accounted(trace)
    assert "Open XDMoD" in trace.notes[0]
    by_hand = [line.split("|") for line in path.read_text().splitlines()]
    ran = [r for r in by_hand if r[14] != "00:00:00"]
    assert len(trace) == len(ran)
    assert trace.column("need").sum() == sum(int(r[18]) for r in ran)


def test_columns_go_by_name_in_any_order_and_case(tmp_path):
    plain = read_log(log_of(tmp_path, HEADER, row(), row("2", cpus=4)))
    order = [3, 11, 0, 8, 7, 6, 5, 4, 2, 1, 10, 9]
    lines = ["|".join(line.split("|")[i] for i in order) for line in (HEADER.upper(), row(), row("2", cpus=4))]
    shuffled = read_log(log_of(tmp_path, *lines))
    assert shuffled.frame[plain.frame.columns].equals(plain.frame)
    assert read_log(log_of(tmp_path, *(f"{line}|" for line in (HEADER, row(), row("2", cpus=4))))).frame.equals(
        plain.frame
    )


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "^"])
def test_another_delimiter_is_found(tmp_path, delimiter):
    times = "2024-03-01T08:00:00|2024-03-01T08:05:00|2024-03-01T09:05:00|01:00:00"
    lines = ["JobID|Submit|Start|End|Elapsed|State|AllocCPUS", f"1|{times}|COMPLETED|16"]
    trace = read_log(log_of(tmp_path, *(line.replace("|", delimiter) for line in lines)), format="sacct")
    assert (trace.column("need").tolist(), trace.column("run").tolist()) == ([16], [3600.0])


def test_a_bar_in_a_name_does_not_shift_columns(tmp_path):
    trace = read_log(log_of(tmp_path, HEADER, row(name="a|b||c"), row("2", name="ok")))
    assert trace.column("need").tolist() == [16, 16]
    without_name = [line.replace("JobName|", "").replace("x|", "", 1) for line in (HEADER, row())]
    broken = read_log(log_of(tmp_path, *without_name, without_name[1].replace("1|", "1|a|", 1)))
    assert counts(broken) == {"bad-line": 1}


def test_steps_arrays_and_parts(tmp_path):
    lines = [row("7"), row("7.batch"), row("7.0"), row("8_1"), row("8_2"), row("9+0", cpus=3), row("9+1", cpus=5)]
    trace = read_log(log_of(tmp_path, HEADER, *lines, row("9+0.extern")))
    assert trace.column("need").tolist() == [16, 16, 16, 8]
    assert counts(trace) == {"step": 3, "piece": 1}


def test_the_same_row_twice_counts_once_and_a_requeue_twice(tmp_path):
    again = row().replace("08:00:00", "08:01:00")
    trace = read_log(log_of(tmp_path, HEADER, row(), row(), again))
    assert len(trace) == 2
    assert counts(trace) == {"piece": 1}


def test_jobs_wait_from_when_they_were_eligible(tmp_path):
    path = log_of(tmp_path, HEADER, row(eligible="2024-03-01T08:04:00"), row("2", eligible="Unknown"))
    assert sorted(read_log(path).column("wait")) == [60.0, 300.0]
    assert read_log(path, wait_from="submit").column("wait").tolist() == [300.0, 300.0]


def test_states(tmp_path):
    states = [
        "COMPLETED",
        "FAILED",
        "CANCELLED by 12",
        "TIMEOUT",
        "PREEMPTED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "REQUEUED",
        "RUNNING",
    ]
    trace = read_log(log_of(tmp_path, HEADER, *(row(str(i), state=state) for i, state in enumerate(states))))
    assert len(trace) == 8
    assert counts(trace) == {"still-running": 1}
    pending = "3|x|2024-03-01T08:00:00|Unknown|Unknown|Unknown|00:00:00|1:00:00|PENDING|1|0|"
    assert counts(read_log(log_of(tmp_path, HEADER, row(), pending))) == {"never-ran": 1}


def test_a_time_that_cannot_be_read_is_a_bad_line(tmp_path):
    trace = read_log(
        log_of(tmp_path, HEADER, row(), row("2").replace("01:00:00", "soon"), row("3").replace("2024-03-01T08:05", "x"))
    )
    assert counts(trace) == {"bad-line": 2}
    assert [reason_lines for _, reason_lines in trace.left_out.values()] == [(3, 4)]


def test_raw_columns_have_their_units(tmp_path):
    path = log_of(
        tmp_path, "JobID|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|NCPUS",
        "1|2024-03-01T08:00:00|2024-03-01T08:05:00|2024-03-01T09:05:00|3600|120|COMPLETED|1.50K",
    )  # fmt: skip
    trace = read_log(path)
    assert (trace.frame.run[0], trace.frame.estimate[0], trace.frame.need[0]) == (3600.0, 7200.0, 1536)


def test_an_unknown_dump_without_a_header_is_numbered_by_the_user(tmp_path):
    path = log_of(tmp_path, "1|2024-03-01T08:00:00|2024-03-01T08:05:00|3600|4|x")
    with pytest.raises(InvalidInput, match="has no header, and its 6 columns are not those of a known request"):
        read_log(path, format="sacct")
    trace = read_log(path, format="sacct", columns="job=1,submit=2,start=3,run=4,need=5")
    assert (trace.frame.wait[0], trace.frame.run[0], trace.frame.need[0]) == (300.0, 3600.0, 4)


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("JobID|Submit|Elapsed|State", "no column counts cpus among .*; ask sacct for AllocCPUS"),
        ("JobID|State|NNodes|User", "no column for submit and run among .*; ask sacct for Submit"),
    ],
)
def test_what_a_dump_lacks_is_said(tmp_path, header, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        read_log(log_of(tmp_path, header, "1|2024-03-01T08:00:00|00:10:00|COMPLETED"))


def test_it_is_told_from_when_jobs_wait(tmp_path):
    note = "Jobs wait from when they were eligible; --wait-from submit counts from the submission."
    path = log_of(tmp_path, HEADER, row())
    assert note in read_log(path).notes
    assert note not in read_log(path, wait_from="submit").notes
