"""Slow, obviously right twins of the engines of models: at every event, look at everybody again.

All return (start, finish) per job. Completions at the moment of an arrival come first; of simultaneous ones the older
job's.
"""

import numpy as np


def in_pools(arrival, job_class, duration, capacity, ways):
    """First come first served; a job takes the first of its ways that fits all pools."""
    free = list(capacity)
    start, finish, took = {}, {}, {}
    waiting, running, i = [], [], 0
    while i < len(arrival) or running or waiting:
        ends = min(((finish[j], j) for j in running), default=(np.inf, -1))
        if ends[0] <= (arrival[i] if i < len(arrival) else np.inf):
            now, j = ends
            running.remove(j)
            free = [f + v for f, v in zip(free, took[j], strict=True)]
        else:
            now = arrival[i]
            waiting.append(i)
            i += 1
        while waiting:
            head = waiting[0]
            fitting = [
                way
                for way in ways[job_class[head]]
                if way[0] >= 0 and all(v <= f for v, f in zip(way, free, strict=True))
            ]
            if not fitting:
                break
            waiting.pop(0)
            took[head] = fitting[0]
            free = [f - v for f, v in zip(free, took[head], strict=True)]
            start[head], finish[head] = now, now + duration[head]
            running.append(head)
    return _columns(start, finish, len(arrival))


def fork_join(arrival, tasks, servers):
    """Tasks of a job start together; ``tasks`` lists their durations job by job."""
    start, finish, ends = {}, {}, []
    waiting, i = [], 0
    while i < len(arrival) or waiting:
        if ends and min(ends) <= (arrival[i] if i < len(arrival) else np.inf):
            now = min(ends)
            ends.remove(now)
        else:
            now = arrival[i]
            waiting.append(i)
            i += 1
        while waiting and len(tasks[waiting[0]]) <= servers - len(ends):
            j = waiting.pop(0)
            start[j], finish[j] = now, now + max(tasks[j])
            ends += [now + length for length in tasks[j]]
    return _columns(start, finish, len(arrival))


def in_stages(arrival, stages, servers):
    """Jobs whose need changes; ``stages`` lists (need, duration) job by job."""
    start, finish = {}, {}
    unstarted, between, running, i = [], [], {}, 0  # running: job -> (stage, end)

    def held():
        return sum(stages[j][stage][0] for j, (stage, _) in running.items())

    def begin(j, stage):
        start.setdefault(j, now)
        running[j] = (stage, now + stages[j][stage][1])

    while i < len(arrival) or unstarted or between or running:
        ends = min(((end, j) for j, (_, end) in running.items()), default=(np.inf, -1))
        if ends[0] <= (arrival[i] if i < len(arrival) else np.inf):
            now, j = ends
            stage = running.pop(j)[0]
            if stage + 1 == len(stages[j]):
                finish[j] = now
            else:
                wanted, had = stages[j][stage + 1][0], stages[j][stage][0]
                if wanted <= had or (not between and wanted <= servers - held()):
                    begin(j, stage + 1)
                else:
                    between.append((j, stage + 1))
        else:
            now = arrival[i]
            unstarted.append(i)
            i += 1
        while between and stages[between[0][0]][between[0][1]][0] <= servers - held():
            begin(*between.pop(0))
        while not between and unstarted and stages[unstarted[0]][0][0] <= servers - held():
            begin(unstarted.pop(0), 0)
    return _columns(start, finish, len(arrival))


def one_colour(arrival, blue, duration, servers):
    """Red and blue: the first colour of which so many are found, else the more numerous, red if as many."""
    start, finish, left = {}, {}, {}
    present, served, i, now = [], [], 0, 0.0
    while i < len(arrival) or present:
        ends = min(((now + left[j], j) for j in served), default=(np.inf, -1))
        until = arrival[i] if i < len(arrival) else np.inf
        before, now = now, min(ends[0], until)
        for j in served:
            left[j] -= now - before
        if ends[0] <= until:
            finish[ends[1]] = now
            present.remove(ends[1])
        else:
            present.append(i)
            left[i] = duration[i]
            i += 1
        colours = [[], []]
        for j in present:
            colours[bool(blue[j])].append(j)
            if len(colours[bool(blue[j])]) == servers:
                break
        served = colours[len(colours[1]) > len(colours[0])]
        for j in served:
            start.setdefault(j, now)
    return _columns(start, finish, len(arrival))


def _columns(start, finish, count):
    return np.array([start[j] for j in range(count)]), np.array([finish[j] for j in range(count)])
