"""SimPy: the models one would write with it.

FCFS is a ``Container`` of servers: its queue is served in order, and a request that cannot be met holds up those behind
it. EASY has no ready-made resource; a cluster keeps the line and the running jobs and looks at them at every event.
"""

import time
from bisect import insort

import numpy as np

from benchmarks.peers.peer import BATCHES, Peer, Replayed, from_batches

WARM_UP = 0.1  # share of the jobs


def fcfs(gaps, needs, durations, servers):
    """Return the response times of jobs served first come, first served."""
    import simpy

    env = simpy.Environment()
    free = simpy.Container(env, capacity=servers, init=servers)
    response = np.empty(len(gaps))

    def job(i, need, duration):
        arrived = env.now
        yield free.get(need)
        yield env.timeout(duration)
        free.put(need)
        response[i] = env.now - arrived

    def arrivals():
        for i, (gap, need, duration) in enumerate(zip(gaps.tolist(), needs.tolist(), durations.tolist(), strict=True)):
            yield env.timeout(gap)
            env.process(job(i, need, duration))

    env.process(arrivals())
    env.run()
    return response


class EasyCluster:
    """Servers, the line in order of arrival, and running jobs by believed end."""

    def __init__(self, env, servers, jobs):
        self.env = env
        self.free = servers
        self.waits = np.empty(jobs)
        self.line = []  # (job, arrival, need, duration, estimate)
        self.running = []  # (believed end, job, need)

    def submit(self, i, need, duration, estimate):
        self.line.append((i, self.env.now, need, duration, estimate))
        self.look()

    def look(self):
        """Start from the head of the line while jobs fit, then those that do not delay the first that does not."""
        while self.line and self.line[0][2] <= self.free:
            self.start(self.line.pop(0))
        if not self.line or self.free == 0:
            return
        reservation, extra = self.reserve(self.line[0][2])
        waiting = self.line[:1]
        for job in self.line[1:]:
            need, estimate = job[2], job[4]
            in_time = self.env.now + estimate <= reservation
            if need <= self.free and (in_time or need <= extra):
                if not in_time:
                    extra -= need
                self.start(job)
            else:
                waiting.append(job)
        self.line = waiting

    def reserve(self, need):
        """Return when the head of the line will start, by the estimates, and how many servers it leaves free then."""
        free, reservation = self.free, None
        for believed_end, _, held in self.running:
            end = max(believed_end, self.env.now)  # a job that runs longer than it said may end at any moment
            if reservation is not None and end > reservation:
                break
            free += held
            if reservation is None and free >= need:
                reservation = end
        return reservation, free - need

    def start(self, job):
        i, arrived, need, duration, estimate = job
        self.waits[i] = self.env.now - arrived
        self.free -= need
        self.env.process(self.run((self.env.now + estimate, i, need), duration))
        insort(self.running, (self.env.now + estimate, i, need))

    def run(self, entry, duration):
        yield self.env.timeout(duration)
        self.running.remove(entry)
        self.free += entry[2]
        self.look()


def easy(gaps, needs, durations, estimates, servers):
    """Return the waits of jobs served by EASY backfilling."""
    import simpy

    env = simpy.Environment()
    cluster = EasyCluster(env, servers, len(gaps))
    columns = (column.tolist() for column in (gaps, needs, durations, estimates))

    def arrivals():
        for i, (gap, need, duration, estimate) in enumerate(zip(*columns, strict=True)):
            yield env.timeout(gap)
            yield env.timeout(0)  # logs count whole seconds: who leaves in this one makes room for who comes
            cluster.submit(i, need, duration, estimate)

    env.process(arrivals())
    env.run()
    return cluster.waits


def drawn(system, jobs, seed):
    """Return gaps, needs and durations of a system's jobs."""
    rng = np.random.default_rng(seed)
    classes = system.active_classes
    shares = np.array([float(c.share) for c in classes])
    kind = rng.choice(len(classes), size=jobs, p=shares / shares.sum())
    durations = np.empty(jobs)
    for i, c in enumerate(classes):
        durations[kind == i] = c.duration.sample(rng, int((kind == i).sum()))
    return rng.exponential(1 / float(system.arrival_rate), jobs), np.array([c.need for c in classes])[kind], durations


class SimPy(Peer):
    """Processes as generators, one event queue."""

    name = "SimPy"
    module = "simpy"

    def simulate(self, system, jobs, seed):
        started = time.perf_counter()
        response = fcfs(*drawn(system, jobs, seed), system.servers)
        seconds = time.perf_counter() - started
        counted = response[int(WARM_UP * jobs) :]
        means = [batch.mean() for batch in np.array_split(counted, BATCHES)]
        return from_batches(means, counted=len(counted), simulated=jobs, seconds=seconds)

    def replay(self, block, servers):
        started = time.perf_counter()
        gaps = np.diff(block.arrival, prepend=block.arrival[0])
        waits = easy(gaps, block.need, block.duration, block.estimates, servers)
        return Replayed(waits=waits, seconds=time.perf_counter() - started)


PEER = SimPy
