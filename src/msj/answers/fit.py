"""A cluster from a log, and how well it predicts what it was not made from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from msj.answers.held_out import parts_of, predictions
from msj.answers.question import question, root_of
from msj.answers.replay import policies_of, servers_of
from msj.effort import Effort
from msj.errors import Failure, InvalidInput
from msj.fitting import Fitted, fitted
from msj.fitting.remarks import arrivals_words, notes_of, order_words, remarks_of
from msj.logs import Trace, as_trace
from msj.model import System
from msj.model.numbers import whole
from msj.model.spec_file import to_toml
from msj.options import FitOptions, FittingOptions, takes
from msj.results import Missing, Outcome, Quantity, Result, provenance
from msj.results.units import ratio
from msj.results.units import time_unit as unit_named
from msj.store import write_text
from msj.workloads.streams import seed_record

POLICIES = ("fcfs", "easy-backfilling")


@dataclass(frozen=True, kw_only=True)
class FitResult(Result):
    """What was fitted to a log, and the clusters that come of it."""

    fitted: Fitted

    @property
    def cluster(self) -> System:
        """The cluster, with the arrivals and the order of the log."""
        return self.fitted.system

    @property
    def independent(self) -> System:
        """The same with Poisson arrivals and independent jobs."""
        return self.fitted.independent

    def in_unit(self, unit: str) -> Self:
        """Return the rows, and the cluster's description, in another unit of time."""
        wanted = unit_named(unit, "unit")
        factor = float(ratio("seconds", wanted))
        rows = tuple(row.rescaled(factor) for row in self.quantities)
        return replace(self, quantities=rows, system=self.cluster.in_unit(wanted).to_spec())

    def to_toml(self, unit: str | None = None) -> str:
        """Return the cluster as a spec file whose comments say how each part was found."""
        name = "seconds" if unit is None else unit_named(unit, "unit")
        remarks = remarks_of(self.fitted, float(ratio("seconds", name)), name)
        return to_toml(self.cluster.in_unit(name), remarks)

    def write(self, path: str | os.PathLike[str], *, unit: str | None = None) -> None:
        """Write the cluster to a spec file."""
        if Path(path).suffix.lower() != ".toml":
            raise InvalidInput(f"'{path}' is no spec file with comments; call it something.toml")
        write_text(Path(path), self.to_toml(unit))


@dataclass(frozen=True)
class FitQuestion(FittingOptions):
    """The question of :func:`msj.fit`."""

    file: Trace | str | os.PathLike[str] = field(metadata={"help": "The log: a file or a trace."})


@question
@takes(FitQuestion)
def fit(asked: FitQuestion) -> FitResult:
    """Fit a cluster to a log, and say how well such a fit predicts a part of the log it was not made from.

    Examples
    --------
    >>> import msj
    >>> found = msj.fit("examples/logs/small_cluster.swf", held_out=None)
    >>> found.cluster.order.law, [c.need for c in found.cluster.classes][:3]
    ('sticky', [1, 2, 3])
    """
    trace = as_trace(asked.file, asked)
    size = servers_of(trace, asked.servers)
    options = FitOptions(**asked.part(FitOptions))
    chosen = policies_of(None, POLICIES if asked.policies is None else asked.policies)
    root, share = root_of(asked.rng, asked.seed), asked.held_out or None
    parts = None if share is None else parts_of(trace, size, share=share, scale_load=asked.scale_load)
    times = None if asked.draws is None else whole(asked.draws, "draws")
    found = fitted(trace, options, size)
    rows, missing = rows_of_fit(found), []
    if parts is not None:
        reason = parts.why_not
        if reason is None:
            effort = Effort(progress=asked.progress)
            rows += predictions(
                parts, size, options, policies=chosen, root=root, draws=times, effort=effort, dask=asked.dask
            )
        else:
            missing.append(Missing(name="prediction", failure=Failure.NOT_SUPPORTED, reason=reason))
    return FitResult(
        system=found.system.to_spec(),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED,
        provenance=provenance(seed=seed_record(root), jobs=len(trace)),
        notes=(arrivals_words(found), order_words(found), *notes_of(found), *trace.notes),
        missing=tuple(missing),
        fitted=found,
    )


def rows_of_fit(found: Fitted) -> list[Quantity]:
    """Return the rows of a fit: of each class its share, need, run times and how far its law is; arrivals, order."""
    rows = [_row("servers", found.servers, "given"), _row("arrival_rate", found.arrivals.rate, "jobs over time")]
    total = len(found.trace)
    for name, need, law, count in zip(
        found.classes.names, found.classes.needs, found.durations, found.classes.counts(), strict=True
    ):
        how = f"{law.duration.law}: {law.how}"
        rows += [
            _row("share", count / total, "counting jobs", job_class=name),
            _row("need", need, "servers x time over time", job_class=name),
            _row("mean_run_time", law.mean, "read off the log", job_class=name),
            _row("run_time_cv", law.cv, "read off the log", job_class=name),
            _row("fitted_mean_run_time", float(law.duration.mean), how, job_class=name),
            _row("fitted_run_time_cv", law.duration.cv, how, job_class=name),
            _row("fit_distance", law.distance, how, job_class=name),
        ]
    order = found.order
    half = 1.96 * order.error
    known = len(found.classes) > 1
    rows += [
        _row("alike_share", order.alike, "counting pairs of jobs"),
        Quantity(
            name="stickiness",
            value=order.stickiness,
            low=order.stickiness - half if known else None,
            high=order.stickiness + half if known else None,
            kind="recorded",
            method="likeliest sticky order",
        ),
    ]
    curve = found.arrivals.dispersion
    for window, jobs, error, work in zip(curve.window, curve.jobs, curve.jobs_error, curve.work, strict=True):
        at = {"time": float(window)}
        rows += [
            Quantity(
                name="arrival_dispersion",
                value=float(jobs),
                low=float(jobs - 1.96 * error),
                high=float(jobs + 1.96 * error),
                kind="recorded",
                method="counts in windows",
                at=at,
            ),
            _row("work_dispersion", work, "work in windows", at=at),
        ]
    return rows


def _row(name: str, value: float, method: str, **more: Any) -> Quantity:
    return Quantity(name=name, value=float(value), kind="recorded", method=method, **more)
