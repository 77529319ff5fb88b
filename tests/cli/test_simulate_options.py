"""What only the command line of the simulation adds: policies with options, loads as shares of a threshold."""

import json
from pathlib import Path

import pytest
from test_cli import EXAMPLE


def test_policies_with_options_on_the_command_line(run):
    table = '{ name = "first-fit", window = 1 }'
    code, out, _ = run("compare", EXAMPLE, "--policies", f"fcfs,{table}", "--jobs", 20_000, "--seed", 3, "--json")
    assert code == 0
    assert list(json.loads(out)["results"]) == ["fcfs", "first-fit (window = 1)"]
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
    weight.write_text(text.replace('policy = "fcfs"', 'policy = "max-weight"'), encoding="utf-8")
    code, _, err = run("simulate", weight, "--jobs", 1000)
    assert code == 2
    assert "give utilisation or arrival_rate instead" in err
