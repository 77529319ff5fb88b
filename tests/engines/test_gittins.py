"""Gittins ranks against what is known of them, and the engine against a twin that looks at every job's age."""

import numpy as np
import pytest

import msj
from msj import Deterministic, Erlang, Exponential, Hyperexponential, Lognormal
from msj.disciplines.gittins_rank import gittins_ranks
from msj.engines.cluster import Cluster
from msj.registry import POLICIES
from msj.workloads import RecordedJobs, Streams, seed_sequence
from strategies import simple


def test_ranks_that_are_known():
    assert [part.tolist() for part in gittins_ranks(Exponential(mean=2))] == [[0.0], [2.0]]
    # Growing hazard: best served to the end, so the rank is the mean remaining duration, which falls with age.
    ages, ranks = gittins_ranks(Erlang(stages=2, mean=2))
    expected = (2 + ages) / (1 + ages)  # Erlang of two stages of rate 1
    np.testing.assert_allclose(ranks, expected, rtol=1e-4)
    # Falling hazard: the rank is one over the hazard.
    law = Hyperexponential(rates=[4, 1], probabilities=["1/2", "1/2"])
    ages, ranks = gittins_ranks(law)
    hazard = (2 * np.exp(-4 * ages) + 0.5 * np.exp(-ages)) / (0.5 * np.exp(-4 * ages) + 0.5 * np.exp(-ages))
    np.testing.assert_allclose(ranks, 1 / hazard, rtol=0.05)  # constant over a step of the table
    ages, ranks = gittins_ranks(Deterministic(value=3))
    assert ranks[0] == pytest.approx(3)
    ages, ranks = gittins_ranks(Lognormal(mean=1, cv=2))
    assert ages[0] == 0
    assert (np.diff(ages) > 0).all()
    assert (ranks > 0).all()


def rank_slowly(tables, job_class, age):
    ages, ranks = tables[job_class]
    return ranks[np.searchsorted(ages, age * (1 + 1e-9) + 1e-12, side="right") - 1]


def serve_slowly(arrival, need, duration, job_class, servers, tables, by_divisors):
    """Return every finish; looked at again whenever somebody comes, leaves or passes an age of its table."""
    left, finish, now, coming, present, serving = duration.tolist(), {}, 0.0, 0, [], []
    while coming < len(arrival) or present:
        events = [arrival[coming]] if coming < len(arrival) else []
        for job in serving:
            age = duration[job] - left[job]
            events += [
                now + left[job],
                *(now + a - age for a in tables[job_class[job]][0] if a > age * (1 + 1e-9) + 1e-12),
            ]
        event = min(events)
        for job in serving:
            left[job] -= event - now
        now = event
        for job in [job for job in serving if left[job] < 1e-10]:
            finish[job] = now
            present.remove(job)
        while coming < len(arrival) and arrival[coming] <= now:
            present.append(coming)
            coming += 1
        rank = {job: need[job] * rank_slowly(tables, job_class[job], duration[job] - left[job]) for job in present}
        order = sorted(present, key=lambda job: (rank[job], job))
        if by_divisors:
            front = order[:servers]
            front.sort(key=lambda job: (-need[job], rank[job], job))
            reach = [set() for _ in range(len(front) + 1)]
            reach[-1] = {0}
            for i in range(len(front) - 1, -1, -1):
                reach[i] = reach[i + 1] | {s + need[front[i]] for s in reach[i + 1]}
            goal, serving = max(s for s in reach[0] if s <= servers), []
            for i, job in enumerate(front):
                if goal - need[job] in reach[i + 1] and need[job] <= goal:
                    serving.append(job)
                    goal -= need[job]
        else:
            front, wanted = [], 0
            for job in order:
                if wanted < servers:
                    front.append(job)
                    wanted += need[job]
            serving, free = [], servers
            for job in sorted(front, key=lambda job: (-need[job], rank[job], job)):
                if need[job] <= free:
                    serving.append(job)
                    free -= need[job]
    return np.array([finish[job] for job in range(len(arrival))])


@pytest.mark.parametrize("name", ["server-filling-gittins", "divisor-filling-gittins"])
@pytest.mark.parametrize("seed", range(3))
def test_the_engine_looks_again_at_every_age_of_the_tables(name, seed):
    laws = [
        Hyperexponential(rates=[3, 0.5], probabilities=["2/3", "1/3"]),
        Exponential(mean=2),
        Erlang(stages=3, mean=1),
    ]
    needs, servers = ([1, 2, 4], 4) if "server" in name else ([1, 2, 3], 6)
    classes = [
        msj.JobClass(name=f"{i}", need=v, share="1/3", duration=law)
        for i, (v, law) in enumerate(zip(needs, laws, strict=True))
    ]
    system = msj.System(servers=servers, classes=classes, policy=name)
    policy = system.policy.on(system)
    rng = np.random.default_rng(seed)
    count = 120
    job_class = rng.integers(0, 3, count)
    arrival = np.cumsum(rng.exponential(0.9, count))
    duration = np.array([laws[c].sample(rng, 1)[0] for c in job_class])
    need = np.array(needs)[job_class]
    streams = Streams(root=seed_sequence(5), replication=0)
    engine = policy.engine(servers).made(Cluster(servers=servers, needs=np.array(needs), streams=streams, name=name))
    block = RecordedJobs(arrival=arrival, need=need, duration=duration).take(count)
    block = type(block)(arrival=arrival, job_class=job_class, need=need, duration=duration)
    parts = [engine.advance(block).copy(), engine.drain().copy()]
    done = type(parts[0]).join(parts)
    expected = serve_slowly(arrival, need, duration, job_class, servers, policy.tables, "divisor" in name)
    np.testing.assert_allclose(done.finish, expected, rtol=0, atol=1e-6)


def test_equal_needs_and_exponential_laws_make_it_fcfs_in_the_mean():
    # One class: rank is constant, so jobs are served in order of arrival: M/M/2.
    system = simple(2, (1, 1, 1), arrival_rate=1.2, policy="server-filling-gittins")
    row = msj.simulate(system, jobs=50_000, seed=1).row("mean_response_time")
    assert abs(row.value - 1 / (1 - 0.36)) < 3.9 / 1.96 * (row.high - row.low) / 2


def test_what_it_asks_for_and_refuses():
    kind = POLICIES.get("server-filling-gittins")
    assert kind().knows_laws
    assert not kind().knows_durations
    assert "not a power of two" in kind().supports(simple(8, (3, 1, 1)))
    assert "does not divide" in POLICIES.get("divisor-filling-gittins")().supports(simple(8, (3, 1, 1)))
