"""``msj curve``."""

import csv
import io
import json

import pytest
from test_cli import EXAMPLE


def test_table_csv_json(run):
    code, out, _ = run("curve", EXAMPLE, "--loads", "0.5,4/5")
    assert code == 0
    assert "2.815423" in out
    _, out, _ = run("curve", EXAMPLE, "--loads", "0.5,0.8", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert float(rows[1]["mean_response_time"]) == pytest.approx(7.517772373)
    _, out, _ = run("curve", EXAMPLE, "--loads", "0.5", "--json")
    assert json.loads(out)["rows"][0]["load"] == 0.5


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
