"""Bounds on the probability that a job waits, of a described cluster (``closed_forms.queueing_bounds``)."""

from __future__ import annotations

import math

from msj.analysis.base import why_not_fcfs
from msj.analysis.queueing_terms import MOST_SERVERS, queueing_bounds_at
from msj.answers.simulate import with_arrival_rate
from msj.closed_forms.queueing_bounds import QueueingBounds
from msj.errors import InvalidInput, NotSupported, TooLarge, Unstable
from msj.model import System
from msj.model.assumptions import why_not_plain


def queueing_bounds(system: System) -> QueueingBounds:
    """Return the bounds on the probability that an arrival waits.

    Parameters
    ----------
    system
        A cluster under FCFS, with a load. The paper's upper bounds need exponential durations and a utilisation below
        1 − m_max/n, else they are None and ``why_no_bound`` says why; the sharpest holds for any durations.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=10_000, utilisation=0.8, classes=[
    ...     msj.JobClass(name="small", need=1, share=0.9, duration=msj.Exponential(mean=1)),
    ...     msj.JobClass(name="large", need=16, share=0.1, duration=msj.Exponential(mean=2))])
    >>> round(queueing_bounds(system).sharper_bound, 4)
    0.0716
    """
    reason = why_not_fcfs(system) or why_not_plain(system)
    if reason is not None:
        raise NotSupported(f"the bounds on the queueing probability do not apply: {reason}")
    if system.servers > MOST_SERVERS:
        raise TooLarge(f"servers = {system.servers} is above {MOST_SERVERS:,}; take fewer")
    rate, _ = offered(system)
    return queueing_bounds_at(system, rate)


def offered(system: System) -> tuple[float, float]:
    """Return arrival rate and utilisation; a cluster that is asked for more than it has is refused."""
    rate = with_arrival_rate(system).arrival_rate_at(math.nan)
    if rate is None:
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    rho = rate / system.naive_threshold
    if rho >= 1.0:
        raise Unstable(
            f"utilisation {rho:.10g} is not below 1: more work arrives than {system.servers} servers can do under any "
            "policy, and the queue grows without bound; lower the load or raise servers"
        )
    return rate, rho
