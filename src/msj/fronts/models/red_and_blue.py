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
from typing import Any, ClassVar

from msj.errors import InvalidInput
from msj.fronts.front_model import Step
from msj.fronts.models.phased_model import ModelClass, PhasedModel, Types, given_classes, without
from msj.fronts.models.system_model import SystemModel
from msj.model import System
from msj.model.numbers import whole

Colours = tuple[Types, Types]


COLOURS = ("red", "blue")


@dataclass(frozen=True, kw_only=True)
class ColouredClass(ModelClass):
    """Jobs of one colour, ``"red"`` or ``"blue"``."""

    colour: str

    def __post_init__(self) -> None:
        super().__post_init__()
        _colour(self.colour)


def _colour(value: object) -> str:
    if value not in COLOURS:
        raise InvalidInput(f"colour = {value!r} is unknown; write 'red' or 'blue'")
    return str(value)


@dataclass(frozen=True, kw_only=True)
class RedAndBlue(PhasedModel[Colours]):
    """Servers that serve one colour at a time.

    Examples
    --------
    >>> import msj
    >>> model = RedAndBlue(servers=2, classes=[
    ...     ColouredClass(name="a", share=0.5, colour="red", duration=msj.Exponential(mean=1)),
    ...     ColouredClass(name="b", share=0.5, colour="blue", duration=msj.Exponential(mean=3))])
    >>> round(msj.analyse_model(model)["stability_threshold"], 9)
    1.0
    """

    servers: int
    classes: Sequence[ColouredClass]

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "classes", given_classes(self.classes, ColouredClass))
        self._check_classes()

    @property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

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
        colour = COLOURS.index(self.classes[self.class_of(job)].colour)
        return self._with(front, colour, (*front[colour], job))

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


@dataclass(frozen=True, kw_only=True)
class RedAndBlueModel(SystemModel):
    """In a spec file: model = "red-and-blue"; in its classes: need = 1 and colour = "red" or "blue"."""

    name: ClassVar[str] = "red-and-blue"
    summary: ClassVar[str] = "jobs are red or blue and need one server; only one colour is in service at a time"
    citation: ClassVar[str] = "wcfs, section 2.2"
    class_keys: ClassVar[tuple[str, ...]] = ("colour",)

    def class_value(self, key: str, value: Any) -> str:  # noqa: ARG002
        """See :meth:`SystemModel.class_value`."""
        return _colour(value)

    def oldest_served(self, servers: int) -> int:
        """See :meth:`SystemModel.oldest_served`; at most k − 1 of the other colour are passed over."""
        return 2 * servers - 1

    def check(self, system: System) -> None:
        """See :meth:`SystemModel.check`."""
        for index, c in enumerate(system.classes):
            reason = None
            if "colour" not in c.extra:
                reason = f"class '{c.name}' has no colour; add colour = 'red' or 'blue'"
            elif c.need != 1:
                reason = f"class '{c.name}' needs {c.need} servers and in this model every job needs one; set need = 1"
            if reason is not None:
                raise InvalidInput(reason, where=f"classes[{index}]")

    def front(self, system: System) -> RedAndBlue:
        """See :meth:`SystemModel.front`."""
        classes = [
            ColouredClass(name=c.name, share=c.share, colour=c.extra["colour"], duration=c.duration)
            for c in system.classes
        ]
        return RedAndBlue(servers=system.servers, classes=classes)


VARIANT = RedAndBlueModel
