"""A chain is built only from decisions that depend on the jobs present and on nothing else."""

import itertools

import numpy as np
import pytest

import msj
from strategies import simple

SYSTEM = simple(2, (1, 1, "1/2"), (2, 1, "1/2"), utilisation=0.7)


def analysed(function, **options):
    return msj.analyse(SYSTEM.replace(policy=msj.OwnFunction(function=function, **options)))


def is_exact(result):
    return any(row.kind == "exact" and row.name in ("stability_threshold", "mean_response_time") for row in result)


def shortest_waiting_first(needs, running, remaining, servers, chosen):
    free = servers
    for i in range(len(needs)):
        if running[i]:
            chosen[i] = True
            free -= needs[i]
    while True:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and (best < 0 or remaining[i] < remaining[best]):
                best = i
        if best < 0 or needs[best] > free:
            return
        chosen[best] = True
        free -= needs[best]


def shortest_remaining_first(needs, remaining, servers, chosen):
    for i in np.argsort(remaining):
        if needs[i] > servers:
            return
        chosen[i] = True
        servers -= needs[i]


@pytest.mark.parametrize(
    ("function", "preemptive"), [(shortest_waiting_first, False), (shortest_remaining_first, True)]
)
def test_a_policy_that_uses_remaining_times_has_no_exact_answer(function, preemptive):
    result = analysed(function, preemptive=preemptive, front=4)
    assert not is_exact(result)
    assert any("uses remaining, which a chain does not know" in note and "simulate it" in note for note in result.notes)


def first_fit(needs, running, free, chosen):
    for i in range(len(needs)):
        chosen[i] = running[i]
        if not running[i] and needs[i] <= free:
            chosen[i] = True
            free -= needs[i]


HIDDEN = {
    "an element": lambda value: value[0],
    "a comparison": lambda value: value > 3,
    "a sum": lambda value: sum(value),
    "an array": lambda value: np.asarray(value),
    "a function of NumPy": lambda value: np.max(value),
    "a ufunc": lambda value: np.exp(value),
    "arithmetic": lambda value: 1 + value,
    "a method": lambda value: value.min(),
    "its truth": lambda value: bool(value),
    "a format": lambda value: f"{value:.2f}",
}


@pytest.mark.parametrize("use", HIDDEN)
@pytest.mark.parametrize("argument", ["remaining", "ages", "arrivals", "estimates", "now", "rng"])
def test_every_use_of_what_a_chain_does_not_know_is_noticed(argument, use):
    """Even where the function catches the error."""
    text = f"""
def curious(needs, running, free, {argument}, chosen):
    if len(needs) > 1:
        try:
            use({argument})
        except Exception:
            pass
    first_fit(needs, running, free, chosen)
"""
    names = {"use": HIDDEN[use], "first_fit": first_fit}
    exec(text, names)
    result = analysed(names["curious"], preemptive=False, front=1)
    assert not is_exact(result)
    assert any(f"uses {argument}, which a chain does not know" in note for note in result.notes)


def test_naming_an_argument_is_not_using_it():
    def named(needs, running, remaining, ages, arrivals, estimates, now, rng, servers, free, chosen):
        first_fit(needs, running, free, chosen)

    assert analysed(named, preemptive=False, front=1)["mean_response_time"] == pytest.approx(
        msj.analyse(SYSTEM)["mean_response_time"], rel=1e-12
    )


def test_a_preemptive_chain_knows_which_jobs_run():
    """First fit without preemption is the same policy whatever it declares."""
    found = [analysed(first_fit, front=2, preemptive=preemptive)["mean_response_time"] for preemptive in (True, False)]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def class_first(needs, classes, servers, chosen):
    """Preemptive priority: class 1, then class 0, as far as they fit; of the jobs shown."""
    for wanted in (1, 0):
        for i in range(len(needs)):
            if classes[i] == wanted and needs[i] <= servers:
                chosen[i] = True
                servers -= needs[i]


def test_preemptive_windows_are_decided_about_as_a_simulation_does():
    policy = msj.OwnFunction(function=class_first, front=2)
    system = simple(3, (1, 1, "1/2"), (2, 1, "1/2"), policy=policy, utilisation=0.7)
    exact = msj.analyse(system)
    simulated = msj.simulate(system, jobs=400_000, seed=3, controls=False)
    for job_class in (None, *(c.name for c in system.classes)):
        row = simulated.row("mean_response_time", job_class)
        assert abs(row.value - exact.row("mean_response_time", job_class).value) < 1.3 * (row.high - row.low)


def test_a_rule_that_does_not_come_to_rest_is_refused():
    def restless(needs, running, chosen):
        """Serve whichever job does not run."""
        for i in range(len(needs)):
            if not running[i]:
                chosen[i] = True
                return
        if len(needs) > 0:
            chosen[0] = True

    result = analysed(restless, front=1)
    assert not is_exact(result)
    assert any("does not come to rest" in note for note in result.notes)


def test_a_saturated_system_that_remembers_its_start_has_no_exact_threshold():
    """Youngest first, with preemption, in a window: full-machine jobs that came first stay in it for ever."""

    def youngest(needs, running, servers, chosen):
        left = servers
        for i in range(len(needs) - 1, -1, -1):
            if needs[i] <= left:
                chosen[i] = True
                left -= needs[i]

    system = simple(
        4, (1, 1, "1/2"), (4, 1, "1/2"), policy=msj.OwnFunction(function=youngest, preemptive=True, front=2)
    )
    answer = msj.analyse(system)
    assert "stability_threshold" not in answer
    assert any("several recurrent classes" in note for note in answer.notes)


def test_an_answer_that_changes_when_asked_again_is_refused():
    """State that no comparison of globals can see: an iterator."""
    turns = itertools.cycle([False, True])

    def alternating(needs, running, free, chosen):
        backwards = next(turns)
        for i in range(len(needs)):
            chosen[i] = running[i]
        for i in range(len(needs)):
            j = len(needs) - 1 - i if backwards else i
            if not running[j] and needs[j] <= free:
                chosen[j] = True
                free -= needs[j]

    result = analysed(alternating, preemptive=False, front=2)
    assert not is_exact(result)
    assert any("decides differently when it is asked twice" in note for note in result.notes)


def largest_first(needs, running, free, chosen):
    """Of the jobs shown, the largest that fits, again and again."""
    for i in range(len(needs)):
        chosen[i] = running[i]
    while True:
        best = -1
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and (best < 0 or needs[i] > needs[best]):
                best = i
        if best < 0:
            return
        chosen[best] = True
        free -= needs[best]


def by_class(needs, classes, running, free, chosen):
    """Class 1 first, then the others; nobody overtakes a class-1 job that waits."""
    for i in range(len(needs)):
        chosen[i] = running[i]
    for wanted in (1, 0, 2):
        for i in range(len(needs)):
            if not running[i] and classes[i] == wanted:
                if needs[i] > free:
                    return
                chosen[i] = True
                free -= needs[i]


@pytest.mark.parametrize(("function", "percentile"), [(largest_first, 9.660), (by_class, 13.417)])
def test_windows_are_decided_about_as_a_simulation_does(function, percentile):
    """Several jobs start at once and uncover others: means and percentiles, all jobs and classes."""
    system = simple(4, (1, 1, "1/2"), (2, "1/2", "1/4"), (3, 1, "1/4"), utilisation=0.6)
    classes = [*system.classes[:2], system.classes[2].replace(duration=msj.Erlang(stages=2, mean=1))]
    policy = msj.OwnFunction(function=function, preemptive=False, front=2)
    system = system.replace(classes=classes, policy=policy)
    exact = msj.analyse(system, percentiles=True)
    simulated = msj.simulate(system, jobs=400_000, seed=3, controls=False)
    for job_class in (None, *(c.name for c in classes)):
        row = simulated.row("mean_response_time", job_class)
        half = (row.high - row.low) / 2
        assert abs(row.value - exact.row("mean_response_time", job_class).value) < 2.5 * half
    assert exact.row("response_time_percentile", level=95).value == pytest.approx(percentile, abs=0.001)


def test_large_chains_of_functions_are_enumerated_by_compiled_code_alike():
    """Above two thousand fronts the compiled loop takes over; it decides about windows in the same way."""
    from msj.fronts import policy_front, saturated_front
    from msj.fronts.compiled_fronts import compiled_fronts
    from msj.markov import solve

    system = simple(4, (1, 1, "1/2"), (2, "1/2", "1/4"), (3, 1, "1/4"))
    for function, preemptive in ((largest_first, False), (by_class, False)):
        policy = msj.OwnFunction(function=function, preemptive=preemptive, front=3)
        model = policy_front(system.replace(policy=policy))
        plain = solve(saturated_front(model)[1]).throughput
        assert solve(compiled_fronts(model).chain).throughput == pytest.approx(plain, rel=1e-12)
