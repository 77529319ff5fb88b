"""How a cluster is fitted to a log, and how the fit is tested."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msj.effort import Watch
from msj.options.option import Options, argument, option
from msj.options.reading import ReadOptions
from msj.options.seeding import DaskOptions, SeedOptions

if TYPE_CHECKING:
    from msj.model.numbers import Number

MAX_CLASSES, MAX_PHASES, HELD_OUT = 12, 4, 0.5


@dataclass(frozen=True, kw_only=True)
class FitOptions(Options):
    """How a cluster is fitted."""

    classes: int = option(MAX_CLASSES, "Maximum number of classes.", metavar="N", kind="whole")
    by: str | None = option(
        None, "Column whose names are the classes, such as queue.", metavar="COLUMN", shown="classes by need"
    )
    durations: str = option(
        "auto", "Law of run times; phase types can be solved exactly.", metavar="auto|phase-type|lognormal|empirical"
    )
    phases: int = option(MAX_PHASES, "Maximum number of phases of a phase type.", metavar="N", kind="whole")
    arrivals: str = option("auto", "Law of arrivals.", metavar="auto|poisson|mmpp|daily")
    order: str = option(
        "auto", "Correlation of the classes of successive jobs.", metavar="auto|independent|sticky|markov"
    )
    policy: Any = option("fcfs", "Policy of the fitted cluster; a log does not say its own.", metavar="NAME")

    def __post_init__(self) -> None:
        super().__post_init__()
        from msj.model.numbers import whole

        object.__setattr__(self, "classes", whole(self.classes, "classes"))
        object.__setattr__(self, "phases", whole(self.phases, "phases"))


@dataclass(frozen=True, kw_only=True)
class FittingOptions(ReadOptions, FitOptions, SeedOptions, DaskOptions):
    """Options of :func:`msj.fit`."""

    held_out: float | None = option(
        HELD_OUT,
        "Share of the log's time, at its end, that is predicted from the rest; 0: no prediction.",
        python="None is as good as 0.",
        metavar="SHARE",
        kind="number",
    )
    scale_load: Number = option(1, "Multiply the offered load of the prediction by F.", metavar="F", kind="number")
    policies: Iterable[Any] | None = option(
        None,
        "Policies to predict, by commas.",
        python="A list.",
        metavar="A,B,...",
        kind="policies",
        shown="fcfs,easy-backfilling",
    )
    draws: int | None = option(
        None, "Number of synthetic workloads to sample.", metavar="N", kind="draws", shown="3 to 10"
    )
    progress: Watch | None = argument(None, "Called with a Progress before each workload.")
