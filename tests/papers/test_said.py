"""What every figure draws and says of the paper's claims, given its rows (``rows/``, written by ``keep_rows.py``).

``said/`` has the inventory of each picture and the sentences of each claim as they were when kept: this notices that
they change; whether they were right the tests of the figures say. Where a figure is meant to say something else,
delete its file and run this twice; look at the difference.
"""

import json
import re
from pathlib import Path

import pytest
from inventory import inventory

from msj.papers import PAPERS, figures_named
from msj.papers.wcfs import points
from msj.papers.wcfs.models import models
from msj.plots.figure import new_figure

HERE = Path(__file__).parent
FIGURES = {f"{paper}_{name}": figure for paper in PAPERS for name, figure in figures_named(PAPERS[paper]).items()}
del FIGURES["reset_appendix-c2"]  # computed and drawn in test_reset.py
ROUNDING = re.compile(r"-?\d(\.\d+)?e-(1\d|2\d|3\d)")  # another machine may round otherwise


def made_up(figure):
    """Return rows of wcfs that no system has: (i + 1)/(1 - rho), the same within 1 % as if simulated."""
    rows = []
    for i, name in enumerate(figure.names):
        for j, rho in enumerate((0.02, 0.5, 0.9, 0.96, 0.995, 0.999)):
            mean = (i + 1) / (1 - rho)
            if models()[name].exact is not None:
                rows.append(points._row(name, rho, "exact", mean, None, None))
            rows.append(points._row(name, rho, "simulated", mean, 0.99 * mean, 1.01 * mean) | {"z": 0.25 * (i + j)})
    return rows


def rows_of(name):
    kept = HERE / "rows" / f"{name}.json"
    return json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else made_up(FIGURES[name])


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_draws_and_says_what_it_should(name):
    figure = FIGURES[name]
    picture = new_figure(figure.width, figure.height)
    figure.draw(rows_of(name), picture)
    found = inventory(picture)
    for claim in figure.claims(rows_of(name)):
        found += [f"{key}: {value}" for key, value in claim.to_dict().items() if value != ""]
    found = [ROUNDING.sub("0", line) for text in found for line in text.splitlines()]
    kept = HERE / "said" / f"{name}.txt"
    if not kept.exists():
        kept.write_text("\n".join(found) + "\n", encoding="utf-8")
        pytest.fail(f"{kept.name} was not there and is now: look at it")
    assert found == kept.read_text(encoding="utf-8").splitlines()


def test_nothing_is_kept_of_figures_that_are_no_more():
    assert {file.stem for file in (HERE / "said").iterdir()} == set(FIGURES)
    assert {file.stem for file in (HERE / "rows").iterdir()} == {name for name in FIGURES if name[:4] != "wcfs"}


def test_errors_are_drawn_around_nothing():
    """The line of no error is in the picture, whichever side of it all errors are on."""
    for sign in (1, -1):
        rows = rows_of("reset_fig3")
        for row in rows:
            row["relative_error"] = sign * (0.02 + abs(row["relative_error"]))
        errors = [100 * row["relative_error"] for row in rows]
        picture = new_figure()
        FIGURES["reset_fig3"].draw(rows, picture)
        room = 0.2 * (max(errors) - min(errors))
        assert picture.axes[-1].get_ylim() == pytest.approx((min(*errors, 0) - room, max(*errors, 0) + room))
