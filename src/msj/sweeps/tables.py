"""The four tables of a sweep's folder: their columns, and how values become rows and come back.

``rows`` is what people read: one row for each quantity of each answered cell, with where it stands; a cell without an
answer is one row with a sentence. ``asked`` lists the cells that were asked for, ``streams`` how cells are simulated,
``blocks`` the statistics of blocks, bit for bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from msj.results import Quantity
from msj.simulation.blocks import Block
from msj.simulation.sketch import Sketch

if TYPE_CHECKING:
    import pyarrow

#: Where a row can stand, in the order of the columns.
TEXT_PLACES = ("cluster", "policy", "of_class", "change")
WHOLE_PLACES = ("servers", "largest_need", "seed")
PLACES = (
    "cluster", "policy", "servers", "largest_need", "of_class", "class_share", "change",
    "load", "arrival_rate", "utilisation", "seed",
)  # fmt: skip
#: What rows of one cell differ in.
OF_ROWS = (
    "name", "class", "kind", "method", "citation", "formula", "quantity", "level", "value", "low", "high",
    "time_of_day", "bracket",
)  # fmt: skip
#: What makes two rows of one cell the same, and where they stand beside the cell's place.
SAME = ("name", "class", "level", "quantity", "time_of_day")
FURTHER = ("quantity", "time_of_day")
STATISTICS = ("sums", "time", "wasted_area", "busy_area", "present", "controls", "by_time_of_day")
_COLUMNS = {
    "rows": {
        "text": ("name", "class", "kind", "method", "citation", "formula", "quantity"),
        "float64": ("level", "value", "low", "high", "time_of_day"),
        "bool": ("bracket",),
    },
    "effort": {
        "text": ("outcome", "message", "stream", "msj", "code"),
        "float64": ("precision", "width", "seconds"),
        "int64": ("job_limit", "blocks", "jobs"),
    },
}


@cache
def schemas() -> dict[str, pyarrow.Schema]:
    """Return the columns of the tables."""
    import pyarrow

    text, real, count, truth = pyarrow.string(), pyarrow.float64(), pyarrow.int64(), pyarrow.bool_()
    kinds = {"text": text, "float64": real, "int64": count, "bool": truth}
    places = [(name, text if name in TEXT_PLACES else count if name in WHOLE_PLACES else real) for name in PLACES]
    parts = {
        part: [(name, kinds[kind]) for kind, names in columns.items() for name in names]
        for part, columns in _COLUMNS.items()
    }
    reals, counts = pyarrow.list_(real), pyarrow.list_(count)
    statistics = [(name, reals) for name in STATISTICS]
    sketches = [(name, counts) for name in ("waiting_bins", "waiting_counts", "response_bins", "response_counts")]
    return {
        "asked": pyarrow.schema([("cell", text), *places, ("system", text), ("code", text)]),
        "rows": pyarrow.schema([("cell", text), *places, *parts["rows"], *parts["effort"]]),
        "streams": pyarrow.schema([("cell", text), ("stream", text), ("plan", text), ("rows", text), ("code", text)]),
        "blocks": pyarrow.schema(
            [("stream", text), ("index", count), ("classes", count), *statistics, ("lowest", count), *sketches,
             ("left", count), ("seconds", real), ("code", text)]
        ),
    }  # fmt: skip


def answer_table(answers: Sequence[tuple[Mapping[str, Any], Sequence[Quantity]]]) -> pyarrow.Table:
    """Return answered cells as rows: what all rows of a cell share, and its quantities; without any it is one row."""
    import pyarrow

    schema = schemas()["rows"]
    counts = [max(len(rows), 1) for _, rows in answers]
    owner = pyarrow.array(np.repeat(np.arange(len(answers)), counts))
    own: dict[str, list[Any]] = {name: [] for name in OF_ROWS}
    for _, rows in answers:
        for row in rows:
            values = (row.name, row.job_class, row.kind, row.method, row.citation, row.formula, row.at.get("quantity"))
            numbers = (row.level, row.value, row.low, row.high, row.at.get("time_of_day"), row.bracket)
            for column, value in zip(own.values(), (*values, *numbers), strict=True):
                column.append(value)
        if not rows:
            for column in own.values():
                column.append(None)
    # Each shared value is converted once, not once for every row.
    columns = [
        pyarrow.array(own[field.name], field.type)
        if field.name in own
        else pyarrow.array([shared.get(field.name) for shared, _ in answers], field.type).take(owner)
        for field in schema
    ]
    return pyarrow.table(columns, schema=schema)


def quantity_of(columns: Mapping[str, Sequence[Any]], number: int, at: Mapping[str, Any]) -> Quantity:
    """Return the quantity of a row, given by its number in the columns, at a place."""
    value = columns["value"][number]
    further = {name: place for name in FURTHER if (place := columns[name][number]) is not None}
    return Quantity(
        name=columns["name"][number],
        value=math.nan if value is None else value,
        kind=columns["kind"][number],
        method=columns["method"][number] or "",
        citation=columns["citation"][number] or "",
        job_class=columns["class"][number],
        level=columns["level"][number],
        low=columns["low"][number],
        high=columns["high"][number],
        at={**at, **further} if further else at,
        formula=columns["formula"][number],
        bracket=bool(columns["bracket"][number]),
    )


def rows_as_text(rows: Iterable[Quantity]) -> str:
    """Return rows as one text, from which :func:`rows_from_text` makes the same."""
    return json.dumps([row.to_dict() for row in rows])


def rows_from_text(text: str) -> tuple[Quantity, ...]:
    """Return the rows that were written."""
    return tuple(Quantity.from_dict(row) for row in json.loads(text))


def block_record(stream: str, index: int, block: Block, *, seconds: float, code: str) -> dict[str, Any]:
    """Return a block as a row."""
    return {
        "stream": stream,
        "index": index,
        "classes": block.sums.shape[1],
        **{name: np.ascontiguousarray(getattr(block, name)).reshape(-1) for name in STATISTICS},
        "lowest": block.waiting.lowest,
        "waiting_bins": block.waiting.bins,
        "waiting_counts": block.waiting.counts,
        "response_bins": block.response.bins,
        "response_counts": block.response.counts,
        "left": block.left,
        "seconds": seconds,
        "code": code,
    }


def block_of(record: Mapping[str, Any]) -> Block:
    """Return the block that a row stands for."""
    reals: dict[str, Any] = {name: np.array(record[name], dtype=np.float64) for name in STATISTICS}
    pieces = len(reals["time"])
    reals["sums"] = reals["sums"].reshape(pieces, record["classes"], -1)
    reals["controls"] = reals["controls"].reshape(pieces, -1)
    reals["by_time_of_day"] = reals["by_time_of_day"].reshape(pieces, -1, 3)
    sketches: dict[str, Any] = {
        name: Sketch(
            record["lowest"],
            np.array(record[f"{name}_bins"], dtype=np.int64),
            np.array(record[f"{name}_counts"], dtype=np.int64),
        )
        for name in ("waiting", "response")
    }
    return Block(**reals, **sketches, left=record["left"])
