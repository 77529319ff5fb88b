"""A sweep's folder read back: answers as a Result, how far it is, and what can go."""

from __future__ import annotations

import operator
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from msj.errors import Failure, InvalidInput
from msj.results import Missing, Outcome, Quantity, Result, provenance
from msj.results.coordinates import At
from msj.sweeps.folder import TABLES, Folder
from msj.sweeps.tables import OF_ROWS, PLACES, SAME, quantity_of

#: Cells that have all they were asked for.
ANSWERED = (Outcome.SOLVED.label, Outcome.NO_LOAD_GIVEN.label)


def read_sweep(folder: str | os.PathLike[str]) -> Result:
    """Return all answers in a sweep's folder; rows stand at what differs between them.

    Examples
    --------
    >>> import msj, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = msj.sweep("examples/two_servers.toml", vary="load=0.5,0.8", out=folder)
    ...     msj.read_sweep(folder).quantities == found.quantities
    True
    """
    question = {"verb": "read_sweep", "options": {"folder": os.fspath(folder)}}
    return result_of(opened(folder), provenance=provenance(question=question))


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
    outcome: Outcome | None = None,
    system: dict[str, Any] | None = None,
    provenance: dict[str, Any],
    missing: Iterable[Missing] = (),
    notes: Iterable[str] = (),
) -> Result:
    """Return the answers of all cells, or of some (with their coordinates), in the order of their coordinates."""
    answers = sorted(latest(folder, cells), key=_order)
    asked = [answer.facts for answer in answers] if cells is None else list(cells.values())
    places = [name for name in PLACES if len({at.get(name) for at in asked}) > 1]
    rows: list[Quantity] = []
    gaps: list[Missing] = []
    for answer in answers:
        facts = answer.facts
        at = At({name: facts[name] for name in places if facts[name] is not None})
        found = [quantity_of(record, at) for record in answer.rows]
        rows += found
        if facts["outcome"] not in ANSWERED and not any(row.name == "mean_response_time" for row in found):
            failure = _failure(facts["outcome"])
            name = "response times" if found else "answer"
            gaps.append(Missing(name=name, failure=failure, reason=facts["message"] or failure.value, at=at))
    gaps += [replace(gap, at={name: gap.at[name] for name in places if name in gap.at}) for gap in missing]
    return Result(
        system=system or {},
        quantities=tuple(rows),
        outcome=outcome or _outcome([answer.facts["outcome"] for answer in answers]),
        provenance=provenance,
        missing=_together(gaps),
        notes=tuple(dict.fromkeys(notes)),
    )


def _together(gaps: Iterable[Missing]) -> tuple[Missing, ...]:
    """Return each reason once, at what all cells without an answer for that reason have in common."""
    found: dict[tuple[str, Failure, str], list[Missing]] = {}
    for gap in gaps:
        found.setdefault((gap.name, gap.failure, gap.reason), []).append(gap)
    return tuple(
        replace(alike[0], at={k: v for k, v in alike[0].at.items() if all(gap.at.get(k) == v for gap in alike)})
        for alike in found.values()
    )


class Read(NamedTuple):
    """A cell's answer as it was kept: what all its rows share, and what each has of its own (``tables.OF_ROWS``)."""

    facts: dict[str, Any]
    rows: list[tuple[Any, ...]]


def _order(answer: Read) -> list[Any]:
    """Return what answers are sorted by: texts and numbers of each coordinate in turn, those without one first."""
    return [(place is not None, 0 if place is None else place) for place in (answer.facts[name] for name in PLACES)]


def latest(folder: Folder, cells: Collection[str] | None) -> list[Read]:
    """Return each cell's sharpest answer; of all cells, or of some."""
    table = folder.tables["rows"].whole()
    names, blocks = table["cell"].to_pylist(), table["blocks"].to_pylist()
    sharpest: dict[str, int] = {}
    first: dict[str, int] = {}  # row of the sharpest answer, for what all its rows share
    for number, (cell, known) in enumerate(zip(names, blocks, strict=True)):
        if known > sharpest.get(cell, -1) and (cells is None or cell in cells):
            sharpest[cell], first[cell] = known, number
    if not first:
        return []
    # Each row once: two sweeps may have answered the same cell. A cell without quantities has a row without a name.
    found: dict[str, dict[Any, tuple[Any, ...]]] = {cell: {} for cell in first}
    own = zip(*(table[column].to_pylist() for column in OF_ROWS), strict=True)
    for cell, known, record in zip(names, blocks, own, strict=True):
        if known == sharpest.get(cell) and record[0] is not None:
            found[cell].setdefault(_same(record), record)
    facts = table.select([*PLACES, "outcome", "message"]).take(list(first.values())).to_pylist()
    return [Read(shared, list(rows.values())) for shared, rows in zip(facts, found.values(), strict=True)]


_same = operator.itemgetter(*(OF_ROWS.index(column) for column in SAME))


def _failure(label: str) -> Failure:
    """Return why there is no answer, from how a cell ended."""
    known = {failure.label: failure for failure in Failure} | {Outcome.TOO_SHORT.label: Failure.TOO_FEW_JOBS}
    return known.get(label, Failure.NOT_SUPPORTED)


def _outcome(labels: list[str]) -> Outcome:
    """Return how a whole sweep ended, from how its cells did."""
    known = [Outcome.from_label(label) for label in labels if label in {outcome.label for outcome in Outcome}]
    if known and all(outcome is Outcome.UNSTABLE for outcome in known):
        return Outcome.UNSTABLE
    for outcome in (Outcome.PRECISION_NOT_REACHED, Outcome.TOO_SHORT):
        if outcome in known:
            return Outcome.PRECISION_NOT_REACHED
    return Outcome.CONVERGED if Outcome.CONVERGED in known else Outcome.SOLVED
