"""The examples' reports at full length: within their time, and simulation beside exact values at every load."""

import pytest

import msj
from msj.reports import report as gather


@pytest.mark.parametrize("name", ["two_servers", "gpu_training", "hpc_partition"])
def test_whole_report(name):
    """|z| below 6.6 of a t law with 9 degrees of freedom: odds of a false alarm 1e-4 for each of six points."""
    report = gather(msj.read(f"examples/{name}.toml"), seconds=300, rng=7)
    assert report.policies.left_out == ()
    assert len(report.outlook.rows) == 4
    exact = {round(p.arrival_rate, 9): p.mean_response_time.value for p in report.response.curve("exact").points}
    points = report.response.curve("simulated").points
    assert len(points) == 6
    for point in points:
        row = point.mean_response_time
        assert abs(row.value - exact[round(point.arrival_rate, 9)]) < 6.6 / 2.26 * (row.high - row.value)
