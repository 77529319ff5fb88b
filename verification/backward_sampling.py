"""Backward sampling of FCFS beside the forward run: ``python -m verification.backward_sampling`` prints the table.

Every trial gives one response time, as if the cluster had run for ever, and needs no warm-up: the line is followed from
n jobs before the one asked about, n doubled until some doublings have changed nothing (Loynes; FCFS is monotone, so the
value only grows with n). The past of a trial is kept when n grows. Trials are independent, so the interval is the plain
one. The forward run is msj's own, on as many jobs. Measured are the jobs per trial, how often 95 % intervals hold the
exact mean, the bias, and the ratio of widths at the same number of jobs, without and with control variates.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numba import njit

import msj

LOADS = (0.5, 0.8, 0.9, 0.95)
TRIALS, RUNS = 200, 300  # a run is so many trials and has one interval
FIRST, MOST = 16, 1 << 20


@njit(cache=True)
def response(gap, need, duration, past, servers):
    """Return the response time of job 0 where job ``past`` came to an empty cluster; jobs are numbered backwards."""
    free_in = np.zeros(servers)  # when servers will be free, the soonest first
    wait = 0.0
    for i in range(past, -1, -1):
        wait = free_in[need[i] - 1]
        free_in[: need[i]] = wait + duration[i]
        free_in.sort()
        if i > 0:
            for j in range(servers):
                free_in[j] = max(free_in[j] - gap[i], 0.0)
    return wait + duration[0]


@njit(cache=True)
def extend(rng, gap, need, duration, start, end, rate, needs, means):
    """Draw the jobs from ``start`` to ``end``, further back; classes are equally often."""
    for i in range(start, end):
        kind = rng.integers(0, len(needs))
        gap[i], need[i] = rng.exponential(1.0 / rate), needs[kind]
        duration[i] = rng.exponential(means[kind])


@njit(cache=True)
def trial(rng, gap, need, duration, servers, rate, needs, means, still):
    """Return one response time and how many jobs were followed for it, all rounds counted."""
    drawn, past, followed, same, before = 0, FIRST, 0, 0, -1.0
    while True:
        if drawn < past + 1:
            extend(rng, gap, need, duration, drawn, past + 1, rate, needs, means)
            drawn = past + 1
        found = response(gap, need, duration, past, servers)
        followed += past
        same = same + 1 if found == before else 0
        if same == still or 2 * past >= len(gap):
            return found, followed
        before, past = found, 2 * past


def backward(system, rate, rng, still):
    """Return the mean, the half-width of its interval and the jobs followed, of one run."""
    room = np.empty(MOST), np.empty(MOST, dtype=np.int64), np.empty(MOST)
    needs = np.array([c.need for c in system.classes])
    means = np.array([float(c.duration.mean) for c in system.classes])
    each = [trial(rng, *room, system.servers, rate, needs, means, still) for _ in range(TRIALS)]
    times = np.array([time for time, _ in each])
    return times.mean(), 1.96 * times.std(ddof=1) / math.sqrt(TRIALS), sum(count for _, count in each)


def row(system, load, still):
    """Return jobs per trial, coverage, and the width of a backward over that of a forward interval, same jobs."""
    exact = msj.analyse(system.replace(load=load), percentiles=False)
    rate, value = exact["arrival_rate"], exact["mean_response_time"]
    rng = np.random.default_rng(1)
    runs = [backward(system, rate, rng, still) for _ in range(RUNS)]
    held = np.mean([abs(mean - value) < half for mean, half, _ in runs])
    jobs = int(np.mean([count for *_, count in runs]))
    half = float(np.mean([half for _, half, _ in runs]))
    widths = []
    for controls in (False, True):
        most = max(jobs, 400_000)  # short runs have no interval; widths fall with the root of the jobs
        found = msj.simulate(system.replace(load=load), jobs=most, seed=1, controls=controls).row("mean_response_time")
        narrow = (found.high - found.low) / 2 * math.sqrt(most / jobs) if found.low is not None else math.nan
        widths.append(half / narrow)
    bias = float(np.mean([mean for mean, *_ in runs])) / value - 1
    return jobs / TRIALS, held, bias, *widths


if __name__ == "__main__":
    one_and_four = msj.System(
        servers=4,
        classes=[
            msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(mean=2)),
            msj.JobClass(name="large", need=4, share="1/2", duration=msj.Exponential(mean="3/2")),
        ],
    )
    asked = [(float(sys.argv[1]), int(sys.argv[2]))] if len(sys.argv) > 2 else [(at, n) for n in (2, 4) for at in LOADS]
    for at, doublings in asked:
        found = row(one_and_four, at, doublings)
        print(at, doublings, *(f"{number:.4g}" for number in found), sep="; ", flush=True)
