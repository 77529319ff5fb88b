"""A Dask cluster gives the numbers of one process, whichever workers come, go, stop or have other code."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
from disturbed import kill
from same import TWO, blocks_of, rows_of, undisturbed

import msj
from msj.executors import dask_pool, dask_roster, workers

if importlib.util.find_spec("distributed") is None:
    pytest.skip("Dask is not installed here: pip install 'msj[dask]' runs these tests", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
LOADS = {"vary": {"load": [round(0.3 + 0.001 * i, 3) for i in range(100)]}}


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and two workers, each a process of its own, on loopback."""
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as found:
            yield found


@pytest.fixture(scope="module")
def loads():
    """100 exact cells, as one process answers them."""
    return msj.sweep(TWO, **LOADS)


def pids(cluster):
    return {each.pid for each in cluster.workers.values()}


def started(words, **options):
    return subprocess.Popen([sys.executable, "-m", "dask", *words], **{**QUIET, **options})


def ended(process):
    process.kill()
    process.wait(30)


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_dask_cluster_gives_the_same_rows(cluster, tmp_path):
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        found = undisturbed(dask=client, out=tmp_path / "dask")
        assert client.status == "running"  # a client that was given is left as it was
    alone = undisturbed(out=tmp_path / "here")
    assert found.quantities == alone.quantities
    assert found.notes == ()
    assert rows_of(tmp_path / "dask") == rows_of(tmp_path / "here")
    assert blocks_of(tmp_path / "dask").items() >= blocks_of(tmp_path / "here").items()


def test_a_dask_worker_killed_at_work_changes_nothing(cluster, tmp_path):
    place = tmp_path / "blocks"
    killed = []

    def disturb():
        while not killed:
            if place.is_dir() and any(place.glob("*.parquet")):
                number = next(iter(cluster.workers.values())).pid
                kill(number)
                killed.append(number)
            time.sleep(0.01)

    watch = threading.Thread(target=disturb, daemon=True)
    watch.start()
    found = undisturbed(dask=cluster.scheduler_address, out=tmp_path, precision=0.05)
    watch.join(10)
    assert killed
    assert found.quantities == undisturbed(precision=0.05).quantities


def test_an_address_where_nobody_answers_is_said(monkeypatch):
    monkeypatch.setattr(workers, "CONNECT", 0.5)
    for address in ("nowhere", "tcp://nowhere", "http://nowhere:1", ""):
        with pytest.raises(msj.InvalidInput, match=r"is no address of a scheduler .* write tcp://HOST:8786"):
            undisturbed(dask=address)
    with pytest.raises(msj.InvalidInput, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        undisturbed(dask="tcp://127.0.0.1:1")
    with pytest.raises(msj.InvalidInput, match="is no cluster; give an address or"):
        undisturbed(dask=object())


def changed_copy(folder):
    """The package with another rule for the arrival rate of a load, in a module that once was not compared."""
    shutil.copytree(Path(msj.__file__).parent, folder / "msj", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "msj" / "sweeps" / "opening.py"
    changed = file.read_text().replace("rate = float(own.load) * threshold.value", "rate = 0.5 * threshold.value")
    assert changed != file.read_text()
    file.write_text(changed)
    return {**os.environ, "PYTHONPATH": str(folder)}


def test_a_worker_with_other_code_that_joins_late_computes_nothing(cluster, loads, tmp_path):
    environment = changed_copy(tmp_path)
    joined = []

    def join(now):
        if not joined:  # the first cells are under way: everything else waits here until the worker is known
            words = ["worker", cluster.scheduler_address, "--nthreads", "4", "--no-nanny", "--no-dashboard"]
            joined.append(started(words, env=environment, cwd=tmp_path))
            until(lambda: len(cluster.scheduler.workers) == 3)

    try:
        found = msj.sweep(TWO, **LOADS, dask=cluster.scheduler_address, progress=join)
    finally:
        ended(joined[0])
    assert found.quantities == loads.quantities
    assert len([note for note in found.notes if "is refused: it has other code" in note]) == 1
    until(lambda: len(cluster.scheduler.workers) == 2)


def test_a_cluster_without_a_worker_that_has_the_code_is_refused(tmp_path):
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as other:
        words = ["worker", other.scheduler_address, "--no-nanny", "--no-dashboard"]
        worker = started(words, env=changed_copy(tmp_path), cwd=tmp_path)
        try:
            with pytest.raises(msj.InvalidInput, match=r"none of the 1 Dask workers .* has the code of msj"):
                undisturbed(dask=other.scheduler_address, seconds=60)
        finally:
            ended(worker)


OWN = """\
from limits import LIMIT


def pick(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(min(len(needs), LIMIT)):
        if needs[i] > free:
            break
        chosen[i] = True
        free -= needs[i]
"""


def test_a_policy_file_that_workers_cannot_read_travels_with_the_work(cluster, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "limits.py").write_text("LIMIT = 2\n")
    system = msj.read(TWO)
    monkeypatch.chdir(tmp_path)  # the workers stay where they are
    asked = {"policies": ["fcfs", {"name": "own.py:pick", "front": 2}], "vary": {"load": [0.5, 0.6]}}
    before = pids(cluster)
    found = msj.sweep(system, **asked, dask=cluster.scheduler_address)
    assert found.quantities == msj.sweep(system, **asked).quantities
    assert not found.missing
    (tmp_path / "limits.py").write_text("LIMIT = 1\n")  # workers have the other version in memory
    again = msj.sweep(system, **asked, dask=cluster.scheduler_address)
    assert again.quantities == msj.sweep(system, **asked).quantities != found.quantities
    assert pids(cluster) == before


def test_variants_on_msj_path_travel_with_the_work(cluster, tmp_path, monkeypatch):
    recipe = Path("CONTRIBUTING.md").read_text().split("`skip_one.py`:\n\n```python\n")[1].split("```")[0]
    (tmp_path / "skip_one.py").write_text(recipe)
    monkeypatch.setenv("MSJ_PATH", str(tmp_path))  # the workers were started without it
    asked = {"policies": ["fcfs", "skip-one"], "vary": {"load": [0.5]}}
    found = msj.sweep(TWO, **asked, dask=cluster.scheduler_address)
    assert found.quantities == msj.sweep(TWO, **asked).quantities
    assert not found.missing


def test_what_a_worker_cannot_have_is_an_error_of_its_cells(cluster, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "limits.py").write_text("LIMIT = 2\n")
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    asked = {"policies": ["fcfs", {"name": f"{tmp_path}/own.py:pick", "front": 2}], "vary": {"load": [0.5, 0.6]}}
    before = pids(cluster)
    found = msj.sweep(TWO, **asked, dask=cluster.scheduler_address)
    assert len(found.at(policy="fcfs").along("load", "mean_response_time")) == 2
    [gap] = found.missing
    assert "a worker cannot load what this needs" in gap.reason
    assert "No module named 'limits'" in gap.reason
    assert pids(cluster) == before


def test_a_stopped_worker_is_named_and_its_tasks_run_elsewhere(cluster, loads, monkeypatch):
    monkeypatch.setattr(dask_roster, "SILENCE", 1.0)
    number = next(iter(cluster.workers.values())).pid
    stopped = []

    def stop(now):
        if not stopped:
            os.kill(number, signal.SIGSTOP)
            stopped.append(number)

    try:
        begun = time.monotonic()
        found = msj.sweep(TWO, **LOADS, dask=cluster.scheduler_address, progress=stop, seconds=60)
        assert time.monotonic() - begun < 30
    finally:
        os.kill(number, signal.SIGCONT)
    assert found.quantities == loads.quantities
    assert any("has not been heard of for 1 seconds; its tasks are computed by others" in note for note in found.notes)


def test_no_workers_and_a_lost_scheduler_are_said_and_what_there_was_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_pool, "LOST", 1.0)
    monkeypatch.setattr(dask_pool, "PATIENCE", 0.1)
    monkeypatch.setattr(dask_roster, "ALONE", 0.2)
    file = tmp_path / "scheduler.json"
    words = ["scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = started(words)
    said = []

    def note(now):
        if now.notice:
            said.append(now.words)
        if any("no workers" in words for words in said):
            scheduler.kill()

    try:
        until(lambda: file.exists() and file.read_text().endswith("}"))
        address, runs = json.loads(file.read_text())["address"], tmp_path / "runs"
        undisturbed(out=runs, vary={"load": [0.5], "servers": [2]})
        found = undisturbed(out=runs, vary={"load": [0.5, 0.8]}, dask=address, progress=note, seconds=60)
    finally:
        ended(scheduler)
    assert found.outcome is msj.Outcome.INTERRUPTED
    for words in ("no workers at the moment", "does not answer; trying again", "was lost; start it"):
        assert words in " ".join(said)
    assert "The Dask scheduler at" in found.notes[-1]
    assert "was lost" in found.notes[-1]
    assert found.at(load=0.5, policy="fcfs")["mean_response_time"] > 0
