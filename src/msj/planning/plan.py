"""Which size, policy or limit meets the targets: the verb ``msj.plan``, about a cluster or a log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from msj.answers.question import SystemLike, question, root_of
from msj.answers.simulate import with_arrival_rate
from msj.effort import Effort, Watch
from msj.errors import InvalidInput
from msj.executors.calls import at_cluster
from msj.executors.kept import Kept
from msj.logs import Trace, as_trace
from msj.logs.formats import is_log
from msj.logs.spec_or_log import system_or_trace
from msj.model import System
from msj.model.chosen import chosen_from, distinct_label
from msj.model.numbers import number, positive, whole
from msj.options import PlanOptions, ReadOptions, Scenario, argument, takes
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
from msj.workloads.streams import seed_record

SIMULATED = ("odds", "jobs", "workers", "out")  # options that a log, which is replayed, does not use
OPERATIONS = 2e10  # of an exact method at one point, unasked: a few seconds; exact where `msj analyse` is


@dataclass(frozen=True)
class PlanQuestion(PlanOptions):
    """The question of :func:`msj.plan`."""

    system: SystemLike | Trace | None = field(
        default=None,
        metadata={
            "help": "The cluster, or the file that describes it; or a log: a trace or its file. As many jobs arrive at "
            "every size."
        },
    )
    _: KW_ONLY
    file: str | os.PathLike[str] | Trace | None = argument(
        None, "A log, where that is to be said apart; its jobs are served again at every point."
    )


@takes(PlanQuestion)
def plan(asked: PlanQuestion) -> PlanResult:
    """Return the smallest cluster, the most load, the largest job or the policy that meets the targets.

    Examples
    --------
    >>> import msj
    >>> found = msj.plan("examples/two_servers.toml", targets="p95 wait <= 3")
    >>> found["planned_servers"]
    4.0
    >>> print(found.sentence)
    4 servers under fcfs: the smallest size that meets p95 wait <= 3, and every larger one does, too.
    """
    reading = ReadOptions(**asked.part(ReadOptions))
    log = asked.system if asked.file is None and is_log(asked.system, reading) else asked.file
    if log is None and asked.system is None:
        raise InvalidInput("nothing is given to plan; give a cluster, a spec file or a log")
    if log is None:
        for name in ("estimates", "overruns"):
            if name in asked.given():
                raise InvalidInput(f"{name} = {getattr(asked, name)!r} is for logs; a cluster says it itself")
    elif asked.dask is not None:
        raise InvalidInput(
            f"dask = {asked.dask!r} is for simulations; the jobs of a log are replayed here: leave dask out"
        )
    apart = ("system", "file", "seconds", "progress", *(() if log is None else SIMULATED))
    given = {name: value for name, value in asked.given().items() if name not in apart}
    given["targets"] = [asked.targets] if isinstance(asked.targets, str) else list(asked.targets)
    given["effort"] = _limits(asked.effort, asked.seconds, asked.progress)
    if log is not None:
        return _of_log(log, **given)  # type: ignore[arg-type]  # it is no system
    return _of_system(system_or_trace(asked.system, reading), **given)  # type: ignore[arg-type]  # it is no trace


def _limits(effort: Effort | None, seconds: float | None, progress: Watch | None) -> Effort:
    limits = Effort(operations=OPERATIONS) if effort is None else effort
    limits = limits if progress is None else limits.replace(progress=progress)
    if seconds is None:
        return limits
    return limits.replace(until=min(limits.until, Effort.lasting(float(positive(seconds, "seconds"))).until))


@dataclass(frozen=True)
class SystemPlan(PlanOptions):
    """A plan of a cluster that is described."""

    system: SystemLike = field(metadata={"help": "The cluster."})


@dataclass(frozen=True)
class LogPlan(PlanOptions):
    """A plan for the jobs of a log."""

    file: str | os.PathLike[str] | Trace = field(metadata={"help": "The log."})


def _system_plan(asked: SystemPlan) -> PlanResult:
    """Plan a cluster that is described."""
    assert isinstance(asked.system, System)
    own = with_arrival_rate(asked.system)
    rate = own.arrival_rate_at(float("nan"))
    if rate is None:
        raise InvalidInput("no load is given, so nobody knows how many jobs arrive; add arrival_rate or utilisation")
    own = own.replace(arrival_rate=rate)
    chosen = _policies(own.policy, asked.policies)
    found = read_targets(
        asked.targets,
        own.time_unit,
        classes=[c.name for c in own.active_classes],
        needs={c.need for c in own.active_classes},
    )
    share = float(number(asked.odds, "odds"))
    if not 0 < share < 0.5:
        raise InvalidInput(f"odds = {share:g} of a wrong verdict must lie between 0 and 0.5; 0.05 is usual")
    root = root_of(asked.rng, asked.seed)
    with Kept(None if asked.out is None else Path(asked.out)) as kept, at_cluster(asked.dask) as hands:
        judge = Judge(
            targets=found,
            effort=_limits(asked.effort, None, None),
            root=root,
            odds=Odds(share),
            budget=Budget(jobs=whole(asked.jobs, "jobs"), workers=whole(asked.workers, "workers"), hands=hands),
            kept=kept,
        )
        subject = SystemSubject(own, chosen, judge)
        return answered(
            subject,
            read_vary(asked.vary, [c.name for c in own.active_classes]),
            system=own.to_spec(),
            growth=asked.growth,
            price=asked.price,
            efficiency=asked.efficiency,
            facts={"seed": seed_record(root), "odds": share},
        )


def _log_plan(asked: LogPlan) -> PlanResult:
    """Plan for the jobs of a log."""
    trace = as_trace(asked.file, asked)
    size = trace.servers if asked.servers is None else asked.servers
    if size is None:
        raise InvalidInput("the log does not say how many servers there are; say it with servers (--servers N)")
    largest = int(trace.column("need").max())
    if largest > size:
        raise InvalidInput(
            f"a job of the log needs {largest:,} servers and there are {size:,}; raise servers (--servers)"
        )
    found = read_targets(asked.targets, "seconds", needs={int(need) for need in np.unique(trace.column("need"))})
    scenario = Scenario(estimates=asked.estimates, overruns=asked.overruns)
    root = root_of(asked.rng, asked.seed)
    subject = LogSubject(
        trace, size, _policies("fcfs", asked.policies), found, scenario, _limits(asked.effort, None, None), root
    )
    return answered(
        subject,
        read_vary(asked.vary, ()),
        system={"time_unit": "seconds", "servers": size, "name": trace.source or "log"},
        growth=asked.growth,
        price=asked.price,
        efficiency=asked.efficiency,
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
_of_system = question(takes(SystemPlan)(_system_plan))
_of_log = question(takes(LogPlan)(_log_plan))
