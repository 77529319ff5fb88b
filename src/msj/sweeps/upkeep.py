"""How far a sweep's folder is, and what in it is of no use any more."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from msj.results import Outcome
from msj.store.pieces import ENDING
from msj.sweeps.folder import TABLES, Folder
from msj.sweeps.manifest import coverage, read_manifests
from msj.sweeps.reading import opened
from msj.sweeps.tables import INTERIM, SAME, sharpness


@dataclass(frozen=True, kw_only=True)
class Status:
    """A folder in numbers.

    Parameters
    ----------
    asked, exact, simulated, unstable, without, waiting
        Cells that were asked for under the code as it is: all; answered exactly; simulated; unstable; without an
        answer, for a reason; and those that nobody has answered yet.
    blocks, jobs, seconds
        Blocks that are kept, the jobs behind simulated answers, and the seconds that answers and blocks took.
    widest
        The widest relative half-width of a simulated mean response time; None if there is none.
    stale
        Cells of other versions of the code.
    grid, missing_shards
        Cells of the whole grids, and the shards that were never begun; a folder without a manifest has neither.
    unfinished
        How much is missing, in words; empty where nothing is.
    pieces, size
        Files, and their bytes.
    """

    asked: int
    exact: int
    simulated: int
    unstable: int
    without: int
    waiting: int
    blocks: int
    jobs: int
    seconds: float
    widest: float | None
    stale: int
    pieces: int
    size: int
    grid: int = 0
    missing_shards: tuple[str, ...] = ()
    unfinished: str = ""


def status(path: str | os.PathLike[str]) -> Status:
    """Return how far a folder is."""
    folder = opened(path)
    asked = folder.tables["asked"].whole(["cell", "code", "question"]).to_pylist()
    mine = {each["cell"] for each in asked if each["code"] == folder.code}
    columns = ["cell", "outcome", "blocks", "jobs", "width", "seconds"]
    found = {each["cell"]: each for each in _newest(folder, columns) if each["cell"] in mine}
    labels = {outcome.label: outcome for outcome in Outcome}
    outcomes = {cell: labels.get(each["outcome"]) for cell, each in found.items()}
    simulated = [each for cell, each in found.items() if each["blocks"] and outcomes[cell] is not Outcome.UNSTABLE]
    exact = [cell for cell, each in found.items() if not each["blocks"] and outcomes[cell] in EXACT]
    unstable = sum(outcome is Outcome.UNSTABLE for outcome in outcomes.values())
    pieces = [piece for table in folder.tables.values() for piece in table.pieces()]
    blocks = folder.tables["blocks"].whole(["stream", "index", "seconds"]).to_pylist()
    once = {(each["stream"], each["index"]): each["seconds"] for each in blocks}
    known = {each["question"] for each in asked if each["cell"] in mine}
    begun = coverage(one for one in read_manifests(folder.path) if one.question in known)
    widths = [each["width"] for each in simulated if each["width"] is not None]
    return Status(
        asked=len(mine),
        exact=len(exact),
        simulated=len(simulated),
        unstable=unstable,
        without=len(found) - len(exact) - len(simulated) - unstable,
        waiting=len(mine - found.keys()),
        blocks=len(once),
        jobs=sum(each["jobs"] or 0 for each in found.values()),
        seconds=sum(once.values()) + sum(found[cell]["seconds"] or 0.0 for cell in exact),
        widest=max(widths, default=None),
        stale=len({each["cell"] for each in asked} - mine),
        pieces=len(pieces),
        size=sum(piece.stat().st_size for piece in pieces),
        grid=begun.cells,
        missing_shards=begun.missing_shards,
        unfinished=begun.unfinished(
            sum(each["cell"] in mine and each["cell"] not in found for each in asked),
            sum(each["cell"] in found and found[each["cell"]]["outcome"] == INTERIM for each in asked),
        ),
    )


EXACT = (Outcome.SOLVED, Outcome.NO_LOAD_GIVEN)


def prune(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Remove what other versions of the code left, blunter answers, doubles and leftovers; return rows and bytes saved.

    Every table becomes one piece. Sweeps that run meanwhile lose nothing: what they have written is kept.
    """
    import pyarrow

    folder = opened(path)
    before = status(path).size
    removed = 0
    for name in TABLES:
        table = folder.tables[name]
        pieces = table.pieces()
        if not pieces:
            continue
        whole = table.whole()
        keep: dict[object, int] = {}
        for place, row in enumerate(whole.select(KEYS[name]).to_pylist()):
            if row["code"] != folder.code:
                continue
            key = tuple(value for column, value in row.items() if column != "code")
            keep.setdefault(key, place)
        places = sorted(keep.values())
        if name == "rows":
            best = {each["cell"]: _sharpness(each) for each in _newest(folder, ["cell", "blocks", "outcome"])}
            found = whole.select(["cell", "blocks", "outcome"]).to_pylist()
            places = [place for place in places if _sharpness(found[place]) == best[found[place]["cell"]]]
        removed += whole.num_rows - len(places)
        table.replace(whole.take(pyarrow.array(places, pyarrow.int64())), pieces)
        if table.folder is not None:
            for part in table.folder.glob(f"*{ENDING}.*.part"):
                part.unlink(missing_ok=True)
    return removed, before - status(path).size


#: What makes two rows of a table the same.
KEYS = {
    "asked": ["cell", "code", "question"],
    "rows": ["cell", *SAME, "blocks", "outcome", "code"],
    "streams": ["cell", "stream", "code"],
    "blocks": ["stream", "index", "code"],
}


def _newest(folder: Folder, columns: list[str]) -> list[dict[str, Any]]:
    """Return one row for each answered cell, that of its sharpest answer."""
    found: dict[str, dict[str, Any]] = {}
    table = folder.tables["rows"].whole(columns)
    for record in table.group_by(columns).aggregate([]).to_pylist():  # each cell has many rows
        known = found.get(record["cell"])
        if known is None or _sharpness(record) > _sharpness(known):
            found[record["cell"]] = record
    return list(found.values())


def _sharpness(record: dict[str, Any]) -> int:
    return int(sharpness(record["blocks"], record["outcome"] == INTERIM))
