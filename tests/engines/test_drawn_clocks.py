"""Two engines draw random times of their own, so no twin can follow them job by job: against their chains."""

import pytest

import msj


@pytest.mark.parametrize("path", ["preemption_cost", "set_up"])
def test_models_with_clocks_of_their_own_agree_with_their_chains(path):
    """Two of the engines draw random times, so no twin can follow them job by job; z below 4.6 (odds 1 in 5,000)."""
    system = msj.read(f"examples/models/{path}.toml")
    exact = msj.analyse(system, percentiles=False)
    row = msj.simulate(system, jobs=300_000, rng=4).quantities[0]
    assert row.name == "mean_response_time"
    assert abs(row.value - exact["mean_response_time"]) < 2.2 * (row.high - row.low) / 2
    assert row.high - row.low < 0.1 * row.value
