"""Write the rows that ``test_said.py`` draws and judges: ``python tests/papers/keep_rows.py [PAPER_FIGURE ...]``.

Figures are computed once, the simulated ones short, and their rows are kept with six digits in ``rows/``. They are
inputs like any others: what a figure draws of them, and what it says of the paper's claims, is the same on every
machine and whatever becomes of the simulation. The two largest sizes of zeroq's fig8 are a quarter and a sixteenth of
the one before them.
"""

import json
import sys
from pathlib import Path

from msj.papers import PAPERS, Work, figures_named
from msj.papers.reset import fig3, response_figure, settings
from msj.papers.twoclass import fig3 as twoclass_fig3
from msj.papers.zeroq import fig6, sets

ROWS = Path(__file__).parent / "rows"


def shorten():
    """Make simulations short and curves of few points."""
    settings.arrivals_at = lambda load, scale: 40_000
    response_figure.MARKED, fig3.MARKED = (0.5, 0.8), (0.1, 0.5)
    response_figure.LOADS, fig3.LOADS = (0.5, 0.7, 0.83, 0.9, 0.99), (0.0, 0.5, 0.9, 0.95, 0.99, 0.997)
    twoclass_fig3.LOADS = (0.0, 0.5, 0.9)
    sets.SIZES = (64, 256, 1024, 4096)  # fig8 and table3 ask for two more
    fig6.SIZES = (1024, 4096)
    sets.jobs_at = lambda servers, longer, **options: 100_000
    fig6.LEAST_JOBS = 100_000


THIN = 150  # rows at most; figures that look for a place of their own keep all of them


def thinned(rows):
    """Leave out most rows of a long curve, evenly; the first and the last stay."""
    step = -(-len(rows) // THIN)
    return [row for i, row in enumerate(rows) if i % step == 0 or i == len(rows) - 1]


def rounded(value):
    """Return six digits of what is not a whole number."""
    if value is None or isinstance(value, str | int):
        return value
    return float(value) if float(value).is_integer() else float(f"{float(value):.6g}")


def main():
    shorten()
    ROWS.mkdir(exist_ok=True)
    for paper in ("lfms", "reset", "twoclass", "zeroq"):
        for name, figure in figures_named(PAPERS[paper]).items():
            if name == "appendix-c2":  # a map of 2,703 points, whose rows test_reset.py computes and draws
                continue
            if sys.argv[1:] and f"{paper}_{name}" not in sys.argv[1:]:
                continue
            rows = [{key: rounded(value) for key, value in row.items()} for row in figure.compute(Work())]
            try:
                figure.claims(thinned(rows))
                rows = thinned(rows)
            except (LookupError, ValueError, AssertionError, StopIteration):
                pass
            text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
            (ROWS / f"{paper}_{name}.json").write_text(text, encoding="utf-8")
            print(paper, name, len(rows), len(text), flush=True)


if __name__ == "__main__":
    main()
