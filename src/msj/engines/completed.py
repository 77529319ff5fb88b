"""What an engine is, and what it gives back: jobs that are through, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from msj.workloads.job_block import JobBlock


@dataclass(frozen=True, kw_only=True)
class Completed:
    """Jobs with the time of their first start and their finish, in the order the engine found them.

    ``number`` counts jobs in order of arrival. A job that was turned away has its finish at its arrival and a start
    after it, which never comes. A preempted job keeps its first start; ``preemptions`` is None where
    the engine never preempts.
    """

    number: NDArray[np.int64]
    arrival: NDArray[np.float64]
    job_class: NDArray[np.int64]
    need: NDArray[np.int64]
    duration: NDArray[np.float64]
    start: NDArray[np.float64]
    finish: NDArray[np.float64]
    preemptions: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.number)

    @classmethod
    def none(cls) -> Completed:
        """No jobs."""
        whole, real = np.empty(0, dtype=np.int64), np.empty(0)
        return cls(number=whole, arrival=real, job_class=whole, need=whole, duration=real, start=real, finish=real)

    def copy(self) -> Completed:
        """Return the same jobs in arrays of their own."""
        columns: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        copies: dict[str, Any] = {name: None if old is None else old.copy() for name, old in columns.items()}
        return Completed(**copies)

    @classmethod
    def join(cls, parts: list[Completed]) -> Completed:
        """Put several together, in order of arrival."""
        columns = {}
        for field in fields(cls):
            columns[field.name] = [getattr(part, field.name) for part in parts]
        if any(column is not None for column in columns["preemptions"]):
            columns["preemptions"] = [
                np.zeros(len(part), dtype=np.int64) if part.preemptions is None else part.preemptions for part in parts
            ]
        else:
            del columns["preemptions"]
        joined = {name: np.concatenate(column) for name, column in columns.items()}
        order = np.argsort(joined["number"], kind="stable")
        return cls(**{name: column[order] for name, column in joined.items()})


class Engine(Protocol):
    """Who is served when; keeps its state between blocks and can be pickled in between."""

    @property
    def clock(self) -> float:
        """Time of the last arrival."""

    @property
    def wasted_area(self) -> float:
        """Integral over time of the servers idle while jobs wait."""

    @property
    def lost_area(self) -> float:
        """Server-time of service that was lost when jobs were stopped, since the beginning."""

    @property
    def areas(self) -> Mapping[str, float]:
        """Integrals over time since the beginning, by the name of the row that their time average is; often none."""

    def present(self) -> float:
        """Jobs in the system now, at least roughly: what shows whether the queue keeps growing."""

    def advance(self, block: JobBlock) -> Completed:
        """Let the block's jobs arrive; return those known to be through, in arrays good until the next call."""

    def drain(self) -> Completed:
        """Serve what is left after the last arrival."""
