"""Settings shared by all tests."""

from hypothesis import HealthCheck, settings

# Fixed examples: a test that passes here passes everywhere; `make verify` draws new ones.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fresh", deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fixed")
