"""Control variates: what they divide the variance by, and what they cost.

Needs 1, 2, 4, 8 equally often on 8 servers, all durations exponential with mean 1. The factor is the variance of the
plain mean over many seeds divided by that of the controlled one, the same jobs; beside it the median of what the runs
say of themselves. The cost is the time per job with controls over that without, slice by slice in one run.
"""

import statistics
import time

import numpy as np

SEEDS, JOBS = 200, 1_000_000  # as many as a run has if nothing is said
SLICES, BLOCKS = 9, 10
#: Policy, rho (or a share of its threshold, for FCFS), and the factor it should reach.
CASES = [
    ("server-filling", 0.8, 300),
    ("server-filling", 0.95, 3000),
    ("most-servers-first", 0.8, 25),
    ("easy-backfilling", 0.8, 12),
    ("first-fit", 0.8, 7),
    ("fcfs", 0.8, 3),
    ("fcfs", 0.95, 3),
]


def cluster(policy):
    from msj import Exponential, JobClass, System

    classes = [JobClass(name=str(need), need=need, share="1/4", duration=Exponential(mean=1)) for need in (1, 2, 4, 8)]
    return System(servers=8, classes=classes, policy=policy)


def at(policy, load):
    """Return the system at a utilisation; FCFS, which loses capacity, at a share of its threshold."""
    system = cluster(policy)
    return system.replace(load=load) if policy == "fcfs" else system.replace(utilisation=load)


def spread(system, seeds, jobs):
    """Return mean, variance plain and controlled, and the median of the factors the runs print."""
    from msj import simulate

    plain, sharp, told = [], [], []
    for seed in range(seeds):
        plain.append(simulate(system, jobs=jobs, seed=seed, controls=False)["mean_response_time"])
        result = simulate(system, jobs=jobs, seed=seed)
        sharp.append(result["mean_response_time"])
        rows = [row.value for row in result if row.name == "variance_reduction"]
        told.append(rows[0] if rows else 1.0)
    return float(np.mean(sharp)), float(np.var(plain)), float(np.var(sharp)), statistics.median(told)


def cost(system, rate):
    """Return nanoseconds per job, plain and with controls, in turns."""
    from msj.answers.known import known_of
    from msj.simulation.controls import Controls
    from msj.simulation.question import new_replication
    from msj.workloads import Streams, seed_sequence
    from msj.workloads.system_jobs import BLOCK

    known = known_of(system)
    controls = Controls.of(system, rate, threshold=known.stability_threshold, weights=known.weights, jobs=1e9)
    streams = Streams(root=seed_sequence(1), replication=0)
    piece = BLOCKS * BLOCK
    both = [
        new_replication(system, rate, streams, warm_up=piece, piece=piece, controls=each) for each in (None, controls)
    ]
    seconds = [[], []]
    for turn in range(SLICES):
        for replication, taken in zip(both, seconds, strict=True):
            started = time.perf_counter()
            replication.advance(turn)
            taken.append(time.perf_counter() - started)
    return [1e9 * statistics.median(taken[1:]) / piece for taken in seconds]


def run():
    from benchmarks.bench_simulation import systems

    print("cost per job                          plain ns  controls ns  ratio  at most")
    for name, system, policy, rate, _ in systems():
        if name.startswith("W"):
            plain, sharp = cost(system.replace(policy=policy), rate)
            limit = 1.5 if name.startswith("W1") else 1.25
            print(f"{name:37s} {plain:8.1f} {sharp:12.1f} {sharp / plain:6.2f} {limit:8.2f}", flush=True)
    print(f"variance divided by, {SEEDS} seeds of {JOBS:,} jobs   factor  at least  printed")
    for policy, load, least in CASES:
        _, plain, sharp, told = spread(at(policy, load), SEEDS, JOBS)
        print(f"{policy:30s} {load:5.2f}        {plain / sharp:9.1f} {least:9d} {told:9.1f}", flush=True)
