"""Ctrl-C wherever it comes: what it breaks on its way out is no defect.

An interrupt is raised between any two steps of Python, also inside a library's generator or clean-up, which may turn it
into an error of another name. So it is noted when it comes, and whoever meets such an error can ask.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def noted_interrupts() -> Iterator[Callable[[], bool]]:
    """Note interrupts; yields whether one has come. Somebody else's handler is left alone."""
    came = threading.Event()

    def note(_: int, __: FrameType | None) -> NoReturn:
        came.set()
        raise KeyboardInterrupt

    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield came.is_set
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def forget_interrupt() -> None:
    """Let the interpreter forget an interrupt that was answered, so that the exit code is ours.

    CPython notes an interrupt that leaves ``exec`` or ``eval`` of a text (dataclasses and named tuples are made by
    them, so importing does it, too) as unhandled, whoever catches it later, and then ends by killing itself with SIGINT
    instead of by the exit code. Running another text takes that note back.
    """
    exec("")
