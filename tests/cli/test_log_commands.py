"""msj log and msj replay as an operator uses them."""

import errno
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from attempt import attempt
from result_in import result_in

from msj.results import Result

EXAMPLE = "examples/logs/small_cluster.swf"
SACCT = "examples/logs/small_cluster_sacct.txt"
ORACLE = Path(__file__).parents[3] / "shared" / "data" / "easy_oracle" / "pyss-EASY-KTH-SP2.swf.gz"


def rows(said):
    return Result.from_dict(json.loads(said))


def without_scripts(path):
    return re.sub(r"<script>.*?</script>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_log_says_what_was_read_and_writes_a_page_that_needs_no_network(run, tmp_path):
    code, out, err = run("log", EXAMPLE, "--out", tmp_path, "--seed", "1")
    assert code == 0
    assert "small_cluster.swf: swf, 2,000 of 2,006 rows used, 32 servers" in out
    assert re.search(r"needs-too-many\s+2\s+needs more servers than there are\s+1312, 1314", out)
    assert "need 32" in out
    page = without_scripts(tmp_path / "small_cluster_log.html")
    assert "written" in err
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    for key in ("time", "queue", "arrivals", "needs", "waits", "estimates", "gantt"):
        assert f'id="{key}-section"' in page


def test_a_full_disk_names_the_page_and_leaves_the_old_one(run, tmp_path, monkeypatch):
    page = tmp_path / "small_cluster_log.html"
    page.write_text("of yesterday", encoding="utf-8")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("msj.store.files.os.fsync", full)
    code, _, err = run("log", EXAMPLE, "--out", tmp_path, "--seed", "1")
    assert code == 2
    assert "small_cluster_log.html' cannot be written (No space left on device); what was there is kept" in err
    assert [file.name for file in tmp_path.iterdir()] == [page.name]
    assert page.read_text(encoding="utf-8") == "of yesterday"


def test_names_in_the_json_of_log(run):
    code, out, _ = run("log", EXAMPLE, "--json", "--seed", "1")
    assert code == 0
    found = rows(out)
    assert (found["jobs_read"], found["jobs_used"], found["servers"]) == (2006, 2000, 32)
    assert sorted(found.places("reason")) == ["bad-line", "needs-too-many", "no-run-time"]
    assert sorted(found.places("order")) == ["log", "shuffled"]
    assert 0 < found["offered_utilisation"] < 1
    assert found.row("mean_waiting_time").kind == "recorded"
    assert result_in(out)


def test_names_in_the_json_of_replay(run):
    code, out, _ = run("replay", EXAMPLE, "--policies", "fcfs,conservative-backfilling", "--json", "--shakes", "2")
    assert code == 0
    found = rows(out)
    assert found.places("policy") == ["fcfs", "conservative-backfilling"]
    part = found.at(policy="conservative-backfilling")
    for name in ("mean_response_time", "mean_waiting_time", "waiting_probability", "mean_slowdown",
                 "mean_bounded_slowdown", "utilisation"):  # fmt: skip
        assert part.row(name).kind == "replayed"
    assert part.row("waiting_time_percentile", None, 95).bracket


def test_a_dump_of_sacct_takes_two_commands(run, tmp_path):
    shutil.copy(SACCT, tmp_path / "jobs.txt")
    code, out, _ = run("log", tmp_path / "jobs.txt", "--out", tmp_path)
    assert code == 0
    assert "400 of 801 rows used, machine size unknown" in out
    assert "say it with --servers N (at most 32 were in use at one moment)" in " ".join(out.split())
    assert re.search(r"step\s+400", out)
    assert "u14" not in out + without_scripts(tmp_path / "jobs_log.html")  # users are named only if asked
    code, _, err = run("replay", tmp_path / "jobs.txt")
    assert code == 2
    assert "say it with --servers N" in err
    code, out, _ = run("replay", tmp_path / "jobs.txt", "--servers", "32", "--shakes", "3", "--seed", "1")
    assert code == 0
    for name in ("as recorded", "fcfs", "easy-backfilling"):
        assert name in out


def test_a_table_with_a_column_map(run):
    code, out, _ = run(
        "log", "examples/logs/small_cluster.csv", "--columns", "submit=queued_at,need=gpus,run=minutes",
        "--time-unit", "min", "--servers", "32", "--json",
    )  # fmt: skip
    assert code == 0
    assert rows(out)["jobs_used"] == 400


def test_jobs_files(run, tmp_path):
    code, _, _ = run("replay", EXAMPLE, "--policies", "fcfs", "--shakes", "0", "--jobs-file", tmp_path / "jobs.swf")
    assert code == 0
    code, out, _ = run("log", tmp_path / "jobs.swf", "--json")
    assert rows(out)["jobs_used"] == 2000


@pytest.mark.parametrize("command", ["analyse", "simulate"])
@pytest.mark.parametrize("file", [EXAMPLE, SACCT])
def test_other_commands_point_to_log(run, command, file):
    code, out, err = run(command, file)
    assert (code, out) == (2, "")
    assert "is a log" in err
    assert "msj log" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["log", "examples/logs/small_cluster.sfw"], "did you mean 'examples/logs/small_cluster.swf'?"),
        (["log", "README.md"], "looks like no log that is known"),
        (["log", "examples/two_servers.toml"], "describes a cluster"),
        (["log", EXAMPLE, "--strict"], "line 1501 has something that is no number: 'this line is damaged'"),
        (["log", EXAMPLE, "--format", "csv"], "is no table"),
        (["log", EXAMPLE, "--servers", "0"], "servers = 0 must be at least 1"),
        (["log", "examples"], "is a folder"),
        (["replay", EXAMPLE, "--policies", "fcsf"], "did you mean 'fcfs'"),
        (["replay", EXAMPLE, "--estimates", "none"], "write exact, requested or factor:2"),
        (["replay", EXAMPLE, "--from", "1e12"], "no job of the log was submitted in this stretch"),
        (["replay", EXAMPLE, "--jobs-file", "x.txt"], "unknown ending"),
    ],
)
def test_mistakes_get_a_sentence(arguments, sentence):
    code, _, err = attempt(*arguments)
    assert code == 2
    assert sentence in err


WORDS = [
    "", " ", "0", "-1", "nan", "inf", "1e999", "a", "\x00", "submit", "submit=", "=a", "submit=99", "é", "x" * 3000,
    "factor:", "factor:nan", "factor:-1", "swf", "csv", "parquet", "sacct", "cpus", "ms", "--",
]  # fmt: skip
FLAGS = [("log", flag) for flag in ("--servers", "--servers-are", "--columns", "--time-unit", "--format", "--seed")]
FLAGS += [("replay", flag) for flag in ("--policies", "--estimates", "--overruns", "--largest-need", "--scale-load",
                                        "--from", "--until", "--shakes", "--levels", "--jobs-file")]  # fmt: skip


@pytest.mark.parametrize(("command", "flag"), FLAGS)
def test_options_with_anything_in_them(command, flag, tmp_path, monkeypatch):
    file = Path(SACCT).absolute()
    monkeypatch.chdir(tmp_path)
    more = ("--shakes=0",) if command == "replay" and flag != "--shakes" else ()
    for word in WORDS if flag != "--jobs-file" else filter(str.isprintable, WORDS):  # no system takes others in a name
        attempt(command, file, "--servers=32", *more, "--json", f"{flag}={word}")


@pytest.mark.skipif(not ORACLE.exists(), reason=f"{ORACLE} is not here")
def test_easy_through_the_command_equals_another_simulator(run):
    code, out, _ = run("replay", ORACLE, "--policies", "easy-backfilling", "--shakes", "0", "--json")
    assert code == 0
    assert rows(out).at(policy="easy-backfilling")["mean_waiting_time"] == pytest.approx(6836.87, rel=1e-3)


def test_report_of_a_log_is_a_page_and_a_text(run, tmp_path):
    code, out, err = run("report", EXAMPLE, "--out", tmp_path, "--seed", "1", "--policies", "easy-backfilling")
    assert code == 0
    assert "Is the backfilling any good?" in out
    assert "small_cluster_report.html" in err
    assert "What can a fit tell?" in without_scripts(tmp_path / "small_cluster_report.html")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([EXAMPLE, "--load", "0.9"], "--load: a log has its own load"),
        ([EXAMPLE, "--unit", "h"], "--unit goes with --json or --csv"),
        ([SACCT], "--servers N"),
    ],
)
def test_report_of_a_log_refuses_what_is_not_about_logs(run, tmp_path, arguments, sentence):
    code, _, err = run("report", *arguments, "--out", tmp_path)
    assert code == 2
    assert sentence in err
