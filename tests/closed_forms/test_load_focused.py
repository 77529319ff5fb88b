"""The refined asymptotics far out, where no sum could be taken: towards the paper's, and how."""

from __future__ import annotations

import math

import pytest

from msj.closed_forms.load_focused import Regime, paper_asymptotics, refined_asymptotics

RATES = [(1.0, 1.0), (10.0, 1.0), (1.0, 10.0)]


def test_the_crossing_ratio_returns_to_one() -> None:
    """alpha = 1, c = 10: the ratio falls through 1 near 10^12 servers, to 0.98, and rises again (refined form)."""
    servers = [10.0**k for k in (15, 25, 40, 80, 150)]
    ratios = [refined_asymptotics(int(n), 1 / n, 10.0, 1.0)[1] * 2 / n for n in servers]
    assert 0.97 < min(ratios) < 0.985
    assert ratios[-1] > ratios[-2] > ratios[-3]
    assert ratios[-1] > 0.985


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("x", [1e6, 1.0, 0.1])
def test_the_first_correction_does_not_know_the_rates(x: float, rates: tuple[float, float]) -> None:
    """p E[Delta] = 1/2 - (1 + e^-x/x)/l + O(1/l²): the coefficient by extrapolation in 1/l, far out."""
    scaled = []
    for exponent in (140, 280):
        log_p = exponent * math.log(10) - math.log(x)
        p = x / 10**exponent
        scaled.append((refined_asymptotics(10**exponent, p, *rates)[1] * p - 0.5) * log_p)
    # The next term halves from one to the other, but for the logarithm of x and terms of order 1/l³.
    assert 2 * scaled[1] - scaled[0] == pytest.approx(-(1 + math.exp(-x) / x), rel=0.02)


def test_every_regime_has_its_citation_and_its_forms() -> None:
    outside = {Regime.CONSTANT, Regime.UNDECIDED}
    for regime in Regime:
        threshold, _ = paper_asymptotics(10**6, 1e-7, 1.0, 1.0, regime)
        assert (threshold is None) is (regime in outside)
        assert regime.citation.startswith("lfms") is (regime not in outside)
