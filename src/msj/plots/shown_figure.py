"""A figure that a notebook shows by itself, without pyplot and its global state."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A matplotlib figure that is a picture wherever Jupyter shows values."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=110)
        return picture.getvalue()
