"""MSR, nMSR and balanced splitting: twins in plain Python, exact means, and what they refuse."""

import math

import numpy as np
import pytest

import msj
from msj.engines.cluster import Cluster
from msj.registry import POLICIES
from msj.simulation import replay_jobs as replay
from msj.workloads import RecordedJobs, Streams, seed_sequence
from strategies import simple

W1 = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), arrival_rate="2/5")


def jobs_of(seed, kinds, count=250):
    rng = np.random.default_rng(seed)
    arrival = np.cumsum(rng.exponential(rng.choice([0.5, 1.5]), count))
    return arrival, rng.choice(kinds, count), rng.exponential(1.0, count) + 1e-3


def turns_slowly(arrival, need, duration, servers, policy, draws):
    """Return the finish of every job; ``draws`` are the exponential times the engine used, in its order."""
    needs = sorted(set(need.tolist()))
    left, finish = duration.tolist(), [math.nan] * len(arrival)
    waiting, serving, now, coming = [], [], 0.0, 0
    packing, change, stays = -1, 0.0, policy.mean_stays()
    while coming < len(arrival) or waiting or serving:
        ends = {job: now + left[job] for job in serving}
        leaving = min(ends, key=ends.get, default=None)
        following = arrival[coming] if coming < len(arrival) else math.inf
        event = min(change, following, ends.get(leaving, math.inf))
        for job in serving:
            left[job] -= event - now
        now = event
        if change < min(following, ends.get(leaving, math.inf)):
            packing, change = (packing + 1) % len(stays), math.inf
        elif leaving is not None and ends[leaving] <= following:
            finish[leaving] = now
            serving.remove(leaving)
        else:
            waiting.append(coming)
            coming += 1
        places = dict(zip(needs, policy.packings[packing], strict=True))
        if policy.preemptive:
            waiting, serving = sorted(waiting + serving), []
        held = {v: sum(need[job] == v for job in serving) for v in needs}
        for v in reversed(needs):
            for job in [job for job in waiting if need[job] == v]:
                if held[v] < places[v] and v <= servers - sum(need[j] for j in serving):
                    waiting.remove(job)
                    serving.append(job)
                    held[v] += 1
        if change == math.inf and all(held[v] <= places[v] for v in needs):
            change = now + stays[packing] * next(draws)
    return np.array(finish)


@pytest.mark.parametrize("name", ["msr", "nmsr"])
@pytest.mark.parametrize("seed", range(4))
def test_packings_take_turns_as_in_the_twin(name, seed):
    arrival, need, duration = jobs_of(seed, [1, 3])
    options = {"packings": [[5, 0], [2, 1]], "shares": [1, 2], "cycle": 6}
    policy = POLICIES.get(name).from_options(options)
    jobs = RecordedJobs(arrival=arrival, need=need, duration=duration)
    streams = Streams(root=seed_sequence(5), replication=0)
    engine = policy.engine(5).made(Cluster(servers=5, needs=np.array([1, 3]), streams=streams, name=name))
    draws = iter(Streams(root=seed_sequence(5), replication=0).generator("policy").standard_exponential(4096))
    parts = [engine.advance(jobs.take(50)).copy() for _ in range(5)]
    parts.append(engine.drain().copy())
    done = type(parts[0]).join(parts)
    expected = turns_slowly(arrival, need, duration, 5, policy, draws)
    np.testing.assert_allclose(done.finish, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("policy", ["msr", {"name": "msr", "packings": [[4, 0], [0, 1]], "shares": [2, 5], "cycle": 3}])
def test_msr_is_exact_need_by_need(policy):
    # 3.9 standard errors: odds of 1e-4 for each row.
    system = W1.replace(policy=policy)
    exact, run = msj.analyse(system), msj.simulate(system, jobs=100_000, seed=1)
    for name in ("mean_response_time", "waiting_probability"):
        for c in system.classes:
            row, value = run.row(name, job_class=c.name), exact.row(name, job_class=c.name)
            assert value.kind == "exact"
            assert abs(row.value - value.value) < 3.9 / 1.96 * (row.high - row.low) / 2


def test_one_packing_makes_queues_of_many_servers_and_more_slots_than_jobs_are_no_harm():
    # Always three places for need 1 and one for need 2: M/M/3 and M/M/1.
    system = simple(
        5, (1, 1, "2/3"), (2, 1, "1/3"), arrival_rate=2, policy={"name": "msr", "packings": [[3, 1]], "shares": [1]}
    )
    found = msj.analyse(system)
    a, rate = 4 / 3, 4 / 3
    wait = (a**3 / 6 / (1 - a / 3)) / (1 + a + a * a / 2 + a**3 / 6 / (1 - a / 3))
    small, large = (c.name for c in system.classes)
    assert found["mean_response_time", small] == pytest.approx(1 + wait / (3 - rate), rel=1e-10)
    assert found["waiting_probability", small] == pytest.approx(wait, rel=1e-10)
    assert found["mean_response_time", large] == pytest.approx(1 / (1 - 2 / 3), rel=1e-10)
    assert found["stability_threshold"] == pytest.approx(3)


def test_what_packings_cannot_be():
    def reason(**options):
        return POLICIES.get("msr").from_options(options).supports(W1)

    assert "takes 5 of 4 servers" in reason(packings=[[1, 1]], shares=[1])
    assert "no packing serves need 4" in reason(packings=[[4, 0]], shares=[1])
    assert "3 numbers and there are 2 needs" in reason(packings=[[4, 0, 0]], shares=[1])
    with pytest.raises(msj.InvalidInput, match="2 packings and 1 shares"):
        POLICIES.get("nmsr")(packings=[[4, 0], [0, 1]], shares=[1])


def split_slowly(arrival, need, duration, servers, owned):
    """Return the start of every job: the waiting line is gone through in order of arrival at every event."""
    start, ends, own_free, helpers = {}, {}, dict(owned), servers - sum(dict(owned).values())
    waiting, coming = [], 0
    while coming < len(arrival) or ends:
        leaving = min(ends, key=lambda job: ends[job][0], default=None)
        if coming < len(arrival) and (leaving is None or arrival[coming] < ends[leaving][0]):
            now = arrival[coming]
            waiting.append(coming)
            coming += 1
        else:
            now, helped = ends.pop(leaving)
            if helped:
                helpers += need[leaving]
            else:
                own_free[need[leaving]] += need[leaving]
        blocked = False
        for job in list(waiting):
            v = need[job]
            if own_free.get(v, 0) >= v:
                own_free[v] -= v
                helped = False
            elif not blocked and helpers >= v:
                helpers -= v
                helped = True
            else:
                blocked = True
                continue
            waiting.remove(job)
            start[job], ends[job] = now, (now + duration[job], helped)
    return np.array([start[job] for job in range(len(arrival))])


@pytest.mark.parametrize("seed", range(6))
def test_splitting_is_the_line_gone_through_in_order(seed):
    arrival, need, duration = jobs_of(seed, [1, 2, 5])
    owned = [(1, 3), (2, 4), (5, 0)]
    policy = POLICIES.get("balanced-splitting")(owned=owned)
    done = replay(RecordedJobs(arrival=arrival, need=need, duration=duration), servers=13, policy=policy, block=37)
    expected = split_slowly(arrival, need.tolist(), duration, 13, owned)
    np.testing.assert_allclose(done.start, expected, rtol=0, atol=1e-9)


def test_splitting_by_hand_and_where_it_would_starve():
    system = simple(100, (1, 1, "1/2"), (10, 1, "1/2"), policy={"name": "balanced-splitting", "psi": "11/20"})
    assert system.policy.on(system).owned == ((1, 5), (10, 50))
    assert "would wait for ever; lower psi = 1" in POLICIES.get("balanced-splitting")(psi=1).supports(W1)
    all_help = W1.replace(policy={"name": "balanced-splitting", "psi": 0})
    helped, fcfs = (msj.simulate(s, jobs=20_000, seed=1, controls=False) for s in (all_help, W1))
    assert helped["mean_waiting_time"] == pytest.approx(fcfs["mean_waiting_time"], rel=1e-9)
