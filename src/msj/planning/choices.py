"""Choices that are no sizes: the policy, a cap on the largest job, partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msj.planning.cap import Efficiency
from msj.planning.found import Found, kind_of, planned_row, worst_first
from msj.planning.point import Point, Verdict
from msj.planning.sizes import SizePlan, plan_size
from msj.planning.subject import Subject
from msj.planning.wording import how_much, reason_of
from msj.results.coordinates import Place

MOST_CAPS = 24


def along_policy(subject: Subject) -> Found:
    """Return which policy meets the targets at the size there is, with most room."""
    points = {policy: subject.at_servers(policy, subject.servers) for policy in subject.policies}
    best = worst_first(points.values())
    chosen = None if not best else str(best[0].place["policy"])
    method = "every policy at the size there is, the same jobs"
    rows = tuple(
        planned_row("planned_policy", float(name == chosen), kind_of(points.values()), method, at={"policy": name})
        for name in points
        if chosen is not None
    )
    remarks = [f"{name}: {_told(subject, point)}." for name, point in points.items()]
    open_ = [name for name, point in points.items() if point.verdict is Verdict.UNDECIDED]
    if chosen is None:
        sentence = f"No policy of {len(points)} is known to meet the targets on {subject.servers:,} servers."
    else:
        met = [str(point.place["policy"]) for point in best]
        others = f"; so {'does' if len(met) == 2 else 'do'} {', '.join(met[1:])}" if len(met) > 1 else ""
        sentence = f"{chosen} meets the targets on {subject.servers:,} servers with most room{others}."
    return Found(
        sentence=sentence,
        rows=rows,
        points=tuple(points.values()),
        met=chosen is not None,
        decided=not open_,
        remarks=tuple(remarks),
    )


def _told(subject: Subject, point: Point) -> str:
    if point.unstable or not point.judged:
        return reason_of(subject, point)
    worst = point.binding
    assert worst is not None
    return f"{worst.target.what(subject.time_unit)} is {how_much(worst, subject.time_unit)}, {point.verdict.value}"


def along_cap(subject: Subject, policy: str, efficiency: Efficiency) -> Found:
    """Return the most servers that one job may get, of the caps tried."""
    points = {cap: subject.at_cap(policy, cap, efficiency) for cap in caps(subject)}
    met = [cap for cap, point in points.items() if point.verdict is Verdict.MEETS]
    open_ = [cap for cap, point in points.items() if point.verdict is Verdict.UNDECIDED]
    many: dict[str, Place] = {"policy": policy} if len(subject.policies) > 1 else {}
    law = "linear speed-up" if efficiency.serial == 0 else f"Amdahl's law with {efficiency.serial:g} serial"
    longer = (
        f"A job that may not have all the servers it needs gets the cap and runs longer ({law}). Its wait may be short "
        "and its response long: bound both."
    )
    remarks = [longer]
    if not met:
        least = points[min(points)]
        sentence = (
            f"No cap on the largest job under {policy} is known to meet the targets: {reason_of(subject, least)}."
        )
        return Found(
            sentence=sentence,
            rows=(),
            points=tuple(points.values()),
            met=False,
            decided=not open_,
            remarks=tuple(remarks),
        )
    cap = max(met)
    larger = [each for each in open_ if each > cap]
    row = planned_row(
        "planned_cap",
        cap,
        kind_of(points.values()),
        f"{len(points)} caps tried, {law}",
        low=cap if larger else None,
        high=max(larger) if larger else None,
        at=many,
    )
    size = f"{cap:,} server{'s' if cap > 1 else ''}"
    if cap == subject.needs[-1]:
        sentence = f"No cap is needed under {policy}: with {size} for the largest job the targets are met."
    else:
        sentence = f"{size} for the largest job under {policy}: the largest cap tried that meets the targets."
        miss = min(
            (each for each, point in points.items() if each > cap and point.verdict is Verdict.MISSES), default=None
        )
        if miss is not None:
            remarks.insert(0, f"With {miss:,}, {reason_of(subject, points[miss])}.")
    worse = [each for each, point in points.items() if each < cap and point.verdict is Verdict.MISSES]
    if worse:
        remarks.append(f"Smaller caps that miss: {', '.join(map(str, sorted(worse)))}.")
    return Found(
        sentence=sentence,
        rows=(row,),
        points=tuple(points[each] for each in sorted(points)),
        met=True,
        decided=not larger,
        remarks=tuple(remarks),
    )


def caps(subject: Subject) -> list[int]:
    """Return the caps to try, largest first: the needs there are, and what fits a whole number of times."""
    largest = subject.needs[-1]
    fits = [subject.servers // parts for parts in range(1, subject.servers + 1)]
    wanted = sorted({need for need in (*subject.needs, *fits) if 1 <= need <= largest}, reverse=True)
    return wanted if len(wanted) <= MOST_CAPS else wanted[:: -(-len(wanted) // MOST_CAPS)] + wanted[-1:]


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Two partitions: needs up to ``at`` in one, larger ones in the other."""

    at: int
    small: SizePlan
    large: SizePlan

    @property
    def servers(self) -> int | None:
        """Servers of both; None where one of them cannot meet the targets."""
        sizes = [self.small.found.first, self.large.found.first]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def decided(self) -> bool:
        """Whether both sizes are known, or one partition is known to miss the targets at every size."""
        parts = (self.small, self.large)
        return all(part.decided for part in parts) or any(part.misses for part in parts)


def along_partition(subject: Subject, policy: str, parts: Mapping[int, tuple[Subject, Subject]]) -> Found:
    """Return whether one pool or two partitions meet the targets with fewer servers, and where to cut."""
    pool = plan_size(subject, policy)
    cuts = [
        Cut(at=at, small=plan_size(small, policy), large=plan_size(large, policy))
        for at, (small, large) in parts.items()
    ]
    able = [cut for cut in cuts if cut.servers is not None]
    points: list[Any] = [*pool.points.values()]
    for cut in cuts:
        points += [*cut.small.points.values(), *cut.large.points.values()]
    kind, whole = kind_of(points), pool.found.first
    rows = []
    if whole is not None:
        low, high = (None, None) if pool.decided else (pool.found.lowest, whole)
        rows.append(planned_row("planned_servers", whole, kind, "one pool", low=low, high=high))
    for cut in able:
        rows.append(
            planned_row(
                "partitioned_servers",
                cut.servers or 0,
                kind,
                "two partitions, each planned by itself",
                at={"largest_need": cut.at},
            )
        )
    best = min(able, key=lambda cut: cut.servers or 0, default=None)
    remarks = []
    for cut in able:
        small, large = cut.small.found.first, cut.large.found.first
        needs = f"{small:,} servers for needs up to {cut.at:,} and {large:,} for larger ones"
        remarks.append(f"Cut at {cut.at:,}: {needs}, {cut.servers:,} together.")
    remarks.append("Each partition must meet the targets for its own jobs; a target about all jobs is asked of both.")
    decided = (pool.decided or pool.misses) and all(cut.decided for cut in cuts)
    if best is not None:
        rows.append(planned_row("planned_cut", best.at, kind, "the cut with the fewest servers"))
    if whole is None and best is None:
        sentence = f"Neither one pool nor two partitions under {policy} are known to meet the targets."
    elif best is None or (whole is not None and whole <= (best.servers or 0)):
        than = "" if best is None else f", {(best.servers or 0) - (whole or 0):,} fewer than the best two partitions"
        sentence = f"One pool of {whole:,} servers under {policy}{than}."
    else:
        than = "" if whole is None else f", {whole - (best.servers or 0):,} fewer than one pool"
        sentence = f"Two partitions of {best.servers:,} servers under {policy}, cut at needs of {best.at:,}{than}."
    return Found(
        sentence=sentence,
        rows=tuple(rows),
        points=tuple(points),
        met=whole is not None or best is not None,
        decided=decided,
        remarks=tuple(remarks),
    )
