"""The slow, obviously right twin: one Python list of jobs, and the policy's plain function asked at every event."""

import math

import numpy as np


def simulate_slowly(arrival, need, duration, *, servers, serve, estimate=None, restart=False):
    """Return start and finish of every job, preemptions, and the area of servers idle while jobs wait."""
    count = len(arrival)
    start, finish, stops = [math.nan] * count, [math.nan] * count, [0] * count
    left = [float(x) for x in duration]
    present, running = [], {}  # running: job -> its finish
    now, area, coming = 0.0, 0.0, 0
    while coming < count or present:
        next_arrival = arrival[coming] if coming < count else math.inf
        leaving = min(running, key=lambda job: (running[job], job), default=None)
        event = min(next_arrival, running[leaving] if leaving is not None else math.inf)
        assert event < math.inf, "jobs wait for ever"
        if len(present) > len(running):
            area += (event - now) * (servers - sum(need[job] for job in running))
        now = event
        if leaving is not None and running[leaving] <= next_arrival:
            finish[leaving] = running.pop(leaving)
            present.remove(leaving)
        else:
            present.append(coming)
            coming += 1
        chosen = np.zeros(len(present), dtype=np.bool_)
        if estimate is None:
            believed = [running[job] - now if job in running else left[job] for job in present]
        else:
            believed = [(start[job] if job in running else now) + estimate[job] - now for job in present]
        serve(
            np.array([need[job] for job in present], dtype=np.int64),
            np.array([job in running for job in present], dtype=np.bool_),
            np.array(believed, dtype=np.float64),
            servers,
            chosen,
        )
        wanted = {job for job, yes in zip(present, chosen, strict=True) if yes}
        assert sum(need[job] for job in wanted) <= servers
        for job in [job for job in running if job not in wanted]:
            left[job] = float(duration[job]) if restart else running[job] - now
            del running[job]
            stops[job] += 1
        for job in wanted - set(running):
            running[job] = now + left[job]
            if math.isnan(start[job]):
                start[job] = now
    return np.array(start), np.array(finish), np.array(stops), area
