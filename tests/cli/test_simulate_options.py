"""What only the command line of the simulation adds: policies with options, loads as shares of a threshold."""

import json
from pathlib import Path

import pytest
from test_cli import EXAMPLE

from msj.results import Result


def test_policies_with_options_on_the_command_line(run):
    table = '{ name = "first-fit", window = 1 }'
    code, out, _ = run("compare", EXAMPLE, "--policies", f"fcfs,{table}", "--jobs", 20_000, "--seed", 3, "--json")
    assert code == 0
    assert Result.from_dict(json.loads(out)).places("policy") == ["fcfs", "first-fit (window = 1)"]
    code, _, err = run("simulate", EXAMPLE, "--policy", "{ name = first-fit }", "--jobs", 100)
    assert code == 2
    assert "is not a table" in err


def test_load_is_a_share_of_the_threshold_of_the_files_own_policy(run, tmp_path):
    text = Path(EXAMPLE).read_text(encoding="utf-8")
    filling = tmp_path / "filling.toml"
    filling.write_text(text.replace('policy = "fcfs"', 'policy = "server-filling"'), encoding="utf-8")
    _, out, _ = run("simulate", filling, "--jobs", 1000, "--seed", 1, "--json")
    rows = {row["name"]: row["value"] for row in json.loads(out)["quantities"] if row["class"] is None}
    assert rows["arrival_rate"] == pytest.approx(0.8 * 1.0)  # ServerFilling wastes nothing: lambda* is naive
    weight = tmp_path / "weight.toml"
    weight.write_text(text.replace('policy = "fcfs"', 'policy = "greedy-srpt"'), encoding="utf-8")
    code, _, err = run("simulate", weight, "--jobs", 1000)
    assert code == 2
    assert "give utilisation or arrival_rate instead" in err


def test_a_difference_is_that_of_the_means_shown(run):
    flags = ["--policies", "fcfs,first-fit", "--jobs", 20_000, "--seed", 3, "--json"]
    found = Result.from_dict(json.loads(run("compare", EXAMPLE, *flags)[1]))
    means = {policy: found.at(policy=policy)["mean_response_time"] for policy in ("fcfs", "first-fit")}
    row = found.at(baseline="fcfs").row("mean_response_time_difference")
    assert row.value == pytest.approx(means["first-fit"] - means["fcfs"], rel=1e-12)
    assert row.low < row.value < row.high < 0


def test_more_servers_than_a_simulation_keeps_track_of(run, tmp_path):
    path = tmp_path / "huge.toml"
    text = Path(EXAMPLE).read_text(encoding="utf-8").replace("servers = 2", "servers = 10000000000000")
    path.write_text(text.replace("load = 0.8", "utilisation = 0.5"), encoding="utf-8")
    code, _, err = run("simulate", path, "--jobs", 100)
    assert code == 2
    assert "1e+13 servers are more than a simulation keeps track of" in err


def test_controls_can_be_left_out(run):
    command = ("simulate", "examples/two_servers.toml", "--jobs", 50000, "--seed", 1)
    code, out, _ = run(*command)
    assert (code, "variance_reduction" in out) == (0, True)
    code, out, _ = run(*command, "--no-controls")
    assert (code, "variance_reduction" in out) == (0, False)
