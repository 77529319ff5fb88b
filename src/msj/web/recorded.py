"""A log that the page is of: its jobs, to be replayed, and a cluster of independent classes in its likeness.

The classes are the log's groups by need (each need of its own where there are few, else powers of two). A class has the
group's share of the jobs and its mean need, rounded; durations have the mean that keeps the group's work (need ×
duration) and the group's coefficient of variation. Jobs come at the log's mean rate, independently. What a log has
beside that (hours of the day, users who submit the same again and again) is in its replay and not in the classes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from msj.errors import InvalidInput
from msj.logs import Trace, read_log
from msj.logs.groups import by_need
from msj.model import System
from msj.model.spec_file import from_document
from msj.results.units import TIME_UNITS

UNIT = "hours"  # of the classes; a log's own seconds make rates nobody can read
PER_UNIT = float(TIME_UNITS[UNIT].seconds)
LEAST_CV, MOST_CV = 0.2, 20.0  # of a fitted law; beyond them it would have too many stages, or none would be seen


@dataclass(frozen=True, kw_only=True)
class Recording:
    """The file of a log and how to read it; read when it is first asked for."""

    file: Path
    reading: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def trace(self) -> Trace:
        """Its jobs."""
        return read_log(self.file, **self.reading)

    @cached_property
    def servers(self) -> int:
        """The machine's size."""
        if self.trace.servers is None:
            raise InvalidInput("the log does not say how many servers there are; give --servers N").in_file(self.file)
        return self.trace.servers

    @cached_property
    def arrival_rate(self) -> float:
        """Jobs per hour, from the first submission to the last."""
        submitted = self.trace.column("submit")
        span = float(submitted[-1] - submitted[0]) if len(submitted) else 0.0
        if span <= 0:
            raise InvalidInput("the jobs of the log are all submitted at once; a page needs some time between them")
        return PER_UNIT * len(submitted) / span

    @cached_property
    def jobs_per_server(self) -> float:
        """Jobs per hour that one server's time suffices for, if none is wasted."""
        work = self.trace.column("need").astype(float) * self.trace.column("run").astype(float)
        return PER_UNIT / float(work.mean())

    def to_json(self) -> str:
        """Return it as one argument of another process."""
        return json.dumps({"file": os.fspath(self.file), "reading": dict(self.reading)}, default=str)

    @classmethod
    def from_json(cls, text: str) -> Recording:
        """Return what :meth:`to_json` was made of."""
        found = json.loads(text)
        return cls(file=Path(found["file"]), reading=found["reading"])

    def in_the_catalogue(self) -> dict[str, Any]:
        """Return what the page needs to know of it; no path, which is nobody's business."""
        return {
            "name": self.trace.source,
            "jobs": len(self.trace),
            "arrival_rate": self.arrival_rate,
            "time_unit": UNIT,
            "servers": self.servers,
            "jobs_per_server": self.jobs_per_server,
        }

    def as_system(self) -> System:
        """Return the cluster of independent classes.

        Examples
        --------
        >>> system = Recording(file=Path("examples/logs/small_cluster.swf")).as_system()
        >>> system.servers, len(system.classes), system.time_unit
        (32, 7, 'hours')
        """
        need, run = self.trace.column("need").astype(np.int64), self.trace.column("run").astype(float) / PER_UNIT
        groups = by_need(need)
        classes = []
        for index, name in enumerate(groups.names):
            chosen = groups.of_job == index
            size = max(round(float(need[chosen].mean())), 1)
            mean = float((need[chosen] * run[chosen]).mean()) / size
            classes.append(
                {
                    "name": name,
                    "need": size,
                    "count": int(chosen.sum()),
                    "duration": _law(mean, float(run[chosen].std() / run[chosen].mean())),
                }
            )
        return from_document(
            {
                "name": self.trace.source,
                "time_unit": UNIT,
                "servers": self.servers,
                "arrival_rate": self.arrival_rate,
                "classes": classes,
            }
        )


def _law(mean: float, cv: float) -> dict[str, Any]:
    if cv < LEAST_CV:
        return {"law": "deterministic", "value": mean}
    return {"law": "fit", "mean": mean, "cv": min(cv, MOST_CV)}
