"""Recognising a queue that runs away, where the threshold is not known.

At the end of every piece the number of jobs present is noted; what exceeds the most that could be in service at once
must be waiting, so a cluster that is only filling up shows nothing. In a stable system the increments of that number
cancel; above the threshold they add up to a line. The queue counts as growing without end if, after the first quarter
of the run,

- the mean increment is so far above zero that chance alone would do it once in 100,000 times (Student), and
- the mean number in the last quarter exceeds that in the second quarter by more than the 0.7th power of the ratio of
  their times (a line from the beginning gives that ratio, 7/3 without a warm-up; a queue still filling up under heavy
  but stable traffic grows like its root), and
- that number exceeds 100, so that small numbers decide nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

FEWEST_PIECES = 8
MOST_STEPS = 30  # pieces are put together, so that increments are longer than what they remember
CHANCE = 1e-5
POWER = 0.7
FEWEST_JOBS = 100.0


def growth_rate(present: ArrayLike, time: ArrayLike, *, in_service: float = 0.0, before: float = 0.0) -> float | None:
    """Return the jobs by which the queue grows per unit of time, or None if it does not run away.

    Parameters
    ----------
    present
        Jobs in the system at the end of every piece, a row for each replication.
    time
        How long every piece lasted.
    in_service
        The most jobs that could be in service at once.
    before
        How many pieces the warm-up would have made.

    Examples
    --------
    >>> growth_rate([[100.0 * i + i % 2 for i in range(1, 41)]], [[2.0] * 40])
    50.0
    >>> growth_rate([[100.0 * i for i in range(1, 41)]], [[2.0] * 40], in_service=5000.0)
    """
    waiting, lasted = np.maximum(np.asarray(present) - in_service, 0.0), np.asarray(time)
    together = max(math.ceil(waiting.shape[1] / MOST_STEPS), 1)
    waiting = waiting[:, together - 1 :: together]
    pieces = waiting.shape[1]
    if pieces < FEWEST_PIECES:
        return None
    lasted = lasted[:, : pieces * together].reshape(len(lasted), pieces, together).sum(axis=2)
    quarter = pieces // 4
    second, last = waiting[:, quarter : 2 * quarter].mean(), waiting[:, -quarter:].mean()
    begun = before / together
    times = begun + pieces - quarter / 2, begun + 1.5 * quarter
    if last < FEWEST_JOBS or last < (times[0] / times[1]) ** POWER * second:
        return None
    steps = np.diff(waiting[:, quarter - 1 :], axis=1)
    surely = stdtrit(steps.size - 1, 1.0 - CHANCE)
    if steps.mean() < surely * steps.std(ddof=1) / math.sqrt(steps.size):
        return None
    return float(steps.sum() / lasted[:, quarter:].sum())
