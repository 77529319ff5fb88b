"""Making and saving figures: no global state, no screen, one house style.

Every picture is one file with ``draw(result, ax=None)``: into ``ax``, one matplotlib axes or, for a picture of several
panels, a sequence of that many; into a figure of its own if nothing is given. It returns the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msj.errors import InvalidInput
from msj.results.coordinates import COORDINATES
from msj.store import write_atomically

ENDINGS = (".png", ".svg", ".pdf")


def new_figure(width: float = 7.0, height: float = 4.2) -> Any:
    """Return an empty matplotlib figure."""
    from msj.plots.shown_figure import ShownFigure

    return ShownFigure(figsize=(width, height), layout="constrained")


def given_panels(ax: Any, count: int) -> list[Any]:
    """Return the axes a caller gives for a picture of ``count`` panels, in reading order."""
    found = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(found) != count:
        panels = "1 panel" if count == 1 else f"{count} panels"
        raise InvalidInput(f"{len(found)} axes are given for a picture of {panels}; give one for each")
    return found


def mark_along(axes: Any, coordinate: str) -> None:
    """Mark the horizontal axis, along which a coordinate runs; there is no half of a server."""
    from matplotlib.ticker import MaxNLocator

    marks = axes.xaxis.get_major_locator()
    if COORDINATES[coordinate].unit == "servers" and isinstance(marks, MaxNLocator):
        marks.set_params(integer=True)


def figure_of(panels: Sequence[Any]) -> Any:
    """Return the figure that panels are in."""
    return panels[0].get_figure(root=True)


def nothing_to_draw(verb: str) -> InvalidInput:
    """Return the refusal of a result that does not hold what the picture shows."""
    return InvalidInput(f"this result has nothing that the picture shows; give one of msj.{verb}")


def check_path(path: str | Path) -> None:
    """Refuse a file no figure can be written to, before anything is computed for it."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InvalidInput(f"cannot draw into '{path.name}'; end its name in {', '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise InvalidInput(f"'{path}' cannot be written (no folder '{path.parent}'); check the path")


def save(figure: Any, path: str | Path) -> None:
    """Write a figure; the ending decides the format."""
    check_path(path)
    ending = Path(path).suffix.lower().removeprefix(".")
    write_atomically(path, lambda file: figure.savefig(file, dpi=160, format=ending))
