"""The answer of a plan in sentences."""

from __future__ import annotations

from msj.planning.point import Judged, Point, Verdict
from msj.planning.sizes import SizePlan
from msj.planning.subject import Subject
from msj.results.units import unit_of


def size_sentence(subject: Subject, plan: SizePlan) -> str:
    """Return the answer in one sentence, and the next size that misses."""
    found, under = plan.found, f" under {plan.policy}"
    if found.first is None:
        last = plan.points[max(plan.points)]
        why = reason_of(subject, last)
        met = [n for n, point in plan.points.items() if point.verdict is Verdict.MEETS]
        if met:
            return (
                f"{met[0]:,} servers{under} meet {_all(subject)}, and so do {len(met) - 1} of the larger sizes tried; "
                f"from where on all do is open: at {max(plan.points):,} servers {why}."
            )
        return f"No size up to {max(plan.points):,} servers{under} is known to meet the targets: {why}."
    if not plan.decided:
        return (
            f"Between {found.lowest:,} and {found.first:,} servers{under}: {found.lowest - 1:,} are too few, "
            f"{found.first:,} meet {_all(subject)}, and in between the effort allowed does not decide."
        )
    if plan.monotone:
        why = f"the smallest size that meets {_all(subject)}, and every larger one does, too"
    else:
        why = (
            f"the smallest size from which on every size tried up to {found.checked:,} meets {_all(subject)}"
        )  # fmt: skip
    return f"{found.first:,} servers{under}: {why}."


def size_remarks(subject: Subject, plan: SizePlan) -> list[str]:
    """Return what else to know: the next size that misses, the binding target, server-hours, room to spare."""
    said = []
    found = plan.found
    miss = plan.largest_miss
    if found.first is not None and miss is not None:
        said.append(f"{miss:,} servers are too few: {reason_of(subject, plan.points[miss])}.")
    decisive = plan.points[miss] if miss is not None and plan.points[miss].binding is not None else plan.answer
    if len(subject.targets) > 1 and decisive is not None and decisive.binding is not None:
        said.append(f"The binding target is {decisive.binding.target.words(subject.time_unit)}.")
    if found.lucky:
        sizes = ", ".join(f"{n:,}" for n in found.lucky)
        small, large = found.worse[0]
        said.append(
            f"{sizes} servers meet the targets, too, by luck of packing: more servers make it worse "
            f"({large:,} misses them where {small:,} does not)."
        )
    said.append(_server_hours(subject, plan))
    if found.first is not None:
        said.append(_room(plan, found.first))
    return said


def _server_hours(subject: Subject, plan: SizePlan) -> str:
    """Return what counting server-hours would have said, and what that would have cost in waits."""
    point = plan.points[plan.naive]
    counted = f"Counting server-hours ({subject.work:.6g} busy servers) says {plan.naive:,}"
    if plan.found.first == plan.naive:
        return f"{counted}, which is enough here."
    if point.unstable:
        return f"{counted}: there {point.unstable}, so the queue grows without end."
    if point.verdict is Verdict.MEETS:
        return f"{counted}, which meets the targets."
    return f"{counted}: there {reason_of(subject, point)}."


def _room(plan: SizePlan, first: int) -> str:
    gap = plan.present - first
    if plan.present in plan.found.lucky:
        return f"The cluster has {plan.present:,}, which is one of these."
    if gap == 0:
        return f"That is what the cluster has: {plan.present:,} servers."
    if gap < 0:
        return f"The cluster has {plan.present:,}: {-gap:,} {'is' if gap == -1 else 'are'} missing."
    return f"The cluster has {plan.present:,}: {gap:,} to spare."


def _all(subject: Subject) -> str:
    targets = subject.targets
    return targets[0].words(subject.time_unit) if len(targets) == 1 else f"all {len(targets)} targets"


def reason_of(subject: Subject, point: Point) -> str:
    """Return why a point misses, or is open."""
    if point.unstable:
        return f"{point.unstable}, so the queue grows without end"
    if not point.judged:
        return point.note or "nothing is known of it"
    return _numbers(subject, point)


def _numbers(subject: Subject, point: Point) -> str:
    worst = point.binding
    assert worst is not None
    return f"{worst.target.what(subject.time_unit)} is {how_much(worst, subject.time_unit)}"


def how_much(judged: Judged, time_unit: str | None) -> str:
    """Return a number beside its limit: ``2.24 hours instead of 2, 12 % too much``."""
    row = judged.row
    timed = row.dimension == "time" and time_unit is not None
    unit = f" {unit_of('time', time_unit)}" if timed else ""
    value = f"{row.value:.4g}{unit} instead of {judged.limit:.6g}"
    if judged.verdict is Verdict.MISSES:
        return f"{value}, {_too_much(judged.ratio)}"
    return f"{value}, which is not decided" if judged.verdict is Verdict.UNDECIDED else value


def _too_much(ratio: float) -> str:
    over = 100.0 * (ratio - 1.0)
    if ratio >= 3:
        return f"{ratio:.3g} times as much"
    return f"{over:.2g} % too much" if over < 10 else f"{over:.0f} % too much"
