"""What the fronts of models share: classes of jobs with phase-type durations.

A job is a *type*, a class and the phase its duration is in (``job_types``): a fresh job of class i is in phase j with
probability p_i·alpha_ij, and a job served at speed s changes phase and completes at s times the rates of its law.
A front may be any arrangement of types; a model says which jobs it holds (``jobs``), and the rest follows.

These fronts are made by ``front_of`` from a system that its discipline supports: nothing is checked here again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from msj.fronts.front_model import Front, FrontModel
from msj.fronts.job_types import JobTypes, types_of
from msj.model import JobClass, System

Types: TypeAlias = tuple[int, ...]


class PhasedFront(FrontModel[Front, Any]):
    """A front whose jobs are types of the classes of a system."""

    def __init__(self, system: System) -> None:
        self.servers = system.servers
        self.classes: Sequence[JobClass] = system.classes
        self.class_names = tuple(c.name for c in system.classes)

    @cached_property
    def types(self) -> JobTypes:
        """All types."""
        return types_of(self.classes)

    @cached_property
    def needs(self) -> tuple[int, ...]:
        """The need of each type."""
        return tuple(self.types.needs.tolist())

    def need_of(self, jobs: Iterable[int]) -> int:
        """Return the need of some types together."""
        return sum(self.needs[job] for job in jobs)

    def fresh(self) -> Iterable[tuple[Any, float]]:
        return [(job, float(chance)) for job, chance in enumerate(self.types.fresh)]

    def class_of(self, job: Any) -> int:
        return int(self.types.class_of[job])

    def size(self, front: Front) -> int:
        return len(tuple(self.jobs(front)))

    def class_counts(self, front: Front) -> Sequence[int]:
        classes = [self.class_of(job) for job in self.jobs(front)]
        return [classes.count(c) for c in range(len(self.class_names))]

    @cached_property
    def _changes(self) -> tuple[tuple[tuple[float, int | None], ...], ...]:
        rows = zip(self.types.phase_changes, self.types.completion_rates, strict=True)
        return tuple(
            tuple((float(rate), j) for j, rate in enumerate(row) if rate > 0) + (((float(end), None),) if end else ())
            for row, end in rows
        )

    def changes(self, job: int, speed: float = 1.0) -> Iterator[tuple[float, int | None]]:
        """Yield (rate, type after) for a type served at a speed; None when it completes."""
        return ((speed * rate, after) for rate, after in self._changes[job])


def without(jobs: Sequence[Any], position: int, *others: Any) -> tuple[Any, ...]:
    """Return the jobs with the one at a position replaced by ``others`` (by nothing: taken out)."""
    return (*jobs[:position], *others, *jobs[position + 1 :])
