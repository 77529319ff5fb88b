"""Jobs in stages: job by job against a slow twin."""

import naive_models
import pytest
from one_by_one import assert_same, cluster, drawn, in_one_block, on

from msj import Exponential
from msj.engines.stages import StagesEngine


@pytest.mark.parametrize("rate", [0.3, 0.6])
def test_stages_job_by_job(rate):
    system = cluster(3, [1, 2], [Exponential(mean=1), Exponential(mean=1)])
    needs = [[1, 3, 2], [2, 1]]
    laws = [[Exponential(mean=1), Exponential(mean="1/2"), Exponential(mean="1/2")], [Exponential(mean=1)] * 2]
    block = drawn(system, rate)
    lengths = StagesEngine(on(3), needs=needs, laws=laws).drawn(block)
    stages = [
        [(needs[c][s], row[s]) for s in range(len(needs[c]))] for c, row in zip(block.job_class, lengths, strict=True)
    ]
    engine = StagesEngine(on(3), needs=needs, laws=laws)
    assert_same(in_one_block(engine, block), *naive_models.in_stages(block.arrival, stages, 3))
