"""One cluster at many sizes: exact where it should be, simulated intervals that hold the truth, clear refusals."""

from __future__ import annotations

import math

import pytest

import msj
from msj.errors import InvalidInput, NotSupported
from msj.scaling import cluster_answers
from msj.scaling.cluster import cluster_scaling
from msj.simulation.saturated_line import saturated_line
from strategies import simple

HPC = msj.read("examples/hpc_partition.toml")
ONE_SERVER_EACH = simple(4, (1, 1, 1.0)).replace(load=0.8)


def erlang_c(servers: int, offered: float) -> float:
    """P(wait) of M/M/k by the usual recursion for the blocking probability."""
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = offered * blocking / (k + offered * blocking)
    return blocking / (1 - offered / servers * (1 - blocking))


def test_needs_of_one_are_erlangs_queue_at_every_size():
    scaling = cluster_scaling(ONE_SERVER_EACH, [4, 64])
    for point in scaling.points:
        waits = erlang_c(point.servers, 0.8 * point.servers)
        assert point.verdict == "solved"
        assert point.get("waiting_probability").value == pytest.approx(waits, rel=1e-8)
        expected = 1 + waits / (0.2 * point.servers)
        assert point.get("mean_response_time").value == pytest.approx(expected, rel=1e-8)
        assert point.get("wasted_servers").value == pytest.approx(0, abs=1e-9)


def test_simulated_intervals_hold_erlangs_answer(monkeypatch):
    monkeypatch.setattr(cluster_answers, "EXACT_SECONDS", -1.0)
    [point] = cluster_scaling(ONE_SERVER_EACH, [16], rng=1, jobs=400_000).points
    assert point.verdict.startswith("simulated")
    row = point.get("waiting_probability")
    assert row.kind == "simulated"
    assert row.low < erlang_c(16, 12.8) < row.high  # 95 %; the seed is fixed
    assert row.high - row.low < 0.05


def test_exact_and_simulated_agree_on_the_example(monkeypatch):
    exact = cluster_scaling(HPC, [32]).points[0]
    monkeypatch.setattr(cluster_answers, "EXACT_SECONDS", -1.0)
    monkeypatch.setattr(cluster_answers, "EXACT_STATES", -1)
    simulated = cluster_scaling(HPC, [32], rng=7, jobs=1_000_000).points[0]
    for name in ("wasted_servers", "stability_threshold", "waiting_probability", "mean_response_time"):
        row = simulated.get(name)
        assert (exact.get(name).kind, row.kind) == ("exact", "simulated")
        # Two 95 % intervals on top of each other: the load itself is a share of a simulated threshold.
        slack = 0.5 * (row.high - row.low)
        assert row.low - slack < exact.get(name).value < row.high + slack


def test_what_is_kept_stays():
    system = msj.read("examples/two_servers.toml")  # load 0.8, threshold 0.9, naive threshold 1
    for keep, name, value in (
        ("load", "load", 0.8),
        ("rate", "arrival_rate", 0.72),
        ("utilisation", "utilisation", 0.72),
    ):
        scaling = cluster_scaling(system, [2, 4], keep=keep)
        assert scaling.kept == pytest.approx(value, rel=1e-9)
        for point in scaling.points:
            assert point.get(name).value == pytest.approx(value, rel=1e-9)
    assert cluster_scaling(system.replace(utilisation=0.5), keep="rate").kept == pytest.approx(0.5)
    assert cluster_scaling(system.replace(arrival_rate=0.25), keep="utilisation").kept == pytest.approx(0.25)
    assert cluster_scaling(system.replace(arrival_rate=0.45), keep="load").kept == pytest.approx(0.5)


def test_a_cap_keeps_the_work_and_wins_threshold():
    free, capped = cluster_scaling(HPC, keep="rate", largest_needs=[8]).points
    assert (free.largest_need, capped.largest_need, free.capped, capped.capped) == (32, 8, False, True)
    assert capped.get("utilisation").value == pytest.approx(free.get("utilisation").value, rel=1e-12)
    assert capped.get("stability_threshold").value > 1.2 * free.get("stability_threshold").value
    assert capped.get("waiting_probability").value < free.get("waiting_probability").value


def test_what_is_unstable_says_so():
    small, large = cluster_scaling(HPC.replace(arrival_rate=2.5), [32, 40], keep="rate").points
    assert small.unstable
    assert "2.5 is not below lambda* = 1.96235" in small.verdict
    assert small.get("waiting_probability") is None
    assert small.get("wasted_servers").value == pytest.approx(10.41418814)
    assert not large.unstable


def test_too_close_to_a_simulated_threshold_to_call():
    system = simple(8, (1, 1, 0.5), (5, 1, 0.5))
    uniform = msj.Uniform(low=0, high=2)  # no phase type: the threshold is simulated
    system = system.replace(classes=[c.replace(duration=uniform) for c in system.classes])
    found = saturated_line(system, rng=1)
    rate = found.threshold_at(found.idle[0] + 1e-6)
    assert found.thresholds[1] < rate < found.stability_threshold
    system = system.replace(arrival_rate=rate)
    verdicts = {cluster_scaling(system, keep="rate", rng=seed).points[0].verdict for seed in range(3)}
    assert all(verdict.startswith(("too close to lambda*", "unstable")) for verdict in verdicts)
    assert any(verdict.startswith("too close") for verdict in verdicts)


def test_no_wait_seen_is_not_none_at_all(monkeypatch):
    monkeypatch.setattr(cluster_answers, "EXACT_SECONDS", -1.0)
    [point] = cluster_scaling(ONE_SERVER_EACH, [400], keep="rate", jobs=20_000, rng=1).points
    row = point.get("waiting_probability")
    assert row.value == 0
    assert row.low == 0
    assert erlang_c(400, 3.2) < row.high < 0.01


def test_short_runs_and_sizes_beyond_reach_are_said():
    large = cluster_scaling(HPC, [4096, 10**12], keep="utilisation", jobs=20_000, rng=1)
    short, beyond = large.points
    assert short.verdict.startswith("simulated, but too shortly")
    assert beyond.verdict.startswith("too large: 1.53e+14 jobs would have to be simulated")
    assert beyond.quantities == ()
    assert large.rows()[-1]["verdict"] == beyond.verdict  # one row, though it has no number


def test_other_policies():
    system = simple(4, (1, 1, 0.5), (4, 1, 0.5)).replace(policy="first-fit", utilisation=0.5)
    [point] = cluster_scaling(system, keep="utilisation", jobs=50_000, rng=1).points
    assert point.verdict.startswith("simulated")
    assert point.get("stability_threshold") is None
    with pytest.raises(NotSupported, match="not known for policy 'first-fit'"):
        cluster_scaling(system, keep="load")
    [point] = cluster_scaling(system.replace(policy="server-filling"), keep="load", jobs=20_000).points
    assert point.get("mean_response_time").kind == "exact"
    assert point.get("waiting_probability").kind == "simulated"
    assert point.get("wasted_servers").value == pytest.approx(0, abs=1e-9)


def test_the_largest_need_of_jobs_in_stages():
    (point,) = cluster_scaling(msj.read("examples/models/stages.toml")).points
    assert point.largest_need == 4  # of the second stage; the first needs 1


def test_rows_are_flat_and_the_seed_decides():
    first, second = (cluster_scaling(HPC, [128], rng=3, jobs=20_000).to_dict() for _ in range(2))
    assert first == second
    names = [row["name"] for row in first["rows"]]
    assert names[:3] == ["stability_threshold", "wasted_servers", "wasted_share"]
    assert {"waiting_probability", "mean_response_time", "load"} <= set(names)
    assert all(row["method"] and math.isfinite(row["value"]) for row in first["rows"])


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({}, {"servers": [16, 64]}, "class 'full' needs 32 of 16 servers"),
        ({}, {"servers": []}, "no numbers of servers"),
        ({}, {"servers": [64.5]}, "whole number"),
        ({}, {"keep": "waste"}, "use one of load, rate, utilisation"),
        ({}, {"largest_needs": [0]}, "largest need = 0 must be at least 1"),
        ({}, {"jobs": 0}, "jobs = 0 must be at least 1"),
        ({"load": None}, {}, "no load is given"),
    ],
)
def test_bad_input(change, options, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        cluster_scaling(HPC.replace(**change), **options)
