"""Levels: what is refused, what is told when rounding matters, and what they cost, by hand."""

import numpy as np
import pytest
from scipy import sparse

from msj.errors import InvalidInput, TooLarge
from msj.markov.gth import as_sparse
from msj.markov.level_process import _segment, estimate_memory, possible_segments
from msj.markov.m_matrix import MMatrix, perron_root, set_diagonal
from msj.markov.marked_chain import MarkedChain
from msj.markov.quasi_birth_death import _equation_error, check_rates, first_passage, solve_repeating, taboo_rates


@pytest.mark.parametrize(("off", "accepted"), [(3.9e-9, True), (-3.9e-9, True), (4.2e-9, False), (-4.2e-9, False)])
def test_rows_must_sum_to_zero_up_to_rounding(off, accepted):
    """Relative to the rate of leaving, 4."""
    local, up = as_sparse([[-1.0, 0.5], [3.0, -4.0]]), as_sparse([[0.5, 0.0], [0.0, 1.0 + off]])
    chain = [[-0.5, 0.5], [3.0, -4.0]], [[0.0, 0.0], [0.0, 1.0 + off]]
    if accepted:
        check_rates("it", local, (up,))
        MarkedChain.from_matrices(*chain)
        return
    with pytest.raises(InvalidInput, match=f"phase 1 of it sum to {off:.6g}".replace("+", r"\+")):
        check_rates("it", local, (up,))
    with pytest.raises(InvalidInput, match="row 1 of D0"):
        MarkedChain.from_matrices(*chain)


def test_rates_are_finite_and_not_negative():
    def check(local, up):
        check_rates("it", as_sparse(local), (as_sparse(up),))

    check([[-1.0, 0.0], [0.0, -2.0]], [[1.0, 0.0], [0.0, 2.0]])
    with pytest.raises(InvalidInput, match=r"a rate of it is -0\.25"):
        check([[-1.0, -0.25], [1.0, -2.0]], [[1.25, 0.0], [0.0, 1.0]])
    with pytest.raises(InvalidInput, match=r"a rate of it is -0\.5"):
        check([[-1.0, 1.5], [1.0, -2.0]], [[-0.5, 0.0], [0.0, 1.0]])
    for wrong in (np.inf, np.nan):
        with pytest.raises(InvalidInput, match="not finite"):
            check([[-1.0, 0.0], [1.0, -2.0]], [[wrong, 0.0], [0.0, 1.0]])


def test_the_worst_of_phases_that_do_not_meet_counts():
    """0.5 up and 1 down, or 2 up and 3 down: the first is nearer to rising, though the second rises faster."""
    part = solve_repeating(np.diag([0.5, 2.0]), np.diag([-1.5, -5.0]), np.diag([1.0, 3.0]))
    assert (part.up_rate, part.down_rate) == (0.5, 1.0)
    assert part.drift == -0.5
    assert part.decay_rate == pytest.approx(2 / 3, rel=1e-13)
    np.testing.assert_allclose(part.passage_time, [2.0, 1.0], rtol=1e-13)


def test_levels_that_rise_may_be_solved():
    """2 up and 1 down: the level below is reached with chance 1/2, and never on average."""
    part = solve_repeating([[2.0]], [[-3.0]], [[1.0]], allow_unstable=True)
    assert part.first_passage[0, 0] == pytest.approx(0.5, rel=1e-12)
    assert part.rate_matrix[0, 0] == pytest.approx(1.0, rel=1e-12)
    assert part.passage_time.tolist() == [np.inf]
    assert part.drift == 1.0


def test_how_far_the_equation_for_passages_is_missed():
    """1 − 1.5·1.1 + 0.5·1.21 = −0.045, at the rate of leaving 1.5; in the second phase 2 − 6·0.5 + 4·0.25 = 0."""
    blocks = (as_sparse(np.diag(each)) for each in ([0.5, 4.0], [-1.5, -6.0], [1.0, 2.0]))
    assert _equation_error(*blocks, np.asfortranarray(np.diag([1.1, 0.5]))) == pytest.approx(0.03)


def test_passages_are_scaled_to_one_where_they_must_be():
    """(−U)^(−1)·down of two phases, of which only the second is entered below."""
    matrix, down = np.array([[2.0, -1.0], [0.0, 4.0]]), as_sparse([[0.0, 0.8], [0.0, 3.0]])
    G, error = first_passage(MMatrix(matrix), down)
    assert G.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert error == pytest.approx(0.25)  # (0.8 + 0.75)/2 = 0.775 and 0.75
    G, error = first_passage(MMatrix(matrix), down, stochastic=False)
    np.testing.assert_allclose(G, [[0.0, 0.775], [0.0, 0.75]], rtol=1e-14)
    assert error == 0.0


def test_rates_without_going_lower():
    local, up = as_sparse([[-3.0, 1.0], [0.5, -2.0]]), as_sparse([[0.5, 0.0], [0.0, 0.7]])
    G = np.array([[0.4, 0.6], [0.1, 0.9]])
    expected = np.array([[2.8, -1.3], [-0.57, 1.37]])
    np.testing.assert_allclose(taboo_rates(local, up, G, exit_rates=None), expected, rtol=1e-14)
    expected[[0, 1], [0, 1]] = 1.5 + 1.3, 0.8 + 0.57
    np.testing.assert_allclose(taboo_rates(local, up, G, exit_rates=np.array([1.5, 0.8])), expected, rtol=1e-14)


def test_diagonals_follow_from_row_sums():
    matrix = np.array([[9.0, -1.0, -0.5], [-2.0, 9.0, 0.0], [-0.25, -0.25, 9.0]])
    set_diagonal(matrix, np.array([0.5, 0.0, 1.0]))
    assert matrix.diagonal().tolist() == [2.0, 2.0, 1.5]
    found = MMatrix(matrix)
    b = np.array([[1.0, 2.0], [0.5, 0.0], [3.0, 1.0]])
    np.testing.assert_allclose(matrix @ found.solve(b), b, atol=1e-14)
    np.testing.assert_allclose(found.solve_left(b.T) @ matrix, b.T, atol=1e-14)
    with pytest.raises(InvalidInput, match="from phase 1 the level can never be left"):
        MMatrix(np.array([[1.0, 0.0], [-2.0, 0.0]]))


def test_spectral_radii_of_blocks():
    """[[1, 2], [8, 1]] has 1 ± 4, [[0, 9], [1, 0]] has ±3; a block alone has its diagonal entry."""
    blocks = np.zeros((5, 5))
    blocks[:2, :2], blocks[2:4, 2:4] = [[1.0, 2.0], [8.0, 1.0]], [[0.0, 9.0], [1.0, 0.0]]
    blocks[0, 2] = blocks[3, 4] = 100.0
    assert perron_root(blocks) == pytest.approx(5.0, rel=1e-13)
    blocks[4, 4] = 7.0
    assert perron_root(blocks) == pytest.approx(7.0, rel=1e-13)
    assert perron_root(blocks[2:4, 2:4]) == pytest.approx(3.0, rel=1e-13)
    assert perron_root(np.full((3, 3), 2.0)) == pytest.approx(6.0, rel=1e-14)
    assert perron_root(np.array([[0.0, 5.0], [0.0, 0.0]])) == 0.0


def test_memory_by_the_squares_of_levels():
    """Eight bytes each of 11 squares of the last level, or of the factors that are kept and 7 of the largest."""
    assert estimate_memory([9, 3, 2]) == 8 * (9 + 4 + 7 * 9)
    assert estimate_memory([9, 2, 10]) == 8 * 11 * 100
    assert estimate_memory([9, 3, 2], segment=1) == 8 * (9 + (9 + 4) + 7 * 9)  # one at a time, all begin somewhere
    assert estimate_memory([9, 3, 2], segment=2) == estimate_memory([9, 3, 2])
    sizes = [1, 4, 2, 5, 3]  # 16, 4, 25, 9: 4 + 25 + ... the fullest two are 25 + 9, and 16 + 25 begin
    assert estimate_memory(sizes, segment=2) == 8 * (34 + 41 + 7 * 25)


def test_segments_are_all_levels_or_about_the_square_root():
    assert [possible_segments(levels) for levels in (1, 2, 9, 10, 17)] == [(1, 1), (2, 2), (9, 3), (10, 4), (17, 5)]
    sizes = [5] * 10
    whole, short = estimate_memory(sizes), estimate_memory(sizes, segment=3)
    assert short < whole
    assert [_segment(sizes, limit) for limit in (whole, whole - 1, short)] == [9, 3, 3]
    with pytest.raises(TooLarge, match="9 levels of up to 5 phases"):
        _segment(sizes, short - 1)


@pytest.mark.parametrize("rate", [np.inf, np.nan, -1.0])
def test_one_rate_that_is_none_is_refused_among_others(rate):
    rates = sparse.csr_array(np.array([[0.0, 1.0], [rate, 0.0]]))
    none, empty = sparse.csr_array((2, 2)), sparse.csr_array((2, 0))
    with pytest.raises(InvalidInput, match="rates must be finite and not negative"):
        MarkedChain.from_blocks(
            quiet=rates, completing=none, starting=empty, passing=sparse.csr_array((0, 0)),
            settling=sparse.csr_array((0, 2)),
        )  # fmt: skip
