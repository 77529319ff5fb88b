"""Settings shared by all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

from msj.answers import known, threshold

os.environ.pop("MSJ_PATH", None)  # what somebody keeps there is no part of msj

# Fixed examples: a test that passes here passes everywhere; `make verify` draws new ones.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fresh", deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fixed")


@pytest.fixture(autouse=True)
def _nothing_patched_is_remembered(request):
    """A threshold found while something was patched is not told to the tests that follow, nor the other way round."""
    if "monkeypatch" not in request.fixturenames:
        yield
        return
    _forget_thresholds()
    yield
    _forget_thresholds()


def _forget_thresholds():
    known._weights.cache_clear()
    threshold._quick_threshold.cache_clear()
