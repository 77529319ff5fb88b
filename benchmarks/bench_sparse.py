"""Exact FCFS on large clusters: sparse levels by the number of waiting jobs, beside one sparse saturated solve each.

Digits, processor time, memory and the ratio to the saturated solve of the same system in the same run; how time grows
with the unknowns; and loads from 0.5 to 0.999 of the threshold. ``verification.truncated_chain`` finds the digits again
by another method.
"""

import math
import resource
import time

import numpy as np

LOADS = (0.5, 0.9, 0.99, 0.999)
KNOWN = {"hpc, exponential, 128": 3.2047930543, "1024 servers": 2.8686170}  # an earlier prototype, cut without a tail


def systems():
    from msj import Exponential, JobClass, System

    def make(servers, rate, *classes):
        jobs = [
            JobClass(name=str(need), need=need, share=share, duration=Exponential(mean=mean))
            for need, mean, share in classes
        ]
        return System(servers=servers, classes=jobs, arrival_rate=rate)

    hpc = ((1, 2, 0.70), (8, 4, 0.27), (32, 1, 0.03))
    needs, rates = np.array([3, 10, 32]), np.array([0.25, 0.5, 1.0])
    arriving = 0.875 * 1024 / 3 * rates / needs
    equal = [
        (int(need), 1 / rate, share) for need, rate, share in zip(needs, rates, arriving / arriving.sum(), strict=True)
    ]
    return {
        "hpc, exponential, 128": make(128, 9.3925, *hpc),
        "hpc, exponential, 256": make(256, 19.312, *hpc),
        "1024 servers": make(1024, float(arriving.sum()), *equal),
    }


def measure(system, rate):
    from msj.analysis import sparse_response

    sparse_response._model.cache_clear()  # each time from nothing
    started = time.process_time()
    solved = sparse_response.open_sparse_at(system, rate)
    return solved, time.process_time() - started


def saturated_seconds(system):
    from msj.fronts.fcfs_counts import saturated_chain
    from msj.markov.solution import solve

    chain = saturated_chain(system).chain
    seconds = []
    for _ in range(3):
        started = time.process_time()
        found = solve(chain)
        seconds.append(time.process_time() - started)
    return min(seconds), found.throughput


def line(name, solved, seconds, reference):
    law = solved.law
    unknowns = law.levels.shape[0] * law.coefficients + len(law.ground)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    stay = solved.mean_jobs_in_system / solved.arrival_rate
    print(
        f"{name:24} {len(solved.model.place):7,d} {unknowns / 1e6:7.2f} {law.coefficients:5d} {law.steps:5d} "
        f"{seconds:7.1f} {seconds / reference:8.0f} {memory:6.1f} {stay:16.10f} "
        f"{solved.error:8.0e} {solved.little_gap:8.0e}",
        flush=True,
    )
    return unknowns, stay


def run():
    """Print the table."""
    from msj.analysis.sparse_response import open_sparse_at

    head = (
        "system                   blocked  unkn. M    k steps       s  / satur.  GB   E[T]             error   Little"
    )
    print(head, flush=True)
    first = None
    for name, system in systems().items():
        if first is None:
            open_sparse_at(system, 0.5 * float(system.arrival_rate))  # compiles
        reference, threshold = saturated_seconds(system)
        solved, seconds = measure(system, float(system.arrival_rate))
        unknowns, stay = line(name, solved, seconds, reference)
        first = first or (unknowns, seconds)
        if unknowns > first[0]:
            growth = math.log(seconds / first[1]) / math.log(unknowns / first[0])
            print(f"    time grows like unknowns^{growth:.2f}", flush=True)
        if name in KNOWN:
            print(f"    the prototype's value differs by {stay / KNOWN[name] - 1:.1e}, relatively", flush=True)
        usual = measure(system, 0.875 * threshold)
        line("    load 0.875", *usual, reference)
        for load in LOADS:
            found = measure(system, load * threshold)
            line(f"    load {load}", *found, reference)
            print(f"        {found[1] / usual[1]:.1f} times the time at load 0.875", flush=True)
