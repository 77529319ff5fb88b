"""Which size, policy or limit meets the targets: the verb ``msj.plan``, about a cluster or a log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from msj.answers.question import SystemLike, question, root_of
from msj.answers.simulate import with_arrival_rate
from msj.effort import Effort, Watch
from msj.errors import InvalidInput
from msj.executors.calls import at_cluster
from msj.executors.kept import Kept
from msj.logs import Trace, as_trace
from msj.logs.reading import format_of
from msj.logs.scenario import Scenario
from msj.model import System
from msj.model.chosen import chosen_from, distinct_label
from msj.model.numbers import number, positive, whole
from msj.planning.answer import answered
from msj.planning.judge import Judge
from msj.planning.log_subject import LogSubject
from msj.planning.odds import Odds
from msj.planning.plan_result import PlanResult
from msj.planning.sequential import Budget
from msj.planning.subject import SystemSubject
from msj.planning.target import read_targets
from msj.planning.vary import read_vary
from msj.registry import POLICIES
from msj.workloads import Rng
from msj.workloads.streams import seed_record

ODDS = 0.05
JOBS = 4_000_000
OPERATIONS = 2e10  # of an exact method at one point, unasked: a few seconds; exact where `msj analyse` is


def plan(
    system: SystemLike | Trace | None = None,
    *,
    targets: Iterable[str] | str = (),
    vary: str = "servers",
    policies: Iterable[Any] | None = None,
    growth: str | None = None,
    price: str | None = None,
    efficiency: str | None = None,
    odds: float = ODDS,
    jobs: int = JOBS,
    seconds: float | None = None,
    workers: int = 1,
    out: str | os.PathLike[str] | None = None,
    file: str | os.PathLike[str] | Trace | None = None,
    servers: int | None = None,
    estimates: str | None = None,
    overruns: str = "keep",
    rng: Rng = None,
    seed: int | None = None,
    effort: Effort | None = None,
    progress: Watch | None = None,
    dask: Any = None,
) -> PlanResult:
    """Return the smallest cluster, the most load, the largest job or the policy that meets the targets.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; or a log: a trace or its file. As many jobs arrive at every size.
    targets
        One or several, such as ``"p95 wait <= 2 h"``; see ``docs/plan.md``.
    vary
        ``servers``, ``load``, ``cap``, ``policy``, ``share:CLASS`` or ``partition``.
    policies
        Policies to plan for; the system's own if nothing is said.
    growth, price
        How fast the load grows (``"20 %/year"``), and what a server costs (``"1.2/server hour"``).
    efficiency
        With ``cap``: how jobs run on fewer servers, ``linear`` or ``amdahl:0.05``.
    odds
        That the plan, where it is simulated, rests on a wrong verdict: at most this.
    jobs
        The most jobs simulated for one point.
    seconds
        Stop after this time with what there is.
    workers
        How many cores simulations may use; the answer does not depend on it.
    out
        A folder in which points are kept; a plan that was stopped goes on there.
    file
        A log, where that is to be said apart; its jobs are served again at every point.
    servers, estimates, overruns
        For a log: the machine's size where it does not say it, and what backfilling is told (:func:`msj.replay`).
    rng, seed
        Either, for what is simulated: the same seed gives the same answer.
    effort
        Limits of exact methods.
    progress
        Told how far it is.
    dask
        A Dask cluster whose workers simulate points: the address of its scheduler, or a ``distributed.Client``. The
        answer does not depend on it.

    Examples
    --------
    >>> import msj
    >>> found = msj.plan("examples/two_servers.toml", targets="p95 wait <= 3")
    >>> found["planned_servers"]
    4.0
    >>> print(found.sentence)
    4 servers under fcfs: the smallest size that meets p95 wait <= 3, and every larger one does, too.
    """
    if file is None and (isinstance(system, Trace) or _is_log(system)):
        file, system = system, None  # type: ignore[assignment]
    asked: dict[str, Any] = {
        "targets": [targets] if isinstance(targets, str) else list(targets),
        "vary": vary,
        "growth": growth,
        "price": price,
        "efficiency": efficiency,
        "rng": rng,
        "seed": seed,
        "effort": _limits(effort, seconds, progress),
    }
    if policies is not None:
        asked["policies"] = list(policies)
    if file is not None and dask is not None:
        raise InvalidInput(f"dask = {dask!r} is for simulations; the jobs of a log are replayed here: leave dask out")
    if file is not None:
        return _of_log(file=file, servers=servers, estimates=estimates, overruns=overruns, **asked)
    for name, value in (("servers", servers), ("estimates", estimates)):
        if value is not None:
            raise InvalidInput(f"{name} = {value!r} is for logs; a cluster says it itself")
    if system is None:
        raise InvalidInput("nothing is given to plan; give a cluster, a spec file or a log")
    return _of_system(cast("SystemLike", system), odds=odds, jobs=jobs, workers=workers, out=out, dask=dask, **asked)


def _is_log(given: Any) -> bool:
    """Return whether a file is a log and no description of a cluster."""
    if not isinstance(given, (str, os.PathLike)) or Path(given).suffix.lower() in (".toml", ".json"):
        return False
    return format_of(Path(given)) is not None


def _limits(effort: Effort | None, seconds: float | None, progress: Watch | None) -> Effort:
    limits = Effort(operations=OPERATIONS) if effort is None else effort
    limits = limits if progress is None else limits.replace(progress=progress)
    if seconds is None:
        return limits
    return limits.replace(until=min(limits.until, Effort.lasting(float(positive(seconds, "seconds"))).until))


def _system_plan(
    system: SystemLike,
    *,
    targets: list[str],
    vary: str = "servers",
    policies: list[Any] | None = None,
    growth: str | None = None,
    price: str | None = None,
    efficiency: str | None = None,
    odds: float = ODDS,
    jobs: int = JOBS,
    workers: int = 1,
    out: str | os.PathLike[str] | None = None,
    rng: Rng = None,
    seed: int | None = None,
    effort: Effort,
    dask: Any = None,
) -> PlanResult:
    """Plan a cluster that is described."""
    assert isinstance(system, System)
    own = with_arrival_rate(system)
    rate = own.arrival_rate_at(float("nan"))
    if rate is None:
        raise InvalidInput("no load is given, so nobody knows how many jobs arrive; add arrival_rate or utilisation")
    own = own.replace(arrival_rate=rate)
    chosen = _policies(own.policy, policies)
    found = read_targets(
        targets,
        own.time_unit,
        classes=[c.name for c in own.active_classes],
        needs={c.need for c in own.active_classes},
    )
    share = float(number(odds, "odds"))
    if not 0 < share < 0.5:
        raise InvalidInput(f"odds = {share:g} of a wrong verdict must lie between 0 and 0.5; 0.05 is usual")
    root = root_of(rng, seed)
    with Kept(None if out is None else Path(out)) as kept, at_cluster(dask) as hands:
        judge = Judge(
            targets=found,
            effort=effort,
            root=root,
            odds=Odds(share),
            budget=Budget(jobs=whole(jobs, "jobs"), workers=whole(workers, "workers"), hands=hands),
            kept=kept,
        )
        subject = SystemSubject(own, chosen, judge)
        return answered(
            subject,
            read_vary(vary, [c.name for c in own.active_classes]),
            system=own.to_spec(),
            growth=growth,
            price=price,
            efficiency=efficiency,
            facts={"seed": seed_record(root), "odds": share},
        )


def _log_plan(
    file: str | os.PathLike[str] | Trace,
    *,
    targets: list[str],
    vary: str = "servers",
    policies: list[Any] | None = None,
    growth: str | None = None,
    price: str | None = None,
    efficiency: str | None = None,
    servers: int | None = None,
    estimates: str | None = None,
    overruns: str = "keep",
    rng: Rng = None,
    seed: int | None = None,
    effort: Effort,
) -> PlanResult:
    """Plan for the jobs of a log."""
    trace = as_trace(file, servers=servers)
    size = trace.servers if servers is None else whole(servers, "servers")
    if size is None:
        raise InvalidInput("the log does not say how many servers there are; say it with servers (--servers N)")
    largest = int(trace.column("need").max())
    if largest > size:
        raise InvalidInput(
            f"a job of the log needs {largest:,} servers and there are {size:,}; raise servers (--servers)"
        )
    found = read_targets(targets, "seconds", needs={int(need) for need in np.unique(trace.column("need"))})
    scenario = Scenario(estimates=estimates, overruns=overruns)
    root = root_of(rng, seed)
    subject = LogSubject(trace, size, _policies("fcfs", policies), found, scenario, effort, root)
    return answered(
        subject,
        read_vary(vary, ()),
        system={"time_unit": "seconds", "servers": size, "name": trace.source or "log"},
        growth=growth,
        price=price,
        efficiency=efficiency,
        facts={"seed": seed_record(root), "replayed_jobs": len(trace)},
        notes=(*trace.notes, *subject.notes),
    )


def _policies(own: Any, policies: Iterable[Any] | None) -> Mapping[str, Any]:
    """Return the policies to plan for, by name."""
    found: dict[str, Any] = {}
    for one in [own] if policies is None else list(policies):
        made = chosen_from(POLICIES, one, "fcfs")
        found[distinct_label(made, found)] = made
    if not found:
        raise InvalidInput("policies is empty; name at least one, such as 'fcfs'")
    return found


# Both are asked again as msj.plan.
_system_plan.__name__ = _log_plan.__name__ = "plan"
_of_system, _of_log = question(_system_plan), question(_log_plan)
