"""A folder says which questions it answers, how much of their grids, and keeps different questions apart."""

import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from same import TWO

import msj
from msj.cli import msj as command
from msj.sweeps.folder import Folder
from msj.sweeps.upkeep import prune, status
from msj.sweeps.where import only

GRID = {"vary": {"load": [0.5, 0.6, 0.7], "servers": [2, 3, 4]}}


def told(*words):
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done


def test_a_missing_shard_is_seen(tmp_path):
    runs = tmp_path / "runs"
    for part in (1, 3):
        found = msj.sweep(TWO, **GRID, shard=f"{part}/3", out=runs)
        assert found.outcome is msj.Outcome.SOLVED  # a shard has all that it was asked for
    words = "6 of 9 cells are answered; shard 2 of 3 is missing"
    here = status(runs)
    assert (here.asked, here.grid, here.missing_shards, here.unfinished) == (6, 9, ("2 of 3",), words)
    assert "shard 2 of 3 is missing" in " ".join(told("sweep", "--status", runs).output.split())
    read = msj.read_sweep(runs)
    assert read.outcome is msj.Outcome.INTERRUPTED
    assert [gap.reason for gap in read.missing] == [words]
    assert words in told("results", runs, "--csv").stderr
    assert words not in told("results", runs, "--csv").stdout
    msj.sweep(TWO, **GRID, shard="2/3", out=runs)
    assert status(runs).unfinished == ""
    whole = msj.sweep(TWO, **GRID)
    assert msj.read_sweep(runs).outcome is msj.Outcome.SOLVED
    assert msj.read_sweep(runs).quantities == whole.quantities


def test_cells_that_wait_are_seen(tmp_path):
    msj.sweep(TWO, **GRID, out=tmp_path, seconds=1e-9)
    assert status(tmp_path).unfinished == "0 of 9 cells are answered"
    assert msj.read_sweep(tmp_path).outcome is msj.Outcome.INTERRUPTED


def test_different_questions_at_the_same_coordinates_are_told_apart(tmp_path):
    """Shards of a spec that was edited between them, as a job array may run them."""
    system = msj.read(TWO)
    slower = [c.replace(duration=msj.Exponential(mean=2)) for c in system.classes]
    msj.sweep(system, **GRID, shard="1/2", out=tmp_path / "a")
    msj.sweep(system.replace(classes=slower), **GRID, out=tmp_path / "b")
    shutil.copytree(tmp_path / "a", tmp_path / "b", dirs_exist_ok=True)
    found = msj.read_sweep(tmp_path / "b")
    clusters = found.places("cluster")
    assert len(clusters) == 2
    assert all(str(label).startswith("two servers [") for label in clusters)
    assert "Different questions stand at the same coordinates here" in found.notes[0]
    for label in clusters:
        assert found.at(cluster=label, load=0.5, servers=2)["mean_response_time"] > 0
    chosen = msj.read_sweep(tmp_path / "b", where=[f"cluster={clusters[0]}", "name=mean_response_time", "class="])
    assert {row.at["cluster"] for row in chosen} == {clusters[0]}
    assert status(tmp_path / "b").missing_shards == ("2 of 2",)
    manifests = [json.loads(file.read_text()) for file in (tmp_path / "b" / "manifest").glob("*.json")]
    assert sorted((each["shard"], each["shards"], each["grid_cells"]) for each in manifests) == [(1, 1, 9), (1, 2, 9)]
    assert all(each["asked"]["systems"][0]["name"] == "two servers" for each in manifests)
    prune(tmp_path / "b")
    assert msj.read_sweep(tmp_path / "b").quantities == found.quantities


def test_a_grid_that_is_extended_is_no_other_question_at_the_same_coordinates(tmp_path):
    msj.sweep(TWO, vary={"load": [0.5, 0.6]}, out=tmp_path)
    msj.sweep(TWO, vary={"load": [0.6, 0.7]}, out=tmp_path)
    found = msj.read_sweep(tmp_path)
    assert found.quantities == msj.sweep(TWO, vary={"load": [0.5, 0.6, 0.7]}).quantities
    assert (found.notes, found.missing) == ((), ())


def test_answers_of_other_code_are_left_out_where_there_are_new_ones(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        for place in ("cell", "folder", "question", "opening"):
            patch.setattr(f"msj.sweeps.{place}.computing_code", lambda: "other code")
        msj.sweep(TWO, vary={"load": [0.5, 0.6]}, out=tmp_path)
    old = msj.read_sweep(tmp_path)
    assert len(old.along("load", "mean_response_time")) == 2  # nothing else is there: it is shown
    msj.sweep(TWO, vary={"load": [0.6, 0.7]}, out=tmp_path)
    found = msj.read_sweep(tmp_path)
    assert [load for load, _ in found.along("load", "mean_response_time")] == [0.6, 0.7]
    assert "2 cells of other versions of the code are left out" in found.notes[0]


def test_a_broken_manifest_is_set_aside_and_named(tmp_path):
    msj.sweep(TWO, vary={"load": [0.5]}, out=tmp_path)
    [file] = (tmp_path / "manifest").glob("*.json")
    file.write_text("{")
    status(tmp_path)
    assert [left.name for left in (tmp_path / "manifest").iterdir()] == [f"{file.name}.damaged"]
    assert any(file.name in note for note in msj.read_sweep(tmp_path).notes)


def made_folder(place, cells):
    """A folder with answers that nobody computed: the rows of one real cell at many loads."""
    rows = tuple(msj.sweep(TWO, vary={"load": [0.5]}).quantities)
    folder = Folder(place)
    for start in range(0, cells, 1000):
        answers = [(f"{n}", {"load": n / cells}, rows, {"outcome": "solved"}) for n in range(start, start + 1000)]
        folder.keep_answers(answers)
    folder.close()
    return len(rows)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak memory is read from Linux's /proc")
def test_a_large_folder_is_read_in_bounded_memory(tmp_path):
    """2,000 cells are 114,000 rows; as objects they would take more than 100 MB."""
    rows = made_folder(tmp_path, 2_000)
    script = (
        "import sys, pandas, pyarrow.parquet; from msj.sweeps import read_sweep\n"
        "def peak(): return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "before = peak()\n"
        "found = read_sweep(sys.argv[1]); rows = sum(1 for _ in found)\n"
        "print(rows, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    read, kilobytes = map(int, done.stdout.split())
    assert read == 2_000 * rows
    assert kilobytes < 60_000


def test_rows_as_columns_are_the_rows(tmp_path):
    found = msj.sweep(TWO, **GRID, policies=["fcfs", "first-fit"], precision=0.3, out=tmp_path)
    rows = tuple(found.quantities)
    assert (len(found.quantities), found.quantities[3], found.quantities[-1]) == (len(rows), rows[3], rows[-1])
    assert found.quantities[2:9:3] == rows[2:9:3]
    assert found.to_csv() == replace(found, quantities=rows).to_csv()
    text = io.StringIO()
    found.write_csv(text)
    assert text.getvalue() == found.to_csv()
    assert json.loads(told("results", tmp_path, "--json").stdout)["quantities"] == found.to_dict()["quantities"]
    for where in (["policy=fcfs"], ["load>=0.6", "name=mean_response_time"], ["class="], ["level=95"], ["value<1"]):
        assert (
            msj.read_sweep(tmp_path, where=where).quantities == only(replace(found, quantities=rows), where).quantities
        )
    assert found.named(["mean_response_time"]).quantities == tuple(
        row for row in rows if row.name == "mean_response_time" and row.job_class is None
    )
