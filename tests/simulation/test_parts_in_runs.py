"""The engine of models that combine in a run: rows of all states, with intervals, and a state that can be kept."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import msj
from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.engines.cluster import Cluster
from msj.engines.parts import PartsEngine
from msj.simulation.state import restored, written
from msj.workloads import Streams, SystemJobs, seed_sequence

STATES = ("busy", "idle", "set_up", "off", "broken", "paying")


def options():
    law = msj.Exponential(mean=1)
    segments = [{"need": 1, "resources": {}, "law": law, "after": []},
                {"need": 2, "resources": {}, "law": msj.Erlang(stages=2, mean=1), "after": [0]}]  # fmt: skip
    own = {"segments": segments, "groups": [0, 1], "span": True, "at_most": 4, "preemptible": True, "pays": True}
    breaks = {"sojourn": [msj.Exponential(mean=5), msj.Uniform(low=1, high=2)], "jump": [[0, 1], [1, 0]],
              "taken": [[0, 0], [1, 1]], "speed": [1.0, 0.5], "hits": "any"}  # fmt: skip
    return {
        "groups": [(3, 1.0, {}), (2, 2.0, {})], "capacity": {}, "classes": [own], "environment": [breaks],
        "set_up": {"law": msj.Lognormal(mean=1, cv=1), "staggered": False, "delay": msj.Exponential(mean=1)},
        "overhead": {"snapshot": None, "transfer": msj.Exponential(mean=1)}, "power": {"busy": 3.0, "broken": 1.0},
    }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Everything(Model):
    """All parts at once."""

    name: ClassVar[str] = "everything"
    summary: ClassVar[str] = "all parts at once"
    citation: ClassVar[str] = ""

    def engine(self, system):
        return ServedBy(PartsEngine, **options())


@pytest.fixture(scope="module")
def system():
    job = msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))
    return msj.System(servers=5, classes=[job], arrival_rate=0.4, model=Everything())


def test_rows_of_all_states_add_up(system):
    found = msj.simulate(system, jobs=100_000, rng=1)
    rows = [found.row(f"{state}_servers") for state in STATES]
    assert all(row.low <= row.value <= row.high and row.value > 0.01 for row in rows)
    assert sum(row.value for row in rows) == pytest.approx(5, rel=1e-9)
    assert found["broken_servers"] == pytest.approx(2 * 1.5 / 6.5, abs=0.05)
    assert found["utilisation"] == pytest.approx(found["busy_servers"] / 5, rel=1e-9)
    power = 3 * (found["busy_servers"] + found["paying_servers"]) + found["broken_servers"]
    assert found["mean_power"] == pytest.approx(power, rel=1e-9)


def engine_and_jobs(system):
    streams = Streams(root=seed_sequence(3), replication=0)
    cluster = Cluster(servers=5, needs=np.array([1]), streams=streams)
    return PartsEngine(cluster, **options()), SystemJobs(system, arrival_rate=0.4, streams=streams)


def test_its_state_can_be_written_down_and_read(system):
    """As a checkpoint does: arrays and plain text only, put into an engine made anew."""
    engine, jobs = engine_and_jobs(system)
    engine.advance(jobs.take(700))
    arrays = {}
    text = json.dumps(written(engine, arrays))
    other = restored(engine_and_jobs(system)[0], json.loads(text), {name: each.copy() for name, each in arrays.items()})
    block = jobs.take(9000)
    assert np.array_equal(engine.advance(block).finish, other.advance(block).finish)
    assert engine.areas == other.areas
