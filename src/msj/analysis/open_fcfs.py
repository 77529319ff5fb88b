"""The open MSJ FCFS system, solved exactly at one arrival rate.

Level n = jobs in system, phase = counts in service: a quasi-birth-death process (``fronts.fcfs_open``) whose
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

from msj.analysis.per_class import PerClass
from msj.errors import NotAccurate
from msj.fronts.open_model import OpenModel
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.model import System

Vector = NDArray[np.float64]
MEMORY_LIMIT = 6e9  # bytes
ACCURATE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenSystem(PerClass):
    """Stationary quantities of the open system; arrays run over the system's classes."""

    model: OpenModel
    law: LevelLaw

    @cached_property
    def _beyond(self) -> tuple[Vector, Vector]:
        """Sums over j >= 1 of pi_(L+j) and of (j − 1)·pi_(L+j), without a subtraction."""
        R = self.law.rate_matrix
        return self.law.repeating_mass @ R, self.law.repeating_first_moment @ R

    @cached_property
    def _by_free(self) -> tuple[Vector, Vector]:
        """Mass of the phases in which nobody waits, and in which somebody does, by number of free servers."""
        nobody, somebody = (np.zeros(self.system.servers + 1) for _ in range(2))
        for n, mass in enumerate([*self.law.boundary, self.law.first_repeating]):
            free, waits = self.model.free_servers[n], self.model.waiting(n) > 0
            np.add.at(nobody, free[~waits], mass[~waits])
            np.add.at(somebody, free[waits], mass[waits])
        np.add.at(somebody, self.model.free_servers[-1], self._beyond[0])
        return nobody, somebody

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
        blocked = np.array([self.shares[self.needs > f].sum() for f in free])
        weight = np.divide(somebody, blocked, out=np.zeros_like(somebody), where=blocked > 0)
        heads = np.array([weight[free < need].sum() for need in self.needs])
        return np.asarray(self.shares * (self._mean_behind_the_head + heads))

    @property
    def _mean_behind_the_head(self) -> float:
        """E[(Q − 1)+], a sum of positive terms: at small loads it is tiny beside E[N]."""
        total = sum(float(mass @ np.maximum(self.model.waiting(n) - 1, 0)) for n, mass in enumerate(self.law.boundary))
        waiting = self.model.waiting(self.model.first_repeating_level)
        below = self.law.repeating_mass * (waiting - 1) + self.law.repeating_first_moment
        return total + float(np.where(waiting > 0, below, self._beyond[1]).sum())

    @cached_property
    def waiting_probability(self) -> Vector:
        """P(an arrival waits) per class."""
        nobody, somebody = self._by_free
        return np.array([nobody[:need].sum() + somebody.sum() for need in self.needs])

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


def solve_open(
    system: System, model: OpenModel, arrival_rate: float, *, memory_limit: float = MEMORY_LIMIT
) -> OpenSystem:
    """Solve the open system at one arrival rate; ``model`` serves all arrival rates of one system."""
    law = solve_levels(model.at(arrival_rate), memory_limit=memory_limit)
    solved = OpenSystem(system=system, arrival_rate=arrival_rate, model=model, law=law)
    if not solved.little_gap <= ACCURATE:
        raise NotAccurate(
            f"the mean number in service misses Little's law by {solved.little_gap:.1e}, relatively, and "
            f"{ACCURATE:.0e} is required; simulate this system, or bring its rates closer together"
        )
    return solved
