"""The classes of a system and their shares: given, counted, or told by the order of jobs.

Shares sum to 1, exactly where they are fractions. Counts become exact shares. An order that is a Markov chain has
shares of its own: they are filled in, and where they are given too they must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from msj.errors import InvalidInput
from msj.model.job_class import JobClass
from msj.model.numbers import Number, as_text

Told: TypeAlias = Callable[[list[str]], tuple[Number, ...] | None]
AGREES = 1e-9


def with_shares(classes: Iterable[JobClass], servers: int, told: Told) -> tuple[JobClass, ...]:
    """Return the classes, checked, each with its share; ``told`` says the shares where something else does."""
    if isinstance(classes, (str, Mapping)) or not isinstance(classes, Iterable):
        raise InvalidInput(f"classes = {classes!r} must be a list of job classes")
    classes = tuple(classes)
    if not classes:
        raise InvalidInput("no job classes are given; add at least one [[classes]] table")
    for index, c in enumerate(classes):
        if not isinstance(c, JobClass):
            raise InvalidInput(f"classes[{index}] = {c!r} is not a JobClass; write JobClass(name=..., need=..., ...)")
        if c.need > servers:
            raise InvalidInput(f"class '{c.name}' needs {c.need} of {servers} servers; raise servers or lower need")
    names = [c.name for c in classes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"two classes are called '{twice}'; give each its own name")
    classes = _shares_told(_shares_of_counts(classes), told(names))
    total: Number = sum((c.share for c in classes), start=0)
    exact = all(isinstance(c.share, (int, Fraction)) for c in classes)
    if total != 1 if exact else abs(float(total) - 1) > 1e-9:
        listed = " + ".join(as_text(c.share) for c in classes[:6]) + (" + ..." if len(classes) > 6 else "")
        raise InvalidInput(f"shares sum to {as_text(total)} ({listed}); they must sum to 1: change one of them")
    return classes


def _shares_of_counts(classes: tuple[JobClass, ...]) -> tuple[JobClass, ...]:
    """Return the classes with the exact shares that their counts are of all jobs."""
    counted = [c for c in classes if c.count is not None]
    if not counted:
        return classes
    if len(counted) < len(classes):
        other = next(c for c in classes if c.count is None)
        if other.share is None:
            raise InvalidInput(f"class '{other.name}' has neither share nor count; give exactly one")
        raise InvalidInput(
            f"class '{counted[0].name}' has a count and class '{other.name}' a share; give all of them counts, or none"
        )
    total = sum(c.count for c in counted if c.count is not None)
    if total == 0:
        raise InvalidInput("all counts are 0; give at least one class a count above 0")
    return tuple(c.replace(count=None, share=Fraction(c.count or 0, total)) for c in counted)


def _shares_told(classes: tuple[JobClass, ...], told: tuple[Number, ...] | None) -> tuple[JobClass, ...]:
    """Return the classes with the shares that the order of jobs tells, or check that the given ones are these."""
    for index, c in enumerate(classes):
        if c.share is None and told is None:
            raise InvalidInput("a class takes share or count, and neither is given; give exactly one").within(
                f"classes[{index}]"
            )
        if c.share is not None and told is not None and abs(float(c.share) - float(told[index])) > AGREES:
            raise InvalidInput(
                f"class '{c.name}' has the share {as_text(c.share)}, and from the order of jobs it follows that it is "
                f"{as_text(told[index])}; leave the share out, or change one of the two"
            )
    if told is None:
        return classes
    return tuple(c if c.share is not None else c.replace(share=p) for c, p in zip(classes, told, strict=True))
