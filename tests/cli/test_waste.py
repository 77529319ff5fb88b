"""``msj waste``, run as users run it."""

import csv
import io
import json
import subprocess
import sys

import pytest

from msj.analysis.waste_curve import waste_curve
from msj.model import read

EXAMPLE = "examples/two_servers.toml"
SHARE = "share:large=0..1"


def test_a_table_and_the_extrema_in_words(run):
    code, out, err = run("waste", EXAMPLE, "--vary", SHARE)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "two servers: waste for share:large=0..1"
    assert lines[2].split() == ["share:large", "wasted", "servers", "utilisation", "threshold", "extremum"]
    table = {line.split()[0]: line.split()[1:] for line in lines[3:25]}
    assert table["0.5"] == ["0.181818", "0.909091", "0.727273"]
    assert table["0.333333"] == ["0.2", "0.9", "0.9", "pessimum"]
    assert "pessimum at share:large = 0.333333: 0.2 of 2 servers wasted, utilisation 90 %, threshold 0.9" in lines
    assert "optimum at the end, share:large = 1: 0 of 2 servers wasted, utilisation 100 %, threshold 0.5" in lines
    assert "exact, by 1-and-n sums (lfms, Lemmas 5.1-5.5)" in lines


def test_servers_each_of_their_own_number(run):
    _, out, _ = run("waste", EXAMPLE, "--vary", "servers=2..4")
    assert "pessimum at servers = 3: 0.488372 of 3 servers wasted" in out
    assert "--csv" not in out  # nothing was left out


def test_many_extrema_are_cut_on_the_terminal_only(run, tmp_path):
    path = tmp_path / "cluster.toml"
    path.write_text(
        'servers=40\n[[classes]]\nname="a"\nneed=7\nshare=1\nduration={law="exponential", mean=1}\n', encoding="utf-8"
    )
    _, out, _ = run("waste", path, "--vary", "servers=7..202")
    assert out.startswith("system: waste for servers=7..202")
    assert len(out.splitlines()) < 80
    assert "... and 36 shallower ones; --json lists all" in out
    _, out, _ = run("waste", path, "--vary", "servers=7..202", "--json")
    assert len(json.loads(out)["extrema"]) == 56  # 28 multiples of 7 and the numbers before them


def test_a_flat_curve_says_so(run, tmp_path):
    path = tmp_path / "cluster.toml"
    path.write_text(
        'servers=4\n[[classes]]\nname="a"\nneed=1\nshare=1\nduration={law="exponential", mean=1}\n', encoding="utf-8"
    )
    _, out, _ = run("waste", path, "--vary", "servers=2..9")
    assert "0 servers are wasted throughout: no optimum and no pessimum" in out


def test_csv_and_json_have_every_point_and_digit(run):
    curve = waste_curve(read(EXAMPLE), SHARE)
    _, out, err = run("waste", EXAMPLE, "--vary", SHARE, "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [float(row["wasted_servers"]) for row in rows] == curve.wasted_servers.tolist()
    assert err == ""
    _, out, _ = run("waste", EXAMPLE, "--vary", SHARE, "--json")
    document = json.loads(out)
    assert {"system", "vary", "extrema", "points", "provenance"} == set(document)
    assert [row["stability_threshold"] for row in document["points"]] == curve.stability_threshold.tolist()
    assert document["extrema"][1]["kind"] == "pessimum"
    assert document["vary"] == SHARE


def test_points_and_method(run):
    _, out, _ = run("waste", EXAMPLE, "--vary", SHARE, "--points", "20", "--method", "chain", "--json")
    points = json.loads(out)["points"]
    assert len(points) < 30
    assert {row["method"] for row in points} == {"saturated chain"}


def test_the_plot_is_a_message_and_not_a_result(run, tmp_path):
    path = tmp_path / "waste.svg"
    code, out, err = run("waste", EXAMPLE, "--vary", "rate-ratio=0.1..10", "--points", "20", "--csv", "--plot", path)
    assert code == 0
    assert out.startswith("parameter,wasted_servers")
    assert "drawn" not in out
    assert err == f"drawn: {path}\n"
    assert "<svg" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--vary", "share:lage=0..1"],
            "two_servers.toml: share:lage=0..1: there is no class 'lage'; did you mean",
        ),
        (["--vary", "share:large=0..1.5"], "share:large: high = 3/2 must lie between 0 and 1"),
        (["--vary", "load=0..1"], "'load=0..1' does not say what to vary; write one of share:CLASS=0..1"),
        (["--vary", "servers=1..5"], "servers=1..5: class 'large' needs 2 of 1 servers"),
        (["--vary", "servers=2..5", "--points", "9"], "points = 9 does not go with servers=2..5"),
        (["--vary", SHARE, "--points", "many"], "'many' is not a valid integer"),
        (["--vary", SHARE, "--points", "1"], "1 is not in the range"),
        (["--vary", SHARE, "--method", "magic"], "'magic' is not one of"),
        ([], "Missing option '--vary'"),
    ],
)
def test_bad_input_gets_one_sentence(run, arguments, sentence):
    code, out, err = run("waste", EXAMPLE, *arguments)
    assert code == 2
    assert sentence in err
    assert out == ""
    assert "Traceback" not in err


def test_a_picture_that_cannot_be_drawn(run):
    code, _, err = run("waste", EXAMPLE, "--vary", "servers=2..5", "--plot", "waste.jpg")
    assert code == 2
    assert "cannot draw into 'waste.jpg'" in err


def test_the_command_is_loaded_without_the_heavy_libraries():
    code = (
        "import sys, msj.cli.waste\n"
        "print(sorted({'scipy', 'sympy', 'matplotlib', 'pandas', 'rich'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
