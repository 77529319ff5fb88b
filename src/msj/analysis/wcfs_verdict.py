"""Whether a system is work-conserving finite-skip (WCFS), and with which n and b_inf (wcfs, section 2).

Finite-skip: only the n oldest jobs are ever served. Work-conserving: with n jobs present all servers are in use.
Non-idling: with any job present a share of at least b_inf is.

| policy | n | b_inf |
|---|---|---|
| equal needs v that divide k, served in order of arrival | k/v | v/k |
| server-filling | k / least need: so many jobs fill the servers (the paper's k is for least need 1) | least need/k |
| divisor-filling | k: it looks at the k oldest | least need/k |
| limited processor sharing | its limit | 1 |
| threshold parallelism, oldest first | k / least need, rounded up | least need/k |
| heterogeneous servers | k | share of the fastest; of the slowest if jobs stay or the slowest come first |
| least remaining size among the n oldest, equal needs v that divide k, n >= k/v | n | v/k |
| red and blue | 2k − 1: at most k − 1 of the other colour are passed over | 1/k |

Beta, the least share in use per job among the n oldest, is at least b_inf/n, and mostly 1/n
(``closed_forms.wcfs_terms``). The policies declare n, b_inf, beta and where they fill the servers
(``disciplines.base``); a model declares its n and its beta.

If some need v does not divide k, no policy that gives jobs all their servers or none is work-conserving: when only
such jobs are present, k mod v servers stand idle (wcfs, section 3.4.3).
"""

from __future__ import annotations

from dataclasses import dataclass

from msj.disciplines.base import Fills, Policy
from msj.disciplines.model import Model, model_of, policy_of
from msj.disciplines.restarting import why_not_resumed
from msj.fronts.front_of import why_no_front
from msj.model import JobClass, System


@dataclass(frozen=True, kw_only=True)
class WcfsVerdict:
    """Whether a system is finite-skip, work-conserving and non-idling, each with a sentence.

    ``front`` is n and ``b_inf`` the least share of capacity in use while a job is present; None where there is none.
    ``per_job`` is beta, the least share in use per job among the n oldest.
    """

    finite_skip: bool
    finite_skip_because: str
    work_conserving: bool
    work_conserving_because: str
    non_idling: bool
    non_idling_because: str
    front: int | None
    b_inf: float | None
    per_job: float | None = None

    @property
    def is_wcfs(self) -> bool:
        """All three."""
        return self.finite_skip and self.work_conserving and self.non_idling

    @property
    def why_not(self) -> str | None:
        """The first sentence that stands against it; None if the system is WCFS."""
        if not self.finite_skip:
            return f"the system is not finite-skip: {self.finite_skip_because}"
        if not self.work_conserving:
            return f"the system is not work-conserving: {self.work_conserving_because}"
        return None if self.non_idling else f"the system is not non-idling: {self.non_idling_because}"


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
    policy, model, lost = policy_of(system), model_of(system), why_not_resumed(system)
    if lost is not None:
        return WcfsVerdict(
            finite_skip=False,
            finite_skip_because=lost,
            work_conserving=False,
            work_conserving_because=lost,
            non_idling=False,
            non_idling_because=lost,
            front=None,
            b_inf=None,
        )
    return _of_policy(system, policy) if model is None else _of_model(system, model, policy)


def _of_policy(system: System, policy: Policy) -> WcfsVerdict:
    """Return the verdict on a plain cluster under a policy."""
    k, least = system.servers, min(_needs(system))
    front: int | None
    per_job: float | None
    if _equal_needs(system) and policy.fills_on(k, least).keeps_order:
        front, because, per_job = k // least, ", as all needs are equal", least / k
    else:
        front, because = policy.oldest_served(k, least), policy.oldest_because
        per_job = policy.least_busy_per_job(k, least)
        if front is not None and _equal_needs(system) and policy.fills_on(k, least) is Fills.EQUAL_NEEDS_IN_ANY_ORDER:
            per_job = 1.0 / front  # of N jobs min(N, k/need) run, and n is at least k/need
    finite = f"policy '{policy.name}' may serve a job with any number of older ones still waiting"
    return _verdict(
        system, policy, front, finite if front is None else because, _why_idle(system, policy, front), per_job
    )


def _of_model(system: System, model: Model, policy: Policy) -> WcfsVerdict:
    """Return the verdict on a model; one that declares no n is not work-conserving in the sense of wcfs."""
    refused, front = why_no_front(system), model.oldest_served(system.servers)
    if front is not None:
        return _verdict(system, policy, front, "", refused, model.least_busy_per_job(system.servers))
    idles = model.idles or f"nothing is known about which servers model '{model.name}' leaves idle"
    return WcfsVerdict(
        finite_skip=refused is None,
        finite_skip_because=refused or f"model '{model.name}' looks at finitely many jobs",
        work_conserving=False,
        work_conserving_because=f"in model '{model.name}' {idles}",
        non_idling=False,
        non_idling_because=f"in model '{model.name}' {idles}",
        front=None,
        b_inf=None,
    )


def _verdict(
    system: System, policy: Policy, front: int | None, because: str, idle: str | None, per_job: float | None
) -> WcfsVerdict:
    """Put the verdict together; ``because`` ends the sentence that so many are served, or says why there is no n."""
    b_inf, busy = policy.least_busy(system.servers, min(_needs(system)))
    jobs = "oldest job is" if front == 1 else f"{front} oldest jobs are"
    full = f"with {front} {'jobs' if front != 1 else 'job'} present all {system.servers} servers are busy"
    return WcfsVerdict(
        finite_skip=front is not None,
        finite_skip_because=because if front is None else f"only the {jobs} ever served{because}",
        work_conserving=idle is None,
        work_conserving_because=full if idle is None else idle,
        non_idling=b_inf is not None,
        non_idling_because=busy,
        front=front,
        b_inf=b_inf,
        per_job=b_inf / front if per_job is None and front is not None and b_inf is not None else per_job,
    )


def _why_idle(system: System, policy: Policy, front: int | None) -> str | None:
    """Why servers may stand idle although the front is full; None if they never do."""
    k = system.servers
    fills = policy.fills_on(k, min(_needs(system)))
    broken = [c for c in system.active_classes if k % c.need]
    if broken and fills is not Fills.SHARED:
        return _not_dividing(system, broken)
    refused = policy.supports(system)
    if refused is not None:
        return refused
    if front is None:
        return "only a finite-skip system can be work-conserving in this sense"
    if fills in (Fills.ALWAYS, Fills.SHARED):
        return None
    if fills in (Fills.EQUAL_NEEDS, Fills.EQUAL_NEEDS_IN_ANY_ORDER) and _equal_needs(system):
        return None
    if fills is Fills.UNKNOWN:
        return f"nothing is known about which servers policy '{policy.name}' leaves idle"
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
