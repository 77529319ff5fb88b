"""A test that takes very much longer than it should does not end: ``pytest -p verification.hanging``.

Seconds of the processor, so that a busy machine changes little. A test that is named is known to be quick: if it takes
AFTER seconds the process is ended by the signal, since compiled loops hear no other. Where a whole file is named
nothing is known, and what takes longer than LONGEST is left out.
"""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from verification.reached import LONGEST

AFTER = 20.0  # seconds
KNOWN: set[str] = set()
CLOCK = 900.0  # seconds of the clock, for a test that waits


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Give each test its time."""
    known = item.nodeid in KNOWN or item.nodeid in item.config.args
    signal.signal(signal.SIGPROF, signal.SIG_DFL if known else _leave_out)
    signal.setitimer(signal.ITIMER_PROF, AFTER if known else LONGEST)
    signal.setitimer(signal.ITIMER_REAL, CLOCK)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _leave_out(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    pytest.skip("takes too long")
