"""Recognising a queue that runs away.

At the end of every piece the number of jobs present is noted. In a stable system its increments cancel; above the
threshold they add up to a line. The queue counts as growing without end if, after the first quarter of the run,

- the mean increment is more than four standard errors above zero, and
- the mean number present in the last quarter is more than 1.8 times that in the second quarter (a line through the
  origin gives 7/3; a queue still filling up under heavy but stable traffic grows like the root of time: 1.5), and
- that number exceeds 100, so that small numbers decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from msj.simulation.tally import Tally

FEWEST_PIECES = 8
STANDARD_ERRORS = 4.0
RATIO = 1.8
FEWEST_JOBS = 100.0


def growth_rate(runs: Sequence[Sequence[Tally]]) -> float | None:
    """Return the jobs by which the queue grows per unit of time, or None if it does not run away."""
    pieces = min(len(run) for run in runs)
    if pieces < FEWEST_PIECES:
        return None
    present = np.array([[tally.present for tally in run[:pieces]] for run in runs])
    time = np.array([[tally.time for tally in run[:pieces]] for run in runs])
    quarter = pieces // 4
    second, last = present[:, quarter : 2 * quarter].mean(), present[:, -quarter:].mean()
    if last < FEWEST_JOBS or last < RATIO * second:
        return None
    steps = np.diff(present[:, quarter - 1 :], axis=1)
    if steps.mean() < STANDARD_ERRORS * steps.std(ddof=1) / math.sqrt(steps.size):
        return None
    return float(steps.sum() / time[:, quarter:].sum())
