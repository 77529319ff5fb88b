"""Servers of different speeds, one job each, in order of arrival (wcfs, section 3.1; theory of n = k oldest jobs).

A job on server i is worked on at speed v_i: its size is the time it would take at speed 1. No job waits while a server
is free. Which job is on which server is the assignment rule:

- ``fastest-first``  preemptive: after every change the oldest job is on the fastest server, the next on the second
  fastest, and so on (Preemptive Fastest Server First);
- ``slowest-first``  the same with the slowest server first: what careless placing costs at most;
- ``stay``           a job takes the fastest free server when it starts and stays there.

In a front the jobs are in order of arrival, or, with ``stay``, one place per server. Equal servers are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msj.errors import InvalidInput
from msj.fronts.front_model import Step
from msj.fronts.models.phased_model import ModelClass, PhasedModel, Sizes, Types, classes_of, frozen_sizes, without
from msj.model.numbers import Number, positive, vector

ASSIGNMENTS = ("fastest-first", "slowest-first", "stay")
FREE = -1


@dataclass(frozen=True, kw_only=True)
class Heterogeneous(PhasedModel[Types]):
    """M/G/k with servers of given speeds.

    Examples
    --------
    >>> import msj
    >>> model = Heterogeneous(speeds=[2, "1/2"], duration=msj.Exponential(mean=1))
    >>> result = msj.analyse_model(model, load=0.8)
    >>> round(result["stability_threshold"], 6), round(result["mean_response_time"], 6)
    (2.5, 2.083333)
    """

    speeds: Sequence[Number | str]
    duration: Sizes
    assignment: str = "fastest-first"

    def __post_init__(self) -> None:
        speeds = vector(self.speeds, "speeds")
        for i, speed in enumerate(speeds):
            positive(speed, f"speeds[{i}]")
        object.__setattr__(self, "speeds", speeds)
        object.__setattr__(self, "duration", frozen_sizes(self.duration))
        if self.assignment not in ASSIGNMENTS:
            raise InvalidInput(f"assignment = {self.assignment!r} is not one of {', '.join(ASSIGNMENTS)}; choose one")
        self._check_classes()

    @cached_property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return classes_of(self.duration)

    @cached_property
    def in_order(self) -> tuple[float, ...]:
        """Speeds in the order in which servers are taken."""
        return tuple(sorted(map(float, self.speeds), reverse=self.assignment != "slowest-first"))

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return len(self.speeds)

    def empty(self) -> Types:
        """See :meth:`FrontModel.empty`."""
        return (FREE,) * self.most_jobs if self.assignment == "stay" else ()

    def jobs(self, front: Types) -> Types:
        """See :meth:`PhasedModel.jobs`."""
        return tuple(job for job in front if job != FREE)

    def add(self, front: Types, job: int) -> Types:
        """See :meth:`FrontModel.add`."""
        if self.assignment == "stay":  # the first free place is on the fastest free server
            return self._arranged(without(front, front.index(FREE), job))
        return self._arranged((*front, job))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        """See :meth:`FrontModel.steps`."""
        for place, (job, speed) in enumerate(zip(front, self.in_order, strict=False)):
            if job == FREE:
                continue
            for rate, after in self.changes(job, speed):
                if after is not None:
                    yield rate, self._arranged(without(front, place, after)), False
                elif self.assignment == "stay":
                    yield rate, self._arranged(without(front, place, FREE)), True
                else:
                    yield rate, self._arranged(without(front, place)), True

    def busy_servers(self, front: Types) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return float(self.size(front))

    def _arranged(self, front: Types) -> Types:
        """Jobs that keep their servers may be sorted among equal ones; so may all jobs if all servers are equal."""
        if self.assignment == "stay":
            groups = [[job for job, v in zip(front, self.in_order, strict=True) if v == speed] for speed in self._kinds]
            return tuple(job for group in groups for job in sorted(group, reverse=True))
        return tuple(sorted(front)) if len(self._kinds) == 1 else front

    @cached_property
    def _kinds(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys(self.in_order))
