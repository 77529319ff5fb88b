"""What a plan answers with: one sentence, the table of the points tried, and remarks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from msj.planning.point import Point, Verdict
from msj.planning.target import Target
from msj.results import Quantity, Result
from msj.results.coordinates import COORDINATES, write_place
from msj.results.grid import WIDTH, wrap_sentences, write_grid
from msj.results.html import html_grid


@dataclass(frozen=True, kw_only=True, repr=False)
class PlanResult(Result):
    """The answer of a plan: ``sentence`` says it, the rows with coordinates are the points tried."""

    points: tuple[Point, ...] = ()
    targets: tuple[Target, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return self.notes[0]

    def to_text(self, *, width: int = WIDTH) -> str:
        """Return the sentence, the points tried and what else to know."""
        parts = [wrap_sentences(f"{self.title}: {self.sentence}", width)]
        parts += [write_grid(heads, lines, width=width) for heads, lines in self.tables()]
        parts += [wrap_sentences(note, width) for note in (*self.notes[1:], *map(str, self.missing))]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self.title)}</b>: {escape(self.sentence)}</p>"]
        parts += [html_grid(heads, lines) for heads, lines in self.tables()]
        parts += [f"<p>{escape(note)}</p>" for note in (*self.notes[1:], *map(str, self.missing))]
        return f'<div class="msj">{"".join(parts)}</div>'

    def tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return the points tried as headings and lines, a table for each thing that was varied."""
        found: dict[tuple[str, ...], list[Point]] = {}
        for point in self.points:
            found.setdefault(tuple(name for name in point.place if name != "cluster"), []).append(point)
        return [_points_table(points, self.targets, self.time_unit) for points in found.values()]


def target_rows(targets: Iterable[Target]) -> Iterator[Quantity]:
    """Return what is to be met as rows, at quantity = target."""
    for target in targets:
        yield Quantity(
            name=target.name,
            value=target.limit,
            kind="bound",
            method="the target",
            job_class=target.group or None,
            level=target.level,
            at={"quantity": "target"},
        )


def point_rows(points: Iterable[Point]) -> Iterator[Quantity]:
    """Return the points tried as rows: each number that a target is about, and whether all are met.

    An undecided point has no value (nan) and a range from 0 to 1.
    """
    for point in points:
        for judged in point.judged:
            yield judged.row.replace(at={**judged.row.at, **point.place})
        kinds = {judged.row.kind for judged in point.judged}
        kind = "bound" if not kinds else next(iter(kinds)) if len(kinds) == 1 else "simulated"
        open_ = point.verdict is Verdict.UNDECIDED
        value = math.nan if open_ else float(point.verdict is Verdict.MEETS)
        yield Quantity(
            name="meets_targets",
            value=value,
            kind=kind,
            method=point.unstable or point.note or "the targets compared",
            low=0.0 if open_ else None,
            high=1.0 if open_ else None,
            bracket=open_,
            at=point.place,
        )


def _points_table(
    points: Sequence[Point], targets: Sequence[Target], time_unit: str | None
) -> tuple[list[str], list[list[str]]]:
    """Return the points tried, one a line."""
    places = [name for name in COORDINATES if any(name in point.place for point in points)]
    varying = [name for name in places if len({point.place.get(name) for point in points}) > 1] or places[-1:]
    heads = [name.replace("_", " ") for name in varying]
    heads += [target.words(time_unit) for target in targets] + ["", "how"]
    lines = []
    for point in points:
        line = [write_place(point.place[name]) if name in point.place else "" for name in varying]
        for target in targets:
            judged = next((each for each in point.judged if each.target == target), None)
            line.append("" if judged is None else _number(judged.row))
        how = point.judged[-1].row.kind if point.judged else "bound"
        spent = f", {point.jobs:,} jobs" if point.jobs else ""
        lines.append([*line, "unstable" if point.unstable else point.verdict.value, how + spent])
    return heads, lines


def _number(row: Quantity) -> str:
    if math.isnan(row.value):
        return "?"
    if row.interval is None or row.kind == "exact":
        return f"{row.value:.4g}"
    low, high = row.interval
    return f"{row.value:.4g} ({low:.3g} to {high:.3g})"
