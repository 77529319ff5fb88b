"""``msj waste``, run as users run it."""

import subprocess
import sys

import pytest
from result_in import result_in

from msj.answers.waste_curve import waste_curve
from msj.model import read
from msj.results import read_csv

EXAMPLE = "examples/two_servers.toml"
SHARE = "share:large=0..1"


def test_a_table_and_the_extrema(run):
    code, out, err = run("waste", EXAMPLE, "--vary", SHARE)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "two servers: solved"
    assert lines[2] == "at of_class = large"
    assert lines[3].split() == ["class_share", "wasted_servers", "saturated_utilisation", "stability_threshold"]
    table = {line.split()[0]: line.split()[1:] for line in lines[4:30] if line}
    assert table["0.542291"] == ["0.1726638", "0.9136681", "0.6956317"]
    cells = [line.split() for line in lines]
    assert ["pessimum", "0.333333", "0.2", "0.9", "0.9"] in cells
    assert ["optimum", "1", "0", "1", "0.5"] in cells
    assert "exact, by 1-and-n sums (lfms, Lemmas" in out


def test_servers_each_of_their_own_number(run):
    _, out, _ = run("waste", EXAMPLE, "--vary", "servers=2..4")
    assert ["pessimum", "3", "0.4883721"] in [line.split()[:3] for line in out.splitlines()]
    assert "--csv" not in out  # nothing was left out


def test_many_extrema_are_cut_on_the_terminal_only(run, tmp_path):
    path = tmp_path / "cluster.toml"
    path.write_text(
        'servers=40\n[[classes]]\nname="a"\nneed=7\nshare=1\nduration={law="exponential", mean=1}\n', encoding="utf-8"
    )
    _, out, _ = run("waste", path, "--vary", "servers=7..202")
    assert out.startswith("40 servers: solved")
    assert len(out.splitlines()) < 80
    assert " of 56 lines; --csv and --json have all)" in out
    _, out, _ = run("waste", path, "--vary", "servers=7..202", "--json")
    extrema = [row for row in result_in(out) if row.name == "wasted_servers" and "extremum" in row.at]
    assert len(extrema) == 56  # 28 multiples of 7 and the numbers before them


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
    rows = [row for row in read_csv(out) if row.name == "wasted_servers" and "extremum" not in row.at]
    assert [row.value for row in rows] == curve.wasted_servers.tolist()
    assert [row.at["class_share"] for row in rows] == curve.parameter.tolist()
    assert err == ""
    _, out, _ = run("waste", EXAMPLE, "--vary", SHARE, "--json")
    result = result_in(out)
    found = [row for _, row in result.along("class_share", "stability_threshold")]
    assert [row.value for row in found if "extremum" not in row.at] == curve.stability_threshold.tolist()
    assert [row.at["extremum"] for row in found if "extremum" in row.at] == ["optimum", "pessimum", "optimum"]
    assert result.provenance["question"]["options"]["vary"] == SHARE


def test_points_and_method(run):
    _, out, _ = run("waste", EXAMPLE, "--vary", SHARE, "--points", "20", "--method", "chain", "--json")
    rows = [row for row in result_in(out) if row.name == "wasted_servers" and "extremum" not in row.at]
    assert len(rows) < 30
    assert {row.method for row in rows} == {"saturated chain"}


def test_the_plot_is_a_message_and_not_a_result(run, tmp_path):
    path = tmp_path / "waste.svg"
    code, out, err = run("waste", EXAMPLE, "--vary", "rate-ratio=0.1..10", "--points", "20", "--csv", "--plot", path)
    assert code == 0
    assert out.startswith("name,class,level,at.form,at.extremum,at.rate_ratio,value")
    assert "drawn" not in out
    assert err == f"msj: drawn: {path}\n"
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
