"""Time per job of policies that users write, over the built-in first-fit in the same run (medians of turns)."""

import statistics
import time

import msj

JOBS = 400_000
TURNS = 7


def by_class(needs, classes, running, free, chosen):
    """Class 1 first, then class 0; running jobs go on."""
    for i in range(len(needs)):
        chosen[i] = running[i]
    for wanted in (1, 0):
        for i in range(len(needs)):
            if not running[i] and classes[i] == wanted and needs[i] <= free:
                chosen[i] = True
                free -= needs[i]


def by_age(needs, ages, running, free, chosen):
    """The largest product of age and need first."""
    for i in range(len(needs)):
        chosen[i] = running[i]
    while True:
        best, score = -1, -1.0
        for i in range(len(needs)):
            if not chosen[i] and needs[i] <= free and ages[i] * needs[i] > score:
                best, score = i, ages[i] * needs[i]
        if best < 0:
            return
        chosen[best] = True
        free -= needs[best]


def at_random(needs, running, free, rng, chosen):
    """Each job that fits starts with probability one half; the oldest starts if none would run."""
    any_runs = False
    for i in range(len(needs)):
        chosen[i] = running[i]
        if not running[i] and needs[i] <= free and rng.random() < 0.5:
            chosen[i] = True
            free -= needs[i]
        any_runs = any_runs or chosen[i]
    if len(needs) > 0 and not any_runs:
        chosen[0] = True


def seconds(system, policy):
    """Return the time of one run."""
    started = time.perf_counter()
    msj.simulate(system, policy=policy, jobs=JOBS, seed=1)
    return time.perf_counter() - started


def run():
    """Print the ratios."""
    system = msj.read("examples/two_servers.toml").replace(arrival_rate=0.6)
    policies = {"first-fit": "first-fit"} | {
        function.__name__: msj.OwnFunction(function=function, preemptive=False)
        for function in (by_class, by_age, at_random)
    }
    for policy in policies.values():
        seconds(system, policy)  # compiles
    turns = [{name: seconds(system, policy) for name, policy in policies.items()} for _ in range(TURNS)]
    for name in policies:
        each = statistics.median(turn[name] for turn in turns)
        ratio = statistics.median(turn[name] / turn["first-fit"] for turn in turns)
        print(f"{name:10s} {1e9 * each / JOBS:7.0f} ns a job, {ratio:5.2f} times first-fit")
