"""What is changed about a log's jobs before they are served again, and how often that is done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msj.effort import Watch
from msj.errors import InvalidInput
from msj.options.option import Options, argument, option
from msj.options.reading import ReadOptions
from msj.options.seeding import SeedOptions
from msj.registry import nearest

if TYPE_CHECKING:
    from msj.model.numbers import Number

OVERRUNS = ("keep", "cut", "stretch")
SHAKES, SHAKE = 20, 60.0  # replays of a log with moved submissions; the maximum shift in seconds


@dataclass(frozen=True, kw_only=True)
class EstimateOptions(Options):
    """Run-time estimates that a scheduler uses."""

    estimates: str | None = option(
        None,
        "Run-time estimates that backfilling uses: exact (the run times), requested (as in the log) or a multiple of "
        "the run times.",
        metavar="exact|requested|factor:F",
        shown="requested where the log has it, else exact",
    )
    overruns: str = option(
        "keep",
        "Jobs that ran longer than requested: keep both times, cut the run, or stretch the estimate.",
        metavar="keep|cut|stretch",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        factor_of(self.estimates)
        if self.overruns not in OVERRUNS:
            raise InvalidInput(f"overruns '{self.overruns}' is unknown; {nearest(str(self.overruns), OVERRUNS)}")


@dataclass(frozen=True, kw_only=True)
class Scenario(EstimateOptions):
    """How the jobs differ from those of the log."""

    largest_need: int | None = option(
        None, "Give jobs at most N servers; they run longer instead.", metavar="N", kind="whole"
    )
    scale_load: Number = option(
        1, "Multiply the offered load by F: the times between submissions are divided by F.", metavar="F", kind="number"
    )
    from_log_state: bool = option(
        False,
        "Begin with the jobs that were running and waiting in the log, at --from (from_time) or after a tenth of it.",
        kind="flag",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        from msj.model.numbers import positive, whole

        if self.largest_need is not None:
            object.__setattr__(self, "largest_need", whole(self.largest_need, "largest_need"))
        object.__setattr__(self, "scale_load", positive(self.scale_load, "scale_load"))


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(ReadOptions, Scenario, SeedOptions):
    """Options of :func:`msj.replay`."""

    policy: Any = argument(None, "Policy: a name, a table, a policy or a function; FCFS if no policy is named.")
    policies: Iterable[Any] | None = option(
        None,
        "Policies, by commas.",
        metavar="A,B,...",
        kind="policies",
        python="A list of names, tables, policies or functions.",
    )
    shakes: int | None = option(
        None,
        "Number of further replays with submissions moved at random by up to a minute, to see how sensitive the "
        "numbers are.",
        metavar="N",
        kind="shakes",
        shown="20 for a log, none for arrays",
    )
    shake: float = argument(SHAKE, "Maximum shift of a submission in these replays, in seconds.")
    levels: Sequence[float] | None = option(
        None,
        "Percentiles to give.",
        metavar="P,P,...",
        kind="levels",
        shown="50,90,95,99 on the command line, 99.9 too in Python",
    )
    jobs_file: str | os.PathLike[str] | None = option(
        None,
        "Write every job to this file, one file for each policy: .parquet, .csv (as Batsim and evalys read it) or "
        ".swf.",
        metavar="FILE",
        kind="path",
    )
    progress: Watch | None = argument(None, "Called with a Progress before each replay.")


def factor_of(estimates: str | None) -> float | None:
    """Return the factor of ``factor:2``, None for the other words; what is none of them is refused."""
    if estimates in (None, "exact", "requested"):
        return None
    from msj.model.numbers import positive

    word, _, value = str(estimates).partition(":")
    if word != "factor":
        raise InvalidInput(f"estimates '{estimates}' are unknown; write exact, requested or factor:2")
    found = float(positive(value, "the factor of estimates"))
    if found < 1:
        raise InvalidInput(f"estimates 'factor:{value}' would be shorter than the runs; give at least 1")
    return found
