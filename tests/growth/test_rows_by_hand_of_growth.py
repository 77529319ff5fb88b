"""Rows about clusters that grow, each with a number worked out some other way."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import msj
from strategies import simple


def cramer(u):
    return (1 + u) * math.log(1 + u) - u


def inverse(function, goal):
    """Where a function that grows from 0 reaches a goal, by halving."""
    low, high = 0.0, 1.0
    while function(high) < goal:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < goal else (low, middle)
    return low


def test_the_fluid_falls_in_a_line_and_then_like_an_exponential():
    """Eight servers. Class 1: mu = 1, rho = 4/8, so it leaves at most at twice lambda: from 3 at slope 1 − 2 down to 2.

    Then y' = 1 − y. Class 2: mu = 1/2, from nothing, y' = 1 − y/2.
    """
    system = simple(8, (1, 1, "8/9"), (2, "1/2", "1/9"), arrival_rate=4.5)
    found = msj.fluid(system, 2, start=[3, 0], points=5)
    first, second = ([row.value for _, row in found.along("time", "fluid_jobs_over_rate", f"need {i}")] for i in (1, 2))
    assert first == pytest.approx([3, 2.5, 2, 1 + math.exp(-0.5), 1 + math.exp(-1)])
    assert second == pytest.approx([2 * (1 - math.exp(-t / 2)) for t in (0, 0.5, 1, 1.5, 2)])


def test_a_path_of_many_jobs_is_near_its_mean():
    """20,000 servers, mean 1, rate 10,000, 3,000 jobs at the start: nobody ever waits.

    At ln 2 half of those are gone and a Poisson number of mean 5,000 is new: 6,500 with a variance of 750 + 5,000. Five
    standard deviations: wrong by chance once in a million.
    """
    found = msj.fluid(simple(20_000, (1, 1, 1), utilisation=0.5), math.log(2), start=[0.3], paths=1, points=2, seed=1)
    first, last = (row.value for _, row in found.at(path=1).along("time", "jobs_over_rate", "need 1"))
    assert first == pytest.approx(0.3)
    assert last == pytest.approx(0.65, abs=5 * math.sqrt(5750) / 10_000)


def test_the_mean_distance_is_that_of_a_chain_between_walls():
    """Twelve servers, mean 1, rate 6, from 6 jobs, where the fluid stays.

    Nobody has been d or more away with the probability that the chain without those states is left. Summed over d that
    is the mean of 6 D; within three half-widths, which is wrong by chance less than once in a million.
    """
    until, mean = 12.0, 0.0
    for d in range(1, 40):
        jobs = np.arange(max(6 - d + 1, 0), 6 + d)
        down = np.minimum(jobs, 12)
        inside = np.diag(np.full(len(jobs) - 1, 6.0), 1) + np.diag(down[1:].astype(float), -1) - np.diag(6.0 + down)
        mean += (1 - float(expm(inside * until)[jobs == 6].sum())) / 6
    system = simple(12, (1, 1, 1), utilisation=0.5)
    found = msj.fluid(system, until, start="equilibrium", paths=150, points=2, seed=1).row("mean_distance_to_fluid")
    half = found.high - found.value
    assert abs(found.value - mean) < 3 * half
    assert half < 0.06 * mean


def test_the_papers_bound_on_the_distance_is_five_per_cent():
    """100,000 servers, each class at 10,000 a unit of time, mu = 1 and 1/2, rho = .1 and .4, from empty, T = 1.

    Of (27), with delta = (1 − .5)/(1 · .5) = 1 and n mu/m = 100,000 and 25,000; the start is none.
    """
    system = simple(100_000, (1, 1, "1/2"), (2, "1/2", "1/2"), arrival_rate=20_000)
    eps = msj.fluid(system, 1, points=2)["distance_to_fluid_bound", None, 95]
    chance = 0.0
    for mu, rho, serves in ((1, 0.1, 100_000), (0.5, 0.4, 25_000)):
        for x in (eps / 2, 1):
            chance += 2 * math.exp(-10_000 * cramer(x * math.exp(-mu) / 3))
            chance += 2 * math.exp(-serves * cramer(rho * x * math.exp(-mu) / 3))
    assert chance == pytest.approx(0.05, rel=1e-6)


def test_the_sharper_bound_on_the_distance_from_the_best_number_of_pieces():
    """Classes at rates a = 300 and 200, means 1, from empty: X is Poisson of a mean of at most a.

    Each may stray with 2.5 %: 2 J exp(−a h(x e^(−T/J))) = .025, at the J with the least x, 8. The servers suffice.
    """
    until, servers = 0.62, 1400
    system = simple(servers, (1, 1, "3/5"), (2, 1, "2/5"), arrival_rate=500)
    wanted, asked = 0.0, 0.0
    for need, a in ((1, 300), (2, 200)):
        distances = [math.exp(until / j) * inverse(cramer, math.log(2 * j / 0.025) / a) for j in range(1, 65)]
        assert np.argmin(distances) == 8 - 1
        wanted += min(distances)
        asked += need * a * (1 + min(distances))
    assert asked < servers
    found = msj.fluid(system, until, points=2)["distance_to_fluid_sharper_bound", None, 95]
    assert found == pytest.approx(wanted, rel=1e-9)
    nobody = msj.fluid(system.replace(servers=int(asked)), until, points=2)
    assert "distance_to_fluid_sharper_bound" not in nobody


def tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def test_waiting_on_the_border_by_the_normal_law():
    """Needs 1 and 4, half of the load each: the servers asked for have variance n (1/2 · 1 + 1/2 · 4).

    With 1 − rho = 2/sqrt(n) the cluster is full b = 2/sqrt(2.5) standard deviations above the mean. The lower bound is
    the chance of that, the upper the least of E[(Z − t)+]/(b − t) = (phi(t) − t Q(t))/(b − t).
    """
    found = msj.zero_queueing_family(["1", "4"], [64], alpha=0.5, beta=2, simulation=False)
    b = 2 / math.sqrt(2.5)
    assert found["limiting_waiting_probability_lower_bound"] == pytest.approx(tail(b))
    levels = np.linspace(-5, b, 20_000, endpoint=False).tolist()
    least = min((math.exp(-t * t / 2) / math.sqrt(2 * math.pi) - t * tail(t)) / (b - t) for t in levels)
    assert found["limiting_waiting_probability_upper_bound"] == pytest.approx(least, rel=1e-5)


def waste_of_a_large_cluster(servers, law):
    """twoclass, section 8: with one law for all, k − E[V]/E[1/sigma], sigma as many needs in order as fit.

    ``fits`` is the law of V_1 + ... + V_i below the end.
    """
    fits, inverse_mean = np.eye(1, servers + 1)[0], 0.0
    for i in range(servers + 1):
        more = np.zeros(servers + 1)
        for need, share in law.items():
            more[need:] += share * fits[: servers + 1 - need]
        if i:
            inverse_mean += (fits.sum() - more.sum()) / i
        fits = more
    return servers - sum(need * share for need, share in law.items()) / inverse_mean


def test_the_waste_of_the_running_example_and_what_it_tends_to():
    """Of two servers one is idle for 1/5 of the time, that is beside a blocked large job.

    In large clusters E[V (V − 1)]/(2 E[V]) = (2/3)/(8/3) = 1/4 are, whatever the durations.
    """
    found = msj.cluster_scaling("examples/two_servers.toml", [2], jobs=1000)
    assert found["wasted_share"] == pytest.approx(1 / 5 / 2)
    assert found["limiting_wasted_servers"] == pytest.approx(1 / 4)
    assert waste_of_a_large_cluster(1000, {1: 2 / 3, 2: 1 / 3}) == pytest.approx(1 / 4, rel=0.003)


def test_the_waste_that_is_told_where_no_threshold_is_known():
    """Needs 1 and 4 equally often: E[V (V − 1)]/(2 E[V]) = 6/5."""
    law = msj.Uniform(low=0, high=1)
    classes = [msj.JobClass(name=str(need), need=need, share="1/2", duration=law) for need in (1, 4)]
    found = msj.analyse(msj.System(servers=400, classes=classes))
    assert found["limiting_wasted_servers"] == pytest.approx(6 / 5)
    assert waste_of_a_large_cluster(1000, {1: 1 / 2, 4: 1 / 2}) == pytest.approx(6 / 5, rel=0.003)


def test_where_the_waste_ends_as_large_jobs_become_slow_or_fast():
    """Three servers, needs 1 and 2 equally often.

    Slow large jobs: small ones pass beside one until a large one waits, and then one server is idle. Fast ones take no
    time: there are three small jobs (A), or two and a large one that waits (B). A leaves for B at 3/2. In B a small job
    leaves at 2; large ones pass until a small one comes, and the next is small in half of the cases, which is A. So
    3/2 a = b, and one server is idle in B.
    """
    found = msj.waste(simple(3, (1, 1, "1/2"), (2, 1, "1/2")), "rate-ratio=0.1..10", points=3)
    limits = {row.at["form"]: row.value for row in found if row.name == "wasted_servers_limit"}
    assert limits == pytest.approx({"slow large jobs": 1, "fast large jobs": 3 / 5})


def test_sure_stability_from_the_servers_that_are_busy_when_somebody_waits():
    """Needs 4 and 6 on 21 servers: who waits finds more than 15 busy, and an even number: 16."""
    found = msj.zero_queueing(simple(21, (4, 1, "1/2"), (6, 1, "1/2"), utilisation=0.5), simulation=False)
    assert found["sharper_sufficient_utilisation"] == pytest.approx(16 / 21)
    assert found["sufficient_utilisation"] == pytest.approx(15 / 21)


def test_simulated_waiting_is_that_of_erlang():
    """Two servers, need 1, one job per unit of time: P(wait) = 1/3.

    Within three half-widths: wrong by chance less than once in ten thousand, however few batches there are beyond 12.
    """
    found = msj.zero_queueing(simple(2, (1, 1, 1), arrival_rate=1), jobs=40_000, seed=1)
    row = found.row("simulated_waiting_probability")
    half = max(row.high - row.value, row.value - row.low)
    assert abs(row.value - 1 / 3) < 3 * half
    assert half < 0.05 / 3
