"""msj fluid."""

import pytest
from result_in import result_in

from msj.results import read_csv

FILE = "examples/two_servers.toml"


def test_table(run):
    code, out, err = run("fluid", FILE, "--until", "20")
    assert (code, err) == (0, "")
    assert "equilibrium_jobs_over_rate            1      2" in out
    assert "Within 1 % of equilibrium from time 9.21034 on." in out
    _, out, _ = run("fluid", FILE, "--until", "20", "--tolerance", "0.1")
    assert "Within 10 % of equilibrium from time 4.60517 on." in out


def test_paths_of_several_sizes(run, tmp_path):
    picture = tmp_path / "fluid.svg"
    arguments = ("--start", "0.5,2", "--servers", "64,1024", "--paths", "3", "--seed", "1", "--plot", picture)
    code, out, err = run("fluid", FILE, "--until", "5", *arguments)
    assert code == 0
    assert "The distance falls like n^-0." in out
    assert "drawn" in err
    assert "fluid" in picture.read_text(encoding="utf-8")


def test_csv_and_json(run):
    code, out, _ = run("fluid", FILE, "--until", "4", "--csv")
    rows = [row for row in read_csv(out) if row.name == "fluid_jobs_over_rate"]
    assert (code, len(rows), rows[-1].at["time"]) == (0, 2 * 201, 4.0)
    code, out, _ = run("fluid", FILE, "--until", "4", "--paths", "1", "--seed", "1", "--json")
    found = result_in(out)
    assert [found["equilibrium_jobs_over_rate", name] for name in ("small", "large")] == [1.0, 2.0]
    assert found["time_to_equilibrium"] == pytest.approx(9.210340)
    assert found.row("mean_distance_to_fluid").low is None
    assert "distance_exponent" not in found
    assert len(found.at(servers=2, path=1).along("time", "jobs_over_rate", "small")) == 201
    assert found.provenance["seed"] == 1


def test_a_start_outside_the_theorem(run):
    code, out, _ = run("fluid", FILE, "--until", "20", "--start", "9,2")
    assert code == 0
    assert "This start is outside the theorem: class 'small' starts at 9" in out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--until", "0"), "--until = 0 must be greater than 0"),
        (("--until", "x"), "--until = 'x' is not a number"),
        (("--until", "5", "--start", "full"), "start = 'full' is unknown"),
        (("--until", "5", "--start", "1,2,3"), "start has 3 numbers for 2 classes"),
        (("--until", "5", "--start", "9,2", "--paths", "1"), "covers starts below"),
        (("--until", "5", "--servers", "1"), "class 'large' needs 2 of 1 servers"),
        (("--until", "5", "--tolerance", "0"), "--tolerance = 0"),
        (("--until", "5", "--plot", "picture.doc"), "cannot draw"),
    ],
)
def test_bad_input(run, arguments, text):
    code, out, err = run("fluid", FILE, *arguments)
    assert (code, out) == (2, "")
    assert text in err
    assert "Traceback" not in err


def test_more_work_than_servers_has_no_equilibrium(run):
    code, out, err = run("fluid", FILE, "--until", "5", "--utilisation", "1")
    assert (code, out) == (1, "")
    assert "not below 1" in err


def test_other_laws(run):
    code, _, err = run("fluid", "examples/hpc_partition.toml", "--until", "5")
    assert code == 2
    assert "class 'full' has erlang durations" in err
