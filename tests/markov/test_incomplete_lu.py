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
