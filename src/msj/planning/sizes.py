"""The smallest cluster that meets the targets, under one policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msj.planning.point import Point, Verdict
from msj.planning.search import Smallest, smallest_size
from msj.planning.subject import Subject

MOST_TIMES = 64  # servers, as a multiple of what the work alone asks for


@dataclass(frozen=True, kw_only=True)
class SizePlan:
    """What was found for one policy.

    Parameters
    ----------
    policy
        Its name.
    found
        The smallest size, or that there is none.
    points
        Every size tried, in increasing order.
    naive
        The size that counting server-hours says.
    present
        The size there is.
    monotone
        Whether larger sizes are known to do no worse.
    """

    policy: str
    found: Smallest
    points: dict[int, Point]
    naive: int
    present: int
    monotone: bool

    @property
    def answer(self) -> Point | None:
        """The point of the answer."""
        return None if self.found.first is None else self.points[self.found.first]

    @property
    def decided(self) -> bool:
        """Whether the answer is one number."""
        return self.found.first is not None and self.found.lowest == self.found.first

    @property
    def misses(self) -> bool:
        """Whether every size tried is known to miss, so that there is no answer."""
        return self.found.first is None and all(point.verdict is Verdict.MISSES for point in self.points.values())

    @property
    def largest_miss(self) -> int | None:
        """The largest size tried below the answer that is known to miss."""
        end = self.found.first if self.found.first is not None else max(self.points) + 1
        missing = [n for n, point in self.points.items() if n < end and point.verdict is Verdict.MISSES]
        return max(missing, default=None)


def plan_size(subject: Subject, policy: str) -> SizePlan:
    """Return the smallest number of servers that meets the targets."""
    points: dict[int, Point] = {}

    def fit(servers: int) -> int:
        return subject.next_size(policy, servers)

    def look(servers: int) -> Verdict:
        size = fit(servers)
        points[size] = subject.at_servers(policy, size)
        return points[size].verdict

    least, present = subject.least_servers, subject.servers
    monotone = subject.monotone(policy)
    start = present if present >= least else least + max(least // 8, 1)
    found = smallest_size(look, least=least, start=start, most=MOST_TIMES * least, monotone=monotone)
    naive = subject.naive_servers
    look(naive)
    if present >= subject.needs[-1] and fit(present) == present:
        look(present)
    if found.first is not None:
        first = fit(found.first)
        found = replace(
            found,
            first=first,
            lowest=fit(found.lowest),
            checked=max(points),
            lucky=tuple(dict.fromkeys(map(fit, found.lucky))),
        )
        look(first + 1)  # what the next step brings
    return SizePlan(
        policy=policy,
        found=found,
        points=dict(sorted(points.items())),
        naive=fit(naive),
        present=present,
        monotone=monotone,
    )
