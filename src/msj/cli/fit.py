"""``msj fit LOG -o cluster.toml``."""

from __future__ import annotations

from pathlib import Path

import click

from msj.cli.messages import echo, say
from msj.cli.options import input_file, options_of
from msj.cli.output import Output
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave
from msj.errors import InvalidInput
from msj.options import FittingOptions


@click.command()
@input_file
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="SPEC.toml",
    help="Write the cluster to this spec file, with comments that say how each part was found.",
)
@options_of(FittingOptions, "asked")
@click.option("--unit", metavar="UNIT", help="Unit of times in the spec file, --json and --csv.  [default: seconds]")
@options_of(Output, "output")
def fit(file: Path, out: Path | None, asked: FittingOptions, unit: str | None, output: Output) -> None:
    """Fit a cluster to the log in FILE: classes by need, run times, arrivals, order; and say how well it predicts.

    The last half of the log is predicted from the first, under two policies, with independent jobs and with the
    arrivals and the order that the log has; the replay of that half stands beside it.

    \b
    Examples:
      msj fit examples/logs/small_cluster.swf -o cluster.toml
      msj fit examples/logs/small_cluster.swf --durations phase-type --classes 4 -o small.toml
      msj fit jobs.txt --servers 4096 --held-out 0.3 --policies easy-backfilling --json
    """
    from msj import answers

    output.require_programs(unit, also=out is not None)
    if out is not None:
        _check(out)
    with ProgressBar() as bar:
        found = answers.fit(file, **asked.given(), progress=bar.show)
    if out is not None:
        found.write(out, unit=unit)
    if output.for_programs:
        output.show(found, unit=unit)
    else:
        from msj.reports.fit_text import write_fit_text

        echo(write_fit_text(found))
    if out is not None:
        say(f"written: {out}")
    leave(found)


def _check(out: Path) -> None:
    """Refuse a place where no spec file can be written, before anything is computed; its folder is made."""
    if out.suffix.lower() != ".toml":
        raise InvalidInput(f"--out '{out}' is no spec file with comments; call it something.toml")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out '{out}': its folder cannot be made ({error.strerror}); give another") from None
