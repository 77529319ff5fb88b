"""Exact answers about a policy or model from outside msj are compared with a simulation of the same system.

A chain is built from what a policy declares (how far it looks, whether it preempts) and from its decision function.
What no rule can check is left to this comparison: the exact mean response times, of all jobs and of each class, at half
the stability threshold, against a run of a second or so; and the threshold against the saturated system, simulated,
where differences are largest. Poisson arrivals and independent jobs are used whatever the system has: decisions depend
on neither.

The two agree if the exact value lies within :data:`WIDER` times the half-width of the simulated 95 % interval. Those
rest on at least 19 degrees of freedom: a Student variable with so many exceeds 5 · 2.09 with probability 3e-9. So one
of ten right values lies outside with a probability far below 1e-6, which leaves room for skewed estimates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from msj.analysis.base import ResponseAnalysis, SaturatedAnalysis, without_load
from msj.analysis.wcfs_verdict import explain
from msj.answers.applicable import supporting
from msj.disciplines.model import model_of, policy_of
from msj.errors import BadFunction, NotAccurate, NotSupported, TooLarge
from msj.fronts.front_of import refuse_front
from msj.model import System
from msj.results import Outcome, Quantity
from msj.simulation import Known, simulate_at_rate
from msj.simulation.saturated_window import one_window

WIDER = 5.0
LOAD = 0.5  # share of the threshold at which response times are compared
JOBS = (500_000, 4_000_000)  # compiled functions: a fraction of a second, or more where that gives no interval
PLAIN_JOBS = (30_000, 120_000)  # functions that run as plain Python: one second or two
SEED = 20_261_118
MAX_OPERATIONS = 5e9  # of an exact solution made only to compare it
MIN_WINDOW = 32  # waiting jobs of the saturated system
JOBS_PER_WINDOW = 500  # of a run, at least, for each waiting job


class Disagreement(BadFunction):
    """An exact answer about code from outside that a simulation of the same code contradicts."""


def from_outside(system: System) -> bool:
    """Return whether the policy or the model of a system was written outside msj."""
    model = model_of(system)
    parts = () if model is None else model.parts
    outside = any(type(part).__module__.partition(".")[0] != "msj" for part in parts)
    return outside or policy_of(system).from_outside


def require_agreement(system: System) -> None:
    """Raise :class:`Disagreement` if exact answers about a system from outside contradict a simulation of it.

    Nothing is done for systems of msj's own; others are compared once in a process.
    """
    if not from_outside(system):
        return
    reason = _disagreement(_with_poisson_arrivals(system))
    if reason is not None:
        raise Disagreement(reason)


def require_threshold(system: System, threshold: float) -> None:
    """Raise :class:`Disagreement` if an exact threshold about a system from outside contradicts its simulation.

    For chains that are too large to be solved only for a comparison; they are compared once they are solved.
    """
    if from_outside(system):
        reason = _threshold_disagreement(_with_poisson_arrivals(system), threshold)
        if reason is not None:
            raise Disagreement(reason)


def _with_poisson_arrivals(system: System) -> System:
    return without_load(system).replace(arrivals="poisson", order="independent")


@lru_cache(maxsize=256)
def _disagreement(system: System) -> str | None:
    threshold = _exact_threshold(system)
    if threshold is None:
        return None
    exact = _exact_means(system, LOAD * threshold)
    for jobs in _run_lengths(system) if exact else ():
        try:
            run = simulate_at_rate(
                system.replace(arrival_rate=LOAD * threshold),
                root=np.random.SeedSequence(SEED),
                known=Known(stability_threshold=threshold),
                jobs=jobs,
                controls=False,
            )
        except NotSupported:  # a model that has no simulation cannot be compared
            return None
        if run.outcome is Outcome.UNSTABLE:
            return _sentence(system, exact[0], "a queue that grows without bound", threshold)
        pairs = [(row, found) for row in exact if (found := _same(run, row)) is not None]
        apart = [(row, found) for row, found in pairs if not _agrees(row.value, found)]
        if apart:
            return _sentence(system, *apart[0], threshold)
        if pairs:
            break
    return _threshold_disagreement(system, threshold)


def _exact_threshold(system: System) -> float | None:
    """Return the threshold that would be called exact; None if there is none, or only at a high cost."""
    able = supporting(SaturatedAnalysis, system)
    try:
        able.sort(key=lambda a: (not a.closed_form, a.cost(system).operations))
        if able and able[0].cost(system).operations <= MAX_OPERATIONS:
            return able[0].saturate(system).stability_threshold
    except NotSupported as error:  # found only while the chain was built
        refuse_front(system, error.message)
    except (TooLarge, NotAccurate):
        pass
    if able:
        return None
    return system.naive_threshold if system.model is None and explain(system).is_wcfs else None


def _exact_means(system: System, rate: float) -> list[Quantity]:
    """Return the exact mean response times; none where there are none, or only at a high cost."""
    able = sorted(supporting(ResponseAnalysis, system), key=lambda a: a.cost(system).operations)
    if not able or able[0].cost(system).operations > MAX_OPERATIONS:
        return []
    try:
        found = able[0].at_rate(system.replace(arrival_rate=rate), rate, percentiles=False)
    except (NotSupported, TooLarge, NotAccurate):
        return []
    return [row for row in found.rows if row.name == "mean_response_time"]


def _run_lengths(system: System) -> tuple[int, ...]:
    policy = policy_of(system)
    try:
        policy.compiled("simulated")
    except Exception:  # it runs as plain Python
        return PLAIN_JOBS
    return JOBS


def _same(run: Any, row: Quantity) -> Quantity | None:
    """Return the simulated row that an exact one is compared with; None without an interval."""
    found = (each for each in run if (each.name, each.job_class) == (row.name, row.job_class))
    return next((each for each in found if each.low is not None and each.high is not None), None)


def _agrees(exact: float, found: Quantity) -> bool:
    assert found.low is not None
    assert found.high is not None
    low, high = found.value - WIDER * (found.value - found.low), found.value + WIDER * (found.high - found.value)
    return low - 1e-9 * abs(exact) <= exact <= high + 1e-9 * abs(exact)


@lru_cache(maxsize=256)
def _threshold_disagreement(system: System, threshold: float) -> str | None:
    """Compare the threshold with the completion rate of the saturated system, simulated."""
    front = policy_of(system).front_on(system.servers)
    try:
        jobs = _run_lengths(system)[0]
        root = np.random.SeedSequence(SEED)
        # Beyond a limited front, more waiting jobs change nothing, and the window is filled less often.
        oldest = MIN_WINDOW if front is None else max(front, MIN_WINDOW, jobs // JOBS_PER_WINDOW)
        window = one_window(system, oldest, jobs=jobs, root=root)
    except NotSupported:
        return None
    assert window is not None  # nothing stops it
    wide = WIDER * max(window.high - window.threshold, window.threshold - window.low, 1e-9 * threshold)
    # Without a limit on how far it looks, the window may hide jobs that the policy would serve: it completes no more.
    if threshold - window.threshold <= wide and (front is None or window.threshold - threshold <= wide):
        return None
    return (
        f"policy function '{system.policy.name}' contradicts itself: its exact stability threshold is "
        f"{threshold:.6g}, and its simulated one {window.threshold:.6g} (between {window.threshold - wide:.6g} and "
        f"{window.threshold + wide:.6g}); {FIX}"
    )


FIX = (
    "what it declares is not what its function does: correct front, preemptive or the other traits, or leave front "
    "out, then it is simulated only"
)


def _sentence(system: System, exact: Quantity, found: Quantity | str, threshold: float) -> str:
    whose = "" if exact.job_class is None else f" of class '{exact.job_class}'"
    if isinstance(found, str):
        seen = found
    else:
        assert found.low is not None
        assert found.high is not None
        seen = (
            f"{found.value:.6g} (between {found.value - WIDER * (found.value - found.low):.6g} and "
            f"{found.value + WIDER * (found.high - found.value):.6g})"
        )
    return (
        f"policy function '{system.policy.name}' contradicts itself: at arrival rate {LOAD * threshold:.6g} its exact "
        f"mean response time{whose} is {exact.value:.6g}, and its simulated one {seen}; {FIX}"
    )
