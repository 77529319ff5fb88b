"""Which cells a folder was asked for: by which question, and how much of the grids is answered.

Cells of two questions may stand at the same coordinates with different answers: specs with the same name, or the same
grid with other options. Then the cluster is called by its name and the beginning of the question's identity.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from msj.sweeps.folder import Folder
from msj.sweeps.manifest import Coverage, coverage, read_manifests
from msj.sweeps.tables import PLACES, TEXT_PLACES

SHORT = 6  # digits of a question's identity that are shown


@dataclass(frozen=True, kw_only=True)
class AskedCells:
    """The cells that count.

    Parameters
    ----------
    labels
        By cell: how to call its cluster, None for its own name.
    differing
        Coordinates in which cells differ.
    begun
        How much of the questions' grids was begun.
    asked
        The cells of each question, one after the other.
    notes
        What to know, in sentences.
    """

    labels: Mapping[str, str | None]
    differing: frozenset[str]
    begun: Coverage
    asked: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def places(self, answers: Any) -> list[str]:
        """Return the coordinates at which rows stand."""
        return [name for name in PLACES if name in self.differing or name in answers.places]

    def unfinished(self, answered: Collection[str], interim: Collection[str]) -> str:
        """Return how much is missing, in words; empty where nothing is."""
        waiting = sum(cell not in answered for cell in self.asked)
        early = sum(cell in interim for cell in self.asked)
        begun = self.begun if self.begun.cells else Coverage(cells=len(self.asked), begun=len(self.asked))
        return begun.unfinished(waiting, early)


def asked_cells(folder: Folder) -> AskedCells | None:
    """Return the cells asked for under the code as it is, or, where there are none, under any; None if unknown."""
    columns = ["cell", "code", "question", *PLACES]
    table = folder.tables["asked"].whole(columns, texts=["cell", "code", "question", *TEXT_PLACES])
    if not table.num_rows:
        return None
    found = table.to_pydict()
    mine = [number for number, code in enumerate(found["code"]) if code == folder.code]
    stale = len({found["cell"][number] for number in range(table.num_rows)} - {found["cell"][n] for n in mine})
    notes = []
    if mine and stale:
        notes.append(f"{stale:,} cells of other versions of the code are left out; msj sweep --prune removes them.")
    numbers = mine or range(table.num_rows)
    questions: dict[str, Any] = {}  # by cell, the first that asked for it
    for number in numbers:
        questions.setdefault(found["cell"][number], found["question"][number])
    counted = {found["cell"][number]: number for number in numbers}
    labels: dict[str, str | None] = dict.fromkeys(questions)
    apart = _sharing_coordinates(found, counted, questions)
    for cell, number in counted.items() if apart else ():
        if questions[cell] in apart:
            labels[cell] = f"{found['cluster'][number]} [{questions[cell][:SHORT]}]"
    if apart:
        listed = ", ".join(sorted(f"[{each[:SHORT]}]" for each in apart))
        notes.append(
            f"Different questions stand at the same coordinates here; they are told apart by 'cluster': {listed}. The "
            "folder's manifest says what each is."
        )
    differing = {name for name in PLACES if len({found[name][number] for number in counted.values()}) > 1}
    if apart:
        differing.add("cluster")
    known = set(questions.values())
    return AskedCells(
        labels=labels,
        differing=frozenset(differing),
        begun=coverage(one for one in read_manifests(folder.path) if one.question in known),
        asked=tuple(found["cell"][number] for number in numbers),
        notes=tuple(notes),
    )


def _sharing_coordinates(
    found: Mapping[str, list[Any]], counted: Mapping[str, int], questions: Mapping[str, Any]
) -> set[str]:
    """Return the questions that have different cells at the same coordinates."""
    if len(set(questions.values())) < 2:
        return set()
    at: dict[tuple[Any, ...], set[Any]] = {}
    for cell, number in counted.items():
        at.setdefault(tuple(found[name][number] for name in PLACES), set()).add(questions[cell])
    return {each for standing in at.values() if len(standing) > 1 for each in standing if each is not None}
