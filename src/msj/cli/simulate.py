"""``msj simulate FILE``."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import click

from msj.cli.messages import colour_is_welcome, say
from msj.cli.options import (
    JOBS,
    PROCESSES,
    REPLICATIONS,
    complete_policies,
    load_options,
    output_options,
    policy_from_text,
    read_system,
    speaking_of,
    spec_file,
)
from msj.cli.show import show_result


@click.command()
@spec_file
@load_options
@click.option(
    "--policy",
    metavar="NAME|TABLE|FILE.py:FUNCTION",
    help="Replace the file's policy; a table has options, as in a spec file.",
    shell_complete=complete_policies,
)
@click.option(
    "--jobs", type=JOBS, metavar="N", help="Jobs to simulate (the most, with --precision).  [default: 1000000]"
)
@click.option("--time", type=float, metavar="T", help="Simulate for this long instead.")
@click.option("--precision", type=float, metavar="P", help="Stop when the mean response time is known to within P.")
@click.option("--seed", type=int, metavar="N", help="Same seed, same answer.  [default: a new one]")
@click.option("--replications", type=REPLICATIONS, default=20, show_default=True, metavar="N", help="Independent runs.")
@click.option(
    "--processes",
    type=PROCESSES,
    default=1,
    show_default=True,
    metavar="N",
    help="Run them side by side.",
)
@click.option("--jobs-file", type=click.Path(path_type=Path), metavar="PARQUET", help="Write every job to this file.")
@click.option(
    "--checkpoint", type=click.Path(path_type=Path), metavar="PATH", help="Save the run there, or continue it."
)
@output_options
def simulate(
    file: Path,
    policy: str | None,
    jobs: int | None,
    time: float | None,
    precision: float | None,
    seed: int | None,
    replications: int,
    processes: int,
    jobs_file: Path | None,
    checkpoint: Path | None,
    as_json: bool,
    as_csv: bool,
    **loads: str | None,
) -> None:
    """Simulate the cluster in FILE and say how long jobs stay, with 95 % intervals.

    \b
    Examples:
      msj simulate examples/two_servers.toml --jobs 100000 --seed 1
      msj simulate examples/two_servers.toml --policy first-fit --precision 0.01
      msj simulate examples/two_servers.toml --policy '{ name = "first-fit", window = 4 }'
      msj simulate examples/two_servers.toml --policy my_policy.py:pick --json
    """
    from msj import questions
    from msj.results import Outcome

    system = read_system(file, **loads)
    with speaking_of(file), Bar(precision) as bar:
        result = questions.simulate(
            system,
            policy=None if policy is None else policy_from_text(policy),
            jobs=jobs,
            time=time,
            precision=precision,
            rng=seed,
            replications=replications,
            processes=processes,
            progress=bar.show if sys.stderr.isatty() else None,
            jobs_file=jobs_file,
            checkpoint=checkpoint,
            message=say,
        )
    show_result(result, as_json=as_json, as_csv=as_csv)
    if result.outcome in (Outcome.UNSTABLE, Outcome.INTERRUPTED):
        raise click.exceptions.Exit(1 if result.outcome is Outcome.UNSTABLE else 130)


class Bar:
    """A progress bar on the terminal: jobs done, precision so far, time left."""

    def __init__(self, precision: float | None) -> None:
        self.precision = precision
        self.progress: Any = None
        self.task: Any = None

    def __enter__(self) -> Bar:
        return self

    def show(self, now: Any) -> None:
        """Move the bar to where the run stands; short runs get none."""
        if self.progress is None:
            if now.seconds < 1.0:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
            self.progress = Progress(
                *columns,
                console=Console(stderr=True, color_system="auto" if colour_is_welcome() else None),
                transient=True,
            )
            self.progress.start()
            self.task = self.progress.add_task("", total=1.0)
        done = now.jobs / now.most_jobs
        if self.precision is not None and math.isfinite(now.precision) and now.precision > 0:
            done = max(done, min((self.precision / now.precision) ** 2, 1.0))  # half-widths shrink like the root
        known = f", ± {now.precision:.2%}" if math.isfinite(now.precision) else ""
        self.progress.update(self.task, completed=done, description=f"{now.jobs:,} jobs{known}")

    def __exit__(self, *_: object) -> None:
        if self.progress is not None:
            self.progress.stop()
