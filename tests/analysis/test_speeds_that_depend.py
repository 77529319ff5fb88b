"""Speeds that depend on how many jobs are served, and who is on which server: exact, against other chains."""

from fractions import Fraction

import numpy as np
import pytest

import msj
from msj import Exponential, Hyperexponential, JobClass, System
from msj.analysis.wcfs_verdict import explain
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.simulation import replay_jobs
from msj.workloads import RecordedJobs


def shared(servers, law, rate, **options):
    policy = {"name": "limited-processor-sharing", **options}
    whole = JobClass(name="all", need=servers, share=1, duration=law)
    return System(servers=servers, classes=[whole], policy=policy, arrival_rate=rate)


def birth_death(rate, deaths, most=4000):
    """Mean number of a chain that grows at a rate and falls at ``deaths(n)``."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(rate) - np.log([deaths(n) for n in range(1, most)]))])
    law = np.exp(logs - logs.max())
    return float(np.arange(most) @ law / law.sum())


@pytest.mark.parametrize("speeds", [["1/2", 1, "3/4"], ["1/5", "2/5", 1], [1, 1, 1]])
def test_exponential_jobs_are_a_birth_and_death_chain(speeds):
    together = [float(Fraction(v)) for v in speeds]
    rate = 0.8 * together[-1]
    found = msj.analyse(shared(4, Exponential(rate=1), rate, limit=3, speeds=speeds))
    assert found["stability_threshold"] == pytest.approx(together[-1], rel=1e-12)
    number = birth_death(rate, lambda n: together[min(n, 3) - 1])
    assert found["mean_response_time"] == pytest.approx(number / rate, rel=1e-10)


def batches(rate, servers, levels=600):
    """E[T] of the batch-processing M/M/k by a chain on the number of jobs: nobody is served below k."""
    generator = np.zeros((levels, levels))
    for n in range(levels - 1):
        generator[n, n + 1] = rate
        if n >= servers:
            generator[n, n - 1] = 1.0
    generator[-1, -2] = 1.0
    generator -= np.diag(generator.sum(axis=1))
    law = np.linalg.lstsq(np.vstack([generator.T, np.ones(levels)]), np.eye(levels + 1)[-1], rcond=None)[0]
    return float(np.arange(levels) @ law) / rate


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])
def test_batches_wait_for_company(rate):
    system = shared(3, Exponential(rate=1), rate, limit=3, speeds=[0, 0, 1])
    verdict = explain(system)
    assert (verdict.finite_skip, verdict.work_conserving, verdict.non_idling) == (True, True, False)
    simulated = msj.simulate(system, jobs=200_000, rng=3)
    row = simulated.row("mean_response_time")
    assert row.value == pytest.approx(batches(rate, 3), abs=2 * (row.high - row.low))


def test_batches_take_the_longer_the_less_comes():
    """wcfs, section 2.2: why non-idling is needed. Jobs wait for two more arrivals, one more, or none: for one gap."""
    rate = 0.001
    system = shared(3, Exponential(rate=1), rate, limit=3, speeds=[0, 0, 1])
    row = msj.simulate(system, jobs=50_000, rng=3).row("mean_response_time")
    assert row.value == pytest.approx(batches(rate, 3), rel=0.02)
    assert row.value > 0.9 / rate


def test_whoever_waits_for_company_that_does_not_come_is_not_waited_for():
    jobs = RecordedJobs(arrival=np.arange(4.0), need=np.full(4, 3), duration=np.arange(1.0, 5.0))
    done = replay_jobs(jobs, servers=3, policy=LimitedProcessorSharing(limit=3, speeds=[0, 0, 1]))
    assert done.number.tolist() == [0, 1]  # then two are left
    assert done.start.tolist() == [2.0, 2.0]
    assert done.finish == pytest.approx([2 + 3 * 1.0, 2 + 3 * 2.0])


def test_speeds_are_shares_of_all_servers_one_for_each_number_of_jobs():
    for options, words in [
        ({"limit": 2, "speeds": [1, 2]}, "must be a share"),
        ({"limit": 2, "speeds": [1, 0]}, "must be above 0"),
        ({"limit": 3, "speeds": [1, 1]}, "give one speed for each number"),
    ]:
        with pytest.raises(msj.InvalidInput, match=words):
            shared(4, Exponential(rate=1), 0.5, **options)
    system = shared(4, Exponential(rate=1), 0.5, speeds=[1, 1])
    assert "2 speeds are given and at most 4 jobs share" in system.policy.supports(system)


@pytest.mark.parametrize(
    ("assignment", "gap"), [("fastest-first", -2.30), ("move-up", -3.45), ("newest-first", -6.40), ("stay", -2.70)]
)
def test_the_gap_of_figure_7b_depends_on_who_is_on_which_server(assignment, gap):
    """wcfs, Figure 7b at x = 8 and load 0.96, by chains that share no code with ours (two digits)."""
    x, load = 8, 0.96
    law = Hyperexponential(rates=[f"1/{x}", f"{2 * x - 1}/{x}"], probabilities=[f"1/{2 * x}", f"{2 * x - 1}/{2 * x}"])
    policy = {"name": "heterogeneous-servers", "speeds": [0.4, 0.3, 0.2, 0.1], "assignment": assignment}
    one = JobClass(name="one", need=1, share=1, duration=law)
    found = msj.analyse(System(servers=4, classes=[one], policy=policy, arrival_rate=load), percentiles=False)
    second_moment = x + x / (2 * x - 1)
    waiting = load * second_moment / (2 * (1 - load))
    assert found["mean_response_time"] - waiting == pytest.approx(gap, abs=0.005)
