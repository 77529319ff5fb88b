"""Work (kept, resumed, side by side), verdicts, and what a reproduction writes."""

import csv
import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest

from msj.errors import InvalidInput
from msj.papers import PAPERS, Claim, Figure, Work, figures_named, reproduce
from msj.papers.catalogue import _natural
from msj.papers.reproduce import estimated_seconds, write_rows
from msj.papers.reset import settings
from msj.papers.verdicts import exactly, printed_number


def logged(x, log):
    with Path(log).open("a") as file:
        file.write(f"{x}\n")
    return {"y": x * x}


def stops_at_two(x, log):
    if x == 2 and not Path(log + ".again").exists():
        raise KeyboardInterrupt
    return logged(x, log)


def with_checkpoint(x, checkpoint):
    if checkpoint is not None:
        assert checkpoint.parent.is_dir()
        checkpoint.write_text("state")
    return {"checkpoint": None if checkpoint is None else str(checkpoint)}


def nothing(x):
    return {"y": math.nan}


def lines(log):
    return Path(log).read_text().split() if Path(log).exists() else []


def test_a_resumed_work_gives_the_same_without_computing(tmp_path):
    log = str(tmp_path / "log")
    points = [{"x": x, "log": log} for x in range(4)]
    first = Work(folder=tmp_path / "work").map(logged, points)
    assert lines(log) == ["0", "1", "2", "3"]
    again = Work(folder=tmp_path / "work")
    assert again.map(logged, points) == first == [{"y": x * x} for x in range(4)]
    assert lines(log) == ["0", "1", "2", "3"]
    assert again.seconds > 0  # the time it took then counts: the full run is estimated from it


@pytest.mark.parametrize("change", [{"seed": 2}, {"scale": "full"}])
def test_another_seed_or_scale_is_another_question(tmp_path, change):
    log = str(tmp_path / "log")
    points = [{"x": 1, "log": log}]
    Work(folder=tmp_path).map(logged, points)
    Work(folder=tmp_path, **change).map(logged, points)
    assert lines(log) == ["1", "1"]


def test_an_interrupted_work_goes_on_where_it_was(tmp_path):
    log = str(tmp_path / "log")
    points = [{"x": x, "log": log} for x in range(4)]
    with pytest.raises(KeyboardInterrupt):
        Work(folder=tmp_path / "work").map(stops_at_two, points)
    assert lines(log) == ["0", "1"]
    Path(log + ".again").touch()
    watched = []
    work = Work(folder=tmp_path / "work", progress=lambda now: watched.append((now.done, now.words)))
    assert work.map(stops_at_two, points) == [{"y": x * x} for x in range(4)]
    assert lines(log) == ["0", "1", "2", "3"]
    assert watched == [(0.75, "3 of 4 answers"), (1.0, "4 of 4 answers")]


def test_what_was_being_written_when_it_was_killed_is_no_answer(tmp_path):
    log = str(tmp_path / "log")
    points = [{"x": 3, "log": log}]
    Work(folder=tmp_path / "work").map(logged, points)
    [kept] = (tmp_path / "work").glob("*.parquet")
    kept.with_name(f"{kept.name}.123.part").write_bytes(kept.read_bytes()[:9])
    kept.unlink()
    assert Work(folder=tmp_path / "work").map(logged, points) == [{"y": 9}]
    assert lines(log) == ["3", "3"]


def test_checkpoints_have_a_place_until_the_answer_is_known(tmp_path):
    [kept] = Work(folder=tmp_path / "new" / "work").map(with_checkpoint, [{"x": 1}], checkpoints=True)
    assert Path(kept["checkpoint"]).parent == tmp_path / "new" / "work"
    assert not Path(kept["checkpoint"]).exists()
    assert Work().map(with_checkpoint, [{"x": 1}], checkpoints=True) == [{"checkpoint": None}]


def test_no_answer_is_not_kept_as_one(tmp_path):
    with pytest.raises(ValueError):
        Work(folder=tmp_path).map(nothing, [{"x": 1}])
    assert list(tmp_path.iterdir()) == []


def test_side_by_side_is_the_same_in_order():
    points = [{"x": x} for x in (3, 1, 2)]
    assert Work(processes=2).map(dict, points) == points


def test_an_interrupted_simulation_goes_on_bit_for_bit(tmp_path, monkeypatch):
    from msj.simulation.run import Run

    point = {"setting": "k = 3", "arrival_rate": 0.5, "jobs": 20_000, "seed": [1, 2]}
    whole = settings.simulated_setting(**point, checkpoint=None)
    monkeypatch.setattr(settings, "WORTH_KEEPING", 0)
    with monkeypatch.context() as patch:
        pieces, arrive = [], Run._arrive

        def interrupted(self, *rest):
            pieces.append(1)
            if len(pieces) == 7:
                raise KeyboardInterrupt
            return arrive(self, *rest)

        patch.setattr(Run, "_arrive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Work(folder=tmp_path).map(settings.simulated_setting, [point], checkpoints=True)
    assert [file.suffix for file in tmp_path.iterdir()] == [".state"]

    done = []

    def counted(self, *rest):
        done.append(1)
        return arrive(self, *rest)

    monkeypatch.setattr(Run, "_arrive", counted)
    assert Work(folder=tmp_path).map(settings.simulated_setting, [point], checkpoints=True) == [whole]
    pieces_of_a_run = len(done) + 6  # six were there
    done.clear()
    with tempfile.TemporaryDirectory() as elsewhere:  # kept, too: else short pieces arrive several at a time
        assert settings.simulated_setting(**point, checkpoint=Path(elsewhere) / "run.state") == whole
    assert len(done) == pieces_of_a_run
    assert [file.suffix for file in tmp_path.iterdir()] == [".parquet"]


def test_a_claim_is_plain_data():
    claim = Claim(claim="c", claimed="1", found="1", difference="0", passed=np.bool_(True))
    assert claim.passed is True
    assert json.loads(json.dumps(claim.to_dict()))["passed"] is True


@pytest.mark.parametrize(
    ("printed", "found", "passed"),
    [
        ("0.526", 0.52549, False),
        ("0.526", 0.52551, True),
        ("1.850", 1.8496, True),
        ("1.850", 1.8494, False),
        ("77", 77.4, True),
        ("77", 77.6, False),
    ],
)
def test_a_printed_number_is_right_if_it_rounds_to_its_digits(printed, found, passed):
    assert printed_number("x", printed, found).passed is passed


def test_exactly_tells_a_difference():
    assert not exactly("x", "13", "12").passed


class Flat(Figure):
    title = "A line"

    def arrivals(self, scale):
        return 10.0 if scale == "quick" else 1000.0

    def compute(self, work):
        return [{"x": 1 / 3, "y": float("nan")}, {"x": 2.0, "z": "text"}]

    def draw(self, rows, figure):
        figure.add_subplot().plot([0, 1], [row["x"] for row in rows])

    def claims(self, rows):
        return [exactly("x", "1", "2")]


def test_what_a_reproduction_writes(tmp_path):
    found = reproduce(PAPERS["reset"], "line", Flat(), out=tmp_path / "new")
    assert [file.name for file in found.files] == [
        "reset_line.csv", "reset_line.png", "reset_line.svg", "reset_line.verdict.json",
    ]  # fmt: skip
    with found.files[0].open() as file:
        assert list(csv.reader(file)) == [["x", "y", "z"], [repr(1 / 3), "", ""], ["2.0", "", "text"]]
    assert found.files[1].read_bytes()[1:4] == b"PNG"
    verdict = json.loads(found.files[3].read_text())
    assert verdict["passed"] is found.passed is False
    assert verdict["claims"][0]["found"] == "2"
    svg = found.files[2].read_bytes()
    assert reproduce(PAPERS["reset"], "line", Flat(), out=tmp_path / "other").files[2].read_bytes() == svg
    assert estimated_seconds(Flat(), 3.0, processes=2) == 150.0


def test_rows_keep_every_digit(tmp_path):
    value = 0.1 + 0.2
    write_rows([{"value": value}], tmp_path / "rows.csv")
    assert float((tmp_path / "rows.csv").read_text().split()[1]) == value


def test_the_catalogue_of_figures():
    assert list(figures_named(PAPERS["reset"])) == [
        "appendix-b", "appendix-c2", "fig2a", "fig2b", "fig3", "fig-i4", "section-4-1",
    ]  # fmt: skip
    assert list(figures_named(PAPERS["twoclass"])) == [
        "fig3", "fig5", "fig6a", "fig6b", "fig7a", "fig7b", "fig8a", "fig8b", "theorem8-1",
    ]  # fmt: skip
    assert list(figures_named(PAPERS["twoclass"], "fig6")) == ["fig6a", "fig6b"]
    assert list(figures_named(PAPERS["reset"], "section_4_1")) == ["section-4-1"]
    with pytest.raises(InvalidInput, match=r"did you mean 'fig2[ab]'"):
        figures_named(PAPERS["reset"], "fig2c")


@pytest.mark.parametrize("paper", ["reset", "twoclass"])
def test_full_is_the_papers_own_length(paper):
    for name, figure in figures_named(PAPERS[paper]).items():
        quick, full = figure.arrivals("quick"), figure.arrivals("full")
        assert figure.title, name
        assert (quick == full == 0) or full >= 1e8 > quick / 10, name


def test_figures_are_in_their_order():
    names = ["fig10", "fig2b", "fig2a", "fig-i4", "appendix-c2", "fig12a", "fig2", "theorem8-1", "section-10"]
    assert sorted(names, key=_natural) == [
        "appendix-c2", "fig2", "fig2a", "fig2b", "fig10", "fig12a", "fig-i4", "section-10", "theorem8-1",
    ]  # fmt: skip
    assert _natural("fig12a") == [(-1, "fig"), (12, ""), (-1, "a")]
