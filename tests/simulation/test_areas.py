"""What servers do, as the engine adds it up: rows of a simulation, with intervals, beside those of the chain."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import msj
from msj.disciplines.served_by import ServedBy
from msj.disciplines.set_up import SetUp
from msj.engines.set_up import SetUpEngine
from msj.simulation.record import Record
from msj.simulation.sketch import first_bin

STATES = ("busy", "idle", "set_up", "off")
POWER = {"busy": 300, "idle": 200, "set_up": 250, "off": 5}


@dataclass(frozen=True, kw_only=True)
class Priced(SetUp):
    """Set-up whose engine is told what servers take."""

    name: ClassVar[str] = "priced"

    def engine(self, system):
        return ServedBy(SetUpEngine, set_up_rate=0.5, staggered=False, power=POWER, cost={"busy": 2.0})


@pytest.fixture(scope="module")
def found():
    jobs = [msj.JobClass(name=f"need {v}", need=v, share="1/2", duration=msj.Exponential(mean=1)) for v in (1, 2)]
    system = msj.System(servers=4, classes=jobs, arrival_rate=1, model=SetUp(set_up_rate=0.5, power=POWER))
    exact = msj.analyse(system, percentiles=False)
    return exact, msj.simulate(system.replace(model=Priced(set_up_rate=0.5)), jobs=200_000, rng=5)


def test_servers_in_each_state_as_the_chain_has_them(found):
    """Each within twice its interval (odds of a false alarm below 1e-3 each), and the intervals are narrow."""
    exact, simulated = found
    for name in [*(f"{state}_servers" for state in STATES), "mean_power"]:
        row = simulated.row(name)
        assert abs(row.value - exact[name]) < row.high - row.low, name
        assert row.low <= row.value <= row.high < row.low + 0.1 * max(row.value, 1.0)
    assert sum(simulated[f"{state}_servers"] for state in STATES) == pytest.approx(4, rel=1e-9)


def test_power_and_cost_are_what_the_states_take(found):
    simulated = found[1]
    by_hand = sum(POWER[state] * simulated[f"{state}_servers"] for state in STATES)
    assert simulated["mean_power"] == pytest.approx(by_hand, rel=1e-9)
    assert simulated["mean_cost"] == pytest.approx(2 * simulated["busy_servers"], rel=1e-9)
    assert simulated["utilisation"] == pytest.approx(simulated["busy_servers"] / 4, rel=1e-9)


def test_areas_belong_to_the_pieces_in_whose_time_they_fall():
    record = Record(classes=1, lowest=first_bin(1.0), warm_up=0, piece=2, areas=2)
    for clock, areas in [(0.0, (1.0, 0.0)), (2.0, (4.0, 1.0)), (3.0, (5.0, 7.0)), (5.0, (9.0, 8.0)), (6.0, (9.0, 9.0))]:
        record.end_piece(clock=clock, skipped=0.0, wasted_area=0.0, present=0.0, areas=areas)
    assert np.array_equal([tally.areas for tally in record.tallies(4)], [[3, 1], [1, 6], [4, 1], [0, 1]])
    record.merge()
    assert np.array_equal([tally.areas for tally in record.tallies(2)], [[4, 7], [4, 2]])
