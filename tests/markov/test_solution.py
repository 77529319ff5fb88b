"""Chains whose guessed anchor is a state that is never, or hardly ever, returned to."""

import numpy as np
import pytest
from scipy import sparse

from msj.markov.marked_chain import MarkedChain
from msj.markov.solution import ELIMINATE_UP_TO, solve

SIZE = 600
assert SIZE > ELIMINATE_UP_TO


def walk(down):
    """Up at rate 1, down at given rates, completions at rate 3 at the top."""
    quiet = sparse.diags_array([np.ones(SIZE - 1), down], offsets=[1, -1]).tocsr()
    completing = sparse.csr_array(([3.0], ([SIZE - 1], [SIZE - 1])), shape=(SIZE, SIZE))
    leaving = quiet.sum(axis=1) + completing.sum(axis=1)
    return MarkedChain.from_matrices(quiet - sparse.diags_array(leaving), completing)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("down", [0.1, 0.2, 0.4, 0.8])
def test_a_walk_that_hardly_ever_comes_back_to_where_it_began(down):
    # pi at the top is 1 − down, but for down^600.
    assert solve(walk(np.full(SIZE - 1, down))).throughput == pytest.approx(3 * (1 - down), rel=1e-12)


@pytest.mark.filterwarnings("error")
def test_a_beginning_that_is_never_come_back_to():
    # Only the top two states last: up at 1, down at 2, so the top has a third of the time.
    down = np.zeros(SIZE - 1)
    down[-1] = 2.0
    assert solve(walk(down)).throughput == pytest.approx(1.0, rel=1e-12)
