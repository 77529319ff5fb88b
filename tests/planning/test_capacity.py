"""How much load a cluster takes: exact answers against the simulated line, brackets against exact answers."""

import numpy as np
import pytest

import msj
from msj.effort import Effort
from msj.errors import NotSupported, TooLarge
from msj.planning.capacity import find_capacity as capacity_of
from msj.simulation.saturated_line import saturated_line


def find_capacity(system, jobs=None, rng=1):
    return capacity_of(system, Effort(jobs=jobs), np.random.SeedSequence(rng))


EXAMPLES = ("two_servers", "gpu_training", "hpc_partition")


def example(name):
    return msj.read(f"examples/{name}.toml")


def jobs(*rows):
    return [msj.JobClass(name=name, need=need, share=share, duration=law) for name, need, share, law in rows]


@pytest.mark.parametrize("name", EXAMPLES)
def test_simulated_line_agrees_with_the_chain(name):
    """Threshold and blame of each class: z-scores below 4.5 (odds of a false alarm below 1e-4 each; t, 19 d.o.f.)."""
    system = example(name)
    found = find_capacity(system)
    line = saturated_line(system, jobs=200_000, rng=5)
    value, low, high = line.thresholds
    assert abs(value - found.stability_threshold.value) < 4.5 / 2.09 * (high - low) / 2
    for row, (idle, spread) in zip(found.blocked_servers, line.idle_by_class, strict=True):
        assert abs(row.value - idle) <= 4.5 / 2.09 * spread + 1e-12


@pytest.mark.parametrize("name", EXAMPLES)
def test_blame_adds_up_to_the_waste(name):
    found = find_capacity(example(name))
    assert sum(row.value for row in found.blocked_servers) == pytest.approx(found.wasted_servers.value, rel=1e-10)


def test_blame_of_two_classes_by_hand():
    # Only the large class can wait for a second server: all of the idle 0.2 servers are its own.
    found = find_capacity(example("two_servers"))
    assert [row.value for row in found.blocked_servers] == pytest.approx([0.0, 0.2], abs=1e-12)


def test_refusals_are_sentences():
    with pytest.raises(NotSupported, match="plain FCFS only, not for policy 'first-fit'"):
        saturated_line(example("two_servers").replace(policy="first-fit"))
    law = msj.Lognormal(mean=1, cv=1)
    with pytest.raises(TooLarge, match="would have to be simulated"):
        saturated_line(
            msj.System(servers=10**6, classes=jobs(("a", 1, 0.5, law), ("b", 7, 0.5, law))), most_jobs=5_000_000
        )


def test_the_line_keeps_its_digits_on_a_large_cluster():
    """5,000 servers: idle server-time is tiny beside the server-time spent; z below 4.5 (odds below 1e-4)."""
    law = msj.Exponential(mean=1)
    system = msj.System(servers=5000, classes=jobs(("a", 1, 0.9, law), ("b", 50, 0.1, law)))
    exact = msj.analyse(system)["wasted_servers"]  # a closed form
    value, half = saturated_line(system, jobs=10_000, rng=1).idle
    assert abs(value - exact) < 4.5 / 2.09 * half
    assert half < 0.1 * exact


def test_same_seed_same_answer():
    system = example("two_servers")
    first, second = (saturated_line(system, jobs=20_000, rng=np.random.SeedSequence(9)) for _ in range(2))
    assert first == second
