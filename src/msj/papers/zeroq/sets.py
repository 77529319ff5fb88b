"""The three sets of experiments of section 7.

Three classes with mean durations 4, 2 and 1 (exponential) on n = 2^6, 2^8, ..., 2^16 servers. The paper does not say
how the load is split over the classes; here each brings the same load, rho_i = rho/3. Needs are rounded down.

The paper estimates from the last million arrivals. Here every cluster is simulated for a thousand times its memory
(``simulation.memory``), at least a million arrivals in all; ``full`` takes ten times that.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from msj.growth.expressions import Expression
from msj.growth.zero_queueing_family import FamilyPoint, ZeroQueueingFamily, family_points
from msj.papers.figure import Claim, Rows, Scale, Work
from msj.plots.estimates import draw_estimates, server_axis
from msj.simulation.memory import memory_of

LEAST_JOBS, MEMORIES = 1_000_000, 1_000
SIZES = (64, 256, 1024, 4096, 16384, 65536)
MEANS = (4, 2, 1)
NEEDS = ("3", "log2(n)", "sqrt(n)")
LOAD_I: dict[str, Any] = {"alpha": 0.1, "beta": 0.25}
LOAD_II: dict[str, Any] = {"alpha": 0.3, "beta": 1}
LARGEST_NEEDS = ("sqrt(n)", "3*n^(1/4)", "log2(n) + 2")  # set III
LONGER = {"quick": 1, "full": 10}
CHOSEN = (
    "The paper does not say how the load is split over the three classes; here each class brings a third of it. "
    "Needs are rounded down to whole servers. Bars are 95 % intervals."
)


def family(largest: str = "sqrt(n)", *, alpha: float, beta: float) -> ZeroQueueingFamily:
    """Return a family of section 7."""
    needs = tuple(Expression(text) for text in (*NEEDS[:2], largest))
    return ZeroQueueingFamily(needs=needs, alpha=alpha, beta=beta, means=MEANS)


def jobs_at(servers: int, longer: int, **options: Any) -> int:
    """Return how many arrivals one cluster is simulated for."""
    clusters = family(**options)
    system = clusters.system_at(servers)
    rate = clusters.utilisation_at(servers) * system.naive_threshold
    return longer * max(LEAST_JOBS, math.ceil(MEMORIES * memory_of(system, rate) * rate))


def total_jobs(scale: Scale, *each: dict[str, Any]) -> float:
    """Return how many arrivals some families take in all."""
    return float(sum(jobs_at(n, LONGER[scale], **options) for options in each for n in SIZES))


def queueing_point(servers: int, longer: int, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """Return bounds and probabilities of one cluster as a flat row; classes are numbered as in the paper."""
    clusters = family(**options)
    [point] = family_points(
        clusters, [servers], jobs=jobs_at(servers, longer, **options), rng=np.random.SeedSequence([seed, servers])
    )
    return {"largest_need": str(clusters.needs[-1]), **_row(point)}


def _row(point: FamilyPoint) -> dict[str, Any]:
    """Return what is known at one n."""
    bounds, found = point.bounds, point.waiting
    overall, *by_class = found.simulated  # every cluster of section 7 is stable
    row: dict[str, Any] = {
        "servers": point.servers,
        "needs": " ".join(map(str, point.needs)),
        "utilisation": bounds.utilisation,
        "sufficient_utilisation": bounds.sufficient_utilisation,
        "stable": found.stable,
        "bound": bounds.bound,
        "sharper_bound": bounds.sharper_bound,
        "lower_bound": bounds.lower_bound,
        "exact": found.exact[0].value if found.exact else None,
        "simulated": overall.value,
        "low": overall.low,
        "high": overall.high,
        "jobs": found.jobs,
    }
    for i, each in enumerate(by_class, start=1):
        row |= {f"simulated_{i}": each.value, f"low_{i}": each.low, f"high_{i}": each.high}
        row[f"lower_bound_{i}"] = bounds.lower_bound_by_class[str(each.job_class)]
    return row


def compute_set(work: Work, *each: dict[str, Any]) -> Rows:
    """Return the rows of some families, the largest clusters first in time and last in the rows."""
    points: list[dict[str, Any]] = [
        {"servers": n, "longer": LONGER[work.scale], "seed": work.seed, "options": options}
        for options in each
        for n in SIZES
    ]
    order = sorted(range(len(points)), key=lambda i: -points[i]["servers"])
    found = dict(zip(order, work.map(queueing_point, [points[i] for i in order]), strict=True))
    return [found[i] for i in range(len(points))]


class Estimate(NamedTuple):
    """A simulated probability and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """The interval."""
        return self.low, self.high


def estimates(rows: Rows, job_class: int) -> list[Estimate]:
    """Return the simulated probabilities of one class."""
    return [Estimate(*(row[f"{key}_{job_class}"] for key in ("simulated", "low", "high"))) for row in rows]


def draw_classes(rows: Rows, axes: Any) -> None:
    """Draw the three classes of one family against n, as the paper does, and the lower bound of class 3."""
    sizes = [row["servers"] for row in rows]
    for i, (need, marker) in enumerate(zip(NEEDS, "osD", strict=True), start=1):
        shifted = [n * 2.0 ** (0.1 * (i - 2)) for n in sizes]
        draw_estimates(axes, shifted, estimates(rows, i), marker=marker, label=f"class {i}, need {need}")
    axes.plot(sizes, [row["lower_bound"] for row in rows], "k:", linewidth=1.1, label="lower bound, all jobs")
    exact = [(row["servers"], row["exact"]) for row in rows if row["exact"] is not None]
    if exact:
        axes.plot(*zip(*exact, strict=True), "kx", markersize=8, label="exact, all jobs", zorder=4)
    server_axis(axes, sizes)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("probability that a job waits")
    axes.legend(fontsize=9, frameon=False)


def bound_claim(rows: Rows) -> Claim:
    """Return whether the bound stays above the simulation everywhere, and how closely."""
    ratios = [row["bound"] / row["simulated"] for row in rows if row["simulated"]]
    sharper = [row["sharper_bound"] / row["simulated"] for row in rows if row["simulated"]]
    above = all(row["bound"] >= row["high"] and row["sharper_bound"] >= row["simulated"] for row in rows)
    least = min(row["bound"] for row in rows)
    because = (
        f"Theorem 4.2's bound is {least:.3g} at least, so above 1: it says nothing at these sizes. The sharper bound "
        f"(comparison with infinitely many servers) is {min(sharper):.3g} to {max(sharper):.3g} times what is found."
    )
    return Claim(
        claim="the bound of Theorem 4.2 lies above (all jobs)",
        claimed="above at every n",
        found=f"above by factors {min(ratios):.3g} to {max(ratios):.3g}",
        difference="none below" if above else "below somewhere",
        passed=above,
        because=because,
    )
