"""1,000 correct laws from outside pass their trial, and laws of twice or half their mean never do.

A correct law is refused with probability below 1e-6, so one of 1,000 with probability below 0.001.
``python -m verification.outside_laws`` prints the largest deviations.
"""

import pytest

from msj.model.trials import try_duration
from verification.outside_laws import trials, try_at_some_rate
from verification.random_arrivals import wrapped_arrivals
from verification.random_laws import wrapped_law

KINDS = {"durations": (wrapped_law, try_duration), "arrivals": (wrapped_arrivals, try_at_some_rate)}
LAWS = 1000


@pytest.mark.parametrize("kind", KINDS)
def test_no_correct_law_is_refused(kind):
    refused = [(law.inner, str(found)) for law, found in trials(*KINDS[kind], LAWS, 3) if isinstance(found, Exception)]
    assert refused == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_a_mean_wrong_by_a_factor_of_two_is_always_found(kind, factor):
    make, try_it = KINDS[kind]
    wrong = trials(lambda rng: make(rng, max_cv=3.0, factor=factor), try_it, LAWS // 2, 4)
    assert [law.inner for law, found in wrong if not isinstance(found, Exception)] == []
