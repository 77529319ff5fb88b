"""One cycle of GMRES against a direct solution."""

import numpy as np
import pytest

from msj.markov.gmres import gmres_cycle


def cycle(matrix, residual, *, steps, reduction=1e-13, preconditioner=None):
    inverse = np.eye(len(matrix)) if preconditioner is None else preconditioner

    def apply(x, out):
        out[:] = matrix @ x

    def precondition(r, out):
        out[:] = inverse @ r

    return gmres_cycle(apply, precondition, residual, np.empty((steps + 1, len(matrix))), reduction=reduction)


@pytest.fixture
def equations():
    rng = np.random.default_rng(5)
    return np.eye(30) * 3 + rng.random((30, 30)) / 10, rng.random(30)


def test_a_full_cycle_solves_the_equations(equations):
    matrix, residual = equations
    found, _ = cycle(matrix, residual, steps=30)
    np.testing.assert_allclose(matrix @ found, residual, atol=1e-11)


def test_a_good_preconditioner_needs_one_step(equations):
    matrix, residual = equations
    found, steps = cycle(matrix, residual, steps=30, preconditioner=np.linalg.inv(matrix), reduction=1e-10)
    assert steps == 1
    np.testing.assert_allclose(matrix @ found, residual, atol=1e-12)


def test_a_singular_but_consistent_system_is_solved():
    generator = np.array([[-1.0, 1.0, 0.0], [1.0, -2.0, 1.0], [0.0, 1.0, -1.0]])
    residual = np.array([1.0, -1.0, 0.0])
    found, _ = cycle(-generator, residual, steps=3, reduction=1e-12)
    np.testing.assert_allclose(-generator @ found, residual, atol=1e-12)


def test_no_residual_needs_no_step():
    found, steps = cycle(np.eye(3), np.zeros(3), steps=3)
    assert steps == 0
    assert not found.any()
