"""Sweeps disturbed for real: processes killed at work, a disk that is full; the answers are those of a quiet run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "sweeps"))

from disturbed import begin, children_of, kill, wait_for
from same import blocks_of, rows_of, undisturbed

from msj.simulation import blocks
from msj.sweeps.upkeep import prune

PRECISION = 0.01


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A sweep that nothing has disturbed."""
    place = tmp_path_factory.mktemp("sweep") / "runs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "LEAST_PIECE", 100)
        undisturbed(out=place, precision=PRECISION)
        yield place


def answers_of(place):
    """Rows, and the blocks they are made of; what was begun beyond them does not count."""
    return rows_of(place), blocks_of(place)


def at_work(place, pieces=1):
    return lambda: (place / "blocks").is_dir() and len(list((place / "blocks").glob("*.parquet"))) >= pieces


def same_answers(place, folder):
    rows, found = answers_of(place)
    wanted_rows, wanted = answers_of(folder)
    assert rows == wanted_rows
    assert {key: found[key] for key in wanted} == wanted


def test_a_worker_killed_at_work_is_replaced(folder, tmp_path):
    process = begin(tmp_path, processes=2, precision=PRECISION)
    assert wait_for(at_work(tmp_path), process, 300)
    workers = [number for number in children_of(process) if b"spawn_main" in _command(number)]
    kill(workers[0])
    assert process.wait(300) == 0
    same_answers(tmp_path, folder)


def test_the_parent_killed_takes_its_workers_along_and_the_next_run_goes_on(folder, tmp_path):
    process = begin(tmp_path, processes=2, precision=PRECISION)
    assert wait_for(at_work(tmp_path), process, 300)
    workers = children_of(process)
    kill(process.pid)
    process.wait()
    kept = blocks_of(tmp_path)
    again = begin(tmp_path, processes=2, precision=PRECISION)
    assert again.wait(300) == 0
    assert not [number for number in workers if b"spawn_main" in _command(number)]
    same_answers(tmp_path, folder)
    after = blocks_of(tmp_path)
    assert {key: after[key] for key in kept} == kept


def test_two_sweeps_with_processes_on_one_folder(folder, tmp_path):
    both = [begin(tmp_path, precision=PRECISION) for _ in range(2)]
    assert [process.wait(300) for process in both] == [0, 0]
    prune(tmp_path)
    same_answers(tmp_path, folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_full(folder, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", disk]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.decode().strip()}")
    try:
        process = begin(disk / "runs", precision=PRECISION)
        assert process.wait(300) == 1
        assert not list(disk.glob("**/*.part"))
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        assert begin(disk / "runs", precision=PRECISION).wait(300) == 0
        same_answers(disk / "runs", folder)
    finally:
        subprocess.run(["umount", disk], check=False)


def _command(number):
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:  # gone
        return b""
