"""The law of the servers asked for with infinitely many of them."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from msj.closed_forms.infinite_servers import infinite_servers


def convolved(needs, means, length):
    """P(S = j) by convolving Poisson laws: no recursion."""
    law = np.array([1.0])
    for need, mean in zip(needs, means, strict=True):
        each = np.zeros(length)
        jobs = np.arange((length - 1) // need + 1)
        each[need * jobs] = poisson.pmf(jobs, mean)
        law = np.convolve(law, each)[:length]
    return law


CLASSES = st.lists(st.tuples(st.integers(1, 7), st.floats(0.05, 6.0)), min_size=1, max_size=4)


@given(classes=CLASSES, level=st.integers(0, 40))
def test_against_convolution(classes, level):
    needs, means = zip(*classes, strict=True)
    law = infinite_servers(needs, means, level=level)
    expected = convolved(needs, means, 600)
    assert np.allclose(law.probabilities[:200], expected[: len(law.probabilities)][:200], rtol=1e-11, atol=1e-300)
    assert law.beyond(level) == pytest.approx(expected[level + 1 :].sum(), rel=1e-9, abs=1e-16)
    shortfall = sum((level + 0.5 - j) * expected[j] for j in range(level + 1))
    assert law.mean_shortfall(level + 0.5) == pytest.approx(shortfall, rel=1e-9)


def test_mean_and_variance():
    needs, means = (3, 16, 256), (6700.0, 1275.0, 80.0)
    law = infinite_servers(needs, means, level=65535).probabilities
    j = np.arange(len(law))
    mean = sum(m * a for m, a in zip(needs, means, strict=True))
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert j @ law == pytest.approx(mean, rel=1e-10)
    assert (j - mean) ** 2 @ law == pytest.approx(sum(m**2 * a for m, a in zip(needs, means, strict=True)), rel=1e-8)


def test_tiny_tails_keep_their_digits():
    with mpmath.workdps(60):
        expected = mpmath.nsum(lambda j: mpmath.exp(-50) * mpmath.mpf(50) ** j / mpmath.factorial(j), [401, 900])
    found = infinite_servers([2], [50.0], level=800).beyond(801)
    assert found < 1e-180
    assert found == pytest.approx(float(expected), rel=1e-11)


def test_below_everything_lies_all():
    law = infinite_servers([2, 5], [1.0, 0.0], level=3)
    assert law.beyond(-1) == 1.0
    assert law.beyond(0) == pytest.approx(-math.expm1(-1.0))
    assert law.mean_shortfall(2.0) == pytest.approx(2.0 * math.exp(-1.0))


def test_millions_of_servers():
    # One class is Poisson; a million jobs in service are e^-1000000 to begin with.
    law = infinite_servers([2], [1_000_000.0], level=2_010_000)
    for jobs in (995_000, 1_000_000, 1_004_000):
        assert law.beyond(2 * jobs + 1) == pytest.approx(poisson.sf(jobs, 1_000_000.0), rel=1e-7)
    # E|N − a| = 2·P(N = a)·a for whole a, so the mean shortfall is half of it, times the need.
    expected = 2 * 1_000_000 * poisson.pmf(1_000_000, 1_000_000.0)
    assert law.mean_shortfall(2_000_000.0) == pytest.approx(expected, rel=1e-7)
