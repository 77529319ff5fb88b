"""``msj sweep`` and ``msj results``: what they print, draw and leave with."""

import json

import pytest

from msj.results import read_csv

TWO = "examples/two_servers.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sweep") / "runs"


def sweep(run, folder, *more):
    return run(
        "sweep", TWO, "--vary", "load=0.5,0.8", "--vary", "servers=2,1", "--processes", "1", "--out", folder, *more
    )


def test_a_sweep_is_kept_and_shown(run, folder):
    code, out, _ = sweep(run, folder)
    assert code == 0
    assert "7.517772" in out
    assert "No answer at servers = 1: class 'large' needs 2 of 1 servers" in " ".join(out.split())
    code, out, _ = run("sweep", "--status", folder, "--json")
    found = json.loads(out)
    assert (code, found["asked"], found["exact"], found["without"], found["waiting"]) == (0, 4, 2, 2, 0)
    code, out, _ = run("sweep", "--status", folder)
    assert "answered exactly" in out


def test_results_can_be_chosen_and_drawn(run, folder, tmp_path):
    sweep(run, folder)
    code, out, _ = run("results", folder, "--csv", "--where", "name=mean_response_time", "--where", "load>0.6")
    assert code == 0
    assert {row.name for row in read_csv(out)} == {"mean_response_time"}
    assert {row.at["load"] for row in read_csv(out)} == {0.8}
    code, _, _ = run("results", folder, "--plot", tmp_path / "sweep.png")
    assert code == 0
    assert (tmp_path / "sweep.png").stat().st_size > 1000


def test_with_csv_the_reason_of_a_missing_answer_is_on_stderr(run):
    words = ("sweep", TWO, "--vary", "load=0.5", "--policies", "first-fit", "--processes", "1", "--jobs", "1000")
    code, out, err = run(*words, "--csv")
    assert code == 0
    assert "mean_response_time" not in {row.name for row in read_csv(out)}
    assert "No response times" in err
    assert "allow more jobs" in err


def test_pruning_says_what_went(run, folder):
    sweep(run, folder)
    assert run("sweep", "--prune", folder)[0] == 0
    assert "7.517772" in run("results", folder)[1]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("sweep",), "no FILE is given"),
        (("sweep", TWO, "--vary", "lode=0.5"), "'lode' cannot be varied"),
        (("sweep", TWO, "--shard", "7/3"), "beyond the last part"),
        (("sweep", TWO, "--policies", "fcfz"), "fcfz"),
        (("sweep", TWO, "--threads", "2", "--dask", "tcp://127.0.0.1:1"), "several ways to compute"),
        (("sweep", TWO, "--processes", "2", "--dask", "tcp://127.0.0.1:1"), "several ways to compute"),
        (("sweep", TWO, "--processes", "2", "--threads", "2"), "several ways to compute"),
        (("sweep", "--status", "nowhere"), "'nowhere' is no folder of a sweep"),
        (("results", "nowhere"), "'nowhere' is no folder of a sweep"),
        (("sweep", "--grid", "nowhere.toml"), "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(run, words, reason):
    code, _, err = run(*words)
    assert code == 2
    assert reason in err
    assert "Traceback" not in err
