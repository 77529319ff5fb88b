"""The state of event engines, in arrays with names: it is pickled between blocks and changed by compiled loops.

A job present occupies one row (slot) of the table ``jobs``; free slots are linked through ``next``. Every engine adds
the columns it needs. Compiled loops get the arrays in a few groups: who arrives, who is present, who has finished.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

ROW = 128  # bytes: finding a row is a shift, and no row lies across two pairs of cache lines
NOBODY = -1

_EVERY_JOB = {
    "arrival": "f8",
    "duration": "f8",
    "remaining": "f8",  # service still needed, while the job is not in service
    "start": "f8",  # of the first service; -1 before
    "finish": "f8",  # of the present service; infinite while there is none
    "number": "i8",
    "job_class": "i8",
    "need": "i8",
    "preemptions": "i8",
    "next": "i8",  # in the line the job stands in, or among free slots
    "position": "i8",  # in the heap of running jobs
}


def job_row(**columns: str) -> np.dtype[Any]:
    """Return the row of a table of jobs with some columns more, each given by its type.

    Examples
    --------
    >>> job_row(server="i8").names[-2:], job_row().itemsize
    (('position', 'server'), 128)
    """
    fields = _EVERY_JOB | columns
    offsets = [8 * i for i in range(len(fields))]
    assert 8 * len(fields) <= ROW
    return np.dtype({"names": list(fields), "formats": list(fields.values()), "offsets": offsets, "itemsize": ROW})


#: One number each about the whole.
STATE = np.dtype(
    [
        ("now", "f8"),
        ("wasted_area", "f8"),  # integral over time of the servers idle while jobs wait
        ("lost_area", "f8"),  # server-time of service that was lost when a job was stopped
        ("restart", "i8"),  # whether it is lost then
        ("idle", "i8"),  # servers
        ("present", "i8"),  # jobs, running or not
        ("running", "i8"),
        ("arrived", "i8"),  # jobs, since the beginning
        ("taken", "i8"),  # jobs of the block that have arrived
        ("finished", "i8"),  # jobs written out
        ("free_slot", "i8"),
        ("first", "i8"),  # of the line of jobs
        ("last", "i8"),
    ]
)


class Arriving(NamedTuple):
    """The jobs of a block, and whether they are the last, so that all present are served to the end."""

    arrival: Any
    job_class: Any
    need: Any
    duration: Any
    last: bool


class Present(NamedTuple):
    """The table of jobs, the heap of those running by the time they finish, and the one row of :data:`STATE`."""

    jobs: Any
    heap: Any
    state: Any


class Finished(NamedTuple):
    """Columns of the jobs that are through."""

    number: Any
    job_class: Any
    need: Any
    preemptions: Any
    arrival: Any
    duration: Any
    start: Any
    finish: Any

    @classmethod
    def room_for(cls, jobs: int) -> Finished:
        """Return columns for so many jobs."""
        return cls(*np.empty((4, jobs), dtype=np.int64), *np.empty((4, jobs)))


class Draws(NamedTuple):
    """Random numbers for a loop, drawn outside it, and how many of them are used up."""

    values: Any
    used: Any


# What a loop says when it returns.
FINISHED, TOO_MANY_SERVERS, STOPPED_A_JOB, MORE_DRAWS = range(4)
