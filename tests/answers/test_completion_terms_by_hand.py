"""What relative completions are made of where jobs need one server or all, each number worked out here."""

import math

import numpy as np
import pytest

import msj
from strategies import simple


def rows(result, **at):
    return {row.name: row.value for row in result if dict(row.at) == at}


def completions_at_departure(n, p, small, large):
    """State b: b small jobs in service and, below n, a large one that waits for them; in state 0 it is served.

    The chain jumps at completions: b to b − 1; from n, the next small job takes the place or a large one comes; from 0,
    it is filled anew. Its law is that at departures, and over the rates it is that in time. Relative completions d have
    d(b) = 1 − threshold/rate + mean of d there, and mean 0 in time.
    """
    rate = np.array([large, *(b * small for b in range(1, n + 1))])
    jump = np.zeros((n + 1, n + 1))
    jump[0] = [*(p * (1 - p) ** b for b in range(n)), (1 - p) ** n]
    for b in range(1, n):
        jump[b, b - 1] = 1
    jump[n, n], jump[n, n - 1] = 1 - p, p
    least = np.linalg.lstsq(np.vstack([jump.T - np.eye(n + 1), np.ones(n + 1)]), np.eye(n + 2)[-1], rcond=None)
    leaving = least[0]
    threshold = 1 / (leaving / rate).sum()
    law = threshold * leaving / rate
    d = np.linalg.lstsq(np.vstack([np.eye(n + 1) - jump, law]), np.append(1 - threshold / rate, 0), rcond=None)[0]
    return float(leaving @ d)


def test_each_term_of_three_servers_in_fractions():
    """Three servers, p = 1/3, rates 2 and 1. Per large job pass 1 + (8/9)/6 + (2/3)/2 + (4/9)/4 = 43/27 of time.

    So the threshold is 3 · 27/43, and over the rate of small jobs m = 81/86. H_1 = 1 and H_2 = 3/2.
    """
    found = msj.one_and_n_scaling("1/n", [3], rate_small=2, rate_large=1, terms=True)
    wanted = {
        "completions_term_1": 8 / 27 * 59 / 86 * (2 + 3 - 81 / 86 * 3 / 2 - 81 / 86),  # q³ (1 − m/3) (...)
        "completions_term_2": 1 / 3 * (2 / 3 + 2 * 4 / 9),
        "completions_term_3": -81 / 86 * 1 / 3 * (2 / 3 + 4 / 9),
        "completions_term_4": -81 / 86 * 1 / 3 * (2 / 3 + 4 / 9 * 3 / 2),
        "completions_term_5": (81 / 86) ** 2 * 1 / 3 * (2 / 3 + 4 / 9 * 3 / 4),
    }
    exact = rows(found, servers=3)
    assert {name: exact[name] for name in wanted} == pytest.approx(wanted, rel=1e-9)
    whole = completions_at_departure(3, 1 / 3, 2, 1)
    assert sum(wanted.values()) == pytest.approx(whole, rel=1e-9)
    assert exact["scaled_completions"] == pytest.approx(whole / 3, rel=1e-9)


def test_what_the_theorems_say_of_each_term():
    """lfms, Theorem 7.1 with c = 2, p = 1/50; and Theorem 8.1 with n = 10 and p = 1/n², so that n² p = 1."""
    said = rows(msj.one_and_n_scaling("2/n", [100], terms=True), servers=100, form="paper")
    wanted = {
        "completions_term_1": 100 * math.exp(-2),
        "completions_term_2": 50 * (1 - 3 * math.exp(-2)),
        "completions_term_4": -50 * (1 - math.exp(-2)),
        "completions_term_5": 25,
        "scaled_completions": 1 / 2,
    }
    assert {name: said[name] for name in wanted} == pytest.approx(wanted)
    assert "completions_term_3" not in said  # of smaller order
    assert sum(wanted[f"completions_term_{i}"] for i in (1, 2, 4, 5)) == pytest.approx(1 / (2 * 0.02))

    found = msj.one_and_n_scaling("n^-2", [10], rate_small=3, terms=True)
    log = math.log(10)
    wanted = {
        "completions_term_1": 3 * log,
        "completions_term_3": -1,
        "completions_term_4": -log,
        "completions_term_5": log**2 / 2,
    }
    said = rows(found, servers=10, form="corrected")
    assert {name: said[name] for name in wanted} == pytest.approx(wanted)
    assert "completions_term_2" not in said  # an order, no value
    said = rows(found, servers=10, form="paper")
    assert said["completions_term_1"] == pytest.approx((3 - 0.5772156649) * log)
    assert said["scaled_completions"] == 0  # Lemma 8.2


def test_the_worst_share_of_two_servers_is_the_root_of_a_derivative():
    """reset, Appendix C.2 with all rates 1: Delta(Y_d) = p (1 − p)² (3 − 2 p)/(1 + 2 p − p²)².

    Where it is largest, top' · bottom = 2 · top · bottom', the bottom before it is squared.
    """
    p = np.polynomial.Polynomial([0, 1])
    top, bottom = p * (1 - p) ** 2 * (3 - 2 * p), 1 + 2 * p - p**2
    found = [root.real for root in (top.deriv() * bottom - 2 * top * bottom.deriv()).roots() if abs(root.imag) < 1e-9]
    (share,) = (root for root in found if 1e-9 < root < 1 - 1e-4)
    completions = top(share) / bottom(share) ** 2
    assert completions == pytest.approx(completions_at_departure(2, share, 1, 1), rel=1e-9)
    result = msj.one_and_n_worst([2])
    exact = rows(result, servers=2)
    assert exact["worst_share_large"] == pytest.approx(share, rel=1e-4)
    assert exact["worst_relative_completions"] == pytest.approx(completions, rel=1e-9)
    border = rows(result, servers=2, form="refined")
    assert border["worst_share_large"] == pytest.approx(1 / (2 * math.log(2)))
    assert border["worst_relative_completions"] == pytest.approx(2 * math.log(2) / 8)


def test_what_reset_leaves_open_of_m_m_2():
    """Saturated, both servers are busy: RESET says 1/(2 − a) at rate a, and E[T] = 4/(4 − a²) is 1/(2 + a) more.

    That falls from 1/2 where nobody comes to 1/4 at the threshold.
    """
    found = rows(msj.analyse(simple(2, (1, 1, 1), arrival_rate=1), percentiles=False, bounds=True))
    wanted = {"reset_constant_low": 1 / 4, "reset_constant_high": 1 / 2, "reset_constant_limit": 1 / 4}
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-5)
    assert found["reset_difference"] == pytest.approx(1 / 3)
