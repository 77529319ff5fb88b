"""One point of a plan: a cluster as it might be, and whether it meets the targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from msj.planning.target import Target
from msj.results import Quantity
from msj.results.coordinates import At


class Verdict(Enum):
    """Whether a target is met. Value: the word that tables show."""

    MEETS = "meets"
    MISSES = "misses"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A target at a point: the number it is about, what that may be at most, and the verdict."""

    target: Target
    row: Quantity
    limit: float
    verdict: Verdict

    @property
    def ratio(self) -> float:
        """The number over its limit: above 1 the target is missed, if the number is right."""
        return self.row.value / self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return all but the target as plain values."""
        return {"row": self.row.to_dict(None), "limit": self.limit, "verdict": self.verdict.value}

    @classmethod
    def from_dict(cls, target: Target, document: Mapping[str, Any]) -> Judged:
        """Return what :meth:`to_dict` wrote."""
        row = Quantity.from_dict(document["row"])
        return cls(target=target, row=row, limit=document["limit"], verdict=Verdict(document["verdict"]))


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point that has been answered.

    Parameters
    ----------
    place
        What was varied, as coordinates: ``{"servers": 42}``.
    judged
        The targets that there is something to say about; none where the queue grows without end.
    unstable
        Why there is no steady state, in a clause; empty if there is one.
    jobs
        Jobs simulated for it.
    note
        What else to know.
    """

    place: At
    judged: tuple[Judged, ...] = ()
    unstable: str = ""
    jobs: int = 0
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether all targets are met."""
        verdicts = [each.verdict for each in self.judged]
        if self.unstable or Verdict.MISSES in verdicts:
            return Verdict.MISSES
        return Verdict.MEETS if verdicts and set(verdicts) == {Verdict.MEETS} else Verdict.UNDECIDED

    @property
    def binding(self) -> Judged | None:
        """The target that is nearest to being missed, or missed by most."""
        return max(self.judged, key=lambda each: each.ratio, default=None)

    def to_dict(self, targets: Sequence[Target]) -> dict[str, Any]:
        """Return it as plain values, without the place; targets by their number."""
        return {
            "judged": [{"target": targets.index(each.target), **each.to_dict()} for each in self.judged],
            "unstable": self.unstable,
            "jobs": self.jobs,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, place: At, document: Mapping[str, Any], targets: Sequence[Target]) -> Point:
        """Return what :meth:`to_dict` wrote."""
        judged = tuple(Judged.from_dict(targets[each["target"]], each) for each in document["judged"])
        return cls(
            place=place,
            judged=judged,
            unstable=document["unstable"],
            jobs=document["jobs"],
            note=document["note"],
        )
