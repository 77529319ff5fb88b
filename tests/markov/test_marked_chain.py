"""Marked chains that users write down."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sparse

from msj import InvalidInput
from msj.markov import MarkedChain, solve


def dense_long_run(D0, D1):
    """Slow twin: null space and least squares, no anchor, no factorisation shared with the solver."""
    D0, D1 = np.asarray(D0, float), np.asarray(D1, float)
    generator = D0 + D1
    law = scipy.linalg.null_space(generator.T)[:, 0]
    law /= law.sum()
    rates = D1.sum(axis=1)
    throughput = law @ rates
    delta = np.linalg.lstsq(generator, throughput - rates, rcond=None)[0]
    delta -= law @ delta
    departure = law @ D1 / throughput
    return throughput, law, departure, delta


@pytest.mark.parametrize("size", [1, 2, 5, 30])
@pytest.mark.parametrize("seed", range(4))
def test_random_chains_match_dense_linear_algebra(size, seed):
    rng = np.random.default_rng([size, seed])
    D0 = rng.exponential(1, (size, size)) * (rng.random((size, size)) < 0.5)
    D1 = rng.exponential(1, (size, size)) * (rng.random((size, size)) < 0.3)
    D0 += np.roll(np.eye(size), 1, axis=1)  # one cycle through all states
    D1[0, 0] += 1
    np.fill_diagonal(D0, 0)
    np.fill_diagonal(D0, -(D0 + D1).sum(axis=1))
    run = solve(MarkedChain.from_matrices(D0, D1))
    throughput, law, departure, delta = dense_long_run(D0, D1)
    assert run.throughput == pytest.approx(throughput, rel=1e-11)
    np.testing.assert_allclose(run.time_average, law, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(run.departure_average, departure, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(run.relative_completions, delta, rtol=1e-8, atol=1e-10)


def test_states_left_for_ever_have_no_mass():
    run = solve(MarkedChain.from_matrices([[-1, 1], [0, -2]], [[0, 0], [0, 2]]))
    np.testing.assert_allclose(run.time_average, [0, 1])
    # One completion in the transient state's mean stay of 1 would need rate 2: it starts 2 behind.
    np.testing.assert_allclose(run.relative_completions, [-2, 0])


def test_a_rare_anchor_is_exchanged_for_a_likely_one():
    # State 0 is visited once in 1e14 jumps; anchored there, relative completions would drown in rounding.
    D0 = [[-1.0, 1.0, 0.0], [1e-14, -3.0, 1.0], [0.0, 1.0, -1.0]]
    D1 = [[0.0, 0.0, 0.0], [0.0, 2.0 - 1e-14, 0.0], [0.0, 0.0, 0.0]]
    run = solve(MarkedChain.from_matrices(D0, D1))
    assert run.throughput == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(run.relative_completions[1:], [0.5, -0.5], rtol=1e-10)


def test_large_chains_are_solved_iteratively():
    # M/M/1/n seen as a service process: birth-death, product form.
    size, up, down = 20_001, 1.0, 1.25
    D0 = scipy.sparse.diags_array([np.full(size - 1, up)], offsets=[1], shape=(size, size), format="lil")
    D1 = scipy.sparse.diags_array([np.full(size - 1, down)], offsets=[-1], shape=(size, size), format="csr")
    D0.setdiag(-(D0.sum(axis=1) + D1.sum(axis=1)))
    run = solve(MarkedChain.from_matrices(D0.tocsr(), D1))
    assert "BiCGStab" in run.method
    assert run.throughput == pytest.approx(up, rel=1e-11)  # what goes up comes down
    np.testing.assert_allclose(run.time_average[:40], 0.2 * 0.8 ** np.arange(40), rtol=1e-10)


@pytest.mark.parametrize(
    ("D0", "D1", "sentence"),
    [
        ([[-1, 1]], [[0, 0]], r"D0 has shape \(1, 2\)"),
        ([[-1]], [[1, 0], [0, 1]], "they must be equal"),
        ([[-1, 1], [1, -1]], [[0, 0], [0, 0]], "D1 is zero"),
        ([[-1, 1], [1, -1]], [[-1, 0], [0, 0]], "must not be negative"),
        ([[-1, -1], [1, -1]], [[2, 0], [0, 0]], "off its diagonal"),
        ([[-2, 1], [1, -1]], [[2, 0], [0, 0]], "row 0 of D0 \\+ D1 sums to 1"),
        ([[-1, 0], [0, -1]], [[1, 0], [0, 1]], "states 0 and 1 cannot reach each other"),
        ([[-np.inf]], [[1]], "not finite"),
    ],
)
def test_what_is_not_a_marked_chain_is_refused(D0, D1, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        MarkedChain.from_matrices(D0, D1)


def test_vanishing_states_are_checked_and_passed_in_no_time():
    block = sparse.csr_array
    none = block((2, 2))
    settling, passing = block([[0.0, 0.25], [0.0, 1.0]]), block([[0.0, 0.75], [0.0, 0.0]])
    chain = MarkedChain.from_blocks(
        quiet=block([[0.0, 0.0], [2.0, 0.0]]),
        completing=none,
        starting=block([[3.0, 0.0], [0.0, 0.0]]),
        passing=passing,
        settling=settling,
    )
    same = MarkedChain.from_matrices([[-3, 0], [2, -2]], [[0, 3], [0, 0]])
    assert solve(chain).throughput == pytest.approx(solve(same).throughput, rel=1e-14)
    assert solve(chain).throughput == pytest.approx(6 / 5, rel=1e-14)
    with pytest.raises(InvalidInput, match="has the rate -1"):
        MarkedChain.from_blocks(
            quiet=none, completing=block([[0.0, -1.0], [1.0, 0.0]]), starting=none, passing=passing, settling=settling
        )
    with pytest.raises(InvalidInput, match="nothing is ever completed"):
        MarkedChain.from_blocks(
            quiet=block([[0.0, 1.0], [1.0, 0.0]]), completing=none, starting=none, passing=none, settling=none
        )


def test_a_bad_guess_of_a_likely_state_is_mended():
    # A walk that starts far from where it stays: after the hundred steps of the guess it is still on its way.
    size = 9_000
    up, down = np.full(size - 1, 1.0), np.full(size - 1, 0.5)
    rates = sparse.diags_array([up, down], offsets=[1, -1], format="csr")
    quiet = (rates - sparse.diags_array(rates.sum(axis=1) + 1.0)).tocsr()
    chain = MarkedChain.from_matrices(quiet, sparse.eye_array(size, format="csr"))
    run = solve(chain)
    assert run.throughput == pytest.approx(1.0, rel=1e-9)
    assert run.time_average[-1] == pytest.approx(0.5, rel=1e-9)
