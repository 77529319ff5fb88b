"""The laws of waiting and response times in finite-skip models whose jobs start in order of arrival.

As for FCFS (``waiting_law``): a tagged arrival sees the stationary law (PASTA) and, if jobs start in order of arrival,
is affected only by those ahead of it. Follow these with nobody arriving behind them (``markov.level_descent``). The
tagged job starts as soon as nobody ahead waits and it could start beside those in service. Where a job ahead may take
that chance away again (it may need more later), the states in which the tagged job starts are left for good: nothing
flows on from them. A response time is a wait plus an independent service time, where a model says so.

A model offers this by ``FrontModel.starts_at_once`` and ``FrontModel.service``. Where a younger job may affect an
older one (first fit, filling, sharing, set-up, preemption) the job itself is followed (``tagged_law``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.analysis.percentile_row import PERCENTILES, percentile_row
from msj.fronts.front_chain import FrontLevels
from msj.fronts.front_model import FrontModel, Service
from msj.markov.blas import blas_threads
from msj.markov.level_descent import DescentLevel, LevelDescent
from msj.markov.level_process import LevelLaw
from msj.markov.percentiles import SurvivalCurves
from msj.markov.resolvent import Resolvent
from msj.results import Quantity

Complex: TypeAlias = NDArray[np.complex128]
Vector: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
METHOD, CITATION = "QBD of the front", "Latouche & Ramaswami 1999 (QBD)"


def why_no_percentiles(model: FrontModel[Any, Any]) -> str | None:
    """Return the reason if the law of waiting times is not known for a model, else None."""
    job = next(job for job, chance in model.fresh() if chance > 0)
    if model.starts_at_once(model.empty(), job) is None:
        return "percentiles are not known for this model: a younger job may affect an older one; simulate it"
    return None


def knows_service(model: FrontModel[Any, Any]) -> bool:
    """Return whether a job is affected only by those ahead of it, and by nobody once it has started."""
    jobs = [job for job, chance in model.fresh() if chance > 0]
    return why_no_percentiles(model) is None and all(model.service(job) is not None for job in jobs)


class FrontWaitingLaw:
    """Curves of W and, where service is independent, of T: per class, and overall in the last column."""

    def __init__(self, model: FrontModel[Any, Any], levels: FrontLevels, law: LevelLaw, arrival_rate: float) -> None:
        self._model, self._levels, self._law = model, levels, law
        fresh = [(job, chance) for job, chance in model.fresh() if chance > 0]
        self._jobs = [job for job, _ in fresh]
        # Mixtures of the fresh jobs: one column per class, then all of them.
        self._mixing = np.zeros((len(fresh), len(model.class_names) + 1))
        for i, (job, chance) in enumerate(fresh):
            self._mixing[i, [model.class_of(job), -1]] = chance
        self._mixing /= np.maximum(self._mixing.sum(axis=0), np.finfo(float).tiny)
        masses = [*law.boundary, law.repeating_mass]
        per_job = sum(waits @ mass for waits, mass in zip(self._waits, masses, strict=True))
        self.waiting_probability: Vector = np.asarray(per_job @ self._mixing)
        width = max(d.widest for d in self._descents)
        scale = law.mean_level() / arrival_rate
        self.waiting = SurvivalCurves(self._waiting, self.waiting_probability, width=width, scale=scale)
        arrives = (self._mixing > 0).any(axis=0).astype(float)
        self.response = SurvivalCurves(self._response, arrives, width=width, scale=scale)

    def mean_waiting_time(self) -> Vector:
        """Return E[W], the transform of P(W > t) at 0."""
        with np.errstate(divide="ignore", invalid="ignore"):  # the empty system is never left, and counts for nobody
            return np.asarray(self._waiting(np.zeros(1, dtype=complex))[0].real)

    def _waiting(self, s: Complex) -> Complex:
        return np.asarray(self._descended(s) @ self._mixing)

    def _response(self, s: Complex) -> Complex:
        assert self.service is not None
        wait = 1.0 - s[:, None] * self._descended(s)
        return np.asarray(((1.0 - wait * self.service(s)) / s[:, None]) @ self._mixing)

    def _descended(self, s: Complex) -> Complex:
        """Transforms of P(W > t): s × fresh jobs."""
        return np.column_stack([descent.transform(s) for descent in self._descents])

    @cached_property
    def service(self) -> ServiceTimes | None:
        """The laws of service, None if they are not known."""
        started = [self._model.service(job) for job in self._jobs]
        known = [service for service in started if service is not None]
        return ServiceTimes(known) if len(known) == len(started) else None

    @cached_property
    def _waits(self) -> list[Mask]:
        """Per level, jobs × phases: whether a job that arrives then has to wait."""
        found = []
        for n, fronts in enumerate(self._levels.fronts):
            starts = [
                [n == self._model.size(front) and bool(self._model.starts_at_once(front, job)) for front in fronts]
                for job in self._jobs
            ]
            found.append(~np.array(starts, dtype=bool))
        return found

    @cached_property
    def _descents(self) -> list[LevelDescent]:
        """One descent for all jobs, or one for each where a job ahead may take a chance to start away again."""
        if not self._chances_pass():
            return [self._descent(slice(None), cut=False)]
        return [self._descent(slice(i, i + 1), cut=True) for i in range(len(self._jobs))]

    def _chances_pass(self) -> bool:
        levels, waits = self._levels, self._waits
        for n in range(levels.first_repeating_level):
            starts = (~waits[n]).astype(float)
            if ((starts @ levels.quiet[n]) * waits[n]).any():
                return True
            if n and ((starts @ levels.completions[n]) * waits[n - 1]).any():
                return True
        return False

    def _descent(self, jobs: slice, *, cut: bool) -> LevelDescent:
        model, law = self._levels, self._law
        last = model.first_repeating_level
        levels = []
        for n in range(last - 1, -1, -1):
            waits = self._waits[n][jobs]
            start, completions, local = law.boundary[n], model.completions[n + 1], model.local_without_arrivals(n)
            if cut:
                on = sparse.diags_array(waits[0].astype(float))
                start, completions = start * waits[0], (completions @ on).tocsr()
                diagonal = sparse.diags_array(local.diagonal())
                local = ((local - diagonal) @ on + diagonal).tocsr()
            counted = sparse.csr_array(waits.astype(float))
            levels.append(DescentLevel(start=start, completions=completions, local=local, counted=counted))
        return LevelDescent(
            first_repeating=law.first_repeating,
            rate_matrix=law.rate_matrix,
            repeating_local=model.local_without_arrivals(last),
            repeating_completions=model.repeating_completions,
            levels=tuple(levels),
        )


class ServiceTimes:
    """Transforms of the service times of several jobs: one absorbing chain, found by following each from its start."""

    def __init__(self, services: Sequence[Service]) -> None:
        states = list(dict.fromkeys(start for start, _ in services))
        _, steps = services[0]
        number = {state: i for i, state in enumerate(states)}
        entries = []
        for i, state in enumerate(states):  # the list grows while it is read
            for rate, after in steps(state):
                if after is not None and after not in number:
                    number[after] = len(states)
                    states.append(after)
                entries.append((i, None if after is None else number[after], rate))
        generator, self._exits = np.zeros((len(states), len(states))), np.zeros(len(states))
        for i, j, rate in entries:
            generator[i, i] -= rate
            if j is None:
                self._exits[i] += rate
            else:
                generator[i, j] += rate
        self._starts = [number[start] for start, _ in services]
        self._resolvent = Resolvent(generator.T)

    def __call__(self, s: Complex) -> Complex:
        """Return E[exp(−s·service)]: array s × jobs."""
        return np.asarray(self._resolvent(self._exits, s)[self._starts].T)


def waiting_rows(law: FrontWaitingLaw, names: Sequence[str | None], *, percentiles: bool) -> Iterator[Quantity]:
    """Rows of probability and mean of waiting and, if asked, of percentiles; ``names`` per class ("" leaves out)."""
    columns = [(len(names), None), *((i, name) for i, name in enumerate(names) if name)]
    with blas_threads(1):
        for key, values in (
            ("mean_waiting_time", law.mean_waiting_time()),
            ("waiting_probability", law.waiting_probability),
        ):
            for i, name in columns:
                yield Quantity(
                    name=key, value=float(values[i]), kind="exact", method=METHOD, citation=CITATION, job_class=name
                )
        if not percentiles:
            return
        curves = {"waiting_time_percentile": law.waiting}
        if law.service is not None:
            curves["response_time_percentile"] = law.response
        for key, curve in curves.items():
            found, errors = curve.percentiles(np.array(PERCENTILES))
            for level, row, off in zip(PERCENTILES, found, errors, strict=True):
                yield from (percentile_row(key, level, row[i], off[i], name) for i, name in columns)
