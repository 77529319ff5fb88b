"""Tasks that end one by one: job by job against a slow twin."""

import naive_models
import numpy as np
import pytest
from one_by_one import assert_same, cluster, drawn, on

from msj import Erlang, Exponential
from msj.engines.fork_join import ForkJoinEngine


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_fork_join_job_by_job(rate):
    system = cluster(4, [3, 1], [Exponential(mean=1), Erlang(stages=2, mean=2)])
    block = drawn(system, rate)
    laws = [c.duration for c in system.classes]
    done = ForkJoinEngine(on(4), laws=laws).advance(block)
    flat = ForkJoinEngine(on(4), laws=laws).tasks(block)
    tasks = np.split(flat, np.cumsum(block.need)[:-1])
    assert all(own[0] == length for own, length in zip(tasks, block.duration, strict=True))
    assert_same(done, *naive_models.fork_join(block.arrival, [list(own) for own in tasks], 4))
    np.testing.assert_allclose(done.duration, [own.mean() for own in tasks])
