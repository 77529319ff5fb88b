"""Solving with I − P from both sides: which solver, refinement, and what the residuals say."""

import numpy as np
import pytest
import scipy.sparse as sparse

from msj.markov import linear_solver
from msj.markov.linear_solver import DirectSolver, IterativeSolver, LinearSolver, make_solver

#: I − P, without any symmetry.
MATRIX = sparse.csr_array(
    [[1.0, -0.3, 0.0, -0.2], [-0.1, 1.0, -0.5, 0.0], [0.0, -0.4, 1.0, -0.1], [-0.6, 0.0, -0.2, 1.0]]
)
B = np.array([0.3, -1.0, 2.0, 0.5])


@pytest.mark.parametrize("make", [DirectSolver, lambda matrix: IterativeSolver(matrix, np.array([2, 0, 3, 1]))])
def test_both_sides_are_solved(make):
    solver = make(MATRIX)
    assert (solver.left_residual, solver.right_residual) == (0.0, 0.0)
    np.testing.assert_allclose(MATRIX @ solver.solve_right(B), B, atol=1e-12)
    np.testing.assert_allclose(solver.solve_left(B) @ MATRIX.toarray(), B, atol=1e-12)
    assert solver.left_residual < 1e-13
    assert solver.right_residual < 1e-13
    assert not solver.solve_right(np.zeros(4)).any()
    assert solver.right_residual == 0.0


def test_the_solver_suits_the_size_and_the_dimension(monkeypatch):
    def kind(dimension):
        return type(make_solver(MATRIX, np.arange(4), dimension))

    assert kind(None) is DirectSolver
    monkeypatch.setattr(linear_solver, "DIRECT_UP_TO", 4)
    assert kind(2) is DirectSolver
    monkeypatch.setattr(linear_solver, "DIRECT_UP_TO", 3)
    assert [kind(each) for each in (None, 0, 1, 2)] == [IterativeSolver, DirectSolver, DirectSolver, IterativeSolver]
    assert make_solver(MATRIX, np.arange(4), None)._insists
    assert not make_solver(MATRIX, np.arange(4), None, insists=False)._insists


class Scaled(LinearSolver):
    """Solves 0.5·x = b wrongly: what it returns is ``factor`` times what it should be."""

    def __init__(self, factor):
        super().__init__(sparse.csr_array([[0.5]]))
        self.factor, self.calls = factor, 0

    def _solve_once(self, b, *, transposed):
        self.calls += 1
        return 2.0 * self.factor * b


def test_refinement_goes_on_while_it_helps_but_not_for_ever():
    """A tenth of the error is left each time; the residual is measured against |b| + |x| = 1 + 2."""
    solver = Scaled(0.9)
    found = solver.solve_right(np.array([1.0]))
    assert solver.calls == 6
    assert found[0] == pytest.approx(2.0 * (1 - 1e-6), rel=1e-12)
    assert solver.right_residual == pytest.approx(1e-6 / (3.0 - 2e-6), rel=1e-6)


def test_refinement_that_makes_it_worse_is_left_out():
    """x = 6 misses 1 by 2, |b| + |x| = 7; the next would be x = −6, which misses it by 4."""
    solver = Scaled(3.0)
    assert solver.solve_left(np.array([1.0])) == pytest.approx([6.0])
    assert solver.left_residual == pytest.approx(2.0 / 7.0)
    assert solver.calls == 2


def test_refinement_ends_where_it_is_good_enough():
    solver = Scaled(1.0)
    solver.solve_right(np.array([1.0]))
    assert solver.calls == 1
    solver = Scaled(1.0 + 2e-13)  # leaves 2e-13/3, below 1e-13
    solver.solve_right(np.array([1.0]))
    assert solver.calls == 1
    solver = Scaled(1.0 + 6e-13)  # leaves 2e-13
    solver.solve_right(np.array([1.0]))
    assert solver.calls == 2


class Stuck(IterativeSolver):
    """Finds nothing with its first factors."""

    def _solve_once(self, b, *, transposed):
        if self._drop_tolerance == linear_solver.DROP_TOLERANCES[0]:
            return np.zeros_like(b)
        return super()._solve_once(b, transposed=transposed)


def test_factors_are_made_anew_once_where_it_insists(monkeypatch):
    solver = Stuck(MATRIX, np.array([2, 0, 3, 1]))
    assert solver.method == "BiCGStab, incomplete LU (drop 1e-03)"
    np.testing.assert_allclose(MATRIX @ solver.solve_right(B), B, atol=1e-12)
    assert solver.method == "BiCGStab, incomplete LU (drop 1e-05)"
    lazy = Stuck(MATRIX, np.array([2, 0, 3, 1]), insists=False)
    assert not lazy.solve_right(B).any()
    assert lazy.right_residual == 1.0
    assert lazy.method == "BiCGStab, incomplete LU (drop 1e-03)"
    # What is a hundred times what is good enough, or less, is left as it is.
    monkeypatch.setattr(linear_solver, "GOOD_ENOUGH", 0.01)
    content = Stuck(MATRIX, np.array([2, 0, 3, 1]))
    assert not content.solve_right(B).any()
    monkeypatch.setattr(linear_solver, "GOOD_ENOUGH", 0.00999)
    assert content.solve_right(B).any()


def test_nothing_to_solve():
    solver = DirectSolver(sparse.csr_array((0, 0)))
    assert solver.solve_right(np.zeros(0)).shape == (0,)
