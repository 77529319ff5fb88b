"""Response time against load."""

import numpy as np
import pytest

import msj
from msj import InvalidInput
from strategies import simple

SYSTEM = simple(6, (1, 1, "1/2"), (2, "1/2", "3/10"), (6, 2, "1/5"))


def along(found, name, job_class=None):
    return np.array([row.value for _, row in found.along("load", name, job_class)])


def test_points_are_those_of_analyse():
    loads = [0.3, 0.9, 0.999]
    found = msj.curve(SYSTEM, loads=loads)
    for load in loads:
        here, one = found.at(load=load), msj.analyse(SYSTEM.replace(load=load), percentiles=False)
        for name in ("mean_response_time", "predicted_mean_response_time", "waiting_probability"):
            assert here[name] == pytest.approx(one[name], rel=1e-11)
        assert here.row("mean_response_time").at["arrival_rate"] == pytest.approx(one["arrival_rate"], rel=1e-12)
        for c in SYSTEM.classes:
            assert here["mean_response_time", c.name] == pytest.approx(one["mean_response_time", c.name], rel=1e-11)


def test_it_starts_at_the_mean_duration_and_rises():
    found = msj.curve(SYSTEM)
    assert found.places("load")[0] == 0
    assert found.places("load")[-1] == 0.999
    means = along(found, "mean_response_time")
    assert means[0] == pytest.approx(0.5 + 0.3 * 2 + 0.2 * 0.5, rel=1e-14)
    assert (np.diff(means) > 0).all()
    assert found.provenance["exact_residual"] < 1e-11
    assert found.at(load=0)["mean_response_time", "need 2"] == 2


def test_small_loads_lead_to_the_limit():
    means = along(msj.curve(SYSTEM, loads=[0, 1e-8]), "mean_response_time")
    assert means[1] == pytest.approx(means[0], rel=1e-6)


def test_the_difference_to_reset_settles():
    first, second, third = along(msj.curve(SYSTEM, loads=[0.99, 0.999, 0.9999]), "reset_difference")
    assert abs(third - second) < abs(second - first)


@pytest.mark.parametrize("loads", [[1], [-0.1], [], [float("nan")], ["much"]])
def test_bad_loads_are_refused(loads):
    with pytest.raises(InvalidInput, match="load"):
        msj.curve(SYSTEM, loads=loads)


def test_other_finite_skip_policies_have_curves_too():
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2")).replace(policy="server-filling")
    loads = [0, 0.5, 0.9]
    found = msj.curve(system, loads=loads)
    waits = along(found, "waiting_probability")
    assert waits[0] == 0 < waits[1] < waits[2] < 1
    means = along(found, "mean_response_time")
    assert means[0] == pytest.approx(sum(0.5 * float(c.duration.mean) for c in system.classes))
    assert means[2] == pytest.approx(14.118319133, abs=1e-8)  # the theory sheet's number
    for load in loads[1:]:
        one = msj.analyse(system.replace(load=load), percentiles=False)
        for c in system.classes:
            here = found.at(load=load)["mean_response_time", c.name]
            assert here == pytest.approx(one["mean_response_time", c.name], rel=1e-11)


def test_a_lone_job_waits_for_its_server_to_come_on():
    model = {"name": "set-up", "set_up_rate": 0.25}
    found = msj.curve(simple(2, (1, 1, 1)).replace(model=model), loads=[0])
    assert along(found, "mean_response_time") == pytest.approx([1 + 4], rel=1e-6)


def test_a_threshold_without_response_times_is_simulated():
    """Arrivals by the clock: how much it takes is known exactly, how long jobs stay is not."""
    daily = SYSTEM.replace(arrivals={"law": "daily", "rates": [1, 3], "cycle": 24})
    found = msj.curve(daily, loads=[0.5], jobs=20_000, rng=1)
    assert found.row("stability_threshold").kind == "exact"
    assert {row.kind for _, row in found.along("load", "mean_response_time")} == {"simulated"}
    assert found.notes[0].startswith("No exact curve: 'daily' arrivals")
