"""SMASH(w): its small front against the general one of its function, and its ends, FCFS and best fit."""

import numpy as np
import pytest

import msj
from msj.disciplines.model import policy_of
from msj.fronts import front_of
from msj.fronts.front_chain import open_front, saturated_front
from msj.fronts.policy_front import NonPreemptiveFront, PolicyFront
from msj.markov import solve
from msj.markov.level_process import solve as solve_levels
from msj.registry import POLICIES
from strategies import simple

SYSTEMS = {
    "1 and 3 of 4": simple(4, (1, 2, "1/2"), (3, 1, "1/2")),
    "1, 2 and 3 of 3": simple(3, (1, 1, "1/2"), (2, 2, "1/3"), (3, 1, "1/6")),
    "phases": msj.System(
        servers=3,
        classes=[
            msj.JobClass(name="a", need=1, share="1/2", duration=msj.Erlang(stages=2, mean=1)),
            msj.JobClass(name="b", need=2, share="1/2", duration=msj.Exponential(mean=2)),
        ],
    ),
}


def both(name, window):
    system = SYSTEMS[name].replace(policy={"name": "smash", "window": window})
    small = front_of(system)
    general = NonPreemptiveFront(system, policy_of(system), system.policy.front_on(system.servers))
    assert type(small) is not type(general)
    return small, general


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("window", [1, 2])
def test_its_own_front_is_that_of_its_function(name, window):
    small, general = both(name, window)
    rates = [solve(saturated_front(model)[1]).throughput for model in (small, general)]
    assert rates[0] == pytest.approx(rates[1], rel=1e-10)
    for load in (0.3, 0.8):
        levels = [open_front(model) for model in (small, general)]
        laws = [solve_levels(each.at(load * rates[0])) for each in levels]
        assert laws[0].mean_level() == pytest.approx(laws[1].mean_level(), rel=1e-9)
        np.testing.assert_allclose(*(law.level_masses(last=12) for law in laws), atol=1e-12)
    assert len(saturated_front(small)[0]) <= len(saturated_front(general)[0])


def test_a_window_of_one_is_fcfs_and_an_endless_one_best_fit():
    system = SYSTEMS["1, 2 and 3 of 3"].replace(arrival_rate=0.8)
    one, fcfs = (msj.analyse(system.replace(policy=p)) for p in ({"name": "smash", "window": 1}, "fcfs"))
    for name in ("stability_threshold", "mean_response_time", "waiting_probability"):
        assert one[name] == pytest.approx(fcfs[name], rel=1e-9)
    assert not isinstance(POLICIES.get("smash")().engine(3).by, PolicyFront)
    two = simple(4, (1, 2, "1/2"), (3, 1, "1/2"), arrival_rate=0.7)
    endless, best = (msj.analyse(two.replace(policy=p)) for p in ("smash", "best-fit"))
    assert endless["mean_response_time"] == best["mean_response_time"]


def test_check_values_of_another_simulator():
    # k = 4, needs 1 and 4, lambda = 0.6: 6.523 and 5.136 there, about one per cent.
    w1 = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), arrival_rate="3/5")
    policies = [{"name": "smash", "window": w} for w in (2, 5)]
    found = [msj.analyse(w1.replace(policy=p), percentiles=False)["mean_response_time"] for p in policies]
    assert found == pytest.approx([6.523, 5.136], rel=0.01)


def test_the_simulation_agrees_with_the_chain():
    # Odds 1e-4 of a false alarm: 3.9 standard errors.
    system = SYSTEMS["1, 2 and 3 of 3"].replace(policy={"name": "smash", "window": 2}, arrival_rate=0.8)
    exact = msj.analyse(system, percentiles=False)
    run = msj.simulate(system, jobs=50_000, seed=1)
    for job_class in (None, "need 1", "need 3"):
        row = run.find("mean_response_time", job_class)
        if row is not None:
            value = exact.find("mean_response_time", job_class).value
            assert abs(row.value - value) < 3.9 / 1.96 * (row.high - row.low) / 2
