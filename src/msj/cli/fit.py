"""``msj fit LOG -o cluster.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.log_options import log_file, reading_options, require_programs
from msj.cli.messages import echo, say
from msj.cli.options import SEED, complete_policies, dask_option, output_options, policies_from_text
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, show_result
from msj.errors import InvalidInput


@click.command()
@log_file
@reading_options
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="SPEC.toml",
    help="Write the cluster to this spec file, with comments that say how each part was found.",
)
@click.option("--classes", type=int, default=12, show_default=True, metavar="N", help="At most so many classes.")
@click.option("--by", metavar="COLUMN", help="A class for each name in a column, such as queue.  [default: by need]")
@click.option(
    "--durations",
    default="auto",
    show_default=True,
    metavar="auto|phase-type|lognormal|empirical",
    help="The law of run times; phase types can be solved exactly.",
)
@click.option("--phases", type=int, default=4, show_default=True, metavar="N", help="Most phases of a phase type.")
@click.option(
    "--arrivals", default="auto", show_default=True, metavar="auto|poisson|mmpp|daily", help="The law of arrivals."
)
@click.option(
    "--order", default="auto", show_default=True, metavar="auto|independent|sticky|markov", help="Who follows whom."
)
@click.option("--policy", default="fcfs", show_default=True, metavar="NAME", help="The policy of the spec file.")
@click.option(
    "--held-out",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Predict this last share of the log's time from the rest; 0: no prediction.",
)
@click.option("--scale-load", type=float, default=1.0, metavar="F", help="Predict so many times as much load.")
@click.option(
    "--policies",
    default="fcfs,easy-backfilling",
    show_default=True,
    metavar="A,B,...",
    help="Policies to predict.",
    shell_complete=complete_policies,
)
@click.option(
    "--draws", type=click.IntRange(1, 10_000), metavar="N", help="How often jobs are drawn.  [default: 3 to 10]"
)
@click.option("--seed", type=SEED, metavar="N", help="Same seed, same answer.  [default: a new one]")
@dask_option
@click.option("--unit", metavar="UNIT", help="Unit of times in the spec file, --json and --csv.  [default: seconds]")
@output_options
def fit(
    file: Path,
    out: Path | None,
    held_out: float,
    policies: str,
    unit: str | None,
    as_json: bool,
    as_csv: bool,
    **options: Any,
) -> None:
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

    require_programs(unit, as_json or as_csv or out is not None)
    if out is not None:
        _check(out)
    with ProgressBar() as bar:
        found = answers.fit(
            file,
            held_out=held_out or None,
            policies=policies_from_text(policies),
            progress=bar.show,
            **options,
        )
    if out is not None:
        found.write(out, unit=unit)
    if as_json or as_csv:
        show_result(found if unit is None else found.in_unit(unit), as_json=as_json, as_csv=as_csv)
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
