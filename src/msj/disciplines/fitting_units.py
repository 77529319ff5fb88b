"""Whether a job could ever start: each of its segments, and those that start together, in an empty cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msj.model import JobClass

Segment = Mapping[str, Any]
Groups = Mapping[str, tuple[int, float, Mapping[str, int]]]


def needs_of(segment: Segment) -> tuple[int, ...]:
    """Return the needs of a segment: one, or one for each phase."""
    need = segment["need"]
    return (need,) if isinstance(need, int) else tuple(need)


def why_never_starts(
    c: JobClass,
    told: Mapping[str, Any],
    groups: Groups,
    capacity: Mapping[str, int],
    environment: Sequence[Mapping[str, Any]],
) -> tuple[str, int] | None:
    """Return the reason why jobs of a class could never be served, and the segment it is about; None if they can."""
    segments = told["segments"]
    names = [list(groups)[g] for g in told["groups"]]
    room = {**capacity}
    for _, _, own in groups.values():
        for name, amount in own.items():
            room[name] = max(room.get(name, 0), amount)
    for i, segment in enumerate(segments):
        reason = _too_much(c, segment, told, names, groups, room)
        if reason is not None:
            return reason, i
    up = [
        servers - sum(min(taken[g] for taken in component["taken"]) for component in environment)
        for g, (servers, _, _) in enumerate(groups.values())
    ]
    for i, unit in _units(segments):
        if not _placed(unit, told, list(groups.values()), up, capacity):
            several = len(unit) > 1
            what = f"{len(unit)} segments of class '{c.name}' start together" if several else f"class '{c.name}'"
            return f"{what} and find no room even in the empty cluster; lower need or resources, or give more", i
    return None


def _too_much(
    c: JobClass,
    segment: Segment,
    told: Mapping[str, Any],
    names: Sequence[str],
    groups: Groups,
    room: Mapping[str, int],
) -> str | None:
    for name, amount in segment["resources"].items():
        if amount > room[name]:
            return f"class '{c.name}' needs {amount} of {room[name]} {name}; raise capacity or need less"
    most, least = max(needs_of(segment)), min(needs_of(segment))
    sizes = {name: groups[name][0] for name in names}
    if told["at_most"] is not None and most > told["at_most"]:
        return f"class '{c.name}' needs {most} servers at once and at_most = {told['at_most']}; raise at_most"
    if len(groups) == 1 or told["span"]:
        there = sum(sizes.values())
        return (
            f"class '{c.name}' needs {most} of {there} servers; raise servers or lower need" if most > there else None
        )
    narrow = next((name for name in names if least > sizes[name]), None) if len(told["segments"]) == 1 else None
    if narrow is not None or most > max(sizes.values(), default=0):
        largest = "no group has as many" if narrow is None else f"group '{narrow}' has {sizes[narrow]}"
        return (
            f"class '{c.name}' needs {most} servers of one group and {largest}; "
            "lower need, name larger groups, or let it span them (span = true)"
        )
    return None


def _units(segments: Sequence[Segment]) -> list[tuple[int, list[Segment]]]:
    """Return the segments that may start together: the first ones, and all that may be ready when one ends."""
    found = [(0, [segment for segment in segments if not segment["after"]])]
    for i in range(len(segments)):
        followers = [(j, segment) for j, segment in enumerate(segments) if i in segment["after"]]
        if followers:
            found.append((followers[0][0], [segment for _, segment in followers]))
    return found


def _placed(
    unit: Sequence[Segment],
    told: Mapping[str, Any],
    groups: Sequence[tuple[int, float, Mapping[str, int]]],
    up: Sequence[int],
    capacity: Mapping[str, int],
) -> bool:
    """Return whether segments find room one after the other, each in the first group that has it."""
    free, cluster = list(up), dict(capacity)
    own = [dict(amounts) for _, _, amounts in groups]
    held = 0
    for segment in unit:
        need = max(needs_of(segment))
        held += need
        if told["at_most"] is not None and held > told["at_most"]:
            return False
        if told["span"]:
            left = need
            for g in told["groups"]:
                taken = min(left, free[g])
                free[g] -= taken
                left -= taken
            pools = [cluster] if left == 0 else []
        else:
            g = next((g for g in told["groups"] if free[g] >= need and _has(segment, own[g], cluster)), -1)
            if g >= 0:
                free[g] -= need
            pools = [own[g], cluster] if g >= 0 else []
        if not pools or not _has(segment, *pools):
            return False
        for name, amount in segment["resources"].items():
            for pool in [pool for pool in pools if name in pool][:1]:
                pool[name] -= amount
    return True


def _has(segment: Segment, *pools: Mapping[str, int]) -> bool:
    """Return whether each resource is there: in the first pool that knows its name."""
    return all(
        amount <= next((pool[name] for pool in pools if name in pool), 0)
        for name, amount in segment["resources"].items()
    )
