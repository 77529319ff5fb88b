"""A cluster and the same cluster changed, on the same jobs: what a change brings, with a paired interval.

Arrivals, classes and durations come from streams of their own, so the changed cluster gets the jobs of the original:
the very same if only servers are added, cut or stretched if needs are capped, mostly the same classes if the mix is
shifted. What differs by chance cancels in the difference, which is known far better than either mean
(``simulation.compare``). Mean durations are known: where response is waiting plus duration, only waiting is measured.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from msj.analysis.base import mean_time_alone
from msj.answers.threshold import exceeded
from msj.effort import Effort
from msj.model import System
from msj.results import Outcome, Quantity, Result
from msj.simulation import Known
from msj.simulation.compare import Served, differences
from msj.simulation.question import Question
from msj.simulation.simulate import overloaded, result_of, warn_of_compiling
from msj.workloads import seed_record


@dataclass(kw_only=True)
class SameJobs:
    """The jobs of one cluster, served by it and by changed ones.

    Parameters
    ----------
    system
        The cluster as it is, with an ``arrival_rate``.
    root
        Seed of the jobs.
    jobs
        How many.
    threshold
        Its stability threshold, where that is known.
    """

    system: System
    root: np.random.SeedSequence
    jobs: int
    threshold: float | None = None
    _own: Served | None = field(default=None, init=False)

    def own(self, effort: Effort) -> Result:
        """Return what the cluster makes of the jobs as it is; simulated once."""
        if self._own is None:
            served = self._serve(self.system, self.threshold, effort)
            if isinstance(served, Result):
                return served
            self._own = served
        return self._own.result

    def beside(self, other: System, effort: Effort, threshold: float | None = None) -> tuple[Result, Quantity | None]:
        """Return what a changed cluster makes of them, and by how much the mean response time differs."""
        self.own(effort)
        served = self._serve(other, threshold, effort)
        if isinstance(served, Result) or self._own is None:
            return served if isinstance(served, Result) else served.result, None
        found = {row.name: row for row in differences(self._own, served)}
        before, after = mean_time_alone(self.system), mean_time_alone(other)
        if before is None or after is None:
            return served.result, found.get("mean_response_time_difference")
        waits = found.get("mean_waiting_time_difference")
        return served.result, None if waits is None else _shifted(waits, after - before)

    def _serve(self, system: System, threshold: float | None, effort: Effort) -> Served | Result:
        known = Known(stability_threshold=exceeded(system) if threshold is None else threshold)
        question = Question.of(system, root=self.root, known=known, jobs=self.jobs)
        if known.forbids(question.rate):
            return overloaded(question)
        started = time.perf_counter()
        # Every cluster gets the layout of the original: only jobs that all of them counted can be compared.
        plan = question.plan() if self._own is None else self._own.run.plan
        run = question.new_run(plan)
        warn_of_compiling(run, effort)
        outcome = run.advance(effort=effort)
        if outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        seconds = time.perf_counter() - started
        return Served(question, run, result_of(question, run, outcome, seconds, seed=seed_record(self.root)))


def _shifted(row: Quantity, by: float) -> Quantity:
    """Return the difference of waiting times as that of response times."""
    low, high = (None if end is None else end + by for end in (row.low, row.high))
    return row.replace(name="mean_response_time_difference", value=row.value + by, low=low, high=high)
