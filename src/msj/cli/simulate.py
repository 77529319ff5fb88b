"""``msj simulate FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from msj.cli.cluster_options import cluster_options
from msj.cli.options import (
    JOBS,
    complete_policies,
    load_options,
    output_options,
    policy_from_text,
    read_system,
    run_options,
    speaking_of,
    spec_file,
)
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import leave, screen_width, show_json, show_result

if TYPE_CHECKING:
    from msj.model import System


@click.command()
@spec_file
@load_options
@cluster_options
@click.option(
    "--policy",
    metavar="NAME|TABLE|FILE.py:FUNCTION",
    help="Replace the file's policy; a table has options, as in a spec file.",
    shell_complete=complete_policies,
)
@click.option(
    "--jobs", type=JOBS, metavar="N", help="Jobs to simulate (the most, with --precision).  [default: 1000000]"
)
@click.option("--time", metavar="T", help="Simulate for this long instead: 5000, or '2 weeks' if FILE has a unit.")
@click.option("--precision", type=float, metavar="P", help="Stop when the mean response time is known to within P.")
@run_options
@click.option(
    "--jobs-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every job to this file (.csv, or Parquet).",
)
@click.option(
    "--checkpoint", type=click.Path(path_type=Path), metavar="PATH", help="Save the run there, or continue it."
)
@click.option(
    "--decisions",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="List the first N decisions of the policy instead: which jobs it serves and preempts.",
)
@output_options
def simulate(
    file: Path,
    decisions: int | None,
    policy: str | None,
    jobs: int | None,
    time: str | None,
    precision: float | None,
    seed: int | None,
    replications: int | None,
    workers: int,
    dask: str | None,
    levels: tuple[float, ...],
    controls: bool,
    jobs_file: Path | None,
    checkpoint: Path | None,
    as_json: bool,
    as_csv: bool,
    **cluster: Any,
) -> None:
    """Simulate the cluster in FILE and say how long jobs stay, with 95 % intervals.

    \b
    Examples:
      msj simulate examples/two_servers.toml --jobs 100000 --seed 1
      msj simulate examples/two_servers.toml --policy first-fit --precision 0.01
      msj simulate examples/two_servers.toml --policy '{ name = "first-fit", window = 4 }'
      msj simulate examples/two_servers.toml --policy my_policy.py:pick --json
      msj simulate examples/two_servers.toml --policy first-fit --decisions 20 --seed 1
    """
    from msj import answers
    from msj.model.numbers import number
    from msj.model.written_units import plain_time

    system = read_system(file, **cluster)
    if decisions is not None:
        _list_decisions(system, decisions, policy, seed, as_json=as_json, as_csv=as_csv)
        return
    with speaking_of(file), ProgressBar() as bar:
        result = answers.simulate(
            system,
            policy=None if policy is None else policy_from_text(policy),
            jobs=jobs,
            time=None if time is None else float(number(plain_time(time, "--time", system.time_unit), "--time")),
            precision=precision,
            seed=seed,
            replications=replications,
            workers=workers,
            dask=dask,
            levels=levels,
            controls=controls,
            progress=bar.show,
            jobs_file=jobs_file,
            checkpoint=checkpoint,
        )
    show_result(result, as_json=as_json, as_csv=as_csv)
    leave(result)


def _list_decisions(
    system: System, count: int, policy: str | None, seed: int | None, *, as_json: bool, as_csv: bool
) -> None:
    """Print the first decisions of a policy."""
    from msj import answers

    chosen = None if policy is None else policy_from_text(policy)
    found = answers.decisions(system, count, policy=chosen, seed=seed)
    if as_json:
        show_json(found.to_dicts())
    else:
        click.echo(found.to_csv() if as_csv else found.to_text(width=screen_width()), nl=not as_csv)
