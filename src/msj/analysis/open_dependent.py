"""Open MSJ FCFS whose arrivals are Markovian and whose jobs come in some order, solved exactly at one arrival rate.

Level n = jobs in system; a phase is (counts in service, state h of the order after the last job that has started, phase
of the arrivals). Classes are looked at when jobs start, and the order does not know of the arrival times, so those that
wait are just a number and the levels are a quasi-birth-death process (``fronts.open_model``). With its law pi:

- **time** is spent in phases of the arrivals that are not passing: shares of time are pi there, scaled to 1;
- **an arrival** finds the law x = pi·D1/lambda, not that of time: it starts at once if nobody waits and it fits, and is
  of class c with probability a_c(h), that of the job after h;
- **those who wait**: the head is what comes after h, given that it needs more than the f free servers, with state g;
  the q − 1 behind it follow the order: of class c are sum_{j<q−1} g·P^j·a_c = (q − 1)·p_c + g·(I − P^(q−1))·D·a_c of
  them, D the deviation matrix (``model.orders.order_chain``). Over all levels that is a sum of R^n·W·P^n, found by
  doubling.

E[W_c] = E[Q_c]/(lambda·p_c) by Little's law, and E[T_c] = E[W_c] + E[duration].
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
from msj.model.arrivals import MarkovForm
from msj.model.orders import OrderChain

Vector = NDArray[np.float64]
ACCURATE = 1e-9
NEGLIGIBLE = 1e-18  # of the terms of a sum over all levels
MOST_DOUBLINGS = 60


@dataclass(frozen=True, kw_only=True, eq=False)
class DependentOpen(PerClass):
    """Stationary quantities of the open system; arrays run over the system's classes, all of which arrive."""

    model: OpenModel
    form: MarkovForm
    order: OrderChain
    law: LevelLaw

    @property
    def _timed(self) -> Vector:
        return (~self.form.passing).astype(float)

    def fronts(self, vector: Vector, weights: Vector) -> Vector:
        """Return the mass of each front, phases of the arrivals weighted."""
        return np.asarray(vector.reshape(-1, len(weights)) @ weights)

    @cached_property
    def time(self) -> float:
        """The mass of the phases that take time."""
        masses = [*self.law.boundary, self.law.repeating_mass]
        return sum(float(self.fronts(mass, self._timed).sum()) for mass in masses)

    @cached_property
    def _arriving(self) -> Vector:
        """Weights of the arrivals' phases that make of pi the law that arrivals find."""
        return self.form.rates_of_arrival / (self.arrival_rate * self.time)

    def found(self, vector: Vector) -> Vector:
        """Return the law of the fronts that arrivals find, of a level given by its vector."""
        return self.fronts(vector, self._arriving)

    @cached_property
    def rate_gap(self) -> float:
        """How far arrivals per unit of time are from the rate, relatively: rounding."""
        masses = [*self.law.boundary, self.law.repeating_mass]
        return abs(sum(float(self.found(mass).sum()) for mass in masses) - 1.0)

    @cached_property
    def mean_jobs_in_system(self) -> float:
        """E[N]."""
        masses = [*self.law.boundary, self.law.repeating_mass]
        total = sum(n * float(self.fronts(mass, self._timed).sum()) for n, mass in enumerate(masses))
        return (total + float(self.fronts(self.law.repeating_first_moment, self._timed).sum())) / self.time

    @cached_property
    def mean_in_service(self) -> Vector:
        """Mean number in service per class, from the law itself."""
        masses = [*self.law.boundary, self.law.repeating_mass]
        parts = [self.fronts(mass, self._timed) @ self.model.in_service[n] for n, mass in enumerate(masses)]
        return np.asarray(sum(parts)) / self.time

    @property
    def little_gap(self) -> float:
        """Largest relative gap between the mean number in service and lambda·p_c·E[S_c]: a check, ideally rounding."""
        expected = self.arrival_rate * self.shares * self.mean_durations
        return float(np.max(np.abs(self.mean_in_service - expected)) / expected.max())

    def starts(self, level: int) -> Vector:
        """Fronts × classes of a level: P(an arrival is of the class and starts at once | front)."""
        nobody = self.model.waiting(level) == 0
        fits = self.needs[None, :] <= self.model.free_servers[level][:, None]
        return np.asarray(self.order.next_class[self.model.order_state[level]] * (fits & nobody[:, None]))

    @cached_property
    def waiting_probability(self) -> Vector:
        """P(an arrival of the class waits)."""
        vectors = [*self.law.boundary, self.law.first_repeating]
        at_once = sum(self.found(vector) @ self.starts(n) for n, vector in enumerate(vectors))
        return np.maximum(1.0 - np.asarray(at_once) / self.shares, 0.0)

    def _heads(self, level: int) -> Vector:
        """Fronts × classes × states: the head of the line, blocked in each front; 0 where nobody can be."""
        free, state = self.model.free_servers[level], self.model.order_state[level]
        ways = np.transpose(self.order.entering, (1, 0, 2))[state] * (self.needs > free[:, None])[:, :, None]
        total = ways.sum(axis=(1, 2))
        return np.asarray(ways / np.where(total > 0, total, 1.0)[:, None, None])

    @cached_property
    def mean_waiting(self) -> Vector:
        """E[Q_c] per class."""
        last = self.model.first_repeating_level
        total = np.zeros(len(self.shares))
        behind = 0.0
        kept = self.order.deviation @ self.order.next_class  # D·a_c, states × classes
        fading = self.order.steps - np.tile(self.order.law, (self.order.states, 1))  # P^m·D = (P − Pi)^m·D
        for n, vector in enumerate(self.law.boundary):
            mass, queue = self.fronts(vector, self._timed), self.model.waiting(n)
            heads = self._heads(n)
            waits = queue > 0
            total += np.einsum("f,fck->c", mass * waits, heads)
            behind += float(mass @ np.maximum(queue - 1, 0))
            for q in np.unique(queue[queue > 1]).tolist():
                states = np.einsum("f,fck->k", np.where(queue == q, mass, 0.0), heads)
                total += states @ (kept - np.linalg.matrix_power(fading, q - 1) @ kept)
        queue, heads = self.model.waiting(last), self._heads(last)
        beyond = self.law.repeating_mass @ self.law.rate_matrix, self.law.repeating_first_moment @ self.law.rate_matrix
        waits = queue > 0
        mass = np.where(waits, self.fronts(self.law.repeating_mass, self._timed), self.fronts(beyond[0], self._timed))
        total += np.einsum("f,fck->c", mass, heads)
        moment = self.fronts(self.law.repeating_first_moment, self._timed)
        in_all = self.fronts(self.law.repeating_mass, self._timed) * (queue - 1) + moment
        behind += float(np.where(waits, in_all, self.fronts(beyond[1], self._timed)).sum())
        if self.order.states > 1:
            total += np.einsum("f,fck->k", mass, heads) @ kept - self._fading_sum(heads.sum(axis=1), fading) @ kept
        return (total + behind * self.shares) / self.time

    def _fading_sum(self, states: Vector, fading: Vector) -> Vector:
        """Sum over the repeating levels of pi·g·(P − Pi)^(q − 1), g the state of the head in each front."""
        queue = self.model.waiting(self.model.first_repeating_level)
        powers = {q: np.linalg.matrix_power(fading, q - 1) for q in np.unique(queue[queue > 0]).tolist()}
        there = np.array([g @ powers[q] if q > 0 else np.zeros_like(g) for g, q in zip(states, queue, strict=True)])
        one_above = np.where((queue == 0)[:, None], states, 0.0)
        first = self.law.first_repeating
        weights = np.repeat(np.concatenate([there, one_above], axis=1), len(self.form), axis=0)
        weights = weights * np.tile(self._timed, len(queue))[:, None]
        summed = stein(self.law.rate_matrix, weights, np.asarray(np.kron(np.eye(2), fading), dtype=float))
        size = self.order.states
        return np.asarray(first @ summed[:, :size] + (first @ self.law.rate_matrix) @ summed[:, size:])

    @cached_property
    def mean_waiting_time(self) -> Vector:
        """E[W_c] per class."""
        return np.asarray(self.mean_waiting / (self.arrival_rate * self.shares))


def stein(left: Vector, middle: Vector, right: Vector) -> Vector:
    """Return the sum over n >= 0 of left^n·middle·right^n, by doubling.

    Examples
    --------
    >>> stein(np.array([[0.5]]), np.array([[1.0]]), np.array([[0.5]])).round(12).tolist()
    [[1.333333333333]]
    """
    total = middle
    for _ in range(MOST_DOUBLINGS):
        more = left @ total @ right
        total = total + more
        if np.abs(more).max(initial=0.0) <= NEGLIGIBLE * max(np.abs(total).max(initial=0.0), NEGLIGIBLE):
            return total
        left, right = left @ left, right @ right
    raise NotAccurate("a sum over all levels does not end; lower the load")


def solve_dependent(system: System, model: OpenModel, arrival_rate: float, *, memory_limit: float) -> DependentOpen:
    """Solve the open system at one arrival rate; ``model`` serves all arrival rates of one system."""
    form = system.arrivals.markov_form(arrival_rate)
    assert form is not None
    law = solve_levels(model.under(form), memory_limit=memory_limit)
    solved = DependentOpen(
        system=system, arrival_rate=arrival_rate, model=model, form=form, order=system.order_chain, law=law
    )
    worst = max(solved.little_gap, solved.rate_gap)
    if not worst <= ACCURATE:
        raise NotAccurate(
            f"the mean number in service, or the number of arrivals, is off by {worst:.1e}, relatively, and "
            f"{ACCURATE:.0e} is required; simulate this system, or bring its rates closer together"
        )
    return solved
