"""``msj simulate`` and ``msj compare``, run as commands."""

import json

import pytest
from click.testing import CliRunner

from msj.cli.compare import compare
from msj.cli.simulate import simulate
from msj.errors import MsjError

EXAMPLE = "examples/two_servers.toml"


def run(command, *arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


def test_simulate_json_has_the_contract_names():
    done = run(simulate, EXAMPLE, "--load", "0.8", "--jobs", 20_000, "--seed", 1, "--json")
    document = json.loads(done.stdout)
    assert document["outcome"] == "job-limit-reached"
    rows = {(row["name"], row["class"], row["level"]): row for row in document["quantities"]}
    overall = {name for name, job_class, _ in rows if job_class is None}
    assert {
        "mean_response_time", "mean_waiting_time", "mean_jobs_in_system", "mean_jobs_waiting", "waiting_probability",
        "utilisation", "idle_servers_while_jobs_wait", "waiting_time_percentile", "response_time_percentile",
        "preemptions_per_job", "mean_slowdown",
    } <= overall  # fmt: skip
    assert {level for name, _, level in rows if name == "waiting_time_percentile"} == {50, 90, 95, 99, 99.9}
    row = rows["mean_response_time", "small", None]
    assert row["low"] < row["value"] < row["high"]
    assert document["provenance"]["seed"] == 1


def test_unstable_leaves_with_1():
    done = run(simulate, EXAMPLE, "--arrival-rate", "2", "--jobs", 100_000, "--seed", 1)
    assert done.exit_code == 1
    assert "unstable: the queue keeps growing" in done.stdout


def test_a_users_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "def pick(needs, running, remaining, servers, chosen):\n    free = servers\n"
        "    for i in range(len(needs)):\n        if needs[i] <= free:\n"
        "            chosen[i] = True\n            free -= needs[i]\n",
        encoding="utf-8",
    )
    done = run(simulate, EXAMPLE, "--policy", f"{path}:pick", "--jobs", 2_000, "--seed", 1)
    assert done.exit_code == 0
    assert "mean_response_time" in done.stdout


@pytest.mark.parametrize("flags", [("--jobs", 0), ("--precision", 0), ("--policy", "fcsf")])
def test_bad_input_is_a_sentence(flags):
    done = run(simulate, EXAMPLE, *flags)
    assert isinstance(done.exception, MsjError)
    assert done.exception.exit_code == 2


def test_a_negative_seed_is_refused_with_the_option():
    done = run(simulate, EXAMPLE, "--seed", -1)
    assert done.exit_code == 2
    assert "--seed" in done.stderr


def test_compare():
    done = run(compare, EXAMPLE, "--policies", "fcfs,first-fit,server-filling", "--jobs", 20_000, "--seed", 1)
    assert done.exit_code == 0
    assert "server-filling" in done.stdout
    document = json.loads(
        run(compare, EXAMPLE, "--policies", "fcfs,first-fit", "--jobs", 20_000, "--seed", 1, "--json").stdout
    )
    places = [row["at"] for row in document["quantities"] if row["name"] == "mean_response_time_difference"]
    assert places == [{"policy": "first-fit", "baseline": "fcfs"}]


def test_a_comparison_leaves_with_1_only_if_no_policy_takes_the_load():
    flags = ("--jobs", 100_000, "--seed", 1, "--json")
    done = run(compare, EXAMPLE, "--policies", "fcfs,server-filling", "--arrival-rate", "0.97", *flags)
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert [(gap["failure"], gap["at"]) for gap in document["missing"]] == [("unstable", {"policy": "fcfs"})]
    done = run(compare, EXAMPLE, "--policies", "fcfs,server-filling", "--arrival-rate", "1.3", *flags)
    assert done.exit_code == 1
    assert json.loads(done.stdout)["outcome"] == "unstable"
