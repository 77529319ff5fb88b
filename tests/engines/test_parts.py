"""Models that combine: job by job against a twin that was written from the rules, and against other engines."""

import naive_parts
import numpy as np
import pytest
from one_by_one import assert_same, in_blocks
from parts_cases import again, common_numbers, jobs_for, on, plain_class, random_values

from msj.engines.fcfs import FcfsEngine
from msj.engines.parts import PartsEngine


def compared(values, block):
    """Serve the same jobs by the engine and by the twin."""
    twin = naive_parts.Cluster(again(values), *common_numbers())
    start, finish = twin.run(block.arrival, block.job_class.tolist(), block.duration)
    engine = PartsEngine(on(values), **again(values))
    done = in_blocks(engine, block)
    assert_same(done, start, finish)
    assert np.array_equal(done.preemptions, [twin.hits.get(i, 0) for i in range(len(start))])
    return engine, twin


@pytest.mark.parametrize("seed", range(40))
def test_all_parts_at_random_job_by_job(seed):
    values = random_values(seed)
    engine, twin = compared(values, jobs_for(values, seed))
    assert engine.wasted_area == pytest.approx(twin.wasted, rel=1e-9, abs=1e-9)
    for state, area in twin.areas.items():
        assert engine.areas.get(f"{state}_servers", 0.0) == pytest.approx(area, rel=1e-9, abs=1e-9), state
