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
from scipy.special import stdtrit

from msj.simulation.intervals import CONFIDENCE, CONTRADICTED, FADES_FOR_TAILS, TRUST, Floats
from msj.simulation.long_memory import SEEN_BY
from msj.simulation.sketch import Sketch

FEWEST = 4.5  # independent exceedances


def percentile_intervals(
    batches: Sequence[Sketch], levels: Sequence[float], memories: float, *, wider: float = 1.0
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
    """
    shares = [1.0 - level / 100.0 for level in levels]
    if memories * max(shares) < FEWEST:
        return [None for _ in levels]
    edges, beyond, jobs = _exceedances(batches)
    seen, variance = _between_batches(beyond, jobs)
    trust = TRUST if wider == 1.0 else 0.0
    return [
        _interval(edges, _scores(seen, wider * variance, len(jobs), share, memories, trust))
        if memories * share >= FEWEST and (wider == 1.0 or _seen_by_most(beyond, seen, share))
        else None
        for share in shares
    ]


def _interval(edges: Floats, scores: Floats) -> tuple[float, float] | None:
    # Scores fall from left to right: at the left end too many jobs are beyond, at the right end too few.
    low = 0.0 if scores[0] <= 1.0 else _crossing(edges, scores, 1.0)
    high = 0.0 if scores[0] <= -1.0 else _crossing(edges, scores, -1.0)
    return None if math.isnan(high) or math.isnan(low) else (low, high)


def _exceedances(batches: Sequence[Sketch]) -> tuple[Floats, Floats, Floats]:
    """Return the upper ends of all bins in use and how many jobs of each batch lie beyond them."""
    bins = np.unique(np.concatenate([[0], *(sketch.bins for sketch in batches)]))
    counts = np.zeros((len(batches), len(bins)))
    for row, sketch in zip(counts, batches, strict=True):
        row[np.searchsorted(bins, sketch.bins)] = sketch.counts
    jobs = counts.sum(axis=1)
    edges = batches[0].edges(bins + 1)
    return edges, jobs[:, None] - np.cumsum(counts, axis=1), jobs


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


def _scores(seen: Floats, batches: Floats, count: int, share: float, memories: float, most: float) -> Floats:
    """Return (p̂ − p)/(t·sqrt(v·p̂·p)) at every edge, v the pooled relative variance; theory counts ``most`` at most."""
    theory = (1.0 - share) / memories
    contradicted = batches > CONTRADICTED * theory
    believed = min(most, FADES_FOR_TAILS * theory / share)
    trust = np.where(contradicted, 0.0, believed)
    freedom = count - 1 + trust
    spread = ((count - 1) * batches + trust * theory) / freedom * share
    # The quantile is slow, and there are only two of them.
    quantile = np.where(contradicted, *stdtrit(count - 1 + np.array([0.0, believed]), CONFIDENCE))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = (seen - share) / (quantile * np.sqrt(spread))
    # Without any spread (everybody is beyond, or nobody) only equality is left.
    return np.asarray(np.nan_to_num(scores, nan=0.0, posinf=math.inf, neginf=-math.inf))


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
