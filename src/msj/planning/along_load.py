"""How much load a cluster takes under the targets; how large a share of one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from msj.disciplines.model import mean_speed
from msj.planning.found import Found, kind_of, planned_row
from msj.planning.most import Most, largest_step
from msj.planning.point import Point, Verdict
from msj.planning.subject import Subject, SystemSubject
from msj.planning.wording import reason_of
from msj.results import Kind, Quantity
from msj.results.coordinates import Place
from msj.results.units import said

FINE, COARSE = 1000, 200  # steps up to all the work that the servers can do: exact, and otherwise
SHARES = 100


@dataclass(frozen=True, kw_only=True)
class LoadPlan:
    """The most load under one policy, as a multiple of the load there is."""

    policy: str
    found: Most
    step: float

    @property
    def factor(self) -> float | None:
        """How many times the arrival rate there is; None if nothing meets the targets."""
        return None if self.found.last is None else self.found.last * self.step

    @property
    def beyond(self) -> float | None:
        """The multiple that is known to miss."""
        return None if self.found.beyond is None else self.found.beyond * self.step


def plan_load(subject: Subject, policy: str) -> LoadPlan:
    """Return the most load that meets the targets: so many steps of a share of what the servers can do."""
    whole = subject.servers / _work(subject, policy)  # times the load there is: all servers busy
    first = subject.at_load(policy, 1.0)
    exact = kind_of([first]) == "exact" and bool(first.judged)
    steps = FINE if exact else COARSE
    step = whole / steps

    def ask(index: int) -> Point:
        return subject.at_load(policy, index * step)

    start = max(int(0.9 / step), 1)
    found = largest_step(ask, most=steps - 1, start=min(start, steps - 1), monotone=subject.monotone(policy))
    return LoadPlan(policy=policy, found=found, step=step)


def _work(subject: Subject, policy: str) -> float:
    """Return how many servers of mean speed the work alone would keep busy; a policy may give servers speeds."""
    return subject.work / (mean_speed(subject.under(policy)) if isinstance(subject, SystemSubject) else 1.0)


def along_load(subject: Subject, policy: str) -> Found:
    """Plan the most load under one policy."""
    plan = plan_load(subject, policy)
    points, method = tuple(plan.found.points.values()), f"bisection; {len(plan.found.points)} loads tried"
    kind = kind_of(points)
    many: dict[str, Place] = {"policy": policy} if len(subject.policies) > 1 else {}
    if plan.factor is None:
        lowest = points[0]
        sentence = f"No load under {policy} is known to meet the targets: {reason_of(subject, lowest)}."
        return Found(sentence=sentence, rows=(), points=points, met=False, decided=lowest.verdict is Verdict.MISSES)
    factor, beyond = plan.factor, plan.beyond
    open_ = not plan.found.decided
    work = _work(subject, policy)
    used = factor * work / subject.servers
    top = None if beyond is None or not open_ else beyond * work / subject.servers
    rows = [planned_row("planned_utilisation", used, kind, method, low=used if top else None, high=top, at=many)]
    sentence = f"Utilisation {used:.1%} under {policy}"
    if isinstance(subject, SystemSubject):
        rows += _rates(subject, policy, factor, beyond if open_ else None, kind, method, many)
        rate = next(row for row in rows if row.name == "planned_arrival_rate")
        sentence = f"{said(rate.value, '1/time', subject.time_unit)} under {policy}, utilisation {used:.1%}"
    times = f"{factor:.3g} times the load there is"
    if open_ and beyond is not None:
        sentence = (
            f"Between {factor:.3g} and {beyond:.3g} times the load there is under {policy}: the effort allowed does "
            "not decide what is in between"
        )
    elif open_:
        sentence += f" ({times}) meets the targets: the effort allowed does not decide whether more does"
    else:
        sentence += f" ({times}): the most that meets the targets"
    remarks = []
    if plan.found.beyond is not None:
        missed = plan.found.points[plan.found.beyond]
        remarks.append(f"At {beyond:.4g} times the load there is, {reason_of(subject, missed)}.")
    here = subject.at_load(policy, 1.0)
    more = "more may come" if factor >= 1 else "that is less than what comes now"
    remarks.append(f"The load there is {here.verdict.value} the targets; {more}.")
    return Found(
        sentence=f"{sentence}.",
        rows=tuple(rows),
        points=points,
        met=True,
        decided=not open_,
        remarks=tuple(remarks),
    )


def _rates(
    subject: SystemSubject,
    policy: str,
    factor: float,
    beyond: float | None,
    kind: Kind,
    method: str,
    many: dict[str, Place],
) -> list[Quantity]:
    """Return the most load as a rate and as a share of the threshold."""
    rate, high = factor * subject.rate, None if beyond is None else beyond * subject.rate
    threshold = subject.threshold_row(policy)
    value = threshold.value
    ends = [end for end in (threshold.low, threshold.high) if end is not None]
    low_load = rate / max([value, *ends])
    high_load = (rate if high is None else high) / min([value, *ends])
    sure = not ends and high is None
    return [
        planned_row("planned_arrival_rate", rate, kind, method, low=None if high is None else rate, high=high, at=many),
        planned_row(
            "planned_load",
            rate / value,
            kind,
            method,
            low=None if sure else low_load,
            high=None if sure else high_load,
            at=many,
        ),
    ]


def along_share(subject: Subject, policy: str, job_class: str) -> Found:
    """Plan the largest share of a class under one policy; the arrival rate stays."""
    system = cast("SystemSubject", subject)
    now = next(float(c.share) for c in system.system.classes if c.name == job_class)

    def ask(index: int) -> Point:
        return system.at_share(policy, job_class, index / SHARES)

    most = SHARES - 1
    found = largest_step(ask, most=most, start=min(max(round(now * SHARES), 1), most), monotone=False)
    points = tuple(found.points.values())
    if found.last is None:
        lowest = points[0]
        sentence = (
            f"No share of class '{job_class}' from 1 % on under {policy} is known to meet the targets: "
            f"{reason_of(subject, lowest)}."
        )
        return Found(sentence=sentence, rows=(), points=points, met=False, decided=lowest.verdict is Verdict.MISSES)
    share = found.last / SHARES
    next_miss = None if found.beyond is None else found.beyond / SHARES
    open_ = not found.decided
    many: dict[str, Place] = {"policy": policy} if len(subject.policies) > 1 else {}
    row = planned_row(
        "planned_share",
        share,
        kind_of(points),
        f"steps of 1 %; {len(points)} shares tried",
        low=share if open_ and next_miss is not None else None,
        high=next_miss if open_ else None,
        at={"of_class": job_class, **many},
    )
    remarks = [f"It is {now:.4g} now, and as many jobs arrive whatever the share."]
    if found.beyond is not None:
        remarks.append(f"At {next_miss:.2f}, {reason_of(subject, found.points[found.beyond])}.")
    if open_ and next_miss is None:
        sentence = (
            f"{share:.2f} of the arrivals may be of class '{job_class}' under {policy}: the effort allowed does not "
            "decide whether more may"
        )
    elif open_:
        sentence = (
            f"Between {share:.2f} and {next_miss:.2f} of the arrivals may be of class '{job_class}' under {policy}"
        )
    else:
        sentence = (
            f"{share:.2f} of the arrivals may be of class '{job_class}' under {policy}: the largest share up to which "
            "every one tried meets the targets"
        )
    return Found(
        sentence=f"{sentence}.", rows=(row,), points=points, met=True, decided=not open_, remarks=tuple(remarks)
    )
