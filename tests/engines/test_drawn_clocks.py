"""Two engines draw random times of their own, so no twin can follow them job by job: against their chains."""

import numpy as np
import pytest
from one_by_one import on

import msj
from msj.engines.preemption_cost import PreemptionCostEngine
from msj.workloads.job_block import JobBlock


@pytest.mark.parametrize("path", ["preemption_cost", "set_up"])
def test_models_with_clocks_of_their_own_agree_with_their_chains(path):
    """Two of the engines draw random times, so no twin can follow them job by job; z below 4.6 (odds 1 in 5,000)."""
    system = msj.read(f"examples/models/{path}.toml")
    exact = msj.analyse(system, percentiles=False)
    row = msj.simulate(system, jobs=300_000, rng=4).quantities[0]
    assert row.name == "mean_response_time"
    assert abs(row.value - exact["mean_response_time"]) < 2.2 * (row.high - row.low) / 2
    assert row.high - row.low < 0.1 * row.value


def test_a_job_put_aside_leaves_its_servers_to_others_and_pays_when_it_is_taken_up_again():
    """Needs 1, 4, 2, 2 on four servers at 0, 1, 2, 3: the second job puts the first aside from 1 to 6.

    At 6 the line is 1, 2, 2 (five servers wanted): both pairs run, 6 to 9 and 6 to 16. At 9 the first job, of which 9
    units are left, goes on after its overhead. A server idles while it waits at no time; before 1 nobody waits.
    """
    engine = PreemptionCostEngine(on(4), overhead_rate=1e-3)
    need = np.array([1, 4, 2, 2])
    block = JobBlock(arrival=np.arange(4.0), job_class=need - 1, need=need, duration=np.array([10.0, 5.0, 3.0, 10.0]))
    done = [engine.advance(block), engine.drain()]
    order = np.concatenate([part.number for part in done])
    start, finish = (np.concatenate([getattr(part, name) for part in done]) for name in ("start", "finish"))
    first = finish[order == 0][0]
    assert dict(zip(order.tolist(), zip(start.tolist(), finish.tolist(), strict=True), strict=True)) == {
        0: (0.0, first),
        1: (1.0, 6.0),
        2: (6.0, 9.0),
        3: (6.0, 16.0),
    }
    assert first > 18.0  # with an overhead of a thousand on average
    assert engine.wasted_area == 0.0
