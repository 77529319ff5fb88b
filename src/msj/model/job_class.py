"""A class of jobs: how many servers each needs, how common it is, how long it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.errors import InvalidInput, MsjError
from msj.model.durations import Duration, duration_from_spec
from msj.model.numbers import Number, as_plain, probability, text, whole
from msj.model.table import Table, frozen, plain
from msj.model.value import Value


@dataclass(frozen=True, kw_only=True)
class JobClass(Value):
    """Jobs that hold ``need`` servers at once for a time drawn from ``duration``.

    Parameters
    ----------
    name
        What users call the class.
    need
        Servers held together, from start to end.
    share
        Share of all arrivals that are of this class; ``"2/3"`` and ``Fraction(2, 3)`` stay exact. It may be left out
        where the system's order of jobs (or its arrivals) says who comes how often.
    count
        Instead of the share: how many such jobs were counted. All classes of a system have a count, or none; the
        system makes exact shares of them.
    duration
        A duration law, the table that describes one, or a frozen distribution of ``scipy.stats``.
    extra
        What the system's ``model`` wants to know besides, by key: ``{"groups": ["new"]}``.

    Examples
    --------
    >>> JobClass(name="large", need=2, share="1/3", duration={"law": "exponential", "mean": 2}).work
    4.0
    """

    #: Whether it stands for a class before it, and policies are shown that one; see ``fronts.tagged_front``.
    is_copy: ClassVar[bool] = False

    name: str
    need: int
    share: Number = None  # type: ignore[assignment]  # None only outside a system: it has counts, or an order that tells
    count: int | None = None
    duration: Duration
    extra: Mapping[str, Any] = Table()

    def __post_init__(self) -> None:
        if not text(self.name, "name").strip():
            raise InvalidInput(f"name = {self.name!r} must be a non-empty text; name the class")
        object.__setattr__(self, "need", whole(self.need, "need"))
        if self.share is not None and self.count is not None:
            raise InvalidInput("a class takes share or count, and both is given; give exactly one")
        if self.share is not None:
            object.__setattr__(self, "share", probability(self.share, "share"))
        elif self.count is not None:
            object.__setattr__(self, "count", whole(self.count, "count", least=0))
        if not isinstance(self.duration, Duration):
            try:
                object.__setattr__(self, "duration", duration_from_spec(self.duration))
            except MsjError as error:
                raise error.within("duration") from None
        if not isinstance(self.extra, Mapping):
            raise InvalidInput(f"extra = {self.extra!r} must be a table of further keys; write {{'groups': ['new']}}")
        object.__setattr__(self, "extra", frozen(self.extra, "extra"))

    @property
    def work(self) -> float:
        """Mean server-time a job takes: need × mean duration (a system's ``model`` may know better: work_of)."""
        return self.need * float(self.duration.mean)

    def to_spec(self) -> dict[str, Any]:
        """Return the ``[[classes]]`` table that describes this class."""
        spec: dict[str, Any] = {"name": self.name, "need": self.need}
        spec |= {} if self.share is None else {"share": as_plain(self.share)}
        spec |= {} if self.count is None else {"count": self.count}
        further: dict[str, Any] = plain(self.extra)
        return spec | {"duration": self.duration.to_spec()} | further
