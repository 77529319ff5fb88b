"""A test that takes very much longer than it should does not end: ``pytest -p verification.hanging``.

Seconds of the processor, so that a busy machine changes little. How long a test takes without a slip stands in
``build/seconds.json``: if it takes several times as long and AFTER seconds more (a loop may have to be compiled), the
process is ended by the signal, since compiled loops hear no other. Of a test that does not stand there nothing is
known, and what takes longer than UNKNOWN seconds is left out.
"""

import json
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

AFTER, TIMES = 40.0, 4.0
UNKNOWN = 5.0
CLOCK = 240.0  # seconds of the clock, for a test that waits
SECONDS = Path("build") / "seconds.json"  # below the project


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Give each test its time."""
    known = _seconds(item.config.rootpath / SECONDS)
    seconds = known.get(item.nodeid, known.get(item.nodeid.partition("::")[0]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL if seconds is not None else _leave_out)
    signal.setitimer(signal.ITIMER_PROF, UNKNOWN if seconds is None else AFTER + TIMES * seconds)
    signal.setitimer(signal.ITIMER_REAL, CLOCK)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)


@cache
def _seconds(kept: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    return found


def _leave_out(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    pytest.skip("takes too long")
