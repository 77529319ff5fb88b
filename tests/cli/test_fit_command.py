"""msj fit as an operator uses it."""

import json

import pytest

import msj
from msj.results import Result

EXAMPLE = "examples/logs/small_cluster.swf"


def test_fit_writes_a_spec_file_that_other_commands_take(run, tmp_path):
    spec = tmp_path / "cluster.toml"
    code, out, err = run("fit", EXAMPLE, "-o", spec, "--classes", "2", "--draws", "2", "--seed", "1")
    assert code == 0
    assert f"written: {spec}" in err
    assert "nearer to the replay in" in out
    assert [c.need for c in msj.read(spec).classes] == [3, 32]
    code, out, _ = run("simulate", spec, "--jobs", "2000", "--seed", "1")
    assert code in (0, 1)


def test_names_in_the_json_of_fit(run):
    code, out, _ = run("fit", EXAMPLE, "--json", "--seed", "1", "--draws", "2", "--policies", "fcfs")
    found = Result.from_dict(json.loads(out))
    assert code == 0
    assert sorted(found.places("workload")) == ["dependent fit", "independent fit", "replay"]
    assert found["share", "need 1"] == 0.282


def test_a_fit_is_asked_again(run, tmp_path):
    _, out, _ = run("fit", EXAMPLE, "--json", "--seed", "1", "--draws", "2", "--policies", "fcfs")
    (tmp_path / "fit.json").write_text(out, encoding="utf-8")
    again = msj.rerun(tmp_path / "fit.json")
    assert again.quantities == Result.from_dict(json.loads(out)).quantities


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "cluster.json"], "call it something.toml"),
        (["-o", "README.md/cluster.toml"], "its folder cannot be made"),
        (["--durations", "gamma"], "'gamma' is no law to fit"),
        (["--arrivals", "dayly"], "did you mean 'daily'?"),
        (["--order", "random"], "'random' is no order to fit"),
        (["--by", "colour"], "the log has no such column"),
        (["--held-out", "1.5"], "between 0 and 1"),
        (["--classes", "0"], "classes = 0 must be at least 1"),
        (["--scale-load", "-1"], "scale_load"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_words(run, arguments, said):
    code, _, err = run("fit", EXAMPLE, *arguments)
    assert code == 2
    assert said in err


def test_a_log_without_a_size_is_asked_for_it(run):
    code, _, err = run("fit", "examples/logs/small_cluster_sacct.txt")
    assert code == 2
    assert "--servers N" in err
