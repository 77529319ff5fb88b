"""The open MSJ FCFS system, solved exactly at one arrival rate.

Level n = jobs in system, phase = counts in service: a quasi-birth-death process (``finite_skip.fcfs_open``) whose
stationary law pi ``markov.level_process`` finds. From it (theory: exact open MSJ FCFS; Little 1961, Wolff 1982):

- E[N], and E[T] = E[N]/lambda;
- an arrival of class i waits unless nobody waits and v_i servers are free (PASTA);
- the queue's composition is i.i.d. but for its head, of which need > f is known: with q >= 1 waiting and f free,
  E[Q_i] = sum pi·((q − 1)·p_i + p_i·1[v_i > f]/P(V > f)), and E[W_i] = E[Q_i]/(lambda·p_i).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.finite_skip.open_model import OpenModel
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.model import System

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenSystem:
    """Stationary quantities of the open system; arrays run over the system's classes."""

    system: System
    arrival_rate: float
    model: OpenModel
    law: LevelLaw

    @cached_property
    def shares(self) -> Vector:
        """Share of arrivals per class."""
        return np.array([float(c.share) for c in self.system.classes])

    @cached_property
    def needs(self) -> NDArray[np.int64]:
        """Need per class."""
        return np.array([c.need for c in self.system.classes])

    @cached_property
    def _by_free(self) -> tuple[Vector, Vector]:
        """Mass of the phases in which nobody waits, and in which somebody does, by number of free servers."""
        idle, busy = (np.zeros(self.system.servers + 1) for _ in range(2))
        last = self.model.first_repeating_level
        for n, mass in enumerate([*self.law.boundary, self.law.repeating_mass]):
            free, waiting = self.model.free_servers[n], self.model.waiting(n)
            nobody = np.where(waiting == 0, mass, 0.0)
            if n == last:  # levels above the first repeating one have the same phases, and always a queue
                nobody = np.where(waiting == 0, self.law.first_repeating, 0.0)
            np.add.at(idle, free, nobody)
            np.add.at(busy, free, mass - nobody)
        return idle, np.maximum(busy, 0.0)

    @property
    def mean_jobs_in_system(self) -> float:
        """E[N]."""
        return self.law.mean_level()

    @cached_property
    def mean_in_service(self) -> Vector:
        """Mean number in service per class, from the law itself."""
        masses = [*self.law.boundary, self.law.repeating_mass]
        return np.asarray(sum(mass @ self.model.in_service[n] for n, mass in enumerate(masses)))

    @cached_property
    def mean_waiting(self) -> Vector:
        """E[Q_i] per class."""
        _, somebody = self._by_free
        free = np.arange(self.system.servers + 1)
        behind_the_head = self.mean_jobs_in_system - self.mean_in_service.sum() - somebody.sum()
        blocked = np.array([self.shares[self.needs > f].sum() for f in free])
        weight = np.divide(somebody, blocked, out=np.zeros_like(somebody), where=blocked > 0)
        heads = np.array([weight[free < need].sum() for need in self.needs])
        return np.asarray(self.shares * (max(behind_the_head, 0.0) + heads))

    @cached_property
    def waiting_probability(self) -> Vector:
        """P(an arrival waits) per class."""
        nobody, _ = self._by_free
        return np.array([1.0 - nobody[need:].sum() for need in self.needs])

    @cached_property
    def mean_durations(self) -> Vector:
        """E[duration] per class."""
        return np.array([float(c.duration.mean) for c in self.system.classes])

    @cached_property
    def mean_waiting_time(self) -> Vector:
        """E[W_i] per class; 0 for classes that never arrive."""
        arriving = self.arrival_rate * self.shares
        return np.divide(self.mean_waiting, arriving, out=np.zeros_like(arriving), where=arriving > 0)

    @property
    def little_gap(self) -> float:
        """Largest relative gap between the mean number in service and lambda·p_i·E[S_i]: a check, ideally rounding."""
        expected = self.arrival_rate * self.shares * self.mean_durations
        return float(np.max(np.abs(self.mean_in_service - expected)) / expected.max())


def solve_open(system: System, model: OpenModel, arrival_rate: float, *, memory_limit: float = 6e9) -> OpenSystem:
    """Solve the open system at one arrival rate; ``model`` serves all arrival rates of one system."""
    law = solve_levels(model.at(arrival_rate), memory_limit=memory_limit)
    return OpenSystem(system=system, arrival_rate=arrival_rate, model=model, law=law)
