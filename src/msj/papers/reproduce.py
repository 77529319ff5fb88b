"""Recompute a figure: its data (CSV), its picture (PNG and SVG), and a verdict on the paper's claims."""

from __future__ import annotations

import csv
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msj.effort import within
from msj.errors import InvalidInput
from msj.papers.catalogue import Paper
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.plots.figure import new_figure
from msj.results import Watch, provenance


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A figure as recomputed."""

    paper: str
    name: str
    title: str
    rows: Rows
    claims: tuple[Claim, ...]
    provenance: dict[str, Any]
    files: tuple[Path, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every claim was reproduced."""
        return all(claim.verdict != "no" for claim in self.claims)

    def verdict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {
            "paper": self.paper,
            "figure": self.name,
            "title": self.title,
            "passed": self.passed,
            "claims": [claim.to_dict() for claim in self.claims],
            "provenance": self.provenance,
        }


def reproduce(
    paper: Paper,
    name: str,
    figure: Figure,
    *,
    out: str | Path | None = None,
    scale: Scale = "quick",
    seed: int = 1,
    processes: int = 1,
    dask: Any = None,
    progress: Watch | None = None,
) -> Reproduction:
    """Recompute one figure; with ``out``, write ``paper_name.csv``, ``.png``, ``.svg`` and ``.verdict.json`` there.

    Answers of single points are kept in ``out/.work``, so that an interrupted run goes on where it was and a finished
    one is drawn again at once. Remove that folder to compute everything anew.

    Examples
    --------
    >>> from msj.papers import PAPERS, figures_named
    >>> [found] = [reproduce(PAPERS["reset"], name, figure)
    ...            for name, figure in figures_named(PAPERS["reset"], "section-4-1").items()]
    >>> found.passed
    True
    """
    started = time.perf_counter()
    folder = None if out is None else _folder(out)
    work = Work(
        scale=scale,
        seed=seed,
        processes=processes,
        dask=dask,
        folder=None if folder is None else folder / ".work" / paper.name,  # figures may share points
        progress=within(progress, 0.0, 1.0, f"{paper.name} {name}"),
    )
    rows = figure.compute(work)
    facts = {
        "scale": scale,
        "seed": seed,
        "arrivals": figure.arrivals(scale),
        "work_seconds": round(work.seconds, 3),
        "seconds": round(time.perf_counter() - started, 3),
    }
    found = Reproduction(
        paper=paper.name,
        name=name,
        title=figure.title,
        rows=rows,
        claims=tuple(figure.claims(rows)),
        provenance=provenance(**facts),
    )
    if folder is None:
        return found
    files = _write(found, figure, folder)
    return Reproduction(**{**vars(found), "files": files})


def estimated_seconds(figure: Figure, quick_seconds: float, processes: int = 1) -> float:
    """Return how long the full figure takes, from what the quick one took (all its processes together).

    Simulation is most of it where there is any, and its time is in proportion to the arrivals.
    """
    quick, full = figure.arrivals("quick"), figure.arrivals("full")
    return quick_seconds * (full / quick if quick else 1.0) / processes


def _folder(out: str | Path) -> Path:
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"'{folder}' cannot be made ({error.strerror}); check the path") from None
    return folder


def _write(found: Reproduction, figure: Figure, folder: Path) -> tuple[Path, ...]:
    stem = folder / f"{found.paper}_{found.name}"
    files = [stem.with_name(stem.name + ending) for ending in (".csv", ".png", ".svg", ".verdict.json")]
    write_rows(found.rows, files[0])
    picture = new_figure(figure.width, figure.height)
    figure.draw(found.rows, picture)
    picture.savefig(files[1], dpi=160)
    # No date and fixed identifiers: the same data give the same file.
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": stem.name}):
        picture.savefig(files[2], metadata={"Date": None})
    files[3].write_text(json.dumps(found.verdict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return tuple(files)


def write_rows(rows: Rows, path: Path) -> None:
    """Write rows as CSV with full precision; a number that does not exist is an empty cell."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            values = [row.get(key) for key in columns]
            writer.writerow(["" if isinstance(v, float) and math.isnan(v) else v for v in values])
