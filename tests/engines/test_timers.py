"""Randomised timers have no plain twin: their law is compared with that of the Markov chain they follow."""

import math

import numpy as np
import pytest
from scipy.stats import t

from msj import InvalidInput
from msj.answers import simulate
from msj.disciplines.randomized_timers import RandomizedTimers
from strategies import simple

MOST = 24  # jobs of one need in the queue; the chain is never near it at this load


def exact_mean_jobs(rate, clock, b):
    """Two servers, needs 1 (rate 1) and 2 (rate 1/2) equally likely: power iteration on the uniformised chain."""
    states = [(q1, q2, z) for q1 in range(MOST) for q2 in range(MOST) for z in ((0, 0), (1, 0), (2, 0), (0, 1))]
    index = {state: i for i, state in enumerate(states)}
    generator = np.zeros((len(states), len(states)))

    def speed(queue):
        return clock * math.exp(math.log(1 + queue) ** (1 - b)) if queue else 0.0

    for (q1, q2, (z1, z2)), i in index.items():
        free = 2 - z1 - 2 * z2
        moves = [
            (rate / 2, (q1 + 1, q2, (z1, z2))),
            (rate / 2, (q1, q2 + 1, (z1, z2))),
            (z1 * 1.0, (q1, q2, (z1 - 1, z2))),
            (z2 * 0.5, (q1, q2, (z1, z2 - 1))),
            (speed(q1) if free >= 1 else 0.0, (q1 - 1, q2, (z1 + 1, z2))),
            (speed(q2) if free >= 2 else 0.0, (q1, q2 - 1, (z1, z2 + 1))),
        ]
        for weight, target in moves:
            if weight and target in index:
                generator[i, index[target]] += weight
                generator[i, i] -= weight
    system = generator.T.copy()
    system[0] = 1.0
    law = np.linalg.solve(system, np.eye(1, len(states)).ravel())
    assert sum(law[index[s]] for s in states if max(s[:2]) == MOST - 1) < 1e-6
    return sum(law[i] * (q1 + q2 + sum(z)) for (q1, q2, z), i in index.items())


@pytest.mark.parametrize(("rate", "clock", "b"), [(0.3, 1.0, 0.1), (0.35, 3.0, 0.5)])
def test_against_the_chain(rate, clock, b):
    # 4 standard errors: a false alarm once in 16,000 seeds.
    system = simple(2, (1, 1, "1/2"), (2, "1/2", "1/2"), arrival_rate=rate)
    result = simulate(system, policy=RandomizedTimers(clock=clock, b=b), jobs=400_000, rng=21)
    row = next(r for r in result if r.name == "mean_jobs_in_system")
    error = (row.high - row.value) / t.ppf(0.975, 19)
    assert abs(row.value - exact_mean_jobs(rate, clock, b)) < 4 * error


def test_bad_options():
    with pytest.raises(InvalidInput, match="b = 1"):
        RandomizedTimers(b=1)
    with pytest.raises(InvalidInput, match="clock = 0"):
        RandomizedTimers(clock=0)
