"""Settings shared by all tests."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from msj.answers import known, threshold
from msj.results.glossary import GLOSSARY
from msj.results.quantity import Quantity

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


@pytest.fixture(autouse=True)
def _every_quantity_is_in_the_glossary(_rows_are_watched):
    """Whatever a test makes msj say, it says by a name that the glossary explains."""
    yield
    unknown, UNKNOWN[:] = list(UNKNOWN), []
    assert not unknown, f"not in results/glossary.py: {unknown}"


UNKNOWN = []


@pytest.fixture(scope="session")
def _rows_are_watched():
    """Watch every row that msj itself makes; the tests' own rows may have any name."""
    made = Quantity.__post_init__

    def watched(row):
        made(row)
        if row.name not in GLOSSARY:
            frame = sys._getframe(1)
            while frame.f_code.co_filename.startswith("<") or frame.f_code.co_name in ("replace", "put", "from_dict"):
                frame = frame.f_back
            if os.sep + os.path.join("src", "msj") + os.sep in frame.f_code.co_filename:
                UNKNOWN.append(f"{row.name} ({frame.f_code.co_filename}:{frame.f_lineno})")

    Quantity.__post_init__ = watched
    yield
    Quantity.__post_init__ = made


def _forget_thresholds():
    known._weights.cache_clear()
    threshold._quick_threshold.cache_clear()
