"""Every command reads the same spec file, and the same log, in one way: by one rule and with the same options."""

import json
from pathlib import Path

import pytest

import msj
from msj.cli import msj as program
from msj.options import ReadOptions, fields_of
from msj.web.recorded import Recording

SPEC = Path("examples/two_servers.toml").read_text()
BEGIN = 1_709_251_200  # 2024-03-01 00:00
ROWS = [(BEGIN + 3600 * hour, 1 + hour % 3, 600 + 300 * (hour % 5)) for hour in range(40)]
TABLE = "\n".join(["when;size;took", *(f"{when};{size};{took}" for when, size, took in ROWS)])
READING = ("--columns", "submit=when,need=size,run=took", "--servers", "4", "--from", "7200", "--until", "2024-03-02")
FLAGS = {(*one.metadata["flags"], f"--{one.name.replace('_', '-')}")[0] for one in fields_of(ReadOptions)}
JOBS = 22  # from the third hour to the last of the first day

OF_SPECS = {
    "analyse": (), "simulate": ("--jobs", 1000), "compare": ("--policies", "fcfs,first-fit", "--jobs", 1000),
    "curve": ("--loads", "0.5"), "region": ("--points", 3), "design": (), "waste": ("--vary", "servers=2..3"),
    "plan": ("--target", "mean wait <= 5"), "fluid": ("--until", 2), "sweep": ("--vary", "load=0.5", "--processes", 1),
    "report": ("--seconds", 1, "--policies", "first-fit"), "symbolic": (), "check": (),
}  # fmt: skip
OF_LOGS = {
    "log": (), "replay": ("--shakes", 0), "fit": ("--held-out", 0), "report": (),
    "plan": ("--target", "mean wait <= 9 h"), "check": (),
}  # fmt: skip


@pytest.mark.parametrize("command", OF_SPECS)
def test_every_command_reads_a_spec_file_whatever_its_name(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    found = []
    for name in ("spec.toml", "spec.txt"):
        Path(name).write_text(SPEC)
        code, out, err = run(command, name, *OF_SPECS[command], "--json")
        assert code == 0, err
        document = json.loads(out)
        found.append(document if command == "check" else [document["system"], document["provenance"]["question"]])
    assert found[0] == found[1] or command == "sweep"  # a sweep records the names of its files
    if command == "check":
        assert (found[0]["kind"], found[0]["servers"]) == ("spec file", 2)


@pytest.mark.parametrize("command", OF_LOGS)
def test_every_command_reads_a_log_with_the_same_options(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for name in ("jobs.csv", "jobs.txt", "jobs.toml"):  # columns say that it is a log
        Path(name).write_text(TABLE)
        code, out, err = run(command, name, *OF_LOGS[command], *READING, "--json")
        assert code == 0, err
        document = json.loads(out)
        read = document if command == "check" else {**document["provenance"], **document["system"]}
        assert (read.get("replayed_jobs", read.get("jobs")), read["servers"]) == (JOBS, 4)


def test_python_and_the_page_read_the_log_as_the_commands_do(tmp_path):
    path = tmp_path / "jobs.txt"
    path.write_text(TABLE)
    reading = {"columns": READING[1], "servers": 4, "from_time": 7200, "until_time": "2024-03-02"}
    assert len(msj.read_log(path, **reading)) == JOBS
    assert len(Recording.from_json(Recording(file=path, reading=reading).to_json()).trace) == JOBS
    found = msj.plan(path, targets="mean wait <= 9 h", **reading)
    assert found.provenance["replayed_jobs"] == JOBS
    assert msj.rerun(found).quantities == found.quantities


@pytest.mark.parametrize("command", [*OF_LOGS, "explore"])
def test_every_command_that_takes_a_log_has_all_options_for_reading(command):
    flags = {flag for one in program.get_command(None, command).params for flag in one.opts}
    assert flags >= FLAGS


@pytest.mark.parametrize("command", ["plan", "report", "check", "explore"])
def test_options_for_logs_are_refused_with_a_spec_file(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("spec.txt").write_text(SPEC)
    code, _, err = run(command, "spec.txt", *OF_SPECS.get(command, ()), "--wait-from", "submit")
    assert code == 2
    assert "--wait-from is for logs, and this is a spec file" in err


@pytest.mark.parametrize("command", sorted(OF_SPECS.keys() - OF_LOGS.keys()))
def test_a_log_is_refused_where_a_cluster_is_asked_about(run, command):
    code, _, err = run(command, "examples/logs/small_cluster.swf", *OF_SPECS[command])
    assert code == 2
    assert "is a log, and this question is about the description of a cluster" in err


@pytest.mark.parametrize("command", ["log", "replay", "fit"])
def test_a_spec_file_is_refused_where_a_log_is_asked_about(run, command):
    code, _, err = run(command, "examples/two_servers.toml")
    assert code == 2
    assert "two_servers.toml: describes a cluster" in err
