"""Where along a line of sizes the targets begin to be met.

Under plain FCFS at a fixed arrival rate more servers never make any job wait longer (job by job: every job before it
starts no later, so its servers are free no later). If a size meets the targets, every larger one does, and bisection
finds the smallest. Other policies do not have this: with one more server first-fit or EASY may start another job, which
then blocks. There the answer is the smallest size from which on every size *tried* up to twice it meets the targets:
its neighbours and ever wider steps. Smaller ones that meet them all the same are told apart.

A size that cannot be decided is neither. Then the answer is a range: below it sizes are known to miss, from its upper
end on they are known to meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msj.planning.point import Verdict

Ask = Callable[[int], Verdict]
BELOW = 3  # sizes below the answer that are looked at where one size says nothing of another


@dataclass(frozen=True, kw_only=True)
class Smallest:
    """The smallest size from which on targets are met; ``first`` is None where none up to the largest tried does.

    Parameters
    ----------
    first
        From here on every size tried up to ``checked`` is known to meet the targets.
    lowest
        Sizes below are known to miss; equal to ``first`` where all is decided.
    checked
        The largest size looked at for it.
    lucky
        Smaller sizes that meet the targets although a larger one does not.
    worse
        Pairs (n, m), n < m: n meets the targets and m, with more servers, misses them.
    """

    first: int | None
    lowest: int
    checked: int
    lucky: tuple[int, ...] = ()
    worse: tuple[tuple[int, int], ...] = ()


def smallest_size(ask: Ask, *, least: int, start: int, most: int, monotone: bool) -> Smallest:
    """Return the smallest size from which on the targets are met.

    Parameters
    ----------
    ask
        Whether a size meets the targets.
    least
        The first size that may; all below are known to miss.
    start
        Where to begin: a size that probably meets them.
    most
        The largest size to try.
    monotone
        Whether a size that meets the targets proves it of all larger ones.

    Examples
    --------
    >>> verdicts = {True: Verdict.MEETS, False: Verdict.MISSES}
    >>> smallest_size(lambda n: verdicts[n >= 37], least=10, start=20, most=1000, monotone=True).first
    37
    >>> found = smallest_size(lambda n: verdicts[n >= 37 or n == 35], least=10, start=20, most=1000, monotone=False)
    >>> found.first, found.checked, found.lucky
    (37, 74, (35,))
    """
    seen: dict[int, Verdict] = {}

    def look(n: int) -> Verdict:
        if n not in seen:
            seen[n] = ask(n)
        return seen[n]

    high = _upwards(look, max(start, least), most)
    if high is None:
        return Smallest(first=None, lowest=_last(seen, Verdict.MISSES, least) + 1, checked=max(seen))
    _bisect(look, least - 1, high, lambda verdict: verdict is Verdict.MEETS)
    first = _confirmed(look, seen, least, most, monotone)
    if first is None:
        return Smallest(first=None, lowest=_last(seen, Verdict.MISSES, least) + 1, checked=max(seen))
    missed = _last(seen, Verdict.MISSES, least)
    if missed + 1 < first:
        missed = _bisect(look, missed, first, lambda verdict: verdict is not Verdict.MISSES) - 1
    if not monotone:
        for n in range(max(first - 1 - BELOW, least), first):
            look(n)
    # What was looked at last may have moved the ends of what is not decided, never the answer itself.
    lowest = min(_last({n: v for n, v in seen.items() if n < first}, Verdict.MISSES, least) + 1, first)
    met = [n for n, verdict in seen.items() if verdict is Verdict.MEETS]
    lucky = tuple(sorted(n for n in met if n < lowest))
    worse = tuple((n, _next_miss(seen, n)) for n in lucky)
    checked = first if monotone else 2 * first
    return Smallest(first=first, lowest=lowest, checked=checked, lucky=lucky, worse=worse)


def _upwards(look: Ask, start: int, most: int) -> int | None:
    """Return a size that meets the targets, by ever larger steps; None if none up to ``most`` does."""
    n, step = start, max(start // 8, 1)
    while n <= most:
        if look(n) is Verdict.MEETS:
            return n
        if n == most:
            return None
        n, step = min(n + step, most), 2 * step
    return None


def _bisect(look: Ask, low: int, high: int, good: Callable[[Verdict], bool]) -> int:
    """Return the smallest good size above ``low``, given that ``high`` is good and that sizes are in order."""
    while high - low > 1:
        middle = (low + high) // 2
        if good(look(middle)):
            high = middle
        else:
            low = middle
    return high


def _confirmed(look: Ask, seen: dict[int, Verdict], least: int, most: int, monotone: bool) -> int | None:
    """Return the size from which on every size tried meets the targets, having tried its neighbours."""
    while True:
        last_bad = max((n for n, verdict in seen.items() if verdict is not Verdict.MEETS), default=least - 1)
        first = max(last_bad + 1, least)
        if first > most:
            return None
        sizes = [first] if monotone else steps_above(first)
        if all(look(n) is Verdict.MEETS for n in sizes if n <= most):
            return first


def steps_above(first: int) -> list[int]:
    """Return the sizes by which an answer is confirmed: itself, its neighbours, and ever wider steps up to twice it.

    Examples
    --------
    >>> steps_above(40)
    [40, 41, 42, 43, 44, 46, 48, 52, 56, 64, 72, 80]
    """
    found, step = [first, first + 1, first + 2, first + 3], 4
    while step < first:
        found += [first + step, first + 3 * step // 2]
        step *= 2
    return [n for n in dict.fromkeys(found) if n < 2 * first] + [2 * first]


def _last(seen: dict[int, Verdict], verdict: Verdict, least: int) -> int:
    return max((n for n, found in seen.items() if found is verdict), default=least - 1)


def _next_miss(seen: dict[int, Verdict], size: int) -> int:
    return min(n for n, verdict in seen.items() if n > size and verdict is Verdict.MISSES)
