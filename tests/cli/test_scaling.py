"""``msj scaling one-and-n`` and ``msj scaling cluster``."""

import pytest
from result_in import result_in, sentences
from test_cli import EXAMPLE

from msj.cli.server_counts import server_counts
from msj.errors import Failure, InvalidInput
from msj.results import Outcome, read_csv


def test_the_group_lists_its_commands(run):
    code, out, _ = run("scaling", "--help")
    assert code == 0
    assert all(name in out for name in ("one-and-n", "zero-queueing", "cluster"))


def test_one_and_n_table_csv_json(run):
    code, out, _ = run("scaling", "one-and-n", "--alpha", "2", "--servers", "1e4,1e8")
    assert code == 0
    assert "p_n = n^-2: 1-server dominated. n p_n ln n -> 0 (lfms, Theorem 4.3)." in sentences(out)
    assert "9.999998e+07" in out
    assert "181.7824" in out
    code, out, _ = run("scaling", "one-and-n", "--share", "1/n", "--servers", "10..1e8", "--points", "8", "--csv")
    rows = read_csv(out)
    exact = [row for row in rows if row.name == "stability_threshold" and row.kind == "exact"]
    assert [row.at["servers"] for row in exact] == [10**k for k in range(1, 9)]
    assert exact[-1].value == pytest.approx(5110077.12987806, rel=1e-12)
    assert not [row for row in rows if row.name == "lost_throughput" and row.at.get("form") == "paper"]
    code, out, _ = run("scaling", "one-and-n", "--share", "2/(n*ln(n))", "--servers", "64", "--json")
    facts = result_in(out).provenance
    assert facts["regime"] == "the border 1/(n ln n)"
    assert facts["limit"] == 2
    assert facts["citation"] == "lfms, Lemma 8.1"


def test_one_and_n_draws(run, tmp_path):
    picture = tmp_path / "family.svg"
    code, out, err = run("scaling", "one-and-n", "--share", "1/n", "--servers", "100,1000", "--plot", picture, "--csv")
    assert (code, err) == (0, f"msj: drawn: {picture}\n")
    assert out.startswith("name,class,level,at.form,at.servers,value")
    assert "<svg" in picture.read_text(encoding="utf-8")


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
    assert "What stays is the load: 0.8." in out
    assert "0.7693" in out  # P(wait) on two servers
    assert "waiting_probability, mean_waiting_time, mean_response_time: exact, by QBD" in out
    assert picture.stat().st_size > 5000
    assert "drawn" in err
    _, out, _ = run(*flags, "--csv")
    rows = [row for row in read_csv(out) if row.name == "mean_response_time"]
    assert [row.at["servers"] for row in rows] == [2, 4, 8]
    assert rows[0].value == pytest.approx(7.517772373)
    assert rows[0].kind == "exact"
    _, out, _ = run(*flags, "--json", "--keep", "rate", "--largest-need", "1")
    result = result_in(out)
    assert result.provenance["keep"] == "rate"
    assert {(row.at["servers"], row.at["largest_need"]) for row in result} == {
        (k, largest) for k in (2, 4, 8) for largest in (2, 1)
    }


def test_cluster_says_which_answer_is_exact(run):
    # Near saturation the mean waiting time of jobs that share speed costs more than the usual effort allows.
    file = EXAMPLE.replace("two_servers", "models/heterogeneous_servers")
    _, out, _ = run("scaling", "cluster", file, "--load", "0.98", "--jobs", "400000", "--seed", "1")
    assert "\nmean_waiting_time: simulated, by simulation of heterogeneous-servers" in out
    assert "\nwaiting_probability, mean_response_time: exact, by QBD of the front" in out


def test_cluster_says_what_is_unstable(run):
    flags = ("scaling", "cluster", EXAMPLE, "--keep", "rate", "--arrival-rate", "1.5")
    code, out, _ = run(*flags, "--servers", "2,4")
    assert code == 0  # four servers can
    said = "No response times at servers = 2, largest_need = 2: the arrival rate 1.5 is not below lambda* = 0.9."
    assert said in sentences(out)
    code, out, _ = run(*flags)
    assert code == 1
    assert "unstable" in out
    code, out, _ = run(*flags, "--json")
    result = result_in(out)
    assert (code, result.outcome) == (1, Outcome.UNSTABLE)
    assert [gap.failure for gap in result.missing] == [Failure.UNSTABLE]


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
