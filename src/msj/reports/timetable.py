"""How much work a report may do: each section has a share of it, counted in jobs and operations, not in seconds.

``seconds`` are those of a nominal machine, which simulates :data:`JOBS_PER_SECOND` and carries out
:data:`OPERATIONS_PER_SECOND`. So a seed gives the same report on every machine. The clock ends a report only where it
takes :data:`LATE` times as long and :data:`COMPILING` seconds more; the result then says so in its outcome.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from msj.effort import USUAL, Effort, Watch, within
from msj.model.numbers import positive

JOBS_PER_SECOND = 1e6
OPERATIONS_PER_SECOND = 1e10
LATE = 3.0
COMPILING = 60.0  # seconds that the first report after an installation may compile


@dataclass(kw_only=True)
class Timetable:
    """The work of one report.

    Parameters
    ----------
    seconds
        Of a nominal machine.
    progress
        Told how far the report is.
    started
        When it began, by ``time.monotonic()``.
    """

    seconds: float
    progress: Watch | None = None
    started: float = field(default_factory=time.monotonic)
    _shares: float = 0.0  # of the sections so far

    def __post_init__(self) -> None:
        self.seconds = float(positive(self.seconds, "seconds"))

    @property
    def spent(self) -> float:
        """Seconds since the beginning, by the clock."""
        return time.monotonic() - self.started

    @property
    def until(self) -> float:
        """The moment, by ``time.monotonic()``, at which the clock ends the report."""
        return self.started + LATE * self.seconds + COMPILING

    @property
    def late(self) -> bool:
        """Whether the clock has ended the report, so that it depends on the machine."""
        return time.monotonic() >= self.until

    def jobs(self, share: float) -> int:
        """Return the jobs that a share of the report may simulate.

        Examples
        --------
        >>> Timetable(seconds=60).jobs(0.1)
        6000000
        """
        return round(JOBS_PER_SECOND * share * self.seconds)

    def section(self, words: str, share: float, *, parts: int = 1, **limits: object) -> Effort:
        """Return the effort of the next section; exact methods may spend its operations ``parts`` times."""
        begin, self._shares = self._shares, min(self._shares + share, 1.0)
        watch = None if self.progress is None else within(self.progress, begin, self._shares, words)
        operations = min(USUAL.operations, OPERATIONS_PER_SECOND * share * self.seconds / parts)
        effort = Effort(operations=operations, until=self.until, progress=watch).replace(**limits)
        effort.tell(0.0)
        return effort
