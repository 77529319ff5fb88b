"""One open model serves every load: its blocks at a rate do not depend on what it was asked before."""

import numpy as np
import pytest

import msj
from msj.fronts.fcfs_open import open_fcfs
from msj.markov.level_process import LevelProcess


@pytest.mark.parametrize("example", ["two_servers", "gpu_training"])
def test_its_blocks_at_a_rate_are_the_generator_written_out(example):
    model = open_fcfs(msj.read(f"examples/{example}.toml"))
    for rate in (0.0, 0.3, 2.5):
        downs = (*model.completions[:-1], model.repeating_completions)
        for n, (quiet, down) in enumerate(zip(model.quiet, downs, strict=True)):
            rates = quiet.toarray()
            leaving = rates.sum(axis=1) + rate + (0.0 if down is None else down.toarray().sum(axis=1))
            asked = model.local_without_arrivals(n) if rate == 0.0 else model.at(rate).blocks(n)[0]
            np.testing.assert_allclose(asked.toarray(), rates - np.diag(leaving), rtol=1e-14, atol=0)


def test_a_block_without_arrivals_may_lose_its_zeros_and_the_model_does_not():
    """Nobody leaves the empty system if nobody arrives; a level process drops that zero from the block it is given."""
    model = open_fcfs(msj.read("examples/two_servers.toml"))
    before = model.at(0.5).blocks(0)[0].toarray()
    empty = model.local_without_arrivals(0)
    empty.eliminate_zeros()
    assert empty.nnz == 0
    after: LevelProcess = model.at(0.5)
    np.testing.assert_array_equal(after.blocks(0)[0].toarray(), before)
