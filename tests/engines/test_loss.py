"""Loss instead of waiting: the loop against a twin in plain Python, the product form against brute force and Erlang."""

import itertools
import math

import numpy as np
import pytest
from cases import random_jobs
from hypothesis import given
from hypothesis import strategies as st

import msj
from msj.closed_forms.loss import loss
from msj.registry import POLICIES
from msj.simulation import replay_jobs as replay
from msj.workloads import RecordedJobs
from strategies import simple


def lost_slowly(servers, arrival, need, duration):
    ends, lost = {}, []
    for i, now in enumerate(arrival):
        ends = {job: end for job, end in ends.items() if end > now}
        fits = need[i] <= servers - sum(need[job] for job in ends)
        lost.append(not fits)
        if fits:
            ends[i] = now + duration[i]
    return lost


@pytest.mark.parametrize("seed", range(8))
def test_the_loop_loses_those_that_do_not_fit(seed):
    servers, arrival, need, duration = random_jobs(POLICIES.get("loss")(), seed, count=400)
    done = replay(
        RecordedJobs(arrival=arrival, need=need, duration=duration),
        servers=servers,
        policy=POLICIES.get("loss")(),
        block=37,
    )
    lost = np.array(lost_slowly(servers, arrival, need, duration))
    assert lost.any()
    assert np.array_equal(done.number, np.arange(400))
    assert np.array_equal(done.start > done.finish, lost)
    np.testing.assert_array_equal(done.finish[lost], arrival[lost])
    np.testing.assert_allclose((done.finish - done.start)[~lost], duration[~lost])
    np.testing.assert_array_equal(done.start[~lost], arrival[~lost])


@given(
    servers=st.integers(1, 8),
    classes=st.lists(st.tuples(st.integers(1, 8), st.floats(0.01, 20)), min_size=1, max_size=3),
)
def test_the_recursion_is_the_product_form(servers, classes):
    needs, offered = zip(*((min(need, servers), a) for need, a in classes), strict=True)
    weights, lost = 0.0, np.zeros(len(needs))
    for n in itertools.product(*(range(servers // need + 1) for need in needs)):
        free = servers - np.dot(n, needs)
        if free >= 0:
            weight = math.prod(a**x / math.factorial(x) for a, x in zip(offered, n, strict=True))
            weights += weight
            lost += weight * (np.array(needs) > free)
    np.testing.assert_allclose(loss(servers=servers, needs=needs, offered=offered).probabilities, lost / weights)


def test_erlang_b_from_small_to_large():
    for servers, load in ((1, 0.3), (5, 3.0), (200, 220.0), (20_000, 19_900.0)):
        inverse = 1.0  # 1/B(n) = 1 + n/(a B(n-1))
        for n in range(1, servers + 1):
            inverse = 1.0 + n / load * inverse
        found = float(loss(servers=servers, needs=[1], offered=[load]).probabilities[0])
        assert found == pytest.approx(1 / inverse, rel=1e-9)


def test_durations_do_not_matter_but_for_their_mean_and_a_simulation_agrees():
    # 3.9 standard errors: odds of 1e-4 for each of the rows.
    def cluster(law):
        system = simple(6, (1, 1, "3/5"), (3, "2/3", "2/5"), policy="loss", arrival_rate=4)
        return system.replace(classes=[c.replace(duration=law(float(c.duration.mean))) for c in system.classes])

    exact = msj.analyse(cluster(lambda mean: msj.Exponential(mean=mean)))
    assert exact.outcome is msj.Outcome.SOLVED  # at 1.6 times what the servers could do
    for law in (lambda mean: msj.Deterministic(value=mean), lambda mean: msj.Lognormal(mean=mean, cv=2)):
        system = cluster(law)
        assert msj.analyse(system)["loss_probability"] == exact["loss_probability"]
        run = msj.simulate(system, jobs=100_000, seed=1)
        for name in ("loss_probability", "mean_jobs_in_system"):
            for job_class in (None, *(c.name for c in system.classes)):
                row, value = run.find(name, job_class), exact.find(name, job_class).value
                assert abs(row.value - value) < 3.9 / 1.96 * (row.high - row.low) / 2
        row = run.row("utilisation")
        assert abs(row.value - exact["utilisation"]) < 3.9 / 1.96 * (row.high - row.low) / 2


def test_who_loses_jobs_has_no_threshold_and_is_not_compared():
    system = simple(4, (1, 1, "1/2"), (2, 1, "1/2"), policy="loss")
    assert msj.analyse(system).outcome is msj.Outcome.NO_LOAD_GIVEN
    with pytest.raises(msj.NotSupported, match="turns jobs away"):
        msj.analyse(system.replace(load=0.5))
    with pytest.raises(msj.NotSupported, match="turns jobs away"):
        msj.simulate(system.replace(load=0.5), jobs=1000)
    found = msj.compare(system.replace(arrival_rate=1), policies=["fcfs", "loss"], jobs=1000)
    assert found.places("policy") == ["fcfs"]
    assert any("loses jobs" in note for note in found.notes)
