"""Twenty random decision functions: exact answers agree with a simulation, refusals have a reason."""

import pytest
from verification.random_policies import verdicts


@pytest.mark.parametrize("seed", range(101, 105))
def test_exact_answers_of_random_functions_are_right(seed):
    """Five functions a seed; a right answer is called wrong with probability below 1e-5 over all of them."""
    found = list(verdicts(5, seed))
    assert [verdict.detail for _, verdict in found if verdict.wrong] == []
    assert any(verdict.kind.startswith("exact, and") for _, verdict in found)
