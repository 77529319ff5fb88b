"""The open MSJ FCFS system at one arrival rate, from levels by the number of waiting jobs.

The same quantities as ``open_fcfs``, read off ``markov.sparse_levels`` (theory: exact open MSJ FCFS; Little 1961,
Wolff 1982): E[N] = E[in service] + E[q]; an arrival of class i waits unless q = 0 and v_i servers are free; the queue
is i.i.d. but for its head, of which need > f is known. What is in service per class is known beforehand,
lambda·p_i·E[S_i]: how far the law is from that is ``little_gap``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from msj.analysis.per_class import PerClass
from msj.errors import NotAccurate
from msj.fronts.fcfs_waiting import WaitingModel
from msj.markov.solution import LongRun
from msj.markov.sparse_descent import SparseDescent
from msj.markov.sparse_level_solver import solve as solve_levels
from msj.markov.sparse_levels import SparseLaw
from msj.markov.uniformized import UniformizedSurvival
from msj.model import System

Vector = NDArray[np.float64]
ACCURATE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenSparse(PerClass):
    """Stationary quantities; arrays run over the system's classes."""

    model: WaitingModel
    law: SparseLaw

    @property
    def mean_jobs_in_system(self) -> float:
        """E[N]: Little's law for those in service, the levels for those who wait."""
        return float(self.arrival_rate * (self.shares @ self.mean_durations)) + self.law.mean_level()

    @property
    def error(self) -> float:
        """How far off E[N] may be, relatively; see ``markov.sparse_level_solver``."""
        return self.law.level_error / self.mean_jobs_in_system

    @cached_property
    def mean_in_service(self) -> Vector:
        """Mean number in service per class, from the law itself."""
        by_type = self.law.ground @ self.model.counts + self.law.beyond_ground @ self.model.blocked.counts
        found = np.bincount(self.model.types.class_of, by_type, minlength=len(self.system.classes))
        return np.asarray(found, dtype=np.float64)

    @property
    def little_gap(self) -> float:
        """Largest relative gap between the mean number in service and lambda·p_i·E[S_i]: a check."""
        expected = self.arrival_rate * self.shares * self.mean_durations
        return float(np.max(np.abs(self.mean_in_service - expected)) / expected.max())

    @cached_property
    def mean_waiting(self) -> Vector:
        """E[Q_i] per class."""
        free = self.model.blocked.free
        somebody = np.bincount(free, self.law.beyond_ground, minlength=self.system.servers + 1)
        numbers = np.arange(self.system.servers + 1)
        blocked = self.model.types.blocked_share(self.system.servers)
        weight = np.divide(somebody, blocked, out=np.zeros_like(somebody), where=blocked > 0)
        heads = np.array([weight[numbers < need].sum() for need in self.needs])
        return np.asarray(self.shares * (self.law.mean_level(less=1) + heads))

    @cached_property
    def mean_waiting_time(self) -> Vector:
        """E[W_i] per class."""
        return np.asarray(self.mean_waiting / (self.arrival_rate * self.shares))

    @cached_property
    def waiting_probability(self) -> Vector:
        """P(an arrival waits) per class."""
        somebody = float(self.law.beyond_ground.sum())
        nobody = np.bincount(self.model.free, self.law.ground, minlength=self.system.servers + 1)
        return np.array([nobody[:need].sum() + somebody for need in self.needs])

    def jobs_law(self, last: int) -> Vector:
        """Return P(n jobs in the system) for n = 0..last."""
        law, in_service = self.law, self.model.blocked.counts.sum(axis=1)
        found: Vector = np.zeros(last + 1)
        ground = np.bincount(self.model.counts.sum(axis=1), law.ground)[: last + 1]
        found[: len(ground)] = ground
        for jobs in np.unique(in_service).tolist():
            levels = law.levels[in_service == jobs].sum(axis=0)
            beyond = max(last - jobs - law.cut, 0)
            waiting = np.append(levels, levels[-1] * law.ratio ** np.arange(1.0, beyond + 1))
            room = found[jobs + 1 : jobs + 1 + len(waiting)]
            room += waiting[: len(room)]
        return found

    def survival(self, percent: Sequence[float]) -> tuple[UniformizedSurvival, UniformizedSurvival]:
        """Return the laws of waiting and response time, per class and overall (last), far enough for percentiles."""
        process = self.model.at(self.arrival_rate)
        laws = [c.duration.as_phase_type() for c in self.system.classes]
        place, ends = self.model.place, self.model.ends.tocsr()
        descent = SparseDescent(
            process,
            self.law,
            place,
            ends[place][:, place],
            np.asarray(ends.sum(axis=1)).ravel()[place],
            least_rate=max(float(-law.subgenerator.diagonal().min()) for law in laws if law is not None),
        )
        steps = [np.eye(len(law.alpha)) + law.subgenerator / descent.rate for law in laws if law is not None]
        fresh = [law.alpha for law in laws if law is not None]
        started = [np.zeros(len(alpha)) for alpha in fresh]
        stays: list[Vector] = []
        last = np.ones(len(laws))
        goal, after = 0.5 * (1.0 - max(percent) / 100.0), -1

        def enough(waiting: Vector) -> bool:
            nonlocal last, after
            for i, (step, alpha) in enumerate(zip(steps, fresh, strict=True)):
                started[i] = started[i] @ step + (last[i] - waiting[i]) * alpha
            last = waiting
            stays.append(waiting + np.array([phases.sum() for phases in started]))
            if after < 0 and stays[-1].max() < goal:
                after = int(12.0 * np.sqrt(len(stays))) + 60  # events that a Poisson number may be off by
            after -= after > 0
            return after == 0

        counted = (self.model.blocked.free[None, :] < self.needs[:, None]).astype(float)
        waits = descent.alive(counted, enough)
        error = self.law.residual
        curves = (np.column_stack([rows, rows @ self.shares]) for rows in (waits, np.array(stays)))
        waiting, response = (UniformizedSurvival(rate=descent.rate, alive=alive, error=error) for alive in curves)
        return waiting, response


def solve_open_sparse(
    system: System, model: WaitingModel, saturated: LongRun, arrival_rate: float, *, memory_limit: float
) -> OpenSparse:
    """Solve the open system at one arrival rate; ``model`` and ``saturated`` serve all rates of one system."""
    # As RESET has it, E[N] is about worth·load/(1 − load); a geometric tail of that mean has this ratio.
    worth = max(1.0 + saturated.relative_completions_at_departure, 0.1)
    load = arrival_rate / saturated.throughput
    ratio = worth * load / (1.0 - load + worth * load)
    typical = float(saturated.time_average @ saturated.relative_completions**2) ** 0.5
    law = solve_levels(
        model.at(arrival_rate),
        start=model.without_blocking(arrival_rate),
        anchor=saturated.anchor if saturated.anchor < len(model.place) else int(np.argmax(saturated.time_average)),
        ratio=ratio,
        throughput=saturated.throughput,
        spread=1.0 + 3.0 * typical,
        forgetting=max(float(c.duration.mean) for c in system.classes),
        scale=0.05 * float(arrival_rate * sum(float(c.share) * float(c.duration.mean) for c in system.classes)),
        memory_limit=memory_limit,
    )
    solved = OpenSparse(system=system, arrival_rate=arrival_rate, model=model, law=law)
    if not solved.little_gap <= ACCURATE:
        raise NotAccurate(
            f"the mean number in service misses Little's law by {solved.little_gap:.1e}, relatively, and "
            f"{ACCURATE:.0e} is required; simulate this system, or bring its rates closer together"
        )
    return solved
