"""Open MSJ FCFS under Markovian arrivals, jobs in any order, from levels by the number of waiting jobs.

The quantities of ``open_dependent``, read off ``markov.sparse_levels``: a state is (counts in service, state h of the
order after the last job that has started, phase of the arrivals). With its law pi and q jobs waiting:

- **an arrival** finds the law x = pi·D1/lambda: it starts at once if nobody waits and it fits, and is of class c with
  probability a_c(h), that of the job after h;
- **those who wait**: the head is what comes after h, given that it needs more than the f free servers, with state g;
  of class c are, of the q − 1 behind it, (q − 1)·p_c + g·(I − F^(q−1))·D·a_c, F = P − Pi and D the deviation matrix of
  the order (``model.orders.order_chain``). The sum over the levels beyond the last one written down is geometric.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.analysis.per_class import PerClass
from msj.analysis.reset import relative_arrivals
from msj.errors import NotAccurate
from msj.fronts.fcfs_waiting import WaitingModel
from msj.markov.solution import LongRun
from msj.markov.sparse_level_solver import solve as solve_levels
from msj.markov.sparse_levels import SparseLaw
from msj.model import System
from msj.model.arrivals import MarkovForm
from msj.model.orders import OrderChain

Vector = NDArray[np.float64]
ACCURATE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenSparseDependent(PerClass):
    """Stationary quantities; arrays run over the system's classes."""

    model: WaitingModel
    form: MarkovForm
    order: OrderChain
    law: SparseLaw

    def _states(self, vector: Vector, weights: Vector | None = None) -> Vector:
        """Add up the phases of the arrivals, weighted, of a vector over (state, phase)."""
        parts = vector.reshape(-1, len(self.form))
        return np.asarray(parts.sum(axis=1) if weights is None else parts @ weights)

    @cached_property
    def levels(self) -> Vector:
        """States × levels, whatever the arrivals do."""
        states = len(self.model.place)
        return np.asarray(self.law.levels.reshape(states, len(self.form), -1).sum(axis=1))

    @property
    def mean_jobs_in_system(self) -> float:
        """E[N]: Little's law for those in service, the levels for those who wait."""
        return float(self.arrival_rate * (self.shares @ self.mean_durations)) + self.law.mean_level()

    @property
    def error(self) -> float:
        """How far off E[N] may be, relatively; see ``markov.sparse_level_residual``."""
        return self.law.level_error / self.mean_jobs_in_system

    @cached_property
    def little_gap(self) -> float:
        """Largest relative gap between the mean number in service and lambda·p_i·E[S_i]: a check."""
        ground, beyond = self._states(self.law.ground), self._states(self.law.beyond_ground)
        by_type = ground @ self.model.counts + beyond @ self.model.blocked.counts
        found = np.bincount(self.model.types.class_of, by_type, minlength=len(self.system.classes))
        expected = self.arrival_rate * self.shares * self.mean_durations
        return float(np.max(np.abs(found - expected)) / expected.max())

    @cached_property
    def waiting_probability(self) -> Vector:
        """P(an arrival of the class waits)."""
        found = self._states(self.law.ground, self.form.rates_of_arrival / self.arrival_rate)
        fits = self.needs[None, :] <= self.model.free[:, None]
        at_once = found @ (self.order.next_class[self.model.order_state] * fits)
        return np.maximum(1.0 - at_once / self.shares, 0.0)

    @cached_property
    def mean_waiting(self) -> Vector:
        """E[Q_c] per class."""
        blocked, order = self.model.blocked, self.order
        ways = np.transpose(order.entering, (1, 0, 2))[blocked.order_state]
        ways = ways * (self.needs > blocked.free[:, None])[:, :, None]
        total = ways.sum(axis=(1, 2))
        heads = ways / np.where(total > 0, total, 1.0)[:, None, None]  # states × classes × states of the order
        beyond = self._states(self.law.beyond_ground)
        found = np.einsum("x,xck->c", beyond, heads) + self.shares * self.law.mean_level(less=1)
        if order.states == 1:
            return np.asarray(found)
        kept = order.deviation @ order.next_class
        fading = order.steps - np.tile(order.law, (order.states, 1))
        after = heads.sum(axis=1)
        fades = np.zeros(order.states)
        power = np.eye(order.states)
        for level in (self.levels.T @ after)[:-1]:
            fades += level @ power
            power = power @ fading
        last = self.levels[:, -1] @ after
        fades += last @ power @ np.linalg.inv(np.eye(order.states) - self.law.ratio * fading)
        return np.asarray(found + (beyond @ after - fades) @ kept)

    @cached_property
    def mean_waiting_time(self) -> Vector:
        """E[W_c] per class."""
        return np.asarray(self.mean_waiting / (self.arrival_rate * self.shares))

    def jobs_law(self, last: int) -> Vector:
        """Return P(n jobs in the system) for n = 0..last."""
        in_service, cut = self.model.blocked.counts.sum(axis=1), self.law.cut
        found: Vector = np.zeros(last + 1)
        ground = np.bincount(self.model.counts.sum(axis=1), self._states(self.law.ground))[: last + 1]
        found[: len(ground)] = ground
        for jobs in np.unique(in_service).tolist():
            levels = self.levels[in_service == jobs].sum(axis=0)
            waiting = np.append(levels, levels[-1] * self.law.ratio ** np.arange(1.0, max(last - jobs - cut, 0) + 1))
            room = found[jobs + 1 : jobs + 1 + len(waiting)]
            room += waiting[: len(room)]
        return found


def solve_sparse_dependent(
    system: System, model: WaitingModel, saturated: LongRun, arrival_rate: float, *, memory_limit: float
) -> OpenSparseDependent:
    """Solve the open system at one arrival rate; ``model`` and ``saturated`` serve all rates of one system."""
    form = system.arrivals.markov_form(arrival_rate)
    assert form is not None
    order, load = system.order_chain, arrival_rate / saturated.throughput
    ahead = relative_arrivals(system)[0]
    worth = max(1.0 + saturated.relative_completions_at_departure + (ahead if np.isfinite(ahead) else 0.0), 0.1)
    typical = float(saturated.time_average @ saturated.relative_completions**2) ** 0.5
    start = model.without_blocking(arrival_rate) * order.law[model.order_state]
    often = saturated.anchor if saturated.anchor < len(model.place) else int(np.argmax(saturated.time_average))
    law = solve_levels(
        model.under(form),
        start=np.outer(start, form.law).ravel(),
        anchor=often * len(form) + int(np.argmax(form.law)),
        ratio=worth * load / (1.0 - load + worth * load),
        throughput=saturated.throughput,
        spread=1.0 + 3.0 * typical + float(np.abs(form.relative_arrivals).max()),
        forgetting=max(
            form.relaxation_time,
            order.memory / arrival_rate,
            *(float(c.duration.mean) for c in system.classes),
        ),
        scale=0.05 * float(arrival_rate * sum(float(c.share) * float(c.duration.mean) for c in system.classes)),
        memory_limit=memory_limit,
    )
    solved = OpenSparseDependent(system=system, arrival_rate=arrival_rate, model=model, form=form, order=order, law=law)
    if not solved.little_gap <= ACCURATE:
        raise NotAccurate(
            f"the mean number in service misses Little's law by {solved.little_gap:.1e}, relatively, and "
            f"{ACCURATE:.0e} is required; simulate this system, or bring its rates closer together"
        )
    return solved
