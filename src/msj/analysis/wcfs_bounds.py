"""Bounds on mean response time at every load, for work-conserving finite-skip (WCFS) systems.

A system is WCFS if only the n oldest jobs are ever served (finite-skip), all capacity is in use whenever n jobs are
present (work-conserving), and a share of at least b_inf is in use whenever one is (non-idling). With size
S = need × duration / capacity (k, or the sum of the servers' speeds), rho = lambda·E[S] < 1 and rem_sup the largest
mean remaining size (``remaining_size``),

    E[T] = rho/(1−rho)·E[S²]/(2E[S]) + c,    −(n−1)·rem_sup + E[S] <= c <= (n−1)·rem_sup + n·E[S]/b_inf

(wcfs, Theorem 2, constants in section 5.1), so E[T]·(1−rho) -> E[S²]/(2E[S]) as rho -> 1 (Theorem 1). The first term
is the mean wait in M/G/1, for which c = E[S]. Where the theorem's lower bound is below the mean time of a job that
meets nobody, that time is the lower bound. Beside them stand sharper bounds, c <= (n−1)·rem_sup + n·E[S] for most
systems and less at low loads (``closed_forms.wcfs_terms``, with the proof; terms one by one in ``wcfs_lemmas``).

Whether a system is WCFS, and with which n and b_inf, is said in ``wcfs_verdict``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from msj.analysis.base import BoundAnalysis
from msj.analysis.remaining_size import (
    largest_mean_remaining,
    largest_remaining_size,
    why_endless,
    why_unbounded,
    why_unknown,
)
from msj.analysis.reset import require_stable
from msj.analysis.wcfs_verdict import explain
from msj.closed_forms.wcfs_terms import WcfsTerms, mg1_work, paper_terms, sharper_terms
from msj.disciplines.model import policy_of
from msj.errors import InvalidInput
from msj.model import System
from msj.results import Kind, Quantity

#: How the sharper bounds come about, and what they sharpen.
SHARPER, BY_JOB = "the capacity in use per job in the front", "wcfs, section 5.1"


@dataclass(frozen=True, kw_only=True)
class WcfsBounds:
    """Bounds on E[T] and what they are made of.

    Without a load there is no ``rho`` and nothing that depends on it; where ``reason`` says so there are no bounds.
    ``rem_sup`` is not a number where a class's durations do not tell it. ``per_job`` is the least share of the capacity
    in use per job in the front; ``c_lower_sharper`` and ``c_upper_sharper`` hold at every load, and ``paper`` and
    ``sharper`` are the bounds at this one, term by term.
    """

    front: int
    b_inf: float
    per_job: float
    rem_sup: float
    mean_size: float
    second_moment: float
    mean_time_alone: float
    heavy_traffic_limit: float | None
    c_lower: float | None
    c_upper: float | None
    c_lower_sharper: float | None = None
    c_upper_sharper: float | None = None
    rho: float | None = None
    lower: float | None = None
    upper: float | None = None
    paper: WcfsTerms | None = None
    sharper: WcfsTerms | None = None
    mg1_mean_response_time: float | None = None
    reason: str | None = None


class ResponseTimeBounds(BoundAnalysis):
    """Bounds of WCFS systems."""

    name: ClassVar[str] = "wcfs-bounds"
    summary: ClassVar[str] = "bounds on E[T] and its heavy-traffic limit where no server idles while enough jobs wait"
    citation: ClassVar[str] = "wcfs, Theorems 1 and 2"

    def supports(self, system: System) -> str | None:
        """Return the first sentence that stands against it: not WCFS, or no finite bound."""
        verdict = explain(system)
        if verdict.why_not is not None:
            return verdict.why_not
        assert verdict.front is not None
        return _why_no_bound(system, verdict.front)

    def at_rate(self, system: System, rate: float) -> list[Quantity]:
        return bound_rows(system, rate)


def wcfs_bounds(system: System, arrival_rate: float | None = None) -> WcfsBounds:
    """Return bounds on the mean response time of a WCFS system, at ``arrival_rate`` or at the load the system gives.

    Raises :class:`NotSupported` if the system is not WCFS, and :class:`Unstable` if rho >= 1.

    Examples
    --------
    >>> from msj import Exponential, JobClass
    >>> jobs = JobClass(name="jobs", need=1, share=1, duration=Exponential(mean=2))
    >>> bounds = wcfs_bounds(System(servers=2, classes=[jobs], utilisation=0.9))
    >>> round(bounds.lower, 6), round(bounds.upper, 6), round(bounds.heavy_traffic_limit, 6)
    (9.0, 14.0, 1.0)
    """
    verdict = explain(system)
    if verdict.why_not is not None:
        ResponseTimeBounds().require(system)
    n, b_inf, per_job = verdict.front, verdict.b_inf, verdict.per_job
    assert n is not None
    assert b_inf is not None
    assert per_job is not None
    size, rem_sup, alone = system.mean_work / system.service_capacity, _rem_sup(system), _mean_time_alone(system)
    second_moment = _second_moment(system)
    reason = _why_no_bound(system, n)
    # One job at a time leaves nobody to compare with: M/G/1, whatever rem_sup.
    apart = (n - 1) * rem_sup if n > 1 else 0.0
    found = WcfsBounds(
        front=n,
        b_inf=b_inf,
        per_job=per_job,
        rem_sup=rem_sup,
        mean_size=size,
        second_moment=second_moment,
        mean_time_alone=alone,
        heavy_traffic_limit=second_moment / (2.0 * size) if reason is None else None,
        c_lower=size - apart if reason is None else None,
        c_upper=apart + n * size / b_inf if reason is None else None,
        c_lower_sharper=alone - apart if reason is None else None,
        c_upper_sharper=apart + size / per_job if reason is None else None,
        reason=reason,
    )
    rate = arrival_rate if arrival_rate is not None else system.arrival_rate_at(system.naive_threshold)
    return found if rate is None else _at_rate(system, found, rate)


def bound_rows(system: System, arrival_rate: float | None = None) -> list[Quantity]:
    """Return the bounds as rows; those that do not exist are left out (``wcfs_bounds`` says why)."""
    return list(_rows(wcfs_bounds(system, arrival_rate)))


def _at_rate(system: System, found: WcfsBounds, rate: float) -> WcfsBounds:
    if not 0 < rate < math.inf:
        raise InvalidInput(f"arrival_rate = {rate} must be a positive, finite number; give jobs per unit of time")
    require_stable(rate, system.naive_threshold)
    rho = rate * found.mean_size
    sizes = {"utilisation": rho, "mean_size": found.mean_size, "second_moment": found.second_moment}
    found = replace(found, rho=rho, mg1_mean_response_time=mg1_work(**sizes) + found.mean_size)
    if found.reason is not None:
        return found
    paper = paper_terms(front=found.front, b_inf=found.b_inf, rem_sup=found.rem_sup, **sizes)
    sharper = sharper_terms(
        front=found.front,
        b_inf=found.b_inf,
        per_job=found.per_job,
        rem_sup=found.rem_sup,
        mean_time_alone=found.mean_time_alone,
        **sizes,
    )
    lower, upper = max(paper.response.lower, found.mean_time_alone), paper.response.upper
    return replace(found, lower=lower, upper=upper, paper=paper, sharper=sharper)


def _rows(bounds: WcfsBounds) -> Iterator[Quantity]:
    lower, upper = (None, None) if (ours := bounds.sharper) is None else (ours.response.lower, ours.response.upper)
    rows: list[tuple[str, float | None, Kind, str, str]] = [
        ("response_time_lower_bound", bounds.lower, "bound", "M/G/1 wait + c_lower", "wcfs, Theorem 2"),
        ("response_time_upper_bound", bounds.upper, "bound", "M/G/1 wait + c_upper", "wcfs, Theorem 2"),
        ("response_time_sharper_lower_bound", lower, "bound", SHARPER, BY_JOB),
        ("response_time_sharper_upper_bound", upper, "bound", SHARPER, BY_JOB),
        ("heavy_traffic_limit", bounds.heavy_traffic_limit, "asymptotic", "E[S²]/(2E[S])", "wcfs, Theorem 1"),
        (
            "mg1_mean_response_time",
            bounds.mg1_mean_response_time,
            "exact",
            "Pollaczek-Khinchine: one server of the capacity of all",
            "wcfs, section 6",
        ),
    ]
    for name, value, kind, method, citation in rows:
        if value is not None and math.isfinite(value):
            yield Quantity(name=name, value=value, kind=kind, method=method, citation=citation)


def _rem_sup(system: System) -> float:
    told = policy_of(system).knows_durations
    known = told or all(why_unknown(c.duration) is None for c in system.active_classes)
    return largest_remaining_size(system) if known else math.nan


def _second_moment(system: System) -> float:
    capacity = system.service_capacity
    return sum(float(c.share) * (c.need / capacity) ** 2 * c.duration.second_moment for c in system.active_classes)


def _mean_time_alone(system: System) -> float:
    """Mean response time of a job that meets nobody, or no more than that."""
    mean = sum(float(c.share) * float(c.duration.mean) for c in system.active_classes)
    return mean / policy_of(system).fastest_speed(system.servers)  # no less on any other server


def _why_no_bound(system: System, front: int) -> str | None:
    for c in system.active_classes:
        if math.isinf(c.duration.second_moment):
            return f"class '{c.name}' has {c.duration.law} durations of infinite variance, so E[S²] is infinite"
        if front == 1:
            continue
        if policy_of(system).knows_durations:
            endless = why_endless(c.duration)
            if endless is not None:
                return f"no bound is known for class '{c.name}', as {endless} (rem_sup is infinite)"
            continue
        unknown = why_unknown(c.duration)
        if unknown is not None:
            return f"no bound is known for class '{c.name}', as {unknown}"
        if math.isinf(largest_mean_remaining(c.duration)):
            return f"no bound is known for class '{c.name}', as {why_unbounded(c.duration)} (rem_sup is infinite)"
    return None


VARIANT = ResponseTimeBounds
