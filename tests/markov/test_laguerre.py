"""Laguerre coordinates against plain sequences, level by level."""

import numpy as np
import pytest

from msj.markov import laguerre
from msj.markov import laguerre_kernels as kernels

A, COUNT, LEVELS = 0.6, 70, 600
VALUES = laguerre.values(A, COUNT, LEVELS)
FIRST = laguerre.at_zero(A, COUNT)


def sequence(coefficients):
    return coefficients @ VALUES


@pytest.fixture
def coefficients():
    return np.random.default_rng(1).normal(size=COUNT) * 0.5 ** np.arange(COUNT)


def test_one_down_leaves_out_the_first_term(coefficients):
    found = coefficients.copy()
    kernels.one_down(A, found)
    np.testing.assert_allclose(sequence(found)[:-1], sequence(coefficients)[1:], atol=1e-14)
    np.testing.assert_allclose(found, laguerre.down_matrix(A, COUNT) @ coefficients, atol=1e-14)


def test_one_up_puts_a_zero_first(coefficients):
    found = coefficients.copy()
    kernels.one_up(A, found)
    np.testing.assert_allclose(sequence(found), np.append(0.0, sequence(coefficients)[:-1]), atol=1e-11)
    np.testing.assert_allclose(found, laguerre.down_matrix(A, COUNT).T @ coefficients, atol=1e-14)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_lines_are_solved_both_ways(coefficients, share):
    down, up = coefficients.copy(), coefficients.copy()
    kernels.solve_downwards(A, share, down)
    kernels.solve_upwards(A, share, up)
    given, down, up = map(sequence, (coefficients, down, up))
    np.testing.assert_allclose(down, given + share * np.append(down[1:], 0.0), atol=1e-13)
    np.testing.assert_allclose(up, given + share * np.append(0.0, up[:-1]), atol=1e-11)


def test_one_down_in_differences(coefficients):
    ratio, differences = 0.97, sequence(coefficients)
    levels = np.array([differences[: j + 1] @ ratio ** np.arange(j, -1.0, -1.0) for j in range(LEVELS)])
    below = levels[1:] - ratio * np.append(0.0, levels[1:-1])
    found = coefficients.copy()
    first = kernels.down_with_first(A, ratio, FIRST, found)
    assert first == pytest.approx(levels[0], abs=1e-14)
    np.testing.assert_allclose(sequence(found)[:-1], below, atol=1e-13)


def test_a_sweep_of_one_state_solves_its_line(coefficients):
    ratio, rise, fall, leaving = 0.97, 1.0, 0.4, 2.0
    source = FIRST - ratio * (FIRST @ laguerre.down_matrix(A, COUNT))
    pivot = 0.5 * (leaving + np.sqrt(leaving**2 - 4 * rise * fall))
    lines = np.array([[1 / pivot], [fall / pivot], [rise / pivot]])
    nothing = np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0)
    out = np.empty((1, COUNT))
    basis = (A, ratio, FIRST, source)
    kernels.sweep(nothing, nothing, lines, basis, np.array([0.7]), coefficients[None, :].copy(), out)
    up, down = out[0].copy(), out[0].copy()
    kernels.one_up(A, up)
    kernels.down_with_first(A, ratio, FIRST, down)
    np.testing.assert_allclose(leaving * out[0] - rise * up - fall * down, coefficients + 0.7 * source, atol=1e-13)
