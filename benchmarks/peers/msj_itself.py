"""msj, timed as a user meets it: one worker, ``simulate(precision=0.01)`` from the call to the answer.

Threshold, memory, warm-up, stopping rule and percentiles are included, compiling is not (a short run comes first). When
a run stops is a matter of chance, so that time is the median over seeds.
"""

import statistics
import time

from benchmarks.peers.peer import PRECISION, Measured, Replayed

JOBS = 2_000_000
SEEDS = (1, 2, 3, 4, 5)


def simulate(system, *, controls):
    """Return jobs per second of a long run, its mean, and the seconds to a 1 % interval."""
    import msj

    def timed(**options):
        started = time.perf_counter()
        found = msj.simulate(system, controls=controls, workers=1, **options)
        return time.perf_counter() - started, found

    timed(precision=10 * PRECISION, seed=0)
    seconds, long_run = timed(jobs=JOBS, seed=SEEDS[0])
    row = long_run.row("mean_response_time")
    runs = [timed(precision=PRECISION, seed=seed) for seed in SEEDS]
    return Measured(
        jobs_per_second=JOBS / seconds,
        mean=row.value,
        half_width=(row.high - row.low) / 2,
        jobs_to_precision=statistics.median(found.provenance["jobs"] for _, found in runs),
        seconds_to_precision=statistics.median(seconds for seconds, _ in runs),
    )


def replay(jobs, servers):
    """Serve recorded jobs under EASY backfilling; start and finish of every job."""
    from msj.disciplines import EasyBackfilling
    from msj.simulation import replay_jobs

    started = time.perf_counter()
    done = replay_jobs(jobs, servers=servers, policy=EasyBackfilling())
    seconds = time.perf_counter() - started
    return Replayed(waits=done.start - jobs.jobs.arrival, seconds=seconds)
