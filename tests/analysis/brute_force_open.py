"""A slow, obviously right twin of the open FCFS system: the head's class is kept, the queue is cut off far out.

Shares nothing with the level-structured solution but the job types: states are found by visiting them, the law comes
from one sparse solve, and waiting times from following a tagged job with the matrix exponential.
"""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import expm_multiply, spsolve

from msj.fronts.job_types import job_types


class BruteForceOpen:
    def __init__(self, system, arrival_rate, most_behind):
        self.system, self.rate, self.most_behind = system, arrival_rate, most_behind
        self.types = job_types(system)
        self.needs = [int(v) for v in self.types.needs]
        self.states = [((0,) * len(self.needs), None, 0)]
        self.number = {self.states[0]: 0}
        entries = []
        for i, state in enumerate(self.states):
            for reached, rate, kind in self.steps(state):
                if reached not in self.number:
                    self.number[reached] = len(self.states)
                    self.states.append(reached)
                entries.append((i, self.number[reached], rate, kind))
        size = len(self.states)
        rows, columns, rates, kinds = (np.array(x) for x in zip(*entries, strict=True))
        self.with_arrivals = self.generator(size, rows, columns, rates)
        no_arrival = kinds != "arrival"
        self.without_arrivals = self.generator(size, rows[no_arrival], columns[no_arrival], rates[no_arrival])
        matrix = self.with_arrivals.T.tolil()
        matrix[0, :] = 1.0
        right = np.zeros(size)
        right[0] = 1.0
        self.law = spsolve(matrix.tocsc(), right)

    @staticmethod
    def generator(size, rows, columns, rates):
        matrix = sparse.coo_array((rates, (rows, columns)), (size, size)).tocsr()
        return (matrix - sparse.diags_array(matrix.sum(axis=1))).tocsr()

    def free(self, in_service):
        return self.system.servers - sum(v * c for v, c in zip(self.needs, in_service, strict=True))

    def steps(self, state):
        in_service, head, behind = state
        for j, chance in enumerate(self.types.fresh):
            if not chance:
                continue
            if head is not None:
                reached = (in_service, head, min(behind + 1, self.most_behind))
            elif self.needs[j] <= self.free(in_service):
                reached = (self.add(in_service, j, 1), None, 0)
            else:
                reached = (in_service, int(self.types.class_of[j]), 0)
            if reached != state:
                yield reached, self.rate * chance, "arrival"
        for i, count in enumerate(in_service):
            if not count:
                continue
            less = self.add(in_service, i, -1)
            for j, rate in enumerate(self.types.phase_changes[i]):
                if rate:
                    yield (self.add(less, j, 1), head, behind), count * rate, "phase"
            if self.types.completion_rates[i]:
                for reached, chance in self.settle(less, head, behind):
                    yield reached, count * self.types.completion_rates[i] * chance, "completion"

    def settle(self, in_service, head, behind):
        """Start the head if it fits, then those behind it; yield (state, probability)."""
        if head is None:
            yield (in_service, None, 0), 1.0
            return
        kinds = [j for j in range(len(self.needs)) if self.types.class_of[j] == head and self.types.fresh[j]]
        if self.needs[kinds[0]] > self.free(in_service):
            yield (in_service, head, behind), 1.0
            return
        share = sum(self.types.fresh[j] for j in kinds)
        for j in kinds:
            started = self.add(in_service, j, 1)
            if behind == 0:
                yield (started, None, 0), self.types.fresh[j] / share
                continue
            for c in sorted(set(self.types.class_of.tolist())):
                p = sum(self.types.fresh[t] for t in range(len(self.needs)) if self.types.class_of[t] == c)
                for reached, chance in self.settle(started, c, behind - 1):
                    yield reached, chance * p * self.types.fresh[j] / share

    @staticmethod
    def add(counts, index, change):
        return (*counts[:index], counts[index] + change, *counts[index + 1 :])

    # what the tests compare

    def jobs(self):
        return np.array([sum(s) + (head is not None) + behind for s, head, behind in self.states])

    def mean_waiting(self, job_class):
        share = float(self.system.classes[job_class].share)
        return sum(
            p * ((head == job_class) + behind * share)
            for p, (_, head, behind) in zip(self.law, self.states, strict=True)
        )

    def waits(self, job_class):
        need = self.system.classes[job_class].need
        return np.array([head is not None or self.free(s) < need for s, head, _ in self.states])

    def waiting_survival(self, job_class, times):
        """P(W > t): the mass of the states in which the tagged job still waits, with nobody arriving behind it."""
        waits = self.waits(job_class).astype(float)
        return np.array([expm_multiply(self.without_arrivals * t, waits) @ self.law for t in times])
