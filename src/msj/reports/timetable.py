"""How long a report may take: each section has a share of the time and an effort that ends with it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from msj.effort import Effort, Watch, within
from msj.model.numbers import positive


@dataclass(kw_only=True)
class Timetable:
    """The time of one report.

    Work stops at the end of its section with what there is (``Effort.over``); what is not begun by then is left out.
    """

    seconds: float
    progress: Watch | None = None
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.seconds = float(positive(self.seconds, "seconds"))

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.started

    def section(self, words: str, until: float, **limits: object) -> Effort:
        """Return the effort of a section that should be done by a share of the whole time."""
        begin = min(self.spent / self.seconds, until)
        watch = None if self.progress is None else within(self.progress, begin, until, words)
        effort = Effort(until=self.started + until * self.seconds, progress=watch).replace(**limits)
        effort.tell(0.0)
        return effort
