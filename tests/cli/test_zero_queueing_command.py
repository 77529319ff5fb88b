"""msj scaling zero-queueing."""

import pytest
from result_in import result_in, sentences

from msj.errors import Failure
from msj.results import read_csv

FAMILY = ("--needs", "3,log2(n),min(n, 8)", "--means", "4,2,1", "--alpha", "0.1", "--beta", "0.25")
ASK = ("scaling", "zero-queueing")


def test_one_cluster(run):
    code, out, err = run(*ASK, "examples/two_servers.toml", "--seed", "1", "--jobs", "20000")
    assert (code, err) == (0, "")
    assert "sufficient_utilisation" in out
    assert "No waiting_probability_bound: utilisation 0.72 is not below 1 − 2/2 = 0" in sentences(out)
    assert "lambda* = 0.9, and with lambda = 0.72 the cluster is stable." in sentences(out)


def test_one_cluster_as_json_and_csv(run):
    code, out, _ = run(*ASK, "examples/two_servers.toml", "--no-simulate", "--json")
    assert code == 0
    names = {row.name for row in result_in(out)}
    assert {"waiting_probability", "waiting_probability_lower_bound"} <= names
    code, out, _ = run(*ASK, "examples/two_servers.toml", "--no-simulate", "--csv")
    assert out.startswith("name,class,level,value")


def test_an_unstable_cluster_leaves_with_1(run):
    code, out, _ = run(*ASK, "examples/two_servers.toml", "--utilisation", "0.95", "--no-simulate")
    assert code == 1
    assert "unstable" in out


def test_more_work_than_servers_leaves_with_1(run):
    code, out, err = run(*ASK, "examples/two_servers.toml", "--utilisation", "1.1")
    assert (code, out) == (1, "")
    assert "more work arrives" in err


def test_a_family(run):
    code, out, err = run(*ASK, *FAMILY, "--servers", "64,256", "--jobs", "40000", "--seed", "1")
    assert (code, err) == (0, "")
    assert "\nRegion 3: alpha = 0.1, gamma = 0 (read off the needs, times (ln n)^1)" in out
    lines = [line.split() for line in out.splitlines()]
    for line in (
        ["servers", "64", "256"],
        ["need", "3", "3", "3"],
        ["need", "log2(n)", "6", "8"],
        ["need", "min(n,", "8)", "8", "8"],
        ["offered_utilisation", "0.8350615", "0.8564127"],
    ):
        assert line in lines


def test_a_family_as_csv_and_json(run):
    _, out, _ = run(*ASK, *FAMILY, "--servers", "64,256", "--no-simulate", "--csv")
    rows = [row for row in read_csv(out) if row.job_class is None]
    assert {row.at["servers"] for row in rows} == {64, 256}
    exact = next(row for row in rows if row.name == "waiting_probability")
    assert exact.at["servers"] == 64
    assert exact.value < 1
    _, out, _ = run(
        *ASK, *FAMILY, "--shares", "1,1,2", "--shares-of", "arrivals", "--servers", "64", "--no-simulate", "--json"
    )
    found = result_in(out)
    facts = found.provenance
    assert (facts["region"], facts["verdict"], facts["gamma"]) == (3, "vanishes", 0.0)
    equal = next(row.value for row in rows if row.name == "waiting_probability_lower_bound")
    assert found["waiting_probability_lower_bound"] != equal
    assert found.system == {}


def test_beyond_the_sufficient_condition_it_says_so(run):
    code, out, _ = run(*ASK, "--needs", "1,n/2", "--servers", "8", "--no-simulate")
    assert code == 0
    assert "No waiting_probability_bound at servers = 8: utilisation 0.75 is not below 1 − 4/8 = 0.5" in sentences(out)
    assert "lambda* = 4.37046, and with lambda = 3.75 the cluster is stable." in sentences(out)


@pytest.mark.parametrize("simulate", [("--no-simulate",), ("--jobs", "20000", "--seed", "1")])
def test_every_size_unstable_is_said(run, simulate):
    code, out, _ = run(*ASK, "--needs", "n//2+1", "--servers", "8", *simulate)  # one job at a time: lambda* = 1
    assert code == 0
    assert "n = 8: the sufficient condition fails, but the threshold is known: lambda* = 1, and" in sentences(out)
    assert "lambda = 1.2 the cluster is unstable." in sentences(out)
    _, out, _ = run(*ASK, "--needs", "n//2+1", "--servers", "8", *simulate, "--json")
    assert {gap.failure for gap in result_in(out).missing} == {Failure.NOT_SUPPORTED, Failure.UNSTABLE}


def test_on_the_border_a_logarithm_decides(run):
    _, out, _ = run(*ASK, "--needs", "1,n/ln(n)", "--servers", "100", "--no-simulate")
    assert "2·alpha + gamma = 1 is the border itself, and the logarithm decides" in sentences(out)
    assert "is below 1" not in out


def test_a_picture(run, tmp_path):
    picture = tmp_path / "queueing.png"
    code, _, err = run(
        *ASK,
        *FAMILY,
        "--servers",
        "64,256",
        "--jobs",
        "20000",
        "--seed",
        "1",
        "--exact-seconds",
        "0",
        "--plot",
        picture,
    )
    assert code == 0
    assert picture.stat().st_size > 10_000
    assert "drawn" in err


def refused(run, *arguments):
    code, out, err = run(*ASK, *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    return err


def test_bad_input(run, tmp_path):
    assert "give FILE or --needs" in refused(run)
    assert "give FILE or --needs" in refused(run, "examples/two_servers.toml", "--needs", "3")
    assert "go with --needs" in refused(run, "examples/two_servers.toml", "--servers", "64")
    assert "give --alpha and --beta" in refused(run, "--needs", "3", "--load", "0.5")
    assert "'hello' at character 1 is unknown" in refused(run, "--needs", "3,hello")
    assert "more than there are servers" in refused(run, "--needs", "2*n")
    assert "--alpha = 'x' is not a number" in refused(run, "--needs", "3", "--alpha", "x")
    assert "servers = 'x'" in refused(run, "--needs", "3", "--servers", "64,x")
    assert "-1 is no seed" in refused(run, "--needs", "3", "--seed", "-1")
    assert "cannot draw" in refused(run, "--needs", "3", "--plot", tmp_path / "picture.doc")
