"""A cluster from a log: classes, a law for the run times of each, arrivals, order; and the same with independent jobs.

The dependent cluster has the arrivals and the order that the log shows; the independent one the same classes and run
times with Poisson arrivals in no order. Both have the log's mean rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.fitting.arrivals import FittedArrivals, fit_arrivals
from msj.fitting.classes import LEAST, Classes, classes_of
from msj.fitting.durations import FittedDuration, check_law, fit_duration
from msj.fitting.order import FittedOrder, fit_order
from msj.logs.trace import Trace
from msj.model import JobClass, System
from msj.options import FitOptions

LEAST_JOBS = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """What was found in a log, part by part, and the clusters that come of it."""

    trace: Trace
    servers: int
    classes: Classes
    durations: tuple[FittedDuration, ...]
    arrivals: FittedArrivals
    order: FittedOrder
    policy: Any

    @cached_property
    def system(self) -> System:
        """The cluster with the arrivals and the order of the log."""
        return System(
            name=self.trace.source or "fitted",
            time_unit="seconds",
            servers=self.servers,
            policy=self.policy,
            arrival_rate=float(f"{self.arrivals.rate:.6g}"),
            arrivals=self.arrivals.arrivals,
            order=self.order.order,
            classes=self._classes(counted=self.order.order.shares(len(self.classes)) is None),
        )

    @cached_property
    def independent(self) -> System:
        """The same with Poisson arrivals and independent jobs."""
        return self.system.replace(arrivals="poisson", order="independent", classes=self._classes(counted=True))

    def _classes(self, counted: bool) -> tuple[JobClass, ...]:
        counts = self.classes.counts()
        return tuple(
            JobClass(name=name, need=need, duration=law.duration, count=int(count) if counted else None)
            for name, need, law, count in zip(
                self.classes.names, self.classes.needs, self.durations, counts, strict=True
            )
        )


def fitted(trace: Trace, options: FitOptions, servers: int) -> Fitted:
    """Fit a cluster of so many servers to the jobs of a trace."""
    check_law(options.durations)
    trace = trace.where(lambda jobs: jobs.need <= servers) if (trace.column("need") > servers).any() else trace
    submit, run = trace.column("submit"), trace.column("run").astype(np.float64)
    if len(trace) < LEAST_JOBS or not submit[-1] > submit[0]:
        raise InvalidInput(
            f"the log has too few jobs to fit anything to, {len(trace):,} that fit on {servers:,} servers; "
            f"give a log of at least {LEAST_JOBS}, not all submitted at once"
        )
    by = options.by if options.by is not None else "class" if "class" in trace.frame else None
    if by is not None and by != "need" and by not in trace.frame:
        raise InvalidInput(f"by '{by}': the log has no such column; it has {', '.join(trace.frame.columns)}")
    classes = classes_of(trace, by=by, most=options.classes, least=min(LEAST, max(len(trace) // 20, 1)))
    laws = tuple(
        fit_duration(run[classes.of_job == i], options.durations, phases=options.phases) for i in range(len(classes))
    )
    order = fit_order(classes.of_job, len(classes), options.order)
    work = trace.column("need") * run
    arrivals = fit_arrivals(
        submit,
        work,
        begins=trace.begins,
        order_excess=order_excess(classes, order, work),
        law=options.arrivals,
    )
    return Fitted(
        trace=trace,
        servers=servers,
        classes=classes,
        durations=laws,
        arrivals=arrivals,
        order=order,
        policy=options.policy,
    )


def order_excess(classes: Classes, order: FittedOrder, work: NDArray[np.float64]) -> float:
    """Return what the order adds to the dispersion of work in long windows: 2·sum over l >= 1 of Cov(w_0, w_l)/m²."""
    counts = classes.counts()
    means = np.bincount(classes.of_job, weights=work, minlength=len(classes)) / counts
    chain = order.order.chain([float(count) / len(work) for count in counts])
    return chain.covariances(means) / float(work.mean()) ** 2
