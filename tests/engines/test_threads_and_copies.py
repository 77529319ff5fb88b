"""Engines share nothing: they run side by side in threads, and one that is copied in the middle goes on as before."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import msj
from msj.engines import compiling
from msj.registry import POLICIES
from msj.simulation.engine_of import engine_of
from msj.workloads import Streams, SystemJobs, seed_sequence
from strategies import simple

MODELS = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.toml"))
SHARING = {"heterogeneous-servers": (1, 1), "limited-processor-sharing": (4, 4)}
SYSTEMS = {name: simple(4, *((need, 1, "1/2") for need in SHARING.get(name, (1, 4))), policy=name)
           for name in POLICIES.names() if name not in SHARING}  # fmt: skip
SYSTEMS |= {name: simple(4, (need, 1, 1), policy=name) for name, (need, _) in SHARING.items()}
SYSTEMS |= {path.stem: msj.read(path) for path in MODELS if msj.read(path).model is not None}


def served(system, replication, *, copied=False):
    streams = Streams(root=seed_sequence(5), replication=replication)
    source = SystemJobs(system, arrival_rate=0.5 * system.naive_threshold, streams=streams)
    engine, finish = engine_of(system, streams), []
    for _ in range(4):
        done = engine.advance(source.take(2000))
        finish.append(done.finish[np.argsort(done.number)].copy())
        if copied:
            engine = pickle.loads(pickle.dumps(engine))
    finish.append(engine.drain().finish.copy())
    return np.concatenate(finish)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_copy_goes_on_as_the_engine_would_have(name):
    np.testing.assert_array_equal(served(SYSTEMS[name], 0), served(SYSTEMS[name], 0, copied=True))


@pytest.mark.parametrize("name", ["fcfs", "server-filling", "max-weight", "easy-backfilling", "best-packing", "set_up"])
def test_threads_give_what_one_after_the_other_does(name):
    alone = [served(SYSTEMS[name], i) for i in range(4)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda i: served(SYSTEMS[name], i), range(4)))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(alone[0], alone[1])


def test_loops_let_go_of_pythons_lock():
    assert compiling.OPTIONS["nogil"]
