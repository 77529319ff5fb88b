"""What a change brings, against analyses and simulations of the changed system."""

import numpy as np
import pytest

import msj
from msj import planning
from msj.answers.changed import SameJobs
from msj.effort import Effort
from msj.planning import possible_changes
from msj.planning.remedies import takes as takes_within


def what_if(change, rate, jobs=None):
    return planning.what_if(change, rate, Effort(jobs=jobs), np.random.SeedSequence(1))


def servers_needed(system, rate):
    return planning.servers_needed(system, rate, Effort(), np.random.SeedSequence(1))


def takes(system, rate, jobs=None):
    return takes_within(system, rate, Effort(jobs=jobs), np.random.SeedSequence(1))


def example(name):
    return msj.read(f"examples/{name}.toml")


def test_changes_of_the_running_example():
    system = example("two_servers")
    found = {change.words: change for change in possible_changes(system)}
    assert list(found)[:2] == ["one more server (3)", "no job above 1 server"]
    assert found["one more server (3)"].system.servers == 3
    assert found["no job above 1 server"].system.mean_work == pytest.approx(system.mean_work)


def test_capped_running_example_is_a_queue_of_single_servers():
    """Needs of 1: M/G/2 with lambda* = servers/E[work]; E[T] against a simulation (z below 4.5: odds below 1e-4)."""
    capped = next(c for c in possible_changes(example("two_servers")) if c.of == "largest need")
    found = what_if(capped, 0.72)
    assert found.capacity.stability_threshold.value == pytest.approx(1.0, rel=1e-12)
    run = msj.simulate(capped.system.replace(arrival_rate=0.72), jobs=200_000, rng=2)
    row = run.quantities[0]
    assert abs(found.mean_response_time.value - row.value) < 4.5 / 2.09 * (row.high - row.value)


def test_unstable_after_the_change():
    worse = next(c for c in possible_changes(example("hpc_partition")) if c.words.startswith("twice"))
    found = what_if(worse, 1.668)
    assert not found.stable
    assert found.mean_response_time is None
    assert found.capacity.stability_threshold.value < 1.668


def test_one_class_of_one_server_has_no_caps_and_no_mix():
    law = msj.Exponential(mean=1)
    system = msj.System(servers=1, classes=[msj.JobClass(name="a", need=1, share=1, duration=law)])
    assert [change.words for change in possible_changes(system)] == ["one more server (2)"]


def test_what_is_simulated_says_so():
    system = example("two_servers").replace(policy="easy-backfilling")
    found = what_if(possible_changes(system)[0], 0.6, jobs=20_000)
    assert found.mean_response_time.kind == "simulated"


def test_servers_needed_is_enough_and_one_less_is_not():
    system = example("hpc_partition")
    enough = servers_needed(system, 2.5)
    k = enough.system.servers
    assert enough.words == f"{k} servers instead of 32"
    assert msj.analyse(system.replace(servers=k, load=None))["stability_threshold"] > 2.5
    assert msj.analyse(system.replace(servers=k - 1, load=None))["stability_threshold"] < 2.5


def test_remedies_really_take_the_load():
    system = example("gpu_training")
    found = planning.what_makes_it_stable(system, 1.2, Effort(), np.random.SeedSequence(1))
    assert {remedy.kind for remedy in found} == {"exact"}
    assert any("servers instead of 16" in remedy.words for remedy in found)
    for remedy in found:
        assert takes(remedy.system, 1.2) == (True, "exact")


def test_beyond_the_work_the_servers_can_do():
    assert takes(example("two_servers"), 1.01) == (False, "bound")
    assert takes(example("two_servers").replace(policy="easy-backfilling"), 0.5, jobs=20_000) == (
        True,
        "simulated",
    )


def test_a_change_that_does_much_is_known_by_the_means():
    """Few jobs on which both are compared, and a long run before: the mean as it is must not be the short run's."""
    system = example("hpc_partition").replace(policy="first-fit", arrival_rate=1.5)
    change = next(c for c in possible_changes(system) if c.words.startswith("8 more"))
    same = SameJobs(system=system, root=np.random.SeedSequence(2), jobs=60_000)
    paired = same.beside(change.system.replace(arrival_rate=1.5), Effort())[1]
    interval = {"low": 8.99, "high": 9.01}
    before = msj.Quantity(name="mean_response_time", value=9.0, kind="simulated", method="", **interval)
    found = planning.what_if(change, 1.5, Effort(jobs=60_000), np.random.SeedSequence(1), before=before, same_jobs=same)
    widths = [row.high - row.low for row in (found.difference, paired)]
    assert widths[0] <= widths[1]
