"""Response time against load."""

import numpy as np
import pytest

import msj
from msj import InvalidInput
from msj.analysis import response_curve
from strategies import simple

SYSTEM = simple(6, (1, 1, "1/2"), (2, "1/2", "3/10"), (6, 2, "1/5"))


def test_points_are_those_of_analyse():
    loads = [0.3, 0.9, 0.999]
    curve = response_curve(SYSTEM, loads)
    for i, load in enumerate(loads):
        one = msj.analyse(SYSTEM.replace(load=load), percentiles=False)
        assert curve.mean_response_time[i] == pytest.approx(one["mean_response_time"], rel=1e-11)
        assert curve.predicted_mean_response_time[i] == pytest.approx(one["predicted_mean_response_time"], rel=1e-11)
        assert curve.waiting_probability[i] == pytest.approx(one["waiting_probability"], rel=1e-11)
        for j, c in enumerate(SYSTEM.classes):
            by_class = curve.mean_response_time_by_class[i, j]
            assert by_class == pytest.approx(one["mean_response_time", c.name], rel=1e-11)


def test_it_starts_at_the_mean_duration_and_rises():
    curve = response_curve(SYSTEM)
    assert curve.loads[0] == 0
    assert curve.loads[-1] == 0.999
    assert curve.mean_response_time[0] == pytest.approx(0.5 + 0.3 * 2 + 0.2 * 0.5)
    assert (np.diff(curve.mean_response_time) > 0).all()
    assert curve.residual.max() < 1e-11


def test_small_loads_lead_to_the_limit():
    curve = response_curve(SYSTEM, [0, 1e-8])
    assert curve.mean_response_time[1] == pytest.approx(curve.mean_response_time[0], rel=1e-6)


def test_the_difference_to_reset_settles():
    curve = response_curve(SYSTEM, [0.99, 0.999, 0.9999])
    first, second, third = curve.difference
    assert abs(third - second) < abs(second - first)


def test_the_rows_of_the_verb_are_the_arrays():
    loads = [0.0, 0.5, 0.9]
    curve, result = response_curve(SYSTEM, loads), msj.curve(SYSTEM, loads=loads)
    assert result["stability_threshold"] == curve.stability_threshold
    for i, load in enumerate(loads):
        here = result.at(load=load)
        assert here["mean_response_time"] == curve.mean_response_time[i]
        assert here["waiting_probability"] == curve.waiting_probability[i]
        assert here["predicted_mean_response_time"] == curve.predicted_mean_response_time[i]
        assert here["reset_difference"] == curve.difference[i]
        assert here.row("mean_response_time").at["arrival_rate"] == curve.arrival_rates[i]
        for j, c in enumerate(SYSTEM.classes):
            assert here["mean_response_time", c.name] == curve.mean_response_time_by_class[i, j]


@pytest.mark.parametrize("loads", [[1], [-0.1], [], [float("nan")], ["much"]])
def test_bad_loads_are_refused(loads):
    with pytest.raises(InvalidInput, match="load"):
        response_curve(SYSTEM, loads)


def test_other_finite_skip_policies_have_curves_too():
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2")).replace(policy="server-filling")
    loads = [0, 0.5, 0.9]
    curve = response_curve(system, loads)
    assert curve.waiting_probability is None
    assert "waiting_probability" not in msj.curve(system, loads=[0.5])
    assert curve.mean_response_time[0] == pytest.approx(sum(0.5 * float(c.duration.mean) for c in system.classes))
    assert curve.mean_response_time[2] == pytest.approx(14.118319133, abs=1e-8)  # the theory sheet's number
    for i, load in enumerate(loads[1:], start=1):
        one = msj.analyse(system.replace(load=load), percentiles=False)
        for j, c in enumerate(system.classes):
            assert curve.mean_response_time_by_class[i, j] == pytest.approx(
                one["mean_response_time", c.name], rel=1e-11
            )


def test_a_lone_job_waits_for_its_server_to_come_on():
    model = {"name": "set-up", "set_up_rate": 0.25}
    system = simple(2, (1, 1, 1)).replace(model=model)
    curve = response_curve(system, [0])
    assert curve.mean_response_time[0] == pytest.approx(1 + 4, rel=1e-6)
    assert curve.mean_response_time_by_class[0, 0] == pytest.approx(5, rel=1e-6)
