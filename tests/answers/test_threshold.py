"""How much load a cluster takes: surest first, brackets against exact answers."""

import numpy as np
import pytest

import msj
from msj.answers.threshold import find_threshold
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


@pytest.mark.parametrize("policy", ["easy-backfilling", "conservative-backfilling", "first-fit", "best-fit"])
def test_policies_without_a_theorem_get_a_bracket_below_what_any_policy_takes(policy):
    system = example("two_servers").replace(policy=policy)
    found = threshold_of(system, jobs=20_000, rng=1)
    row = found.stability_threshold
    assert row.kind == "simulated"
    assert row.bracket
    assert 0.9 < row.low <= row.value <= row.high <= found.attainable_threshold.value
    assert "no exact threshold" in found.notes[0]
    assert "evidence" in found.notes[1]


def test_needs_that_do_not_fit_together_bound_the_bracket():
    one = msj.Exponential(mean=1)
    classes = jobs(("three", 3, "2/3", one), ("four", 4, "1/3", one))
    found = threshold_of(msj.System(servers=9, policy="first-fit", classes=classes), jobs=50_000)
    assert found.stability_threshold.high <= found.attainable_threshold.value < 0.96 * found.naive_threshold.value
    assert found.stability_threshold.low > 0.95 * found.attainable_threshold.value


def test_a_queue_settles_below_the_bracket_and_not_above_it():
    """Away from the saturated system: open runs on either side, which share no code with the windows."""
    one = msj.Exponential(mean=1)
    system = msj.System(servers=9, policy="first-fit", classes=jobs(("three", 3, "2/3", one), ("four", 4, "1/3", one)))
    row = threshold_of(system, jobs=50_000).stability_threshold
    below = msj.simulate(system.replace(arrival_rate=0.93 * row.low), jobs=400_000, seed=2)
    above = msj.simulate(system.replace(arrival_rate=1.01 * row.high), jobs=400_000, seed=2)
    assert below.outcome is msj.Outcome.JOB_LIMIT_REACHED
    assert above.outcome in (msj.Outcome.UNSTABLE, msj.Outcome.TOO_SHORT)


def test_what_was_stopped_says_so_and_has_the_certain_upper_end():
    system = example("hpc_partition").replace(policy="first-fit")
    asked, most = [], [10**9]

    def enough_asked():
        asked.append(None)
        return len(asked) > most[0]

    effort, root = Effort(jobs=20_000, cancel=enough_asked), np.random.SeedSequence(1)
    find_threshold(system, effort, root)
    most[0], asked[:] = 2 * len(asked) // 3, []
    found = find_threshold(system, effort, np.random.SeedSequence(1))
    assert found.stability_threshold.high == pytest.approx(found.attainable_threshold.value)
    assert "not followed to the end" in found.notes[1]


def test_large_chains_are_not_solved_unasked():
    law = msj.Erlang(stages=3, mean=1)
    system = msj.System(servers=200, classes=jobs(*((f"c{i}", i + 1, 0.2, law) for i in range(5))))
    found = threshold_of(system, jobs=50_000)
    assert found.stability_threshold.kind == "simulated"
    assert "would take hours" in found.notes[0]
