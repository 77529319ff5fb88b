"""What planning along a line gives, before it becomes a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msj.planning.point import Point, Verdict
from msj.results import Kind, Quantity
from msj.results.coordinates import Place


@dataclass(frozen=True, kw_only=True)
class Found:
    """An answer along one line.

    Parameters
    ----------
    sentence
        The answer.
    remarks
        What else to know.
    rows
        The answer as rows.
    points
        What was tried.
    met
        Whether something meets the targets.
    decided
        Whether more effort would change nothing: the answer is one number, or all that could be one misses.
    """

    sentence: str
    rows: tuple[Quantity, ...]
    points: tuple[Point, ...]
    met: bool
    decided: bool = True
    remarks: tuple[str, ...] = ()


def kind_of(points: Iterable[Point]) -> Kind:
    """Return how sure what rests on these points is: as sure as the least sure."""
    kinds = {judged.row.kind for point in points for judged in point.judged} - {"exact", "bound"}
    return next(iter(kinds)) if kinds else "exact"


def planned_row(
    name: str,
    value: float,
    kind: Kind,
    method: str,
    *,
    low: float | None = None,
    high: float | None = None,
    at: Mapping[str, Place] | None = None,
) -> Quantity:
    """Return the row of an answer; ``low`` and ``high`` are a bracket, where it is open."""
    return Quantity(
        name=name,
        value=float(value),
        kind=kind,
        method=method,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        bracket=low is not None or high is not None,
        at=at or {},
    )


def worst_first(points: Iterable[Point]) -> list[Point]:
    """Return points that meet the targets, those with most room first."""
    met = [point for point in points if point.verdict is Verdict.MEETS]
    return sorted(met, key=lambda point: point.binding.ratio if point.binding is not None else 0.0)
