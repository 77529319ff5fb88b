"""The incomplete factorisation against complete ones."""

import numpy as np
import pytest
import scipy.sparse as sparse

from msj.markov.incomplete_lu import IncompleteLU, _factor


def chain_matrix(size, seed):
    """I − P for a random sparse substochastic P."""
    rng = np.random.default_rng(seed)
    P = sparse.random_array((size, size), density=6 / size, rng=rng, format="csr")
    P = sparse.diags_array(0.98 / np.maximum(P.sum(axis=1), 1e-9)) @ P
    return (sparse.eye_array(size) - P).tocsr()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_dropped_is_an_exact_solver(seed):
    A = chain_matrix(120, seed)
    b = np.random.default_rng(seed).normal(size=120)
    factors = IncompleteLU(A, 0.0)
    np.testing.assert_allclose(A @ factors.solve(b, transposed=False), b, atol=1e-12)
    np.testing.assert_allclose(A.T @ factors.solve(b, transposed=True), b, atol=1e-12)


def test_dropping_trades_entries_for_accuracy():
    A = chain_matrix(400, 7)
    b = np.ones(400)
    sizes, errors = [], []
    for drop in (1e-1, 1e-3, 1e-6, 0.0):
        factors = IncompleteLU(A, drop)
        sizes.append(factors.nnz)
        errors.append(np.abs(A @ factors.solve(b, transposed=False) - b).max())
    assert sizes == sorted(sizes)
    assert errors == sorted(errors, reverse=True)


def test_the_room_grows_where_the_guess_was_too_small():
    A = chain_matrix(300, 3) + 1e-3 * sparse.random_array((300, 300), density=0.02, rng=np.random.default_rng(1))
    dense_first_row = A.tolil()
    dense_first_row[0, :] = -1e-3
    dense_first_row[:, 0] = -1e-3
    dense_first_row[0, 0] = 2.0
    A = dense_first_row.tocsr()
    factors = IncompleteLU(A, 0.0)
    assert factors.nnz > 12 * A.nnz
    np.testing.assert_allclose(A @ factors.solve(np.ones(300), transposed=False), 1.0, atol=1e-9)


def test_the_room_is_used_to_the_last_place_and_never_beyond():
    A = chain_matrix(40, 5)
    needed = IncompleteLU(A, 0.0).nnz
    parts = A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data, 0.0
    assert _factor(*parts, needed)[0]
    assert not _factor(*parts, needed - 1)[0]


def assert_factors(A, drop, L, U):
    factors = IncompleteLU(sparse.csr_array(A), drop)
    L, U = np.array(L), np.array(U)
    assert factors.nnz == np.count_nonzero(L) + np.count_nonzero(U) - len(L)
    b = np.array([1.0, 2.0, 0.5])
    np.testing.assert_allclose(factors.solve(b, transposed=False), np.linalg.solve(L @ U, b), rtol=1e-13)
    np.testing.assert_allclose(factors.solve(b, transposed=True), np.linalg.solve((L @ U).T, b), rtol=1e-13)


def test_what_is_small_beside_its_row_is_dropped():
    """Rows sum to 3.01, 3.5 and 2.51: of the first -0.01 goes, and so does the multiplier -0.01/2 of the third."""
    A = [[2.0, -1.0, -0.01], [-1.0, 2.0, -0.5], [-0.01, -0.5, 2.0]]
    L = [[1.0, 0.0, 0.0], [-0.5, 1.0, 0.0], [0.0, -1 / 3, 1.0]]
    U = [[2.0, -1.0, 0.0], [0.0, 1.5, -0.5], [0.0, 0.0, 2.0 - 0.5 / 3]]
    assert_factors(A, 0.01, L, U)


def test_what_is_as_large_as_the_limit_is_kept():
    """Rows sum to 4, and a sixteenth of that is 0.25: entries of the first row, and a multiplier of the second."""
    A = [[3.5, -0.25, -0.25], [-0.875, 2.875, -0.25], [-0.8, -0.2, 3.0]]
    L = [[1.0, 0.0, 0.0], [-0.25, 1.0, 0.0], [0.0, 0.0, 1.0]]
    U = [[3.5, -0.25, -0.25], [0.0, 2.8125, -0.3125], [0.0, 0.0, 3.0]]
    assert_factors(A, 0.0625, L, U)  # of the third row both -0.8/3.5 and -0.2/2.8125 are below


def test_entries_may_stand_in_any_order_in_their_rows():
    A = chain_matrix(60, 3)
    turned = sparse.csr_array((A.data.copy(), A.indices.copy(), A.indptr), shape=A.shape)
    for first, end in zip(A.indptr, A.indptr[1:], strict=False):
        turned.data[first:end], turned.indices[first:end] = A.data[first:end][::-1], A.indices[first:end][::-1]
    turned.has_sorted_indices = False
    b = np.arange(60.0)
    found = IncompleteLU(turned, 0.0).solve(b, transposed=False)
    np.testing.assert_allclose(A @ found, b, atol=1e-12)
