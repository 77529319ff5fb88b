"""The limit of the waste of described clusters, against simulation."""

import pytest

import msj
from msj.errors import NotSupported
from msj.growth.waste_limit import limiting_waste
from msj.simulation.saturated_line import saturated_line
from strategies import simple


def test_durations_do_not_matter():
    system = msj.read("examples/hpc_partition.toml").replace(servers=5000)
    uniform = system.replace(classes=[c.replace(duration=msj.Uniform(low=0, high=c.need)) for c in system.classes])
    found = saturated_line(uniform, jobs=1_000_000, rng=1)
    assert found.ends[1] < limiting_waste(uniform) == limiting_waste(system) < found.ends[2]  # 95 %; the seed is fixed


def test_only_fcfs():
    with pytest.raises(NotSupported, match="for FCFS only"):
        limiting_waste(simple(4, (1, 1, 0.5), (4, 1, 0.5)).replace(policy="first-fit"))
