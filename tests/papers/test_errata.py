"""Slips of the papers, each shown by a check that does not use the formula in question."""

import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp
from scipy.integrate import quad, solve_ivp
from scipy.special import exp1

import msj
from msj.closed_forms.fluid import FluidModel
from msj.closed_forms.two_class import two_class
from msj.markov.marked_chain import MarkedChain
from msj.markov.solution import solve


def stationary(generator):
    """Solve pi Q = 0 by brute force."""
    states = len(generator)
    system = np.vstack([np.asarray(generator, float).T, np.ones(states)])
    return np.linalg.lstsq(system, np.append(np.zeros(states), 1.0), rcond=None)[0]


def test_completions_that_find_no_job_come_at_rate_threshold_less_arrivals():
    slow, fast, change, arrivals, levels = 1.0, 3.0, 0.5, 1.4, 400
    generator = np.zeros((2 * levels, 2 * levels))
    for q in range(levels):
        for y, rate in enumerate((slow, fast)):
            here = 2 * q + y
            generator[here, 2 * q + 1 - y] += change
            if q + 1 < levels:
                generator[here, here + 2] += arrivals
            if q > 0:
                generator[here, here - 2] += rate
    generator -= np.diag(generator.sum(axis=1))
    law = stationary(generator)
    unused = law[0] * slow + law[1] * fast
    threshold = (slow + fast) / 2
    assert unused == pytest.approx(threshold - arrivals, rel=1e-8)
    assert abs(unused - (1 - arrivals / threshold)) > 0.1  # as printed


def test_rates_into_a_state_must_be_weighted_by_where_they_come_from():
    quiet = np.array([[0, 0, 0], [0, 0, 1.0], [2.0, 3.0, 0]])
    completing = np.array([[0, 1.0, 0], [4.0, 0, 0], [0, 0, 0]])
    total = quiet + completing
    law = stationary(total - np.diag(total.sum(axis=1)))
    # The chain just after completions, by its own transition matrix.
    out = total.sum(axis=1, keepdims=True)
    next_completion = np.linalg.inv(np.eye(3) - quiet / out) @ (completing / out)
    embedded = stationary(next_completion - np.eye(3))
    printed = law * completing.sum(axis=0) / total.sum(axis=0) * out[:, 0]
    weighted = law * (law @ completing) / (law @ total) * out[:, 0]
    assert weighted / weighted.sum() == pytest.approx(embedded, abs=1e-12)
    assert np.abs(printed / printed.sum() - embedded).max() > 0.05
    chain = MarkedChain.from_matrices(quiet - np.diag(total.sum(axis=1)), completing)
    assert solve(chain).departure_average == pytest.approx(embedded, abs=1e-12)


@pytest.mark.parametrize(("servers", "needs"), [(10, (1, 4)), (12, (2, 5)), (9, (1, 3))])
def test_waste_of_slow_large_jobs_is_what_they_leave_over(servers, needs):
    waste = two_class(servers=servers, needs=needs, shares=(0.5, 0.5), rates=(1.0, 1e-7)).wasted_servers
    assert waste == pytest.approx(servers % needs[1], abs=1e-4)


def test_shares_of_the_load_depend_on_the_rates():
    servers, jobs, rng = 10, 400_000, np.random.default_rng(1)
    large = rng.random(jobs) < 0.1
    work = np.where(large, servers * rng.exponential(3.0, jobs), rng.exponential(0.5, jobs))
    held = work[~large].sum() / work.sum()
    right = Fraction(9, 20) / (Fraction(9, 20) + Fraction(servers, 10) * 3)
    printed = Fraction(9, 10) / (Fraction(9, 10) + 1)
    assert held == pytest.approx(float(right), rel=0.03)
    assert abs(held - float(printed)) > 0.3


def test_the_law_of_lemma_5_2_needs_one_small_job_too():
    n, p, small, large = 6, 0.3, 1.3, 0.7
    q = 1 - p
    whole = 1 / large + q**n / (p * n * small) + sum(q**b / (b * small) for b in range(1, n))
    constant = 1 / whole  # C'
    terms = {b: constant * q**b / (b * small) for b in range(1, n)}
    law = constant / large + constant * q**n / (p * n * small) + sum(terms.values())
    assert law == pytest.approx(1.0)
    chain = msj.analyse(
        msj.System(
            servers=n,
            classes=[
                msj.JobClass(name="small", need=1, share=q, duration=msj.Exponential(rate=small)),
                msj.JobClass(name="large", need=n, share=p, duration=msj.Exponential(rate=large)),
            ],
        )
    )
    assert chain["stability_threshold"] == pytest.approx(constant / p, rel=1e-12)  # Lemma 5.3, b = 1 included
    assert terms[1] > 0.1  # what is lost without it


def test_the_limit_in_the_proof_of_lemma_6_1_is_minus_eulers_constant():
    gaps = [exp1(-math.log1p(-p)) + math.log(p) for p in (1e-3, 1e-6, 1e-9)]
    assert gaps[-1] == pytest.approx(-np.euler_gamma, abs=1e-7)
    assert round(np.euler_gamma, 5) == 0.57722


@pytest.mark.parametrize("ratio", [1, 10, Fraction(1, 10)])
def test_the_first_item_of_theorem_8_1_has_no_eulers_constant(ratio):
    """Term (32) over n^(2 - alpha) ln n, alpha = 2, tends to mu_1/mu_n like 1/ln n: two sizes tell the limit."""
    with mp.workdps(60):
        scaled = {}
        for n in (mp.mpf(10) ** 12, mp.mpf(10) ** 24):
            p = n**-2
            # sum of (1 - p)^b/b is H less p n and what is smaller, far below the digits looked at
            harmonic = mp.harmonic(n - 1)
            sums = harmonic - p * (n - 1)
            one = 1 - p
            mu = 1 / (p * (mp.mpf(ratio.numerator) / ratio.denominator + one**n / (n * p) + sums))
            term = one**n * (1 - mu / n) * (n - 1 + 1 / p - mu * harmonic - mu / (n * p))
            scaled[n] = term / mp.log(n)
        (first, near), (second, far) = ((mp.log(n), value) for n, value in scaled.items())
        limit = (far * second - near * first) / (second - first)
    assert float(limit) == pytest.approx(float(ratio), abs=0.02)
    assert abs(float(limit) - (float(ratio) - np.euler_gamma)) > 0.5  # as printed


def test_the_scaled_queue_goes_to_relative_completions_plus_one():
    """Section 4.1 of reset: Delta is 43/100."""
    classes = [
        msj.JobClass(name="one", need=1, share="2/3", duration=msj.Exponential(rate=1)),
        msj.JobClass(name="both", need=2, share="1/3", duration=msj.Exponential(rate="1/2")),
    ]
    load = 0.99999
    found = msj.analyse(msj.System(servers=2, classes=classes, arrival_rate=0.9 * load))
    scaled = found["mean_response_time"] * 0.9 * load * (1 - load)
    assert scaled == pytest.approx(1.43, abs=1e-4)


def test_remaining_sizes_are_bounded_for_weibull_tails_and_not_for_powers():
    def remaining(tail, age):
        return quad(lambda x: tail(age + x) / tail(age), 0, math.inf, limit=400)[0]

    for k in (1.5, 2.0, 3.0):
        power = [remaining(lambda a, k=k: a**-k, age) for age in (1.0, 10.0, 100.0)]
        assert power == pytest.approx([1 / (k - 1), 10 / (k - 1), 100 / (k - 1)], rel=1e-4)
        weibull = [remaining(lambda a, k=k: math.exp(-(a**k)), age) for age in (0.0, 1.0, 5.0)]
        assert weibull == sorted(weibull, reverse=True)
    heavy = [remaining(lambda a: math.exp(-(a**0.5)), age) for age in (1.0, 100.0, 10_000.0)]
    assert heavy[-1] > 10 * heavy[0]


def test_departures_take_work_away():
    """One class of need 1 on one server: the drift of x/mu, from the rates themselves."""
    arrivals, rate, waiting = 0.5, 2.0, 3
    jobs = waiting + 1
    drift = arrivals * ((jobs + 1) / rate - jobs / rate) + rate * ((jobs - 1) / rate - jobs / rate)
    load = arrivals / rate
    assert drift == pytest.approx(load - 1)  # (12)
    printed = load - rate * 1 * (-1 / rate)
    assert printed == pytest.approx(load + 1)


def test_the_fluid_solves_the_integral_with_one_rate():
    rate, start, end = 2.5, 0.1, 1.7
    found = solve_ivp(lambda _, y: 1 - rate * y, (0, end), [start], rtol=1e-10, atol=1e-12).y[0, -1]
    extra = solve_ivp(lambda _, y: 1 - rate * rate * y, (0, end), [start], rtol=1e-10, atol=1e-12).y[0, -1]
    model = FluidModel(classes=("a",), rates=np.array([rate]), loads=np.array([0.5]), start=np.array([start]))
    assert model.at([end])[0, 0] == pytest.approx(found, rel=1e-8)
    assert abs(extra - found) > 0.1
