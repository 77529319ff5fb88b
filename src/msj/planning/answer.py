"""From what was found along a line to the result: rows, sentences, outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from msj.errors import NotSupported
from msj.planning.along_load import along_load, along_share, plan_load
from msj.planning.cap import read_efficiency
from msj.planning.choices import along_cap, along_partition, along_policy
from msj.planning.found import Found, kind_of, planned_row
from msj.planning.money import Growth, Price, read_growth, read_price
from msj.planning.plan_result import PlanResult, point_rows, target_rows
from msj.planning.point import Verdict
from msj.planning.sizes import SizePlan, plan_size
from msj.planning.subject import Subject
from msj.planning.vary import Along, Vary
from msj.planning.wording import size_remarks, size_sentence
from msj.results import Outcome, provenance
from msj.results.coordinates import Place


def answered(
    subject: Subject,
    vary: Vary,
    *,
    system: dict[str, Any],
    growth: str | None,
    price: str | None,
    efficiency: str | None,
    facts: Mapping[str, Any],
    notes: tuple[str, ...] = (),
) -> PlanResult:
    """Plan along a line and write the answer down."""
    grows, costs = read_growth(growth), read_price(price)
    if efficiency is not None and vary.along is not Along.CAP:
        raise NotSupported(f"efficiency = {efficiency!r} is for a cap; vary cap, or leave it out")
    read_efficiency(efficiency)
    if never := subject.why_never():
        sentence = f"{never[0].upper()}{never[1:]}."
        return PlanResult(
            system=system,
            quantities=tuple(target_rows(subject.targets)),
            outcome=Outcome.TARGETS_NOT_MET,
            provenance=provenance(**facts),
            notes=(sentence, *notes),
            targets=subject.targets,
        )
    found = _along(subject, vary, efficiency)
    if grows is not None:
        found = [
            _with_growth(subject, policy, each, grows)
            for policy, each in zip(_policies(subject, vary), found, strict=True)
        ]
    if costs is not None:
        found = [_with_price(each, costs) for each in found]
    tried = dict.fromkeys(point for each in found for point in each.points)
    points = [point for point in tried if point.judged or point.unstable]
    rows = [row for each in found for row in each.rows]
    said = _said(list(_policies(subject, vary)), found)
    if any(point.jobs for point in points):
        said.append(_odds(facts))
    return PlanResult(
        system=system,
        quantities=(*rows, *target_rows(subject.targets), *point_rows(points)),
        outcome=_outcome(subject, found),
        provenance=provenance(**facts, jobs=sum(point.jobs for point in points)),
        notes=(*said, *notes),
        points=tuple(points),
        targets=subject.targets,
    )


def _said(policies: list[str], found: list[Found]) -> list[str]:
    """Return what was found: of several policies first the answers, then what else to know of each."""
    if len(found) == 1:
        return [found[0].sentence, *found[0].remarks]
    answers = " ".join(each.sentence for each in found)
    return [answers, *(f"{name}: {' '.join(each.remarks)}" for name, each in zip(policies, found, strict=True))]


def _along(subject: Subject, vary: Vary, efficiency: str | None) -> list[Found]:
    """Return what was found, for each policy where that is not itself the question."""
    if vary.along is Along.POLICY:
        return [along_policy(subject)]
    each = list(subject.policies)
    if vary.along is Along.SERVERS:
        return [along_servers(subject, policy) for policy in each]
    if vary.along is Along.LOAD:
        return [along_load(subject, policy) for policy in each]
    if vary.along is Along.CAP:
        return [along_cap(subject, policy, read_efficiency(efficiency)) for policy in each]
    if vary.along is Along.SHARE:
        assert vary.job_class is not None
        return [along_share(subject, policy, vary.job_class) for policy in each]
    return [along_partition(subject, policy, subject.parts()) for policy in each]


def _policies(subject: Subject, vary: Vary) -> list[str]:
    return [next(iter(subject.policies))] if vary.along is Along.POLICY else list(subject.policies)


def _outcome(subject: Subject, found: list[Found]) -> Outcome:
    if all(each.decided for each in found):
        return Outcome.SOLVED if any(each.met for each in found) else Outcome.TARGETS_NOT_MET
    return Outcome.OUT_OF_TIME if subject.out_of_time else Outcome.UNDECIDED


def _odds(facts: Mapping[str, Any]) -> str:
    return (
        "Simulated points are decided by a sequential test on the same jobs; the odds that any verdict here is wrong "
        f"are at most {100.0 * facts['odds']:g} %, as far as the intervals of simulations hold."
    )


def along_servers(subject: Subject, policy: str) -> Found:
    """Plan the size under one policy."""
    plan = plan_size(subject, policy)
    points = tuple(plan.points.values())
    remarks = size_remarks(subject, plan)
    sizes = [size for size in (plan.found.first, plan.largest_miss) if size is not None]
    if more := subject.remark_on(policy, sizes):
        remarks.append(more)
    return Found(
        sentence=size_sentence(subject, plan),
        rows=tuple(_size_rows(subject, plan)),
        points=points,
        met=plan.found.first is not None,
        decided=plan.decided or plan.misses,
        remarks=tuple(remarks),
    )


def _size_rows(subject: Subject, plan: SizePlan) -> list[Any]:
    kind = kind_of(plan.points.values())
    many: dict[str, Place] = {"policy": plan.policy} if len(subject.policies) > 1 else {}
    how = "bisection, more servers never hurt" if plan.monotone else "bisection, neighbours and wider steps tried"
    rows = [planned_row("naive_servers", plan.naive, "bound", "the work fits, and every job does", at=many)]
    first, lowest = plan.found.first, plan.found.lowest
    if first is None:
        return rows
    open_ = lowest < first
    planned = planned_row(
        "planned_servers",
        first,
        kind,
        f"{how}; {len(plan.points)} sizes",
        low=lowest if open_ else None,
        high=first if open_ else None,
        at=many,
    )
    spare = planned_row("spare_servers", plan.present - first, kind, "servers there are less planned ones", at=many)
    return [planned, *rows, spare]


def _with_growth(subject: Subject, policy: str, found: Found, growth: Growth) -> Found:
    """Add how much more may come to the size there is, and when that is used up."""
    if subject.at_load(policy, 1.0).verdict is Verdict.MISSES:
        remark = (
            f"There is no headroom on {subject.servers:,} servers under {policy}: the load there is misses the targets."
        )
        return replace(found, remarks=(*found.remarks, remark))
    plan = plan_load(subject, policy)
    points = found.points + tuple(point for point in plan.found.points.values() if point not in found.points)
    factor = plan.factor
    many: dict[str, Place] = {"policy": policy} if len(subject.policies) > 1 else {}
    if factor is None or factor < 1:
        remark = f"The headroom on {subject.servers:,} servers under {policy} is too little to be told."
        return replace(found, points=points, remarks=(*found.remarks, remark))
    years = growth.years_until(factor)
    kind = kind_of(plan.found.points.values())
    rows = (
        planned_row("load_headroom", factor - 1.0, kind, "the most load at this size over the load there is", at=many),
        planned_row("years_of_headroom", years, kind, f"growth of {growth.words}", at=many),
    )
    remark = (
        f"{subject.servers:,} servers under {policy} take {factor - 1:.0%} more load; growing by {growth.words}, that "
        f"is used up in {_years(years)}."
    )
    return replace(found, points=points, rows=found.rows + rows, remarks=(*found.remarks, remark))


def _years(years: float) -> str:
    return f"{years:.1f} years" if years >= 2 else f"{12 * years:.0f} months"


def _with_price(found: Found, price: Price) -> Found:
    """Add what the servers cost, and what the next step does."""
    sizes = [row for row in found.rows if row.name in ("planned_servers", "partitioned_servers")]
    rows = tuple(
        row.times(price.yearly).replace(name="yearly_cost", method=f"{price.words}, {row.name}") for row in sizes
    )
    if not sizes:
        return found
    size = sizes[0].value
    remark = f"{size:,.0f} servers cost {price.said(size)}; one more {price.said(1)}{_next(found, size)}."
    return replace(found, rows=found.rows + rows, remarks=(*found.remarks, remark))


def _next(found: Found, servers: float) -> str:
    """Return what one more server brings: the number that is nearest to its limit, before and after."""
    sizes = {point.place.get("servers"): point for point in found.points}
    now, more = sizes.get(int(servers)), sizes.get(int(servers) + 1)
    if now is None or more is None or now.binding is None:
        return ""
    target = now.binding.target
    after = next((each for each in more.judged if each.target == target), None)
    return (
        ""
        if after is None
        else f", for which {target.what(None)} goes from {now.binding.row.value:.4g} to {after.row.value:.4g}"
    )
