"""Seconds of one core to an interval of ± 1 % for the mean response time, plain and with control variates.

The cluster of ``bench_controls``: needs 1, 2, 4, 8 equally often on 8 servers, exponential with mean 1. The variance
over SEEDS runs, as long as an interval takes at least, tells how many jobs ± 1 % takes; the time per job is measured,
plain and with controls in turns. At a utilisation; FCFS, which loses servers, at a share of its threshold.
"""

import math

from benchmarks.bench_controls import at, cost, spread

POLICIES = ("server-filling", "most-servers-first", "server-filling-srpt", "easy-backfilling", "first-fit", "fcfs")
LOADS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
SEEDS, LEAST_JOBS = 40, 200_000
HALF_WIDTH, QUANTILE = 0.01, 1.96


def seconds(policy, load):
    """Return seconds to the interval, plain and controlled; None where the queue grows."""
    from msj import Outcome, simulate
    from msj.answers.known import known_of
    from msj.answers.simulate import with_arrival_rate
    from msj.answers.simulated import jobs_for_an_interval

    system = with_arrival_rate(at(policy, load))
    jobs = max(jobs_for_an_interval(system, known_of(system).stability_threshold), LEAST_JOBS)
    first = simulate(system, jobs=jobs, seed=SEEDS)
    if first.outcome is Outcome.UNSTABLE or "mean_response_time" not in first:
        return None
    mean, plain, sharp, _ = spread(system, SEEDS, jobs)
    times = cost(system, float(system.arrival_rate_at(math.nan)))
    needed = [(QUANTILE / HALF_WIDTH) ** 2 * jobs * variance / mean**2 for variance in (plain, sharp)]
    return [number * nanoseconds * 1e-9 for number, nanoseconds in zip(needed, times, strict=True)]


def run(policies=POLICIES, loads=LOADS):
    print(f"{'seconds to ± 1 %':20s} load      plain   controlled  ratio")
    for policy in policies:
        for load in loads:
            found = seconds(policy, load)
            words = (
                "     – (the queue grows)"
                if found is None
                else "{:10.3g} {:12.3g} {:6.0f}".format(*found, found[0] / found[1])
            )
            print(f"{policy:20s} {load:4.2f} {words}", flush=True)
