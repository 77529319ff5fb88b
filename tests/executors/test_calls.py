"""Simulations, comparisons, plans, fits and figures on a Dask cluster: the same numbers, also if a worker is killed."""

import importlib.util
import os
import signal
import time
import warnings

import pytest

import msj
from msj.effort import Effort
from msj.executors.calls import at_cluster, gathered
from msj.executors.workers import workers

if importlib.util.find_spec("distributed") is None:
    pytest.skip("Dask is not installed here: pip install 'msj[dask]' runs these tests", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
TWO = "examples/two_servers.toml"
LOG = "examples/logs/small_cluster.swf"


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
        with LocalCluster(processes=True, **how) as cluster, Client(cluster, set_as_default=False) as found:
            yield found


def same(one, two):
    assert one.quantities == two.quantities
    assert one.outcome is two.outcome


def test_simulate_to_a_precision(client):
    asked = {"policy": "first-fit", "precision": 0.03, "seed": 1}
    same(msj.simulate(TWO, **asked, dask=client), msj.simulate(TWO, **asked))


def test_a_checkpoint_made_on_a_cluster_is_continued_here(client, tmp_path):
    msj.simulate(TWO, jobs=50_000, seed=1, dask=client, checkpoint=tmp_path / "run")
    msj.simulate(TWO, jobs=50_000, seed=1, checkpoint=tmp_path / "other")
    longer = [msj.simulate(TWO, jobs=80_000, seed=1, checkpoint=tmp_path / name) for name in ("run", "other")]
    same(*longer)


def test_jobs_are_not_written_by_workers(tmp_path):
    with pytest.raises(msj.InvalidInput, match="leave dask or jobs_file out"):
        msj.simulate(TWO, jobs=1000, dask="tcp://nowhere:1", jobs_file=tmp_path / "jobs.csv")


def test_compare(client):
    asked = {"policies": ["fcfs", "first-fit"], "jobs": 60_000, "seed": 1}
    same(msj.compare(TWO, **asked, dask=client), msj.compare(TWO, **asked))


def test_plan_with_a_killed_worker(client):
    asked = {"targets": "mean wait <= 4", "policies": ["first-fit"], "jobs": 400_000, "seed": 1}
    killed = []

    def kill(now):
        if not killed:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    found = msj.plan(TWO, **asked, dask=client, progress=kill)
    assert killed
    same(found, msj.plan(TWO, **asked))


def test_a_log_is_not_planned_on_a_cluster(client):
    with pytest.raises(msj.InvalidInput, match="leave dask out"):
        msj.plan(LOG, targets="mean wait <= 1 h", dask=client)


def test_fit(client):
    asked = {"draws": 2, "seed": 1, "policies": ["fcfs", "easy-backfilling"]}
    same(msj.fit(LOG, **asked, dask=client), msj.fit(LOG, **asked))


def test_a_figure_of_a_paper(client):
    same(msj.paper("twoclass", "fig3", dask=client), msj.paper("twoclass", "fig3"))


def late(seconds):
    time.sleep(seconds)
    return seconds


def test_values_come_in_the_order_of_the_calls_and_errors_as_they_are(client):
    with at_cluster(client) as hands:
        assert gathered([(late, 0.2), (late, 0.0), (late, 0.1)], hands, Effort()) == [0.2, 0.0, 0.1]
        with pytest.raises(ZeroDivisionError):
            gathered([(divmod, 1, 0)], hands, Effort())
    with workers(threads=2) as hands:
        assert gathered([(late, 5.0)] * 4, hands, Effort.lasting(0.0)) is None
