"""The first decisions of a policy: what it did, one event after the other."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from msj.answers.question import SystemLike, as_system, root_of
from msj.answers.simulate import with_arrival_rate
from msj.engines.recording import Event
from msj.errors import InvalidInput
from msj.model.numbers import whole
from msj.results.grid import write_grid
from msj.simulation.event_recorder import record_events
from msj.simulation.question import arrival_rate_of
from msj.workloads import Rng

MAX_DECISIONS = 100_000
WIDTH = 110
LISTED = 8  # jobs that a column of the table names


@dataclass(frozen=True, kw_only=True)
class Decision(Event):
    """An event with the names and needs of the jobs in it; jobs are numbered in order of arrival, from 0.

    Parameters
    ----------
    job_class, need
        Of the job that arrived or completed.
    waiting
        Jobs in the system that are not served.
    """

    job_class: str
    need: int

    @property
    def waiting(self) -> tuple[int, ...]:
        """Jobs in the system that are not in service, in order of arrival."""
        return tuple(job for job in self.present if job not in self.served)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data."""
        return {
            "time": self.time,
            "event": "arrival" if self.arrival else "completion",
            "job": self.job,
            "class": self.job_class,
            "need": self.need,
            "present": list(self.present),
            "served": list(self.served),
            "started": list(self.started),
            "preempted": list(self.stopped),
            "free_servers": self.free,
        }


@dataclass(frozen=True, kw_only=True)
class Decisions(Sequence[Decision]):
    """Decisions in order of time; printed, a table."""

    rows: tuple[Decision, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Decision, ...]: ...
    def __getitem__(self, index: int | slice) -> Decision | tuple[Decision, ...]:
        return self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the decisions as plain data, for JSON or a data frame."""
        return [row.to_dict() for row in self.rows]

    def to_csv(self) -> str:
        """Return the decisions as CSV; lists of jobs are separated by blanks."""
        out = io.StringIO()
        writer: Any = None
        for row in self.to_dicts():
            writer = writer or csv.DictWriter(out, list(row), lineterminator="\n")
            if out.tell() == 0:
                writer.writeheader()
            writer.writerow({key: " ".join(map(str, v)) if isinstance(v, list) else v for key, v in row.items()})
        return out.getvalue()

    def to_text(self, width: int = WIDTH) -> str:
        """Return the table as text."""
        headings = ("time", "event", "class", "need", "served", "waiting", "started", "preempted", "free")
        cells = [
            (
                f"{row.time:.6g}",
                f"{'arrival' if row.arrival else 'completion'} of {row.job}",
                row.job_class,
                f"{row.need}",
                *(_listed(jobs) for jobs in (row.served, row.waiting, row.started, row.stopped)),
                f"{row.free}",
            )
            for row in self.rows
        ]
        return write_grid(headings, cells, width=width, emphasise=str)

    __str__ = to_text


def _count(given: Any) -> int:
    count = whole(given, "count")
    if count > MAX_DECISIONS:
        raise InvalidInput(f"count = {count:,} is more than are listed; give at most {MAX_DECISIONS:,}")
    return count


def _listed(jobs: tuple[int, ...]) -> str:
    if len(jobs) <= LISTED:
        return " ".join(map(str, jobs)) or "-"
    return f"{' '.join(map(str, jobs[:LISTED]))} +{len(jobs) - LISTED}"


def decisions(system: SystemLike, count: int = 20, *, policy: Any = None, seed: Rng = None) -> Decisions:
    """Return the first decisions of a policy on a system that starts empty.

    Jobs are those that :func:`msj.simulate` with the same seed begins with.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; it says how much arrives.
    count
        How many decisions.
    policy
        Another policy than the system's; the load is that of the system's own.
    seed
        Seed of the jobs, as for :func:`msj.simulate`.

    Examples
    --------
    >>> import msj
    >>> first = msj.decisions("examples/two_servers.toml", 3, seed=1)
    >>> [(row.arrival, row.job, row.free) for row in first]
    [(True, 0, 1), (False, 0, 2), (True, 1, 0)]
    """
    count = _count(count)
    served = with_arrival_rate(as_system(system))
    if policy is not None:
        served = served.replace(policy=policy)
    jobs, events = record_events(served, arrival_rate_of(served), count, root_of(None, seed))
    names = [served.classes[index].name for index in jobs.job_class.tolist()]
    rows = [Decision(**vars(event), job_class=names[event.job], need=int(jobs.need[event.job])) for event in events]
    return Decisions(rows=tuple(rows))
