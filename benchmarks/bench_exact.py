"""Exact response times: cost in dense LU factorisations of the phase dimension, and growth with it.

64 servers, three or four classes; the needs set the number of phases. The ratio compares one load, boundary
included, with one ``scipy.linalg.lu_factor`` of a matrix of as many rows as there are phases, measured in the same run.
"""

import math
import time

import numpy as np
import scipy.linalg

NEEDS = ((4, 16, 32), (1, 8, 32), (1, 4, 16), (1, 3, 10), (1, 2, 9), (1, 4, 8, 16))


def measure(needs):
    from msj import Exponential, JobClass, System
    from msj.analysis.exact_response import open_model, percentile_rows
    from msj.analysis.open_fcfs import solve_open
    from msj.answers.saturated import solve_saturated
    from msj.markov.blas import blas_threads

    rates = np.array([1.0, 0.5, 0.25, 0.2])[: len(needs)]
    weights = rates / needs
    classes = [
        JobClass(name=str(n), need=n, share=float(p), duration=Exponential(rate=float(r)))
        for n, r, p in zip(needs, rates, weights / weights.sum(), strict=True)
    ]
    system = System(servers=64, classes=classes)
    rate = 0.9 * solve_saturated(system, "chain")[0].stability_threshold
    started = time.perf_counter()
    model = open_model(system)
    building = time.perf_counter() - started
    phases = max(model.level_sizes)
    with blas_threads(1):
        matrix = np.random.default_rng(0).random((phases, phases)) + phases * np.eye(phases)
        lu = min(timed(lambda: scipy.linalg.lu_factor(matrix)) for _ in range(3))
        started = time.perf_counter()
        solved = solve_open(system, model, rate)
        solving = time.perf_counter() - started
    started = time.perf_counter()
    if phases < 700:
        list(percentile_rows(solved))
    percentiles = time.perf_counter() - started if phases < 700 else math.nan
    return phases, len(model.level_sizes), building, solving, percentiles, lu, solved


def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def run():
    print("needs          phases  levels  build s  one load s  percentiles s  one load / LU   residual    growth")
    first = None
    for needs in NEEDS:
        phases, levels, building, solving, percentiles, lu, solved = measure(needs)
        first = first or (phases, solving)
        growth = math.log(solving / first[1]) / math.log(phases / first[0]) if phases > first[0] else math.nan
        print(
            f"{needs!s:14} {phases:6d} {levels:7d} {building:8.2f} {solving:11.2f} {percentiles:14.2f} "
            f"{solving / lu:14.0f} {solved.law.residual:10.1e}   phases^{growth:.1f}",
            flush=True,
        )
