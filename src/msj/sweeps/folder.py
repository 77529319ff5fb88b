"""What a sweep keeps: which cells are answered, how the others are simulated, and the blocks there are.

A folder is a set of answers under ids. Several sweeps, on one machine or many, may use one folder at the same time:
each reads what the others have added, and marks what it is at (``claim``) so that they do something else. That saves
work and nothing more: where a file system has no locks, or two copies of a folder are merged, a block may have been
computed twice, and is the same block.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msj.errors import Failure
from msj.executors.kept import claimed, unclaimed
from msj.results import Outcome, Quantity
from msj.simulation.blocks import Block
from msj.store import computing_code, not_written
from msj.store.pieces import Pieces
from msj.sweeps.cell import Cell
from msj.sweeps.grid import Refused
from msj.sweeps.tables import (
    INTERIM,
    PLACES,
    answer_table,
    block_of,
    block_record,
    rows_as_text,
    rows_from_text,
    schemas,
    sharpness,
)

TABLES = ("asked", "rows", "streams", "blocks")
ORDER = {"blocks": ("stream", "index")}
#: Answers that further effort could sharpen.
OPEN_ENDED = {each.label for each in (Outcome.CONVERGED, Outcome.PRECISION_NOT_REACHED, Outcome.TOO_SHORT)}
CONVERGED, TOO_SHORT = Outcome.CONVERGED.label, Outcome.TOO_SHORT.label


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How a cell ended, with what it was asked to spend."""

    outcome: str  # an Outcome's label, or a Failure's
    precision: float | None = None
    job_limit: int | None = None
    blocks: int = 0

    def does_for(self, precision: float, jobs: int) -> bool:
        """Return whether nothing better would be known with this effort."""
        if self.outcome == INTERIM:
            return False
        if self.outcome not in OPEN_ENDED or (self.blocks == 0 and self.outcome != TOO_SHORT):
            return True
        sharper = self.precision is not None and precision >= self.precision
        return sharper and (self.outcome == CONVERGED or jobs <= (self.job_limit or 0))

    @property
    def sharpness(self) -> int:
        """By how much it counts among the answers of its cell."""
        return int(sharpness(self.blocks, self.outcome == INTERIM))


class Folder:
    """The tables of a sweep; without a path they are kept in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.tables = {
            name: Pieces(None if path is None else path / name, schemas()[name], ORDER.get(name, ())) for name in TABLES
        }
        self.answers: dict[str, Answer] = {}
        self.plans: dict[str, tuple[str, dict[str, Any], tuple[Quantity, ...]]] = {}  # by cell: stream, plan, rows
        self.places: dict[str, dict[int, str]] = {}  # by stream and block: the piece that has it
        self.code, self.version = computing_code()[:12], version("msj")
        if path is not None:
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise not_written(path, error) from error

    def refresh(self) -> bool:
        """Read what others have added; return whether there was something."""
        before = sum(len(table.seen) for table in self.tables.values())
        for _, table in self.tables["rows"].new(["cell", "outcome", "precision", "job_limit", "blocks"]):
            for record in table.group_by(list(table.column_names)).aggregate([]).to_pylist():
                self._know_answer(record)
        for _, table in self.tables["streams"].new():
            for record in table.to_pylist():
                plan = (record["stream"], json.loads(record["plan"]), rows_from_text(record["rows"]))
                self.plans.setdefault(record["cell"], plan)
        for name, table in self.tables["blocks"].new(["stream", "index"]):
            for stream, index in zip(*(table[column].to_pylist() for column in ("stream", "index")), strict=True):
                self.places.setdefault(stream, {})[index] = name
        return sum(len(table.seen) for table in self.tables.values()) > before

    def _know_answer(self, record: Mapping[str, Any]) -> None:
        answer = Answer(**{key: record[key] for key in ("outcome", "precision", "job_limit", "blocks")})
        known = self.answers.get(record["cell"])
        if known is None or answer.sharpness > known.sharpness:
            self.answers[record["cell"]] = answer

    def ask(self, cells: Iterable[Cell | Refused], question: str | None = None) -> None:
        """Note which cells a question asks for, and why some are none; what was noted before is not noted again."""
        known = set(zip(*self.tables["asked"].whole(["cell", "question"]).to_pydict().values(), strict=True))
        new = [cell for cell in cells if (cell.id, question) not in known]
        self.tables["asked"].add(
            [
                {
                    "cell": cell.id,
                    **_places(cell.at),
                    "system": json.dumps(cell.document) if isinstance(cell, Cell) else None,
                    "code": self.code,
                    "question": question,
                }
                for cell in new
            ]
        )
        for cell in new:  # it is written, and would only take up memory here and in every task
            vars(cell).pop("document", None)
        invalid = Failure.INVALID_INPUT.label
        self.keep_answers(
            (cell.id, cell.at, (), {"outcome": invalid, "message": cell.reason})
            for cell in new
            if isinstance(cell, Refused) and cell.id not in self.answers
        )

    def keep_answers(
        self, answers: Iterable[tuple[str, Mapping[str, Any], Iterable[Quantity], dict[str, Any]]]
    ) -> None:
        """Write answers: the cell's id, where it stands, its rows, and how it ended."""
        found = []
        for cell, at, rows, facts in answers:
            shared = {"cell": cell, **_places(at), "msj": self.version, "code": self.code, "blocks": 0, **facts}
            found.append((shared, list(rows)))
            self._know_answer({"precision": None, "job_limit": None, **shared})
        if found:
            self.tables["rows"].add_table(answer_table(found))

    def keep_plans(self, plans: Iterable[tuple[str, str, dict[str, Any], tuple[Quantity, ...]]]) -> None:
        """Write how cells are simulated: the cell's id, the stream's, its plan, and the rows that are known."""
        records = []
        for cell, stream, plan, rows in plans:
            self.plans.setdefault(cell, (stream, plan, rows))
            texts = {"plan": json.dumps(plan), "rows": rows_as_text(rows)}
            records.append({"cell": cell, "stream": stream, **texts, "code": self.code})
        self.tables["streams"].add(records)

    def keep_blocks(self, blocks: Iterable[tuple[str, int, Block, float]]) -> None:
        """Write blocks: the stream, the number, the block, and the seconds it took."""
        self.tables["blocks"].add(
            [block_record(stream, index, block, seconds=s, code=self.code) for stream, index, block, s in blocks]
        )

    def blocks(self, stream: str, known: Iterable[int] = ()) -> dict[int, Block]:
        """Return the blocks of a stream that are here, but for those that are known."""
        missing = self.places.get(stream, {}).keys() - set(known)
        found: dict[int, Block] = {}
        for piece in sorted({self.places[stream][index] for index in missing}):
            table = self.tables["blocks"].some(piece, stream, sorted(missing))
            if table is None:  # put together with others: it is in a piece that will be read
                self.places[stream] = {i: name for i, name in self.places[stream].items() if name != piece}
                self.refresh()
                return {**found, **self.blocks(stream, {*known, *found})}
            for record in table.to_pylist():
                found.setdefault(record["index"], block_of(record))
        return found

    def claim(self, name: str) -> AbstractContextManager[Any] | None:
        """Return a mark that this sweep is at something, to be given back; None if another sweep is."""
        return claimed(self.path, name)

    def close(self) -> None:
        """Put small pieces together."""
        for table in self.tables.values():
            if table.folder is not None:
                table.put_together()
        unclaimed(self.path)


def _places(at: Mapping[str, Any]) -> dict[str, Any]:
    return {name: at.get(name) for name in PLACES}
