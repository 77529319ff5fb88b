"""Fronts: cost of finding them and of solving their chain, per front, and growth to 10^6.

First fit over three classes with windows of 4 to 8, and server filling with needs of 1 to 8; each of the larger ones in
a process of its own, whose peak memory is printed. The unit of the ratios is one sparse matrix-vector product with the
chain's own matrix, measured in the same run. The last lines compare the compiled enumeration with the plain one, which
is what a model written in Python gets.
"""

import math
import multiprocessing
import time

import numpy as np

from benchmarks.bench_saturated import peak_memory

FIRST_FIT = ((16, 4), (16, 6), (32, 6), (16, 8), (64, 6), (32, 8))
FILLING = (16, 32, 64, 128)


def system(servers, policy, needs=(1, 2, 4)):
    from msj import Exponential, JobClass, System

    share = f"1/{len(needs)}"
    classes = [JobClass(name=str(n), need=n, share=share, duration=Exponential(rate=1 + n % 3)) for n in needs]
    return System(servers=servers, classes=classes, policy=policy)


def measure(cluster):
    from msj.fronts import policy_front
    from msj.fronts.compiled_fronts import compiled_fronts
    from msj.markov import solve

    compiled_fronts(policy_front(cluster.replace(servers=8)))  # loads the compiled code
    started = time.perf_counter()
    chain = compiled_fronts(policy_front(cluster)).chain
    building = time.perf_counter() - started
    matrix = chain.augmented()
    x = np.ones(matrix.shape[0])
    started = time.perf_counter()
    for _ in range(20):
        matrix @ x
    product = (time.perf_counter() - started) / 20
    del matrix, x
    started = time.perf_counter()
    run = solve(chain)
    solving = time.perf_counter() - started
    return chain.states, chain.vanishing, building, solving, product, run.throughput, run.residual, peak_memory()


def run():
    print("policy, servers     full fronts   others  find s  solve s  find/product  solve/product  threshold  peak GB")
    context = multiprocessing.get_context("spawn")
    cases = [(f"first-fit-{w}, {k}", system(k, {"name": "first-fit", "window": w})) for k, w in FIRST_FIT]
    cases += [(f"server-filling, {k}", system(k, "server-filling", (1, 2, 4, 8))) for k in FILLING]
    first = None
    for name, cluster in cases:
        with context.Pool(1) as pool:
            states, others, building, solving, product, threshold, _, memory = pool.apply(measure, (cluster,))
        first = first or (states, building + solving)
        ratio = states / first[0]
        growth = math.log((building + solving) / first[1]) / math.log(ratio) if ratio > 2 else math.nan
        print(
            f"{name:20s} {states:10,d} {others:8,d} {building:7.2f} {solving:8.2f} {building / product:13.0f} "
            f"{solving / product:14.0f} {threshold:10.6f} {memory:8.2f}  fronts^{growth:.2f}",
            flush=True,
        )
    plain_and_compiled()


def plain_and_compiled():
    from msj.fronts import policy_front, saturated_front
    from msj.fronts.compiled_fronts import compiled_fronts

    model = policy_front(system(12, {"name": "first-fit", "window": 5}))
    compiled_fronts(model)
    times = []
    for make in (lambda: compiled_fronts(model).chain, lambda: saturated_front(model)[1]):
        started = time.perf_counter()
        chain = make()
        times.append(time.perf_counter() - started)
    fronts = chain.states + chain.vanishing
    print(
        f"{fronts:,} fronts: compiled {fronts / times[0]:,.0f} per second, plain {fronts / times[1]:,.0f} per second, "
        f"ratio {times[1] / times[0]:.0f}"
    )
