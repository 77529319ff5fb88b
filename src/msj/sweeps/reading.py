"""A sweep's folder read back, as columns: the sharpest answer of each cell, in the order of the coordinates."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from msj.errors import Failure, InvalidInput
from msj.results import Missing, Outcome, Result, provenance
from msj.results.coordinates import At
from msj.store.pieces import Pieces, notes_on_damage
from msj.sweeps.asked import AskedCells, asked_cells
from msj.sweeps.folder import TABLES, Folder
from msj.sweeps.rows import Rows, codes_of, mask_of
from msj.sweeps.tables import INTERIM, OF_ROWS, PLACES, SAME, TEXT_PLACES, sharpness
from msj.sweeps.where import Condition, conditions_of

if TYPE_CHECKING:
    import pyarrow

#: Cells that have all they were asked for.
ANSWERED = (Outcome.SOLVED.label, Outcome.NO_LOAD_GIVEN.label)
NOT_REACHED = Outcome.PRECISION_NOT_REACHED.label
OF_CELLS = ("outcome", "message", "name", "width")
TEXTS = (
    "cell", *TEXT_PLACES, "name", "class", "kind", "method", "citation", "formula", "quantity", "outcome", "message",
)  # fmt: skip


def read_sweep(folder: str | os.PathLike[str], *, where: Iterable[str] = ()) -> Result:
    """Return the answers in a sweep's folder; rows stand at what differs between them.

    Parameters
    ----------
    folder
        The folder that ``sweep(out=...)`` filled; a sweep may be at work in it.
    where
        Conditions such as ``"load>=0.9"`` or ``"name=mean_response_time"``; only rows that fulfil all are read.

    Examples
    --------
    >>> import msj, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = msj.sweep("examples/two_servers.toml", vary="load=0.5,0.8", out=folder)
    ...     msj.read_sweep(folder).quantities == found.quantities
    True
    """
    conditions = conditions_of(where)
    question = {"verb": "read_sweep", "options": {"folder": os.fspath(folder)}}
    there = opened(folder)
    asked = asked_cells(there)
    return result_of(there, asked=asked, where=conditions, provenance=provenance(question=question))


def opened(path: str | os.PathLike[str]) -> Folder:
    """Return the folder of a sweep that is there."""
    place = Path(path)
    if not any((place / table).is_dir() for table in TABLES):
        raise InvalidInput(f"'{place}' is no folder of a sweep; msj sweep FILE --out {place} makes one")
    return Folder(place)


def result_of(
    folder: Folder,
    *,
    cells: Mapping[str, Mapping[str, Any]] | None = None,
    asked: AskedCells | None = None,
    where: Sequence[Condition] = (),
    outcome: Outcome | None = None,
    precision: float | None = None,
    system: dict[str, Any] | None = None,
    provenance: dict[str, Any],
    missing: Iterable[Missing] = (),
    notes: Iterable[str] = (),
) -> Result:
    """Return the answers of all cells, or of some (with their coordinates), in the order of their coordinates.

    The folder may have sharper answers than a ``precision`` that was asked for.
    """
    named = cells if cells is not None else None if asked is None else asked.labels
    answers = latest(folder, named, where, {} if asked is None else asked.labels)
    differ = None if cells is None else [name for name in PLACES if len({at.get(name) for at in cells.values()}) > 1]
    places = differ if differ is not None else answers.places if asked is None else asked.places(answers)
    gaps = [*answers.gaps(places)]
    gaps += [replace(gap, at={name: gap.at[name] for name in places if name in gap.at}) for gap in missing]
    unfinished = "" if asked is None or where else asked.unfinished(*answers.ended())
    if unfinished:
        gaps.append(Missing(name="answer", failure=Failure.INTERRUPTED, reason=unfinished))
        outcome = outcome or Outcome.INTERRUPTED
    return Result(
        system=system or {},
        quantities=answers.rows(places),  # type: ignore[arg-type]
        outcome=outcome or _outcome(answers.outcomes(precision)),
        provenance=provenance,
        missing=_together(gaps),
        notes=tuple(dict.fromkeys((*notes, *(() if asked is None else asked.notes), *notes_on_damage(folder.path)))),
    )


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The sharpest answers, in the order of their coordinates.

    Parameters
    ----------
    table, owner
        Their rows, and the cell of each: a number in the table of cells.
    cells
        One row for each cell: its coordinates, and how it ended.
    with_means
        Which cells have a mean response time.
    """

    table: pyarrow.Table
    owner: Any
    cells: pyarrow.Table
    with_means: Any

    @property
    def count(self) -> int:
        """Cells with an answer."""
        return int(self.cells.num_rows)

    @cached_property
    def places(self) -> list[str]:
        """The coordinates in which the cells differ."""
        return [name for name in PLACES if len(self.cells[name].unique()) > 1]

    def outcomes(self, precision: float | None = None) -> list[str]:
        """Return how cells ended, each way once; an answer as sharp as a precision has converged to that."""
        found = list(self.cells["outcome"].unique().to_pylist())
        if precision is not None and NOT_REACHED in found:
            reached = mask_of(self.cells["width"], lambda width: width is not None and width <= precision)
            blunt = mask_of(self.cells["outcome"], lambda label: label == NOT_REACHED)
            if not (blunt & ~reached).any():
                found[found.index(NOT_REACHED)] = Outcome.CONVERGED.label
        return found

    def ended(self) -> tuple[set[str], set[str]]:
        """Return the cells with an answer, and those of them whose answer is interim."""
        found = dict(zip(*(self.cells[name].to_pylist() for name in ("cell", "outcome")), strict=True))
        return {*found}, {cell for cell, outcome in found.items() if outcome == INTERIM}

    def rows(self, places: Sequence[str]) -> Rows:
        """Return the rows at these coordinates."""
        return Rows(self.table, self.owner, self.cells, places)

    def gaps(self, places: Sequence[str]) -> Iterable[Missing]:
        """Yield why cells have no answer, or no response times."""
        without = mask_of(self.cells["outcome"], lambda label: label not in ANSWERED) & ~self.with_means
        for facts in self.cells.take(np.flatnonzero(without)).to_pylist():
            failure = _failure(facts["outcome"])
            at = At({name: facts[name] for name in places if facts[name] is not None})
            name = "response times" if facts["name"] is not None else "answer"
            yield Missing(name=name, failure=failure, reason=facts["message"] or failure.value, at=at)


def latest(
    folder: Folder,
    cells: Mapping[str, Any] | None = None,
    where: Sequence[Condition] = (),
    labels: Mapping[str, str | None] | None = None,
) -> Answers:
    """Return each cell's sharpest answer; of all cells, or of some.

    Parameters
    ----------
    folder
        Where they are kept.
    cells
        The cells by id, all if not given.
    where
        Conditions; only rows that fulfil them are read, but for the columns they are about.
    labels
        Cells whose cluster has to be called by another name, to tell two questions apart.
    """
    while (found := _latest(Columns(folder.tables["rows"]), cells, where, labels or {})) is None:
        pass  # a piece was put together with others meanwhile
    return found


class Columns:
    """The columns of the table of rows, one at a time, of the same pieces; ``gone`` if one is there no more."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces, self.listed = pieces, pieces.pieces()
        self.gone = False

    def take(self, name: str, numbers: Any = None) -> Any:
        """Return a column, all of it or some rows; a column without values takes no memory."""
        import pyarrow

        column = self.pieces.column(name, self.listed, text=name in TEXTS)
        if column is None:
            self.gone = True
            return pyarrow.chunked_array([pyarrow.nulls(0 if numbers is None else len(numbers))])
        column = column if numbers is None else column.take(numbers)
        return pyarrow.chunked_array([pyarrow.nulls(len(column))]) if column.null_count == len(column) else column


def _latest(
    columns: Columns,
    cells: Mapping[str, Any] | None,
    where: Sequence[Condition],
    labels: Mapping[str, str | None],
) -> Answers | None:
    import pyarrow

    number, ids = codes_of(columns.take("cell"))
    blocks = columns.take("blocks").to_numpy().astype(np.int64)
    blocks = sharpness(blocks, mask_of(columns.take("outcome"), lambda label: label == INTERIM))
    if columns.gone:
        return None
    wanted = np.array([cells is None or cell in cells for cell in ids] + [False], dtype=bool)
    sharpest = np.full(len(ids) + 1, -1, dtype=np.int64)
    np.maximum.at(sharpest, number, blocks)
    kept = np.flatnonzero(wanted[number] & (blocks == sharpest[number]))
    del blocks
    kept = kept[~_doubled(columns, number, kept)]
    first = kept[np.unique(number[kept], return_index=True)[1]]
    heads = pyarrow.table({name: columns.take(name, first) for name in ("cell", *PLACES, *OF_CELLS)})
    heads = _relabelled(heads, labels)
    for each in where:
        if each.column in PLACES:
            held = np.flatnonzero(mask_of(heads[each.column], each.holds))
            heads, first = heads.take(held), first[held]
    order = np.lexsort([_ranks(heads[name]) for name in reversed(PLACES)])
    heads, first = heads.take(order), first[order]
    rank = np.full(len(ids) + 1, -1, dtype=np.int32)
    rank[number[first]] = np.arange(len(first), dtype=np.int32)
    kept = kept[rank[number[kept]] >= 0]
    kept = kept[np.argsort(rank[number[kept]], kind="stable")]
    for each in (*where, Condition(column="name", operation="!=", value=None)):
        if each.column in OF_ROWS:
            kept = kept[mask_of(columns.take(each.column, kept), each.holds)]
    means = kept[mask_of(columns.take("name", kept), lambda name: name == "mean_response_time")]
    with_means = np.zeros(len(first), dtype=bool)
    with_means[rank[number[means]]] = True
    table = pyarrow.table({name: columns.take(name, kept) for name in OF_ROWS})
    if any(each.column in OF_ROWS for each in where):
        with_means[:] = True  # a condition about rows: the reason of a cell without rows does not fulfil it
    found = Answers(table=table, owner=rank[number[kept]], cells=heads, with_means=with_means)
    return None if columns.gone else found


def _doubled(columns: Columns, number: Any, kept: Any) -> Any:
    """Return which rows stand there before: two sweeps may have answered the same cell, as sharply.

    Then the first row of the cell occurs twice; only such cells are looked at.
    """
    import pandas

    found = np.zeros(len(kept), dtype=bool)
    if not len(kept):
        return found
    mine, first = number[kept], np.full(int(number.max()) + 1, -1, dtype=np.int64)
    heads, places = np.unique(mine, return_index=True)
    first[heads] = places
    like_first = np.ones(len(kept), dtype=bool)
    for name in SAME:
        codes = codes_of(columns.take(name, kept))[0]
        if columns.gone:
            return found
        like_first &= codes == codes[first[mine]]
    suspect = np.flatnonzero((np.bincount(mine[like_first], minlength=len(first)) > 1)[mine])
    if len(suspect):
        same = {name: codes_of(columns.take(name, kept[suspect]))[0] for name in SAME}
        found[suspect] = pandas.DataFrame({"cell": number[kept[suspect]], **same}).duplicated().to_numpy()
    return found


def _relabelled(heads: pyarrow.Table, labels: Mapping[str, str | None]) -> pyarrow.Table:
    """Call clusters by the names that tell questions apart."""
    import pyarrow

    if not any(label is not None for label in labels.values()):
        return heads
    old = heads["cluster"].to_pylist()
    new = [labels.get(cell) or name for cell, name in zip(heads["cell"].to_pylist(), old, strict=True)]
    return heads.set_column(heads.schema.get_field_index("cluster"), "cluster", pyarrow.array(new, pyarrow.string()))


def _ranks(column: Any) -> Any:
    """Return a column as whole numbers in the order of its values; where there is none comes first."""
    codes, values = codes_of(column)
    order = {value: place for place, value in enumerate(sorted(values))}
    return np.array([*(order[value] for value in values), -1], dtype=np.int64)[codes]


def _together(gaps: Iterable[Missing]) -> tuple[Missing, ...]:
    """Return each reason once, at what all cells without an answer for that reason have in common."""
    found: dict[tuple[str, Failure, str], list[Missing]] = {}
    for gap in gaps:
        found.setdefault((gap.name, gap.failure, gap.reason), []).append(gap)
    return tuple(
        replace(alike[0], at={k: v for k, v in alike[0].at.items() if all(gap.at.get(k) == v for gap in alike)})
        for alike in found.values()
    )


def _failure(label: str) -> Failure:
    """Return why there is no answer, from how a cell ended."""
    known = {failure.label: failure for failure in Failure} | {Outcome.TOO_SHORT.label: Failure.TOO_FEW_JOBS}
    return known.get(label, Failure.NOT_SUPPORTED)


def _outcome(labels: Sequence[str]) -> Outcome:
    """Return how a whole sweep ended, from how its cells did."""
    known = [Outcome.from_label(label) for label in labels if label in {outcome.label for outcome in Outcome}]
    if known and all(outcome is Outcome.UNSTABLE for outcome in known):
        return Outcome.UNSTABLE
    if {Outcome.PRECISION_NOT_REACHED, Outcome.TOO_SHORT, Outcome.INTERRUPTED} & {*known}:
        return Outcome.PRECISION_NOT_REACHED
    return Outcome.CONVERGED if Outcome.CONVERGED in known else Outcome.SOLVED
