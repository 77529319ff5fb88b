"""Load-focused scaling against the printed lemmas in many digits, brute-force chains, and the theorems' limits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linear
from hypothesis import given, settings
from hypothesis import strategies as st

from msj.errors import InvalidInput, TooLarge
from msj.growth.load_focused import load_focused_scaling

RATES = [(1.0, 1.0), (10.0, 1.0), (1.0, 10.0)]


def lemmas_in_many_digits(n: int, p: float, small: float, large: float) -> tuple[float, float, float]:
    """mu (Lemma 5.3), n mu_1 - mu and E[Delta(Y_d)] (Lemma 5.5), exactly as printed, in 60 digits."""
    with mpmath.workdps(60):
        p, small, large = mpmath.mpf(p), mpmath.mpf(small), mpmath.mpf(large)
        q = 1 - p
        mu = 1 / (p * (1 / large + q**n / (n * small * p) + mpmath.fsum(q**b / (b * small) for b in range(1, n))))
        m, h, total = mu / small, mpmath.mpf(0), mpmath.mpf(0)
        for i in range(1, n):
            h += mpmath.mpf(1) / i
            total += q**i * p * (1 - m / i) * (i - m * h)
        total += q**n * (1 - m / n) * (n - 1 + 1 / p - m * h - m / (n * p))
        return float(mu), float(n * small - mu), float(total)


@pytest.mark.parametrize("share", ["n^-0.5", "1/n", "n^-2", "1/(n*ln(n))", "0.5*n^-1.5"])
@pytest.mark.parametrize(("small", "large"), RATES)
def test_exact_columns_are_the_printed_lemmas(share: str, small: float, large: float) -> None:
    family = load_focused_scaling(share, [10, 800], rate_small=small, rate_large=large)
    for point in family.points:
        mu, lost, completions = lemmas_in_many_digits(point.servers, point.share_large, small, large)
        assert point.threshold == pytest.approx(mu, rel=1e-13)
        assert point.lost == pytest.approx(lost, rel=1e-12)
        assert point.completions == pytest.approx(completions, rel=1e-12)


def chain(n: int, p: float, small: float, large: float) -> tuple[float, float]:
    """Threshold and E[Delta(Y_d)] from the generator of the saturated system, one state per number of small jobs."""
    q = 1 - p
    rate = np.array([large, *(small * b for b in range(1, n + 1))])
    jump = sparse.lil_matrix((n + 1, n + 1))
    for b in range(1, n):
        jump[b, b - 1] = 1.0  # a small job leaves, the large one behind it still waits
    for b in range(n):
        jump[0, b] = q**b * p  # the large job leaves, b small ones start before the next large one
    jump[0, n] = q**n
    jump[n, n], jump[n, n - 1] = q, p
    generator = sparse.diags(rate) @ (jump.tocsr() - sparse.identity(n + 1))
    system = generator.T.tolil()
    system[-1, :] = 1.0
    law = linear.spsolve(system.tocsc(), np.r_[np.zeros(n), 1.0])
    mu = float(law @ rate)
    poisson = sparse.bmat([[generator, np.ones((n + 1, 1))], [law[None, :], None]], format="csc")
    delta = linear.spsolve(poisson, np.r_[mu - rate, 0.0])[:-1]
    at_departure = (law * rate / mu) @ jump.tocsr()
    return mu, float(at_departure @ delta)


@given(st.integers(2, 60), st.floats(0.3, 2.5), st.floats(0.1, 0.9), st.floats(0.1, 10), st.floats(0.1, 10))
@settings(max_examples=40)
def test_exact_columns_are_the_chains(n: int, alpha: float, c: float, small: float, large: float) -> None:
    [point] = load_focused_scaling(f"{c!r}*n^-({alpha!r})", [n], rate_small=small, rate_large=large).points
    mu, completions = chain(n, point.share_large, small, large)
    assert point.threshold == pytest.approx(mu, rel=1e-9)
    assert point.completions == pytest.approx(completions, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(("small", "large"), RATES)
@pytest.mark.parametrize("alpha", [0.5, 1, 2])
def test_the_papers_asymptotics_converge_though_slowly(alpha: float, small: float, large: float) -> None:
    """Theorems 4.1-4.3: from 10^10 to 10^15 servers every ratio comes closer to 1 unless it has crossed it already."""
    family = load_focused_scaling(f"n^-{alpha}", [10**10, 10**15], rate_small=small, rate_large=large)
    for quantity in ("threshold", "completions"):
        before, after = (abs(point.ratio(quantity) - 1) for point in family.points)
        crossed = (alpha, small) == (1, 10.0) and quantity == "completions"
        # ... where the distance is below 0.02 on both sides: see the next test for where it goes from there.
        assert after < (0.02 if crossed else before)


@pytest.mark.parametrize(("small", "large"), RATES)
@pytest.mark.parametrize("alpha", ["1.5", "2", "3"])
def test_theorem_4_3_needs_eulers_constant(alpha: str, small: float, large: float) -> None:
    """The corrected form's error vanishes against its terms of order 1; the paper's stays at 0.5772 of them."""
    [point] = load_focused_scaling(f"n^-{alpha}", [10**12], rate_small=small, rate_large=large).points
    scale = small * point.servers**2 * point.share_large
    assert (point.lost - point.lost_paper) / scale == pytest.approx(np.euler_gamma, abs=2e-3)
    assert (point.lost - point.lost_corrected) / scale == pytest.approx(0, abs=2e-3)
    # What the linear form leaves out is of second order in the loss.
    assert abs(point.threshold_corrected - point.threshold) < 1.1 * point.lost**2 / (small * point.servers) + 1e-3


@pytest.mark.parametrize(("small", "large"), RATES)
@pytest.mark.parametrize(
    "share", ["n^-0.5", "10/n", "1/n", "0.01/n", "1/(n*sqrt(ln(n)))", "1/(n*ln(n))", "n^-1.1", "n^-1.5", "n^-2", "n^-3"]
)
def test_the_refined_form_holds_in_every_regime(share: str, small: float, large: float) -> None:
    family = load_focused_scaling(share, [10**4, 10**6, 10**8, 10**12], rate_small=small, rate_large=large)
    errors = [abs(point.ratio("completions", "refined") - 1) for point in family.points]
    # What is left out is of order 1 (one job) beside values of order 1/p or more, or of order x <= n^-1/2.
    sizes = [max(4 * point.share_large, point.servers**-0.5 / 4) for point in family.points]
    assert np.all(np.array(errors) < sizes)
    for point in family.points:
        assert point.ratio("threshold", "refined") == pytest.approx(1, abs=max(point.share_large, 4e-6))


def test_the_border_joins_the_regimes() -> None:
    """mu ~ mu_1 n/(1 + kappa) (Lemma 8.1), E[Delta] ~ (kappa/(1 + kappa))²/(2p) (derived)."""
    for kappa in (0.2, 1.0, 5.0):
        family = load_focused_scaling(f"{kappa}/(n*ln(n))", [10**6, 10**15])
        for name, limit in (("threshold", 1 / (1 + kappa)), ("completions", (kappa / (1 + kappa)) ** 2 / 2)):
            scaled = [
                getattr(p, name) / (p.servers if name == "threshold" else 1 / p.share_large) for p in family.points
            ]
            for point, value in zip(family.points, scaled, strict=True):
                assert abs(value / limit - 1) < 4 / math.log(point.servers)


def test_outside_the_theorems_nothing_is_claimed() -> None:
    [point] = load_focused_scaling("0.25", [1000]).points
    assert point.threshold_paper is None
    assert point.completions_paper is None
    assert point.ratio("threshold") is None
    # ... but the threshold has a limit all the same, since the sum of q^b/b is ln(1/p).
    assert point.threshold == pytest.approx(1 / (0.25 * (1 + math.log(4))), rel=1e-12)


def test_a_share_that_stays_has_no_refined_completions() -> None:
    (point,) = load_focused_scaling("1/2", [10**4]).points
    assert point.completions == pytest.approx(0.1644142, rel=1e-6)
    assert point.completions_refined is None  # it would be 1.3: p is not small
    assert point.threshold_refined == pytest.approx(point.threshold, rel=1e-12)


@pytest.mark.parametrize(
    ("share", "servers", "error", "said"),
    [
        ("2/n", [2], InvalidInput, "'2/n' is 1 at n = 2"),
        ("-1/n", [4], InvalidInput, "strictly between 0 and 1"),
        ("1/n", [], InvalidInput, "no numbers of servers"),
        ("1/n", [1], InvalidInput, "at least 2"),
        ("1/n", [2.5], InvalidInput, "whole number"),
        ("1/n", [10**17], TooLarge, "lower it"),
        ("exp(-n)", [1000], InvalidInput, "strictly between"),
    ],
)
def test_bad_input(share: str, servers: list[int], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        load_focused_scaling(share, servers)
