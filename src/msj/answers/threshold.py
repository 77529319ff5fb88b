"""How much load a cluster takes: one rule, whoever asks.

The stability threshold lambda* comes from whatever applies, surest first:

1. an exact analysis (closed form or chain) that the effort allows;
2. work conservation: a WCFS system is stable for every rho < 1, so lambda* is the naive threshold (wcfs, section 2);
3. FCFS that cannot be solved: the saturated line, simulated (``saturated_line``), with a 95 % interval;
4. any other policy: its saturated system, simulated, looking at more and more of the oldest waiting jobs until that
   changes nothing any more (``saturated_window``). That is evidence, not a confidence interval: the row is a bracket,
   and no policy takes more than the linear programme over packings allows (``attainable_threshold``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from msj.analysis.base import SaturatedAnalysis, rows_of, without_load
from msj.analysis.wcfs_verdict import explain
from msj.answers.cross_check import Disagreement, require_agreement
from msj.answers.saturated import Method, limits, solve_saturated, that_apply
from msj.disciplines import Policy
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Effort
from msj.errors import MsjError, NotAccurate, NotSupported, TooLarge
from msj.model import System
from msj.results import Quantity
from msj.simulation.saturated_line import SaturatedLine, saturated_line
from msj.simulation.saturated_window import saturated_windows

#: What an exact method may answer instead of a number; then a less sure one is asked.
UNANSWERED = (NotSupported, TooLarge, NotAccurate)
LINE_JOBS = 400_000  # of a saturated line, where nothing else is said
MOST_LINE_JOBS = 50_000_000  # some seconds
MOST_WINDOW_JOBS = 200_000  # at each window, at least: more are simulated where the line is longer


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The threshold and what follows from it, as rows.

    ``line`` is the simulated saturated line where one was needed, ``relative_completions`` Delta(Y_d) where known.
    """

    stability_threshold: Quantity
    naive_threshold: Quantity
    wasted_servers: Quantity
    saturated_utilisation: Quantity
    attainable_threshold: Quantity | None = None
    relative_completions: Quantity | None = None
    line: SaturatedLine | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> list[Quantity]:
        """All of it, in the order people read it."""
        found = [self.stability_threshold, self.wasted_servers, self.saturated_utilisation, self.relative_completions]
        return [row for row in (*found, self.naive_threshold, self.attainable_threshold) if row is not None]

    @property
    def value(self) -> float:
        """lambda*."""
        return self.stability_threshold.value

    @property
    def highest(self) -> float:
        """A rate the cluster certainly cannot take: the upper end of the interval."""
        return self.stability_threshold.ends[1]

    @property
    def lowest(self) -> float:
        """The lower end of the interval."""
        return self.stability_threshold.ends[0]


def exact_threshold(system: System, effort: Effort, *, method: Method = "auto", completions: bool = True) -> Threshold:
    """Return the threshold by an exact analysis, or raise with the reason why there is none."""
    saturated, notes = solve_saturated(system, method, effort=effort, completions=completions)
    rows = {row.name: row for row in rows_of(saturated)}
    return Threshold(
        stability_threshold=rows["stability_threshold"],
        naive_threshold=naive_row(system),
        wasted_servers=rows["wasted_servers"],
        saturated_utilisation=rows["saturated_utilisation"],
        attainable_threshold=attainable_row(system),
        relative_completions=rows.get("relative_completions_at_departure"),
        facts=saturated.facts,
        notes=tuple(notes),
    )


def find_threshold(
    system: System,
    effort: Effort,
    root: np.random.SeedSequence | None = None,
    *,
    completions: bool = True,
    bracket: bool = True,
) -> Threshold:
    """Return the threshold by whatever applies, surest first.

    Parameters
    ----------
    system
        The cluster; its load does not matter.
    effort
        For exact methods and for what has to be simulated (``jobs`` in each run).
    root
        Seed of what has to be simulated; a fresh one if None.
    completions
        Whether relative completions are wanted where they cost more than the threshold.
    bracket
        Whether a bracket will do where nothing better is known; else that is refused.

    Examples
    --------
    >>> import msj
    >>> found = find_threshold(msj.read("examples/two_servers.toml"), Effort(), np.random.SeedSequence(1))
    >>> round(found.value, 12), found.stability_threshold.kind
    (0.9, 'exact')
    """
    if turns_away(system):
        raise NotSupported(
            f"policy '{system.policy.name}' turns jobs away, so every load is stable: there is no threshold"
        )
    system = system.replace(arrival_rate=None, load=None, utilisation=None)
    root = np.random.SeedSequence() if root is None else root
    try:
        return exact_threshold(system, effort, completions=completions)
    except UNANSWERED as error:
        reason = str(error)
    note = f"There is no exact threshold: {reason}."
    if conserves_work(system):
        facts: dict[str, Any] = {
            "kind": "exact",
            "method": "work conservation: no server idles while enough jobs wait",
            "citation": "wcfs, section 2",
        }
        return _from_rate(system, system.naive_threshold, None, facts, ())
    if is_fcfs(system):
        line = saturated_line(system, jobs=effort.jobs or LINE_JOBS, most_jobs=MOST_LINE_JOBS, rng=root)
        value, *interval = line.thresholds
        facts = {"kind": "simulated", "method": f"saturated line, {line.jobs:,} jobs", "citation": "reset, section 3.5"}
        return _from_rate(system, value, (interval[0], interval[1]), facts, (note,), line)
    if not bracket:
        raise NotSupported(reason)
    each = MOST_WINDOW_JOBS if math.isinf(effort.until) else MOST_WINDOW_JOBS // 4  # rather rough than too late
    jobs = min(effort.jobs or each, each)
    found = saturated_windows(system, jobs=jobs, rng=root, over=lambda: effort.over)
    last, limit = found.last, attainable_row(system)
    most = system.naive_threshold if limit is None else limit.value
    facts = {
        "kind": "simulated",
        "method": "saturated system with more and more of the oldest waiting jobs in sight, simulated",
        "citation": "reset, section 3.5",
        "bracket": True,
    }
    value = min(last.threshold, most)
    more = STOPPED if not found.settled else SEEN.format(half=found.windows[-2].oldest, whole=last.oldest)
    return _from_rate(system, value, (min(found.low, value), max(min(found.high, most), value)), facts, (note, more))


SEEN = (
    "No theorem tells where its limit is. Its saturated system takes as much looking at the {half:,} oldest waiting "
    "jobs as at {whole:,}: evidence, and no proof, for the threshold."
)
STOPPED = (
    "No theorem tells where its limit is. Its saturated system takes the more, the more waiting jobs it looks at, and "
    "was not followed to the end: the low end is what was seen, the high end what no policy can exceed."
)


def quick_threshold(system: System) -> float | None:
    """Return the stability threshold if it is known in a fraction of a second, else None.

    Examples
    --------
    >>> import msj
    >>> round(quick_threshold(msj.read("examples/two_servers.toml")), 12)
    0.9
    """
    return _quick_threshold(without_load(system))


@lru_cache(maxsize=64)
def _quick_threshold(system: System) -> float | None:
    try:
        if turns_away(system):
            return math.inf
        if conserves_work(system):
            return system.naive_threshold
        quick = [a for a in that_apply(SaturatedAnalysis, system) if a.in_a_moment(system)]
        quick.sort(key=lambda a: (not a.closed_form, a.cost(system).operations))
        return quick[0].saturate(system).stability_threshold if quick else None
    except Disagreement:
        raise
    except MsjError:
        return None


def exceeded(system: System) -> float | None:
    """Return what no policy can take, if the system's arrival rate is as much or more; None if it is not.

    Where a policy's threshold is not known, this much is.
    """
    if turns_away(system):
        return None
    limit = attainable_row(system)
    most = system.naive_threshold if limit is None else limit.value
    rate = system.arrival_rate_at(math.nan)
    return most if rate is not None and rate >= most else None


def turns_away(system: System) -> bool:
    """Return whether jobs may leave unserved: then nobody waits, and every load is stable."""
    return system.model is None and isinstance(system.policy, Policy) and system.policy.turns_away


def conserves_work(system: System) -> bool:
    """Return whether no server idles while enough jobs wait: then the naive threshold is the threshold."""
    found = system.model is None and isinstance(system.policy, Policy) and explain(system).is_wcfs
    if found:
        require_agreement(system)
    return found


def naive_row(system: System) -> Quantity:
    """Row of what counting server-time promises."""
    return Quantity(
        name="naive_threshold",
        value=system.naive_threshold,
        kind="bound",
        method="servers / E[need x duration]",
        citation="twoclass, section 1",
    )


def attainable_row(system: System) -> Quantity | None:
    """Row of what any policy could take, where that is known."""
    return next((row for row in limits(system) if row.name == "attainable_threshold"), None)


def _from_rate(
    system: System,
    value: float,
    interval: tuple[float, float] | None,
    facts: dict[str, Any],
    notes: tuple[str, ...],
    line: SaturatedLine | None = None,
) -> Threshold:
    """Write down the quantities, all of which follow from the threshold."""
    naive, servers = system.naive_threshold, system.servers

    def row(name: str, of: Any, *, falling: bool = False) -> Quantity:
        ends = None if interval is None else [of(rate) for rate in (interval[::-1] if falling else interval)]
        low, high = (None, None) if ends is None else ends
        return Quantity(name=name, value=of(value), low=low, high=high, **facts)

    return Threshold(
        stability_threshold=row("stability_threshold", lambda rate: rate),
        naive_threshold=naive_row(system),
        attainable_threshold=attainable_row(system),
        wasted_servers=row("wasted_servers", lambda rate: servers * (1.0 - min(rate / naive, 1.0)), falling=True),
        saturated_utilisation=row("saturated_utilisation", lambda rate: min(rate / naive, 1.0)),
        line=line,
        notes=notes,
    )
