"""What is varied, as people write it, and the cells that come of it."""

import shutil

import pytest
from same import TWO

import msj
from msj.sweeps.axis import Axis, axes_of
from msj.sweeps.cell import Asked
from msj.sweeps.grid import Grid, Refused, read_grid
from msj.sweeps.question import shard_of
from msj.sweeps.where import only


def grid_of(**options):
    return Grid.of(TWO, asked=Asked(), **options)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("load=0.5..0.98/9", (0.5, 0.56, 0.62, 0.68, 0.74, 0.8, 0.86, 0.92, 0.98)),
        ("load=0.5,0.7..0.9/3", (0.5, 0.7, 0.8, 0.9)),
        ("servers=64,128,256", (64, 128, 256)),
        ("largest-need=1..3", (1, 2, 3)),
        ("seed=0..3", (0, 1, 2, 3)),
        ("classes.large.need=1,2", (1, 2)),
    ],
)
def test_values_are_read_as_they_are_written(text, values):
    assert Axis.of(text).values == values


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("load", "does not say what to vary"),
        ("load=", "does not say what to vary"),
        ("lode=0.5", "'lode' cannot be varied; did you mean 'load'"),
        ("load=0.5..0.9", "does not say how many values; write 0.5..0.9/9"),
        ("load=0.9..0.5/3", "does not rise"),
        ("load=0.5,0.5", "given twice"),
        ("servers=2.5", "must be a whole number"),
        ("load=a..b/3", "is not a number"),
        ("policy=fcfs", "--policies"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(text, reason):
    with pytest.raises(msj.InvalidInput, match=reason):
        Axis.of(text)


def test_two_ways_to_say_how_much_arrives_are_refused():
    with pytest.raises(msj.InvalidInput, match="load and utilisation are both varied"):
        axes_of(["load=0.5", "utilisation=0.5"])


def test_every_combination_is_a_cell_once():
    grid = grid_of(vary=["load=0.5,0.9", "servers=2,4,8"], policies=["fcfs", "first-fit"])
    cells = list(grid.cells())
    assert len(cells) == len(grid) == 12 == len({cell.id for cell in cells})
    assert {(cell.own.load, cell.own.servers, cell.policy.name) for cell in cells} == {
        (load, servers, policy) for load in (0.5, 0.9) for servers in (2, 4, 8) for policy in ("fcfs", "first-fit")
    }


def test_shards_part_the_grid():
    grid = grid_of(vary=["load=0.1..0.9/17", "servers=2,4"])
    parts = [[cell.id for cell in grid.cells(shard=(part, 5))] for part in range(1, 6)]
    assert sorted(each for part in parts for each in part) == sorted(cell.id for cell in grid.cells())
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for bad in ("0/5", "6/5", "3", "a/b"):
        with pytest.raises(msj.InvalidInput):
            shard_of(bad)


def test_whatever_a_spec_file_says_can_be_varied():
    cells = list(grid_of(vary=["classes.large.need=1,2", "share:large=0.25"]).cells())
    assert [[c.need for c in cell.own.classes] for cell in cells] == [[1, 1], [1, 2]]
    assert cells[0].at["change"] == "classes.large.need = 1"
    assert [float(c.share) for c in cells[0].own.classes] == [0.75, 0.25]
    windows = list(Grid.of(msj.read(TWO).replace(policy="first-fit"), vary="policy.window=1,3", asked=Asked()).cells())
    assert [cell.own.policy.window for cell in windows] == [1, 3]


def test_what_is_no_cluster_is_a_cell_with_the_reason():
    small, fine = grid_of(vary="servers=1,2").cells()
    assert isinstance(small, Refused)
    assert small.reason == "class 'large' needs 2 of 1 servers; raise servers or lower need"
    assert not isinstance(fine, Refused)
    [unknown] = grid_of(vary="classes.huge.need=1").cells()
    assert "no class is called 'huge'" in unknown.reason


def test_a_grid_in_a_file_says_the_same(tmp_path):
    shutil.copy(TWO, tmp_path / "two.toml")
    file = tmp_path / "grid.toml"
    file.write_text('files = ["two.toml"]\npolicies = ["fcfs"]\n[vary]\nload = "0.5..0.9/3"\nservers = [2, 4]\n')
    assert msj.sweep(grid=file).quantities == msj.sweep(TWO, vary=["load=0.5..0.9/3", "servers=2,4"]).quantities
    file.write_text("polices = []\n")
    with pytest.raises(msj.InvalidInput, match=r"grid.toml: unknown key 'polices' in a grid; did you mean 'policies'"):
        read_grid(file)


def test_rows_are_chosen_by_conditions():
    found = msj.sweep(TWO, vary={"load": [0.5, 0.8], "servers": [2, 4]})
    rows = only(found, ["load<0.8", "servers!=2", "name = mean_response_time", "class=large"])
    assert [(row.at["load"], row.at["servers"], row.job_class) for row in rows] == [(0.5, 4, "large")]
    for bad, reason in (
        ("load", "is no condition"),
        ("lode=1", "unknown column 'lode'"),
        ("load=a", "is no number"),
        ("policy>fcfs", "compares texts"),
    ):
        with pytest.raises(msj.InvalidInput, match=reason):
            only(found, [bad])
