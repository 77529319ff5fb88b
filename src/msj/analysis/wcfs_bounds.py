"""Bounds on mean response time at every load, for work-conserving finite-skip (WCFS) systems.

A system is WCFS if only the n oldest jobs are ever served (finite-skip), all capacity is in use whenever n jobs are
present (work-conserving), and a share of at least b_inf is in use whenever one is (non-idling). With size
S = need × duration / k, rho = lambda·E[S] < 1 and rem_sup the largest mean remaining size (``remaining_size``),

    E[T] = rho/(1−rho)·E[S²]/(2E[S]) + c,    −(n−1)·rem_sup + E[S] <= c <= (n−1)·rem_sup + n·E[S]/b_inf

(wcfs, Theorem 2, constants in section 5.1), so E[T]·(1−rho) -> E[S²]/(2E[S]) as rho -> 1 (Theorem 1). The first term
is the mean wait in M/G/1, for which c = E[S]. Where the theorem's lower bound is below the mean time of a job that
meets nobody, that time is the lower bound.

| policy | n | b_inf |
|---|---|---|
| equal needs v that divide k, served in order of arrival | k/v | v/k |
| server-filling | k / least need: so many jobs fill the servers (the paper's k is for least need 1) | least need/k |
| divisor-filling | k: it looks at the k oldest | least need/k |
| limited processor sharing | its limit | 1 |
| threshold parallelism, oldest first | k / least need, rounded up | least need/k |
| heterogeneous servers | k | share of the fastest; of the slowest if jobs stay or the slowest come first |
| red and blue | 2k − 1: at most k − 1 of the other colour are passed over | 1/k |

The policies declare n, b_inf and where they fill the servers (``policies.base``); a model declares its n.

If some need v does not divide k, no policy that gives jobs all their servers or none is work-conserving: when only
such jobs are present, k mod v servers stand idle (wcfs, section 3.4.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from msj.analysis.base import BoundAnalysis
from msj.analysis.remaining_size import largest_mean_remaining, largest_remaining_size, why_unbounded, why_unknown
from msj.analysis.reset import require_stable
from msj.disciplines import Policy
from msj.disciplines.base import Fills
from msj.errors import InvalidInput
from msj.fronts.front_of import why_no_front
from msj.fronts.models.system_model import SystemModel
from msj.model import JobClass, System
from msj.model.system import ChosenModel
from msj.registry import POLICIES
from msj.results import Kind, Quantity

#: The policies that, made without options, serve jobs of equal needs in order of arrival.
IN_ORDER_IF_EQUAL: tuple[str, ...] = tuple(policy.name for policy in POLICIES if policy.fills.keeps_order)


@dataclass(frozen=True, kw_only=True)
class WcfsVerdict:
    """Whether a system is finite-skip, work-conserving and non-idling, each with a sentence.

    ``front`` is n and ``b_inf`` the least share of capacity in use while a job is present; None where there is none.
    """

    fronts: bool
    finite_skip_because: str
    work_conserving: bool
    work_conserving_because: str
    non_idling: bool
    non_idling_because: str
    front: int | None
    b_inf: float | None

    @property
    def is_wcfs(self) -> bool:
        """All three."""
        return self.fronts and self.work_conserving and self.non_idling

    @property
    def why_not(self) -> str | None:
        """The first sentence that stands against it; None if the system is WCFS."""
        if not self.fronts:
            return f"the system is not finite-skip: {self.finite_skip_because}"
        if not self.work_conserving:
            return f"the system is not work-conserving: {self.work_conserving_because}"
        return None if self.non_idling else f"the system is not non-idling: {self.non_idling_because}"


@dataclass(frozen=True, kw_only=True)
class WcfsBounds:
    """Bounds on E[T] and what they are made of.

    Without a load there is no ``rho`` and nothing that depends on it; where ``reason`` says so there are no bounds.
    ``rem_sup`` is not a number where a class's durations do not tell it.
    """

    front: int
    b_inf: float
    rem_sup: float
    mean_size: float
    heavy_traffic_limit: float | None
    c_lower: float | None
    c_upper: float | None
    rho: float | None = None
    lower: float | None = None
    upper: float | None = None
    mg1_mean_response_time: float | None = None
    reason: str | None = None


class ResponseTimeBounds(BoundAnalysis):
    """Bounds of WCFS systems."""

    name: ClassVar[str] = "wcfs-bounds"
    summary: ClassVar[str] = "bounds on E[T] and its heavy-traffic limit where no server idles while enough jobs wait"
    citation: ClassVar[str] = "wcfs, Theorems 1 and 2"

    def supports(self, system: System) -> str | None:
        """See :meth:`Analysis.supports`."""
        if not isinstance(system.policy, Policy):
            return _not_a_policy(system)
        verdict = explain(system)
        if verdict.why_not is not None:
            return verdict.why_not
        assert verdict.front is not None
        return _why_no_bound(system, verdict.front)

    def at_rate(self, system: System, rate: float) -> list[Quantity]:
        return bound_rows(system, rate)


def explain(system: System) -> WcfsVerdict:
    """Say whether a system under its policy is finite-skip, work-conserving and non-idling, and why.

    Examples
    --------
    >>> from msj import Exponential, JobClass
    >>> law = Exponential(mean=1)
    >>> classes = [JobClass(name=f"need {v}", need=v, share=0.5, duration=law) for v in (1, 3)]
    >>> print(explain(System(servers=6, classes=classes)).work_conserving_because)
    a job of 'need 1' followed by jobs of 'need 3' leaves 2 of 6 servers idle; policy 'divisor-filling' would fill them
    >>> print(explain(System(servers=8, classes=classes, policy="divisor-filling")).work_conserving_because)
    class 'need 3' needs 3 servers, which does not divide 8: such jobs alone leave 2 idle under any policy
    >>> explain(System(servers=6, classes=classes, policy="divisor-filling")).is_wcfs
    True
    """
    policy = system.policy
    if not isinstance(policy, Policy):
        raise InvalidInput(_not_a_policy(system))
    if system.model is not None and _model_front(system) is None:
        return _of_model(system, system.model)
    front, finite = _finite_skip(system, policy)
    idle = _why_idle(system, policy, front)
    b_inf, busy = policy.least_busy(system.servers, min(_needs(system)))
    full = f"with {front} {'jobs' if front != 1 else 'job'} present all {system.servers} servers are busy"
    return WcfsVerdict(
        fronts=front is not None,
        finite_skip_because=finite,
        work_conserving=idle is None,
        work_conserving_because=full if idle is None else idle,
        non_idling=b_inf is not None,
        non_idling_because=busy,
        front=front,
        b_inf=b_inf,
    )


def _not_a_policy(system: System) -> str:
    return f"{system.policy!r} is not one of msj's policies; name one of them"


def _model_front(system: System) -> int | None:
    model = system.model
    return model.oldest_served(system.servers) if isinstance(model, SystemModel) else None


def _of_model(system: System, model: ChosenModel) -> WcfsVerdict:
    """Return the verdict on a model none of which is work-conserving in the sense of wcfs."""
    refused = why_no_front(system)
    finite = f"model '{model.name}' looks at finitely many jobs"
    idles = getattr(model, "idles", None) or f"nothing is known about which servers model '{model.name}' leaves idle"
    return WcfsVerdict(
        fronts=refused is None,
        finite_skip_because=finite if refused is None else refused,
        work_conserving=False,
        work_conserving_because=f"in model '{model.name}' {idles}",
        non_idling=False,
        non_idling_because=f"in model '{model.name}' {idles}",
        front=None,
        b_inf=None,
    )


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
    n, b_inf = verdict.front, verdict.b_inf
    assert n is not None
    assert b_inf is not None
    size, rem_sup = system.mean_work / system.servers, _rem_sup(system)
    excess = _second_moment(system) / (2.0 * size)
    reason = _why_no_bound(system, n)
    # One job at a time leaves nobody to compare with: M/G/1, whatever rem_sup.
    apart = (n - 1) * rem_sup if n > 1 else 0.0
    found = WcfsBounds(
        front=n,
        b_inf=b_inf,
        rem_sup=rem_sup,
        mean_size=size,
        heavy_traffic_limit=excess if reason is None else None,
        c_lower=size - apart if reason is None else None,
        c_upper=apart + n * size / b_inf if reason is None else None,
        reason=reason,
    )
    rate = arrival_rate if arrival_rate is not None else system.arrival_rate_at(system.naive_threshold)
    return found if rate is None else _at_rate(system, found, excess, rate)


def bound_rows(system: System, arrival_rate: float | None = None) -> list[Quantity]:
    """Return the bounds as rows; those that do not exist are left out (``wcfs_bounds`` says why)."""
    return list(_rows(wcfs_bounds(system, arrival_rate)))


def _at_rate(system: System, found: WcfsBounds, excess: float, rate: float) -> WcfsBounds:
    if not 0 < rate < math.inf:
        raise InvalidInput(f"arrival_rate = {rate} must be a positive, finite number; give jobs per unit of time")
    require_stable(rate, system.naive_threshold)
    rho = rate * found.mean_size
    wait = rho / (1.0 - rho) * excess
    values = {**vars(found), "rho": rho, "mg1_mean_response_time": wait + found.mean_size}
    if found.c_lower is not None and found.c_upper is not None:
        values |= {"lower": max(wait + found.c_lower, _mean_time_alone(system)), "upper": wait + found.c_upper}
    return WcfsBounds(**values)


def _rows(bounds: WcfsBounds) -> Iterator[Quantity]:
    rows: list[tuple[str, float | None, Kind, str, str]] = [
        ("response_time_lower_bound", bounds.lower, "bound", "M/G/1 wait + c_lower", "wcfs, Theorem 2"),
        ("response_time_upper_bound", bounds.upper, "bound", "M/G/1 wait + c_upper", "wcfs, Theorem 2"),
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
    known = all(why_unknown(c.duration) is None for c in system.active_classes)
    return largest_remaining_size(system) if known else math.nan


def _second_moment(system: System) -> float:
    return sum(
        float(c.share) * (c.need / system.servers) ** 2 * c.duration.second_moment for c in system.active_classes
    )


def _mean_time_alone(system: System) -> float:
    """Mean response time of a job that meets nobody, or no more than that."""
    mean = sum(float(c.share) * float(c.duration.mean) for c in system.active_classes)
    assert isinstance(system.policy, Policy)
    return mean / system.policy.fastest_speed(system.servers)  # no less on any other server


def _why_no_bound(system: System, front: int) -> str | None:
    for c in system.active_classes:
        if math.isinf(c.duration.second_moment):
            return f"class '{c.name}' has {c.duration.law} durations of infinite variance, so E[S²] is infinite"
        if front == 1:
            continue
        unknown = why_unknown(c.duration)
        if unknown is not None:
            return f"no bound is known for class '{c.name}', as {unknown}"
        if math.isinf(largest_mean_remaining(c.duration)):
            return f"no bound is known for class '{c.name}', as {why_unbounded(c.duration)} (rem_sup is infinite)"
    return None


def _finite_skip(system: System, policy: Policy) -> tuple[int | None, str]:
    """How many of the oldest jobs may be served, and the sentence."""
    k, least = system.servers, min(_needs(system))
    because = ""
    if system.model is not None:
        front = _model_front(system)
    elif _equal_needs(system) and policy.fills_on(k, least).keeps_order:
        front, because = k // least, ", as all needs are equal"
    else:
        front, because = policy.oldest_served(k, least), policy.oldest_because
    if front is None:
        return None, f"policy '{policy.name}' may serve a job with any number of older ones still waiting"
    jobs = "oldest job is" if front == 1 else f"{front} oldest jobs are"
    return front, f"only the {jobs} ever served{because}"


def _why_idle(system: System, policy: Policy, front: int | None) -> str | None:
    """Why servers may stand idle although the front is full; None if they never do."""
    k = system.servers
    fills = policy.fills_on(k, min(_needs(system)))
    broken = [c for c in system.active_classes if k % c.need]
    if broken and fills is not Fills.SHARED:
        return _not_dividing(system, broken)
    refused = policy.supports(system) if system.model is None else why_no_front(system)
    if refused is not None:
        return refused
    if system.model is not None:
        return None
    if front is None:
        return "only a finite-skip system can be work-conserving in this sense"
    if fills in (Fills.ALWAYS, Fills.SHARED):
        return None
    if fills is Fills.UNKNOWN:
        return f"nothing is known about which servers policy '{policy.name}' leaves idle"
    if _equal_needs(system):
        return None
    small, large = (pick(system.active_classes, key=lambda c: c.need) for pick in (min, max))
    filling = "server-filling" if all(_power_of_two(v) for v in (k, *_needs(system))) else "divisor-filling"
    return (
        f"a job of '{small.name}' followed by jobs of '{large.name}' leaves {large.need - small.need} of {k} servers "
        f"idle; policy '{filling}' would fill them"
    )


def _not_dividing(system: System, broken: list[JobClass]) -> str:
    k = system.servers
    sentence = " and ".join(
        f"class '{c.name}' needs {c.need} servers, which does not divide {k}: such jobs alone leave {k % c.need} idle"
        for c in broken
    )
    sentence += " under any policy"
    if _equal_needs(system):
        sentence += f"; with servers = {k - k % broken[0].need} they are served just the same and none is idle"
    return sentence


def _needs(system: System) -> list[int]:
    return [c.need for c in system.active_classes]


def _equal_needs(system: System) -> bool:
    return len(set(_needs(system))) == 1


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


VARIANT = ResponseTimeBounds
