"""Who comes next, by type: the order of jobs (``model.orders``) with the phase in which each job begins.

``entering[j][h, h']`` is the probability that from state h of the order the next job is of type j and leads to state
h'. Independent jobs have one state, and entering[j] is the probability of a fresh job to be of type j. While the head
of the line is blocked, its class is not looked at: all that is known is the state h after the last job that has
started and that the next one needs more than the f servers that are free. Its probability is ``blocked[h, f]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from msj.fronts.job_types import JobTypes
from msj.model import System
from msj.model.assumptions import why_not_independent

Vector = NDArray[np.float64]


class Entry(NamedTuple):
    """One way in which the next job may come: from a state of the order, of a type, to a state."""

    before: int
    job_type: int
    after: int
    chance: float


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderedTypes:
    """The order of a system's jobs, by type."""

    entries: tuple[Entry, ...]
    blocked: Vector  # states × free servers
    states: int
    law: Vector  # of the states

    def from_state(self, state: int) -> list[Entry]:
        """Return the ways in which a job may come after a state."""
        return [entry for entry in self.entries if entry.before == state]


def ordered_types(system: System, types: JobTypes, most_free: int) -> OrderedTypes:
    """Return the order of a system's jobs; ``blocked`` runs up to ``most_free`` free servers."""
    if why_not_independent(system) is None:
        entering, law = types.fresh[:, None, None], np.ones(1)
    else:
        active = [i for i, c in enumerate(system.classes) if c.share > 0]
        place = {index: number for number, index in enumerate(active)}
        chain = system.only_active.order_chain
        of_class = np.array([place[index] for index in types.class_of.tolist()])
        within = types.fresh / np.bincount(of_class, weights=types.fresh)[of_class]  # which phase, given the class
        entering, law = within[:, None, None] * chain.entering[of_class], chain.law
    entries = [Entry(int(h), int(j), int(k), float(entering[j, h, k])) for j, h, k in np.argwhere(entering > 0)]
    return OrderedTypes(
        entries=tuple(entries),
        blocked=_blocked(entering.sum(axis=2), types.needs, most_free),
        states=entering.shape[1],
        law=law,
    )


def _blocked(chances: Vector, needs: NDArray[np.int64], most_free: int) -> Vector:
    """P(the next job needs more than f), by state; summed from above, so that it is exactly 0 where all of them fit."""
    share = np.zeros((chances.shape[1], most_free + 1))
    below = 0
    for need in np.unique(needs).tolist():
        share[:, below:need] = chances[needs >= need].sum(axis=0)[:, None]
        below = need
    return share
