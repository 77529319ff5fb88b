"""Analyse and curve answer for every policy and law: exact where possible, else what is known, else simulated."""

import numpy as np
import pytest

import msj
from msj.answers.curve import simulated_curve
from msj.effort import Effort
from msj.registry import ANALYSES, POLICIES
from msj.results import Outcome


def slurm(**changes):
    classes = [
        msj.JobClass(name=f"{need}", need=need, share=share, duration=msj.Lognormal(mean=mean, cv=2.5))
        for need, share, mean in ((1, 0.6, 3), (4, 0.3, 5), (16, 0.1, 4))
    ]
    given = {"servers": 16, "policy": "easy-backfilling", "utilisation": 0.5, "classes": classes}
    return msj.System(**(given | changes))


def test_a_cluster_without_theorems_gets_its_bounds_and_the_way_on():
    found = msj.analyse(slurm())
    assert found.outcome is Outcome.BOUNDS_ONLY
    assert found.outcome.exit_code == 0
    assert {"naive_threshold", "attainable_threshold", "arrival_rate", "utilisation"} <= {row.name for row in found}
    assert "msj analyse FILE --or-simulate" in found.notes[-1]


def test_or_simulate_goes_on_at_once():
    found = msj.analyse(slurm(), or_simulate=True, seed=1)
    assert found.outcome is Outcome.SOLVED
    assert found.row("stability_threshold").bracket
    stay = found.row("mean_response_time")
    assert stay.kind == "simulated"
    assert stay.low < stay.value < stay.high
    again = msj.rerun(found)
    assert again["stability_threshold"] == found["stability_threshold"]


def test_or_simulate_changes_nothing_where_all_is_known():
    plain, asked = (msj.analyse("examples/two_servers.toml", or_simulate=flag, seed=1) for flag in (False, True))
    assert plain["mean_response_time"] == asked["mean_response_time"]
    assert asked.row("mean_response_time").kind == "exact"


def test_more_than_any_policy_can_take_is_unstable_whatever_is_unknown():
    found = msj.analyse(slurm(utilisation=1.1))
    assert found.outcome is Outcome.UNSTABLE
    assert "no policy can exceed" in found.notes[-1]


def test_a_share_of_an_unknown_threshold_is_said_to_mean_nothing():
    found = msj.analyse(slurm(utilisation=None, load=0.8))
    assert found.outcome is Outcome.BOUNDS_ONLY
    assert any("share of the threshold, which is not known" in note for note in found.notes)


def test_work_conservation_is_exact_for_any_law():
    found = msj.analyse(slurm(policy="server-filling"))
    row = found.row("stability_threshold")
    assert (row.kind, row.value) == ("exact", pytest.approx(found["naive_threshold"]))


def test_a_method_that_was_forced_still_refuses():
    with pytest.raises(msj.NotSupported):
        msj.analyse(slurm(), method="chain")


@pytest.mark.parametrize("policy", [name for name in POLICIES.names() if name != "heterogeneous-servers"])
def test_every_policy_is_analysed(policy):
    system = slurm(policy="fcfs")
    if POLICIES.get(policy)().supports(system) is not None:
        pytest.skip("this policy cannot run the cluster")
    found = msj.analyse(system.replace(policy=policy))
    assert "naive_threshold" in found
    assert found.outcome in (Outcome.SOLVED, Outcome.BOUNDS_ONLY)


@pytest.mark.parametrize("policy", ["easy-backfilling", "fcfs"])
def test_a_curve_is_simulated_where_no_chain_is_solved(policy):
    found = msj.curve(slurm(policy=policy), loads=[0, 0.3, 0.7], jobs=100_000, seed=1)
    line = found.along("load", "mean_response_time")
    assert [row.kind for _, row in line] == ["exact", "simulated", "simulated"]
    values = [row.value for _, row in line]
    assert values == sorted(values)
    assert values[0] == pytest.approx(0.6 * 3 + 0.3 * 5 + 0.1 * 4)
    assert "Every load is simulated" in found.notes[0]


def test_a_simulated_curve_holds_the_exact_one():
    system = msj.read("examples/two_servers.toml")
    exact = msj.curve(system, loads=[0.5])
    effort = Effort(jobs=1_000_000, operations=0.0)  # no exact method is worth anything here
    drawn = simulated_curve(system, [0.5], effort, np.random.SeedSequence(4), "asked for by a test")
    row = drawn.row("mean_response_time")
    # The load is a share of the simulated threshold, 0.3 % off at most: the mean moves by as much.
    assert row.low * 0.997 < exact["mean_response_time"] < row.high * 1.003


def test_list_analyses_does_not_promise_what_does_not_fit():
    classes = [
        msj.JobClass(name=f"{need}", need=need, share="1/20", duration=msj.Exponential(mean=need))
        for need in range(1, 21)
    ]
    system = msj.System(servers=2000, classes=classes)
    for name in ("saturated-chain", "exact-response", "symbolic"):
        analysis = ANALYSES.get(name)()
        assert analysis.supports(system) is None
        assert analysis.how_long(system).startswith("no: ")
    small = msj.read("examples/two_servers.toml")
    assert ANALYSES.get("saturated-chain")().how_long(small) == "yes"
