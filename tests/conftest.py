"""Settings shared by all tests."""

import os

from hypothesis import HealthCheck, settings

os.environ.pop("MSJ_PATH", None)  # what somebody keeps there is no part of msj

# Fixed examples: a test that passes here passes everywhere; `make verify` draws new ones.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fresh", deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fixed")
