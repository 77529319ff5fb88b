"""One colour at a time: job by job against a slow twin."""

import naive_models
import pytest
from one_by_one import assert_same, cluster, drawn, in_blocks, on

from msj import Exponential
from msj.engines.red_and_blue import RedAndBlueEngine


@pytest.mark.parametrize("rate", [0.5, 1.3])
def test_red_and_blue_job_by_job(rate):
    system = cluster(3, [1, 1], [Exponential(mean=1), Exponential(mean=3)])
    block = drawn(system, rate)
    engine = RedAndBlueEngine(on(3), blue=[False, True])
    assert_same(
        in_blocks(engine, block), *naive_models.one_colour(block.arrival, block.job_class == 1, block.duration, 3)
    )
