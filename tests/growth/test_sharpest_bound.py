"""Upper bounds on waiting for any durations, the lemmas behind zeroq's theorem, and the border where waiting stays."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, poisson

import msj
from analysis.brute_force_open import BruteForceOpen
from msj import open_system
from msj.closed_forms.halfin_whitt import corner_bounds, halfin_whitt
from msj.closed_forms.infinite_servers import infinite_servers
from msj.closed_forms.queueing_bounds import least_busy, poisson_shortfall, sharpest_bound
from msj.growth.queueing_bounds import queueing_bounds
from msj.growth.zero_queueing_corner import corner_gap
from msj.growth.zero_queueing_family import ZeroQueueingFamily
from strategies import simple, systems


@settings(max_examples=20)
@given(systems(most_servers=4, most_classes=2), st.floats(0.02, 0.9))
def test_whatever_the_durations_nobody_waits_more_often_than_the_sharpest_bound_says(system, load):
    system = system.replace(load=load)
    bounds, solved = queueing_bounds(system), open_system(system)
    worst = float(solved.waiting_probability.max())
    for bound in (bounds.sharpest_bound, bounds.little_bound, bounds.sum_bound):
        assert bound is None or worst <= bound * (1 + 1e-9)
    threshold = msj.analyse(system.replace(load=None), exact=False)["stability_threshold"]
    assert bounds.sharper_sufficient_utilisation <= threshold / system.naive_threshold * (1 + 1e-9)


@settings(max_examples=25)
@given(
    st.integers(20, 2000),
    st.lists(st.tuples(st.integers(1, 12), st.floats(0.1, 10)), min_size=1, max_size=3, unique_by=lambda job: job[0]),
    st.floats(0.1, 0.95),
)
def test_each_bound_is_never_above_the_one_before_it(servers, classes, part):
    largest = max(need for need, _ in classes)
    jobs = [(need, mean, 1 / len(classes)) for need, mean in classes]
    found = queueing_bounds(simple(servers, *jobs, utilisation=part * (1 - largest / servers)))
    assert found.sharper_bound <= found.sum_bound * (1 + 1e-9)
    assert found.sum_bound <= found.bound * (1 + 1e-9)
    if found.sharper_bound < 1:
        assert found.sharpest_bound <= found.little_bound * (1 + 1e-9)
        assert found.little_bound <= found.sharper_bound * (1 + 1e-9)
        assert found.lower_bound <= found.sharpest_bound
    assert found.sharper_sufficient_utilisation >= found.sufficient_utilisation


def test_set_one_of_the_paper_at_1024_servers():
    # By another program: .4766 against .6112.
    family = ZeroQueueingFamily(needs=["3", "log2(n)", "sqrt(n)"], alpha=0.1, beta=0.25, means=[4, 2, 1])
    found = queueing_bounds(family.system_at(1024))
    assert (round(found.little_bound, 4), round(found.sharper_bound, 4)) == (0.4766, 0.6112)
    assert round(queueing_bounds(family.system_at(65536)).sharpest_bound, 4) == 0.0423  # by t = n·rho .1819


def test_the_sharpest_bound_by_hand():
    # Need 2 on 5 servers: 4 are busy when somebody waits. S is twice a Poisson number of mean 1.
    law = infinite_servers([2], [1.0], level=4)
    chances = poisson.pmf(np.arange(60), 1.0)
    by_hand = min(
        float((np.maximum(2 * np.arange(60) - t, 0) * chances).sum()) / (4 - t) for t in np.linspace(0, 3.99, 400)
    )
    assert least_busy(5, [2]) == 4
    assert sharpest_bound(law, 4) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("mean", [0.3, 1.0, 2.5, 40.0, 1e6])
def test_poisson_shortfall_is_its_sum(mean):
    numbers = np.arange(max(0, int(mean - 60 * math.sqrt(mean) - 60)), int(mean) + 1)
    assert poisson_shortfall(mean) == pytest.approx(float((mean - numbers) @ poisson.pmf(numbers, mean)), rel=1e-8)


@pytest.mark.parametrize(
    ("servers", "classes", "rho"),
    [(6, [(1, 1, 0.5), (2, 2, 0.5)], 0.5), (8, [(1, 3, 0.8), (3, 1, 0.2)], 0.4), (5, [(2, 1, 1.0)], 0.3)],
)
def test_lemmas_against_a_chain_that_keeps_the_head(servers, classes, rho):
    system = simple(servers, *classes, utilisation=rho)
    rate = rho * system.naive_threshold
    bounds, chain = queueing_bounds(system), BruteForceOpen(system, rate, 120)
    left, shortfalls = 0.0, np.zeros(len(classes))
    shares = [float(c.share) for c in system.classes]
    loads = [rate * p * c.need * float(c.duration.mean) for p, c in zip(shares, system.classes, strict=True)]
    for chance, (in_service, head, behind) in zip(chain.law, chain.states, strict=True):
        for i, c in enumerate(system.classes):
            more = np.arange(behind + 1)
            jobs = in_service[i] + (head == i) + more
            odds = binom.pmf(more, behind, shares[i])
            left += chance * c.need * float(c.duration.mean) * float(jobs @ odds)
            shortfalls[i] += chance * float(np.maximum(loads[i] - c.need * jobs, 0) @ odds)
    assert left <= bounds.mean_work_bound
    terms = msj.analyse(system, percentiles=False, bounds=True)
    assert terms["server_time_left"] == pytest.approx(left, rel=1e-8)
    assert terms["server_time_left_bound"] == bounds.mean_work_bound
    for value, c in zip(shortfalls, system.classes, strict=True):
        ours, theirs = bounds.sharper_shortfall_bound_by_class[c.name], bounds.shortfall_bound_by_class[c.name]
        assert value <= ours * (1 + 1e-9) <= theirs


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 2.5])
def test_in_the_corner_one_class_tends_to_halfin_and_whitt_between_the_limits_of_the_bounds(beta):
    lower, upper = corner_bounds(beta)
    limit = halfin_whitt(beta)
    assert lower < limit < upper < 1
    apart = []
    for n in (100, 10_000):
        bounds = queueing_bounds(simple(n, (1, 1, 1), utilisation=1 - beta / math.sqrt(n)))
        found = erlang_c(n, n - beta * math.sqrt(n)), bounds.sharpest_bound
        apart.append([abs(value - end) for value, end in zip(found, (limit, upper), strict=True)])
    assert bounds.lower_bound == pytest.approx(lower, rel=0.1)
    assert apart[1][0] < 0.2 * apart[0][0]  # 1/sqrt(n): a tenth
    assert apart[1][1] < 0.2 * apart[0][1]


def erlang_c(servers, jobs):
    blocked = 1.0
    for s in range(1, servers + 1):
        blocked = jobs * blocked / (s + jobs * blocked)
    return blocked / (1 - jobs / servers * (1 - blocked))


def test_the_border_is_one_curve_whatever_the_needs_grow_like():
    # A need of c·n^gamma is like a cluster of n^(2 alpha)/c slots.
    assert corner_gap(ZeroQueueingFamily(needs=["4*n^(1/2)"], alpha="1/4", beta=1)) == pytest.approx(0.5)
    assert corner_gap(ZeroQueueingFamily(needs=["4"], alpha="1/2", beta=1)) == pytest.approx(0.5)
    for arrivals in ("load", "arrivals"):  # next to n^(1/2), a need of 3 does not matter to the spread but to the load
        mixed = ZeroQueueingFamily(needs=["3", "n^(1/2)"], alpha="1/4", beta=1, shares_of=arrivals)
        assert corner_gap(mixed) == pytest.approx(math.sqrt(2) if arrivals == "load" else 1.0)
    assert corner_gap(ZeroQueueingFamily(needs=["ln(n)"], alpha="1/2", beta=1)) is None
    found = msj.zero_queueing_family(["2"], [64], alpha=0.5, beta=1, simulation=False)
    assert found["limiting_waiting_probability"] == pytest.approx(halfin_whitt(1 / math.sqrt(2)))
    mixed = msj.zero_queueing_family(["1", "2"], [64], alpha=0.5, beta=1, simulation=False)
    assert 0 < mixed["limiting_waiting_probability_lower_bound"] < mixed["limiting_waiting_probability_upper_bound"] < 1
