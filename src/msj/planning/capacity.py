"""How much load a cluster takes, and where the servers go that it loses.

The stability threshold lambda* comes from whatever applies, surest first:

1. an exact analysis (closed form or chain);
2. work conservation: a WCFS system is stable for every rho < 1, so lambda* is the naive threshold (wcfs, section 2);
3. FCFS that cannot be solved: the saturated line, simulated (``saturated_line``), with a 95 % interval;
4. any other policy: bisection over rates, asking a simulation whether the queue keeps growing. Its interval runs from
   a rate at which the queue settled (the mean response time is known to within 15 %) to one at which it kept growing;
   in between, runs of this length cannot tell. That is evidence, not a confidence interval, and the method says so.

Under FCFS a server stands idle although jobs wait only because the job at the head of the line needs more than are
free. So the loss splits by the class of that job. Given f free servers, the head is any job that needs more than f:
class c with probability p_c·1[v_c > f]/P(V > f) (twoclass, section 4; ``fronts.fcfs_counts``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from msj.analysis import saturate
from msj.analysis.saturated import WORTH_THE_WAIT
from msj.analysis.wcfs_bounds import explain
from msj.answers import simulate
from msj.disciplines import Policy
from msj.disciplines.fcfs import Fcfs, is_fcfs
from msj.errors import MsjError, NotAccurate, NotSupported, TooLarge
from msj.fronts.fcfs_counts import number_of_states
from msj.model import System
from msj.planning.effort import analyse_quickly, enough_jobs
from msj.results import Outcome, Quantity, Watch
from msj.simulation.saturated_line import SaturatedLine, saturated_line
from msj.workloads import Rng

UNANSWERED = (NotSupported, TooLarge, NotAccurate)
BISECTIONS = 6
MOST_JOBS = 5_000_000  # of a saturated line: some seconds
SETTLED = 0.15  # relative half-width of a mean response time that is no longer drifting


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """What the saturated system tells; ``blocked_servers`` is the loss by class of the head of the line."""

    stability_threshold: Quantity
    naive_threshold: Quantity
    wasted_servers: Quantity
    saturated_utilisation: Quantity
    blocked_servers: tuple[Quantity, ...] = ()
    relative_completions: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def bracketed(self) -> bool:
        """Whether the threshold is known only to lie between a rate that settles and one that does not."""
        return self.stability_threshold.bracket

    @property
    def lost_share(self) -> float:
        """Share of the servers that no load can use."""
        return max(1.0 - self.saturated_utilisation.value, 0.0)


def find_capacity(
    system: System,
    *,
    jobs: int = 400_000,
    rng: Rng = None,
    watch: Watch | None = None,
    stop: Callable[[], bool] | None = None,
    blame: bool = True,
) -> Capacity:
    """Return the stability threshold and the waste, exactly where possible, else simulated.

    Parameters
    ----------
    system
        The cluster; its load does not matter.
    jobs, rng, watch
        For what has to be simulated: jobs in each simulation, seed, and who is told how it goes.
    stop
        Asked between simulations whether the bracket of a bisection, so far, will do.
    blame
        Whether to say which class the servers are lost to.

    Examples
    --------
    >>> import msj
    >>> found = find_capacity(msj.read("examples/two_servers.toml"))
    >>> round(found.stability_threshold.value, 12), found.stability_threshold.kind
    (0.9, 'exact')
    >>> [(row.job_class, round(row.value, 12)) for row in found.blocked_servers]
    [('small', 0.0), ('large', 0.2)]
    """
    system = system.replace(arrival_rate=None, load=None, utilisation=None)
    try:
        result = analyse_quickly(system)
    except UNANSWERED as error:
        return _without_analysis(system, str(error), jobs, rng, watch, stop)
    rows = {row.name: row for row in result}
    delta = rows.get("relative_completions_at_departure")
    return Capacity(
        **{name: rows[name] for name in _NAMES},
        blocked_servers=_blocked(system, jobs, rng) if blame else (),
        relative_completions=None if delta is None else delta.value,
        notes=result.notes,
    )


_NAMES = ("stability_threshold", "naive_threshold", "wasted_servers", "saturated_utilisation")


def _without_analysis(
    system: System, reason: str, jobs: int, rng: Rng, watch: Watch | None, stop: Callable[[], bool] | None
) -> Capacity:
    note = f"There is no exact threshold: {reason}."
    if system.model is None and isinstance(system.policy, Policy) and explain(system).is_wcfs:
        facts: dict[str, Any] = {
            "kind": "exact",
            "method": "work conservation: no server idles while enough jobs wait",
            "citation": "wcfs, section 2",
        }
        return _from_threshold(system, system.naive_threshold, None, facts, (note,))
    if type(system.policy) is Fcfs:
        line = saturated_line(system, jobs=jobs, most_jobs=MOST_JOBS, rng=rng)
        value, *interval = line.thresholds
        facts = {"kind": "simulated", "method": f"saturated line, {line.jobs:,} jobs", "citation": "reset, section 3.5"}
        found = _from_threshold(system, value, (interval[0], interval[1]), facts, (note,))
        return Capacity(**{**vars(found), "blocked_servers": _simulated_blame(system, line)})
    jobs = enough_jobs(system, 0.5 * system.naive_threshold, jobs, replications=20)
    low, high = _bisect(system, jobs, rng, watch, stop)
    facts = {
        "kind": "simulated",
        "method": f"bisection, {jobs:,} jobs a run: the queue settles at the low end and keeps growing at the high one",
        "bracket": True,
    }
    naive = system.naive_threshold
    return _from_threshold(system, (low + high) / 2.0 * naive, (low * naive, high * naive), facts, (note,))


def _from_threshold(
    system: System, value: float, interval: tuple[float, float] | None, facts: dict[str, Any], notes: tuple[str, ...]
) -> Capacity:
    """Write down the quantities, all of which follow from the threshold."""
    naive, servers = system.naive_threshold, system.servers
    low, high = interval if interval is not None else (None, None)

    def share(rate: float | None) -> float | None:
        return None if rate is None else min(rate / naive, 1.0)

    def lost(rate: float | None) -> float | None:
        return None if rate is None else servers * (1.0 - min(rate / naive, 1.0))

    return Capacity(
        stability_threshold=Quantity(name="stability_threshold", value=value, low=low, high=high, **facts),
        naive_threshold=Quantity(
            name="naive_threshold",
            value=naive,
            kind="bound",
            method="servers / E[need x duration]",
            citation="twoclass, section 1",
        ),
        wasted_servers=Quantity(
            name="wasted_servers", value=lost(value) or 0.0, low=lost(high), high=lost(low), **facts
        ),
        saturated_utilisation=Quantity(
            name="saturated_utilisation", value=share(value) or 0.0, low=share(low), high=share(high), **facts
        ),
        notes=notes,
    )


def _blocked(system: System, jobs: int, rng: Rng) -> tuple[Quantity, ...]:
    """Split the loss by the class that blocks; only FCFS has one head of the line that does."""
    if not is_fcfs(system):
        return ()
    try:
        if number_of_states(system) <= WORTH_THE_WAIT:
            return _exact_blame(system)
        return _simulated_blame(system, saturated_line(system, jobs=jobs, most_jobs=MOST_JOBS, rng=rng))
    except MsjError:
        return ()


def _exact_blame(system: System) -> tuple[Quantity, ...]:
    solved = saturate(system)
    free_law = np.bincount(solved.built.free, weights=solved.time_average, minlength=system.servers + 1)
    free = np.arange(system.servers + 1)
    beyond = np.array([sum(float(c.share) for c in system.classes if c.need > f) for f in free])
    idle = np.divide(free_law * free, beyond, out=np.zeros(len(free)), where=beyond > 0)
    return tuple(
        Quantity(
            name="blocked_servers",
            value=float(c.share) * float(idle[free < c.need].sum()),
            kind="exact",
            method="saturated chain, by the class at the head of the line",
            citation="reset, sections 3.5-3.11",
            job_class=c.name,
        )
        for c in system.classes
    )


def _simulated_blame(system: System, line: SaturatedLine) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(
            name="blocked_servers",
            value=value,
            kind="simulated",
            method=f"saturated line, {line.jobs:,} jobs, by the class at the head of the line",
            citation="reset, section 3.5",
            job_class=c.name,
            low=max(value - half, 0.0),
            high=value + half,
        )
        for c, (value, half) in zip(system.classes, line.idle_by_class, strict=True)
    )


def _bisect(
    system: System, jobs: int, rng: Rng, watch: Watch | None = None, stop: Callable[[], bool] | None = None
) -> tuple[float, float]:
    """Return a utilisation at which the queue settles and one at which it keeps growing; nothing is stable at 1."""
    settled, low, high = 0.0, 0.0, 1.0
    for step in range(BISECTIONS + BISECTIONS // 2):
        for_growth = step < BISECTIONS  # first where it grows, then where it settles
        middle = (low + high) / 2.0 if for_growth else (settled + low) / 2.0
        if not for_growth and low - settled < 2.0**-BISECTIONS:
            break
        try:
            if stop is not None and stop():
                break
            seen = _look(system.replace(utilisation=middle), jobs, rng, watch)
        except KeyboardInterrupt:
            if stop is not None and stop():  # stopped in the middle of a simulation
                break
            raise
        if seen == "settles":
            settled = middle
        if for_growth:
            low, high = (low, middle) if seen == "grows" else (middle, high)
        elif seen != "settles":
            low = middle
    return settled, high


def _look(system: System, jobs: int, rng: Rng, watch: Watch | None) -> str:
    result = simulate(system, jobs=jobs, rng=rng, progress=watch)
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if result.outcome is Outcome.UNSTABLE:
        return "grows"
    if "mean_response_time" not in result:  # too short to have forgotten its empty beginning
        return "undecided"
    stay = result.row("mean_response_time")
    known = stay.low is not None and stay.value - stay.low <= SETTLED * stay.value
    return "settles" if known else "undecided"
