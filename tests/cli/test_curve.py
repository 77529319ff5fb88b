"""``msj curve``."""

import pytest
from result_in import result_in
from test_cli import EXAMPLE

from msj.results import read_csv


def test_table_csv_json(run):
    code, out, _ = run("curve", EXAMPLE, "--loads", "0.5,4/5")
    assert code == 0
    assert "2.815423" in out
    _, out, _ = run("curve", EXAMPLE, "--loads", "0.5,0.8", "--csv")
    means = [row for row in read_csv(out) if row.name == "mean_response_time" and row.job_class is None]
    assert [row.at["load"] for row in means] == [0.5, 0.8]
    assert means[1].value == pytest.approx(7.517772373)
    _, out, _ = run("curve", EXAMPLE, "--loads", "0.5", "--json")
    result = result_in(out)
    assert result.places("load") == [0.5]
    assert result["stability_threshold"] == pytest.approx(0.9)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot(run, tmp_path, ending):
    path = tmp_path / f"curve.{ending}"
    code, _, err = run("curve", EXAMPLE, "--loads", "0,0.5,0.9", "--plot", path)
    assert code == 0
    assert path.stat().st_size > 5000
    assert "drawn" in err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--loads", "0.5,1"], "load = 1 must be at least 0 and below 1"),
        (["--loads", "a lot"], "'a lot' is not a number"),
        (["--loads", "0.5", "--plot", "curve.docx"], "cannot draw into 'curve.docx'"),
        (["--loads", "0.5", "--plot", "no/such/folder/curve.png"], "cannot be written"),
    ],
)
def test_bad_input(run, flags, sentence):
    code, _, err = run("curve", EXAMPLE, *flags)
    assert code == 2
    assert sentence in err
