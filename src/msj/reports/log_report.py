"""All about one log: what it says, its jobs under policies and after changes, a fit to it, and what to make of that.

Nothing here computes: the numbers come from ``answers``. How often something is repeated hangs on the number of jobs
only, so that the same seed gives the same report on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self

from msj.answers import FitResult, LogResult, fit, log, question, replay, root_of
from msj.answers.replay import servers_of
from msj.disciplines import EasyBackfilling
from msj.effort import Progress, Watch
from msj.errors import InvalidInput
from msj.logs import Trace, as_trace
from msj.options import ReadOptions, SeedOptions, argument, takes
from msj.reports.log_changes import Change, changes_of
from msj.reports.log_contents import LEVELS, Finding
from msj.reports.log_findings import findings_of
from msj.results import Missing, Outcome, Result, provenance
from msj.results.result import plain
from msj.results.units import ratio
from msj.workloads.streams import seed_record

POLICIES = ("fcfs", "easy-backfilling", "first-fit")
SHAKEN_JOBS, FEWEST, MOST = 1_000_000, 4, 20  # jobs of all shaken replays of a policy; how many there are


@dataclass(frozen=True, kw_only=True)
class LogReport(LogResult):
    """Everything about a log: a result whose rows stand at their section, and the parts they are from."""

    log: LogResult
    policies: Result
    changes: tuple[Change, ...]
    fit: FitResult | None
    findings: tuple[Finding, ...]

    def in_unit(self, unit: str) -> Self:
        """Return the rows, and those that findings rest on, in another unit of time."""
        there = super().in_unit(unit)
        factor = float(ratio("seconds", there.system["time_unit"]))
        moved = tuple(replace(finding, quantity=finding.quantity.rescaled(factor)) for finding in self.findings)
        return replace(there, findings=moved)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON writes it."""
        findings = [
            {
                "sentence": finding.sentence,
                "kind": finding.kind,
                "section": finding.section,
                "quantity": finding.quantity.to_dict(self.time_unit),
            }
            for finding in self.findings
        ]
        document: dict[str, Any] = super().to_dict() | plain({"title": self.title, "findings": findings})
        return document


@dataclass(frozen=True)
class LogReportQuestion(ReadOptions, SeedOptions):
    """The question of :func:`msj.report_log`."""

    file: Trace | str | os.PathLike[str] = field(metadata={"help": "The log: a file or a trace."})
    _: KW_ONLY
    policies: Iterable[Any] | None = argument(
        None, "Policies to serve the jobs by; FCFS, EASY backfilling and first fit if None."
    )
    users: bool = argument(False, "Whether users are named.")
    progress: Watch | None = argument(None, "Called with a Progress before each part.")


@question
@takes(LogReportQuestion)
def report_log(asked: LogReportQuestion) -> LogReport:
    """Say everything about a log: what it holds, what other policies and sizes would have done, how far a fit goes.

    Examples
    --------
    >>> import msj
    >>> found = msj.report_log("examples/logs/small_cluster.swf", seed=1)
    >>> print(found.findings[0].sentence)
    Is the backfilling any good? About as good as EASY backfilling: jobs waited 7 h on average, with EASY it would have been 7 h, and 43 h first come first served.
    """  # noqa: E501
    trace = as_trace(asked.file, asked)
    size = servers_of(trace, asked.servers)
    root = root_of(asked.rng, asked.seed)
    steps = _Steps(asked.progress)
    steps.begin(0.0, 0.05, "what the log says")
    looked = log(trace, users=asked.users, rng=root)
    shakes = min(max(SHAKEN_JOBS // max(len(trace), 1), FEWEST), MOST)
    steps.begin(0.05, 0.3, "policies on the same jobs")
    served = replay(
        trace,
        servers=size,
        policies=POLICIES if asked.policies is None else asked.policies,
        shakes=shakes,
        levels=LEVELS,
        rng=root,
        progress=steps.watch,
    )
    steps.begin(0.35, 0.25, "what changes would bring")
    changes = tuple(changes_of(trace, size, EasyBackfilling(), steps.said))
    steps.begin(0.6, 0.4, "fitting")
    fitted, missing = _fit(trace, size, root, steps.watch)
    rows = [
        *looked.quantities,
        *(row.put(section="policies") for row in served if row.kind == "replayed"),
        *(row for change in changes for row in change.rows),
        *(() if fitted is None else (row.put(section="fit") for row in fitted)),
    ]
    return LogReport(
        system=dict(looked.system),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED,
        provenance=provenance(seed=seed_record(root), jobs=len(trace), replays=1 + shakes),
        notes=looked.notes,
        missing=(*looked.missing, *missing, *(() if fitted is None else fitted.missing)),
        trace=trace,
        log=looked,
        policies=served,
        changes=changes,
        fit=fitted,
        findings=tuple(findings_of(looked, served, changes, fitted)),
    )


def _fit(trace: Trace, servers: int, root: Any, progress: Watch | None) -> tuple[FitResult | None, list[Missing]]:
    try:
        return fit(trace, servers=servers, rng=root, progress=progress), []
    except InvalidInput as error:  # too few jobs
        return None, [Missing(name="fit", failure=error.failure, reason=str(error))]


class _Steps:
    """Tells how far the whole is, part by part."""

    def __init__(self, progress: Watch | None) -> None:
        self.progress = progress
        self.first, self.share = 0.0, 1.0

    def begin(self, first: float, share: float, words: str) -> None:
        """Begin a part of the work."""
        self.first, self.share = first, share
        self.said(words)

    def said(self, words: str) -> None:
        """Say what is being done now."""
        self.watch(Progress(done=0.0, words=words))

    def watch(self, now: Progress) -> None:
        """Pass on how far the part is."""
        if self.progress is not None:
            done = self.first + self.share * now.done
            self.progress(Progress(done=done, words=now.words, notice=now.notice))
