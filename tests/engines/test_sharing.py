"""Models that share speed: a slow twin job by job, and known formulas.

Statistical tests compare at 4 standard errors (a false alarm once in 16,000 seeds each).
"""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

import msj
from msj import Hyperexponential, InvalidInput, JobClass, NotSupported, System
from msj.answers import simulate
from msj.disciplines.heterogeneous_servers import ASSIGNMENTS, HeterogeneousServers
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.threshold_parallelism import ThresholdParallelism
from msj.simulation import replay_jobs as replay
from msj.workloads import RecordedJobs
from strategies import simple


def shares(policy, needs, servers):
    """Servers each job gets, jobs in order of arrival: the definition, word for word."""
    count = len(needs)
    given = np.zeros(count)
    if isinstance(policy, LimitedProcessorSharing):
        served = min(count, servers if policy.limit is None else policy.limit)
        together = 1 if policy.speeds is None or served == 0 else policy.speeds[served - 1]
        given[:served] = servers * float(together) / max(served, 1)
    elif isinstance(policy, HeterogeneousServers):
        speeds = np.array(policy.speeds, dtype=float)  # the fastest first
        speeds = speeds[::-1] if policy.assignment == "slowest-first" else speeds
        served = min(count, servers)
        given[:served] = speeds[:served][::-1] if policy.assignment == "newest-first" else speeds[:served]
    else:
        key = {"fcfs": lambda i: i, "elastic": lambda i: (-needs[i], i), "inelastic": lambda i: (needs[i], i)}
        left = servers
        for i in sorted(range(count), key=key[policy.order]):
            given[i] = min(needs[i], left)
            left -= given[i]
    return given


def share_slowly(policy, arrival, need, duration, servers):
    left, present, now, coming = duration.astype(float).copy(), [], 0.0, 0
    finish, start = np.full(len(arrival), np.nan), np.full(len(arrival), np.nan)
    while coming < len(arrival) or present:
        given = shares(policy, [need[j] for j in present], servers)
        for job, speed in zip(present, given, strict=True):
            if speed > 0 and math.isnan(start[job]):
                start[job] = now
        ends = [
            now + left[j] * need[j] / speed if speed > 0 else math.inf for j, speed in zip(present, given, strict=True)
        ]
        first = min(ends, default=math.inf)
        coming_next = arrival[coming] if coming < len(arrival) else math.inf
        moment = min(first, coming_next)
        for job, speed in zip(present, given, strict=True):
            left[job] -= (moment - now) * speed / need[job]
        now = moment
        if first <= coming_next:
            job = present.pop(ends.index(first))
            finish[job] = now
        else:
            present.append(coming)
            coming += 1
    return start, finish


POLICIES = [
    LimitedProcessorSharing(limit=3),
    LimitedProcessorSharing(limit=1),
    LimitedProcessorSharing(),
    HeterogeneousServers(speeds=[1, 4, 3, 2]),
    HeterogeneousServers(speeds=[1, 4, 3, 2], assignment="slowest-first"),
    HeterogeneousServers(speeds=[1, 4, 3, 2], assignment="newest-first"),
    LimitedProcessorSharing(limit=3, speeds=["1/4", 1, "2/3"]),
    ThresholdParallelism(),
    ThresholdParallelism(order="elastic"),
    ThresholdParallelism(order="inelastic"),
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_equals_the_slow_twin(policy):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        servers, count = 4, 150
        need = rng.integers(1, servers + 1, count)
        if not isinstance(policy, ThresholdParallelism):
            need[:] = 1 if isinstance(policy, HeterogeneousServers) else servers
        arrival = np.cumsum(rng.exponential(rng.choice([0.3, 1.0, 3.0]), count))
        duration = rng.exponential(1, count) + 0.01
        start, finish = share_slowly(policy, arrival, need, duration, servers)
        jobs = RecordedJobs(arrival=arrival, need=need, duration=duration)
        done = replay(jobs, servers=servers, policy=policy, block=31)
        np.testing.assert_allclose(done.finish, finish, atol=1e-9)
        np.testing.assert_allclose(done.start, start, atol=1e-9)


def stay_slowly(speeds, arrival, duration):
    """Each job, in order of arrival, on the fastest server that is free when it starts."""
    free_at, starts, finishes, before = np.zeros(len(speeds)), [], [], 0.0
    for now, length in zip(arrival, duration, strict=True):
        before = max(now, before, free_at.min())
        server = next(s for s in range(len(speeds)) if free_at[s] <= before)
        free_at[server] = before + length / speeds[server]
        starts.append(before)
        finishes.append(free_at[server])
    return starts, finishes


def test_jobs_that_stay_on_their_server():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        arrival = np.cumsum(rng.exponential(rng.choice([0.06, 0.12, 0.4]), 300))
        duration = rng.exponential(1, 300) + 0.01
        start, finish = stay_slowly([4, 3, 2, 1], arrival, duration)
        jobs = RecordedJobs(arrival=arrival, need=np.ones(300, dtype=int), duration=duration)
        policy = HeterogeneousServers(speeds=[1, 4, 3, 2], assignment="stay")
        done = replay(jobs, servers=4, policy=policy, block=31)
        np.testing.assert_allclose(done.finish, finish, atol=1e-9)
        np.testing.assert_allclose(done.start, start, atol=1e-9)


def move_up_slowly(speeds, arrival, duration):
    """Jobs in the order of their servers, the fastest first; whoever is last takes the place of one who leaves."""
    left, placed, waiting, now, coming = duration.copy(), [], [], 0.0, 0
    start, finish = np.full(len(arrival), np.nan), np.full(len(arrival), np.nan)
    while coming < len(arrival) or placed:
        ends = [now + left[job] / speed for job, speed in zip(placed, speeds, strict=False)]
        arrives = arrival[coming] if coming < len(arrival) else math.inf
        moment = min([arrives, *ends])
        for job, speed in zip(placed, speeds, strict=False):
            left[job] -= (moment - now) * speed
        now = moment
        if ends and min(ends) <= arrives:
            place = ends.index(min(ends))
            finish[placed[place]] = now
            last = placed.pop()
            if place < len(placed):
                placed[place] = last
        else:
            waiting.append(coming)
            coming += 1
        while waiting and len(placed) < len(speeds):
            placed.append(waiting.pop(0))
            start[placed[-1]] = now
    return start, finish


def test_jobs_that_move_up():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        arrival = np.cumsum(rng.exponential(rng.choice([0.06, 0.12, 0.4]), 300))
        duration = rng.exponential(1, 300) + 0.01
        start, finish = move_up_slowly([4, 3, 2, 1], arrival, duration)
        jobs = RecordedJobs(arrival=arrival, need=np.ones(300, dtype=int), duration=duration)
        policy = HeterogeneousServers(speeds=[1, 4, 3, 2], assignment="move-up")
        done = replay(jobs, servers=4, policy=policy, block=31)
        np.testing.assert_allclose(done.finish, finish, atol=1e-9)
        np.testing.assert_allclose(done.start, start, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "seed"), [("limited_processor_sharing", 8), ("heterogeneous_servers", 9), ("threshold_parallelism", 10)]
)
def test_the_examples_agree_with_their_chains(name, seed):
    system = msj.read(Path(__file__).parents[2] / "examples" / "models" / f"{name}.toml").replace(load=0.6)
    variants = [system.policy]
    if name == "heterogeneous_servers":
        variants = [system.policy.replace(assignment=rule) for rule in ASSIGNMENTS]
    for policy in variants:
        exact = msj.analyse(system.replace(policy=policy))
        found = msj.simulate(system.replace(policy=policy), jobs=300_000, rng=seed)
        close(found, exact["mean_response_time"])
        for c in system.classes if len(system.classes) > 1 else ():
            close(found, exact["mean_response_time", c.name], c.name)


def close(result, exact, job_class=None):
    row = next(r for r in result if (r.name, r.job_class) == ("mean_response_time", job_class))
    error = (row.high - row.value) / t.ppf(0.975, 19)
    assert abs(row.value - exact) < 4 * error, (row.value, error, exact)


def erlang_c_response(servers, rate):
    terms = [rate**n / math.factorial(n) for n in range(servers)]
    last = rate**servers / math.factorial(servers) * servers / (servers - rate)
    return last / (sum(terms) + last) / (servers - rate) + 1


def test_processor_sharing_does_not_see_the_law():
    duration = Hyperexponential(rates=[2, "2/3"], probabilities=["1/2", "1/2"])
    system = System(servers=1, arrival_rate=0.7, classes=[JobClass(name="a", need=1, share=1, duration=duration)])
    close(simulate(system, policy=LimitedProcessorSharing(limit=10**4), jobs=200_000, rng=1), 1 / 0.3)
    fcfs = 1 + 0.7 * duration.second_moment / 2 / 0.3
    close(simulate(system, policy=LimitedProcessorSharing(limit=1), jobs=200_000, rng=2), fcfs)


def test_equal_speeds_are_m_m_k_and_two_speeds_a_birth_and_death_chain():
    system = simple(3, (1, 1, 1), arrival_rate=2.2)
    policy = HeterogeneousServers(speeds=[5, 5, 5])
    faster = simulate(system.replace(arrival_rate=11), policy=policy, jobs=200_000, rng=3)
    close(faster, erlang_c_response(3, 2.2) / 5)
    # Speeds 3 and 1: down 3 from one job, 4 from more; p_n = p_1 (rate/4)^(n-1).
    rate = 2.8
    one, ratio = rate / 3, rate / 4
    empty = 1 / (1 + one / (1 - ratio))
    exact = empty * one / (1 - ratio) ** 2 / rate
    policy = HeterogeneousServers(speeds=[1, 3])
    close(simulate(simple(2, (1, 1, 1), arrival_rate=rate), policy=policy, jobs=200_000, rng=4), exact)


def test_threshold_parallelism_at_its_ends():
    close(simulate(simple(4, (1, 1, 1), arrival_rate=3), policy=ThresholdParallelism(), jobs=200_000, rng=5),
          erlang_c_response(4, 3.0))  # fmt: skip
    close(simulate(simple(4, (4, 1, 1), arrival_rate=0.7), policy=ThresholdParallelism(), jobs=200_000, rng=6), 1 / 0.3)
    # Inelastic jobs first: they do not see the others.
    system = simple(4, (1, 1, "4/5"), (4, 2, "1/5"), arrival_rate=2.5)
    result = simulate(system, policy=ThresholdParallelism(order="inelastic"), jobs=400_000, rng=7)
    close(result, erlang_c_response(4, 2.0), "need 1")


def test_what_does_not_apply_is_said():
    with pytest.raises(NotSupported, match="can use 1 of 4 servers"):
        simulate(simple(4, (1, 1, 1), arrival_rate=1), policy=LimitedProcessorSharing(limit=2), jobs=100)
    with pytest.raises(NotSupported, match="2 speeds are given for 4 servers"):
        simulate(simple(4, (1, 1, 1), arrival_rate=1), policy=HeterogeneousServers(speeds=[1, 2]), jobs=100)
    with pytest.raises(NotSupported, match="every job must need one"):
        simulate(simple(2, (2, 1, 1), arrival_rate=0.5), policy=HeterogeneousServers(speeds=[1, 2]), jobs=100)
    with pytest.raises(NotSupported, match="shares servers"):
        _ = ThresholdParallelism().serve
    with pytest.raises(InvalidInput, match="did you mean 'elastic'"):
        ThresholdParallelism(order="elastc")
