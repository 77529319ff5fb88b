"""Seconds of one core to an interval of ± 1 % for the mean response time, plain and with control variates.

The cluster of ``bench_controls``: needs 1, 2, 4, 8 equally often on 8 servers, exponential with mean 1. The variance
over 10 to 40 runs, as long as an interval takes, tells how many jobs ± 1 % takes; the time per job is measured,
plain and with controls in turns. At a utilisation; FCFS, which loses servers, at a share of its threshold.
"""

import math

from benchmarks.bench_controls import at, cost, spread

POLICIES = ("server-filling", "most-servers-first", "server-filling-srpt", "easy-backfilling", "first-fit", "fcfs")
LOADS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
FEWEST, SEEDS = 10, 40
LEAST_JOBS, MOST_JOBS, IN_ALL = 200_000, 10_000_000, 60_000_000
HALF_WIDTH, QUANTILE = 0.01, 1.96


def seconds(policy, load):
    """Return seconds to the interval, plain and controlled; None where the queue grows, or is too long to tell."""
    from msj.answers.simulate import with_arrival_rate

    system = with_arrival_rate(at(policy, load))
    jobs = enough(system)
    if jobs is None:
        return None
    mean, plain, sharp, _ = spread(system, min(max(IN_ALL // jobs, FEWEST), SEEDS), jobs)
    times = cost(system, float(system.arrival_rate_at(math.nan)))
    needed = [(QUANTILE / HALF_WIDTH) ** 2 * jobs * variance / mean**2 for variance in (plain, sharp)]
    return [number * nanoseconds * 1e-9 for number, nanoseconds in zip(needed, times, strict=True)]


def enough(system):
    """Return a number of jobs whose runs have intervals; None if there is none up to MOST_JOBS."""
    from msj import simulate

    jobs = LEAST_JOBS
    while jobs <= MOST_JOBS:
        found = simulate(system, jobs=jobs, seed=SEEDS)
        if found.outcome.exit_code:
            return None
        if "mean_response_time" in found and found.row("mean_response_time").low is not None:
            return round(1.5 * jobs)  # another seed may see a longer queue
        jobs = max(2 * jobs, math.ceil(found.provenance.get("enough_jobs", 0)))
    return None


def run(policies=POLICIES, loads=LOADS):
    print(f"{'seconds to ± 1 %':20s} load      plain   controlled  ratio")
    for policy in policies:
        for load in loads:
            found = seconds(policy, load)
            words = (
                "     – (the queue grows, or 10 million jobs are too few)"
                if found is None
                else "{:10.3g} {:12.3g} {:6.0f}".format(*found, found[0] / found[1])
            )
            print(f"{policy:20s} {load:4.2f} {words}", flush=True)
