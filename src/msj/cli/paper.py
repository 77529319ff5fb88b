"""``msj paper [PAPER [FIGURE]]``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from msj.cli.options import options_of
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, show_grid, show_json
from msj.options import DaskOptions

if TYPE_CHECKING:
    from msj.papers import Figure, Paper, Reproduction, Scale


@click.command()
@click.argument("paper", required=False, metavar="[PAPER]")
@click.argument("figure", required=False, metavar="[FIGURE]")
@click.option("--out", type=click.Path(path_type=Path), default=Path("papers"), show_default=True, metavar="DIR",
              help="Where data (CSV), pictures (PNG, SVG) and verdicts go.")  # fmt: skip
@click.option("--quick", "scale", flag_value="quick", default="quick", help="A minute or two a figure.  [default]")
@click.option("--full", "scale", flag_value="full", help="The paper's own run lengths; says first how long that takes.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, metavar="N", help="Random seed.")
@click.option("--processes", type=click.IntRange(min=1), default=2, show_default=True, metavar="N",
              help="Points computed side by side.")  # fmt: skip
@options_of(DaskOptions, "computing")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts (or the list) as JSON.")
def paper(
    paper: str | None,
    figure: str | None,
    out: Path,
    scale: Scale,
    seed: int,
    processes: int,
    computing: DaskOptions,
    as_json: bool,
) -> None:
    """Recompute the papers' figures from scratch, and say which of their claims were found again.

    Without PAPER, lists the papers and their figures. An interrupted run goes on where it was when started again.
    Leaves with 1 if a claim did not reproduce.

    \b
    Examples:
      msj paper
      msj paper reset section-4-1 --out figures
      msj paper reset fig2 --full
      msj paper lfms
    """
    from msj.papers.catalogue import PAPERS, figures_named, paper_named

    if paper is None:
        _list(PAPERS, as_json)
        return
    chosen = paper_named(paper)
    figures = figures_named(chosen, figure)
    if scale == "full":
        for name, one in figures.items():
            _say_how_long(chosen, name, one, out, seed, processes)
    from msj.papers.verdict import paper as ask

    with ProgressBar() as bar:
        verdict = ask(
            chosen.name,
            figure,
            scale=scale,
            seed=seed,
            out=out,
            processes=processes,
            dask=computing.dask,
            each=None if as_json else _show,
            progress=bar.show,
        )
    if as_json:
        show_json(verdict.to_dict())
    leave(verdict)


def _list(papers: dict[str, Paper], as_json: bool) -> None:
    from msj.papers.catalogue import figures_named

    rows = [
        {"paper": known.name, "figure": name, "shows": figure.title}
        for known in papers.values()
        for name, figure in figures_named(known).items()
    ]
    if as_json:
        show_json(rows)
        return
    for known in papers.values():
        click.echo(f"{known.name}: {known.title}")
    click.echo()
    show_grid(list(rows[0]), [list(row.values()) for row in rows])
    click.echo("\nmsj paper PAPER FIGURE recomputes one; msj paper PAPER all of a paper")


def _say_how_long(paper: Paper, name: str, figure: Figure, out: Path, seed: int, processes: int) -> None:
    """Measure the quick figure, and say from it what the full one will take."""
    from msj.papers.reproduce import estimated_seconds, reproduce

    with ProgressBar() as bar:
        quick = reproduce(paper, name, figure, out=out, seed=seed, processes=processes, progress=bar.show)
    seconds = estimated_seconds(figure, float(quick.provenance["work_seconds"]), processes)
    ends = time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() + seconds))
    click.echo(
        f"msj: {paper.name} {name} in full: {figure.arrivals('full'):.3g} arrivals to simulate, "
        f"about {_duration(seconds)} (until {ends}); an interrupted run goes on when started again",
        err=True,
    )


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} seconds"


def _show(found: Reproduction) -> None:
    click.echo(f"{found.paper} {found.name}: {found.title}")
    from msj.papers.verdicts import in_words

    for claim in found.claims:
        click.echo(f"  {in_words(claim)}: {claim.claim}")
        click.echo(f"      paper {claim.claimed}; found {claim.found}; difference {claim.difference}")
        if claim.because:
            click.echo(f"      {claim.because}")
    for file in found.files:
        click.echo(f"written: {file}", err=True)
