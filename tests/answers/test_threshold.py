"""How much load a cluster takes: surest first, brackets against exact answers."""

import numpy as np
import pytest

import msj
from msj.answers.threshold import bisect, find_threshold
from msj.effort import Effort


def threshold_of(system, jobs=None, rng=1):
    return find_threshold(system, Effort(jobs=jobs), np.random.SeedSequence(rng))


def example(name):
    return msj.read(f"examples/{name}.toml")


def jobs(*rows):
    return [msj.JobClass(name=name, need=need, share=share, duration=law) for name, need, share, law in rows]


def test_durations_without_phases_are_simulated():
    """Durations of exactly 1, needs 1 and 2 of 2 servers: jobs are served in rounds.

    A fresh round holds a large job (p), two small ones ((1 − p)²), or a small one blocked by a large one (p(1 − p)),
    which then has the next round alone. So lambda* = (p + 2(1 − p)² + 2p(1 − p)) / (1 + p(1 − p)): 1.2 for p = 1/2.
    """
    law = msj.Deterministic(value=1)
    system = msj.System(servers=2, classes=jobs(("small", 1, 0.5, law), ("large", 2, 0.5, law)))
    found = threshold_of(system, jobs=100_000, rng=3)
    row = found.stability_threshold
    assert row.kind == "simulated"
    assert row.low < row.value < row.high
    assert abs(row.value - 1.2) < 4.5 / 2.09 * (row.high - row.value)


def test_line_of_one_class_wastes_nothing():
    system = msj.System(servers=3, classes=jobs(("a", 1, 1, msj.Lognormal(mean=2, cv=2))))
    found = threshold_of(system, jobs=20_000, rng=1)
    assert found.wasted_servers.value == 0
    assert found.stability_threshold.value == pytest.approx(1.5)


def test_work_conserving_policies_lose_nothing():
    law = msj.Lognormal(mean=1, cv=1)
    system = msj.System(servers=4, policy="server-filling", classes=jobs(("a", 1, 0.5, law), ("b", 4, 0.5, law)))
    found = threshold_of(system)
    assert found.stability_threshold.value == found.naive_threshold.value == system.naive_threshold
    assert found.stability_threshold.kind == "exact"


@pytest.mark.parametrize("name", ["two_servers", "hpc_partition"])
def test_bracket_holds_the_exact_threshold(name):
    system = example(name)
    low, high = bisect(system.replace(load=None, utilisation=None), Effort(jobs=100_000), np.random.SeedSequence(1))
    assert low < threshold_of(system).saturated_utilisation.value < high
    assert high - low < 0.2


def test_policies_without_a_theorem_get_a_bracket():
    system = example("two_servers").replace(policy="easy-backfilling")
    found = threshold_of(system, jobs=20_000, rng=1)
    row = found.stability_threshold
    assert row.kind == "simulated"
    assert row.bracket
    assert 0.8 < row.low < row.high <= 1.0
    assert "no exact threshold" in found.notes[0]


def test_a_bracket_that_was_stopped_is_wider_but_true():
    asked = []

    def enough_asked():
        asked.append(None)
        return len(asked) > stop_after[0]

    stop_after = [10**9]
    system, root = example("two_servers").replace(load=None), np.random.SeedSequence(1)
    whole = bisect(system, Effort(jobs=100_000, cancel=enough_asked), root)
    stop_after[0], asked[:] = len(asked) // 3, []
    low, high = bisect(system, Effort(jobs=100_000, cancel=enough_asked), root)
    assert low <= whole[0] < 0.9 < whole[1] <= high
    assert high - low > whole[1] - whole[0]


def test_large_chains_are_not_solved_unasked():
    law = msj.Erlang(stages=3, mean=1)
    system = msj.System(servers=200, classes=jobs(*((f"c{i}", i + 1, 0.2, law) for i in range(5))))
    found = threshold_of(system, jobs=50_000)
    assert found.stability_threshold.kind == "simulated"
    assert "would take hours" in found.notes[0]
