"""Three and more classes approximated by two (twoclass, section 10: "approximate ... by a related system").

The classes are parted by need into small and large ones. A group has the arrivals of its classes together; its need is
their mean need per job, rounded to whole servers, and its mean duration the one that keeps their work, so that load
and naive threshold stay as they are. Of all ways to part them the one is taken whose needs differ least within the
groups, in squares weighted by work (what blocks is work times need). Then the two-class product form gives threshold
and waste.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msj.closed_forms.two_class import two_class
from msj.errors import NotSupported


@dataclass(frozen=True, kw_only=True)
class TwoOfMany:
    """Two classes in place of many: which are small, needs, shares and mean durations of the two, and the answers."""

    small: tuple[int, ...]  # indices of the classes taken for small
    needs: tuple[int, int]
    shares: tuple[float, float]
    mean_durations: tuple[float, float]
    stability_threshold: float
    wasted_servers: float


def two_of_many(
    *, servers: int, needs: Sequence[int], shares: Sequence[float], mean_durations: Sequence[float]
) -> TwoOfMany:
    """Return the two-class system that stands for many classes, and its threshold.

    Examples
    --------
    >>> found = two_of_many(servers=12, needs=[1, 2, 6], shares=[0.5, 0.3, 0.2], mean_durations=[1, 1, 2])
    >>> found.small, found.needs, round(found.stability_threshold, 4)
    ((0, 1), (1, 6), 2.8037)
    """
    order = sorted(range(len(needs)), key=lambda i: needs[i])
    cuts = [cut for cut in range(1, len(order)) if needs[order[cut - 1]] < needs[order[cut]]]
    if not cuts:
        raise NotSupported(f"all classes need {needs[0]} servers; two classes of different need are wanted")
    work = [p * v * d for p, v, d in zip(shares, needs, mean_durations, strict=True)]

    def spread(group: Sequence[int]) -> float:
        mean = sum(work[i] * needs[i] for i in group) / sum(work[i] for i in group)
        return sum(work[i] * (needs[i] - mean) ** 2 for i in group)

    cut = min(cuts, key=lambda at: spread(order[:at]) + spread(order[at:]))
    groups = order[:cut], order[cut:]
    parts = [sum(shares[i] for i in group) for group in groups]
    of_group = [
        max(round(sum(shares[i] * needs[i] for i in group) / part), 1)
        for group, part in zip(groups, parts, strict=True)
    ]
    means = [
        sum(work[i] for i in group) / (part * need) for group, part, need in zip(groups, parts, of_group, strict=True)
    ]
    if of_group[0] == of_group[1]:
        raise NotSupported(f"both groups would need {of_group[0]} servers; the needs are too much alike")
    total = sum(parts)
    both = (parts[0] / total, parts[1] / total)
    found = two_class(
        servers=servers, needs=(of_group[0], of_group[1]), shares=both, rates=(1.0 / means[0], 1.0 / means[1])
    )
    return TwoOfMany(
        small=tuple(sorted(groups[0])),
        needs=(of_group[0], of_group[1]),
        shares=both,
        mean_durations=(means[0], means[1]),
        stability_threshold=found.stability_threshold,
        wasted_servers=found.wasted_servers,
    )
