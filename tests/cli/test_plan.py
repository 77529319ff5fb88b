"""``msj plan`` on the command line."""

import json

import pytest
from result_in import result_in
from test_cli import EXAMPLE

from msj.results import read_csv

LOG = "examples/logs/small_cluster.swf"


def test_the_answer_is_one_sentence_then_the_points_tried(run):
    code, out, _ = run("plan", EXAMPLE, "--target", "p95 wait <= 3")
    assert code == 0
    assert out.startswith("two servers: 4 servers under fcfs: the smallest size that meets p95 wait <= 3,")
    assert [line.split()[0] for line in out.splitlines() if line.endswith("exact")] == ["2", "3", "4", "5"]
    assert "Counting server-hours (1.44 busy servers) says 2" in out
    assert "The cluster has 2: 2 are missing." in out


def test_programs_get_the_answer_and_the_points_as_rows(run):
    _, out, _ = run("plan", EXAMPLE, "--target", "p95 wait <= 3", "--json")
    found = result_in(out)
    assert found["planned_servers"] == 4
    assert found["naive_servers"] == 2  # 0.72 jobs per unit of time bring 2 server-units each
    assert found["spare_servers"] == 2 - 4
    assert json.loads(out)["notes"][0].startswith("4 servers under fcfs")
    assert found.at(servers=3)["meets_targets"] == 0
    assert found.at(quantity="target")["waiting_time_percentile", None, 95] == 3
    _, out, _ = run("plan", EXAMPLE, "--target", "p95 wait <= 3", "--csv")
    assert {row.at["servers"] for row in read_csv(out) if row.name == "meets_targets"} == {2, 3, 4, 5}


def test_what_cannot_be_met_leaves_with_one(run):
    code, out, _ = run("plan", EXAMPLE, "--target", "mean response <= 1")
    assert code == 1
    assert "the mean run time alone is 1.33333" in out.replace("\n", " ")


def test_a_log_is_planned_by_replay(run):
    code, out, _ = run("plan", LOG, "--target", "mean wait <= 1 h", "--policies", "fcfs", "--json", "--seed", "1")
    assert code == 0
    found = result_in(out)
    assert found.row("planned_servers").kind == "replayed"
    assert found.time_unit == "seconds"


def test_picture_and_page_show_every_point(run, tmp_path):
    picture, page = tmp_path / "plan.png", tmp_path / "plan.html"
    asked = ("--target", "p95 wait <= 3", "--target", "mean response[class=large] <= 4")
    code, _, err = run("plan", EXAMPLE, *asked, "--policies", "fcfs,server-filling", "--plot", picture, "--html", page)
    assert code == 0
    assert "drawn" in err
    assert picture.stat().st_size > 10_000
    text = page.read_text()
    assert "data:image/svg+xml;base64," in text
    assert "the smallest size that meets all 2 targets" in text
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Missing option '--target'"),
        (("--target", "p95 wait <= 2 h"), "two_servers.toml: target 'p95 wait <= 2 h': limit = '2 h' has a unit"),
        (("--target", "mean wait[class=big] <= 2"), "no class is called 'big'"),
        (("--target", "mean wait <= 2", "--vary", "speed"), "vary = 'speed' cannot be planned"),
        (("--target", "mean wait <= 2", "--growth", "much"), "write it like '20 %/year'"),
        (("--target", "mean wait <= 2", "--plot", "plan.gif"), "end its name in .png"),
        (("--target", "mean wait <= 2", "--html", "nowhere/plan.html"), "no folder 'nowhere'"),
    ],
)
def test_mistakes_are_told_with_the_fix(run, options, said):
    code, _, err = run("plan", EXAMPLE, *options)
    assert code == 2
    assert said in err.replace("\n", " ")
