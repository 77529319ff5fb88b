"""The one progress display: a bar on the terminal for work that takes more than a second, words for what is unusual."""

from __future__ import annotations

import sys
import time
from typing import Any

from msj.cli.messages import colour_is_welcome, printable, say
from msj.results import Progress

SHORT = 1.0  # seconds: what is done sooner gets no bar


class ProgressBar:
    """Shows how far a computation is; ``with ProgressBar() as bar: ask(progress=bar.show)``."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.bar: Any = None
        self.task: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def show(self, now: Progress) -> None:
        """Move the bar to where the computation stands; where there is no terminal, say only what is unusual."""
        if now.notice:
            say(now.words)
        if not sys.stderr.isatty() or time.perf_counter() - self.started < SHORT:
            return
        if self.bar is None:
            self._begin()
        self.bar.update(self.task, completed=now.done, description=printable(now.words))

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        console = Console(stderr=True, color_system="auto" if colour_is_welcome() else None)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self.bar = Progress(*columns, console=console, transient=True)
        self.bar.start()
        self.task = self.bar.add_task("", total=1.0)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
