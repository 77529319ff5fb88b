"""The most of something under the targets: load, or the share of a class.

Along a grid of steps, from nothing upwards. Under plain FCFS jobs that come closer together never make any job wait
less (each finds the servers no sooner free), so that bisection over the load is exact. Elsewhere the answer is the
largest step up to which every step tried meets the targets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msj.planning.point import Point, Verdict

NEAR = 3  # steps below the answer that are tried where one step says nothing of another


@dataclass(frozen=True, kw_only=True)
class Most:
    """The largest step that meets the targets.

    ``last`` is None where not even the first does; ``beyond`` is the next step that is known to miss, None if none is.
    It is ``decided`` if every step beyond the last is known to be no answer: the next one misses, or there is none.
    """

    last: int | None
    beyond: int | None
    decided: bool
    points: dict[int, Point]


def largest_step(ask: Callable[[int], Point], *, most: int, start: int, monotone: bool) -> Most:
    """Return the largest of the steps 1 to ``most`` up to which the targets are met; ``start`` is looked at first."""
    points: dict[int, Point] = {}

    def look(step: int) -> Verdict:
        if step not in points:
            points[step] = ask(step)
        return points[step].verdict

    meets = lambda verdict: verdict is Verdict.MEETS  # noqa: E731
    low, _ = _bisected(look, 0, most + 1, meets, start)
    if not monotone:
        low = _confirmed(look, points, low)
    misses = [step for step, point in points.items() if step > low and point.verdict is Verdict.MISSES]
    beyond = min(misses, default=most + 1)
    if beyond > low + 1:
        _, beyond = _bisected(look, low, beyond, lambda verdict: verdict is not Verdict.MISSES)
    known = beyond <= most and look(beyond) is Verdict.MISSES
    return Most(
        last=low if low > 0 else None,
        beyond=beyond if known else None,
        decided=beyond == low + 1 and (known or low == most),
        points=dict(sorted(points.items())),
    )


def _bisected(
    look: Callable[[int], Verdict], low: int, high: int, good: Callable[[Verdict], bool], start: int | None = None
) -> tuple[int, int]:
    """Return neighbours, the lower of which is good and the upper not; both ends are taken to be so."""
    middle = start if start is not None and low < start < high else (low + high) // 2
    while high - low > 1:
        if good(look(middle)):
            low = middle
        else:
            high = middle
        middle = (low + high) // 2
    return low, high


def _confirmed(look: Callable[[int], Verdict], points: dict[int, Point], last: int) -> int:
    """Return the largest step below which every step tried meets the targets, its neighbours tried."""
    while last > 0:
        for step in {max(last - i, 1) for i in range(NEAR + 1)} | {max(last // 2, 1)}:
            look(step)
        bad = [step for step, point in points.items() if step <= last and point.verdict is not Verdict.MEETS]
        if not bad:
            return last
        last = min(bad) - 1
    return 0
