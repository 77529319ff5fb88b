"""One job followed through a system by brute force: every job in order of arrival, its type drawn when it arrives.

A state is the tuple of (type, runs) of all jobs present, and the place of the tagged one; so many jobs are let in at
most. No front, no levels, no twins: only a function that says at which speed each job is served.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import expm_multiply, splu, spsolve
from scipy.stats import poisson


class BruteForceTagged:
    """``speeds(jobs)`` gives, for (type, runs) in order of arrival, speeds and who runs now; types are phases."""

    def __init__(self, system, rate, speeds, most):
        self.rate, self.speeds, self.most = rate, speeds, most
        self.types = []  # (class, phase)
        self.fresh, self.changes, self.ends = {}, {}, {}
        for c, job_class in enumerate(system.classes):
            law = job_class.duration.as_phase_type()
            first = len(self.types)
            for phase in range(len(law.alpha)):
                t = len(self.types)
                self.types.append((c, phase))
                self.fresh[t] = (c, float(job_class.share), float(law.alpha[phase]))
                self.ends[t] = float(law.exit_rates[phase])
                self.changes[t] = [
                    (first + j, float(x)) for j, x in enumerate(law.subgenerator[phase]) if j != phase and x > 0
                ]
        self.known = {}
        self.classes = len(system.classes)
        self._solve()

    def decided(self, jobs):
        if jobs not in self.known:
            speed, runs = self.speeds(jobs)
            self.known[jobs] = tuple(zip((t for t, _ in jobs), runs, strict=True)), tuple(speed)
        return self.known[jobs]

    def steps(self, jobs):
        """Yield (rate, jobs after, place that completed or None); ``jobs`` are decided already."""
        _, speed = self.decided(jobs)
        for i, (t, runs) in enumerate(jobs):
            if speed[i] > 0:
                yield speed[i] * self.ends[t], self.decided(jobs[:i] + jobs[i + 1 :])[0], i
                for other, rate in self.changes[t]:
                    yield speed[i] * rate, self.decided((*jobs[:i], (other, runs), *jobs[i + 1 :]))[0], None

    def joined(self, jobs, t):
        return self.decided((*jobs, (t, False)))[0]

    def _solve(self):
        states, number, moves = [()], {(): 0}, []

        def index(state):
            if state not in number:
                number[state] = len(states)
                states.append(state)
            return number[state]

        for jobs in states:
            here = number[jobs]
            if len(jobs) < self.most:
                for t, (_, share, start) in self.fresh.items():
                    if share * start > 0:
                        moves.append((here, index(self.joined(jobs, t)), self.rate * share * start))
            moves += [(here, index(after), rate) for rate, after, _ in self.steps(jobs) if rate > 0]
        source, target, rates = map(np.array, zip(*moves, strict=True))
        size = len(states)
        generator = sparse.coo_array((rates, (target, source)), shape=(size, size)).tolil()
        generator.setdiag(generator.diagonal() - np.bincount(source, weights=rates, minlength=size))
        generator[0, :] = 1.0
        self.law = dict(zip(states, spsolve(generator.tocsc(), np.eye(1, size)[0]), strict=True))

    def survival(self, times, *, waiting=False):
        """Return P(T > t), or P(W > t), W the time in which the job is not served: array times × classes."""
        states, number, moves, starts = [], {}, [], []

        def index(state):
            if state not in number:
                number[state] = len(states)
                states.append(state)
            return number[state]

        for jobs, probability in self.law.items():
            if len(jobs) < self.most:
                for t, (c, _, start) in self.fresh.items():
                    after = self.joined(jobs, t)
                    if start > 0:
                        starts.append((index((after, len(jobs))), c, probability * start))
        leaving = []
        for jobs, place in states:  # the list grows while it is read
            here, total = number[jobs, place], 0.0
            if len(jobs) < self.most:
                for t, (_, share, start) in self.fresh.items():
                    after, rate = self.joined(jobs, t), self.rate * share * start
                    total += rate
                    if rate > 0:
                        moves.append((here, index((after, place)), rate))
            for rate, after, completed in self.steps(jobs):
                total += rate
                moved = place - (completed is not None and completed < place)
                if rate > 0 and completed != place:
                    moves.append((here, index((after, moved)), rate))
            leaving.append(total)
        size = len(states)
        source, target, rates = map(np.array, zip(*moves, strict=True)) if moves else ([], [], [])
        generator = sparse.coo_array((rates, (target, source)), shape=(size, size)).tocsr()
        generator = (generator - sparse.diags_array(np.array(leaving))).tocsc()
        vector = np.zeros((size, self.classes))
        for state, c, probability in starts:
            vector[state, c] += probability
        if waiting:
            served = np.array([self.decided(jobs)[1][place] > 0 for jobs, place in states])
            return unserved(generator, vector, served, times)
        return np.array([expm_multiply(generator * t, vector).sum(axis=0) for t in times])

    def waiting_probability(self):
        """Return P(an arrival is not served at once) by class."""
        found = np.zeros(self.classes)
        for jobs, probability in self.law.items():
            for t, (c, _, start) in self.fresh.items():
                after = self.joined(jobs, t)
                found[c] += probability * start * (self.decided(after)[1][len(jobs)] == 0)
        return found


def unserved(generator, vector, served, times):
    """Return the law of the time spent in states that are not served: the chain watched there, uniformised."""
    on, off = np.flatnonzero(served), np.flatnonzero(~served)
    through = splu((-generator[on][:, on]).tocsc())
    clock = float(-generator.diagonal().min())
    now, alive = vector[off] + generator[off][:, on] @ through.solve(vector[on]), []
    for _ in range(int(clock * max(times) * 3) + 60):
        alive.append(now.sum(axis=0))
        flow = generator[off][:, off] @ now + generator[off][:, on] @ through.solve(generator[on][:, off] @ now)
        now = now + flow / clock
    weights = poisson.pmf(np.arange(len(alive))[None, :], clock * np.array(times)[:, None])
    return weights @ np.array(alive)


def by_function(policy, servers, needs):
    """Speeds of a policy whose plain function decides."""

    def speeds(jobs):
        chosen = np.zeros(len(jobs), dtype=np.bool_)
        running = np.array([runs and not policy.preemptive for _, runs in jobs], dtype=np.bool_)
        asked = np.array([needs[t] for t, _ in jobs], dtype=np.int64)
        policy.serve(asked, running, np.ones(len(jobs)), servers, chosen)
        return chosen.astype(float), [bool(x) and not policy.preemptive for x in chosen]

    return speeds
