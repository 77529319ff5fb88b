"""Every answering command prints the same document, and what it prints can be asked again."""

import json
from importlib.resources import files

import jsonschema
import pytest

import msj
from msj.cli import COMMANDS as EVERY_COMMAND
from msj.cli.scaling import COMMANDS as SCALING
from msj.results import Result, quantities_from, read_csv

SCHEMA = json.loads(files("msj.results").joinpath("schema.json").read_text(encoding="utf-8"))
TWO = "examples/two_servers.toml"
SMALL = ("--jobs", "20000", "--seed", "3")
COMMANDS = {
    "analyse": ("analyse", TWO, "--states", "3", "--law", "4"),
    "analyse without a load": ("analyse", "no_load.toml"),
    "analyse too much": ("analyse", TWO, "--arrival-rate", "1.2"),
    "curve": ("curve", TWO, "--loads", "0,0.5,0.9"),
    "simulate": ("simulate", TWO, *SMALL),
    "simulate too much": ("simulate", TWO, *SMALL, "--arrival-rate", "1.2"),
    "compare": ("compare", TWO, "--policies", 'fcfs,{ name = "first-fit", window = 2 },server-filling', *SMALL),
    "compare, one of them growing": (
        "compare", "examples/hpc_partition.toml", "--utilisation", "0.8", "--policies", "first-fit,fcfs", "--jobs",
        "100000", "--seed", "1",
    ),
    "sweep": ("sweep", TWO, "--vary", "load=0.5,0.8", "--policies", "fcfs,first-fit", "--precision", "0.5",
              "--processes", "1", "--out", "runs"),
    "results": ("results", "runs"),
    "log": ("log", "examples/logs/small_cluster.swf", "--seed", "1"),
    "replay": ("replay", "examples/logs/small_cluster.swf", "--policies", "fcfs,easy-backfilling", "--shakes", "2"),
    "fit": ("fit", "examples/logs/small_cluster.swf", "--classes", "2", "--draws", "1", "--policies", "fcfs",
            "--seed", "1"),
    "plan": ("plan", TWO, "--target", "mean wait <= 1", "--seed", "1"),
    "region": ("region", TWO, "--points", "4"),
    "design": ("design", TWO),
    "analyse, what has no theorem": ("analyse", "easy.toml"),
    "curve, simulated": ("curve", "easy.toml", "--loads", "0,0.5", *SMALL),
    "waste": ("waste", TWO, "--vary", "share:large=0..1", "--points", "20"),
    "waste by servers": ("waste", TWO, "--vary", "servers=2..8"),
    "waste by ratio": ("waste", TWO, "--vary", "rate-ratio=0.1..10", "--points", "20"),
    "scaling one-and-n": ("scaling", "one-and-n", "--share", "n^-0.5", "--servers", "64..1e6", "--points", "3"),
    "scaling cluster": ("scaling", "cluster", TWO, "--servers", "2,4", "--seed", "1"),
    "scaling cluster, too small": (
        "scaling", "cluster", TWO, "--servers", "2,8", "--keep", "rate", "--arrival-rate", "1.5", "--seed", "1",
    ),
    "scaling zero-queueing": ("scaling", "zero-queueing", TWO, "--jobs", "20000", "--seed", "1"),
    "scaling zero-queueing of a family": (
        "scaling", "zero-queueing", "--needs", "1,sqrt(n)", "--alpha", "0.1", "--servers", "16,36", "--jobs", "20000",
        "--seed", "1",
    ),
    "fluid": ("fluid", TWO, "--until", "5", "--servers", "64", "--paths", "2", "--seed", "1"),
    "symbolic": ("symbolic", TWO),
    "symbolic with parameters": ("symbolic", TWO, "--parameters", "mu1,mu2"),
    "paper": ("paper", "reset", "section-4-1", "--out", "figures"),
    "report": ("report", TWO, "--precision", "0.3", "--seed", "1", "--policies", "first-fit", "--seconds", "500"),
}  # fmt: skip
SILENT = ("check", "completion", "explore", "list", "new", "rerun", "scaling")  # answer nothing themselves
IN_A_FOLDER = ("no_load.toml", "easy.toml", "figures", "runs")  # of the test's own
NO_LOAD = """
servers = 2
[[classes]]
name = "all"
need = 1
share = 1
duration = { law = "exponential", mean = 1 }
"""
EASY = """
servers = 4
policy = "easy-backfilling"
utilisation = 0.5
[[classes]]
name = "one"
need = 1
share = 0.5
duration = { law = "lognormal", mean = 1, cv = 1 }
[[classes]]
name = "four"
need = 4
share = 0.5
duration = { law = "lognormal", mean = 1, cv = 1 }
"""


def test_every_answering_command_is_here():
    asked = {words[:2] if words[0] == "scaling" else words[:1] for words in COMMANDS.values()}
    answering = {(name,) for name in EVERY_COMMAND if name not in SILENT}
    assert asked == answering | {("scaling", name) for name in SCALING}


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """What each command printed, asked once."""
    return {}


@pytest.fixture
def document(request, run, documents, monkeypatch, tmp_path):
    monkeypatch.setattr("msj.reports.response.SIMULATED_AT", (0.5,))
    monkeypatch.setattr("msj.reports.outlook.TIMES", (1, 2))
    name = request.param
    if name not in documents:
        (tmp_path / "no_load.toml").write_text(NO_LOAD)
        (tmp_path / "easy.toml").write_text(EASY)
        if COMMANDS[name][0] == "results":
            msj.sweep(TWO, vary="load=0.5,0.8", out=tmp_path / "runs")
        words = [str(tmp_path / word) if word in IN_A_FOLDER else word for word in COMMANDS[name]]
        code, out, err = run(*words, "--json")
        documents[name] = (code, json.loads(out), err)
    return (name, *documents[name])


every_command = pytest.mark.parametrize("document", COMMANDS, indirect=True, ids=str)


@every_command
def test_json_keeps_the_schema(document):
    _, code, found, _ = document
    jsonschema.validate(found, SCHEMA)
    assert code == (1 if found["outcome"] == "unstable" else 0)
    assert found["message"]


@every_command
def test_json_is_a_result(document):
    _, _, found, _ = document
    result = Result.from_dict(found)
    extra = {"title", "stable", "load", "findings", "figures"}
    assert {key: value for key, value in found.items() if key not in extra} == result.to_dict()


@every_command
def test_csv_and_frame_can_be_read_back(document):
    _, _, found, _ = document
    result = Result.from_dict(found)
    for rows in (read_csv(result.to_csv()), quantities_from(result.to_frame().to_dict("records"))):
        assert [row.to_dict(result.time_unit) for row in rows] == found["quantities"]


@every_command
def test_every_row_can_be_selected(document):
    """No two rows of a result have the same name, class, level and place."""
    _, _, found, _ = document
    keys = [
        (row["name"], row["class"], row["level"], json.dumps(row["at"]), row["kind"]) for row in found["quantities"]
    ]
    assert len(set(keys)) == len(keys)


@every_command
def test_asked_again_it_gives_equal_numbers(document, run, tmp_path):
    _, code, found, _ = document
    path = tmp_path / "result.json"
    path.write_text(json.dumps(found))
    again_code, out, _ = run("rerun", path, "--json")
    again = json.loads(out)
    assert again_code == code
    assert again["quantities"] == found["quantities"]
    assert again["system"] == found["system"]
    assert again["outcome"] == found["outcome"]


@pytest.mark.parametrize("name", ["compare", "analyse", "waste by servers", "fluid"])
def test_csv_holds_every_row(name, run):
    code, out, _ = run(*COMMANDS[name], "--csv")
    assert code == 0
    rows = read_csv(out)
    _, document, _ = run(*COMMANDS[name], "--json")
    assert rows == Result.from_dict(json.loads(document)).quantities


def test_rows_of_a_comparison_stand_at_their_policy_and_baseline(run):
    _, out, _ = run(*COMMANDS["compare"], "--json")
    result = Result.from_dict(json.loads(out))
    assert result.places("policy") == ["fcfs", "first-fit (window = 2)", "server-filling"]
    difference = result.at(policy="server-filling", baseline="fcfs")["mean_response_time_difference"]
    means = [result.at(policy=p)["mean_response_time"] for p in ("server-filling", "fcfs")]
    assert difference == pytest.approx(means[0] - means[1])


@pytest.mark.parametrize("seed", [{"rng": 5}, {"seed": 5}])
def test_seed_and_rng_mean_the_same(seed):
    first = msj.simulate(TWO, jobs=10_000, seed=5)
    assert msj.simulate(TWO, jobs=10_000, **seed).quantities == first.quantities


def test_a_spawned_seed_is_recorded_whole():
    import numpy as np

    child = np.random.SeedSequence(9).spawn(3)[2]
    first = msj.simulate(TWO, jobs=10_000, rng=child)
    assert first.provenance["seed"] == {"entropy": 9, "spawn_key": [2]}
    assert msj.rerun(first).quantities == first.quantities
    assert msj.simulate(TWO, jobs=10_000, rng=9).quantities != first.quantities


def test_rerun_refuses_what_is_no_question(run, tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    code, _, err = run("rerun", path)
    assert code == 2
    assert "no question in this document's provenance" in err
    path.write_text('{"provenance": {"question": {"verb": "exec", "options": {}}}}')
    code, _, err = run("rerun", path)
    assert code == 2
    assert "'exec' cannot be asked again" in err
