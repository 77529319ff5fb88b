"""Options of simulations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msj.effort import Effort, Watch
from msj.options.option import argument, option
from msj.options.seeding import DaskOptions, SeedOptions

#: Percentiles that are given if nothing is said.
LEVELS = (50.0, 90.0, 95.0, 99.0, 99.9)


@dataclass(frozen=True, kw_only=True)
class RunOptions(DaskOptions):
    """How a simulation is run, and what is estimated."""

    jobs: int | None = option(
        None,
        "Number of jobs to simulate (under each policy), all replications together; with a precision, the maximum.",
        metavar="N",
        kind="jobs",
        shown="1000000",
    )
    replications: int | None = option(
        None,
        "Number of independent runs.",
        metavar="N",
        kind="replications",
        shown="by the relaxation time of the cluster",
    )
    workers: int = option(
        1,
        "Number of replications that run side by side. The answer does not depend on it.",
        metavar="N",
        kind="workers",
        flags=("--workers", "--processes"),
    )
    processes: int | None = argument(None, "Another name for workers.")
    levels: Sequence[float] = option(LEVELS, "Percentiles to estimate.", metavar="P,P,...", kind="levels")
    controls: bool = option(
        True,
        "Report sample means without control variates.",
        kind="off",
        flags=("--no-controls",),
        python="Whether exactly solved single servers on the same jobs are control variates.",
    )
    warm_up: float | None = argument(
        None, "Share of each replication that is left out at its beginning; chosen by the relaxation time if None."
    )
    effort: Effort | None = argument(None, "Limits and a deadline.")
    progress: Watch | None = argument(
        None, "Called with a Progress after every batch, and before something takes unusually long."
    )

    @property
    def worker_count(self) -> int:
        """Number of workers, by whichever name it was given."""
        from msj.model.numbers import whole

        return whole(self.workers, "workers") if self.processes is None else whole(self.processes, "processes")


@dataclass(frozen=True, kw_only=True)
class SingleRunOptions(RunOptions):
    """How one system is simulated."""

    time: float | None = option(
        None,
        "Simulate for this long instead of a number of jobs: 5000 (on the command line also '2 weeks' if FILE has a "
        "unit).",
        metavar="T",
    )
    precision: float | None = option(
        None,
        "Stop when the half-width of the interval of the mean response time is at most this share of the mean.",
        metavar="P",
        kind="number",
    )
    jobs_file: str | os.PathLike[str] | None = option(
        None,
        "Write every job to this file, those of the warm-up included: .csv, or else Parquet.",
        metavar="FILE",
        kind="path",
    )
    checkpoint: str | os.PathLike[str] | None = option(
        None,
        "Save the state of the run in this file; if it exists, continue from there, possibly with more jobs.",
        metavar="PATH",
        kind="path",
    )


@dataclass(frozen=True, kw_only=True)
class CompareOptions(RunOptions, SeedOptions):
    """Options of :func:`msj.compare`."""

    stability_threshold: float | None = argument(
        None, "Stability threshold of the system's own policy, where it is known from elsewhere."
    )


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(SingleRunOptions, CompareOptions):
    """Options of :func:`msj.simulate`."""

    policy: Any = option(
        None,
        "Policy in place of the cluster's own; a table has options, as in a spec file. A load remains a share of the "
        "threshold under the cluster's own policy.",
        python="A name, a table, a policy, a function or 'FILE.py:FUNCTION'.",
        metavar="NAME|TABLE|FILE.py:FUNCTION",
        kind="policy",
    )
