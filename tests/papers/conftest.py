"""Recompute a figure in memory and draw it small: as a reproduction does, without its files."""

import io

import pytest

from msj.papers import Work
from msj.plots.figure import new_figure


@pytest.fixture
def recompute():
    return _recompute


def _recompute(figure, **work):
    rows = figure.compute(Work(**work))
    picture = new_figure(figure.width, figure.height)
    figure.draw(rows, picture)
    drawn = io.BytesIO()
    picture.savefig(drawn, format="png", dpi=40)
    assert len(drawn.getvalue()) > 3000
    return rows, figure.claims(rows)
