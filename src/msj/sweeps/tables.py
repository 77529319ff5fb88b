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

from msj.results import Outcome, Quantity
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
#: The outcome of an answer that a stream gave before its stopping rule ended it.
INTERIM = Outcome.INTERRUPTED.label
MAX_BLOCKS = 2**40  # of a stream
NOWHERE: Mapping[str, Any] = {}
STATISTICS = ("sums", "time", "wasted_area", "busy_area", "present", "controls", "by_time_of_day", "areas")
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
        "asked": pyarrow.schema([("cell", text), *places, ("system", text), ("code", text), ("question", text)]),
        "rows": pyarrow.schema([("cell", text), *places, *parts["rows"], *parts["effort"]]),
        "streams": pyarrow.schema([("cell", text), ("stream", text), ("plan", text), ("rows", text), ("code", text)]),
        "blocks": pyarrow.schema(
            [("stream", text), ("index", count), ("classes", count), *statistics, ("lowest", count), *sketches,
             ("left", count), ("seconds", real), ("code", text)]
        ),
    }  # fmt: skip


def sharpness(blocks: Any, interim: Any) -> Any:
    """Return by how much an answer counts among those of its cell, as a number; of arrays an array.

    More blocks count more. An interim answer depends on the moment at which its sweep was interrupted, so it counts
    only until there is one that the stopping rule has given.

    Examples
    --------
    >>> sharpness(40, False) > sharpness(48, True) > sharpness(32, True)
    True
    """
    return blocks + MAX_BLOCKS * (1 - interim)


def answer_table(answers: Sequence[tuple[Mapping[str, Any], Sequence[Quantity]]]) -> pyarrow.Table:
    """Return answered cells as rows: what all rows of a cell share, and its quantities; without any it is one row."""
    import pyarrow

    schema = schemas()["rows"]
    every = [row for _, rows in answers for row in rows]
    places = [row.at or NOWHERE for row in every]
    own = {
        "name": [row.name for row in every],
        "class": [row.job_class for row in every],
        "kind": [row.kind for row in every],
        "method": [row.method for row in every],
        "citation": [row.citation for row in every],
        "formula": [row.formula for row in every],
        "quantity": [at.get("quantity") for at in places],
        "level": [row.level for row in every],
        "value": [row.value for row in every],
        "low": [row.low for row in every],
        "high": [row.high for row in every],
        "time_of_day": [at.get("time_of_day") for at in places],
        "bracket": [row.bracket for row in every],
    }
    counts = [len(rows) for _, rows in answers]
    owner = pyarrow.array(np.repeat(np.arange(len(answers)), np.maximum(counts, 1)))
    number = None  # of the quantity of each row; where a cell has none its one row is empty there
    if 0 in counts:
        numbers = iter(range(len(every)))
        of_rows = [next(numbers) if has else None for has in counts for _ in range(has or 1)]
        number = pyarrow.array(of_rows, pyarrow.int64())
    columns = []
    for field in schema:
        if field.name in own:
            column = pyarrow.array(own[field.name], field.type)
            columns.append(column if number is None else column.take(number))
        else:  # each shared value is converted once, not once for every row
            shared = pyarrow.array([facts.get(field.name) for facts, _ in answers], field.type)
            columns.append(shared.take(owner))
    return pyarrow.table(columns, schema=schema)


def quantity_of(record: Sequence[Any], at: Mapping[str, Any]) -> Quantity:
    """Return the quantity that a row's own columns (:data:`OF_ROWS`) say, at a place."""
    name, job_class, kind, method, citation, formula, quantity, level, value, low, high, hour, bracket = record
    if quantity is not None or hour is not None:
        at = {**at, **{key: place for key, place in zip(FURTHER, (quantity, hour), strict=True) if place is not None}}
    return Quantity(
        name=name,
        value=math.nan if value is None else value,
        kind=kind,
        method=method or "",
        citation=citation or "",
        job_class=job_class,
        level=level,
        low=low,
        high=high,
        at=at,
        formula=formula,
        bracket=bool(bracket),
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
    reals["areas"] = reals["areas"].reshape(pieces, -1)
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
