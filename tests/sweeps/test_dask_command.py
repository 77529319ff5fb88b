"""``msj sweep --dask tcp://...`` as the docs say it: a scheduler, two workers and the command, each a process."""

import importlib.util
import json
import subprocess
import sys
import time

import pytest
from same import TWO, rows_of

import msj
from msj.simulation import blocks
from msj.simulation.blocks import LEAST_PIECE  # as the command has it: sweeps of other tests are shorter

if importlib.util.find_spec("distributed") is None:
    pytest.skip("Dask is not installed here: pip install 'msj[dask]' runs these tests", allow_module_level=True)

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@pytest.fixture
def address(tmp_path):
    """Where a scheduler with two workers answers, on loopback."""
    dask = [sys.executable, "-m", "dask"]
    file = tmp_path / "scheduler.json"
    here = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    started = [subprocess.Popen([*dask, "scheduler", "--port", "0", *here], **QUIET)]
    try:
        until = time.monotonic() + 120
        while not (file.exists() and file.read_text().endswith("}")):
            assert started[0].poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        workers = [*dask, "worker", "--nworkers", "2", "--nthreads", "1", *here]
        started.append(subprocess.Popen(workers, **QUIET))
        yield json.loads(file.read_text())["address"]
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(30)


def test_the_command_gives_the_rows_of_one_process(address, tmp_path, monkeypatch):
    """It may come before the workers do: it waits for the first."""
    monkeypatch.setattr(blocks, "LEAST_PIECE", LEAST_PIECE)
    grid = {"vary": ["load=0.5,0.8", "servers=2,1"], "policies": ["fcfs", "first-fit"], "precision": 0.1}
    words = [sys.executable, "-m", "msj", "sweep", TWO, "--policies", "fcfs,first-fit", "--precision", "0.1"]
    words += ["--vary", "load=0.5,0.8", "--vary", "servers=2,1", "--out", str(tmp_path / "dask"), "--dask", address]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    msj.sweep(TWO, **grid, out=tmp_path / "here")
    assert rows_of(tmp_path / "dask") == rows_of(tmp_path / "here")
