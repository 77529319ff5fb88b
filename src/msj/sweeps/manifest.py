"""The manifest of a sweep's folder: which questions were asked, with how many cells, and in which shards.

Each run writes one small file, ``manifest/QUESTION-I-of-N.json``; a question is known by its identity. So files of two
folders may be put together like everything else in a folder, questions stay apart, and a shard that never ran is seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from msj.errors import InvalidInput
from msj.store import digest, not_written, write_text
from msj.store.pieces import set_aside
from msj.sweeps.question import Question

FOLDER, CHECKSUM = "manifest", "checksum"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One run of a sweep.

    Parameters
    ----------
    question
        The identity of the question.
    shard, shards
        Which part of how many was asked.
    cells, grid_cells
        Cells of this shard, and of the whole grid.
    code
        The code that computes.
    asked
        The question as plain data, from which it can be asked again.
    """

    question: str
    shard: int
    shards: int
    cells: int
    grid_cells: int
    code: str
    asked: dict[str, Any]


def write_manifest(folder: Path, question: Question, *, cells: int, code: str) -> None:
    """Note a run in its folder."""
    part, parts = question.shard
    manifest = Manifest(
        question=question.id,
        shard=part,
        shards=parts,
        cells=cells,
        grid_cells=len(question.grid),
        code=code,
        asked=question.plain(),
    )
    place = folder / FOLDER / f"{manifest.question}-{part}-of-{parts}.json"
    try:
        place.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise not_written(place, error) from error
    write_text(place, json.dumps({**asdict(manifest), CHECKSUM: _checksum(asdict(manifest))}))


def _checksum(document: Mapping[str, Any]) -> str:
    return digest(json.dumps(document, sort_keys=True))


def read_manifests(folder: Path | None) -> list[Manifest]:
    """Return the manifests in a folder; none for one that an older version has written. Damaged ones are set aside."""
    found: list[Manifest] = []
    for file in [] if folder is None else sorted((folder / FOLDER).glob("*.json")):
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
            if CHECKSUM in document and document.pop(CHECKSUM) != _checksum(document):
                raise ValueError("its bytes are not those that were written")
            found.append(Manifest(**document))
        except OSError as error:
            raise InvalidInput(f"'{file}' cannot be read ({error.strerror}); check the folder") from None
        except (ValueError, TypeError) as error:
            set_aside(file, f"{type(error).__name__}: {error}")
    return found


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How much of the grids was begun.

    Parameters
    ----------
    cells, begun
        Cells of all grids, and those of shards that were begun.
    missing_shards
        The others, ``"2 of 3"``.
    """

    cells: int = 0
    begun: int = 0
    missing_shards: tuple[str, ...] = ()

    def unfinished(self, waiting: int, interim: int = 0) -> str:
        """Return how much is answered, in words; empty where all is.

        Parameters
        ----------
        waiting, interim
            Cells that were begun and have no answer, or one that was given when a sweep was interrupted.

        Examples
        --------
        >>> Coverage(cells=9, begun=6, missing_shards=("2 of 3",)).unfinished(0)
        '6 of 9 cells are answered; shard 2 of 3 is missing'
        >>> Coverage(cells=9, begun=9).unfinished(2, interim=3)
        '4 of 9 cells are answered; 3 have wider intervals than asked for'
        """
        answered = self.begun - waiting - interim
        if answered >= self.cells:
            return ""
        words, absent = f"{answered:,} of {self.cells:,} cells are answered", self.missing_shards
        words += f"; {interim:,} {'have' if interim > 1 else 'has'} wider intervals than asked for" if interim else ""
        if not absent:
            return words
        shown = ", ".join(absent[:8]) + (f" and {len(absent) - 8} more" if len(absent) > 8 else "")
        return f"{words}; shard{'s' if len(absent) > 1 else ''} {shown} {'are' if len(absent) > 1 else 'is'} missing"


def coverage(manifests: Iterable[Manifest]) -> Coverage:
    """Return how much of their grids was begun.

    Where a question was divided in several ways, the division of which least is missing counts.
    """
    questions: dict[str, dict[int, dict[int, Manifest]]] = {}
    for each in manifests:
        questions.setdefault(each.question, {}).setdefault(each.shards, {})[each.shard] = each
    cells = begun = 0
    absent: list[str] = []
    for divisions in questions.values():
        shards, there = max(divisions.items(), key=lambda division: len(division[1]) / division[0])
        cells += next(iter(there.values())).grid_cells
        begun += sum(each.cells for each in there.values())
        absent += [f"{part} of {shards}" for part in range(1, shards + 1) if part not in there]
    return Coverage(cells=cells, begun=begun, missing_shards=tuple(absent))
