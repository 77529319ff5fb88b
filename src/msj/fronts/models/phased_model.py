"""What the models of this room share: classes of jobs with phase-type sizes.

A job is a *type*, a class and the phase its size is in (``job_types``): a fresh job of class i is in phase j with
probability p_i·alpha_ij, and a job served at speed s changes phase and completes at s times the rates of its law.
A front may be any arrangement of types; a model says which jobs it holds (``jobs``), and the rest follows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from msj.errors import InvalidInput
from msj.fronts.front_model import Front, FrontModel
from msj.fronts.job_types import JobTypes, job_types
from msj.model import JobClass, System
from msj.model.durations import Duration
from msj.model.numbers import Number, probability
from msj.model.value import Value

Types: TypeAlias = tuple[int, ...]
#: One law for all jobs, (share, law) for each class, or the classes.
Sizes: TypeAlias = "Duration | Sequence[tuple[Number | str, Duration]] | Sequence[ModelClass]"


@dataclass(frozen=True, kw_only=True)
class ModelClass(Value):
    """A class of jobs: its name, its share of all arrivals, the law of its sizes; models add what they need.

    Examples
    --------
    >>> from msj import Exponential
    >>> ModelClass(name="short", share="1/3", duration=Exponential(mean=1)).share
    Fraction(1, 3)
    """

    name: str
    share: Number
    duration: Duration

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f"name = {self.name!r} must be a non-empty text; name the class")
        object.__setattr__(self, "share", probability(self.share, "share"))
        if not isinstance(self.duration, Duration):
            raise InvalidInput(f"duration = {self.duration!r} is not a duration law; write Exponential(mean=1)")


class PhasedModel(FrontModel[Front, Any]):
    """A front model whose jobs are types of classes with phase-type sizes."""

    @property
    @abstractmethod
    def job_classes(self) -> Sequence[ModelClass | JobClass]:
        """The classes of jobs."""

    @cached_property
    def types(self) -> JobTypes:
        """All types; refused if shares do not sum to 1, names repeat or a law is not phase type."""
        classes = [JobClass(name=c.name, need=1, share=c.share, duration=c.duration) for c in self.job_classes]
        return job_types(System(servers=1, classes=tuple(classes)))

    def _check_classes(self) -> None:
        """Validate the classes and name them; for ``__post_init__``."""
        _ = self.types
        object.__setattr__(self, "class_names", tuple(c.name for c in self.job_classes))

    def jobs(self, front: Front) -> Iterable[Any]:
        """Return the jobs of a front, each as :meth:`class_of` understands it."""
        return front  # type: ignore[return-value]

    def fresh(self) -> Iterable[tuple[Any, float]]:
        """See :meth:`FrontModel.fresh`."""
        return [(job, float(chance)) for job, chance in enumerate(self.types.fresh)]

    def class_of(self, job: Any) -> int:
        """See :meth:`FrontModel.class_of`."""
        return int(self.types.class_of[job])

    def size(self, front: Front) -> int:
        """See :meth:`FrontModel.size`."""
        return len(tuple(self.jobs(front)))

    def class_counts(self, front: Front) -> Sequence[int]:
        """See :meth:`FrontModel.class_counts`."""
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


def classes_of(duration: Sizes) -> tuple[ModelClass, ...]:
    """Return the classes a law, or a list of (share, law), stands for.

    Examples
    --------
    >>> from msj import Erlang, Exponential
    >>> [c.name for c in classes_of([("1/2", Exponential(mean=1)), ("1/2", Erlang(stages=2, mean=3))])]
    ['class 1', 'class 2']
    """
    if isinstance(duration, Duration):
        return (ModelClass(name="all", share=1, duration=duration),)
    if isinstance(duration, (list, tuple)) and all(isinstance(c, ModelClass) for c in duration):
        return tuple(duration)
    try:
        pairs = [(share, law) for share, law in duration]  # type: ignore[misc]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"duration = {duration!r} is neither a duration law nor a list of (share, law); write Exponential(mean=1)"
        ) from None
    return tuple(
        ModelClass(name=f"class {i}", share=share, duration=law)  # type: ignore[arg-type]
        for i, (share, law) in enumerate(pairs, start=1)
    )


def frozen_sizes(duration: Sizes) -> Sizes:
    """Return sizes that can be hashed."""
    if not isinstance(duration, list):
        return duration
    return tuple(tuple(item) if isinstance(item, list) else item for item in duration)


Given = TypeVar("Given", bound=ModelClass | JobClass)


def given_classes(classes: Iterable[Given], kind: type[Given]) -> tuple[Given, ...]:
    """Return the classes as a tuple, each checked to be of the kind the model understands.

    Examples
    --------
    >>> given_classes([3], ModelClass)
    Traceback (most recent call last):
    msj.errors.InvalidInput: classes[0] = 3 is not a ModelClass; write ModelClass(name=..., ...)
    """
    found = tuple(classes)
    for i, c in enumerate(found):
        if not isinstance(c, kind):
            raise InvalidInput(f"classes[{i}] = {c!r} is not a {kind.__name__}; write {kind.__name__}(name=..., ...)")
    return found


def without(jobs: Sequence[Any], position: int, *others: Any) -> tuple[Any, ...]:
    """Return the jobs with the one at a position replaced by ``others`` (by nothing: taken out)."""
    return (*jobs[:position], *others, *jobs[position + 1 :])
