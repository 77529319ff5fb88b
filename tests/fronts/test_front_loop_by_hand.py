"""One decision of a front in the compiled loop, as the plain function makes it."""

import numpy as np

from msj.fronts.front_loop import Shown, _start


def shown(jobs=8):
    return Shown(np.empty(jobs, np.int64), np.zeros(jobs, np.bool_), np.full(jobs, np.nan), np.zeros(jobs, np.bool_))


def started(serve, row):
    row = np.array(row, dtype=np.int16)
    _start.py_func(serve, row, np.array([1, 2]), 4, shown())
    return row.tolist()


def one_at_a_time(needs, running, remaining, servers, chosen):
    del needs, remaining, servers
    if not running.any():
        chosen[0] = True


def test_a_policy_sees_which_jobs_run():
    """A row: how many run of each type, then the types of those that wait, in order."""
    assert started(one_at_a_time, [1, 0, 1, 0, -1]) == [1, 0, 1, 0, -1]
    assert started(one_at_a_time, [0, 0, 1, 0, -1]) == [0, 1, 0, -1, -1]


def test_a_policy_sees_needs_of_those_that_run_first_and_then_of_those_that_wait():
    seen = []

    def first_fit(needs, running, remaining, servers, chosen):
        seen.append((needs.tolist(), running.tolist(), np.isnan(remaining).all(), servers))
        free = servers - needs[running].sum()
        for i in range(len(needs)):
            if not running[i] and needs[i] <= free:
                chosen[i] = True
                free -= needs[i]

    assert started(first_fit, [1, 1, 1, 0, 1]) == [2, 1, 1, 1, -1]
    assert seen == [([1, 2, 2, 1, 2], [True, True, False, False, False], True, 4)]
