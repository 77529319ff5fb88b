"""Conservative backfilling against its definition in absolute times: no code in common with the policy's function."""

from pathlib import Path

import numpy as np
import pytest
from cases import random_jobs

from msj import read_log
from msj.disciplines.conservative_backfilling import ConservativeBackfilling
from msj.simulation import replay_jobs as replay
from msj.workloads import RecordedJobs

LOG = Path(__file__).parents[3] / "shared" / "data" / "swf" / "KTH-SP2-1996-2.1-cln.swf.gz"


def fits_at(plan, begin, length, need, servers):
    """Whether there is room from ``begin`` on for so long, beside all that is planned."""
    moments = [begin, *(b for b, e, _ in plan if begin < b < begin + length and e > b)]
    return all(sum(n for b, e, n in plan if b <= moment < e) + need <= servers for moment in moments)


def conservative_slowly(arrival, need, duration, estimate, servers):
    """At every event plan each waiting job, in order, at the earliest time that has room; start those at hand."""
    count = len(arrival)
    start, running, waiting, coming = np.full(count, np.nan), [], [], 0
    while coming < count or running:
        ends = sorted((start[j] + duration[j], j) for j in running)
        if ends and (coming == count or ends[0][0] <= arrival[coming]):
            now, job = ends[0]
            running.remove(job)
        else:
            now = arrival[coming]
            waiting.append(coming)
            coming += 1
        plan = [(now, max(start[j] + estimate[j], now), need[j]) for j in running]
        for job in list(waiting):
            moments = sorted({now, *(e for _, e, _ in plan)})
            begin = next(t for t in moments if fits_at(plan, t, estimate[job], need[job], servers))
            plan.append((begin, begin + estimate[job], need[job]))
            if begin == now and need[job] + sum(need[j] for j in running) <= servers:
                start[job] = now
                running.append(job)
                waiting.remove(job)
    return start


@pytest.mark.parametrize("options", [{}, {"factor": 3}, {"round_up_to": 2.5}])
def test_conservative_backfilling_equals_its_definition(options):
    policy = ConservativeBackfilling(**options)
    for seed in (40, 42, 44, 46):  # whole numbers: jobs end together, and at arrivals
        servers, arrival, need, duration = random_jobs(policy, seed, count=70)
        start = conservative_slowly(arrival, need, duration, policy.estimated(duration), servers)
        done = replay(RecordedJobs(arrival=arrival, need=need, duration=duration), servers=servers, policy=policy)
        np.testing.assert_array_equal(done.start, start)


def test_with_estimates_that_are_too_short():
    servers, arrival, need, duration = random_jobs(ConservativeBackfilling(), 6, count=120)
    estimate = np.random.default_rng(3).integers(0, 6, 120).astype(float)
    start = conservative_slowly(arrival, need, duration, estimate, servers)
    jobs = RecordedJobs(arrival=arrival, need=need, duration=duration, estimate=estimate)
    np.testing.assert_array_equal(replay(jobs, servers=servers, policy=ConservativeBackfilling()).start, start)


@pytest.mark.skipif(not LOG.exists(), reason=f"{LOG} is not here")
def test_on_a_real_log():
    trace = read_log(LOG)
    trace = trace.replace(frame=trace.frame[:2000])
    columns = [trace.column(name) for name in ("submit", "need", "run", "estimate")]
    start = conservative_slowly(*columns, 100)
    done = replay(trace.jobs(estimates=columns[3]), servers=100, policy=ConservativeBackfilling())
    np.testing.assert_array_equal(done.start, start)
