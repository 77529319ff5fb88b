"""The saturated chain: cost per state, and growth from 10^4 to 10^6 states.

Needs 3, 10, 32 with rates 1/4, 1/2, 1 and equal load shares on 1024, 2048, 4096 and 8192 servers. The unit is one
sparse matrix-vector product with the chain's own matrix, measured in the same run, so that the ratios mean the same
on any machine. Each size runs in a process of its own, whose peak memory is printed.
"""

import math
import multiprocessing
import time
from pathlib import Path

import numpy as np

SIZES = (1024, 2048, 4096, 8192)


def measure(servers):
    from msj import Exponential, JobClass, System
    from msj.fronts import saturated_chain
    from msj.markov import solve

    needs, rates = (3, 10, 32), (0.25, 0.5, 1.0)
    weights = np.array(rates) / needs
    shares = (weights / weights.sum()).tolist()
    classes = [
        JobClass(name=str(n), need=n, share=p, duration=Exponential(rate=r))
        for n, r, p in zip(needs, rates, shares, strict=True)
    ]
    solve(saturated_chain(System(servers=700, classes=classes)).chain)  # loads the compiled code
    system = System(servers=servers, classes=classes)
    started = time.perf_counter()
    built = saturated_chain(system)
    building = time.perf_counter() - started
    matrix = built.chain.augmented()
    x = np.ones(matrix.shape[0])
    started = time.perf_counter()
    for _ in range(20):
        matrix @ x
    product = (time.perf_counter() - started) / 20
    del matrix, x
    started = time.perf_counter()
    run = solve(built.chain)
    solving = time.perf_counter() - started
    memory = peak_memory()
    return built.chain.states, building, solving, product, run.throughput, run.residual, memory


def peak_memory():
    """GB held at most by this process; ru_maxrss would carry over that of the process which started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 2**20
    return math.nan


def run():
    print("servers    states  build s  solve s  (build+solve)/product  threshold      residual   peak GB  growth")
    first = None
    context = multiprocessing.get_context("spawn")
    for servers in SIZES:
        with context.Pool(1) as pool:
            states, building, solving, product, threshold, residual, memory = pool.apply(measure, (servers,))
        total = building + solving
        first = first or (states, total)
        growth = math.log(total / first[1]) / math.log(states / first[0]) if states > first[0] else math.nan
        print(
            f"{servers:7d} {states:9,d} {building:8.2f} {solving:8.2f} {total / product:22.0f}  "
            f"{threshold:.10f} {residual:9.1e} {memory:8.2f}  states^{growth:.2f}",
            flush=True,
        )
