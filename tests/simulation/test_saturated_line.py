"""The simulated saturated system against chains and closed forms that share no code with it."""

from __future__ import annotations

import pytest

import msj
from msj.closed_forms import one_and_n, two_class
from msj.errors import NotSupported
from msj.simulation.saturated_line import saturated_line
from strategies import simple


@pytest.mark.parametrize(
    ("system", "wasted"),
    [
        (
            simple(200, (1, 2, 0.987), (200, 1, 0.013)),
            one_and_n(servers=200, share_large=0.013, rate_small=2, rate_large=1),
        ),
        (
            simple(300, (3, 1, 0.8), (70, 2, 0.2)),
            two_class(servers=300, needs=(3, 70), shares=(0.8, 0.2), rates=(1, 2)),
        ),
    ],
)
def test_closed_forms_lie_inside(system, wasted):
    found = saturated_line(system, rng=5)  # a 95 % interval; the seed is fixed
    assert found.ends[1] < wasted.wasted_servers < found.ends[2]
    assert found.ends[2] - found.ends[1] < 0.1 * wasted.wasted_servers
    assert found.threshold_at(wasted.wasted_servers) == pytest.approx(wasted.stability_threshold, rel=1e-9)
    assert found.threshold_at(found.ends[2]) < wasted.stability_threshold < found.threshold_at(found.ends[1])


def test_the_example_and_its_chain():
    system = msj.read("examples/hpc_partition.toml")  # three classes, one of them Erlang: only the chain knows it
    wasted = msj.analyse(system, exact=False)["wasted_servers"]
    found = saturated_line(system, rng=2)
    assert found.ends[1] < wasted < found.ends[2]


def test_jobs_of_one_server_waste_nothing():
    found = saturated_line(simple(50, (1, 1, 1.0)), jobs=21_000, rng=1)
    assert found.ends == (0.0, 0.0, 0.0)
    assert found.stability_threshold == 50


def test_only_fcfs():
    with pytest.raises(NotSupported, match="plain FCFS only"):
        saturated_line(simple(4, (1, 1, 0.5), (4, 1, 0.5)).replace(policy="first-fit"))
