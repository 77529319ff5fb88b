"""Every engine against the slow twin, job by job; and what holds of every policy whatever it decides."""

import numpy as np
import pytest
from cases import LOSING, SHARING, label, random_jobs, variants
from naive import simulate_slowly

from msj import InvalidInput
from msj.disciplines import Fcfs
from msj.disciplines.own_function import OwnFunction
from msj.registry import POLICIES
from msj.simulation import replay_jobs as replay
from msj.simulation.engine_of import engine_for
from msj.workloads import RecordedJobs, Streams, seed_sequence

SEEDS = range(8)


@pytest.mark.parametrize("generic", [False, True], ids=["own engine", "generic"])
@pytest.mark.parametrize("policy", variants(), ids=label)
def test_engine_equals_the_slow_twin(policy, generic):
    for seed in SEEDS:
        servers, arrival, need, duration = random_jobs(policy, seed)
        estimate = policy.estimated(duration) if hasattr(policy, "estimated") else None
        start, finish, stops, area = simulate_slowly(
            arrival, need, duration, servers=servers, serve=policy.serve, estimate=estimate, restart=policy.restart
        )
        assert np.isfinite(finish).all()
        jobs = RecordedJobs(arrival=arrival, need=need, duration=duration)
        engine = engine_for(
            policy, servers=servers, needs=np.unique(need), streams=Streams(root=seed_sequence(1), replication=0),
            generic=generic,
        )  # fmt: skip
        done = replay(jobs, servers=servers, policy=policy, generic=generic, block=37)
        np.testing.assert_allclose(done.start, start, rtol=0, atol=1e-9)
        np.testing.assert_allclose(done.finish, finish, rtol=0, atol=1e-9)
        if done.preemptions is not None:
            assert np.array_equal(done.preemptions, stops)
        engine.advance(RecordedJobs(arrival=arrival, need=need, duration=duration).take(len(arrival)))
        engine.drain()
        assert engine.wasted_area == pytest.approx(area, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in POLICIES.names() if name not in SHARING + LOSING])
def test_nobody_is_lost_and_never_too_many_servers_are_used(name):
    policy = POLICIES.get(name)()
    for seed in range(20, 24):
        servers, arrival, need, duration = random_jobs(policy, seed, count=400)
        done = replay(RecordedJobs(arrival=arrival, need=need, duration=duration), servers=servers, policy=policy)
        assert np.array_equal(done.number, np.arange(400))
        assert np.array_equal(done.need, need)
        assert (done.start >= arrival).all()
        response = done.finish - done.arrival
        assert (response >= duration - 1e-9).all()
        if not policy.preemptive:  # then who is in service when is known from start and finish
            np.testing.assert_allclose(done.finish - done.start, duration, atol=1e-9)
            times = np.concatenate([done.finish, done.start])  # at the same moment servers are given back first
            change = np.concatenate([-need, need])
            order = np.lexsort((change, np.round(times, 9)))
            assert np.cumsum(change[order]).max() <= servers


def test_a_job_larger_than_the_cluster_is_refused():
    with pytest.raises(InvalidInput, match="job 1 needs 3 of 2 servers"):
        replay(RecordedJobs(arrival=[0, 1], need=[1, 3], duration=[1, 1]), servers=2, policy=Fcfs())


def never_stops(needs, running, remaining, servers, chosen):
    if len(needs):
        chosen[len(needs) - 1] = True


def greedy_liar(needs, running, remaining, servers, chosen):
    total = 0
    for i in range(len(needs)):
        if total + needs[i] <= servers or len(needs) > 6:
            chosen[i] = True
            total += needs[i]


@pytest.mark.parametrize(
    ("function", "preemptive", "sentence"),
    [
        (never_stops, False, "'never_stops' stops a running job of need 2 although it is declared not preemptive"),
        (greedy_liar, True, r"'greedy_liar' chose jobs of needs \[2, 2, 2, .*\] for 4 servers"),
    ],
)
def test_a_function_that_breaks_its_promise_is_named(function, preemptive, sentence):
    policy = OwnFunction(function=function, preemptive=preemptive)
    jobs = RecordedJobs(arrival=np.arange(9) / 10, need=np.full(9, 2), duration=np.full(9, 5.0))
    with pytest.raises(InvalidInput, match=sentence):
        replay(jobs, servers=4, policy=policy)


def test_first_fit_that_passes_over_one_job_is_fcfs_job_by_job():
    rng = np.random.default_rng(11)
    size = 3000
    need = rng.integers(1, 5, size)
    jobs = {"arrival": np.cumsum(rng.exponential(1.0, size)), "need": need, "duration": rng.exponential(2.0, size)}
    fcfs = replay(RecordedJobs(**jobs), servers=6, policy=POLICIES.get("fcfs")())
    other = replay(RecordedJobs(**jobs), servers=6, policy=POLICIES.get("first-fit")(window=1))
    np.testing.assert_array_equal(fcfs.start, other.start)


@pytest.mark.parametrize("generic", [False, True], ids=["own engine", "generic"])
@pytest.mark.parametrize("policy", variants(), ids=label)
def test_jobs_of_no_length_are_served_like_any_other(policy, generic):
    for seed in (2, 3):
        servers, arrival, need, duration = random_jobs(policy, seed)
        duration[np.random.default_rng(seed).random(len(duration)) < 0.2] = 0.0
        estimate = policy.estimated(duration) if hasattr(policy, "estimated") else None
        start, finish, _, _ = simulate_slowly(
            arrival, need, duration, servers=servers, serve=policy.serve, estimate=estimate, restart=policy.restart
        )
        jobs = RecordedJobs(arrival=arrival, need=need, duration=duration)
        done = replay(jobs, servers=servers, policy=policy, generic=generic, block=37)
        np.testing.assert_allclose(done.start, start, rtol=0, atol=1e-9)
        np.testing.assert_allclose(done.finish, finish, rtol=0, atol=1e-9)
