"""Whatever ends a sweep, nothing is lost but what was running, nothing is there twice, and the answers are the same."""

import errno
import os

import pytest
from disturbed import begin, kill, wait_for
from same import GRID, TWO, blocks_of, rows_of, undisturbed

import msj
from msj.executors import workers
from msj.store import files
from msj.sweeps import running as scheduling
from msj.sweeps import steps
from msj.sweeps.upkeep import prune


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A sweep that nothing has disturbed."""
    place = tmp_path_factory.mktemp("sweep") / "runs"
    undisturbed(out=place)
    return place


def test_a_killed_sweep_goes_on_where_it_was(folder, tmp_path):
    process = begin(tmp_path)
    pieces = tmp_path / "blocks"
    assert wait_for(lambda: pieces.is_dir() and any(pieces.glob("*.parquet")), process)
    kill(process.pid)
    process.wait()
    kept = blocks_of(tmp_path)
    assert kept
    undisturbed(out=tmp_path)
    assert rows_of(tmp_path) == rows_of(folder)
    after = blocks_of(tmp_path)
    assert after == blocks_of(folder)
    assert {key: after[key] for key in kept} == kept


def test_a_full_disk_is_said_and_costs_what_was_running(folder, tmp_path, monkeypatch):
    """A disk that takes three more files, then none: the write fails where the system says so, at its flush."""
    room = iter(range(5))

    def flush(number, kept=os.fsync):
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        kept(number)

    monkeypatch.setattr(files.os, "fsync", flush)
    with pytest.raises(msj.InvalidInput, match="No space left on device"):
        undisturbed(out=tmp_path)
    monkeypatch.undo()
    assert not list(tmp_path.glob("**/*.part"))
    undisturbed(out=tmp_path)
    assert rows_of(tmp_path) == rows_of(folder)
    assert blocks_of(tmp_path) == blocks_of(folder)


def test_ctrl_c_leaves_what_there_was(folder, tmp_path, monkeypatch):
    rounds = iter(range(4))

    def interrupted(*given, kept=scheduling.run_blocks):
        if next(rounds, None) is None:
            raise KeyboardInterrupt
        return kept(*given)

    monkeypatch.setattr(scheduling, "run_blocks", interrupted)
    cut = undisturbed(out=tmp_path)
    monkeypatch.undo()
    assert cut.outcome is msj.Outcome.INTERRUPTED
    early = cut.at(policy="first-fit", load=0.5).row("mean_response_time")  # from the blocks that were there
    assert early.low < early.value < early.high
    assert msj.read_sweep(tmp_path).at(policy="first-fit", load=0.5).row("mean_response_time") == early
    kept = blocks_of(tmp_path)
    assert kept
    found = undisturbed(out=tmp_path)
    assert found.at(policy="first-fit", load=0.5)["mean_response_time"] != early.value
    prune(tmp_path)
    assert rows_of(tmp_path) == rows_of(folder)
    assert blocks_of(tmp_path) == blocks_of(folder)


def test_workers_that_die_are_replaced(folder, monkeypatch):
    """Every third task comes back as from a pool whose process was killed."""
    tasks = iter(range(10**6))

    class Dying(workers.Here):
        def submit(self, function, /, *given, **more):
            if next(tasks) % 3 == 2:
                future = workers.Future()
                future.set_exception(workers.BrokenProcessPool("a process was killed"))
                return future
            return super().submit(function, *given, **more)

    assert undisturbed(executor=Dying()).quantities == msj.read_sweep(folder).quantities


def test_a_cell_that_kills_every_worker_is_given_up_and_the_others_are_not(monkeypatch):
    class Deadly(workers.Here):
        def submit(self, function, /, *given, **more):
            if function is steps.run_blocks and given[0].system.arrival_rate > 0.5:
                future = workers.Future()
                future.set_exception(workers.BrokenProcessPool("a process was killed"))
                return future
            return super().submit(function, *given, **more)

    found = undisturbed(executor=Deadly())
    assert found.at(policy="first-fit", load=0.5)["mean_response_time"] > 0
    [gap] = [gap for gap in found.missing if gap.at.get("load") == 0.8]
    assert "4 workers died over it" in gap.reason


def test_a_defect_in_one_cell_is_told_and_not_kept(tmp_path, monkeypatch):
    def broken(cell, kept=steps.open_cell):
        if cell.own.load == 0.8:
            raise ZeroDivisionError("by chance")
        return kept(cell)

    monkeypatch.setattr(steps, "open_cell", broken)
    found = msj.sweep(TWO, vary=GRID["vary"], out=tmp_path)
    assert found.at(load=0.5, servers=2)["mean_response_time"] > 0
    assert any("ZeroDivisionError: by chance" in gap.reason for gap in found.missing)
    monkeypatch.undo()
    again = msj.sweep(TWO, vary=GRID["vary"], out=tmp_path)
    assert again.at(load=0.8, servers=2)["mean_response_time"] > 0
