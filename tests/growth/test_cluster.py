"""One cluster at many sizes: exact where it should be, simulated intervals that hold the truth, clear refusals."""

from __future__ import annotations

import math

import pytest

import msj
from msj.analysis.exact_response import ExactResponse
from msj.analysis.saturated_chain import SaturatedChain
from msj.analysis.sparse_response import SparseResponse
from msj.effort import Cost
from msj.errors import Failure, InvalidInput, NotSupported
from msj.growth.cluster import cluster_scaling
from msj.results import Outcome, Result
from msj.simulation.saturated_line import saturated_line
from strategies import simple

HPC = msj.read("examples/hpc_partition.toml")
ONE_SERVER_EACH = simple(4, (1, 1, 1.0)).replace(load=0.8)


def too_dear(monkeypatch, *analyses):
    """Let some analyses cost more than any effort allows."""
    for analysis in analyses:
        monkeypatch.setattr(analysis, "cost", lambda self, system: Cost(operations=math.inf))


def erlang_c(servers: int, offered: float) -> float:
    """P(wait) of M/M/k by the usual recursion for the blocking probability."""
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = offered * blocking / (k + offered * blocking)
    return blocking / (1 - offered / servers * (1 - blocking))


def test_needs_of_one_are_erlangs_queue_at_every_size():
    found = cluster_scaling(ONE_SERVER_EACH, [4, 64])
    assert (found.outcome, found.missing, found.places("servers")) == (Outcome.SOLVED, (), [4, 64])
    for servers in (4, 64):
        point = found.at(servers=servers)
        waits = erlang_c(servers, 0.8 * servers)
        assert point.row("waiting_probability").kind == "exact"
        assert point["waiting_probability"] == pytest.approx(waits, rel=1e-8)
        expected = 1 + waits / (0.2 * servers)
        assert point["mean_response_time"] == pytest.approx(expected, rel=1e-8)
        assert point["wasted_servers"] == pytest.approx(0, abs=1e-9)


def test_simulated_intervals_hold_erlangs_answer(monkeypatch):
    too_dear(monkeypatch, ExactResponse, SparseResponse)
    row = cluster_scaling(ONE_SERVER_EACH, [16], rng=1, jobs=400_000).row("waiting_probability")
    assert row.kind == "simulated"
    assert row.low < erlang_c(16, 12.8) < row.high  # 95 %; the seed is fixed
    assert row.high - row.low < 0.05


def test_exact_and_simulated_agree_on_the_example(monkeypatch):
    exact = cluster_scaling(HPC, [32])
    too_dear(monkeypatch, ExactResponse, SparseResponse, SaturatedChain)
    simulated = cluster_scaling(HPC, [32], rng=7, jobs=1_000_000)
    for name in ("wasted_servers", "stability_threshold", "waiting_probability", "mean_response_time"):
        row = simulated.row(name)
        assert (exact.row(name).kind, row.kind) == ("exact", "simulated")
        # Two 95 % intervals on top of each other: the load itself is a share of a simulated threshold.
        slack = 0.5 * (row.high - row.low)
        assert row.low - slack < exact[name] < row.high + slack


def test_what_is_kept_stays():
    system = msj.read("examples/two_servers.toml")  # load 0.8, threshold 0.9, naive threshold 1
    for keep, name, value in (
        ("load", "load", 0.8),
        ("rate", "arrival_rate", 0.72),
        ("utilisation", "utilisation", 0.72),
    ):
        found = cluster_scaling(system, [2, 4], keep=keep)
        assert found.provenance["kept"] == pytest.approx(value, rel=1e-9)
        assert [row.value for _, row in found.along("servers", name)] == pytest.approx([value, value], rel=1e-9)
    for given, keep, value in (
        ({"utilisation": 0.5}, "rate", 0.5),
        ({"arrival_rate": 0.25}, "utilisation", 0.25),
        ({"arrival_rate": 0.45}, "load", 0.5),
    ):
        found = cluster_scaling(system.replace(**given), keep=keep)
        assert found.provenance["keep"] == keep
        assert found.provenance["kept"] == pytest.approx(value)


def test_a_cap_keeps_the_work_and_wins_threshold():
    found = cluster_scaling(HPC, keep="rate", largest_needs=[8])
    assert found.places("largest_need") == [32, 8]
    free, capped = found.at(largest_need=32), found.at(largest_need=8)
    assert capped["utilisation"] == pytest.approx(free["utilisation"], rel=1e-12)
    assert capped["stability_threshold"] > 1.2 * free["stability_threshold"]
    assert capped["waiting_probability"] < free["waiting_probability"]


def test_a_cap_that_changes_nothing_is_no_size_of_its_own():
    system = msj.read("examples/two_servers.toml")
    found = cluster_scaling(system, [2, 4], largest_needs=[2, 1, 1, 5])
    assert [(row.at["servers"], row.at["largest_need"]) for row in found if row.name == "load"] == [
        (2, 2), (2, 1), (4, 2), (4, 1),
    ]  # fmt: skip


def test_a_cap_makes_jobs_fit_that_did_not():
    found = cluster_scaling(HPC, [16], keep="utilisation", largest_needs=[8], jobs=20_000, rng=1)
    assert found.places("largest_need") == [8]


def test_what_is_unstable_says_so():
    found = cluster_scaling(HPC.replace(arrival_rate=2.5), [32, 40], keep="rate")
    [gap] = found.missing
    assert (gap.failure, dict(gap.at)) == (Failure.UNSTABLE, {"servers": 32, "largest_need": 32})
    assert "2.5 is not below lambda* = 1.96235" in gap.reason
    small = found.at(servers=32)
    assert "waiting_probability" not in small
    assert small["wasted_servers"] == pytest.approx(10.41418814)
    assert found.outcome is Outcome.SOLVED  # forty servers can
    assert cluster_scaling(HPC.replace(arrival_rate=2.5), [32], keep="rate").outcome is Outcome.UNSTABLE


def test_a_simulated_queue_that_grows_is_unstable():
    system = simple(4, (3, 1, 1)).replace(policy="first-fit", utilisation=0.9)  # one at a time: at most 0.75
    found = cluster_scaling(system, keep="utilisation", jobs=100_000, rng=1)
    assert [(gap.failure, gap.reason) for gap in found.missing] == [
        (Failure.UNSTABLE, "the simulated queue keeps growing")
    ]
    assert found.outcome is Outcome.UNSTABLE
    assert "arrival_rate" in found


def test_too_close_to_a_simulated_threshold_to_call():
    system = simple(8, (1, 1, 0.5), (5, 1, 0.5))
    uniform = msj.Uniform(low=0, high=2)  # no phase type: the threshold is simulated
    system = system.replace(classes=[c.replace(duration=uniform) for c in system.classes])
    rate = saturated_line(system, jobs=10_000_000, rng=1).stability_threshold  # far better known than in a short run
    system = system.replace(arrival_rate=rate)
    gaps = [gap for seed in range(8) for gap in cluster_scaling(system, keep="rate", rng=seed).missing]
    assert len(gaps) == 8
    assert {gap.failure for gap in gaps} <= {Failure.UNDECIDED, Failure.UNSTABLE}
    assert any(gap.reason.startswith("too close to lambda*") for gap in gaps if gap.failure is Failure.UNDECIDED)


def test_no_wait_seen_is_not_none_at_all(monkeypatch):
    too_dear(monkeypatch, ExactResponse, SparseResponse)
    row = cluster_scaling(ONE_SERVER_EACH, [400], keep="rate", jobs=20_000, rng=1).row("waiting_probability")
    assert row.value == 0
    assert row.low == 0
    assert erlang_c(400, 3.2) < row.high < 0.01


def test_short_runs_and_sizes_beyond_reach_are_said():
    found = cluster_scaling(HPC, [4096, 10**12], keep="utilisation", jobs=2_000, rng=1)
    short, gap = found.missing
    assert (short.failure, short.at["servers"]) == (Failure.TOO_FEW_JOBS, 4096)
    assert "2,000 jobs are too few" in short.reason
    assert "waiting_probability" not in found.at(servers=4096)
    assert (gap.failure, gap.at["servers"]) == (Failure.TOO_LARGE, 10**12)
    assert gap.reason.startswith("1.33e+14 jobs would have to be simulated")
    assert found.at(servers=10**12).quantities == ()
    alone = cluster_scaling(HPC, [10**12], keep="utilisation", jobs=20_000, rng=1)
    assert (alone.outcome, alone.quantities) == (Outcome.NOT_KNOWN, ())


def test_other_policies():
    system = simple(4, (1, 1, 0.5), (4, 1, 0.5)).replace(policy="first-fit", utilisation=0.5)
    found = cluster_scaling(system, keep="utilisation", jobs=50_000, rng=1)
    assert found.row("waiting_probability").kind == "simulated"
    assert "stability_threshold" not in found
    with pytest.raises(NotSupported, match="not known for policy 'first-fit'"):
        cluster_scaling(system, keep="load")
    gap = cluster_scaling(system.replace(load=0.5), keep="load").missing[0]
    assert gap.failure is Failure.NOT_SUPPORTED
    assert "keep utilisation or rate" in gap.reason
    found = cluster_scaling(system.replace(policy="server-filling"), keep="load", jobs=20_000)
    assert found.row("mean_response_time").kind == "exact"
    assert found.row("waiting_probability").kind == "exact"
    assert found["wasted_servers"] == pytest.approx(0, abs=1e-9)


def test_the_largest_need_of_jobs_in_stages():
    found = cluster_scaling("examples/models/stages.toml")
    assert found.places("largest_need") == [4]  # of the second stage; the first needs 1


def test_the_seed_decides_and_everything_round_trips():
    first, second = (cluster_scaling(HPC, [128], jobs=20_000, **seed) for seed in ({"rng": 3}, {"seed": 3}))
    assert first.quantities == second.quantities
    assert first.provenance["seed"] == 3
    names = [row.name for row in first]
    assert names[:3] == ["stability_threshold", "wasted_servers", "wasted_share"]
    assert {"waiting_probability", "mean_response_time", "load"} <= set(names)
    assert all(row.method and math.isfinite(row.value) for row in first)
    again = Result.from_dict(first.to_dict())
    assert (again.quantities, again.missing, again.notes) == (first.quantities, first.missing, first.notes)


def test_progress_says_which_size_and_rises():
    seen = []
    cluster_scaling(HPC, [32, 1024], jobs=20_000, seed=1, progress=seen.append)
    assert seen[0].words == "32 servers, needs up to 32"
    assert seen[-1].words.startswith("1024 servers, needs up to 32: ")
    done = [now.done for now in seen if not now.notice]
    assert done == sorted(done)
    assert done[-1] == 1.0


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
