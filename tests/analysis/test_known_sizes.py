"""Least remaining size among the n oldest jobs (wcfs, section 2.3): by hand, at its ends, and between its bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj.analysis.wcfs_bounds import wcfs_bounds
from msj.analysis.wcfs_verdict import explain
from msj.model.durations import Deterministic, Empirical, Exponential, Scipy, Uniform
from msj.simulation import replay_jobs as replay
from msj.workloads import RecordedJobs


def one_machine(arrival, size, oldest):
    """Finish of every job on one machine that works at rate 1 on the shortest of the oldest jobs there."""
    left, finish, now, coming, there = list(size), [math.nan] * len(size), 0.0, 0, []
    while coming < len(size) or there:
        if not there:
            now = max(now, arrival[coming])
        while coming < len(size) and arrival[coming] <= now:
            there.append(coming)
            coming += 1
        served = min(there[:oldest], key=lambda job: (left[job], job))
        until = min(now + left[served], arrival[coming] if coming < len(size) else math.inf)
        left[served] -= until - now
        now = until
        if left[served] <= 1e-12:
            finish[served] = now
            there.remove(served)
    return np.array(finish)


def cluster(duration, *, oldest, servers=4, need=4, policy="greedy-srpt", **load):
    jobs = msj.JobClass(name="jobs", need=need, share=1, duration=duration)
    return msj.System(servers=servers, classes=[jobs], policy={"name": policy, "oldest": oldest}, **load)


def served(policy, oldest, seed=3, count=3000):
    rng = np.random.default_rng(seed)
    arrival, duration = np.cumsum(rng.exponential(1.1, count)), rng.uniform(0.0, 2.0, count)
    jobs = RecordedJobs(arrival=arrival, need=np.full(count, 4), duration=duration)
    rule = msj.System(servers=4, classes=cluster(Uniform(low=0, high=2), oldest=1).classes, policy=policy).policy
    return arrival, duration, replay(jobs, servers=4, policy=rule).finish


@pytest.mark.parametrize("oldest", [1, 2, 3, 7])
@pytest.mark.parametrize("name", ["greedy-srpt", "first-fit-srpt"])
def test_the_engine_does_what_one_machine_does_by_hand(name, oldest):
    arrival, duration, finish = served({"name": name, "oldest": oldest}, oldest)
    np.testing.assert_allclose(finish, one_machine(arrival, duration, oldest), atol=1e-8)


def test_one_is_first_come_first_served_and_many_are_srpt():
    assert np.array_equal(served({"name": "greedy-srpt", "oldest": 1}, 1)[2], served("fcfs", 1)[2])
    np.testing.assert_allclose(
        served({"name": "greedy-srpt", "oldest": 3000}, 1)[2], served("greedy-srpt", 1)[2], atol=1e-9
    )


def test_one_is_exact():
    found = msj.analyse(cluster(Exponential(mean=2), oldest=1, arrival_rate=0.3), percentiles=False)
    assert found["mean_response_time"] == pytest.approx(1 / (0.5 - 0.3), rel=1e-9)  # M/M/1
    several = msj.analyse(cluster(Exponential(mean=2), oldest=2, arrival_rate=0.3), percentiles=False)
    assert several.find("mean_response_time") is None
    assert "no finite chain remembers" in str(several.to_dict())


@settings(max_examples=15)
@given(
    law=st.sampled_from(
        [Uniform(low=0, high=2), Deterministic(value=1), Empirical(values=[1, 2, 9]), Uniform(low=1, high=5)]
    ),
    oldest=st.integers(1, 6),
    need=st.sampled_from([2, 4]),
    load=st.floats(0.2, 0.9),
    seed=st.integers(0, 99),
)
def test_means_lie_between_the_bounds(law, oldest, need, load, seed):
    oldest = max(oldest, 4 // need)
    system = cluster(law, oldest=oldest, need=need, utilisation=load)
    bounds = wcfs_bounds(system)
    assert bounds.rem_sup == law.longest * need / 4  # sup S
    assert bounds.c_upper == pytest.approx((oldest - 1) * bounds.rem_sup + oldest * bounds.mean_size / (need / 4))
    found = msj.simulate(system, jobs=100_000, rng=seed)["mean_response_time"]
    assert 0.97 * bounds.sharper.response.lower < found < 1.03 * bounds.sharper.response.upper
    assert bounds.lower <= bounds.upper
    assert bounds.sharper.response.upper <= bounds.upper
    if need == 4:  # all servers work whenever somebody is there, so the work is that of M/G/1
        assert bounds.sharper.work.lower == bounds.sharper.work.upper


def test_the_worst_case_of_the_front_is_nearly_met():
    # Short jobs pass one long one all the time, so the front holds up to n - 1 long ones: E[T_F] comes near n E[S].
    law = Empirical(values=[0.01] * 99 + [100])
    system = cluster(law, oldest=3, utilisation=0.9)
    bounds = wcfs_bounds(system)
    assert bounds.sharper.front.upper == pytest.approx(3 * law.mean)
    found = msj.simulate(system, jobs=400_000, rng=4)["mean_response_time"]
    assert bounds.sharper.response.lower < found < bounds.sharper.response.upper


def test_without_a_longest_duration_there_is_no_bound():
    for law in (Exponential(mean=1), Scipy(name="gamma", parameters={"a": 2})):
        found = wcfs_bounds(cluster(law, oldest=3, utilisation=0.5))
        assert found.reason is not None
        assert "there is no longest one" in found.reason
        assert found.rem_sup == math.inf
    assert wcfs_bounds(cluster(Scipy(name="beta", parameters={"a": 2, "b": 3}), oldest=3)).rem_sup == 1.0
    assert wcfs_bounds(cluster(Exponential(mean=1), oldest=1, utilisation=0.5)).reason is None  # M/G/1


def test_who_is_work_conserving():
    assert explain(cluster(Uniform(low=0, high=2), oldest=3)).is_wcfs
    few = explain(cluster(Uniform(low=0, high=2), oldest=3, need=1))  # four jobs would fill the servers
    assert (few.finite_skip, few.work_conserving) == (True, False)
    assert explain(cluster(Uniform(low=0, high=2), oldest=5, need=1)).per_job == 1 / 5
    with pytest.raises(msj.InvalidInput, match="oldest"):
        cluster(Uniform(low=0, high=2), oldest=0)
