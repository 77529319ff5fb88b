"""Intervals of percentiles: those x that the share of jobs beyond x does not contradict.

The p-th percentile lies beyond x exactly if more than 1 − p of the jobs do. So the interval holds every x at which
the hypothesis P(X > x) = 1 − p survives the score test of :mod:`msj.simulation.intervals`, batch by batch: no density
is estimated, and jobs that exceed x together, in one busy spell, count as the few spells they are. Jobs beyond x come
in spells about a memory long, so a run of N memories holds N·(1 − p) of them that are independent. With fewer than
``FEWEST`` the upper end would be beyond all that was seen: then there is no interval, but the number of jobs it would
take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from msj.simulation.intervals import (
    CONFIDENCE,
    CONTRADICTED,
    FADES_FOR_TAILS,
    TRUST,
    TRUST_IN_LONG_JOBS,
    Floats,
)
from msj.simulation.long_memory import SEEN_BY
from msj.simulation.long_spells import LongSpells
from msj.simulation.sketch import BINS, Sketch

FEWEST = 4.5  # independent exceedances


def percentile_intervals(
    batches: Sequence[Sketch],
    levels: Sequence[float],
    memories: float,
    *,
    wider: float = 1.0,
    long_jobs: LongSpells | None = None,
    run: float = math.inf,
) -> list[tuple[float, float] | None]:
    """Return the intervals of percentiles; None where too few jobs were beyond one.

    Parameters
    ----------
    batches
        Histograms of the batches.
    levels
        Which percentiles, in percent.
    memories
        How many independent observations all batches are worth: the memories they span.
    wider
        By how much the batches understate the variance: more than 1 where they are alike, however long
        (``long_memory``). Then theory, which knows no such thing, is not asked.
    long_jobs
        What long jobs do to the number of jobs beyond x; None for nothing.
    run
        Jobs of all classes that were counted.
    """
    shares = [1.0 - level / 100.0 for level in levels]
    if memories * max(shares) < FEWEST:
        return [None for _ in levels]
    bins, beyond, jobs = _exceedances(batches)
    edges = batches[0].edges(bins + 1)
    seen, variance = _between_batches(beyond, jobs)
    trust = TRUST if wider == 1.0 else 0.0
    further, fourth = np.zeros(len(edges)), 0.0  # variance and fourth cumulant of the share beyond, by long jobs
    if long_jobs is not None:
        further, fourth = long_jobs.in_bins(batches[0].lowest)[bins] / run, long_jobs.fourth / run**3
    return [
        _interval(edges, _scores(seen, wider * variance, len(jobs), share, memories, trust, further / share, fourth))
        if memories * share >= FEWEST and (wider == 1.0 or _seen_by_most(beyond, seen, share))
        else None
        for share in shares
    ]


def _interval(edges: Floats, scores: Floats) -> tuple[float, float] | None:
    # Scores fall from left to right: at the left end too many jobs are beyond, at the right end too few.
    low = 0.0 if scores[0] <= 1.0 else _crossing(edges, scores, 1.0)
    high = 0.0 if scores[0] <= -1.0 else _crossing(edges, scores, -1.0)
    return None if math.isnan(high) or math.isnan(low) else (low, high)


def _exceedances(batches: Sequence[Sketch]) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return all bins in use, how many jobs of each batch lie beyond them, and how many it has."""
    used = np.zeros(BINS, dtype=bool)
    used[0] = True
    for sketch in batches:
        used[sketch.bins] = True
    bins = np.flatnonzero(used)
    counts = np.zeros((len(batches), len(bins)))
    for row, sketch in zip(counts, batches, strict=True):
        row[np.searchsorted(bins, sketch.bins)] = sketch.counts
    jobs = counts.sum(axis=1)
    return bins, jobs[:, None] - np.cumsum(counts, axis=1), jobs


def _seen_by_most(beyond: Floats, seen: Floats, share: float) -> bool:
    """Return whether nearly all batches have jobs beyond the percentile."""
    there = beyond[:, min(int(np.count_nonzero(seen > share)), beyond.shape[1] - 1)]
    return bool(np.mean(there > 0) >= SEEN_BY)


def _between_batches(beyond: Floats, jobs: Floats) -> tuple[Floats, Floats]:
    """Return the share beyond every edge, and its variance as batches tell it, over that share."""
    seen = beyond.sum(axis=0) / jobs.sum()
    residuals = beyond - seen * jobs[:, None]
    # Per unit of probability, so that nothing is divided by what was not seen.
    return seen, len(jobs) * residuals.var(axis=0, ddof=1) / jobs.sum() ** 2 / np.maximum(seen, 1e-300)


def _scores(
    seen: Floats,
    batches: Floats,
    count: int,
    share: float,
    memories: float,
    most: float,
    long_jobs: Floats,
    fourth: float,
) -> Floats:
    """Return (p̂ − p)/(t·sqrt(v·p̂·p)) at every edge, v the pooled relative variance.

    Theory counts ``most`` at most; ``long_jobs`` is the variance that they bring at every edge, in units of p.
    """
    theory = (1.0 - share) / memories
    trust = np.where(batches > CONTRADICTED * theory, 0.0, min(most, FADES_FOR_TAILS * theory / share))
    more = np.where((long_jobs > 0) & (batches <= CONTRADICTED * long_jobs), TRUST_IN_LONG_JOBS, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = fourth / (np.maximum(batches, long_jobs) * share) ** 2
        own = np.where(more > 0, 1.0 / (1.0 / (count - 1) + kappa / 2.0), count - 1)
        freedom = own + trust + more
        spread = (own * batches + trust * theory + more * long_jobs) / freedom * share
        apart = (seen - share) / np.sqrt(spread)
    scores = apart / _quantiles(freedom, apart)
    # Without any spread (everybody is beyond, or nobody) only equality is left.
    return np.asarray(np.nan_to_num(scores, nan=0.0, posinf=math.inf, neginf=-math.inf))


def _quantiles(freedom: Floats, apart: Floats) -> Floats:
    """Return Student's quantiles where it matters which: where the scores cross 1 or -1, and on either side.

    Quantiles are slow, and lie between those of the fewest and the most degrees of freedom: an edge that is further
    apart than the one or nearer than the other is on the same side whichever it has.
    """
    least, most = (float(stdtrit(extreme, CONFIDENCE)) for extreme in (freedom.max(), freedom.min()))
    quantiles = np.full(len(freedom), least)
    if least == most:
        return quantiles
    doubtful = (np.abs(apart) > least) & (np.abs(apart) <= most)
    quantiles[doubtful] = stdtrit(freedom[doubtful], CONFIDENCE)
    for side in (apart <= quantiles, apart <= -quantiles):
        last = np.flatnonzero(np.diff(side))
        doubtful[last] = doubtful[last + 1] = True
    quantiles[doubtful] = stdtrit(freedom[doubtful], CONFIDENCE)
    return quantiles


def _crossing(edges: Floats, scores: Floats, limit: float) -> float:
    """Return where the scores first fall to ``limit``, between two edges; nan if they never do."""
    below = np.flatnonzero(scores <= limit)
    if not len(below):
        return math.nan
    right = int(below[0])
    if right == 0:
        return float(edges[0])
    left, a, b = right - 1, scores[right - 1], scores[right]
    inside = (a - limit) / (a - b) if math.isfinite(a) and math.isfinite(b) and a > b else 1.0
    return float(edges[left] + inside * (edges[right] - edges[left]))
