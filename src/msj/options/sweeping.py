"""What a sweep varies, how well its simulated cells are to be known, and what computes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from msj.effort import Watch
from msj.options.option import argument, option
from msj.options.seeding import DaskOptions


@dataclass(frozen=True, kw_only=True)
class SweepOptions(DaskOptions):
    """Options of :func:`msj.sweep`."""

    vary: Any = option(
        None,
        "Vary a parameter: load=0.5..0.98/9 (9 values), servers=64,128 or 10..400..10 (by tens), share:CLASS=0.1,0.2, "
        "seed=1..5, classes.CLASS.need=2,4. Repeat it for a grid.",
        metavar="NAME=VALUES",
        kind="several",
        python="A text, several, or a table of names and values.",
    )
    policies: Iterable[Any] | None = option(
        None,
        "Answer each cell under these policies. A load is a share of the threshold under the cluster's own policy, so "
        "that all policies get the same jobs.",
        metavar="A,B,...",
        kind="policies",
        shown="the cluster's own",
        python="A list.",
    )
    grid: str | os.PathLike[str] | None = option(
        None,
        "Read files, parameters, policies and options from a TOML file; what is given here counts more.",
        metavar="TOML",
        kind="path",
    )
    precision: float | None = option(
        None,
        "Simulate each cell to this half-width of its mean response time, as a share of the mean.",
        metavar="SHARE",
        kind="number",
        shown="0.01",
    )
    jobs: int | None = option(None, "Simulate at most N jobs in a cell.", metavar="N", kind="jobs", shown="1e9")
    levels: Sequence[float] | None = option(
        None, "Report these percentiles of simulated cells.", metavar="P,P,...", kind="levels", shown="50,90,95,99,99.9"
    )
    seed: int | None = option(
        None, "Seed of the random numbers; vary seed for several.", metavar="N", kind="seed", shown="1"
    )
    simulate: bool | None = option(None, "Simulate even what has an exact answer.", kind="flag")
    controls: bool | None = option(
        None,
        "Report sample means without control variates.",
        kind="off",
        flags=("--no-controls",),
        python="Whether exactly solved single servers on the same jobs are control variates.",
    )
    out: str | os.PathLike[str] | None = option(
        None,
        "Write answers to FOLDER; continue the sweep that is there. Other sweeps may share it.",
        metavar="FOLDER",
        kind="path",
    )
    shard: str | tuple[int, int] | None = option(
        None, "Answer the I-th of N parts of the grid, for job arrays.", metavar="I/N"
    )
    processes: int | None = option(
        None,
        "Compute in N processes.",
        metavar="N",
        kind="workers",
        shown="all cores on the command line, 1 in Python",
    )
    threads: int | None = option(None, "Compute in N threads instead of processes.", metavar="N", kind="workers")
    seconds: float | None = option(
        None, "Stop after S seconds and write the answers there are.", metavar="S", kind="number"
    )
    executor: Executor | None = argument(None, "Any executor in place of processes.")
    progress: Watch | None = argument(None, "Called with a Progress after each step.")
