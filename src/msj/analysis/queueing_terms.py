"""Bounds on waiting under FCFS and the lemmas behind them, term by term (``closed_forms.queueing_bounds``).

What the lemmas bound is exact beside them where the open system is small: the server-time left, sum m_i·E[X_i]/mu_i,
from the mean numbers of jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msj.analysis.base import TermAnalysis, why_not_exponential, why_not_fcfs
from msj.analysis.exact_response import ExactResponse
from msj.closed_forms.queueing_bounds import QueueingBounds, queueing_bounds
from msj.errors import MsjError
from msj.model import System
from msj.results import Quantity

MOST_SERVERS = 10_000_000  # the law of the servers asked for is a list that long
COUPLING = "comparison with infinitely many servers"
LITTLE = "Little's law, comparison with infinitely many servers"


class QueueingTerms(TermAnalysis):
    """Bounds on the waiting probability, server-time left and shortfall under FCFS."""

    name: ClassVar[str] = "queueing-terms"
    summary: ClassVar[str] = "every bound on the waiting probability under FCFS, and the lemmas behind them"
    citation: ClassVar[str] = "zeroq, Theorem 4.2"

    def supports(self, system: System) -> str | None:
        if system.servers > MOST_SERVERS:
            return f"servers = {system.servers} is above {MOST_SERVERS:,}"
        return why_not_fcfs(system)

    def terms(self, system: System, rate: float) -> list[Quantity]:
        found = queueing_bounds_at(system, rate)
        return [*upper_rows(found), *_lower_rows(found), *_lemma_rows(found), *_exact_rows(system, rate)]


def queueing_bounds_at(system: System, rate: float) -> QueueingBounds:
    """Return the bounds of a cluster under FCFS at an arrival rate.

    Examples
    --------
    >>> import msj
    >>> found = queueing_bounds_at(msj.read("examples/two_servers.toml"), 0.2)
    >>> found.least_busy, round(found.sharpest_bound, 4), found.bound
    (1, 0.4, None)
    """
    classes = system.active_classes
    return queueing_bounds(
        servers=system.servers,
        names=[c.name for c in classes],
        needs=[c.need for c in classes],
        shares=[float(c.share) for c in classes],
        mean_durations=[float(c.duration.mean) for c in classes],
        arrival_rate=rate,
        why_no_bound=why_not_exponential(system) or "",
    )


def upper_rows(found: QueueingBounds, *, all_of_them: bool = True) -> Iterator[Quantity]:
    """Rows of the upper bounds that exist, from the paper's to the sharpest."""
    for name, value, method, citation, always in (
        ("bound", found.bound, f"drift, K = {found.kinds}", "zeroq, Theorem 4.2", True),
        ("sum_bound", found.sum_bound, "drift, class by class", "zeroq, equation (13) and Lemma 5.4", False),
        ("sharper_bound", found.sharper_bound, f"drift, {COUPLING}", "zeroq, equation (13)", True),
        ("little_bound", found.little_bound, LITTLE, "after zeroq, Theorem 4.2", False),
        ("sharpest_bound", found.sharpest_bound, f"{LITTLE}, best level", "after zeroq, Theorem 4.2", True),
    ):
        if value is not None and (always or all_of_them):
            yield _bound(f"waiting_probability_{name}", value, method, citation)


def _lower_rows(found: QueueingBounds) -> Iterator[Quantity]:
    name = "waiting_probability_lower_bound"
    yield _bound(name, found.lower_bound, COUPLING, "Kaufman 1981")
    if len(found.lower_bound_by_class) > 1:
        for job_class, value in found.lower_bound_by_class.items():
            yield _bound(name, value, COUPLING, "Kaufman 1981", job_class)


def _lemma_rows(found: QueueingBounds) -> Iterator[Quantity]:
    if found.mean_work_bound is not None:
        yield _bound("server_time_left_bound", found.mean_work_bound, "drift", "zeroq, Lemma 5.3")
        for job_class, value in found.shortfall_bound_by_class.items():
            yield _bound("shortfall_bound", value, "3·sqrt(n·need)", "zeroq, Lemma 5.4", job_class)
    for job_class, value in found.sharper_shortfall_bound_by_class.items():
        yield _bound("shortfall_sharper_bound", value, COUPLING, "after zeroq, Lemma 5.4", job_class)


def _exact_rows(system: System, rate: float) -> Iterator[Quantity]:
    exact = ExactResponse()
    if why_not_exponential(system) is not None or not exact.in_a_moment(system):
        return
    try:
        rows = exact.at_rate(system, rate, percentiles=False).rows
    except MsjError:  # no exact means: the bounds stand alone
        return
    jobs = {row.job_class: row.value for row in rows if row.name == "mean_jobs_in_system"}
    left = sum(c.need * float(c.duration.mean) * jobs.get(c.name, jobs[None]) for c in system.active_classes)
    yield Quantity(name="server_time_left", value=left, kind="exact", method="QBD", citation=exact.citation)


def _bound(name: str, value: float, method: str, citation: str, job_class: str | None = None) -> Quantity:
    return Quantity(name=name, value=value, kind="bound", method=method, citation=citation, job_class=job_class)


VARIANT = QueueingTerms
