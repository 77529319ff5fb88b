"""Several resources against FCFS, and a chain that keeps every job."""

import numpy as np
import pytest
from hypothesis import given, settings

import msj
from fronts.brute_force import mean_response_time, replaced
from fronts.clusters import TWO_CLASSES, same_as_fcfs
from msj import Exponential, JobClass, System
from msj.fronts import front_of
from strategies import systems


@settings(max_examples=10)
@given(systems(most_servers=3, most_classes=2, load=0.8))
def test_one_resource_is_first_come_first_served(system):
    classes = [c.replace(extra={"resources": {"gpus": 0}}) for c in system.classes]
    same_as_fcfs(system.replace(classes=classes, model={"name": "several-resources", "capacity": {"gpus": 7}}), system)


def packing_twin(start_needs, capacities, rates, rate, most):
    """FCFS with vectors, every job kept with whether it has started."""

    def running(state):
        return [i for i, (_, started) in enumerate(state) if started]

    def settled(state):
        held = np.zeros(len(capacities))
        for i in running(state):
            held = held + start_needs[state[i][0]]
        for i, (job, started) in enumerate(state):
            if not started:
                if np.any(held + start_needs[job] > capacities):
                    break
                held = held + start_needs[job]
                state = replaced(state, i, (job, True))
        return state

    def steps(state):
        return [(rates[state[i][0]], settled(replaced(state, i))) for i in running(state)]

    def arrive(state):
        return [(chance, settled((*state, (job, False)))) for chance, job in TWO_CLASSES]

    return mean_response_time((), arrive, steps, rate, most=most)


def test_several_resources_keeping_every_job():
    needs, capacities, rates = (np.array([2, 0, 1]), np.array([1, 1, 2])), np.array([4, 1, 4]), (1.0, 0.5)
    expected = packing_twin(needs, capacities, rates, 0.12, most=9)
    names = ("gpus", "memory")
    classes = [
        JobClass(
            name=f"class {i}",
            need=needs[i][0],
            share=share,
            duration=Exponential(rate=rates[i]),
            extra={"resources": dict(zip(names, needs[i][1:].tolist(), strict=True))},
        )
        for i, share in enumerate(("2/5", "3/5"))
    ]
    model = {"name": "several-resources", "capacity": dict(zip(names, capacities[1:].tolist(), strict=True))}
    system = System(servers=4, classes=classes, model=model, arrival_rate=0.12)
    assert msj.analyse(system)["mean_response_time"] == pytest.approx(expected, rel=2e-5)
    front_model = front_of(system)
    front = front_model.empty()
    for job, _ in front_model.fresh():
        front = front_model.add(front, job)
    assert front_model.busy_servers(front) == 3
    assert [front_model.places.held(own[0][0], own[0][2]) for _, own in front[1]] == [(2, 0, 1), (1, 1, 2)]
    assert front[2] == ()  # nobody waits
