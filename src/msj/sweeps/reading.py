"""A sweep's folder read back: answers as a Result, how far it is, and what can go."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from msj.errors import Failure, InvalidInput
from msj.results import Missing, Outcome, Result, provenance
from msj.sweeps.folder import TABLES, Folder
from msj.sweeps.tables import PLACES, quantity_of


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
    cells: Collection[str] | None = None,
    outcome: Outcome | None = None,
    system: dict[str, Any] | None = None,
    provenance: dict[str, Any],
    missing: Iterable[Missing] = (),
) -> Result:
    """Return the answers of some cells, or of all, in the order of where they stand."""
    answers = latest(folder, cells)
    answers = dict(sorted(answers.items(), key=lambda answer: _order(answer[1][0])))
    places = [name for name in PLACES if len({records[0][name] for records in answers.values()}) > 1]
    rows = [
        quantity_of(record, places) for records in answers.values() for record in records if record["name"] is not None
    ]
    gaps = [
        Missing(
            name="response times" if any(record["name"] for record in records) else "answer",
            failure=_failure(records[0]["outcome"]),
            reason=records[0]["message"] or _failure(records[0]["outcome"]).value,
            at={name: records[0][name] for name in places if records[0][name] is not None},
        )
        for records in answers.values()
        if not any(record["name"] == "mean_response_time" for record in records)
        and records[0]["outcome"] not in (Outcome.SOLVED.label, Outcome.NO_LOAD_GIVEN.label)
    ]
    gaps += [replace(gap, at={name: gap.at[name] for name in places if name in gap.at}) for gap in missing]
    return Result(
        system=system or {},
        quantities=tuple(rows),
        outcome=outcome or _outcome([records[0]["outcome"] for records in answers.values()]),
        provenance=provenance,
        missing=_together(gaps),
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


def _order(record: dict[str, Any]) -> list[Any]:
    """Return what answers are sorted by: texts and numbers of each coordinate in turn, those without one first."""
    return [(record[name] is not None, record[name] if record[name] is not None else 0) for name in PLACES]


def latest(folder: Folder, cells: Collection[str] | None) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each cell's sharpest answer."""
    import pyarrow.compute as compute

    table = folder.tables["rows"].whole()
    if cells is not None and table.num_rows:
        import pyarrow

        table = table.filter(compute.is_in(table["cell"], value_set=pyarrow.array(sorted(cells), pyarrow.string())))
    found: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for record in table.to_pylist():
        found.setdefault(record["cell"], {}).setdefault(record["blocks"], []).append(record)
    return {cell: _once(by_blocks[max(by_blocks)]) for cell, by_blocks in found.items()}


def _once(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each row once: two sweeps may have answered the same cell."""
    return list({(r["name"], r["class"], r["level"], r["quantity"]): r for r in reversed(records)}.values())[::-1]


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
