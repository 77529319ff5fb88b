"""The laws of waiting and response times in open MSJ FCFS whose arrivals or jobs depend on each other.

An arrival finds the law x of ``open_dependent`` and is affected only by those ahead of it. So follow these, with
nobody arriving behind them. Once nobody ahead waits, the state h after the last of them tells who the followed job
is: of class c with probability a_c(h), and it has started if it fits, which stays true. Those ahead are watched at
the events of one Poisson process (``markov.uniformized``): s_k, the probability to have started by the k-th event,
gives P(W > t), and a job that started at an event goes through the phases of its duration at the later ones. All
terms are positive; levels that an arrival finds with a probability below 1e-13 are left out, which is part of the
error.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.analysis.open_dependent import DependentOpen
from msj.errors import NotAccurate
from msj.markov.marked_chain import Sparse
from msj.markov.uniformized import UniformizedSurvival
from msj.model.durations import PhaseType

Vector = NDArray[np.float64]
LEFT_OUT = 1e-13  # mass of the levels beyond the last that is followed
MOST_LEVELS = 200_000
MOST_EVENTS = 5_000_000
UNTIL = 1e-7  # probability not to have started, or left, at which the last event is


class DependentLaw:
    """Curves of W and of T, per class and overall (last column)."""

    def __init__(self, solved: DependentOpen) -> None:
        self._solved = solved
        self._laws = [_phases(c.duration.as_phase_type()) for c in solved.system.classes]
        self._start, self._error = self._found()
        local = -min(float(self._steps.diagonal().min()), *(float(law.subgenerator.min()) for law in self._laws))
        self._clock = local

    def _found(self) -> tuple[list[Vector], float]:
        """Return what an arrival finds, level by level, and the mass of the levels that are left out."""
        law, found = self._solved.law, [self._solved.found(vector) for vector in self._solved.law.boundary]
        beyond = self._solved.found(law.repeating_mass).sum()
        vector = law.first_repeating
        while beyond > LEFT_OUT and len(found) < MOST_LEVELS:
            found.append(self._solved.found(vector))
            vector = vector @ law.rate_matrix
            beyond -= found[-1].sum()
        if beyond > 1e-9:
            raise NotAccurate(f"more than {MOST_LEVELS:,} levels would have to be followed; lower the load")
        return found, max(float(beyond), LEFT_OUT)

    @cached_property
    def _steps(self) -> Sparse:
        """Rates among all levels that are followed, nobody arriving."""
        model = self._solved.model
        last = model.first_repeating_level
        sizes = [len(level) for level in self._start]
        places = np.concatenate([[0], np.cumsum(sizes)])
        rows, columns, values = [], [], []
        for n in range(len(sizes)):
            down = None if n == 0 else model.completions[n] if n <= last else model.repeating_completions
            local = model.local_without_arrivals(min(n, last))
            for block, before in ((local, n), (down, n - 1)):
                if block is not None:
                    entries = sparse.coo_array(block)
                    rows.append(entries.row + places[n])
                    columns.append(entries.col + places[before])
                    values.append(entries.data)
        shape = (int(places[-1]), int(places[-1]))
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.csr_array(sparse.coo_array(entries, shape=shape))

    @cached_property
    def _started(self) -> Vector:
        """States × classes: whether the followed job has started, times the probability of its class over its share."""
        parts = []
        for n, level in enumerate(self._start):
            known = n <= self._solved.model.first_repeating_level
            parts.append(self._solved.starts(n) if known else np.zeros((len(level), len(self._solved.shares))))
        return np.concatenate(parts) / self._solved.shares

    @cached_property
    def _curves(self) -> tuple[UniformizedSurvival, UniformizedSurvival]:
        """W and T, event by event."""
        classes = len(self._solved.shares)
        backwards = sparse.csr_array((self._steps / self._clock).T)
        moves = [np.eye(len(law.alpha)) + law.subgenerator / self._clock for law in self._laws]
        serving = [np.zeros(len(law.alpha)) for law in self._laws]
        vector = np.concatenate(self._start)
        before = np.zeros(classes)
        waiting, response = [], []
        for _ in range(MOST_EVENTS):
            started = np.minimum(vector @ self._started, 1.0)
            for c, (law, move) in enumerate(zip(self._laws, moves, strict=True)):
                serving[c] = serving[c] @ move + max(started[c] - before[c], 0.0) * law.alpha
            before = started
            waiting.append(1.0 - started)
            response.append(1.0 - started + [mass.sum() for mass in serving])
            if response[-1].max() <= UNTIL + 2.0 * self._error:
                break
            vector = vector + backwards @ vector
        else:
            raise NotAccurate(f"the job that is followed is not done after {MOST_EVENTS:,} events; lower the load")
        return self._curve(np.array(waiting)), self._curve(np.array(response))

    def _curve(self, alive: Vector) -> UniformizedSurvival:
        alive = np.column_stack([alive, alive @ self._solved.shares])
        return UniformizedSurvival(rate=self._clock, alive=alive, error=self._error)

    @property
    def waiting(self) -> UniformizedSurvival:
        """P(W > t)."""
        return self._curves[0]

    @property
    def response(self) -> UniformizedSurvival:
        """P(T > t)."""
        return self._curves[1]


def operations(sizes: tuple[int, ...], clock: float, stay: float, rate: float) -> float:
    """Return about what following a job costs: states that are followed × events, for a mean stay at a rate."""
    levels = len(sizes) - math.log(LEFT_OUT) * (rate * stay + 1.0)
    events = -math.log(UNTIL) * clock * stay + 50.0
    return 60.0 * (levels * max(sizes) + 2000.0) * events


def _phases(law: PhaseType | None) -> PhaseType:
    assert law is not None
    return law
