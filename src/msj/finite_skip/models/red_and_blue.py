"""Red and blue M/G/k: only jobs of one colour may be in service at a time (wcfs, section 2.2).

Jobs are counted in order of arrival until k red or k blue ones are found; all k of that colour are served. If there are
fewer than k of both, the more numerous colour is served, and red if there are as many of each (the paper leaves this
open). Preempted jobs resume where they were. At most k − 1 of the other colour are passed over, so n = 2k − 1.

A full front has k servers busy: the model wastes nothing and lambda* = k/E[duration]. Who came first within a front
does not matter, so it is (red types, blue types), each sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msj.finite_skip.front_model import Step
from msj.finite_skip.models.phased_model import ModelClass, PhasedModel, Types, without
from msj.model.durations import Duration
from msj.model.numbers import Number, probability, whole

Colours = tuple[Types, Types]


@dataclass(frozen=True, kw_only=True)
class RedAndBlue(PhasedModel[Colours]):
    """Servers that serve one colour at a time.

    Examples
    --------
    >>> import msj
    >>> model = RedAndBlue(servers=2, red_share=0.5, red=msj.Exponential(mean=1), blue=msj.Exponential(mean=3))
    >>> round(msj.analyse_model(model)["stability_threshold"], 9)
    1.0
    """

    servers: int
    red_share: Number
    red: Duration
    blue: Duration

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "red_share", probability(self.red_share, "red_share"))
        self._check_classes()

    @cached_property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return (
            ModelClass(name="red", share=self.red_share, duration=self.red),
            ModelClass(name="blue", share=1 - self.red_share, duration=self.blue),
        )

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return 2 * self.servers - 1

    def empty(self) -> Colours:
        """See :meth:`FrontModel.empty`."""
        return ((), ())

    def jobs(self, front: Colours) -> Types:
        """See :meth:`PhasedModel.jobs`."""
        return front[0] + front[1]

    def full(self, front: Colours) -> bool:
        """See :meth:`FrontModel.full`."""
        return max(map(len, front)) >= self.servers

    def add(self, front: Colours, job: int) -> Colours:
        """See :meth:`FrontModel.add`."""
        return self._with(front, self.class_of(job), (*front[self.class_of(job)], job))

    def steps(self, front: Colours) -> Iterator[Step[Colours]]:
        """See :meth:`FrontModel.steps`."""
        colour = self.served(front)
        served = front[colour]
        for place, job in enumerate(served):
            for rate, after in self.changes(job):
                left = without(served, place) if after is None else without(served, place, after)
                yield rate, self._with(front, colour, left), after is None

    def busy_servers(self, front: Colours) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return float(max(map(len, front)))

    def served(self, front: Colours) -> int:
        """Return the colour in service: 0 for red, 1 for blue."""
        return int(len(front[1]) > len(front[0]))

    def _with(self, front: Colours, colour: int, jobs: Types) -> Colours:
        arranged = tuple(sorted(jobs))
        return (arranged, front[1]) if colour == 0 else (front[0], arranged)
