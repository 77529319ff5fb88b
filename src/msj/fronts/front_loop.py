"""The compiled loop that visits every front a policy can reach.

A front is a row of small numbers. Without preemption: how many jobs of each type are running, then the types that wait
in order of arrival; with preemption: all types in order; -1 where nobody is. Rows are numbered as they are met, by a
hash table with open addressing. A front that is not full is a vanishing state: the next job joins it at once. Every
step is written down as (from, to, rate or probability, kind); ``compiled_fronts`` makes the chain of them.

The policy's function is an argument of fixed type, so the loop is compiled once and kept, and a policy costs only its
own compilation.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int8, int16, int64, njit, typeof, types

from msj.decision_functions.compiled import KNOWN

SERVE = KNOWN.function_type
QUIET, COMPLETES, JOINS = 0, 1, 2  # kinds of steps
PASSES, LENGTH, NEED = 0, 1, 2  # when a front is full: so many passed over, so long, or as many servers wanted as exist
_COMPILED: dict[str, Any] = {"cache": True, "error_model": "numpy", "nogil": True}


class Rule(NamedTuple):
    """What is known of the policy besides its function, and of the cluster."""

    servers: int
    preemptive: bool
    by_need: bool  # a front may be sorted by need
    full: int  # when a front is
    front: int  # ... of how many jobs
    one_by_one: bool  # without preemption: whether the policy decides about each job that joins, or about a full window


class Jobs(NamedTuple):
    """The job types, as arrays over types."""

    needs: Any
    classes: Any
    fresh: Any
    completion_rates: Any
    changes: Any


class Shown(NamedTuple):
    """What the policy is shown, and its answer."""

    needs: Any
    classes: Any
    running: Any
    chosen: Any


@njit(**_COMPILED)
def _hash(row):  # type: ignore[no-untyped-def]
    code = np.uint64(14695981039346656037)
    for entry in row:
        code = (code ^ np.uint64(entry + 1)) * np.uint64(1099511628211)
    code ^= code >> np.uint64(32)  # the low bits, which choose the place, should depend on all
    return code * np.uint64(0x9E3779B97F4A7C15)


@njit(**_COMPILED)
def _number(table, rows, count, row):  # type: ignore[no-untyped-def]
    """Return the number of a row; if it is new, ``count``, and it is written down there."""
    mask = np.uint64(len(table) - 1)
    place = (_hash(row) >> np.uint64(20)) & mask
    while table[place] >= 0:
        known = rows[table[place]]
        same = True
        for e in range(len(row)):
            if known[e] != row[e]:
                same = False
                break
        if same:
            return table[place]
        place = (place + np.uint64(1)) & mask
    table[place] = count
    rows[count] = row
    return count


@njit(**_COMPILED)
def _table(rows, count, size):  # type: ignore[no-untyped-def]
    table = np.full(size, -1, np.int64)
    mask = np.uint64(size - 1)
    for i in range(count):
        place = (_hash(rows[i]) >> np.uint64(20)) & mask
        while table[place] >= 0:
            place = (place + np.uint64(1)) & mask
        table[place] = i
    return table


@njit(**_COMPILED)
def _length(row, start):  # type: ignore[no-untyped-def]
    n = 0
    while start + n < len(row) and row[start + n] >= 0:
        n += 1
    return n


@njit(**_COMPILED)
def _put(row, job, needs, by_need):  # type: ignore[no-untyped-def]
    """Let a job join the row of a preemptive front: last, or last among needs as large as its own."""
    place = _length(row, 0)
    while by_need and place > 0 and needs[row[place - 1]] < needs[job]:
        row[place] = row[place - 1]
        place -= 1
    row[place] = job


@njit(**_COMPILED)
def _take(row, place):  # type: ignore[no-untyped-def]
    for e in range(place, len(row) - 1):
        row[e] = row[e + 1]
    row[len(row) - 1] = -1


@njit(**_COMPILED)
def _room(jobs):  # type: ignore[no-untyped-def]
    numbers, flags = np.empty((2, jobs), np.int64), np.zeros((2, jobs), np.bool_)
    return Shown(numbers[0], numbers[1], flags[0], flags[1])


@cache
def _groups() -> tuple[Any, Any, Any]:
    """Return the types of the three groups."""
    times, numbers, flags = np.empty(0), np.empty(0, np.int64), np.empty(0, np.bool_)
    examples = (
        Rule(1, True, True, 1, 1, True),
        Jobs(numbers, numbers, times, times, np.empty((0, 0))),
        Shown(numbers, numbers, flags, flags),
    )
    rule, jobs, shown = map(typeof, examples)
    return rule, jobs, shown


RULE, JOBS, SHOWN = _groups()


@njit(**_COMPILED)
def _show(shown, i, jobs, job, running):  # type: ignore[no-untyped-def]
    shown.needs[i], shown.classes[i] = jobs.needs[job], jobs.classes[job]
    shown.running[i], shown.chosen[i] = running, False


@njit(types.void(SERVE, int64, int64, int64, SHOWN), **_COMPILED)
def _ask(serve, n, servers, free, shown):  # type: ignore[no-untyped-def]
    serve(shown.needs[:n], shown.classes[:n], shown.running[:n], servers, free, shown.chosen[:n])


@njit(types.void(SERVE, int16[::1], JOBS, int64, SHOWN), **_COMPILED)
def _decide(serve, row, jobs, servers, shown):  # type: ignore[no-untyped-def]
    """Ask the policy about all jobs of a preemptive front."""
    n = _length(row, 0)
    for i in range(n):
        _show(shown, i, jobs, row[i], False)
    _ask(serve, n, servers, servers, shown)


@njit(types.void(SERVE, int16[::1], JOBS, int64, SHOWN), **_COMPILED)
def _start(serve, row, jobs, servers, shown):  # type: ignore[no-untyped-def]
    """Let the policy start waiting jobs of a front without preemption, in place."""
    kinds, free = len(jobs.needs), servers
    n = 0
    for t in range(kinds):
        for _ in range(row[t]):
            _show(shown, n, jobs, t, True)
            free -= jobs.needs[t]
            n += 1
    busy, waiting = n, _length(row, kinds)
    for i in range(waiting):
        _show(shown, n, jobs, row[kinds + i], False)
        n += 1
    _ask(serve, n, servers, free, shown)
    stays = kinds
    for i in range(waiting):
        job = row[kinds + i]
        if shown.chosen[busy + i]:
            row[job] += 1
        else:
            row[stays] = job
            stays += 1
    row[stays : kinds + waiting] = -1


@njit(types.boolean(SERVE, RULE, int16[::1], JOBS, SHOWN), **_COMPILED)
def _full(serve, rule, row, jobs, shown):  # type: ignore[no-untyped-def]
    needs = jobs.needs
    if not rule.preemptive:
        return _length(row, len(needs)) >= rule.front
    n = _length(row, 0)
    if rule.full == LENGTH:
        return n >= rule.front
    if rule.full == NEED:
        wanted = 0
        for i in range(n):
            wanted += needs[row[i]]
        return wanted >= rule.servers
    _decide(serve, row, jobs, rule.servers, shown)
    passed_over = 0
    for i in range(n):
        passed_over += not shown.chosen[i]
    return passed_over >= rule.front


@njit(types.void(SERVE, RULE, int16[::1], int64, JOBS, SHOWN), **_COMPILED)
def _join(serve, rule, row, job, jobs, shown):  # type: ignore[no-untyped-def]
    """Let the next job join, and start if the policy says so."""
    kinds = len(jobs.needs)
    if rule.preemptive:
        _put(row, job, jobs.needs, rule.by_need)
        return
    waiting = _length(row, kinds)
    row[kinds + waiting] = job
    if rule.one_by_one or waiting + 1 >= rule.front:
        _start(serve, row, jobs, rule.servers, shown)


@njit(types.void(SERVE, RULE, int16[::1], int64, int64, JOBS, SHOWN), **_COMPILED)
def _change(serve, rule, row, place, after, jobs, shown):  # type: ignore[no-untyped-def]
    """Let the job at a place (without preemption: one of that type) become of type ``after``, or complete."""
    completes = after == len(jobs.needs)
    if rule.preemptive:
        if completes:
            _take(row, place)
        else:
            row[place] = after
        return
    row[place] -= 1
    if completes:
        _start(serve, row, jobs, rule.servers, shown)
    else:
        row[after] += 1


@njit(**_COMPILED)
def _grown(array, count, room):  # type: ignore[no-untyped-def]
    more = np.empty((room, *array.shape[1:]), array.dtype)
    more[:count] = array[:count]
    return more


@cache
def front_loop() -> Any:
    """Return the loop, compiled or read from the cache when first used."""
    found = types.Tuple(  # type: ignore[no-untyped-call]
        (boolean, int16[:, ::1], boolean[::1], int64[::1], int64[::1], float64[::1], int8[::1])
    )
    return njit(found(SERVE, RULE, JOBS, int64, int64), **_COMPILED)(_visit)


def _visit(serve, rule, jobs, width, most):  # type: ignore[no-untyped-def]
    """Return whether all fronts were visited; the rows; which are full; and the steps: from, to, value, kind."""
    fresh, preemptive = jobs.fresh, rule.preemptive
    kinds = len(jobs.needs)
    rows, is_full = np.empty((1 << 12, width), np.int16), np.empty(1 << 12, np.bool_)
    table = np.full(1 << 14, -1, np.int64)
    source, target = np.empty(1 << 14, np.int64), np.empty(1 << 14, np.int64)
    value, kind = np.empty(1 << 14), np.empty(1 << 14, np.int8)
    shown = _room(rule.servers + width)
    row, base, weight = np.empty(width, np.int16), np.empty(width, np.int16), np.empty(max(kinds, width))
    count, steps = 0, 0
    for t in range(kinds):  # begin with the fronts full of one type: whatever the policy, they can come about
        if fresh[t] <= 0.0:
            continue
        row[:] = -1
        if not preemptive:
            row[:kinds] = 0
        while not _full(serve, rule, row, jobs, shown):
            _join(serve, rule, row, t, jobs, shown)
        if _number(table, rows, count, row) == count:
            is_full[count] = True
            count += 1
    i = 0
    while i < count <= most:
        ahead = (kinds + 1) * len(weight)  # at most so many steps, and new fronts, from here
        if count + ahead > len(rows):
            rows, is_full = _grown(rows, count, 2 * (count + ahead)), _grown(is_full, count, 2 * (count + ahead))
            size = len(table)
            while size < 2 * len(rows):
                size *= 2
            table = _table(rows, count, size)
        if steps + ahead > len(source):
            room = 2 * (steps + ahead)
            source, target = _grown(source, steps, room), _grown(target, steps, room)
            value, kind = _grown(value, steps, room), _grown(kind, steps, room)
        base[:] = rows[i]
        weight[:] = 0.0  # of each place: how many jobs are served there
        if is_full[i] and preemptive:
            _decide(serve, base, jobs, rule.servers, shown)
            for place in range(_length(base, 0)):
                weight[place] = shown.chosen[place]
        elif is_full[i]:
            weight[:kinds] = base[:kinds]
        else:
            weight[0] = 1.0  # nobody is served meanwhile; t below is the type that joins
        for place in range(len(weight)):
            if weight[place] == 0.0:
                continue
            job = base[place] if preemptive else place
            for t in range(kinds + 1):
                if not is_full[i]:
                    rate, what = fresh[t] if t < kinds else 0.0, JOINS
                elif t < kinds:
                    rate, what = weight[place] * jobs.changes[job, t], QUIET
                else:
                    rate, what = weight[place] * jobs.completion_rates[job], COMPLETES
                if not rate > 0.0:
                    continue
                row[:] = base
                if is_full[i]:
                    _change(serve, rule, row, place, t, jobs, shown)
                else:
                    _join(serve, rule, row, t, jobs, shown)
                reached = _number(table, rows, count, row)
                if reached == count:
                    is_full[count] = _full(serve, rule, row, jobs, shown)
                    count += 1
                source[steps], target[steps], value[steps], kind[steps] = i, reached, rate, what
                steps += 1
        i += 1
    return i == count, rows[:count], is_full[:count], source[:steps], target[:steps], value[:steps], kind[:steps]


@cache
def busy_loop() -> Any:
    """Return the loop that asks the policy how many servers each preemptive front uses."""
    return njit(float64[::1](SERVE, int16[:, ::1], JOBS, int64), **_COMPILED)(_busy_servers)


def _busy_servers(serve, rows, jobs, servers):  # type: ignore[no-untyped-def]
    count, width = rows.shape
    busy = np.zeros(count)
    shown = _room(width)
    for i in range(count):
        _decide(serve, rows[i], jobs, servers, shown)
        for place in range(_length(rows[i], 0)):
            if shown.chosen[place]:
                busy[i] += jobs.needs[rows[i, place]]
    return busy
