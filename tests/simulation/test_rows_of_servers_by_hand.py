"""What simulations say of servers, preemptions and hours of the day, each against a number worked out here.

Estimates are compared within three half-widths of their intervals, beyond which they are less than once in a hundred
thousand, and half-widths must be small.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import msj
from fronts.brute_force import replaced, stationary
from strategies import simple


def near(row, exact):
    half = max(row.high - row.value, row.value - row.low)
    assert half < 0.06 * exact
    assert abs(row.value - exact) < 3 * half, row.name


def test_servers_that_idle_while_jobs_wait():
    """Need 2 of three servers is M/M/1, with one server idle while a second job is there: load².

    On two servers, of needs 1 and 2, it is one server while one small job runs and the next is large: states of all
    jobs in order.
    """
    found = msj.simulate(simple(3, (2, 1, 1), arrival_rate=0.7), jobs=60_000, seed=1, levels=(50,))
    near(found.row("idle_servers_while_jobs_wait"), 0.7**2)

    def served(jobs):
        if len(jobs) > 1 and jobs[0] == jobs[1] == 1:
            return 2
        return min(len(jobs), 1)

    law = stationary(
        (),
        lambda jobs: [(2 / 3, (*jobs, 1)), (1 / 3, (*jobs, 2))],
        lambda jobs: [(1 / jobs[place], replaced(jobs, place)) for place in range(served(jobs))],
        0.4,
        len,
        11,
    )
    exact = sum(chance for jobs, chance in law.items() if jobs[:2] == (1, 2))
    system = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"), arrival_rate=0.4)
    found = msj.simulate(system, jobs=60_000, seed=1, levels=(50,))
    near(found.row("idle_servers_while_jobs_wait"), exact)


@pytest.mark.parametrize("small", [msj.Exponential(mean=1), msj.Deterministic(value=1)])
def test_jobs_are_put_aside_by_those_that_come_before_them(small):
    """Two servers, 0.6 small and 0.2 large jobs per unit of time, of mean 1.

    Where large ones go first, each that comes stops the small ones in service: 0.6 of them on average. Where small
    ones go first, each that comes stops the large one if it is in service: it is for 0.2 of the time.
    """
    classes = [
        msj.JobClass(name="small", need=1, share="3/4", duration=small),
        msj.JobClass(name="large", need=2, share="1/4", duration=msj.Exponential(mean=1)),
    ]
    for policy, exact in (("most-servers-first", 1 / 4 * 0.6), ("least-servers-first", 3 / 4 * 0.2)):
        system = msj.System(servers=2, arrival_rate=0.8, classes=classes, policy=policy)
        found = msj.simulate(system, jobs=60_000, seed=1, levels=(50,))
        near(found.row("preemptions_per_job"), exact)


def test_waits_by_the_hour_are_those_of_a_queue_whose_rate_changes():
    """M/M/2 at rates 0.6, 2.4, 0.6, for 4 each: the law of the number of jobs repeats with the cycle.

    Who comes in a step meets n jobs with the mean of their chances over the step, and waits for (n − 1)/2 if n >= 2.
    """
    rates, step, most, parts = (0.6, 2.4, 0.6), 4, 120, 100
    short = []
    for rate in rates:
        moves = np.diag(np.full(most - 1, rate), 1) + np.diag(np.minimum(np.arange(1, most), 2), -1)
        short.append(expm((moves - np.diag(moves.sum(axis=1))) * step / parts))
    cycle = np.linalg.multi_dot([np.linalg.matrix_power(part, parts) for part in short])
    law = np.linalg.matrix_power(cycle, 500)[0]
    jobs = np.arange(most)
    system = simple(2, (1, 1, 1), arrival_rate=1.2, arrivals={"law": "daily", "rates": [1, 4, 1], "cycle": 12})
    found = msj.simulate(system, jobs=500_000, seed=1, levels=(50,))
    for hour, part in enumerate(short):
        laws = [law]
        for _ in range(parts):
            laws.append(laws[-1] @ part)
        law = laws[-1]
        mean = (sum(laws) - (laws[0] + laws[-1]) / 2) / parts
        at = found.at(time_of_day=4.0 * hour)
        near(at.row("hourly_waiting_probability"), mean[2:].sum())
        near(at.row("hourly_mean_waiting_time"), mean[2:] @ (jobs[2:] - 1) / 2)
