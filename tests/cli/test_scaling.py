"""``msj scaling one-and-n`` and ``msj scaling cluster``."""

import csv
import io
import json

import pytest
from test_cli import EXAMPLE

from msj.cli.server_counts import server_counts
from msj.errors import InvalidInput


def test_the_group_lists_its_commands(run):
    code, out, _ = run("scaling", "--help")
    assert code == 0
    assert all(name in out for name in ("one-and-n", "zero-queueing", "cluster"))


def test_one_and_n_table_csv_json(run):
    code, out, _ = run("scaling", "one-and-n", "--alpha", "2", "--servers", "1e4,1e8")
    assert code == 0
    assert "p_n = n^-2: 1-server dominated" in out
    assert "9.999998e+07" in out
    assert "181.7824" in out
    code, out, _ = run("scaling", "one-and-n", "--share", "1/n", "--servers", "10..1e8", "--points", "8", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [int(row["servers"]) for row in rows] == [10**k for k in range(1, 9)]
    assert float(rows[-1]["threshold"]) == pytest.approx(5110077.12987806, rel=1e-12)
    assert rows[-1]["lost_paper"] == ""
    code, out, _ = run("scaling", "one-and-n", "--share", "2/(n*ln(n))", "--servers", "64", "--json")
    document = json.loads(out)
    assert document["regime"] == "the border 1/(n ln n)"
    assert document["limit"] == 2


def test_rates_and_mean_durations_are_the_same_thing(run):
    _, by_rate, _ = run("scaling", "one-and-n", "--share", "1/n", "--rate-large", "0.25", "--csv", "--servers", "100")
    _, by_mean, _ = run("scaling", "one-and-n", "--share", "1/n", "--mean-large", "4", "--csv", "--servers", "100")
    assert by_rate == by_mean
    _, by_alpha, _ = run("scaling", "one-and-n", "--alpha", "1/2", "--c", "0.3", "--csv", "--servers", "100")
    _, by_share, _ = run("scaling", "one-and-n", "--share", "0.3*n^-0.5", "--csv", "--servers", "100")
    assert by_alpha == by_share


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ([], "no share of large jobs is given"),
        (["--share", "1/n", "--alpha", "1"], "in one way only"),
        (["--share", "1/m"], "'m' at character 3 is unknown"),
        (["--share", "__import__('os')"], "is no function known here"),
        (["--share", "9**9**9"], "infinite or above 1e308"),
        (["--share", "n/10"], "strictly between 0 and 1"),
        (["--alpha", "-1"], "alpha = -1 must be greater than 0"),
        (["--share", "1/n", "--servers", "8..2"], "does not rise"),
        (["--share", "1/n", "--servers", "1"], "at least 2"),
        (["--share", "1/n", "--servers", "many"], "not a number"),
        (["--share", "1/n", "--rate-small", "1", "--mean-small", "1"], "both given"),
        (["--share", "1/n", "--plot", "x.doc"], "cannot draw into"),
    ],
)
def test_one_and_n_bad_input(run, flags, sentence):
    code, out, err = run("scaling", "one-and-n", *flags)
    assert code == 2
    assert sentence in err
    assert "Traceback" not in err
    assert out == ""


def test_cluster_table_csv_json_and_plot(run, tmp_path):
    picture = tmp_path / "sizes.png"
    flags = ["scaling", "cluster", EXAMPLE, "--servers", "2..8"]
    code, out, err = run(*flags, "--plot", picture)
    assert code == 0
    assert "keeping the load at 0.8" in out
    assert "0.7693" in out  # P(wait) on two servers
    assert "exact, by QBD (2 to 8 servers)" in out
    assert picture.stat().st_size > 5000
    assert "drawn" in err
    _, out, _ = run(*flags, "--csv")
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row["name"] == "mean_response_time"]
    assert [row["servers"] for row in rows] == ["2", "4", "8"]
    assert float(rows[0]["value"]) == pytest.approx(7.517772373)
    assert rows[0]["kind"] == "exact"
    _, out, _ = run(*flags, "--json", "--keep", "rate", "--largest-need", "1")
    document = json.loads(out)
    assert document["keep"] == "rate"
    assert {(row["servers"], row["capped"]) for row in document["rows"]} == {
        (k, capped) for k in (2, 4, 8) for capped in (False, True)
    }


def test_cluster_says_which_answer_is_exact(run):
    file = EXAMPLE.replace("two_servers", "models/red_and_blue")
    _, out, _ = run("scaling", "cluster", file, "--jobs", "20000", "--seed", "1")
    assert "\nP(wait): simulated, by simulation (3 servers)" in out
    assert "\nE[T]: exact, by QBD of the front (3 servers)" in out


def test_cluster_says_what_is_unstable(run):
    code, out, _ = run("scaling", "cluster", EXAMPLE, "--servers", "2,4", "--keep", "rate", "--arrival-rate", "1.5")
    assert code == 0  # four servers can
    assert "2 servers, needs up to 2: unstable: the arrival rate 1.5 is not below lambda* = 0.9" in out
    code, out, _ = run("scaling", "cluster", EXAMPLE, "--keep", "rate", "--arrival-rate", "1.5")
    assert code == 1
    assert "unstable" in out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--servers", "1,2"], "class 'large' needs 2 of 1 servers"),
        (["--servers", "0"], "must be at least 1"),
        (["--largest-need", ","], "gives no largest need"),
        (["--largest-need", "x"], "not a number"),
        (["--keep", "everything"], "'everything' is not one of"),
        (["--plot", "no/such/folder/x.png"], "cannot be written"),
        (["--load", "1.5", "--keep", "load"], None),
    ],
)
def test_cluster_bad_input(run, flags, sentence):
    code, _, err = run("scaling", "cluster", EXAMPLE, *flags)
    assert "Traceback" not in err
    if sentence is None:
        assert code == 1  # above its threshold at every size: the answer is no
    else:
        assert code == 2
        assert sentence in err


def test_server_counts():
    assert server_counts("64,128, 32") == [32, 64, 128]
    assert server_counts("64..1000") == [64, 128, 256, 512, 1000]
    assert server_counts("3..3") == [3]
    assert server_counts("2..1e8", points=5)[-1] == 10**8
    for text in ("", "1,,2", "1...2", "1..2..3", "..4", "2.5", "1e400", "-3"):
        with pytest.raises(InvalidInput):
            server_counts(text)
    with pytest.raises(InvalidInput, match="at most 1000"):
        server_counts(",".join(map(str, range(1, 1500))))
