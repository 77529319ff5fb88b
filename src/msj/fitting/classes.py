"""Classes of jobs by their need; needs that are rare are merged with their neighbours.

Every need is a class to begin with. While a class has fewer than ``least`` jobs (no law can be fitted to those), the
rarest is merged with the neighbour that costs less; while there are more than ``most`` classes, the two neighbours that
cost least are. A merged class needs m = sum(run·need)/sum(run), rounded: servers x time of its jobs stay what they were
but for the rounding, and run times are left alone. The cost is the server-time that is misplaced, sum(run·|need − m|).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.logs.trace import Trace
from msj.options.fitting import MAX_CLASSES

MOST, LEAST = MAX_CLASSES, 30


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """The class of each job, and for each class its name, its need and which needs were merged into it."""

    of_job: NDArray[np.int64]
    names: tuple[str, ...]
    needs: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    def counts(self) -> NDArray[np.int64]:
        """Return how many jobs each class has."""
        return np.bincount(self.of_job, minlength=len(self))


def classes_of(trace: Trace, *, by: str | None = None, most: int = MOST, least: int = LEAST) -> Classes:
    """Return the classes of a trace: by a column that names them (``by``), else by need."""
    need, run = trace.column("need").astype(np.int64), trace.column("run")
    if by is None or by == "need":
        return classes_by_need(need, run, most=most, least=least)
    return classes_by_name(np.asarray(trace.frame[by].astype(str)), need)


def classes_by_name(names: NDArray[Any], need: NDArray[np.int64]) -> Classes:
    """Return one class for each name and need that stand together.

    Examples
    --------
    >>> classes_by_name(np.array(["a", "b", "a"]), np.array([1, 1, 2])).names
    ('a, need 1', 'a, need 2', 'b')
    """
    labels, label = np.unique(names, return_inverse=True)
    pairs, of_job = np.unique(np.stack([label, need]), axis=1, return_inverse=True)
    several = np.bincount(pairs[0], minlength=len(labels)) > 1
    called = tuple(
        f"{labels[i] or 'unnamed'}, need {n}" if several[i] else str(labels[i] or "unnamed") for i, n in pairs.T
    )
    needs = tuple(int(n) for n in pairs[1])
    return Classes(of_job=of_job.ravel(), names=called, needs=needs, members=tuple((n,) for n in needs))


def classes_by_need(
    need: NDArray[np.int64], run: NDArray[np.float64], *, most: int = MOST, least: int = LEAST
) -> Classes:
    """Return the classes of jobs by need.

    Examples
    --------
    >>> need = np.repeat([1, 2, 7, 8], [50, 50, 5, 60])
    >>> merged = classes_by_need(need, np.ones(165))
    >>> merged.names, merged.needs
    (('need 1', 'need 2', 'need 7 to 8'), (1, 2, 8))
    """
    values, place = np.unique(need, return_inverse=True)
    jobs = np.bincount(place)
    time = np.bincount(place, weights=run)
    parts = [(i, i + 1) for i in range(len(values))]  # from one value to before another

    def merged_need(first: int, last: int) -> int:
        return max(round(float(time[first:last] @ values[first:last]) / float(time[first:last].sum())), 1)

    def cost(first: int, last: int) -> float:
        return float(time[first:last] @ np.abs(values[first:last] - merged_need(first, last)))

    def added(i: int) -> float:
        """Return what it costs to merge a class with the next."""
        (a, b), (c, d) = parts[i], parts[i + 1]
        return cost(a, d) - cost(a, b) - cost(c, d)

    dear = [added(i) for i in range(len(parts) - 1)]
    held = [int(n) for n in jobs]
    while len(parts) > 1:
        rarest = min(range(len(parts)), key=held.__getitem__)
        if held[rarest] < least:
            beside = [i for i in (rarest - 1, rarest) if 0 <= i < len(dear)]
        elif len(parts) > most:
            beside = list(range(len(dear)))
        else:
            break
        i = min(beside, key=dear.__getitem__)
        parts[i : i + 2] = [(parts[i][0], parts[i + 1][1])]
        held[i : i + 2] = [held[i] + held[i + 1]]
        del dear[i]
        for j in (i - 1, i):
            if 0 <= j < len(dear):
                dear[j] = added(j)
    group = np.repeat(np.arange(len(parts)), [b - a for a, b in parts])
    members = tuple(tuple(int(n) for n in values[a:b]) for a, b in parts)
    return Classes(
        of_job=group[place],
        names=tuple(f"need {m[0]}" if len(m) == 1 else f"need {m[0]} to {m[-1]}" for m in members),
        needs=tuple(merged_need(a, b) for a, b in parts),
        members=members,
    )
