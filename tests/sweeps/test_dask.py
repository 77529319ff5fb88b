"""A Dask cluster gives the same rows as one process, also when one of its workers is killed at work."""

import importlib.util
import threading
import time
import warnings

import pytest
from disturbed import kill
from same import blocks_of, rows_of, undisturbed

import msj

if importlib.util.find_spec("distributed") is None:
    pytest.skip("Dask is not installed here: pip install 'msj[dask]' runs these tests", allow_module_level=True)


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


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_rows(cluster, tmp_path):
    found = undisturbed(dask=cluster.scheduler_address, out=tmp_path / "dask")
    alone = undisturbed(out=tmp_path / "here")
    assert found.quantities == alone.quantities
    assert rows_of(tmp_path / "dask") == rows_of(tmp_path / "here")
    assert blocks_of(tmp_path / "dask").items() >= blocks_of(tmp_path / "here").items()


@pytest.mark.filterwarnings("ignore")
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
    found = undisturbed(dask=cluster.scheduler_address, out=tmp_path, precision=0.02)
    watch.join(10)
    assert killed
    assert found.quantities == undisturbed(precision=0.02).quantities


def test_an_address_where_nobody_answers_is_said():
    with pytest.raises(msj.InvalidInput, match="no Dask scheduler answers at 'nowhere'"):
        undisturbed(dask="nowhere")
