"""The comparison with other people's simulators compares the same thing, and explains itself where they are missing."""

from importlib.util import find_spec

import numpy as np
import pytest
from benchmarks.peers import __main__ as peers
from benchmarks.peers import msj_itself, simpy_models
from benchmarks.peers.most_queue_models import MostQueue
from benchmarks.peers.peer import BATCHES, Measured, Peer, from_batches
from benchmarks.peers.simpy_models import SimPy

import msj
from msj.disciplines import Fcfs
from msj.simulation import replay_jobs

needs_simpy = pytest.mark.skipif(find_spec("simpy") is None, reason="SimPy is not installed; `make peers` installs it")
needs_most_queue = pytest.mark.skipif(
    find_spec("most_queue") is None, reason="most-queue is not installed; `make peers` installs it"
)
CLUSTERS = {name[:2]: system for name, system in peers.open_clusters().items()}


class Absent(Peer):
    name = "Nobody's simulator"
    module = "no_such_module_of_msj"

    def simulate(self, system, jobs, seed):
        raise AssertionError("never asked")


class Wrong(Peer):
    name = "Another question"
    module = "msj"

    def simulate(self, system, jobs, seed):
        return Measured(jobs_per_second=1.0, mean=7.0, half_width=0.1, jobs_to_precision=1.0, seconds_to_precision=1.0)


def test_a_peer_that_is_not_installed_is_left_out_with_a_sentence(capsys):
    assert peers.installed([Absent]) == []
    said = capsys.readouterr().out
    assert said.startswith("Nobody's simulator is not installed and is left out;")
    assert "pip install 'msj[peers]'" in said


def test_the_log_is_measured_without_any_peer(capsys):
    assert peers.log_under_easy(peers.LOG, [])
    assert "\nmsj  " in capsys.readouterr().out


def test_a_mean_that_is_not_the_one_asked_for_is_called_out(capsys, monkeypatch):
    exact = msj.analyse(CLUSTERS["W1"])["mean_response_time"]
    right = Measured(jobs_per_second=1.0, mean=exact, half_width=0.1, jobs_to_precision=1.0, seconds_to_precision=1.0)
    monkeypatch.setattr(msj_itself, "simulate", lambda system, controls: right)
    assert peers.steady_state("W1", CLUSTERS["W1"], [])
    assert not peers.steady_state("W1", CLUSTERS["W1"], [Wrong()])
    assert "DISAGREES: 11.4 half-widths away" in capsys.readouterr().out


def test_half_the_half_width_takes_four_times_the_jobs():
    means = np.tile([0.9, 1.1], BATCHES // 2)
    found = from_batches(means, counted=900, simulated=1000, seconds=2.0)
    deviation = 0.1 * np.sqrt(BATCHES / (BATCHES - 1))
    assert found.half_width == pytest.approx(2.0096 * deviation / np.sqrt(BATCHES), rel=1e-4)  # t, 49 degrees
    assert found.jobs_to_precision == pytest.approx(900 * (found.half_width / 0.01) ** 2)
    assert found.seconds_to_precision == pytest.approx(found.jobs_to_precision * 2 / 1000)
    closer = from_batches(1 + (means - 1) / 2, counted=900, simulated=1000, seconds=2.0)
    assert found.jobs_to_precision == pytest.approx(4 * closer.jobs_to_precision)


@needs_simpy
@pytest.mark.parametrize("name", ["W1", "W3"])
def test_fcfs_in_simpy_serves_every_job_as_msj_does(name):
    system = CLUSTERS[name]
    gaps, needs, durations = simpy_models.drawn(system, 5_000, 1)
    jobs = msj.RecordedJobs(arrival=np.cumsum(gaps), need=needs, duration=durations)
    done = replay_jobs(jobs, servers=system.servers, policy=Fcfs())
    response = simpy_models.fcfs(gaps, needs, durations, system.servers)
    assert (done.start > jobs.jobs.arrival).any()
    np.testing.assert_allclose(response, done.finish - jobs.jobs.arrival, rtol=1e-7)


@needs_simpy
@pytest.mark.parametrize("shortest", [1.0, 0.3])
def test_easy_in_simpy_serves_every_job_as_msj_does(shortest):
    rng = np.random.default_rng(2)
    count, servers = 3_000, 32
    gaps, needs, durations = rng.exponential(1.0, count), rng.integers(1, 17, count), rng.exponential(3.0, count)
    estimates = durations * rng.uniform(shortest, 4.0, count)
    jobs = msj.RecordedJobs(arrival=np.cumsum(gaps), need=needs, duration=durations, estimate=estimates)
    expected = msj_itself.replay(jobs, servers).waits
    waits = SimPy().replay(jobs.jobs, servers).waits
    assert (expected > 0).mean() > 0.2
    np.testing.assert_allclose(waits, expected, rtol=1e-7, atol=1e-7)


@needs_simpy
def test_easy_in_simpy_serves_the_log_of_the_examples_as_msj_does(capsys):
    assert peers.log_under_easy(peers.LOG, [SimPy()])
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("SimPy"))
    assert line.split()[3] == "0"  # waits that are others


@pytest.mark.parametrize(
    "peer", [pytest.param(SimPy, marks=needs_simpy), pytest.param(MostQueue, marks=needs_most_queue)]
)
def test_the_mean_of_a_peer_is_the_exact_one(peer):
    exact = msj.analyse(CLUSTERS["W1"])["mean_response_time"]
    found = peer().simulate(CLUSTERS["W1"], 50_000, 1)
    assert found.half_width < 0.2 * exact
    assert abs(found.mean - exact) <= peers.TOO_FAR * found.half_width
