"""A slow, obviously right twin: every job of the system in the state, drawn when it arrives; far levels cut off.

It shares nothing with fronts: no job's state is drawn late, nothing is sorted, no level repeats.
"""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu


def stationary(start, arrivals, steps, rate, jobs, most):
    """Return {state: probability}; arrivals that would make more than ``most`` jobs are lost."""
    states, number, entries = [start], {start: 0}, []
    for i, state in enumerate(states):
        moves = [(rate * chance, after) for chance, after in arrivals(state)] if jobs(state) < most else []
        for speed, after in [*moves, *steps(state)]:
            if after not in number:
                number[after] = len(states)
                states.append(after)
            entries += [(i, number[after], speed), (i, i, -speed)]
    i, j, values = zip(*entries, strict=True)
    matrix = sparse.coo_array((values, (j, i)), (len(states),) * 2).tolil()
    matrix[0, :] = 1.0
    law = splu(sparse.csc_matrix(matrix)).solve(np.eye(1, len(states))[0])
    return dict(zip(states, law, strict=True))


def mean_response_time(start, arrivals, steps, rate, *, jobs=len, most=10):
    law = stationary(start, arrivals, steps, rate, jobs, most)
    return sum(p * jobs(state) for state, p in law.items()) / rate


def replaced(jobs, place, *others):
    return jobs[:place] + others + jobs[place + 1 :]


def pollaczek_khinchine(law, rate, speed=1.0):
    mean, second = float(law.mean) / speed, law.second_moment / speed**2
    return mean + rate * second / (2 * (1 - rate * mean))


def erlang_c(servers, mean, rate):
    offered = rate * mean
    terms = [1.0]
    for n in range(1, servers + 1):
        terms.append(terms[-1] * offered / n)
    last = terms[-1] * servers / (servers - offered)
    return mean + last / (sum(terms[:-1]) + last) * mean / (servers - offered)
