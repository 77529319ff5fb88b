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


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize(("reduction", "steps"), [(0.39, 1), (0.385, 2)])
def test_a_cycle_ends_where_the_residual_is_so_much_shorter(reduction, steps, scale):
    """diag(1, 3) and (3, 4): the best multiple of (3, 4) is 57/153 of it, and leaves 0.388 of the length."""
    found, taken = cycle(np.diag([1.0, 3.0]), scale * np.array([3.0, 4.0]), steps=2, reduction=reduction)
    assert taken == steps
    expected = np.array([3.0, 4.0]) * 57 / 153 if steps == 1 else np.array([3.0, 4.0 / 3.0])
    np.testing.assert_allclose(found, scale * expected, rtol=1e-12)


def test_a_cycle_has_as_many_steps_as_there_is_room_for():
    matrix, residual = np.diag([1.0, 2.0, 3.0, 4.0]), np.ones(4)
    for steps in (1, 2, 3):
        found, taken = cycle(matrix, residual, steps=steps)
        assert taken == steps
        # The best polynomial of that degree in the matrix, by least squares.
        krylov = np.column_stack([np.diag(matrix) ** k for k in range(steps)])
        best = krylov @ np.linalg.lstsq(matrix @ krylov, residual, rcond=None)[0]
        np.testing.assert_allclose(found, best, rtol=1e-9)


def test_a_cycle_ends_where_nothing_new_comes():
    """Twice the identity: the first direction is all there is, however much is asked for."""
    found, steps = cycle(2.0 * np.eye(3), np.array([1.0, 2.0, 2.0]), steps=3, reduction=0.0)
    assert steps == 1
    np.testing.assert_allclose(found, [0.5, 1.0, 1.0], rtol=1e-14)
