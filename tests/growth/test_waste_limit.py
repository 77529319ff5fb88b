"""The limit of the waste against product forms at sizes where it should be reached, and against simulation."""

import pytest

import msj
from msj.closed_forms import same_law, two_class
from msj.errors import NotSupported
from msj.growth.waste_limit import limiting_waste
from msj.simulation.saturated_line import saturated_line
from strategies import simple


@pytest.mark.parametrize(
    ("servers", "needs", "shares", "rates"),
    [
        (1_000_000, (1, 2), (2 / 3, 1 / 3), (1.0, 0.5)),
        (1_000_000, (3, 1000), (0.999, 0.001), (1.0, 0.5)),
        (1_000_000, (3, 10), (0.5, 0.5), (1.0, 20.0)),
        (1_000_001, (4, 10), (0.3, 0.7), (1.0, 1.0)),  # in pairs, and one server is never used
    ],
)
def test_two_classes(servers, needs, shares, rates):
    exact = two_class(servers=servers, needs=needs, shares=shares, rates=rates).wasted_servers
    system = simple(servers, *zip(needs, rates, shares, strict=True))
    assert limiting_waste(system) == pytest.approx(exact, rel=3e-3)


def test_the_distance_shrinks_with_the_size():
    gaps = []
    for servers in (1000, 10_000, 100_000):
        exact = same_law(servers=servers, needs=(1, 3, 5, 16), shares=(0.4, 0.3, 0.2, 0.1), rate=1.0).wasted_servers
        system = simple(servers, (1, 1, 0.4), (3, 1, 0.3), (5, 1, 0.2), (16, 1, 0.1))
        gaps.append(abs(exact - limiting_waste(system)))
    assert gaps[0] > 5 * gaps[1] > 25 * gaps[2]


def test_durations_do_not_matter():
    system = msj.read("examples/hpc_partition.toml").replace(servers=5000)
    uniform = system.replace(classes=[c.replace(duration=msj.Uniform(low=0, high=c.need)) for c in system.classes])
    found = saturated_line(uniform, jobs=1_000_000, rng=1)
    assert found.ends[1] < limiting_waste(uniform) == limiting_waste(system) < found.ends[2]  # 95 %; the seed is fixed


def test_only_fcfs():
    with pytest.raises(NotSupported, match="for FCFS only"):
        limiting_waste(simple(4, (1, 1, 0.5), (4, 1, 0.5)).replace(policy="first-fit"))
