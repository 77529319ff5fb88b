"""Capacity that changes by itself, whatever jobs there are: an environment, or a policy that goes by a clock."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.model.environments.base import Component

EXPONENTIAL = 6.0  # E[t⁴]/E[t²]² of an exponential law; of those that do not say, too
ALL_BUT = 0.05  # of what a process does to the queue may come from states rarer than those that are counted


@dataclass(frozen=True, kw_only=True)
class CapacityProcess:
    """The work done in a unit of time, by state of a semi-Markov process.

    Parameters
    ----------
    component
        The process.
    capacity
        In each state, the work that servers could do in a unit of time.
    needs
        Whose jobs it is for; None for all.

    Examples
    --------
    >>> from msj import Exponential
    >>> turns = Component(sojourn=(Exponential(mean=9), Exponential(mean=1)), jump=((0.0, 1.0), (1.0, 0.0)),
    ...                   taken=((0,), (4,)), speed=(1.0, 1.0), hits="any")
    >>> outages = CapacityProcess(component=turns, capacity=(4.0, 0.0))
    >>> round(outages.mean, 6), round(outages.relaxation_time, 6), outages.rarest
    (3.6, 0.9, Rarest(rate=0.1, unequal=6.0))
    """

    component: Component
    capacity: tuple[float, ...]
    needs: frozenset[int] | None = None

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        return np.array(self.capacity)

    @cached_property
    def mean(self) -> float:
        """The mean capacity."""
        return float(self._values @ self.component.time_in_states)

    @cached_property
    def asymptotic_variance(self) -> float:
        """The variance of the work that could be done, per unit of time, in the long run."""
        return self.component.asymptotic_variance(self._values)

    @property
    def relaxation_time(self) -> float:
        """The time over which the capacity forgets its past: what its correlations add up to."""
        variance = float((self._values - self.mean) ** 2 @ self.component.time_in_states)
        return self.asymptotic_variance / (2.0 * variance) if variance > 0 else 0.0

    @cached_property
    def rarest(self) -> Rarest | None:
        """The rarest state that a queue depends on; None if it depends on none.

        A state in which the capacity is d below its mean for a time t builds up a queue of d·t, for about as long: the
        states count by visits × d²·E[t²], the most frequent first, up to all but a twentieth.
        """
        visits = self.component.visits
        deficit = np.maximum(self.mean - self._values, 0.0)
        squares = np.array([law.second_moment for law in self.component.sojourn])
        effect = visits * np.where(deficit > 0, deficit**2 * squares, 0.0)
        if not effect.sum() > 0:
            return None
        order = np.argsort(-visits, kind="stable")
        enough = np.searchsorted(np.cumsum(effect[order]), (1.0 - ALL_BUT) * effect.sum())
        state = int(order[min(int(enough), len(order) - 1)])
        fourth = self.component.sojourn[state].moment(4)
        return Rarest(
            rate=float(visits[state]),
            unequal=EXPONENTIAL if math.isnan(fourth) else fourth / float(squares[state]) ** 2,
        )


@dataclass(frozen=True, kw_only=True)
class Rarest:
    """The rarest state that counts: how often it is entered, and E[t⁴]/E[t²]² of the time t it lasts."""

    rate: float
    unequal: float
