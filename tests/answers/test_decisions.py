"""The decisions that are listed are those of the simulation with the same seed."""

import csv

import pytest

import msj
from msj.errors import InvalidInput, NotSupported
from msj.registry import POLICIES

SYSTEM = msj.System(
    servers=4,
    arrival_rate=1.1,
    classes=[
        msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(mean=1)),
        msj.JobClass(name="middle", need=2, share="1/4", duration=msj.Uniform(low=0, high=2)),
        msj.JobClass(name="large", need=4, share="1/4", duration=msj.Exponential(mean=1)),
    ],
)
#: Policies whose decisions depend on more than a function of the jobs present, and that preempt, share or lose jobs.
NOT_LISTED = {
    "divisor-filling-gittins",
    "heterogeneous-servers",
    "limited-processor-sharing",
    "loss",
    "max-weight",
    "msfq",  # for needs 1 and all
    "msr",
    "nmsr",
    "randomized-timers",
    "server-filling-gittins",
    "threshold-parallelism",
}


def policies():
    for name in POLICIES.names():
        if name not in NOT_LISTED:
            yield {"name": name}
    yield {"name": "max-weight", "ties": "smallest"}
    yield {"name": "first-fit", "window": 2}
    yield {"name": "first-fit", "preemptive": True, "restart": True}


@pytest.mark.parametrize("policy", list(policies()), ids=str)
def test_jobs_start_when_the_simulation_starts_them(policy, tmp_path):
    listed = msj.decisions(SYSTEM, 120, policy=policy, seed=5)
    path = tmp_path / "jobs.csv"
    msj.simulate(SYSTEM, policy=policy, jobs=2_000, seed=5, replications=1, controls=False, jobs_file=path)
    with path.open() as file:
        start = {i: float(row["start"]) for i, row in enumerate(sorted(csv.DictReader(file), key=by_arrival))}
    first = {}
    for row in listed:
        for job in row.started:
            first.setdefault(job, row.time)
    assert len(first) > 20
    for job, time in first.items():
        assert time == pytest.approx(start[job], rel=1e-9, abs=1e-9)


def by_arrival(row):
    return float(row["arrival"])


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "server-filling", "static-quickswap"])
def test_each_row_follows_from_the_one_before(policy):
    present, served, needs, time = set(), set(), {}, 0.0
    for row in msj.decisions(SYSTEM, 200, policy=policy, seed=2):
        if row.arrival:
            needs[row.job] = row.need
            present.add(row.job)
        else:
            assert row.job in served
            present.discard(row.job)
            served.discard(row.job)
        served = (served | set(row.started)) - set(row.stopped)
        assert row.time >= time
        assert set(row.present) == present
        assert set(row.served) == served <= present
        assert set(row.waiting) == present - served
        assert row.free == 4 - sum(needs[job] for job in served) >= 0
        time = row.time


def test_preempted_jobs_are_listed():
    assert any(row.stopped for row in msj.decisions(SYSTEM, 200, policy="server-filling", seed=2))
    assert not any(row.stopped for row in msj.decisions(SYSTEM, 200, policy="first-fit", seed=2))


def test_a_load_is_that_of_the_systems_own_policy():
    system = msj.read("examples/two_servers.toml")
    assert msj.decisions(system, 5, seed=1)[0].time == msj.decisions(system, 5, policy="first-fit", seed=1)[0].time


@pytest.mark.parametrize("policy", ["loss", "max-weight", "randomized-timers", "server-filling-gittins"])
def test_what_cannot_be_listed_says_so(policy):
    with pytest.raises(NotSupported, match="cannot be listed"):
        msj.decisions(SYSTEM, 5, policy=policy)


def test_counts_have_limits():
    for count, sentence in ((0, "count = 0 must be at least 1"), (10**9, "give at most 100,000")):
        with pytest.raises(InvalidInput, match=sentence):
            msj.decisions(SYSTEM, count)


def test_forms():
    found = msj.decisions(SYSTEM, 4, seed=1)
    assert len(found) == len(found[:]) == len(found.to_dicts()) == 4
    assert found.to_csv().splitlines()[0].startswith("time,event,job,class,need,present,served,started,preempted,free")
    assert len(str(found).splitlines()) == 5
