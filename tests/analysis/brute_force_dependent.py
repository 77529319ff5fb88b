"""Slow twins for arrivals and orders: every job's class is drawn when it arrives, and every waiting job is kept.

Nothing is shared with the chains of msj, which draw classes when jobs start and keep those that wait as a number.
"""

import itertools

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import spsolve


def stationary(steps, start):
    """Return states and law of the chain that ``steps(state)`` describes: pairs of next state and rate."""
    numbers, states, todo = {start: 0}, [start], [start]
    rows, columns, rates = [], [], []
    while todo:
        state = todo.pop()
        for reached, rate in steps(state):
            if reached not in numbers:
                numbers[reached] = len(states)
                states.append(reached)
                todo.append(reached)
            rows.append(numbers[state])
            columns.append(numbers[reached])
            rates.append(rate)
    size = len(states)
    moves = sparse.coo_array((rates, (rows, columns)), shape=(size, size)).tocsr()
    generator = (moves - sparse.diags_array(np.asarray(moves.sum(axis=1)))).T.tolil()
    generator[0, :] = 1.0
    right = np.zeros(size)
    right[0] = 1.0
    return states, spsolve(generator.tocsc(), right)


class Jobs:
    """Who comes and how they are served; laws are phase types (alpha, T, t) of the classes."""

    def __init__(self, system):
        self.servers = system.servers
        self.needs = [c.need for c in system.classes]
        self.laws = [c.duration.as_phase_type() for c in system.classes]
        self.entering = system.order_chain.entering

    def next_jobs(self, state):
        """Return (class, state after it, probability)."""
        for c, after in itertools.product(range(len(self.needs)), range(self.entering.shape[1])):
            if self.entering[c, state, after] > 0:
                yield c, after, float(self.entering[c, state, after])

    def phases(self, c):
        """Return (phase, probability) in which a job begins."""
        return [(i, float(p)) for i, p in enumerate(self.laws[c].alpha) if p > 0]

    def changes(self, job):
        """Return (what a running job becomes, rate); None when it completes."""
        c, phase = job
        law = self.laws[c]
        for j, rate in enumerate(law.subgenerator[phase]):
            if j != phase and rate > 0:
                yield (c, j), float(rate)
        if law.exit_rates[phase] > 0:
            yield None, float(law.exit_rates[phase])

    def started(self, running, waiting):
        """Return the outcomes (running, waiting, probability) once all have started that can."""
        free = self.servers - sum(self.needs[c] for c, _ in running)
        if not waiting or self.needs[waiting[0]] > free:
            return [(tuple(sorted(running)), waiting, 1.0)]
        found = []
        for phase, chance in self.phases(waiting[0]):
            for *rest, more in self.started((*running, (waiting[0], phase)), waiting[1:]):
                found.append((*rest, chance * more))
        return found


def saturated_throughput(system):
    """Return the completion rate of the line that never empties: as many jobs are kept as could ever be served."""
    jobs = Jobs(system)
    kept = system.servers // min(jobs.needs) + 1

    def filled(running, waiting, state, chance):
        if len(running) + len(waiting) == kept:
            yield from ((r, w, state, chance * more) for r, w, more in jobs.started(running, waiting))
            return
        for c, after, more in jobs.next_jobs(state):
            yield from filled(running, (*waiting, c), after, chance * more)

    def steps(front):
        running, waiting, state = front
        for index, job in enumerate(running):
            rest = running[:index] + running[index + 1 :]
            for after, rate in jobs.changes(job):
                if after is not None:
                    yield (tuple(sorted((*rest, after))), waiting, state), rate
                else:
                    for *reached, chance in filled(rest, waiting, state, 1.0):
                        yield tuple(reached), rate * chance

    *start, _ = next(filled((), (), 0, 1.0))
    states, law = stationary(steps, tuple(start))
    rates = [sum(jobs.laws[c].exit_rates[phase] for c, phase in running) for running, *_ in states]
    return float(law @ rates)


def open_means(system, form, most):
    """Return E[N], E[jobs waiting] per class and P(an arrival waits) per class; arrivals beyond ``most`` are lost.

    ``form`` has D0 and D1 of the arrivals; who comes is drawn when he comes.
    """
    jobs = Jobs(system)

    def steps(state):
        running, waiting, order, phase = state
        for index, job in enumerate(running):
            rest = running[:index] + running[index + 1 :]
            for after, rate in jobs.changes(job):
                if after is not None:
                    yield (tuple(sorted((*rest, after))), waiting, order, phase), rate
                else:
                    for r, w, chance in jobs.started(rest, waiting):
                        yield (r, w, order, phase), rate * chance
        for to in range(len(form.D0)):
            if to != phase and form.D0[phase, to] > 0:
                yield (running, waiting, order, to), float(form.D0[phase, to])
            if form.D1[phase, to] > 0 and len(running) + len(waiting) < most:
                for c, after, chance in jobs.next_jobs(order):
                    for r, w, more in jobs.started(running, (*waiting, c)):
                        yield (r, w, after, to), float(form.D1[phase, to]) * chance * more

    states, law = stationary(steps, ((), (), 0, 0))
    classes = range(len(jobs.needs))
    jobs_in_system = sum(p * (len(r) + len(w)) for p, (r, w, *_) in zip(law, states, strict=True))
    waiting = [sum(p * w.count(c) for p, (_, w, *_) in zip(law, states, strict=True)) for c in classes]
    arriving, held_up = np.zeros(len(jobs.needs)), np.zeros(len(jobs.needs))
    for p, (running, queue, order, phase) in zip(law, states, strict=True):
        free = system.servers - sum(jobs.needs[c] for c, _ in running)
        for c, _, chance in jobs.next_jobs(order):
            flow = p * form.D1[phase].sum() * chance
            arriving[c] += flow
            held_up[c] += flow * (bool(queue) or jobs.needs[c] > free)
    return jobs_in_system, np.array(waiting), held_up / arriving
