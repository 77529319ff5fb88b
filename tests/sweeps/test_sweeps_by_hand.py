"""The parts of a sweep one by one, on both sides of their rules; nothing is simulated."""

import itertools
import math
import time
from collections import deque
from concurrent.futures import CancelledError
from contextlib import ExitStack
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, Unstable
from msj.results import Missing, Outcome, Quantity, Result
from msj.simulation.blocks import Block
from msj.simulation.sketch import Sketch
from msj.sweeps import scheduler as scheduling
from msj.sweeps import steps as stepping
from msj.sweeps.axis import Axis, _value, axes_of
from msj.sweeps.cell import Asked, Cell
from msj.sweeps.folder import Answer, Folder
from msj.sweeps.grid import Grid, Refused, clusters_of, read_grid
from msj.sweeps.line import Line
from msj.sweeps.opening import Opened, open_cell
from msj.sweeps.question import Question, shard_of
from msj.sweeps.reading import _failure, _outcome, _together, latest, opened, result_of
from msj.sweeps.running import Running, Task
from msj.sweeps.scheduler import CHUNK, LARGEST, STRIKES, Scheduler
from msj.sweeps.steps import Failed, _tried, open_cells, run_blocks
from msj.sweeps.tables import rows_as_text, rows_from_text
from msj.sweeps.upkeep import prune, status
from msj.sweeps.where import _holds, _read, only

TWO = "examples/two_servers.toml"
SYSTEM = msj.read(TWO)


def row(name="mean_response_time", value=2.5, **more):
    return Quantity(**{"name": name, "value": value, "kind": "exact", "method": "m", **more})


@pytest.mark.parametrize(
    ("part", "name", "values"),
    [
        ("0.5..0.9/3", "load", [0.5, 0.7, 0.9]),
        ("0.5..0.9/1", "load", [0.5]),
        ("0.5..0.5/4", "load", [0.5]),
        ("2..5", "servers", [2, 3, 4, 5]),
        ("3..3", "seed", [3]),
        ("1..10/4", "servers", [1, 4, 7, 10]),
        ("1..2/5", "servers", [1, 2]),  # 1, 1.25, 1.5, 1.75, 2 as whole numbers, each once
        (" 1..3/3 ", "load", [1.0, 2.0, 3.0]),
    ],
)
def test_ranges_have_both_ends_and_even_steps(part, name, values):
    assert Axis.of(f"{name}={part}").values == tuple(values)


def test_ranges_are_not_too_long():
    assert len(Axis.of("seed=1..100000").values) == 100_000
    for part, name, sentence in (
        ("0..100000", "seed", "has 100001 values; give 1 to 100,000"),
        ("0.1..0.9/0", "load", "has 0 values"),
        ("0.1..0.9/x", "load", "is no range"),
        ("0.1..0.9", "load", "does not say how many values; write 0.1..0.9/9"),
        ("0.9..0.1/2", "load", "does not rise"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            Axis.of(f"{name}={part}")


def test_values_are_numbers_fractions_words_or_truths():
    texts = [" 12 ", "-3", "+4", "1/3", "0.5", "1e3", "true", "false", "word", "-1/3"]
    assert [_value(text) for text in texts] == [12, -3, 4, Fraction(1, 3), 0.5, 1000.0, True, False, "word", "-1/3"]
    assert [type(_value(text)) for text in ("12", "12.0")] == [int, float]


@pytest.mark.parametrize(
    ("key", "value", "checked", "place"),
    [
        ("servers", 4.0, 4, {"servers": 4}),
        ("seed", 0, 0, {"seed": 0}),
        ("load", "1/2", 0.5, {"load": 0.5}),
        ("share:large", "1/4", Fraction(1, 4), {"of_class": "large", "class_share": 0.25}),
        ("classes.large.need", np.int64(2), 2.0, {"change": "classes.large.need = 2.0"}),
        ("policy.window", [1], [1], {"change": "policy.window = [1]"}),
    ],
)
def test_what_is_varied_stands_at_its_coordinate(key, value, checked, place):
    axis = Axis(key=key, values=(value,))
    assert axis.values == (checked,)
    assert axis.place(axis.values[0]) == place


def test_what_cannot_be_varied_is_refused():
    for key, values, sentence in (
        ("servers", (0,), "servers"),
        ("seed", (-1,), "seed"),
        ("load", (), "'load' has no values"),
        ("load", (0.5, 0.5), "given twice"),
        ("policy.x", ([1], [1]), "given twice"),
        ("share:", (1,), "cannot be varied"),
        ("classes", (1,), "cannot be varied"),
        ("policy", ("fcfs",), "--policies"),
        ("load.x", (1,), "cannot be varied"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            Axis(key=key, values=values)
    for text in ("=1", "load= ", " =2"):
        with pytest.raises(InvalidInput, match="does not say what to vary"):
            Axis.of(text)
    assert Axis.of("largest-need=1").key == "largest_need"
    assert Axis.of("classes.my-class.need=1").key == "classes.my-class.need"
    assert [Axis(key="policy.x", values=([1], [2])).key, Axis(key="name", values=("a",)).key] == ["policy.x", "name"]


def test_a_value_is_applied_to_the_cluster():
    def at(key, value):
        return Axis(key=key, values=(value,)).applied(SYSTEM, value)

    assert at("load", 0.25).load == 0.25
    assert at("servers", 6).servers == 6
    assert max(c.need for c in at("largest_need", 1).classes) == 1
    assert [float(c.share) for c in at("share:large", 0.25).classes] == [0.75, 0.25]
    assert at("seed", 4) is SYSTEM
    assert [c.need for c in at("classes.large.need", 1).classes] == [1, 1]
    assert [c.need for c in at("classes.small.need", 2).classes] == [2, 2]
    assert at("classes.large.duration", {"law": "exponential", "mean": 7}).classes[1].duration.mean == 7
    assert at("name", "other").name == "other"
    with pytest.raises(InvalidInput, match=r"'name\.x' has no place here"):
        Axis(key="name.x", values=(1,)).applied(SYSTEM.replace(name=""), 1)


def test_axes_are_given_as_texts_or_tables():
    load = Axis(key="load", values=(0.5,))
    assert axes_of(None) == ()
    assert axes_of("load=0.5") == axes_of(load) == axes_of([load]) == axes_of({"load": 0.5}) == (load,)
    assert axes_of({"load": [0.5], "servers": "2,3"})[1].values == (2, 3)
    with pytest.raises(InvalidInput, match="'load' is varied twice"):
        axes_of(["load=0.5", "load=0.6"])


def test_the_cells_of_a_grid_are_counted_and_parted_in_order():
    grid = Grid.of(
        [SYSTEM, SYSTEM], vary={"load": [0.5, 0.6, 0.7], "seed": [4, 5]}, policies=["fcfs", "first-fit"], asked=Asked()
    )
    assert len(grid) == 2 * 3 * 2 * 2
    assert len(Grid.of(SYSTEM, asked=Asked())) == 1
    cells = list(grid.cells())
    assert len(cells) == 24
    assert cells[0].at == {"cluster": "two servers", "policy": "fcfs", "servers": 2, "seed": 4, "load": 0.5}
    assert [cell.at["policy"] for cell in cells[:2]] == ["fcfs", "first-fit"]
    assert (cells[2].seed, cells[4].at["load"], cells[12].at["cluster"]) == (5, 0.6, "two servers (2)")
    assert [cell.at for cell in grid.cells(shard=(2, 5))] == [cell.at for cell in cells[1::5]]
    one = next(Grid.of(SYSTEM, seed=9, vary=["classes.large.need=1", "name=x"], asked=Asked()).cells())
    assert (one.seed, one.at["change"], one.at["policy"]) == (9, "classes.large.need = 1; name = x", "fcfs")
    with pytest.raises(InvalidInput, match="the grid has 10,100,000 cells; at most 10,000,000"):
        Grid.of(SYSTEM, vary={"seed": range(10_100), "servers": range(2, 1002)}, asked=Asked())


def test_clusters_are_called_by_their_names_or_files(tmp_path):
    nameless = SYSTEM.replace(name="")
    file = tmp_path / "mine.toml"
    file.write_text(msj.model.spec_file.to_toml(nameless))
    assert list(clusters_of([nameless, nameless, nameless, str(file), SYSTEM.to_spec()])) == [
        "cluster",
        "cluster (2)",
        "cluster (3)",
        "mine",
        "two servers",
    ]
    with pytest.raises(InvalidInput, match="no cluster is given"):
        clusters_of([])
    file.write_text("vary = 3")
    with pytest.raises(InvalidInput, match=r"mine.toml: vary must be a table"):
        read_grid(file)
    file.write_text("seed = 3")
    assert read_grid(file) == {"seed": 3}
    file.write_text('files = ["a.toml"]')
    assert read_grid(file) == {"systems": [tmp_path / "a.toml"]}


def test_parts_of_a_grid_are_numbered_from_one():
    assert [shard_of(given) for given in (None, "1/1", "5/5", (2, 3))] == [(1, 1), (1, 1), (5, 5), (2, 3)]
    for wrong in ("6/5", "0/5", "1/2/3", "4", (1,)):
        with pytest.raises(InvalidInput, match="shard"):
            shard_of(wrong)


def test_a_question_can_be_asked_again_from_its_plain_form():
    asked = Question.of(
        TWO, vary="load=0.5,0.75", policies=["first-fit"], shard="2/3", simulate=1, controls=0, jobs=5e3
    )
    plain = asked.plain()
    kept = {key: plain[key] for key in ("vary", "precision", "jobs", "simulate", "controls", "shard")}
    assert kept == {
        "vary": {"load": [0.5, 0.75]},
        "precision": 0.01,
        "jobs": 5000,
        "simulate": True,
        "controls": False,
        "shard": "2/3",
    }
    assert Question.of(**plain).grid.clusters == asked.grid.clusters
    usual = Question.of(TWO)
    assert (usual.grid.asked.simulate, usual.grid.asked.controls, usual.grid.seed, usual.jobs) == (
        False,
        True,
        1,
        10**9,
    )
    assert not {"shard", "policies"} & usual.plain().keys()
    assert Question.from_file(None, systems=TWO, seed=None, jobs=7).jobs == 7


@pytest.mark.parametrize(
    ("answer", "precision", "jobs", "does"),
    [
        ({"outcome": "solved"}, 1e-9, 10**9, True),
        ({"outcome": "unstable"}, 1e-9, 10**9, True),
        ({"outcome": "converged", "precision": 0.1, "blocks": 8}, 0.1, 10**9, True),
        ({"outcome": "converged", "precision": 0.1, "blocks": 8}, 0.2, 10**9, True),
        ({"outcome": "converged", "precision": 0.1, "blocks": 8}, 0.09, 5, False),
        ({"outcome": "converged", "precision": 0.1, "blocks": 0}, 0.01, 5, True),  # without blocks: exact after all
        ({"outcome": "precision-not-reached", "precision": 0.1, "job_limit": 100, "blocks": 8}, 0.1, 100, True),
        ({"outcome": "precision-not-reached", "precision": 0.1, "job_limit": 100, "blocks": 8}, 0.1, 101, False),
        ({"outcome": "precision-not-reached", "precision": 0.1, "job_limit": 100, "blocks": 8}, 0.05, 100, False),
        ({"outcome": "precision-not-reached", "precision": None, "job_limit": 100, "blocks": 8}, 0.5, 100, False),
        ({"outcome": "too-short", "precision": 0.1, "job_limit": 100, "blocks": 0}, 0.1, 100, True),
        ({"outcome": "too-short", "precision": 0.1, "job_limit": 100, "blocks": 0}, 0.1, 101, False),
        ({"outcome": "too-short", "precision": 0.1, "blocks": 0}, 0.1, 1, False),
    ],
)
def test_an_answer_does_if_no_effort_could_sharpen_it(answer, precision, jobs, does):
    assert Answer(**answer).does_for(precision, jobs) is does


def test_the_widest_is_next_and_among_equals_who_came_first():
    line = Line()
    for name, width in (("a", 0.2), ("b", math.inf), ("c", 0.2), ("a", 0.2), ("b", 0.1)):
        line.enter(name, name.upper(), width)
    assert [line.next() for _ in range(4)] == ["A", "C", "B", None]
    line.enter("c", "again", 0.2)
    line.enter("a", "too", 0.2)
    assert [line.next(), line.next(), line.next()] == ["too", "again", None]


def test_a_step_never_raises():
    def failing(error):
        def step():
            raise error

        return step

    assert _tried(max, 1, 2) == 2
    said = [_tried(failing(error)) for error in (Unstable("too much"), MemoryError(), KeyError("x"))]
    assert [(each.failure, each.lasting) for each in said] == [
        ("unstable", True),
        ("too-large", False),
        ("not-supported", False),
    ]
    assert said[0].reason == "too much"
    assert said[2].reason == "a defect of msj, please report it: KeyError: 'x'"


@pytest.mark.parametrize(("seconds", "steps"), [(0.5, 1), (1.5, 2), (2.5, 3), (9.0, 4)])
def test_steps_are_taken_for_so_long_and_at_least_one(seconds, steps, monkeypatch):
    """Each step takes a second by a clock that only steps move."""
    now = [100.0]

    def stepped(what):
        now[0] += 1.0
        return what

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(stepping, "open_cell", stepped)
    cells = [SimpleNamespace(id=f"c{n}") for n in range(4)]
    assert open_cells(cells, seconds) == [(cell.id, cell, 1.0) for cell in cells[:steps]]
    stream = SimpleNamespace(run=lambda index: stepped(index * 10))
    assert run_blocks(stream, [3, 5, 7, 9], seconds) == [(n, n * 10, 1.0) for n in (3, 5, 7, 9)[:steps]]


def test_conditions_are_read_and_hold():
    assert _read(" load >= 0.9 ") == ("load", ">=", 0.9)
    assert _read("class=") == ("class", "=", None)
    assert _read("policy!=first fit") == ("policy", "!=", "first fit")
    assert _read("level=") == ("level", "=", None)
    for found, operation, value, holds in (
        (0.5, "=", 0.5 + 1e-12, True),
        (0.5, "!=", 0.5 + 1e-12, False),
        (0.5, "<", 0.5, False),
        (0.5, "<=", 0.5, True),
        (0.5, ">", 0.5, False),
        (0.5, ">=", 0.5, True),
        ("a", "=", "a", True),
        ("a", "!=", "b", True),
        (None, "=", None, True),
        (None, "!=", None, False),
        (None, "=", 0.5, False),
        (None, "!=", 0.5, True),
        (None, "<", 0.5, False),
        (None, "<=", None, False),
        (0.5, "=", None, False),
    ):
        assert _holds(found, operation, value) is holds


def test_gaps_stay_where_conditions_are_about_their_place():
    gaps = tuple(Missing(name="x", failure=Failure.UNSTABLE, reason="r", at={"load": load}) for load in (0.5, 0.9))
    rows = (row(at={"load": 0.5}), row(at={"load": 0.9}), row(job_class="a", at={"load": 0.9}))
    found = Result(system={}, quantities=rows, missing=gaps)
    assert only(found, []) == found
    above = only(found, ["load>0.6"])
    assert (above.quantities, above.missing) == (rows[1:], gaps[1:])
    named = only(found, ["class=a"])
    assert (named.quantities, named.missing) == (rows[2:], ())


def test_how_a_sweep_ended_follows_from_its_cells():
    for labels, outcome in (
        ([], Outcome.SOLVED),
        (["solved"], Outcome.SOLVED),
        (["unstable", "unstable"], Outcome.UNSTABLE),
        (["unstable", "solved"], Outcome.SOLVED),
        (["converged", "solved"], Outcome.CONVERGED),
        (["converged", "precision-not-reached"], Outcome.PRECISION_NOT_REACHED),
        (["converged", "too-short"], Outcome.PRECISION_NOT_REACHED),
        (["invalid-input"], Outcome.SOLVED),
        (["invalid-input", "unstable"], Outcome.UNSTABLE),
    ):
        assert _outcome(labels) is outcome
    found = [_failure(label) for label in ("unstable", "too-short", "not-known", "too-large")]
    assert found == [Failure.UNSTABLE, Failure.TOO_FEW_JOBS, Failure.NOT_SUPPORTED, Failure.TOO_LARGE]


def test_the_same_reason_is_said_once_at_what_its_cells_have_in_common():
    def gap(reason, **at):
        return Missing(name="answer", failure=Failure.UNSTABLE, reason=reason, at=at)

    gaps = [gap("r", load=0.5, servers=1), gap("other", load=0.5), gap("r", load=0.9, servers=1)]
    assert [(each.reason, dict(each.at)) for each in _together(gaps)] == [
        ("r", {"servers": 1}),
        ("other", {"load": 0.5}),
    ]


def test_answers_are_ordered_by_where_they_stand_and_those_without_a_place_come_first():
    places = [{"load": 0.5}, {"load": 0.9}, {"servers": 2}, {"policy": "a"}, {"cluster": "a"}]
    places += [{"cluster": "a", "servers": 2}, {"cluster": "a", "servers": 10}, {"cluster": "b"}]
    for turned in (places, places[::-1], places[3:] + places[:3]):
        folder = Folder(None)
        folder.keep_answers([(str(at), at, [row()], {"outcome": "solved"}) for at in turned])
        assert [dict(each.at) for each in result_of(folder, provenance={})] == places


def test_a_folder_gives_back_the_sharpest_answers_in_their_order(tmp_path):
    """Three cells: two at loads, of which one was answered twice, and one that failed."""
    folder = Folder(tmp_path / "runs")
    simulated = row(kind="simulated", low=2.0, high=3.0, bracket=True, at={})
    at = {"cluster": "c", "load": 0.9}
    blunt = {
        "outcome": "precision-not-reached",
        "precision": 0.2,
        "job_limit": 9,
        "blocks": 4,
        "jobs": 10,
        "seconds": 1.0,
    }
    sharp = {**blunt, "outcome": "converged", "blocks": 8, "jobs": 30, "width": 0.2, "seconds": 3.0}
    folder.keep_answers([("b", at, [simulated.replace(value=2.9)], blunt)])
    exact = [row(), row(job_class="large", value=math.inf, formula="f"), row(level=95.0)]
    folder.keep_answers([("a", {**at, "load": 0.5}, exact, {"outcome": "solved", "seconds": 0.25})])
    folder.keep_answers(
        [("b", at, [simulated], sharp), ("c", {"cluster": "c"}, (), {"outcome": "unstable", "message": "m"})]
    )
    folder.keep_answers([])
    assert {name: (each.outcome, each.blocks) for name, each in folder.answers.items()} == {
        "a": ("solved", 0),
        "b": ("converged", 8),
        "c": ("unstable", 0),
    }
    again = Folder(tmp_path / "runs")
    assert again.refresh() is True
    assert again.refresh() is False
    assert again.answers == folder.answers
    found = latest(again)
    assert found.cells["load"].to_pylist() == [None, 0.5, 0.9]
    assert found.owner.tolist() == [1, 1, 1, 2]
    assert latest(again, {"none": {}}).count == 0
    assert latest(again, {"a": {}}).cells["load"].to_pylist() == [0.5]
    result = result_of(again, provenance={})
    assert [(each.at.get("load"), each.value, each.bracket) for each in result] == [
        (0.5, 2.5, False),
        (0.5, math.inf, False),
        (0.5, 2.5, False),
        (0.9, 2.5, True),
    ]
    assert [(each.name, each.reason, dict(each.at)) for each in result.missing] == [("answer", "m", {})]
    assert result.outcome is Outcome.CONVERGED


def test_rows_of_a_cell_come_back_with_all_they_say():
    rows = (
        row(citation="a paper", low=2.0, high=3.0),
        row(job_class="large", formula="5/2"),
        row(name="load", value=0.5, method="", at={"quantity": "x"}),
        row(level=95.0, at={"quantity": "x"}),
        row(at={"time_of_day": 0.0}),
        row(at={"time_of_day": 6.0}, kind="simulated", bracket=True),
    )
    folder = Folder(None)
    solved = {"outcome": "solved"}
    folder.keep_answers([("a", {"load": 0.5}, rows, solved), ("b", {"load": 0.5}, (), solved)])
    assert result_of(folder, provenance={}).quantities == rows
    folder.keep_answers([("c", {"load": 0.75}, [row()], solved)])
    gap = Missing(name="answer", failure=Failure.TOO_LARGE, reason="r", at={"load": 0.25, "servers": 2})
    found = result_of(
        folder,
        cells={"a": {"load": 0.5}, "c": {"load": 0.75}},
        system={"servers": 2},
        provenance={"x": 1},
        missing=[gap],
    )
    assert [each.at["load"] for each in found] == [0.5] * 6 + [0.75]  # what differs between two
    assert (found.system, found.provenance) == ({"servers": 2}, {"x": 1})
    assert [(each.reason, dict(each.at)) for each in found.missing] == [("r", {"load": 0.25})]
    assert result_of(folder, provenance={}).system == {}


def test_a_folder_is_counted_and_pruned_to_the_bytes_it_saves(tmp_path):
    place = tmp_path / "runs"
    folder = Folder(place)
    cells = [
        Cell(own=SYSTEM.replace(load=load), policy=SYSTEM.policy, seed=1, at={"load": load}) for load in (0.5, 0.7)
    ]
    waiting = Cell(own=SYSTEM.replace(load=0.9), policy=SYSTEM.policy, seed=1, at={"load": 0.9})
    refused = Refused(at={"servers": 1}, reason="no")
    folder.ask([*cells, refused])
    folder.ask([*cells, waiting, refused])  # those known are not noted again
    one, two = (cell.id for cell in cells)
    folder.keep_answers([(one, cells[0].at, [row()], {"outcome": "solved", "seconds": 0.25})])
    for blocks, jobs, width in ((4, 10, 0.5), (8, 30, 0.25)):
        facts = {
            "outcome": "converged",
            "precision": width,
            "blocks": blocks,
            "jobs": jobs,
            "width": width,
            "seconds": 9.0,
        }
        folder.keep_answers([(two, cells[1].at, [row(kind="simulated")], facts)])
    found = status(place)
    assert (found.asked, found.exact, found.simulated, found.unstable) == (4, 1, 1, 0)
    assert (found.without, found.waiting, found.blocks, found.jobs) == (1, 1, 0, 30)
    assert (found.seconds, found.widest, found.stale) == (0.25, 0.25, 0)
    files = list(place.rglob("*.parquet"))
    assert (found.pieces, found.size) == (len(files), sum(file.stat().st_size for file in files))
    (place / "rows" / "x.parquet.abc.part").write_text("left over")
    removed, saved = prune(place)
    after = list(place.rglob("*.parquet"))
    assert removed == 1  # the blunter answer
    assert saved == found.size - sum(file.stat().st_size for file in after) > 0
    assert len(after) == 2  # one for each table that has rows
    assert list(place.rglob("*.part")) == []
    assert latest(opened(place), {one: {}, two: {}}).cells["load"].to_pylist() == [0.5, 0.7]
    unstable = {"outcome": "unstable", "blocks": 12, "jobs": 5, "width": None}
    Folder(place).keep_answers([(two, cells[1].at, (), unstable)])
    found = status(place)
    assert (found.unstable, found.simulated, found.without, found.widest) == (1, 0, 1, None)
    again = Folder(place)
    again.keep_answers([(waiting.id, waiting.at, [row()], {"outcome": "solved"})])  # nobody noted the seconds
    assert (status(place).exact, status(place).waiting, status(place).seconds) == (2, 0, 0.25)
    wide = {"outcome": "converged", "blocks": 16, "jobs": 1, "width": 0.125}
    again.keep_answers([(two, cells[1].at, [row()], wide), (one, cells[0].at, [row()], {**wide, "width": 0.75})])
    assert status(place).widest == 0.75
    again.code = "another version"
    again.keep_answers([(waiting.id, waiting.at, [row(value=9.0)], {"outcome": "solved"})])
    prune(place)
    assert latest(opened(place), {waiting.id: {}}).table["value"].to_pylist() == [2.5]
    with pytest.raises(InvalidInput, match="is no folder of a sweep"):
        opened(tmp_path)


def test_rows_that_wait_are_kept_as_text():
    rows = (row(), row(name="load", value=0.5, formula="1/2", at={"quantity": "x"}))
    assert rows_from_text(rows_as_text(rows)) == rows


def block(first):
    """Two pieces of three classes, all numbers different."""
    numbers = itertools.count(first)

    def array(*shape):
        return np.array([float(next(numbers)) for _ in range(math.prod(shape))]).reshape(shape)

    shapes = {"sums": (2, 3, 4), "controls": (2, 5), "by_time_of_day": (2, 1, 3), "areas": (2, 6)}
    names = ("sums", "time", "wasted_area", "busy_area", "present", "controls", "by_time_of_day", "areas")
    sketches = [Sketch(-7, np.array([1, 4]), np.array([n, n + 1])) for n in (first, first + 5)]
    own = {name: array(*shapes.get(name, (2,))) for name in names}
    return Block(**own, waiting=sketches[0], response=sketches[1], left=first + 9)


def plain(one):
    found = {name: value.tolist() for name, value in vars(one).items() if isinstance(value, np.ndarray)}
    sketches = [(each.lowest, each.bins.tolist(), each.counts.tolist()) for each in (one.waiting, one.response)]
    return found, sketches, one.left


def test_plans_and_blocks_are_read_as_they_were_written(tmp_path):
    folder, other = Folder(tmp_path / "new" / "runs"), Folder(tmp_path / "new" / "runs")
    blocks = {index: block(100 * index) for index in (0, 1, 3)}
    folder.keep_plans([("c", "s", {"x": [1, None]}, (row(),))])
    folder.keep_blocks([("s", index, blocks[index], 0.5) for index in (1, 0)])
    folder.keep_blocks([("s", 3, blocks[3], 0.5), ("t", 0, blocks[0], 0.25)])
    assert other.refresh() is True
    assert other.plans == folder.plans == {"c": ("s", {"x": [1, None]}, (row(),))}
    assert {stream: set(known) for stream, known in other.places.items()} == {"s": {0, 1, 3}, "t": {0}}
    found = other.blocks("s")
    assert {index: plain(each) for index, each in found.items()} == {i: plain(each) for i, each in blocks.items()}
    assert set(other.blocks("s", known=[0, 3])) == {1}
    assert other.blocks("unknown") == {}
    held = folder.claim("s-5")
    assert other.claim("s-5") is None
    held.__exit__(None, None, None)
    folder.close()  # two pieces of blocks become one
    assert len(folder.tables["blocks"].pieces()) == 1
    assert not (tmp_path / "new" / "runs" / "claims").exists()
    assert set(other.blocks("s")) == {0, 1, 3}  # found where they went
    memory = Folder(None)
    memory.keep_plans([("c", "s", {}, ())])
    memory.close()
    assert (memory.plans["c"], memory.claim("x") is not None) == (("s", {}, ()), True)


def test_of_two_answers_as_sharp_as_each_other_the_first_holds():
    folder = Folder(None)
    for outcome, blocks in (("too-short", 3), ("converged", 3), ("solved", 2)):
        folder.keep_answers([("c", {}, (), {"outcome": outcome, "blocks": blocks})])
    assert folder.answers["c"].outcome == "too-short"


def test_whose_policy_a_load_is_of_counts_and_at_a_rate_only_who_serves():
    def name(own, serves, **arrives):
        system = SYSTEM.replace(load=None, policy=own).replace(**arrives)
        return Cell(own=system, policy=SYSTEM.replace(policy=serves).policy, seed=1).id

    assert name("fcfs", "first-fit", arrival_rate=0.5) == name("best-fit", "first-fit", arrival_rate=0.5)
    assert name("fcfs", "first-fit", arrival_rate=0.5) != name("fcfs", "best-fit", arrival_rate=0.5)
    assert name("fcfs", "first-fit", load=0.5) != name("best-fit", "first-fit", load=0.5)
    assert len({hash(Cell(own=SYSTEM, policy=SYSTEM.policy, seed=1, at={"load": n})) for n in (1, 2)}) == 1
    assert Grid.of(SYSTEM, seed=0, asked=Asked()).seed == 0


class Looks:
    """A made-up rule: ten blocks, of which some were looked at."""

    def __init__(self, through=0, standings=(), expected=10):
        self.through, self.standings, self.upto = through, list(standings), expected

    def expected(self, precision):
        return self.upto

    def outcome(self, *, precision, jobs):
        return Outcome.CONVERGED if self.through >= self.upto else None

    def add(self, block):
        assert block == f"block {self.through}"
        self.through += 1

    def sentence(self):
        return "said"

    def rows(self, levels):
        return [row(), row(name="load")]


def running(name="s", **more):
    cell = SimpleNamespace(id=f"cell of {name}", at={}, asked=Asked(), served=SYSTEM)
    return Running(id=name, stream=None, cells=[(cell, ())], looks=more.pop("looks", Looks()), **more)


def scheduler(cells=(), **how):
    return Scheduler(Folder(None), list(cells), **{"precision": 0.1, "jobs": 100, "effort": Effort(), **how})


def test_a_stream_needs_the_blocks_that_nobody_is_at():
    one = running(looks=Looks(through=2, expected=7), ready={3: "x"}, under_way={5})
    assert one.missing(0.1) == [2, 4, 6]
    assert one.width == math.inf
    one.looks.standings = [SimpleNamespace(width=0.5), SimpleNamespace(width=0.25)]
    assert one.width == 0.25


def test_a_task_is_as_many_blocks_as_take_half_a_second(monkeypatch):
    monkeypatch.setattr(scheduling, "stage_of", lambda index: index // 4)  # 4 of length 1, 4 of length 2, ...
    for pace, indices in (
        (0.0, range(LARGEST)),
        (0.125, range(4)),  # four take half a second; the next would be twice as long
        (0.1, range(4)),
        (0.0625, range(6)),  # 4 and 2·2 are 8 units: half a second
        (9.0, range(1)),
    ):
        one = scheduler()
        one.streams["s"] = running(pace=pace, looks=Looks(expected=20))
        one._enter(one.streams["s"])
        task = one.next_task(1)
        assert list(task.indices) == list(indices)
        assert task.running.under_way == set(indices)
        assert task.key == "s.0"
        assert task.call == (run_blocks, None, task.indices)
        following = one.next_task(1)  # it may want more
        assert following.indices[0] == len(indices)


def test_blocks_that_others_are_at_are_left_to_them(monkeypatch):
    one = scheduler()
    one.streams["s"] = running(looks=Looks(expected=4))
    one._enter(one.streams["s"])
    taken = {"s-0", "s-2"}
    back = []

    def claim(name):
        held = ExitStack()
        held.callback(back.append, name)
        return None if name in taken else held

    monkeypatch.setattr(one.folder, "claim", claim)
    task = one.next_task(1)
    assert list(task.indices) == [1, 3]
    task.claims.__exit__(None, None, None)
    assert sorted(back) == ["s-1", "s-3"]
    assert one.next_task(1) is None  # all that is left others are at
    assert one.elsewhere == [one.streams["s"]]
    taken.clear()
    assert one.next_task(1) is None
    one.look_around()
    assert (one.elsewhere, list(one.next_task(1).indices)) == ([], [0, 2])


def cells(count):
    return [SimpleNamespace(id=f"c{n}", at={"seed": n}) for n in range(count)]


@pytest.mark.parametrize(
    ("count", "slots", "sizes"),
    [
        (100, 1, [32, 32, 18, 9]),  # 4 chunks are more than 2; then half of what is left
        (3 * CHUNK, 1, [32, 32, 16, 8]),
        (8, 2, [2, 1, 1, 1]),
        (3, 8, [1, 1, 1]),
    ],
)
def test_few_cells_for_many_workers_are_small_tasks(count, slots, sizes):
    one = scheduler(cells(count))
    assert [len(chunk) for chunk in one.chunks] == [len(range(count)[n : n + CHUNK]) for n in range(0, count, CHUNK)]
    assert (one.open, one.more) == (count, True)
    tasks = [one.next_task(slots) for _ in sizes]
    assert [len(task.cells) for task in tasks] == sizes
    assert [cell.id for task in tasks for cell in task.cells] == [f"c{n}" for n in range(sum(sizes))]
    assert tasks[0].key == "c0"
    assert tasks[0].call == (open_cells, tasks[0].cells)


def test_where_chunks_are_many_they_are_not_cut():
    one = scheduler(cells(22))
    given = list(one.cells.values())
    for rest, size in (([given[20:21], given[21:]], 20), ([given[20:]], 11)):
        one.chunks = deque([given[:20], *rest])
        assert len(one.next_task(1).cells) == size


def test_a_sweep_begins_with_what_is_answered_and_planned(monkeypatch):
    planned = []
    monkeypatch.setattr(Scheduler, "_simulate", lambda _, cell, opened: planned.append((cell.id, opened)))
    folder = Folder(None)
    every = cells(40)
    folder.keep_answers([("c1", {}, (), {"outcome": "solved"}), ("c35", {}, (), {"outcome": "converged", "blocks": 3})])
    for name in ("c2", "c33", "c1"):
        folder.keep_plans([(name, "s", {"x": name}, (row(),))])
    looked = []
    monkeypatch.setattr(folder, "refresh", lambda: looked.append(1))
    one = Scheduler(folder, every, precision=0.1, jobs=100, effort=Effort())
    assert (one.done, one.open, looked) == ({"c1"}, 39, [1])
    assert [(name, opened.plan, opened.rows) for name, opened in planned] == [
        ("c2", {"x": "c2"}, (row(),)),
        ("c33", {"x": "c33"}, (row(),)),
    ]
    first, second = ([cell.id for cell in chunk] for chunk in one.chunks)
    assert first == ["c0", *(f"c{n}" for n in range(3, 32))]
    assert second == ["c32", *(f"c{n}" for n in range(34, 40))]
    for cell in every:
        folder.keep_plans([(cell.id, "s", {}, ())])
    assert len(Scheduler(folder, every, precision=0.1, jobs=100, effort=Effort()).chunks) == 0


def test_a_stream_that_waits_for_nothing_is_left_alone():
    one = scheduler()
    stream = one.streams["s"] = running(looks=Looks(expected=1), under_way={0})
    one._enter(stream)
    assert (one.next_task(1), one.elsewhere) == (None, [])
    one._enter(running("gone"))
    assert one.line.next() is None


def test_one_stream_answers_all_cells_that_mean_the_same(monkeypatch):
    monkeypatch.setattr(scheduling, "stream_of", lambda cell, plan: (cell.id, plan["x"]))
    monkeypatch.setattr(scheduling, "stream_id", lambda stream: stream[1])
    monkeypatch.setattr(scheduling, "Looks", lambda _: Looks(expected=2))
    one = scheduler()
    given = [SimpleNamespace(id=f"c{n}", at={"seed": n}, asked=Asked(), served=SYSTEM) for n in range(3)]
    one.cells = {cell.id: cell for cell in given}
    monkeypatch.setattr(one.folder, "blocks", lambda name: {0: "block 0"} if name == "s" else {})
    planned = Opened(rows=(row(name="utilisation"),), plan={"x": "s"})
    assert [one._simulate(cell, planned) for cell in given[:2]] == ["s", "s"]
    stream = one.streams["s"]
    assert ([cell.id for cell, _ in stream.cells], stream.looks.through, stream.stream) == (
        ["c0", "c1"],
        1,
        ("c0", "s"),
    )
    stream.ready[1] = "block 1"
    one._keep(one._advance(stream))
    assert (one.done, one.streams) == ({"c0", "c1"}, {})
    assert one._simulate(given[2], planned) == "s"  # it has ended: its answer is this cell's, too
    assert (one.done, one.streams) == ({"c0", "c1", "c2"}, {})
    assert latest(one.folder).cells["seed"].to_pylist() == [0, 1, 2]


def test_what_others_have_found_is_taken_in(monkeypatch):
    one, planned, asked = scheduler(cells(4)), [], []
    one.chunks = deque([list(one.cells.values())[:3], list(one.cells.values())[3:]])
    new = [False]
    monkeypatch.setattr(one, "_simulate", lambda cell, opened: planned.append((cell.id, opened.plan)))
    answer = ("c2", {}, (), {"outcome": "solved"})
    monkeypatch.setattr(one, "_advance", lambda running: [answer] if running.id == "s" else [])
    monkeypatch.setattr(one.folder, "refresh", lambda: new[0])
    monkeypatch.setattr(one.folder, "blocks", lambda name, known: asked.append((name, known)) or {1: "block 1"})
    one.folder.keep_answers([(name, {}, (), {"outcome": "solved"}) for name in ("c0", "c3")])
    one.folder.keep_plans([("c1", "s", {"x": 1}, ())])
    one.streams["s"] = running(looks=Looks(through=1), ready={2: "block 2"})
    one.streams["t"] = running("t", looks=Looks(through=2))
    one.folder.places = {"s": {0: "piece", 1: "piece", 2: "piece"}, "t": {0: "piece", 1: "piece"}}
    one.look_around()
    assert (one.done, planned, asked, len(one.chunks)) == (set(), [], [], 2)
    new[0] = True
    one.look_around()
    assert (one.done, planned, asked) == ({"c0", "c2", "c3"}, [("c1", {"x": 1})], [("s", {0, 2})])
    assert one.streams["s"].ready == {1: "block 1", 2: "block 2"}
    assert [[cell.id for cell in chunk] for chunk in one.chunks] == [["c2"]]


def test_what_tasks_found_is_kept_before_anything_is_made_of_it(monkeypatch):
    one, done = scheduler(), []
    stream = running()
    monkeypatch.setattr(one, "_opened", lambda task, value, answers, plans: (answers.append("a"), plans.append("p")))
    monkeypatch.setattr(one, "_ran", lambda task, value, answers: answers.append("failed") or [value])
    monkeypatch.setattr(one, "_advance", lambda running: done.append(("advanced", running)) or ["b"])
    monkeypatch.setattr(one, "_counts", lambda answer: True)
    for name in ("keep_blocks", "keep_plans", "keep_answers"):
        monkeypatch.setattr(one.folder, name, lambda found, name=name: done.append((name, list(found))))
    one.take([(Task(claims=ExitStack(), running=stream), "block"), (Task(claims=ExitStack(), cells=[1]), "opened")])
    assert done == [
        ("keep_blocks", ["block"]),
        ("keep_plans", ["p"]),
        ("advanced", stream),
        ("keep_answers", ["failed", "a", "b"]),
    ]


def test_cells_that_others_are_at_come_later(monkeypatch):
    one = scheduler(cells(70))
    answers = [None, ExitStack()]
    monkeypatch.setattr(one.folder, "claim", lambda _: answers.pop(0))
    assert one.next_task(1).cells[0].id == "c32"
    assert one.chunks[-1][0].id == "c0"


def test_what_was_opened_is_answered_planned_or_failed(monkeypatch):
    one = scheduler(cells(5))
    given = list(one.cells.values())
    monkeypatch.setattr(one, "_simulate", lambda cell, _: f"stream of {cell.id}")
    found = [
        ("c0", SimpleNamespace(plan=None, rows=(row(),), outcome=Outcome.SOLVED, message=""), 0.5),
        ("c1", SimpleNamespace(plan={"x": 1}, rows=()), 0.5),
        ("c2", Failed(failure="unstable", reason="r", lasting=True), 0.75),
        ("c3", Failed(failure="too-large", reason="r", lasting=False), 0.5),
    ]
    answers, plans = [], []
    one.chunks.clear()
    one._opened(Task(claims=ExitStack(), cells=given), found, answers, plans)
    assert answers == [
        ("c0", {"seed": 0}, (row(),), {"outcome": "solved", "message": None, "seconds": 0.5}),
        ("c2", {"seed": 2}, (), {"outcome": "unstable", "message": "r", "seconds": 0.75}),
    ]
    assert plans == [("c1", "stream of c1", {"x": 1}, ())]
    assert (one.done, list(one.failed)) == ({"c2", "c3"}, ["c2", "c3"])
    assert [[cell.id for cell in chunk] for chunk in one.chunks] == [["c4"]]  # there was no time for it
    one._opened(Task(claims=ExitStack(), cells=given[:1]), found[:1], answers, plans)
    assert len(one.chunks) == 1


def test_blocks_are_taken_in_their_order_until_the_stream_has_ended(monkeypatch):
    monkeypatch.setattr(scheduling, "stage_of", lambda index: index)
    one = scheduler()
    stream = one.streams["s"] = running(looks=Looks(expected=3), under_way={0, 1, 2, 7})
    task = Task(claims=ExitStack(), running=stream, indices=[1, 2])
    assert one._ran(task, [(1, "block 1", 0.5), (2, "block 2", 6.0)], []) == [
        ("s", 1, "block 1", 0.5),
        ("s", 2, "block 2", 6.0),
    ]
    assert (stream.under_way, stream.seconds, stream.pace) == ({0, 7}, 6.5, 1.5)  # 6 seconds for 2² of the first length
    assert one._advance(stream) == []  # block 0 is not there yet
    assert one.line.next() is stream
    stream.ready[0] = "block 0"
    stream.looks.standings = [SimpleNamespace(width=0.25, blocks=3, jobs=1000)]
    [(cell, at, rows, facts)] = one._advance(stream)
    assert (cell, at) == ("cell of s", {})
    assert facts == {
        "outcome": "converged",
        "message": "said",
        "stream": "s",
        "precision": 0.1,
        "job_limit": 100,
        "width": 0.25,
        "blocks": 3,
        "jobs": 1000,
        "seconds": 6.5,
    }
    assert {each.method for each in rows} == {"simulation of fcfs, 1,000 jobs in 3 blocks"}
    assert (one.streams, stream.ready) == ({}, {})
    assert one._advance(stream) == []
    known = row(value=9.0)
    _, _, rows, _ = one._answer("s", stream.cells[0][0], (known,))
    assert [(each.name, each.value) for each in rows] == [("mean_response_time", 9.0), ("load", 2.5)]


def test_a_stream_without_a_finite_interval_has_no_width():
    for standings, wanted in (([], (None, 0, 0)), ([SimpleNamespace(width=math.inf, blocks=2, jobs=7)], (None, 2, 7))):
        one = scheduler()
        stream = one.streams["s"] = running(looks=Looks(expected=0, standings=standings))
        [(_, _, _, facts)] = one._advance(stream)
        assert (facts["width"], facts["blocks"], facts["jobs"]) == wanted


def test_a_block_that_fails_ends_its_stream():
    one = scheduler()
    stream = one.streams["s"] = running(under_way={0, 1})
    answers = []
    failed = Failed(failure="unstable", reason="r", lasting=True)
    task = Task(claims=ExitStack(), running=stream, indices=[0, 1])
    assert one._ran(task, [(0, failed, 2.0), (1, "block 1", 1.0)], answers) == []
    assert answers == [("cell of s", {}, (), {"outcome": "unstable", "message": "r", "seconds": 2.0})]
    assert (one.streams, stream.seconds, stream.ready) == ({}, 2.0, {})
    assert one._advance(stream) == []  # what was under way when it ended


def test_workers_may_die_over_cells_and_blocks_so_often():
    one = scheduler(cells(3))
    given = list(one.cells.values())
    one.chunks.clear()
    task = Task(claims=ExitStack(), cells=given)
    one.lost(task, CancelledError())  # nobody died
    assert one.strikes["c0"] == 0
    for died in range(1, STRIKES):
        one.lost(task, KeyError())
        assert one.strikes["c0"] == died
    assert [[cell.id for cell in chunk] for chunk in one.chunks] == [["c0"], ["c1"], ["c2"]] * STRIKES
    assert one.failed == {}
    one.chunks.clear()
    one.lost(task, KeyError())
    assert [[cell.id for cell in chunk] for chunk in one.chunks] == [["c1"], ["c2"]]
    assert one.failed["c0"].reason.startswith(f"{STRIKES} workers died over it (KeyError)")
    assert (one.failed["c0"].lasting, one.done) == (False, {"c0"})

    stream = one.streams["s"] = running(under_way={0, 1, 2})
    blocks = Task(claims=ExitStack(), running=stream, indices=[0, 1])
    for _ in range(STRIKES - 1):
        one.lost(blocks, KeyError())
    assert stream.under_way == {2}
    assert one.line.next() is stream
    one.lost(blocks, KeyError())
    assert (one.streams, one.line.next(), "cell of s" in one.failed) == ({}, None, True)


def test_how_far_a_sweep_is(monkeypatch):
    """Two streams: one at twice the width wanted after 32 lengths, of which it needs 128; one before its first look."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    one = scheduler(cells(4), jobs=10**9)
    one.chunks.clear()
    assert one.progress() == (0.0, "0 of 4 cells")
    one.done |= {"c0", "c1"}
    look = SimpleNamespace(width=0.2, blocks=32, jobs=1000)
    one.streams["s"] = running(looks=Looks(through=32, standings=[look]), pace=0.5)
    one.streams["t"] = running("t", looks=Looks(through=8), pace=0.5)
    one.spent = 20.0
    left = (128 - 32) * 0.5 + (128 - 8) * 0.5  # the second is taken for an average one
    assert one.progress() == (20.0 / (20.0 + left), "2 of 4 cells, widest ± 20.00%")
    now[0] += 10.0  # two workers have done the work of twenty seconds in ten
    assert one.progress()[1] == f"2 of 4 cells, widest ± 20.00%, about {left / 2:.0f} s left"
    look.width = 0.05  # narrow enough, but not confirmed: that takes 48 lengths, and is not called done
    left = (48 - 32) * 0.5 + (48 - 8) * 0.5
    assert one.progress()[0] == 20.0 / (20.0 + left) < 1.0
    one.jobs = 1250  # no more than 40 lengths are allowed
    assert one._most_lengths(one.streams["s"]) == 40.0
    one.streams.clear()
    one.chunks.append(cells(2))  # two cells that nobody has opened are like the two that were
    assert one.progress()[0] == pytest.approx(20.0 / (20.0 + 2 * 20.0 / 2))
    single = scheduler(cells(1))
    single.done = {"c0"}
    assert single.progress()[0] == 1.0
    empty = scheduler()
    assert (empty.progress(), empty.open, empty.more) == ((0.0, "0 of 0 cells"), 0, False)


def test_what_is_to_be_confirmed_comes_first_and_then_the_widest():
    one = scheduler(precision=0.1)
    widths = {"wide": 0.5, "narrow": 0.09, "wider": 0.7, "new": None}
    for name, width in widths.items():
        standings = [] if width is None else [SimpleNamespace(width=width, blocks=32, jobs=1)]
        one.streams[name] = running(name, looks=Looks(standings=standings))
        one._enter(one.streams[name])
    assert [one.line.next().id for _ in widths] == ["narrow", "new", "wider", "wide"]


def test_a_sweep_says_how_long_it_took(tmp_path):
    began = time.perf_counter()
    found = msj.sweep("examples/two_servers.toml", vary={"load": [0.3, 0.6]}, seed=1)
    assert 0 < found.provenance["seconds"] <= time.perf_counter() - began


def test_a_cell_says_its_load():
    """Of two servers that take 0.9: a load of 0.8 is an arrival rate of 0.72, and as much of what servers can do."""
    system = msj.read("examples/two_servers.toml")
    rows = {row.name: row.value for row in open_cell(Cell(own=system, policy=system.policy, seed=1)).rows}
    assert (rows["arrival_rate"], rows["load"], rows["utilisation"]) == pytest.approx((0.72, 0.8, 0.72))
