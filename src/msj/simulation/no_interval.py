"""Why some rows of a run have no interval although the run was long enough for the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msj.results import Quantity
from msj.simulation.estimates import FEW_JOBS, Estimates, Group, groups_of
from msj.simulation.plan import said


def why_no_interval(estimates: Estimates, measured: Sequence[Quantity]) -> Iterator[str]:
    """Return a sentence for each reason; every row without an interval has one, unless the run was too short for all.

    Parameters
    ----------
    estimates
        The run.
    measured
        Its rows.
    """
    reason = estimates.reading.no_variance
    if reason is not None:
        yield f"{reason[0].upper()}{reason[1:]}: such means have no interval, however long the run."
        if not estimates.forgets and any(row.low is not None for row in measured if row.level is not None):
            yield "Percentiles of waiting times have one where nearly every stretch of the run saw jobs beyond them."
    elif any(row.name == "mean_slowdown" and row.low is None for row in measured):
        yield (
            "mean_slowdown has no interval: durations may be so short that slowdowns are not known to have a finite "
            "variance."
        )
    if not estimates.forgets:
        return
    everybody, *classes = groups_of(estimates.system, estimates.rate)
    bare = _bare(measured, everybody)
    if bare:
        yield (
            f"Too few jobs were beyond percentile {_listed(bare)} for an interval; about "
            f"{said(estimates.level_jobs(max(bare)))} jobs would do."
        )
    for group in classes:
        yield from _of_class(estimates, group, _bare(measured, group) - bare)


def _of_class(estimates: Estimates, group: Group, bare: set[float]) -> Iterator[str]:
    """Say why percentiles of a class have no interval although those of all jobs have one."""
    count = estimates.expected(group)
    if bare and count < FEW_JOBS:
        settling = estimates.reading.pace.settling
        enough = max(1.1 * FEW_JOBS * estimates.rate / group.rate + settling, estimates.level_jobs(min(bare), group))
        yield (
            f"Percentiles of class '{group.name}' have no interval: the run counts about {count:,.0f} of its jobs, and "
            f"{FEW_JOBS:,} are needed; about {said(enough)} jobs would do."
        )
    elif bare:
        yield (
            f"Too few jobs of class '{group.name}' were beyond percentile {_listed(bare)} for an interval; about "
            f"{said(estimates.level_jobs(max(bare), group))} jobs would do."
        )


def _bare(measured: Sequence[Quantity], group: Group) -> set[float]:
    rows = [row for row in measured if row.job_class == group.name and row.low is None]
    return {row.level for row in rows if row.level is not None}


def _listed(levels: set[float]) -> str:
    return ", ".join(f"{level:g}" for level in sorted(levels))
