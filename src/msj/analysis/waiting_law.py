"""The laws of waiting and response times in open MSJ FCFS.

A tagged arrival sees the stationary law (PASTA) and is affected only by jobs ahead of it. So follow the jobs ahead,
with nobody arriving behind them (``markov.level_descent``). The tagged job, of need v, has started once nobody ahead
waits and v servers are free, and that stays true: P(W > t) is the mass of the other states at time t, for every need at
once. A response time is a wait plus an independent duration.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.analysis.open_fcfs import OpenSystem
from msj.markov.level_descent import DescentLevel, LevelDescent
from msj.markov.percentiles import SurvivalCurves
from msj.model import JobClass

Complex: TypeAlias = NDArray[np.complex128]


class WaitingLaw:
    """Curves of W and of T, per class and overall (last column)."""

    def __init__(self, solved: OpenSystem) -> None:
        self._solved = solved
        self._shares = solved.shares
        probability = solved.waiting_probability
        at_zero = np.append(probability, self._shares @ probability)
        scale = solved.mean_jobs_in_system / solved.arrival_rate
        width = self._descent.widest
        self.waiting = SurvivalCurves(self._waiting, at_zero, width=width, scale=scale)
        self.response = SurvivalCurves(self._response, np.ones_like(at_zero), width=width, scale=scale)

    def _waiting(self, s: Complex) -> Complex:
        return self._with_overall(self._descent.transform(s))

    def _response(self, s: Complex) -> Complex:
        wait = 1.0 - s[:, None] * self._descent.transform(s)
        duration = np.stack([duration_transform(c, s) for c in self._solved.system.classes], axis=1)
        return self._with_overall((1.0 - wait * duration) / s[:, None])

    def _with_overall(self, per_class: Complex) -> Complex:
        return np.column_stack([per_class, per_class @ self._shares])

    @cached_property
    def _descent(self) -> LevelDescent:
        model, law = self._solved.model, self._solved.law
        last = model.first_repeating_level
        levels = []
        for n in range(last - 1, -1, -1):
            free, queue = model.free_servers[n], model.waiting(n)
            waits = (queue > 0)[None, :] | (free[None, :] < self._solved.needs[:, None])
            levels.append(
                DescentLevel(
                    start=law.boundary[n],
                    completions=model.completions[n + 1],
                    local=model.local_without_arrivals(n),
                    counted=sparse.csr_array(waits.astype(float)),
                )
            )
        return LevelDescent(
            first_repeating=law.first_repeating,
            rate_matrix=law.rate_matrix,
            repeating_local=model.local_without_arrivals(last),
            repeating_completions=model.repeating_completions,
            levels=tuple(levels),
        )


def duration_transform(job_class: JobClass, s: Complex) -> Complex:
    """Return E[exp(−s·duration)] = alpha·(sI − T)^(−1)·t."""
    law = job_class.duration.as_phase_type()
    assert law is not None
    systems = s[:, None, None] * np.eye(len(law.alpha)) - law.subgenerator
    exits = law.exit_rates[None, :, None].astype(complex)
    return np.asarray(np.linalg.solve(systems, exits)[:, :, 0] @ law.alpha)
