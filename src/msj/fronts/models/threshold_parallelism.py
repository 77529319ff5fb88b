"""Threshold parallelism under first come first served (wcfs, section 3.3).

A job of a class with threshold l can use up to l servers, with linear speed-up: its size is the time it takes on one
server, and on q servers it is worked on at speed q. Jobs take servers in order of arrival, each its threshold; the one
that no longer finds all of it takes what remains. So the front is full once its thresholds sum to k.

Only the youngest job of a front can have less than its threshold. The order of the others does not matter, nor that of
all of them as long as everybody has enough: they are kept sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msj.errors import InvalidInput
from msj.fronts.front_model import Step
from msj.fronts.models.phased_model import ModelClass, PhasedModel, Types, given_classes, without
from msj.model.numbers import whole


@dataclass(frozen=True, kw_only=True)
class ParallelClass(ModelClass):
    """Jobs that can use up to ``threshold`` servers; ``duration`` is their time on one server."""

    threshold: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "threshold", whole(self.threshold, "threshold"))


@dataclass(frozen=True, kw_only=True)
class ThresholdParallelism(PhasedModel[Types]):
    """Servers given to jobs in order of arrival, to each up to its threshold.

    Examples
    --------
    The example of wcfs, Figure 1, with sizes in server-time (four times those of a machine of capacity 1):

    >>> import msj
    >>> model = ThresholdParallelism(servers=4, classes=[
    ...     ParallelClass(name="inelastic", share="1/2", threshold=1, duration=msj.Exponential(rate="1/2")),
    ...     ParallelClass(name="elastic", share="1/2", threshold=4, duration=msj.Exponential(rate="1/6"))])
    >>> round(msj.analyse_model(model)["stability_threshold"], 9)
    1.0
    """

    servers: int
    classes: Sequence[ParallelClass]

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "classes", given_classes(self.classes, ParallelClass))
        for c in self.classes:
            if c.threshold > self.servers:
                raise InvalidInput(
                    f"class '{c.name}' has threshold {c.threshold} with {self.servers} servers; "
                    f"lower it to {self.servers} (it can never have more) or raise servers"
                )
        self._check_classes()

    @property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return -(-self.servers // min(self._thresholds))

    def full(self, front: Types) -> bool:
        """See :meth:`FrontModel.full`."""
        return self._wanted(front) >= self.servers

    def add(self, front: Types, job: int) -> Types:
        """See :meth:`FrontModel.add`."""
        return self._arranged((*front, job))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        """See :meth:`FrontModel.steps`."""
        shortage = max(0, self._wanted(front) - self.servers)
        for place, job in enumerate(front):
            speed = self._thresholds[job] - (shortage if place == len(front) - 1 else 0)
            for rate, after in self.changes(job, speed):
                if after is None:
                    yield rate, self._arranged(without(front, place)), True
                else:
                    yield rate, self._arranged(without(front, place, after)), False

    def busy_servers(self, front: Types) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return float(min(self.servers, self._wanted(front)))

    def _arranged(self, front: Types) -> Types:
        if self._wanted(front) <= self.servers:
            return tuple(sorted(front))
        return (*sorted(front[:-1]), front[-1])

    def _wanted(self, front: Iterable[int]) -> int:
        return sum(self._thresholds[job] for job in front)

    @cached_property
    def _thresholds(self) -> tuple[int, ...]:
        return tuple(self.classes[c].threshold for c in self.types.class_of)
