"""Random numbers come from the argument rng; state that a function keeps is found."""

import random
from random import shuffle

import numpy as np
import pytest

import msj
from msj.errors import BadFunction

STREAM = np.random.default_rng(1)
COUNT = [0]
SYSTEM = msj.read("examples/two_servers.toml").replace(arrival_rate=0.6)


def random_order(needs, running, free, rng, chosen):
    """Start jobs that fit, in random order."""
    for i in range(len(needs)):
        chosen[i] = running[i]
    while True:
        fitting = 0
        for i in range(len(needs)):
            fitting += (not chosen[i]) and needs[i] <= free
        if fitting == 0:
            return
        lucky = rng.integers(0, fitting)
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free:
                if lucky == 0:
                    chosen[i] = True
                    free -= needs[i]
                    break
                lucky -= 1


def by_module(needs, chosen):
    chosen[random.randrange(len(needs))] = True


def by_name(needs, chosen):
    order = list(range(len(needs)))
    shuffle(order)
    chosen[order[0]] = True


def by_numpy(needs, chosen):
    chosen[np.random.randint(len(needs))] = True  # noqa: NPY002


def by_stream(needs, chosen):
    chosen[int(STREAM.integers(len(needs)))] = True


def by_import(needs, chosen):
    import random as dice

    chosen[dice.randrange(len(needs))] = True


def helper(count):
    return np.random.randint(count)  # noqa: NPY002


def by_helper(needs, chosen):
    chosen[helper(len(needs))] = True


@pytest.mark.parametrize(
    ("function", "source"),
    [
        (by_module, "'random' in 'by_module'"),
        (by_name, "'random' in 'by_name'"),
        (by_numpy, "'numpy.random' in 'by_numpy'"),
        (by_stream, "'Generator' in 'by_stream'"),
        (by_import, "'random' in 'by_import'"),
        (by_helper, "'numpy.random' in 'helper'"),
    ],
)
def test_other_sources_of_random_numbers_are_refused(function, source):
    with pytest.raises(BadFunction, match=rf"uses {source}; random numbers come from the argument rng"):
        SYSTEM.replace(policy=function)


def test_a_random_policy_is_reproducible_on_any_number_of_workers():
    policy = msj.OwnFunction(function=random_order, preemptive=False)
    one, again, two = (
        msj.simulate(SYSTEM, policy=policy, jobs=20_000, seed=4, workers=workers) for workers in (1, 1, 2)
    )
    other = msj.simulate(SYSTEM, policy=policy, jobs=20_000, seed=5)
    assert one["mean_response_time"] == again["mean_response_time"] == two["mean_response_time"]
    assert one["mean_response_time"] != other["mean_response_time"]
    assert not any("plain Python" in note for note in one.notes)


def test_random_order_is_first_come_first_served_in_the_mean_of_equal_jobs():
    """M/M/2 with random order of service: the mean wait is that of FCFS, which is exact."""
    jobs = [msj.JobClass(name="jobs", need=1, share=1, duration=msj.Exponential(mean=1))]
    plain = msj.System(servers=2, utilisation=0.7, classes=jobs)
    found = msj.simulate(plain, policy=msj.OwnFunction(function=random_order, preemptive=False), jobs=400_000, seed=1)
    row = found.row("mean_response_time")
    assert row.low < msj.analyse(plain)["mean_response_time"] < row.high


def test_a_policy_that_uses_random_numbers_has_no_exact_answer():
    result = msj.analyse(SYSTEM.replace(policy=msj.OwnFunction(function=random_order, preemptive=False, front=2)))
    assert not any(row.kind == "exact" and row.name == "stability_threshold" for row in result)
    assert any("uses rng, which a chain does not know" in note for note in result.notes)


def test_state_kept_between_decisions_gets_a_sentence_and_no_exact_answer():
    def every_other(needs, running, free, chosen):
        COUNT[0] += 1
        for i in range(len(needs)):
            chosen[i] = running[i]
        for i in range(len(needs)):
            j = i if COUNT[0] % 2 else len(needs) - 1 - i
            if not running[j] and needs[j] <= free:
                chosen[j] = True
                free -= needs[j]

    system = SYSTEM.replace(policy=msj.OwnFunction(function=every_other, preemptive=False, front=2))
    simulated = msj.simulate(system, jobs=2_000, seed=1)
    assert any("keeps state between decisions (it changes the global 'COUNT')" in note for note in simulated.notes)
    exact = msj.analyse(system)
    assert not any(row.kind == "exact" and row.name == "stability_threshold" for row in exact)
    assert any("keeps state between decisions" in note for note in exact.notes)
