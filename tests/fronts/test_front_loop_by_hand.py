"""One decision of a front in the compiled loop, as the plain function makes it."""

import numpy as np

from msj.decision_functions.compiled import compile_decision
from msj.fronts.front_loop import Jobs, Shown, _number, _start, _table


def shown(jobs=8):
    return Shown(*np.empty((2, jobs), np.int64), *np.zeros((2, jobs), np.bool_))


def started(serve, row):
    row, rates = np.array(row, dtype=np.int16), np.zeros(2)
    jobs = Jobs(np.array([1, 2]), np.array([0, 1]), rates, rates, np.zeros((2, 2)))
    _start(
        compile_decision(serve, ("needs", "classes", "running", "free", "chosen"), "known", ""), row, jobs, 4, shown()
    )
    return row.tolist()


def one_at_a_time(needs, classes, running, free, chosen):
    if free == 4:
        chosen[0] = True


def test_a_policy_sees_which_jobs_run():
    """A row: how many run of each type, then the types of those that wait, in order."""
    assert started(one_at_a_time, [1, 0, 1, 0, -1]) == [1, 0, 1, 0, -1]
    assert started(one_at_a_time, [0, 0, 1, 0, -1]) == [0, 1, 0, -1, -1]


def test_a_policy_sees_those_that_run_first_and_then_those_that_wait():
    """Needs 1 and 2 run; 2, 1, 2 wait with one server free: only the job in the fourth place starts."""

    def first_fit(needs, classes, running, free, chosen):
        for i in range(len(needs)):
            if not running[i] and needs[i] <= free and needs[i] == classes[i] + 1:
                chosen[i] = True
                free -= needs[i]

    assert started(first_fit, [1, 1, 1, 0, 1]) == [2, 1, 1, 1, -1]


def test_fronts_are_found_in_a_table_that_was_made_anew():
    """However full it is: six rows in eight places."""
    rows = np.array([[i, j, -1] for i in range(2) for j in range(3)] + [[9, 9, 9]] * 2, dtype=np.int16)
    table = _table(rows, 6, 8)
    assert sorted(table.tolist()) == [-1, -1, 0, 1, 2, 3, 4, 5]
    assert [_number(table, rows, 6, rows[i].copy()) for i in range(6)] == list(range(6))
    assert _number(table, rows, 6, np.array([5, 5, -1], dtype=np.int16)) == 6
    assert rows[6].tolist() == [5, 5, -1]
