"""Simulations under other arrivals and orders: every policy, the clock, checkpoints, what intervals rest on."""

import numpy as np
import pytest

import msj
from msj.disciplines.model import discipline_of, policy_of
from msj.model.spec_file import from_document
from msj.registry import POLICIES
from msj.results import Outcome
from msj.simulation.memory import memory_of
from msj.simulation.plan import Pace, Plan

MMPP = {"law": "mmpp", "rates": [1, 6], "switching": [[0, 0.5], [1, 0]]}
STICKY = {"law": "sticky", "probability": 0.6}
DAILY = {"law": "daily", "rates": [1, 1, 4, 2], "cycle": 24}
TOLD = {
    "law": "map",
    "D0": [[-3, 1], [1, -3]],
    "D1": {"small": [[2, 0], [0, 0]], "large": [[0, 0], [0, 2]]},
}
RECORD = {"law": "recorded", "times": [0, 1, 1, 2, 7, 8, 8, 15]}
BATCH = {"law": "batch", "size": {"law": "empirical", "values": [1, 4]}}
LAWS = {"mmpp": MMPP, "daily": DAILY, "told": TOLD, "recorded": RECORD, "batch": BATCH}


def cluster(policy="fcfs", **more):
    classes = [
        {"name": name, "need": need, "share": 0.5, "duration": {"law": "exponential", "mean": mean}}
        for name, need, mean in (("small", 1, 1), ("large", 4, 2))
    ]
    return from_document({"servers": 4, "policy": policy, "utilisation": 0.5, "classes": classes, **more})


@pytest.mark.parametrize("policy", POLICIES.names())
def test_every_policy_serves_bursts_of_jobs_that_are_alike(policy):
    """All the work that comes is done, half of what the servers could do."""
    system = cluster(policy, arrivals=MMPP, order=STICKY)
    if discipline_of(system).supports(system) is not None:
        pytest.skip("not for these needs")
    if policy_of(system).turns_away:
        pytest.skip("not all work is done where jobs are lost")
    result = msj.simulate(system, jobs=8_000, seed=2, levels=[50])
    assert result["utilisation"] == pytest.approx(0.5, rel=0.15)  # five deviations of the work of 8,000 jobs in runs


@pytest.mark.parametrize("law", ["daily", "told", "batch"])
def test_a_run_that_was_cut_goes_on_bit_for_bit(law, tmp_path):
    system = cluster(arrivals=LAWS[law], **({} if law == "told" else {"order": STICKY}))
    options = {"jobs": 10_000, "seed": 4, "replications": 2, "checkpoint": tmp_path / "run"}
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 9:
            raise KeyboardInterrupt

    assert msj.simulate(system, **options, progress=stop).outcome is Outcome.INTERRUPTED
    resumed = msj.simulate(system, **options, workers=2)
    whole = msj.simulate(system, **(options | {"checkpoint": None}))
    assert [(row.name, row.at, row.value) for row in resumed] == [(row.name, row.at, row.value) for row in whole]
    assert len(whole.quantities) > 10


def test_a_day_has_its_hours_and_they_add_up():
    result = msj.simulate(cluster(arrivals=DAILY), jobs=200_000, seed=3)
    hours = [row for row in result if row.name == "hourly_mean_waiting_time"]
    assert [row.at["time_of_day"] for row in hours] == [0, 6, 12, 18]
    assert all(row.low < row.value < row.high for row in hours)
    waits = np.array([row.value for row in hours])
    assert (waits.argmin(), waits.argmax()) == (1, 3)  # the queue of the busy hours is longest after them
    assert waits.min() < 0.7 * waits.max()
    overall = result.row("mean_waiting_time").value
    assert waits @ np.array([1, 1, 4, 2]) / 8 == pytest.approx(overall, rel=0.01)  # as many jobs as the rates say


def test_pieces_of_a_run_are_whole_cycles():
    pace = Pace(memory=100.0, settling=500.0, long_jobs=0.0, known=False, cycle=1000.0)
    plan = Plan.of(1_000_000, pace)
    assert plan.piece % 1000 == 0
    assert plan.jobs <= 1_000_000 + plan.replications
    short = Plan.of(50_000, pace)
    assert short.piece == 1000


def test_a_bursty_system_remembers_longer_and_a_run_takes_longer():
    plain = cluster()
    rate = plain.arrival_rate_at(float("nan"))
    for change in ({"arrivals": MMPP}, {"order": STICKY}, {"arrivals": BATCH}):
        assert memory_of(plain.replace(**change), rate) > 1.3 * memory_of(plain, rate)
    assert memory_of(plain.replace(arrivals=DAILY), rate) > 24
    slow = {"law": "mmpp", "rates": [1, 6], "switching": [[0, 0.0005], [0.001, 0]]}
    assert msj.simulate(plain.replace(arrivals=slow), jobs=50_000, seed=1).outcome.label == "too-short"


def test_controls_are_left_out_with_the_reason():
    result = msj.simulate(cluster(order=STICKY), jobs=100_000, seed=1)
    assert any(note.startswith("No control variates: ") and "sticky" in note for note in result.notes)
    assert "variance_reduction" not in {row.name for row in result}


def test_policies_are_compared_on_the_same_jobs():
    result = msj.compare(cluster(arrivals=MMPP, order=STICKY), ["fcfs", "server-filling"], jobs=100_000, seed=1)
    row = next(row for row in result if row.name == "mean_response_time_difference")
    means = {r.at["policy"]: r for r in result if r.name == "mean_response_time" and r.job_class is None}
    assert row.value == pytest.approx(means["server-filling"].value - means["fcfs"].value, rel=1e-9, abs=1e-9)
    assert row.high - row.low < 0.5 * (means["fcfs"].high - means["fcfs"].low)


def test_own_rates_hold_where_no_load_is_given():
    system = cluster(arrivals={**MMPP, "rates": [0.1, 0.4]}).replace(utilisation=None)
    assert msj.simulate(system, jobs=20_000, seed=1)["arrival_rate"] == pytest.approx(0.2)
    assert msj.analyse(system)["arrival_rate"] == pytest.approx(0.2)
