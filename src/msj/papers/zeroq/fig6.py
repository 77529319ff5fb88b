"""Figure 6: set I, the scaled numbers of jobs X_i/lambda_i settle at the mean durations 1/mu_i.

X_i is what an arrival finds: jobs of class i that arrived before it and have not left. By Little's law the mean of
X_i/lambda_i is the mean response time, so it is above 1/mu_i by the mean wait.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from msj.disciplines.fcfs import Fcfs
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.zeroq.sets import LOAD_I, LONGER, MEANS, NEEDS, SIZES, family
from msj.plots.estimates import server_axis
from msj.simulation import replay_jobs
from msj.simulation.memory import memory_of
from msj.workloads import RecordedJobs, Streams, SystemJobs

MEMORIES = 200  # length of a run in memories of the cluster; the first tenth is left out
LEAST_JOBS = 500_000
BATCHES = 20


def jobs_of_a_run(servers: int) -> int:
    """Return the arrivals of one run."""
    system = family(**LOAD_I).system_at(servers)
    rate = family(**LOAD_I).utilisation_at(servers) * system.naive_threshold
    return max(LEAST_JOBS, math.ceil(MEMORIES * memory_of(system, rate) * rate))


def scaled_jobs(servers: int, run: int, seed: int) -> list[dict[str, float]]:
    """Simulate once; return mean, squares and standard error of X_i/lambda_i seen by arrivals, for each class."""
    system = family(**LOAD_I).system_at(servers)
    rate = family(**LOAD_I).utilisation_at(servers) * system.naive_threshold
    streams = Streams(root=np.random.SeedSequence([seed, servers]), replication=run)
    block = SystemJobs(system, arrival_rate=rate, streams=streams).take(jobs_of_a_run(servers))
    jobs = RecordedJobs(arrival=block.arrival, need=block.need, duration=block.duration, job_class=block.job_class)
    done = replay_jobs(jobs, servers=servers, policy=Fcfs())
    first = len(done) // 10
    answer = []
    for i, c in enumerate(system.classes):
        here = done.job_class == i
        found = np.cumsum(here) - here  # of this class, arrived before
        left = np.searchsorted(np.sort(done.finish[here]), done.arrival, "right")
        scaled = (found - left)[first:] / (rate * float(c.share))
        batches = [float(part.mean()) for part in np.array_split(scaled, BATCHES)]
        answer.append(
            {
                "mean": float(scaled.mean()),
                "square": float((scaled**2).mean()),
                "error": float(np.std(batches, ddof=1) / math.sqrt(BATCHES)),
            }
        )
    return answer


class Figure6(Figure):
    """Scaled numbers of jobs in set I."""

    title: ClassVar[str] = "Set I: scaled numbers of jobs settle at the mean durations"
    caption: ClassVar[str] = (
        "Points: mean of X/lambda as arrivals find it; bars: one standard deviation of it, as in the paper (not an "
        "interval). Dashed: mean durations. Each class brings a third of the load."
    )

    def arrivals(self, scale: Scale) -> float:
        return float(LONGER[scale] * sum(jobs_of_a_run(n) for n in SIZES))

    def compute(self, work: Work) -> Rows:
        runs = LONGER[work.scale]
        points = [{"servers": n, "run": run, "seed": work.seed} for n in reversed(SIZES) for run in range(runs)]
        found = work.map(scaled_jobs, points)
        rows: Rows = []
        for n in SIZES:
            here = [answer for point, answer in zip(points, found, strict=True) if point["servers"] == n]
            for i, mean_duration in enumerate(MEANS):
                mean = float(np.mean([answer[i]["mean"] for answer in here]))
                square = float(np.mean([answer[i]["square"] for answer in here]))
                error = math.sqrt(sum(answer[i]["error"] ** 2 for answer in here)) / len(here)
                rows.append(
                    {
                        "servers": n,
                        "class": i + 1,
                        "mean_duration": float(mean_duration),
                        "mean": mean,
                        "standard_deviation": math.sqrt(max(square - mean**2, 0.0)),
                        "standard_error": error,
                    }
                )
        return rows

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        for i, (need, marker) in enumerate(zip(NEEDS, "osD", strict=True), start=1):
            here = [row for row in rows if row["class"] == i]
            axes.errorbar(
                [row["servers"] * 2.0 ** (0.1 * (i - 2)) for row in here],
                [row["mean"] for row in here],
                yerr=[row["standard_deviation"] for row in here],
                marker=marker,
                markersize=5,
                capsize=3,
                linewidth=1.2,
                label=f"class {i}, need {need}",
            )
            axes.axhline(here[0]["mean_duration"], color="0.5", linestyle="--", linewidth=0.9, zorder=0)
        server_axis(axes, SIZES)
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel(r"jobs in system / arrival rate, $X_i/\lambda_i$")
        axes.legend(fontsize=9, frameon=False)

    def claims(self, rows: Rows) -> list[Claim]:
        found = []
        for i in (1, 2, 3):
            here = [row for row in rows if row["class"] == i]
            last = here[-1]
            gap = last["mean"] - last["mean_duration"]
            allowed = 0.01 * last["mean_duration"] + 4 * last["standard_error"]
            found.append(
                Claim(
                    claim=f"the mean of class {i} converges to 1/mu",
                    claimed=f"{last['mean_duration']:g}",
                    found=f"{last['mean']:.4f} ± {2 * last['standard_error']:.2g} at n = {last['servers']}",
                    difference=f"{gap:.2g}",
                    passed=abs(gap) <= allowed,
                    because="passes within 1 % and four standard errors",
                )
            )
            spread = [row["standard_deviation"] for row in here]
            falling = all(b < a for a, b in pairwise(spread))
            found.append(
                Claim(
                    claim=f"the law of class {i} shrinks to a point mass",
                    claimed="standard deviation falls",
                    found=" > ".join(f"{value:.2g}" for value in spread),
                    difference="falls at every step" if falling else "does not fall",
                    passed=falling,
                )
            )
        return found


VARIANT = Figure6
