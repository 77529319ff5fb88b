"""Limited processor sharing: the ``level`` oldest jobs share one machine equally (wcfs, section 3.2).

With n jobs present each of the m = min(n, level) oldest is worked on at speed/m. Level 1 is M/G/1 first come first
served; without a limit it is processor sharing, E[T] = E[S]/(1 − rho) whatever the law of the sizes. All jobs of the
front are treated alike, so it is a multiset of types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msj.fronts.front_model import Step
from msj.fronts.models.phased_model import ModelClass, PhasedModel, Sizes, Types, classes_of, frozen_sizes, without
from msj.model.numbers import Number, positive, whole


@dataclass(frozen=True, kw_only=True)
class LimitedProcessorSharing(PhasedModel[Types]):
    """One machine shared by the ``level`` oldest jobs.

    Examples
    --------
    >>> import msj
    >>> model = LimitedProcessorSharing(level=2, duration=[("1/2", msj.Exponential(rate=4)),
    ...                                                    ("1/2", msj.Exponential(rate="1/2"))])
    >>> result = msj.analyse_model(model, load=0.8)
    >>> round(result["mean_response_time"], 3), round(result["mean_response_time", "class 1"], 3)
    (7.795, 6.21)
    """

    level: int
    duration: Sizes
    speed: Number = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", whole(self.level, "level"))
        object.__setattr__(self, "speed", positive(self.speed, "speed"))
        object.__setattr__(self, "duration", frozen_sizes(self.duration))
        self._check_classes()

    @cached_property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return classes_of(self.duration)

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return self.level

    def add(self, front: Types, job: int) -> Types:
        """See :meth:`FrontModel.add`."""
        return tuple(sorted((*front, job)))

    def steps(self, front: Types) -> Iterator[Step[Types]]:
        """See :meth:`FrontModel.steps`."""
        for job in sorted(set(front)):
            speed = float(self.speed) * front.count(job) / len(front)
            for rate, after in self.changes(job, speed):
                left = without(front, front.index(job))
                yield (rate, left, True) if after is None else (rate, self.add(left, after), False)

    def busy_servers(self, front: Types) -> float:
        """See :meth:`FrontModel.busy_servers`: a machine of speed k is k servers, all in use while a job is there."""
        return float(self.speed) if front else 0.0
