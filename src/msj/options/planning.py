"""What a plan has to meet, what it varies and how much it may compute."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msj.effort import Effort, Watch
from msj.options.option import argument, option
from msj.options.reading import ReadOptions
from msj.options.replaying import EstimateOptions
from msj.options.seeding import DaskOptions, SeedOptions

ODDS, JOBS = 0.05, 4_000_000


@dataclass(frozen=True, kw_only=True)
class PlanOptions(ReadOptions, EstimateOptions, SeedOptions, DaskOptions):
    """Options of :func:`msj.plan`."""

    targets: Iterable[str] | str = option(
        (),
        'What is to be met: "p95 wait <= 2 h", "mean response[class=large] <= 8 h". Several times for several.',
        python="One text or a list.",
        metavar="TEXT",
        kind="several",
        flags=("--target",),
    )
    vary: str = option("servers", "What is looked for.", metavar="servers|load|cap|policy|share:CLASS|partition")
    policies: Iterable[Any] | None = option(
        None,
        "Policies to plan for, by commas.",
        python="A list.",
        metavar="A,B,...",
        kind="policies",
        shown="the cluster's own; fcfs for a log",
    )
    growth: str | None = option(None, 'Growth of the load: "20 %/year".', metavar="TEXT")
    price: str | None = option(None, 'Price of a server: "1.2 EUR/server hour".', metavar="TEXT")
    efficiency: str | None = option(
        None, "How jobs run on fewer servers, where a cap is looked for.", metavar="linear|amdahl:F", shown="linear"
    )
    odds: float = option(
        ODDS, "Maximum probability of a wrong verdict, where points are simulated.", metavar="P", kind="number"
    )
    jobs: int = option(JOBS, "Maximum number of jobs simulated for one point.", metavar="N", kind="jobs")
    seconds: float | None = option(None, "Stop after this time with what is known by then.", metavar="S", kind="number")
    workers: int = option(
        1,
        "Number of cores for simulations. The answer does not depend on it.",
        metavar="N",
        kind="workers",
    )
    out: str | os.PathLike[str] | None = option(
        None, "Folder in which points are kept; a plan that was stopped goes on there.", metavar="FOLDER", kind="path"
    )
    effort: Effort | None = argument(None, "Limits of exact methods.")
    progress: Watch | None = argument(None, "Called with a Progress after each step.")
