"""``msj curve FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from msj.cli.cluster_options import cluster_options
from msj.cli.options import JOBS, SEED, output_options, plot_option, read_system, speaking_of, spec_file
from msj.cli.progress_bar import ProgressBar
from msj.cli.show import draw_to, show_result


@click.command()
@spec_file
@cluster_options
@click.option("--loads", metavar="LIST", help="Loads, e.g. 0.5,0.9,0.99; by default from 0 to 0.999 (simulated 0.95).")
@click.option("--jobs", type=JOBS, metavar="N", help="Jobs of each simulation, where no exact answer exists.")
@click.option("--seed", type=SEED, metavar="N", help="Same seed, same simulated answer.  [default: a new one]")
@plot_option
@output_options
def curve(
    file: Path,
    loads: str | None,
    jobs: int | None,
    seed: int | None,
    plot: Path | None,
    as_json: bool,
    as_csv: bool,
    **cluster: Any,
) -> None:
    """Give the mean response time of FILE against load: exact beside the RESET prediction, else simulated.

    Any policy and any durations will do. Where no exact method applies, each load is simulated, with 95 % intervals.

    \b
    Examples:
      msj curve examples/two_servers.toml
      msj curve examples/two_servers.toml --loads 0.5,0.9,0.99 --csv
      msj curve examples/two_servers.toml --plot curve.png
    """
    from msj import answers
    from msj.model.numbers import number
    from msj.plots import response_curve

    system = read_system(file, any_load=True, **cluster)
    wanted = None if loads is None else [float(number(text.strip(), "load")) for text in loads.split(",")]
    with speaking_of(file), ProgressBar() as bar:
        result = answers.curve(system, loads=wanted, jobs=jobs, seed=seed, progress=bar.show)
    show_result(result, as_json=as_json, as_csv=as_csv)
    draw_to(plot, response_curve.draw, result)
