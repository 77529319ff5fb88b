"""The fluid model of described clusters: its numbers, and paths against a slow twin and the limit."""

import heapq
import math
from types import SimpleNamespace

import numpy as np
import pytest

import msj.growth.fluid_paths as paths_module
from msj import Exponential, JobClass, System
from msj.errors import InvalidInput, NotSupported, TooLarge, Unstable
from msj.growth.fluid import fluid_model
from msj.growth.fluid_paths import fluid
from msj.results import Result
from msj.workloads import Streams
from strategies import simple

MIX = simple(100, (1, 0.25, 0.6), (8, 1, 0.4), utilisation=0.8)


def test_rates_loads_and_start_are_the_systems():
    model = fluid_model(MIX)
    assert (model.rates.tolist(), model.start.tolist()) == ([0.25, 1.0], [0.0, 0.0])
    # Of each arrival, 0.6·1·4 and 0.4·8·1 of work.
    assert model.loads == pytest.approx([0.8 * 2.4 / 5.6, 0.8 * 3.2 / 5.6])
    assert fluid_model(MIX, "equilibrium").start.tolist() == [4.0, 1.0]
    assert fluid_model(MIX, [9.0, 0.5]).start.tolist() == [9.0, 0.5]


def slow_path(jobs, servers, times, classes):
    """FCFS by events, and the number of jobs of each class at the times."""
    free, running, finish, queue = servers, [], [math.inf] * len(jobs), []

    def start(now):
        nonlocal free
        while queue and jobs[queue[0]][2] <= free:
            k = queue.pop(0)
            free -= jobs[k][2]
            finish[k] = now + jobs[k][3]
            heapq.heappush(running, (finish[k], k))

    for k, (arrival, *_) in enumerate(jobs):
        while running and running[0][0] <= arrival:
            now, done = heapq.heappop(running)
            free += jobs[done][2]
            start(now)
        queue.append(k)
        start(arrival)
    while running:
        now, done = heapq.heappop(running)
        free += jobs[done][2]
        start(now)
    return np.array(
        [
            [sum(j[0] <= t < f for j, f in zip(jobs, finish, strict=True) if j[1] == i) for i in range(classes)]
            for t in times
        ]
    )


def test_path_equals_its_slow_twin():
    system = MIX.replace(servers=32)
    model = fluid_model(system, [3.0, 1.1])
    times = np.linspace(0.0, 12.0, 25)
    streams = Streams(root=np.random.SeedSequence(4), replication=0)
    values, distance = paths_module._path(system, model, times, streams)
    rate = 0.8 * system.naive_threshold
    rates = rate * np.array([0.6, 0.4])
    block = paths_module._jobs(system, rate, np.rint(rates * model.start).astype(int), 12.0, streams).jobs
    jobs = list(zip(block.arrival, block.job_class, block.need, block.duration, strict=True))
    expected = slow_path(jobs, 32, times, 2)
    assert np.allclose(values * rates, expected)
    assert expected[0].tolist() == np.rint(rates * model.start).tolist()
    on_grid = np.abs(values - model.at(times)).sum(axis=1).max()
    fine = np.linspace(0.0, 12.0, 4001)
    on_fine = np.abs(slow_path(jobs, 32, fine, 2) / rates - model.at(fine)).sum(axis=1).max()
    assert on_grid <= on_fine + 1e-12
    assert on_fine <= distance + 1e-9
    assert distance == pytest.approx(on_fine, abs=0.02)


def test_distance_falls_like_the_root_of_n():
    # Means of 8 distances have a relative error of about 10 %; over a factor 256 in n the slope's is about 0.025.
    found = fluid(MIX, 12, start=[1.0, 1.2], servers=[64, 1024, 16384], paths=8, rng=1)
    rows = [row for _, row in found.along("servers", "mean_distance_to_fluid")]
    means = [row.value for row in rows]
    assert means[0] > means[1] > means[2]
    assert found["distance_exponent"] == pytest.approx(-0.5, abs=0.1)
    assert rows[2].high - means[2] < 0.3 * means[2]
    assert "The distance falls like n^-0." in found.notes[-1]
    assert fluid(MIX, 12, start=[1.0, 1.2], servers=[64], paths=2, seed=1).places("servers") == [64]


def test_large_cluster_follows_the_fluid():
    found = fluid(MIX, 12, start="empty", servers=[100_000], paths=1, rng=2)
    for name in ("need 1", "need 8"):
        limit = [row.value for _, row in found.along("time", "fluid_jobs_over_rate", name)]
        path = [row.value for _, row in found.at(path=1, servers=100_000).along("time", "jobs_over_rate", name)]
        assert len(limit) == len(path) == 201
        assert np.allclose(path, limit, atol=0.08)
    assert found.places("time")[-1] == 12.0
    assert "distance_exponent" not in found
    assert found.row("mean_distance_to_fluid").low is None


def test_the_result_has_the_model():
    found = fluid(MIX, 12, start=[9.0, 0.0], tolerance=0.05)
    model = fluid_model(MIX, [9.0, 0.0])
    assert found["time_to_equilibrium"] == model.time_to_equilibrium(0.05)
    assert [found["equilibrium_jobs_over_rate", name] for name in model.classes] == [4.0, 1.0]
    times = found.places("time")
    for i, name in enumerate(model.classes):
        values = [row.value for _, row in found.along("time", "fluid_jobs_over_rate", name)]
        assert values == model.at(times)[:, i].tolist()
    assert found.notes[0].startswith("Within 5 % of equilibrium from time ")
    assert "outside the theorem" in found.notes[1]
    assert Result.from_dict(found.to_dict()).quantities == found.quantities


def test_progress_names_size_and_path():
    seen = []
    fluid(MIX, 2, servers=[64, 128], paths=2, seed=1, progress=seen.append)
    assert [(now.done, now.words) for now in seen] == [
        (0.0, "64 servers: path 1 of 2"),
        (0.25, "64 servers: path 2 of 2"),
        (0.5, "128 servers: path 1 of 2"),
        (0.75, "128 servers: path 2 of 2"),
    ]


@pytest.mark.parametrize(
    ("system", "options", "error", "text"),
    [
        (MIX, {"start": [1.0]}, InvalidInput, "start has 1 numbers for 2 classes"),
        (MIX, {"start": [1.0, -1]}, InvalidInput, r"start\[1\] = -1"),
        (MIX, {"start": "half"}, InvalidInput, "start = 'half' is unknown"),
        (MIX, {"start": [5.0, 0], "paths": 1}, InvalidInput, "covers starts below"),
        (MIX, {"paths": -1}, InvalidInput, "paths = -1"),
        (MIX, {"tolerance": 0}, InvalidInput, "tolerance = 0"),
        (MIX, {"servers": [4], "paths": 1}, InvalidInput, "needs 8 of 4 servers"),
        (MIX, {"servers": [10**9], "paths": 1}, TooLarge, "jobs"),
        (MIX.replace(utilisation=1), {}, Unstable, "not below 1"),
        (MIX.replace(policy="first-fit"), {}, NotSupported, "first-fit"),
    ],
)
def test_refusals(system, options, error, text):
    with pytest.raises(error, match=text):
        fluid(system, 5, **options)


def test_other_laws_are_refused():
    system = MIX.replace(classes=[c.replace(duration={"law": "deterministic", "value": 1}) for c in MIX.classes])
    with pytest.raises(NotSupported, match="exponential"):
        fluid(system, 5)


def test_time_must_be_positive():
    with pytest.raises(InvalidInput, match="until = 0"):
        fluid(MIX, 0)


def test_the_distance_of_a_path_is_also_taken_just_before_it_jumps(monkeypatch):
    """One job comes at 1 and leaves at 3, the fluid is 0.7 t, until 2: 0.7 off before it comes, 0.3 after, 0.4 at 2."""
    done = SimpleNamespace(arrival=np.array([1.0]), finish=np.array([3.0]), job_class=np.array([0]))
    monkeypatch.setattr(paths_module, "_jobs", lambda *_: None)
    monkeypatch.setattr(paths_module, "replay_jobs", lambda *_, **__: done)
    system = System(
        servers=2, arrival_rate=1, classes=[JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))]
    )
    fluid_line = SimpleNamespace(start=np.zeros(1), at=lambda times: 0.7 * times[:, None])
    values, distance = paths_module._path(system, fluid_line, np.array([0.0, 2.0]), None)
    assert (values.tolist(), distance) == ([[0.0], [1.0]], pytest.approx(0.7))
