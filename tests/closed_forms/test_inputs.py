"""Inputs of the closed forms on either side of their rules, and small closed forms by hand."""

import math

import numpy as np
import pytest
from scipy.stats import norm, poisson

from msj.closed_forms.fluid import FluidModel
from msj.closed_forms.fluid_bound import _class_distance, _cramer_inverse, _peak, cramer, paper_probability
from msj.closed_forms.halfin_whitt import _hazard, corner_bounds, halfin_whitt
from msj.closed_forms.infinite_servers import InfiniteServers, infinite_servers
from msj.closed_forms.inputs import (
    comparable_rates,
    fitting_needs,
    positive_rate,
    real_number,
    share_inside,
    shares_of_one,
    whole_number,
)
from msj.closed_forms.knapsack import best_packing
from msj.closed_forms.load_focused import Regime, paper_asymptotics
from msj.closed_forms.loss import loss
from msj.closed_forms.one_and_n_terms import promised_terms
from msj.closed_forms.queueing_bounds import least_busy, queueing_bounds, sharpest_bound, theorem_bound
from msj.closed_forms.smooth_sums import block_rule
from msj.closed_forms.waste_limit import limiting_waste
from msj.closed_forms.wcfs_terms import mg1_work, paper_terms, sharper_terms, zhang_zwart
from msj.errors import InvalidInput


def test_numbers_at_their_limits():
    assert whole_number(3, name="x", least=3) == 3
    assert share_inside(0.5, name="x") == 0.5
    assert fitting_needs([1, 4], servers=4) == (1, 4)
    assert comparable_rates({"a": 1.0, "b": 1e120}) == (1.0, 1e120)
    assert shares_of_one([0.25, 0.75 + 0.9e-9], classes=2) == pytest.approx((0.25, 0.75))
    assert sum(shares_of_one([0.25, 0.75 + 0.9e-9], classes=2)) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: whole_number(2, name="x", least=3), "x is 2 but must be at least 3"),
        (lambda: whole_number(True, name="x", least=0), "x is True but must be a whole number"),
        (lambda: whole_number(2.0, name="x", least=0), "x is 2.0 but must be a whole number"),
        (lambda: real_number(math.inf, name="x"), "x is inf but must be a finite number"),
        (lambda: real_number(False, name="x"), "x is False but must be a finite number"),
        (lambda: real_number("1", name="x"), "x is '1' but must be a finite number"),
        (lambda: positive_rate(0.0, name="x"), "must be above 0"),
        (lambda: share_inside(0.0, name="x"), "strictly between 0 and 1"),
        (lambda: share_inside(1.0, name="x"), "strictly between 0 and 1"),
        (lambda: fitting_needs([1, 5], servers=4), r"needs\[1\] is 5 of 4 servers"),
        (lambda: fitting_needs([0], servers=4), r"needs\[0\] is 0 but must be at least 1"),
        (lambda: comparable_rates({"a": 1.0, "b": 1.1e120}), "further apart than a factor 1e\\+120"),
        (lambda: shares_of_one([0.5], classes=2), "1 shares given for 2 needs"),
        (lambda: shares_of_one([1.0, 0.0], classes=2), r"shares\[1\] is 0.0 but must be above 0"),
        (lambda: shares_of_one([0.25, 0.75 + 1.1e-9], classes=2), "shares sum to"),
        (lambda: shares_of_one([0.25, 0.75 - 1.1e-9], classes=2), "shares sum to"),
        (lambda: loss(servers=4, needs=[1, 2], offered=[1.0]), "give as many of both"),
        (lambda: loss(servers=4, needs=[1], offered=[-0.1]), "none below 0"),
        (lambda: loss(servers=4, needs=[], offered=[]), "give as many of both"),
    ],
)
def test_numbers_beyond_their_limits(ask, words):
    with pytest.raises(InvalidInput, match=words):
        ask()


def test_losses_of_three_classes_against_all_states():
    """Five servers: P(n) is proportional to the product of a^n/n! over states that fit. Two classes have one need."""
    needs, offered = (1, 3, 3), (2.0, 0.5, 0.25)
    weights = np.zeros(6)
    for a in range(6):
        for b in range(2):
            for c in range(2):
                if a + 3 * b + 3 * c <= 5:
                    weights[a + 3 * b + 3 * c] += math.prod(
                        r**n / math.factorial(n) for r, n in zip(offered, (a, b, c), strict=True)
                    )
    weights /= weights.sum()
    found = loss(servers=5, needs=needs, offered=offered)
    assert found.busy_servers == pytest.approx(weights)
    assert found.probabilities == pytest.approx([weights[5], weights[3:].sum(), weights[3:].sum()])
    assert found.mean_busy_servers == pytest.approx(np.arange(6) @ weights)


def test_packings_against_all_of_them():
    for values, needs, servers in (([2.0, 3.0, 3.5], [2, 3, 4], 11), ([1.0, 5.0], [2, 7], 13), ([3.0, 0.0], [3, 1], 8)):
        best = max(
            sum(n * v for n, v in zip(counts, values, strict=True))
            for counts in np.ndindex(*(servers // need + 1 for need in needs))
            if sum(n * need for n, need in zip(counts, needs, strict=True)) <= servers
        )
        found = best_packing(values, needs, servers)
        assert found.at_most == pytest.approx(best)
        assert found.counts @ np.array(values) == pytest.approx(best)
        assert found.counts @ np.array(needs) <= servers
    nothing = best_packing([0.0, 0.0], [1, 2], 5)
    assert (nothing.counts.tolist(), nothing.at_most) == ([0, 0], 0.0)


@pytest.mark.parametrize("count", [33, 50, 200])
def test_a_rule_for_many_integers_is_exact_for_polynomials(count):
    nodes, weights = block_rule(count)
    i = np.arange(count, dtype=float)
    for power in (0, 1, 2, 5):
        assert weights @ (nodes / count) ** power == pytest.approx(((i / count) ** power).sum(), rel=1e-12)


def test_bounds_of_two_classes_by_hand():
    """100 servers; 10 jobs of need 2 and 5 of need 4 on average: 20 + 20 of 100, and each need its own mean."""
    found = queueing_bounds(
        servers=100, names=["a", "b"], needs=[2, 4], shares=[0.8, 0.2], mean_durations=[1.0, 2.0], arrival_rate=12.5
    )
    assert (found.utilisation, found.largest_need, found.kinds) == (pytest.approx(0.4), 4, 2)
    assert found.least_busy == 98  # in pairs: 96 + 2
    assert found.sharper_sufficient_utilisation == 0.98
    assert found.sufficient_utilisation == 0.96
    assert found.surely_stable
    assert found.bound == pytest.approx((3 * 2 * 0.2 + 0.04) / 0.6)
    assert found.sum_bound == pytest.approx((3 * (math.sqrt(0.02) + 0.2) + 0.04) / 0.6)
    # (n − m_max)·longest + 2·max(m/mu)·n·rho/(n·(1 − rho) − m_max)
    assert found.mean_work_bound == pytest.approx(96 * 2.0 + 2 * 8.0 * 40 / (60 - 4))
    assert found.shortfall_bound_by_class == pytest.approx({"a": 3 * math.sqrt(200), "b": 3 * math.sqrt(400)})
    own = {"a": 2 * 10 * poisson.pmf(10, 10), "b": 4 * 5 * poisson.pmf(5, 5)}
    assert found.sharper_shortfall_bound_by_class == pytest.approx(own)
    # S = 2·A + 4·B; a job of need 2 waits for certain if S > 98, one of need 4 if S > 96.
    a, b = poisson.pmf(np.arange(120), 10), poisson.pmf(np.arange(60), 5)
    law = np.zeros(480)
    for j, p in enumerate(b):
        law[4 * j : 4 * j + 240 : 2] += p * a
    assert found.lower_bound_by_class == pytest.approx({"a": law[99:].sum(), "b": law[97:].sum()}, rel=1e-6)
    assert found.lower_bound == pytest.approx(0.8 * law[99:].sum() + 0.2 * law[97:].sum(), rel=1e-6)
    shortfall = sum((40 - j) * law[j] for j in range(40))
    assert found.sharper_bound == pytest.approx((0.04 + shortfall / 100) / 0.6)
    assert found.little_bound == pytest.approx(shortfall / (98 - 40))
    excess = np.array([sum((j - t) * law[j] for j in range(t, 480)) for t in range(98)])
    assert found.sharpest_bound == pytest.approx((excess / (98 - np.arange(98))).min(), rel=1e-6)
    assert found.as_in_the_paper


def test_where_the_bounds_end():
    def at(load, servers=10):
        return queueing_bounds(
            servers=servers, names=["a"], needs=[2], shares=[1.0], mean_durations=[1.0], arrival_rate=load * servers / 2
        )

    assert at(0.79).bound is not None
    assert at(0.8).bound is None  # the border itself
    assert at(0.81).bound is None
    assert "utilisation 0.81 is not below 1 − 2/10 = 0.8" in at(0.81).why_no_bound
    assert at(0.81).as_in_the_paper
    assert at(0.99).surely_stable
    assert [least_busy(10, needs) for needs in ([3], [2, 6], [1, 10], [10])] == [9, 6, 1, 10]
    with pytest.raises(InvalidInput):
        theorem_bound(servers=10, largest_need=2, classes=1, utilisation=0.8)
    assert theorem_bound(servers=10, largest_need=2, classes=1, utilisation=0.75) == pytest.approx(
        (3 * math.sqrt(0.2) + 0.2) / 0.25
    )
    tiny = InfiniteServers(probabilities=np.array([0.5, 0.25, 0.25]))
    assert tiny.mean_excesses().tolist() == [0.75, 0.25]
    assert sharpest_bound(tiny, 2) == pytest.approx(min(0.75 / 2, 0.25 / 1))
    assert (tiny.beyond(0), tiny.beyond(-1), tiny.mean_shortfall(1.5)) == (0.5, 1.0, 0.5 * 1.5 + 0.25 * 0.5)
    assert infinite_servers([2], [1.0], level=5).probabilities[2] == pytest.approx(math.exp(-1.0))


def test_limits_at_the_corner():
    """phi(t)/Q(t) at 0 is √(2/π); the best t has it equal to the gap."""
    assert _hazard(0.0) == pytest.approx(math.sqrt(2 / math.pi))
    assert _hazard(1.5) == pytest.approx(norm.pdf(1.5) / norm.sf(1.5))
    lower, upper = corner_bounds(math.sqrt(2 / math.pi))
    assert (lower, upper) == (pytest.approx(norm.sf(math.sqrt(2 / math.pi))), pytest.approx(0.5))
    assert halfin_whitt(0.7) == pytest.approx(1 / (1 + 0.7 * norm.cdf(0.7) / norm.pdf(0.7)))
    for gap in (0.05, 3.0):
        below, above = corner_bounds(gap)
        assert below < halfin_whitt(gap) < above


def test_terms_of_a_front_by_hand():
    """rho = 3/4, E[S] = 2, E[S²] = 6: the wait of M/G/1 is 3·6/4 = 9/2."""
    common = {"utilisation": 0.75, "mean_size": 2.0, "second_moment": 6.0}
    assert mg1_work(**common) == 4.5
    assert zhang_zwart(limit=2, **common) == pytest.approx((2 * (1 - 0.5625) + 1.5 * 0.5625) / 0.25)
    found = paper_terms(front=3, b_inf=0.5, rem_sup=5.0, **common)
    assert (found.work.lower, found.work.upper) == (4.5, 14.5)
    assert (found.queueing.lower, found.queueing.upper) == (-5.5, 14.5)
    assert (found.front.lower, found.front.upper) == (2.0, 12.0)
    assert (found.response.lower, found.response.upper) == (-3.5, 26.5)
    alone = paper_terms(front=1, b_inf=1.0, rem_sup=math.inf, **common)
    assert (alone.response.lower, alone.response.upper) == (6.5, 6.5)
    # min(2, 0.75/0.5) = 1.5 met; idle min(1.5, 0.5/0.25·1.5) = 1.5, or 0.1/0.25·1.5 = 0.6 with b_inf = 0.9
    sharper = sharper_terms(front=3, b_inf=0.5, per_job=0.5, rem_sup=5.0, mean_time_alone=3.0, **common)
    assert (sharper.work.upper, sharper.queueing.lower) == (12.0, 0.0)
    assert sharper.queueing.upper == 4.5 + 0.75 * 7.5
    assert (sharper.front.lower, sharper.front.upper) == (3.0, 4.0)
    busy = sharper_terms(front=3, b_inf=0.9, per_job=0.5, rem_sup=1.0, mean_time_alone=3.0, **common)
    assert busy.work.upper == pytest.approx(5.1)
    assert busy.queueing.lower == 3.0
    few = sharper_terms(front=2, b_inf=0.5, per_job=0.25, rem_sup=1.0, mean_time_alone=3.0, **common)
    assert (few.queueing.lower, few.work.upper) == (3.5, 5.5)
    one = sharper_terms(front=1, b_inf=0.5, per_job=0.5, rem_sup=math.inf, mean_time_alone=3.0, **common)
    assert (one.work.upper, one.queueing.lower) == (4.5, 4.5)


def test_asymptotic_forms_by_hand():
    """n = 1000, p = 1/50, rates 3 and 2: ln n = 6.907755, ln 50 = 3.912023."""
    n, p, log_n, log_p = 1000, 0.02, math.log(1000), math.log(50)
    many = (pytest.approx(150 / log_p), pytest.approx(25.0))
    assert paper_asymptotics(n, p, 3.0, 2.0, Regime.N_SERVER) == many
    assert paper_asymptotics(n, p, 3.0, 2.0, Regime.BALANCED) == many
    assert paper_asymptotics(n, p, 3.0, 2.0, Regime.ABOVE_BORDER) == (pytest.approx(150 / log_n), None)
    assert paper_asymptotics(n, p, 3.0, 2.0, Regime.BORDER) == (pytest.approx(3000 / (1 + 20 * log_n)), None)
    small = paper_asymptotics(n, 1e-5, 3.0, 2.0, Regime.ONE_SERVER)
    assert small == (pytest.approx(3 * (1000 - 10 * (log_n + 0.5))), pytest.approx(5 * log_n**2))
    assert paper_asymptotics(n, p, 3.0, 2.0, Regime.CONSTANT) == (None, None)


def test_the_waste_of_a_mix_by_hand():
    """Needs 3 and 9 of 100 servers, in threes 1 and 3: one server left over, and 3·(1/4·6)/(2·3/2)."""
    assert limiting_waste(servers=100, needs=[3, 9], shares=[0.75, 0.25]) == pytest.approx(1 + 3 * 1.5 / 3)


def test_bounds_on_straying_by_hand():
    """Two classes from (1, 6): the servers asked for reach rho·max(mu·y, 1) = 0.2·2 + 0.1·3 of all."""
    model = FluidModel(
        classes=("a", "b"), rates=np.array([2.0, 0.5]), loads=np.array([0.2, 0.1]), start=np.array([1.0, 6.0])
    )
    assert _peak(model) == pytest.approx(0.7)
    room = 0.3 / (2.0 * 0.3)
    arrivals, until, distance = np.array([1e5, 2e5]), 0.5, 0.6
    total = 0.0
    for x in (distance / 2, room):
        for mu, rho, rate in ((2.0, 0.2, 1e5), (0.5, 0.1, 2e5)):
            shrunk = x * math.exp(-mu * until) / 3
            total += math.exp(-rate * until * cramer(shrunk / until))
            total += math.exp(-(rate / rho) * until * cramer(rho * shrunk / until))
    found = paper_probability(model, until=until, distance=distance, arrival_rates=arrivals)
    assert 0 < found < 1
    assert found == pytest.approx(2 * total, rel=1e-12)
    # So few jobs that the start is no whole number of them within what is allowed: it says nothing.
    assert paper_probability(model, until=until, distance=distance, arrival_rates=np.array([1.4, 1.4])) == 1.0
    full = FluidModel(classes=("a",), rates=np.array([1.0]), loads=np.array([0.5]), start=np.array([2.0]))
    assert paper_probability(full, until=1, distance=0.5, arrival_rates=np.array([1e6])) == 1.0


@pytest.mark.parametrize("goal", [1e-6, 0.1, 3.0, 200.0])
def test_the_inverse_of_cramers_function(goal):
    assert cramer(_cramer_inverse(goal)) == pytest.approx(goal, rel=1e-9)


def test_the_best_number_of_pieces():
    """2J·exp(−v·h(x·e^(−span/J)/v)) = chance, for J = 1, 2, 4, ...; here v = 50, span = 3, chance 5 %."""
    found = _class_distance(3.0, 50.0, 0.05)
    tried = [
        _cramer_inverse(math.log(2 * pieces / 0.05) / 50) * 50 * math.exp(3.0 / pieces)
        for pieces in (1, 2, 4, 8, 16, 32, 64, 128, 256)
    ]
    assert found == pytest.approx(min(tried))
    assert min(tried) < tried[0] / 2


def test_what_theorems_promise_of_the_five_terms():
    """n = 1000: at p = 1/500, so n·p = 2, and at p = 1e-6, so n²·p = 1, with jobs three times as long."""
    e, log_n = math.exp(-2.0), math.log(1000)
    [(form, many)] = promised_terms(1000, 0.002, 3.0, Regime.BALANCED).items()
    assert form == "paper"
    assert many == (
        pytest.approx(1000 * e), pytest.approx(500 * (1 - 3 * e)), None, pytest.approx(-500 * (1 - e)), 250.0,
    )  # fmt: skip
    few = promised_terms(1000, 1e-5, 3.0, Regime.ONE_SERVER)
    rest = (None, pytest.approx(-10.0), pytest.approx(-10 * log_n), pytest.approx(5 * log_n**2))
    assert few["corrected"] == (pytest.approx(30 * log_n), *rest)
    assert few["paper"] == (pytest.approx((30 - 5.772156649) * log_n), *rest)
    assert promised_terms(1000, 0.002, 3.0, Regime.CONSTANT) == {}


def test_none_of_what_is_offered_to_a_loss_system_is_below_nothing():
    with pytest.raises(InvalidInput, match="give as many of both, none below 0"):
        loss(servers=5, needs=[1, 2], offered=[3.0, -1.0])
    assert loss(servers=5, needs=[1, 2], offered=[3.0, 0.0]).probabilities[0] == pytest.approx(0.110054, abs=1e-6)
