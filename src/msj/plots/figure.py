"""Making and saving figures: no global state, no screen, one house style."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msj.errors import InvalidInput

ENDINGS = (".png", ".svg", ".pdf")


def new_figure(width: float = 7.0, height: float = 4.2) -> Any:
    """Return an empty matplotlib figure."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


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
    try:
        figure.savefig(path, dpi=160)
    except OSError as error:
        raise InvalidInput(f"'{path}' cannot be written ({error.strerror}); check the path") from None
