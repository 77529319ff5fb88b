from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import brentq

from msj.errors import InvalidInput, NotAccurate, Unstable
from msj.markov.quasi_birth_death import closed_class_laws, perron_root, solve_repeating

ROUNDING = 2.0**-52


def closed(off_diagonal, *others):
    """Return the local block whose rows sum to zero together with the others."""
    local = off_diagonal - np.diag(np.diag(off_diagonal))
    return local - np.diag(local.sum(axis=1) + sum(other.sum(axis=1) for other in others))


def random_service(seed, phases, *, coupling=1.0, density=0.6):
    """Return service rates D1 and phase changes D0 of two groups of phases joined by weak coupling."""
    rng = np.random.default_rng(seed)
    group = np.arange(phases) < phases // 2
    same = group[:, None] == group
    D1 = rng.random((phases, phases)) * same * (rng.random((phases, phases)) < density) + 0.1 * np.eye(phases)
    D1[group] *= 0.1
    D0 = rng.random((phases, phases)) * np.where(same, 1.0, coupling)
    return closed(D0, D1), D1


def threshold(D0, D1):
    """Return the throughput of the saturated chain, from a least-squares solution."""
    A = np.vstack([(D0 + D1).T, np.ones(len(D0))])
    law = np.linalg.lstsq(A, np.eye(len(A))[-1], rcond=None)[0]
    return law @ D1.sum(axis=1)


def precise_solution(up, local, down, digits=60):
    """Return G, R and the passage times from the same rates in many digits, by logarithmic reduction."""
    with mpmath.workdps(digits):
        A, B, D = (mpmath.matrix(block.tolist()) for block in (up, local, down))
        m = A.rows
        for i in range(m):
            B[i, i] = -sum(B[i, j] for j in range(m) if j != i) - sum(A[i, :]) - sum(D[i, :])
        inverse = (-B) ** -1
        H, L = inverse * A, inverse * D
        G, T = L, H
        for _ in range(60):
            inverse = (mpmath.eye(m) - H * L - L * H) ** -1
            H, L = inverse * H * H, inverse * L * L
            G, T = G + T * L, T * H
            if mpmath.mnorm(T, 1) < mpmath.mpf(10) ** (-digits + 10):
                break
        U = B + A * G
        R = A * (-U) ** -1
        t = (-U - A) ** -1 * mpmath.ones(m, 1)
        decay = max(abs(root) for root in mpmath.eig(R, left=False, right=False))
        return *(np.array(x.tolist(), dtype=float) for x in (G, R)), np.array(t, dtype=float).ravel(), decay


def natural_iteration(up, local, down, steps=4000):
    """Return G by the slow, obviously right iteration of its equation from zero."""
    G = np.zeros(local.shape)
    for _ in range(steps):
        G = np.linalg.solve(-(local + up @ G), down)
    return G


@pytest.mark.parametrize("rho", [0.1, 0.9, 0.999, 0.9999, 1 - 1e-7])
def test_single_phase_is_the_mm1_queue(rho):
    part = solve_repeating([[rho]], [[-1 - rho]], [[1.0]])
    assert part.first_passage == pytest.approx(1.0, rel=1e-15)
    assert part.rate_matrix == pytest.approx(rho, rel=1e-15)
    assert part.decay_rate == pytest.approx(rho, rel=1e-15)
    assert part.drift == pytest.approx(rho - 1, rel=1e-15)
    assert part.passage_time == pytest.approx(1 / (1 - rho), rel=4 * ROUNDING / (1 - rho))
    assert part.residual < 1e-15


@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(0.05, 0.9))
def test_agrees_with_the_natural_iteration(seed, phases, load):
    D0, D1 = random_service(seed, phases)
    up = np.diag(np.random.default_rng(seed).random(phases))
    up *= load * threshold(D0, D1) / np.diag(up).max()  # unequal rates up, below the threshold everywhere
    part = solve_repeating(sparse.csr_matrix(up), D0 - up, sparse.csr_array(D1))
    G = natural_iteration(up, D0 - up, D1)
    np.testing.assert_allclose(part.first_passage, G, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(part.rate_matrix, up @ np.linalg.inv(up - D0 - up @ G), rtol=1e-10, atol=1e-14)
    assert part.decay_rate == pytest.approx(np.abs(np.linalg.eigvals(part.rate_matrix)).max(), rel=1e-12)
    assert part.residual < 1e-12
    assert part.first_passage.min() >= 0
    assert part.rate_matrix.min() >= 0


@pytest.mark.parametrize("load", [0.5, 0.9999, 0.999999])
@pytest.mark.parametrize("coupling", [1.0, 1e-4, 1e-9])
def test_every_digit_near_saturation_and_with_slow_phases(load, coupling):
    D0, D1 = random_service(3, 6, coupling=coupling)
    [(_, law)] = closed_class_laws(D0 + D1)
    rate = load * float(law @ D1.sum(axis=1))
    up = rate * np.eye(6)
    part = solve_repeating(up, D0 - up, D1)
    G, R, times, decay = precise_solution(up, D0 - up, D1)
    np.testing.assert_allclose(part.first_passage, G, rtol=2e-15)
    np.testing.assert_allclose(part.rate_matrix, R, rtol=2e-15)
    # the data themselves leave the times open by the rounding unit over the distance to saturation
    np.testing.assert_allclose(part.passage_time, times, rtol=10 * ROUNDING / (1 - load))
    assert abs(part.decay_rate - decay) < 1e-15
    assert part.residual < 1e-14


@pytest.mark.parametrize("load", [0.3, 0.95, 0.9999])
def test_decay_rate_of_erlang_and_hyperexponential_service(load):
    # M/PH/1: the generating function of the queue has its pole where B*(lambda (1 - z)) = z, z > 1
    erlang = (np.array([1.0, 0.0, 0.0]), np.array([[-3.0, 3.0, 0.0], [0.0, -3.0, 3.0], [0.0, 0.0, -3.0]]))
    mixture = (np.array([0.75, 0.25]), np.diag([-1.5, -0.5]))  # both of mean 1
    for start, T in (erlang, mixture):
        exit_rates = -T.sum(axis=1)
        up = load * np.eye(len(T))
        part = solve_repeating(up, T - up, np.outer(exit_rates, start))

        def excess(z, start=start, T=T, exit_rates=exit_rates):
            return start @ np.linalg.solve(load * (1 - z) * np.eye(len(T)) - T, exit_rates) - z

        furthest = 1 + np.abs(np.linalg.eigvals(T)).min() / load - 1e-9  # beyond it the transform has a pole
        pole = brentq(excess, 1 + 0.5 * (1 - load), furthest, xtol=1e-15)
        assert part.decay_rate == pytest.approx(1 / pole, abs=1e-11)


def test_columns_never_entered_from_above_stay_zero():
    # Erlang service enters its first phase only
    up, exits = 0.4 * np.eye(3), np.zeros((3, 3))
    exits[2, 0] = 3.0
    local = closed(np.diag([3.0, 3.0], 1), exits, up)
    part = solve_repeating(up, local, exits)
    np.testing.assert_array_equal(part.first_passage, np.outer(np.ones(3), [1.0, 0.0, 0.0]))


def test_unstable_is_refused_with_both_rates():
    with pytest.raises(Unstable, match=r"rises at mean rate 2 and falls at mean rate 1\.5"):
        solve_repeating([[2.0]], [[-3.5]], [[1.5]])
    with pytest.raises(Unstable, match="rises at mean rate 1 and falls at mean rate 1,"):
        solve_repeating([[1.0]], [[-2.0]], [[1.0]])


def test_unstable_in_one_of_two_closed_classes_is_refused():
    up, down = np.eye(2), np.diag([3.0, 0.5])
    with pytest.raises(Unstable, match=r"rises at mean rate 1 and falls at mean rate 0\.5"):
        solve_repeating(up, -up - down, down)


def test_unstable_on_request_gives_the_minimal_solution():
    single = solve_repeating([[2.0]], [[-3.0]], [[1.0]], allow_unstable=True)
    assert single.first_passage[0, 0] == pytest.approx(0.5, rel=1e-15)
    assert single.decay_rate == pytest.approx(1.0, rel=1e-15)
    D0, D1 = random_service(5, 5)
    up = 2 * threshold(D0, D1) * np.eye(5)
    part = solve_repeating(up, D0 - up, D1, allow_unstable=True)
    np.testing.assert_allclose(part.first_passage, natural_iteration(up, D0 - up, D1), rtol=1e-12)
    assert part.drift > 0
    assert (part.first_passage.sum(axis=1) < 0.999).all()


def test_zero_drift_on_request():
    part = solve_repeating([[1.0]], [[-2.0]], [[1.0]], allow_unstable=True)
    assert part.first_passage[0, 0] == pytest.approx(1.0, rel=1e-14)


def test_too_near_saturation_is_not_accurate():
    D0, D1 = random_service(7, 8)
    [(_, law)] = closed_class_laws(D0 + D1)
    up = float(law @ D1.sum(axis=1)) * (1 - 1e-13) * np.eye(8)
    with pytest.raises(NotAccurate, match="lower the load"):
        solve_repeating(up, D0 - up, D1)


@pytest.mark.parametrize(
    ("up", "local", "down", "words"),
    [
        ([[1.0]], [[-2.0]], [[2.0]], "phase 0 of the repeating levels sum to 1"),
        ([[-1.0]], [[-1.0]], [[2.0]], "is -1; rates off the diagonal must not be negative"),
        ([[np.inf]], [[-np.inf]], [[2.0]], "not finite"),
        ([[1.0]], [[-2.0, 0.0], [0.0, -2.0]], [[1.0]], "square"),
    ],
)
def test_blocks_that_are_no_generator_are_refused(up, local, down, words):
    with pytest.raises(InvalidInput, match=words):
        solve_repeating(up, local, down)


def test_stationary_law_in_every_digit_over_many_orders_of_magnitude():
    # birth and death: law[i + 1] / law[i] = birth[i] / death[i]; more states than one panel
    size = 150
    rng = np.random.default_rng(1)
    birth, death = 10.0 ** rng.uniform(-6, 6, (2, size - 1))
    [(states, law)] = closed_class_laws(closed(np.diag(birth, 1) + np.diag(death, -1)))
    expected = np.append(1.0, np.cumprod(birth / death))
    np.testing.assert_array_equal(states, np.arange(size))
    np.testing.assert_allclose(law, expected / expected.sum(), rtol=1e-13)


def test_stationary_law_of_a_dense_chain():
    Q = closed(np.random.default_rng(2).random((100, 100)))
    [(_, law)] = closed_class_laws(Q)
    assert np.abs(law @ Q).max() < 1e-15
    assert law.sum() == pytest.approx(1.0, rel=1e-15)


def test_closed_classes_are_told_apart_and_transient_states_left_out():
    Q = np.zeros((5, 5))
    Q[0, 1], Q[0, 3] = 1.0, 2.0  # transient
    Q[1, 2], Q[2, 1] = 1.0, 4.0
    Q[3, 4], Q[4, 3] = 5.0, 5.0
    laws = sorted((tuple(states), law.tolist()) for states, law in closed_class_laws(closed(Q)))
    assert laws == [((1, 2), pytest.approx([0.8, 0.2])), ((3, 4), pytest.approx([0.5, 0.5]))]


@given(st.integers(0, 10**6), st.integers(1, 30), st.floats(0.02, 1.0))
def test_perron_root_of_nonnegative_matrices(seed, size, density):
    rng = np.random.default_rng(seed)
    matrix = rng.random((size, size)) * (rng.random((size, size)) < density)
    # sparse ones are reducible or even nilpotent; a nilpotent part's eigenvalues are only known to rounding^(1/size)
    symmetric = matrix + matrix.T
    assert perron_root(symmetric) == pytest.approx(np.abs(np.linalg.eigvalsh(symmetric)).max(), rel=1e-13)
    upper = np.triu(matrix)
    assert perron_root(upper) == upper.diagonal().max()
    full = matrix + 1e-3
    assert perron_root(full) == pytest.approx(np.abs(np.linalg.eigvals(full)).max(), rel=1e-12)
