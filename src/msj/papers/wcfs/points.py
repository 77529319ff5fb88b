"""Mean response time over load, computed and simulated: the data behind all figures of the paper.

A row has E[T], scaled by 1 − rho (Figures 1 and 2), and as the gap to the mean wait in M/G/1,
Delta = E[T] − rho/(1−rho)·E[S²]/(2E[S]) (wcfs, section 6; Figures 5 to 7); simulated ones with 95 % intervals, and with
their distance from the exact value in standard errors where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from scipy.special import stdtr, stdtrit

from msj.answers import simulate
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.wcfs.models import Model, models

REPLICATIONS = 20
LOADS = (0.02, 0.05, *(i / 20 for i in range(2, 20)), 0.875, 0.92, 0.935, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.999)
NEAR_LIMIT = (
    *(i / 100 for i in range(50, 90, 4)),
    *(i / 100 for i in range(90, 100)),
    0.995,
)  # shares of a limit below 1
SIMULATED = {"quick": (0.2, 0.4, 0.6, 0.8, 0.9, 0.96), "full": (*(i / 10 for i in range(1, 10)), 0.93, 0.96)}
LONG = ("max-weight", "srpt")  # these the paper simulates ten times as long, up to 0.99
MORE = {
    "quick": (0.05, 0.1, 0.3, 0.5, 0.7, 0.93, 0.98),
    "full": (0.05, 0.98),
}  # for these, and what is not solved
LAST = 0.99  # for these only
LARGEST_SOLVED = {"max-weight": 0.98}  # the chain grows as (1 − rho)^-2, the time as its square
ODDS = 1e-3  # of a false alarm, over all comparisons of a figure


def exact(model: str, rho: float) -> dict[str, Any]:
    """Return a row computed exactly."""
    found = models()[model]
    assert found.exact is not None
    return _row(model, rho, "exact", found.exact(rho), None, None)


def simulated(model: str, rho: float, arrivals: int, seed: int, replications: Sequence[int]) -> list[list[float]]:
    """Return E[T] of these replications, and E[T] of M/G/1 with the very same jobs (0 where it tells nothing)."""
    found = models()[model]
    means = []
    for index in replications:
        # Every point has random numbers of its own; the two systems of a replication have the same.
        key = (crc32(model.encode()), round(rho * 1e6), index)
        jobs = ceil(arrivals / REPLICATIONS)
        pair = [found.system(rho), found.single_server(rho)][: 1 if found.crowding is None else 2]
        results = [
            simulate(s, jobs=jobs, rng=np.random.SeedSequence(seed, spawn_key=key), replications=1, controls=False)
            for s in pair
        ]
        means.append([result["mean_response_time"] for result in results] + [0.0] * (2 - len(pair)))
    return means


def combined(model: str, rho: float, arrivals: int, means: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return a row from the replications' means.

    What M/G/1 is wrong by, with the same jobs, is taken off as often as the model crowds jobs near load 1 (a control
    variate with a coefficient fixed beforehand, so nothing is biased): at load 0.96 intervals are several times
    narrower.
    """
    found, both = models()[model], np.asarray(means)
    if found.crowding is not None:
        known = found.wait(rho) + 1  # Pollaczek-Khinchine, E[S] = 1
        both = both[:, :1] - float(found.crowding) * (both[:, 1:] - known)
    mean, spread = float(both[:, 0].mean()), float(both[:, 0].std(ddof=1))
    half = float(stdtrit(REPLICATIONS - 1, 0.975)) * spread / sqrt(len(both))
    return _row(model, rho, "simulated", mean, mean - half, mean + half) | {"arrivals": arrivals}


def _row(model: str, rho: float, method: str, mean: float, low: float | None, high: float | None) -> dict[str, Any]:
    wait = models()[model].wait(rho)
    ends = {"": mean, "_low": low, "_high": high}
    return {
        "model": model,
        "rho": rho,
        "method": method,
        **{f"response_time{end}": value for end, value in ends.items()},
        **{f"scaled{end}": None if value is None else value * (1 - rho) for end, value in ends.items()},
        **{f"gap{end}": None if value is None else value - wait for end, value in ends.items()},
    }


class OverLoad(Figure):
    """A figure with one curve per model over the load."""

    names: ClassVar[tuple[str, ...]]

    def arrivals(self, scale: Scale) -> float:
        return float(sum(point["arrivals"] for point in self.simulated_points(scale)))

    def compute(self, work: Work) -> Rows:
        trials = self.simulated_points(work.scale)
        rows: Rows = work.map(exact, self.exact_points(trials))
        known = {(row["model"], row["rho"]): row["response_time"] for row in rows}
        # Long replications are kept one by one, so that little is lost when a run is broken off.
        parts = [list(range(REPLICATIONS))] if work.quick else [[i] for i in range(REPLICATIONS)]
        tasks = [trial | {"seed": work.seed, "replications": part} for trial in trials for part in parts]
        means = work.map(simulated, tasks)
        found = []
        for i, trial in enumerate(trials):
            mine = means[i * len(parts) : (i + 1) * len(parts)]
            found.append(combined(**trial, means=[pair for part in mine for pair in part]))
        for row in found:
            row["z"] = _z(row, known.get((row["model"], row["rho"])))
        return rows + found

    def exact_points(self, trials: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return where to compute: on a grid, and wherever something is simulated."""
        points = []
        for name in self.names:
            model = models()[name]
            if model.exact is None:
                continue
            loads = {rho for rho in LOADS if rho < 0.5 * model.limit or model.limit == 1}
            loads |= {round(share * model.limit, 6) for share in NEAR_LIMIT if model.limit < 1}
            loads |= {point["rho"] for point in trials if point["model"] == name}
            largest = LARGEST_SOLVED.get(name, 1.0)
            points += [{"model": name, "rho": rho} for rho in sorted(loads) if rho <= largest]
        return points

    def simulated_points(self, scale: Scale) -> list[dict[str, Any]]:
        """Return where to simulate, and how long."""
        points = []
        for name in self.names:
            limit, solved = models()[name].limit, models()[name].exact is not None
            shares = {*SIMULATED[scale], *(MORE[scale] if name in LONG or not solved else ())}
            shares |= {LAST} if name in LONG else set()
            for share in sorted(shares):
                rho = share if limit == 1 else round(share * limit, 3)
                points.append({"model": name, "rho": rho, "arrivals": _arrivals(name, share, scale)})
        return points


def _arrivals(name: str, share: float, scale: Scale) -> int:
    if scale == "full":  # the paper's
        return 10**10 if name in LONG else 10**9
    noisy = models()[name].crowding is None
    if share == LAST:  # shorter ones do not say whether the queue grows
        return 40_000_000
    return 1_000_000 if share < 0.85 else 16_000_000 if noisy else 4_000_000


def _z(row: dict[str, Any], known: float | None) -> float | None:
    if known is None:
        return None
    error = (row["response_time_high"] - row["response_time_low"]) / 2 / stdtrit(REPLICATIONS - 1, 0.975)
    return float((row["response_time"] - known) / error)


def values(rows: Rows, name: str, column: str, method: str = "exact") -> dict[float, float]:
    """Return a column of one model's rows by load."""
    return {row["rho"]: row[column] for row in rows if row["model"] == name and row["method"] == method}


def at_saturation(found: dict[float, float]) -> float:
    """Extrapolate linearly in 1 − rho, from the two largest loads to load 1.

    Examples
    --------
    >>> round(at_saturation({0.9: 1.7, 0.98: 1.54}), 9)
    1.5
    """
    (first, low), (second, high) = sorted(found.items())[-2:]
    return high + (high - low) / (second - first) * (1 - second)


def agreement(rows: Rows) -> Claim:
    """Compare what was simulated with what was computed, all points at once (Bonferroni)."""
    scores = [(abs(row["z"]), row) for row in rows if row.get("z") is not None]
    worst, row = max(scores, key=lambda score: score[0])
    chance = min(1.0, 2 * float(stdtr(REPLICATIONS - 1, -worst)) * len(scores))
    return Claim(
        claim="simulated and exact mean response times agree (our check, not the paper's)",
        claimed=f"chance of a larger |z| among {len(scores)} points at least {ODDS:g}",
        found=f"largest |z| = {worst:.2f} ({models()[row['model']].label}, rho = {row['rho']:g}), chance {chance:.2g}",
        difference=f"{worst:.2f} standard errors",
        passed=chance >= ODDS,
    )


def labelled(name: str) -> str:
    """Return a model's name for people."""
    found: Model = models()[name]
    return found.label
