"""Models on the command line."""

import json
from pathlib import Path

import pytest

from msj.registry import MODELS

EXAMPLES = Path(__file__).parents[2] / "examples" / "models"


def test_models_are_listed(run):
    code, out, _ = run("list", "models")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:] if line[0] != " "] == list(MODELS.names())
    assert max(map(len, out.splitlines())) <= 80
    _, out, _ = run("list", "models", "--json")
    assert {row["name"]: row["keys of a class"] for row in json.loads(out)}[
        "server-groups"
    ] == "groups, span, resources"


@pytest.mark.parametrize("name", MODELS.names())
def test_one_model_says_which_keys_it_takes(run, name):
    code, out, _ = run("list", "models", name)
    assert code == 0
    assert f"{name}: {MODELS.get(name).summary}" in out
    assert all(key in out for key in MODELS.get(name).class_keys)


def test_a_file_says_which_model_it_has_chosen(run):
    _, out, _ = run("list", "models", EXAMPLES / "stages.toml", "--json")
    assert [row["name"] for row in json.loads(out) if row["chosen"] != "no"] == ["stages"]
    _, out, _ = run("list", "policies", EXAMPLES / "preemption_cost.toml", "--json")
    assert [row["name"] for row in json.loads(out) if row["applies"] == "yes"] == ["divisor-filling", "server-filling"]
    _, out, _ = run("list", "analyses", EXAMPLES / "stages.toml", "--json")
    assert [row["name"] for row in json.loads(out) if row["applies"].startswith("yes")] == [
        "finite-skip-chain",
        "finite-skip-response",
        "reset-terms",
        "symbolic",
    ]


def test_a_model_that_cannot_be_solved_says_why(run, tmp_path):
    text = (EXAMPLES / "fork_join.toml").read_text(encoding="utf-8")
    file = tmp_path / "uniform.toml"
    file.write_text(text.replace('"exponential", mean = 1', '"uniform", low = 1, high = 2'), encoding="utf-8")
    _, out, _ = run("list", "models", file, "--json")
    chosen = {row["name"]: row["chosen"] for row in json.loads(out)}
    assert "not phase type" in chosen["fork-join"]
    code, out, _ = run("analyse", file)
    assert code == 0
    assert "not phase type" in " ".join(out.split())
    file.write_text(text.replace("servers = 6", 'servers = 6\npolicy = "first-fit"'), encoding="utf-8")
    code, _, err = run("analyse", file)
    assert code == 2
    assert "model 'fork-join' goes with policy 'fcfs', not 'first-fit'; set policy = 'fcfs'" in err
    file.write_text(text.replace('"fork-join"', '"fork-joint"'), encoding="utf-8")
    code, _, err = run("analyse", file)
    assert code == 2
    assert "uniform.toml: model: unknown model 'fork-joint'; did you mean 'fork-join'?" in err


def test_a_command_that_knows_plain_clusters_only_says_so(run):
    for name, called in (("set_up", "set-up"), ("combined", "server-groups + set-up + preemption-cost + stages")):
        code, _, err = run("region", EXAMPLES / f"{name}.toml")
        assert code == 2
        assert f"the region is that of plain clusters and the model is '{called}'" in err
