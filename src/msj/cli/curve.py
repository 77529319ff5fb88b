"""``msj curve FILE``."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import click

from msj.cli.options import output_options, read_system, speaking_of, spec_file
from msj.cli.show import show_grid, show_json
from msj.model.numbers import number
from msj.plots.figure import check_path
from msj.results.table import write_number


@click.command()
@spec_file
@click.option("--loads", metavar="LIST", help="Loads, e.g. 0.5,0.9,0.99; by default from 0 to 0.999.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE", help="Also draw it (.png, .svg or .pdf).")
@output_options
def curve(file: Path, loads: str | None, plot: Path | None, as_json: bool, as_csv: bool) -> None:
    """Give the exact mean response time of FILE against load, beside the RESET prediction.

    \b
    Examples:
      msj curve examples/two_servers.toml
      msj curve examples/two_servers.toml --loads 0.5,0.9,0.99 --csv
      msj curve examples/two_servers.toml --plot curve.png
    """
    from msj.analysis.response_curve import USUAL_LOADS, response_curve

    if plot is not None:
        check_path(plot)
    system = read_system(file)
    wanted = USUAL_LOADS if loads is None else [float(number(text.strip(), "load")) for text in loads.split(",")]
    with speaking_of(file):
        found = response_curve(system, wanted, progress=_progress if sys.stderr.isatty() else None)
    rows = found.rows()
    if as_json:
        show_json({"system": system.to_spec(), "stability_threshold": found.stability_threshold, "rows": rows})
    elif as_csv:
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        click.echo(buffer.getvalue(), nl=False)
    else:
        click.echo(f"stability threshold {write_number(found.stability_threshold)}\n")
        show_grid(list(rows[0]), [[write_number(value, 7) for value in row.values()] for row in rows])
    if plot is not None:
        from msj.plots.figure import save
        from msj.plots.response_curve import draw_response_curve

        save(draw_response_curve(found), plot)
        click.echo(f"drawn: {plot}", err=True)


def _progress(done: int, total: int) -> None:
    click.echo(f"\rload {done + 1} of {total}", err=True, nl=done + 1 == total)
