"""How the long run of a chain is solved: the anchor, the order of elimination, and elimination in panels."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sparse

from msj.errors import NotAccurate
from msj.markov import solution
from msj.markov.gth import _law, as_sparse, closed_class_laws, stationary_law
from msj.markov.linear_solver import DirectSolver
from msj.markov.marked_chain import MarkedChain
from msj.markov.solution import _jump_chain, _likely_state, _sweep_order, often_visited, solve


def ring(size, seed=3):
    """Random rates between all states."""
    rates = np.random.default_rng(seed).exponential(1.0, (size, size))
    np.fill_diagonal(rates, 0.0)
    return rates


def null_space(rates):
    law = scipy.linalg.null_space((rates - np.diag(rates.sum(axis=1))).T)[:, 0]
    return law / law.sum()


@pytest.mark.parametrize("panel", [1, 2, 3, 5, 6, 7, 8, 32])
def test_panels_of_any_width_give_the_same_law(panel):
    rates = ring(7)
    np.testing.assert_allclose(stationary_law(rates.copy(), panel=panel), null_space(rates), rtol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 34, 65])
def test_panels_of_the_usual_width(size):
    rates = ring(size)
    np.testing.assert_allclose(stationary_law(rates.copy()), null_space(rates), rtol=1e-11)


def test_the_diagonal_is_not_looked_at():
    rates = ring(5)
    np.testing.assert_allclose(
        stationary_law(rates + np.diag([3.0, -1.0, 9.0, 0.5, 7.0])), null_space(rates), rtol=1e-12
    )


def test_a_law_of_many_magnitudes_keeps_its_digits():
    """Up at 1e60 and down at 1, five states: pi is 1e-240, 1e-180, ..., 1; beyond 1e100 all are scaled down."""
    rates = np.diag(np.full(4, 1e60), 1) + np.diag(np.ones(4), -1)
    np.testing.assert_allclose(stationary_law(rates), [1e-240, 1e-180, 1e-120, 1e-60, 1.0], rtol=1e-12)


def test_where_the_first_state_is_out_of_sight_a_busy_one_takes_its_place():
    """1 and 2 take turns; the way back to 0 leads through 3, and is taken once in 1e400 times: less than any number."""
    rates = np.zeros((4, 4))
    rates[0, 1] = rates[1, 2] = rates[2, 1] = rates[3, 1] = 1.0
    rates[1, 3] = rates[3, 0] = 1e-200
    rates -= np.diag(rates.sum(axis=1))
    assert not np.isfinite(stationary_law(rates.copy())).all()
    np.testing.assert_allclose(_law(rates), [0.0, 0.5, 0.5, 0.5e-200], rtol=1e-12)


def test_each_closed_class_has_a_law_of_its_own():
    """0 and 3 leave for 1 <-> 4 or for 2; a stored zero leads nowhere, a rate below one does."""
    generator = np.zeros((5, 5))
    generator[0, 1], generator[3, 2], generator[1, 4], generator[4, 1] = 0.3, 0.2, 0.5, 1.5
    entries = sparse.csr_array(generator).tocoo()
    with_zero = sparse.coo_array(
        (np.append(entries.data, 0.0), (np.append(entries.row, 2), np.append(entries.col, 0))), shape=(5, 5)
    )
    found = {tuple(states.tolist()): law.tolist() for states, law in closed_class_laws(with_zero)}
    assert found == {(1, 4): pytest.approx([0.75, 0.25]), (2,): [1.0]}
    assert as_sparse(with_zero).nnz == 4


def with_vanishing():
    """Three states and three vanishing ones; the second state is left quickly and so is visited most."""
    block = sparse.csr_array
    return MarkedChain.from_blocks(
        quiet=block([[0.0, 2.0, 0.1], [5.0, 0.0, 0.3], [0.0, 0.2, 0.0]]),
        completing=block([[0.0, 0.0, 0.0], [0.0, 0.0, 0.4], [0.0, 0.5, 0.0]]),
        starting=block([[0.3, 0.0, 0.0], [0.0, 0.7, 0.0], [0.1, 0.0, 0.2]]),
        passing=block([[0.0, 0.5, 0.0], [0.0, 0.0, 0.2], [0.0, 0.0, 0.0]]),
        settling=block([[0.5, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.3, 0.7]]),
    )


def test_the_state_visited_most_is_not_where_most_time_is_spent(monkeypatch):
    chain = with_vanishing()
    rates = (chain.quiet + chain.D1).toarray()
    np.fill_diagonal(rates, 0.0)
    law = null_space(rates)
    assert np.argmax(law) != 1
    assert np.argmax(law * -(chain.quiet + chain.completing).diagonal()) == 1
    assert _likely_state(chain) == 1
    monkeypatch.setattr(solution, "ELIMINATE_UP_TO", 6)
    assert solve(chain).anchor == 1
    guessed = replace(chain, likely_state=2)
    assert solve(guessed).anchor == 1
    monkeypatch.setattr(solution, "ELIMINATE_UP_TO", 5)
    assert _likely_state(chain) == 1
    assert solve(guessed).anchor == 2


def test_departures_pass_through_vanishing_states():
    chain = with_vanishing()
    run = solve(chain)
    np.testing.assert_allclose(
        run.departure_average, run.time_average @ chain.D1.toarray() / run.throughput, rtol=1e-12
    )
    generator = (chain.quiet + chain.D1).toarray()
    np.testing.assert_allclose(
        generator @ run.relative_completions, run.throughput - chain.completion_rates, atol=1e-12
    )
    assert run.relative_completions_at_departure == pytest.approx(run.departure_average @ run.relative_completions)


@pytest.mark.parametrize("residuals", [(3e-5, 1e-15), (1e-15, 3e-5)])
def test_the_larger_of_both_residuals_is_told(monkeypatch, residuals):
    class Vague(DirectSolver):
        def solve_left(self, c):
            found = super().solve_left(c)
            self.left_residual, self.right_residual = residuals
            return found

        def solve_right(self, b):
            kept, found = self.left_residual, super().solve_right(b)
            self.left_residual, self.right_residual = kept, residuals[1]
            return found

    monkeypatch.setattr(solution, "make_solver", lambda matrix, **_: Vague(matrix))
    assert solution._solve_from(with_vanishing(), 1).residual == 3e-5
    with pytest.raises(NotAccurate, match=r"3\.0e-05"):
        solve(with_vanishing())


def line(size, up, down):
    """A walk whose top is visited most; completions at the top."""
    quiet = np.diag(np.full(size - 1, up), 1) + np.diag(np.full(size - 1, down), -1)
    completing = np.zeros((size, size))
    completing[-1, -1] = 1.0
    return MarkedChain.from_matrices(quiet - np.diag(quiet.sum(axis=1) + completing.sum(axis=1)), completing)


def test_restarts_at_random_find_the_busy_end_of_a_line(monkeypatch):
    """Up ten times as often as down: the last state but one has most jumps (10 of 11 into the last, and all back)."""
    monkeypatch.setattr(solution, "ELIMINATE_UP_TO", 0)
    assert _likely_state(line(30, 1.0, 0.1)) == 28
    assert _likely_state(line(30, 0.1, 1.0)) == 1


@pytest.mark.parametrize("guess", [0, 3, 7, None])
@pytest.mark.parametrize("most", [0, 8, 500])
def test_the_answer_does_not_depend_on_the_guess(monkeypatch, most, guess):
    """Up at 1, down at 2 on eight states: pi falls by halves, and 1/255 of the time is at the top."""
    monkeypatch.setattr(solution, "ELIMINATE_UP_TO", most)
    chain = replace(line(8, 1.0, 2.0), likely_state=guess)
    run = solve(chain)
    assert run.throughput == pytest.approx(1.0 / 255.0, rel=1e-12)
    np.testing.assert_allclose(run.time_average, 2.0 ** np.arange(7, -1, -1) / 255.0, rtol=1e-11)
    assert run.residual < 1e-13
    assert run.throughput_error < 1e-12
    assert run.anchor == (1 if most >= 8 or guess is None else guess)


@pytest.mark.parametrize(("rare", "anchor"), [(0.9e-6, 1), (1.1e-6, 2)])
def test_a_guess_is_kept_unless_it_is_hardly_ever_visited(monkeypatch, rare, anchor):
    """States 0 and 1 alternate; from 1 the jump is to 2 with a chance of about ``rare``, and from 2 back to 0."""
    monkeypatch.setattr(solution, "ELIMINATE_UP_TO", 0)
    D0 = [[-3.0, 3.0, 0.0], [1.0 - rare, -1.0, rare], [1.0, 0.0, -3.0]]
    chain = MarkedChain.from_matrices(D0, np.diag([0.0, 0.0, 2.0]))
    assert solve(replace(chain, likely_state=2)).anchor in ((0, 1) if anchor == 1 else (2,))


def test_answers_that_are_not_accurate_are_refused(monkeypatch):
    chain = with_vanishing()
    run = solve(chain)
    worst = max(run.residual, run.throughput_error)
    monkeypatch.setattr(solution, "ACCURATE", -1.0)
    with pytest.raises(NotAccurate, match="chain of 3 states was solved"):
        solve(chain)
    assert worst < 1e-13


def test_the_fullest_are_eliminated_first_beside_their_twins():
    chain = with_vanishing()
    # 2, 5, 1, 4, 0, 3 without the anchor 1; numbers above it are one less then.
    assert _sweep_order(chain, 1).tolist() == [1, 4, 3, 0, 2]
    assert _sweep_order(line(4, 1.0, 1.0), 2).tolist() == [0, 1, 2]
    assert _sweep_order(line(4, 1.0, 1.0), 0).tolist() == [0, 1, 2]


def test_visits_are_counted_in_the_second_half_of_the_steps():
    """Round and round, 0, 1, 2, 0: after one step at 1, after two at 2."""
    chain = MarkedChain.from_matrices([[-1, 1, 0], [0, -2, 2], [0, 0, -3]], [[0, 0, 0], [0, 0, 0], [3, 0, 0]])
    assert often_visited(chain, steps=1) == 1
    assert often_visited(chain, steps=2) == 2
    assert often_visited(chain, steps=5) == 0  # steps 3, 4, 5: at 0, 1, 2


def test_jumps_leave_out_what_leads_to_itself():
    chain = MarkedChain.from_matrices([[-7.0, 2.0], [1.0, -4.0]], [[4.0, 1.0], [0.0, 3.0]])
    rates, jumps = _jump_chain(chain)
    assert rates.tolist() == [3.0, 1.0]
    assert jumps.toarray().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    alone, nothing = _jump_chain(MarkedChain.from_matrices([[-2.0]], [[2.0]]))
    assert alone.tolist() == [1.0]
    assert nothing.toarray().tolist() == [[0.0]]
