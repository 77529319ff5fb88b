"""--unit and --servers: the same answers in another unit, by whichever command; more servers get no more jobs."""

import json

import pytest

from msj.results import Result
from msj.results.units import DIMENSIONS

HOURS = """
name = "two"
time_unit = "hours"
servers = 2
load = 0.8
[[classes]]
name = "small"
need = 1
share = "2/3"
duration = { law = "exponential", mean = "60 min" }
[[classes]]
name = "large"
need = 2
share = "1/3"
duration = { law = "exponential", mean = 2 }
"""
COMMANDS = {
    "analyse": ("--states", "2", "--law", "2"),
    "curve": ("--loads", "0.5,0.9"),
    "simulate": ("--jobs", "20000", "--seed", "3"),
    "compare": ("--policies", "fcfs,first-fit", "--jobs", "20000", "--seed", "3"),
    "region": ("--points", "3"),
    "waste": ("--vary", "share:large=0..1", "--points", "5"),
    "scaling cluster": ("--servers", "2,4", "--seed", "1"),
    "scaling zero-queueing": ("--jobs", "20000", "--seed", "1"),
    "fluid": ("--until", "5 h", "--servers", "64", "--paths", "2", "--seed", "1"),
    "symbolic": (),
}


@pytest.fixture
def hours(tmp_path):
    path = tmp_path / "hours.toml"
    path.write_text(HOURS)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_unit_converts_every_row_by_its_dimension(run, hours, command):
    """Both are computed, in hours and in minutes: a wrong dimension in the glossary would show."""
    found = []
    for unit in ((), ("--unit", "min")):
        code, out, err = run(*command.split(), hours, *COMMANDS[command], *unit, "--json")
        assert code == 0, err
        found.append(Result.from_dict(json.loads(out)))
    first, second = found
    assert (first.time_unit, second.time_unit) == ("hours", "minutes")
    assert len(first) == len(second) > 0
    timed = 0
    for row, there in zip(first, second, strict=True):
        wanted = row.rescaled(60.0)
        loose = 0.02 if row.level is not None and row.kind == "simulated" else 1e-6  # bins are powers of two
        assert (there.name, there.job_class, there.level) == (row.name, row.job_class, row.level)
        assert there.value == pytest.approx(wanted.value, rel=loose, abs=1e-7 * 60, nan_ok=True), row.name
        for name, place in there.at.items():
            assert place == pytest.approx(wanted.at[name], rel=1e-9) if isinstance(place, float) else True
        timed += bool(DIMENSIONS[row.dimension])
    assert timed > 0 or command == "scaling zero-queueing"  # which speaks of probabilities


def test_log_and_replay_convert_what_programs_read(run):
    for command, more in (
        ("log", ()),
        ("replay", ("--policies", "fcfs", "--shakes", "0")),
        ("fit", ("--held-out", "0")),
    ):
        given = (command, "examples/logs/small_cluster.swf", "--seed", "1", "--json")
        seconds = Result.from_dict(json.loads(run(*given, *more)[1]))
        hours = Result.from_dict(json.loads(run(*given, *more, "--unit", "h")[1]))
        assert (seconds.time_unit, hours.time_unit) == ("seconds", "hours")
        for row, there in zip(seconds, hours, strict=True):
            assert there.value == pytest.approx(row.rescaled(1 / 3600).value, rel=1e-12)
    code, _, err = run("log", "examples/logs/small_cluster.swf", "--unit", "h")
    assert (code, "goes with --json or --csv" in err) == (2, True)


def test_rates_and_times_on_the_command_line_have_units(run, hours):
    _, out, _ = run("analyse", hours, "--arrival-rate", "12 per day", "--csv")
    assert "\narrival_rate,,,0.5," in out
    code, _, err = run("simulate", hours, "--time", "1 per h", "--jobs", "100")
    assert (code, "--time = '1 per h' is a rate, and a time is wanted" in err) == (2, True)
    code, _, err = run("analyse", "examples/two_servers.toml", "--arrival-rate", "12 per day")
    assert (code, "has a unit and the file has none; add time_unit = 'days' there" in err) == (2, True)
    code, _, err = run("analyse", "examples/two_servers.toml", "--unit", "h")
    assert (code, "add time_unit = 'hours'" in err) == (2, True)
    code, _, err = run("analyse", hours, "--unit", "hrs_")
    assert (code, "unit = 'hrs_' is no unit of time that msj knows; did you mean 'hrs'?" in err) == (2, True)


def test_more_servers_get_as_many_jobs_as_before_and_it_is_said(run, hours):
    code, out, err = run("analyse", hours, "--servers", "4", "--json")
    rate = Result.from_dict(json.loads(out))["arrival_rate"]
    assert (code, rate) == (0, pytest.approx(0.72, rel=1e-12))
    assert "as many jobs arrive as before: 0.72 jobs per hour, which is load 0.8 on 2 servers" in err
    _, out, err = run("analyse", hours, "--servers", "4", "--load", "0.8", "--json")
    assert Result.from_dict(json.loads(out))["load"] == pytest.approx(0.8, rel=1e-9)  # said for the cluster asked about
    assert "as before" not in err


def test_fewer_servers_than_a_job_needs_are_refused_with_the_file(run, hours):
    code, _, err = run("simulate", hours, "--servers", "1")
    assert (code, "hours.toml" in err, "class 'large' needs 2 of 1 servers" in err) == (2, True, True)
