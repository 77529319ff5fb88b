"""The policies compared on the same jobs, with paired differences from the cluster's own.

Only policies that can run the system take part. Each says what it asks for: to stop running jobs (preemption), or to
know how long jobs will take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msj.answers.simulated import compared, jobs_for_an_interval
from msj.answers.threshold import quick_threshold
from msj.disciplines import Policy
from msj.disciplines.own_function import OwnFunction
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, MsjError
from msj.model import System
from msj.model.chosen import distinct_label
from msj.registry import POLICIES
from msj.reports.contents import Load, PolicyRow, PolicySection
from msj.results import Outcome, Result

USUAL = (
    "fcfs",
    "easy-backfilling",
    "first-fit",
    "best-fit",
    "most-servers-first",
    "server-filling",
    "divisor-filling",
    "max-weight",
    "server-filling-srpt",
)


def policy_section(
    system: System, load: Load, policies: Sequence[Any] | None, effort: Effort, root: np.random.SeedSequence
) -> PolicySection:
    """Compare the policies at the load; ``policies`` None means the usual ones."""
    if system.model is not None:
        rule: str = getattr(system.model, "policy", system.policy.name)
        note = f"Model '{system.model.name}' has its own order of service and goes with policy '{rule}' only."
        return PolicySection(notes=(note,))
    usual = [name for name in USUAL if name in POLICIES.names()]
    wanted = [system.policy, *(usual if policies is None else policies)]
    chosen, left_out = _able(system, wanted)
    if len(chosen) < 2:
        return PolicySection(left_out=tuple(left_out), notes=("There is no other policy to compare with.",))
    there = system.replace(arrival_rate=load.arrival_rate)
    try:
        known = [quick_threshold(there.replace(policy=policy)) for policy in chosen.values()]
        longer = effort.replace(jobs=max(effort.jobs or 0, jobs_for_an_interval(there, known[0])))
        found = compared(there, list(chosen.values()), longer, root, known=known)
    except MsjError as error:
        return PolicySection(left_out=tuple(left_out), notes=(f"No comparison: {error.message}.",))
    notes = []
    if found.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if found.outcome is Outcome.OUT_OF_TIME:
        done = [name for name in found.places("policy") if name not in _with(found, Failure.OUT_OF_TIME)]
        missing = [name for name in chosen if name not in done]
        left_out += [(name, "cut to keep the report within its time") for name in missing]
        notes.append("Some policies were cut short; a longer time (--seconds) brings them back.")
    rows = _rows(found, chosen)
    return PolicySection(rows=tuple(rows), left_out=tuple(left_out), notes=tuple(notes))


def check_policies(system: System, policies: Sequence[Any]) -> None:
    """Refuse what is no policy."""
    _able(system, policies)


def _able(system: System, wanted: Sequence[Any]) -> tuple[dict[str, Policy], list[tuple[str, str]]]:
    """Return the policies that can run the system, each once, and the others with the reason."""
    chosen: dict[str, Policy] = {}
    left_out: list[tuple[str, str]] = []
    unable: list[Policy] = []
    for given in wanted:
        policy = system.replace(policy=given).policy
        if not isinstance(policy, Policy):
            raise InvalidInput(f"{given!r} is not a policy; give a name such as 'first-fit'")
        if policy in chosen.values() or policy in unable:
            continue
        reason = policy.supports(system)
        if reason is None:
            chosen[distinct_label(policy, chosen)] = policy
        else:
            unable.append(policy)
            left_out.append((policy_name(policy), reason))
    return chosen, left_out


def policy_name(policy: Any) -> str:
    """Return how a comparison calls a policy: its name, with options in brackets."""
    return str(policy.label())


def _rows(found: Result, chosen: dict[str, Policy]) -> list[PolicyRow]:
    growing, cut = _with(found, Failure.UNSTABLE), _with(found, Failure.OUT_OF_TIME)
    rows: list[PolicyRow] = []
    for name, policy in chosen.items():
        if name in cut or name not in found.places("policy"):
            continue
        here = found.at(policy=name)
        rows.append(
            PolicyRow(
                policy=name,
                own=not rows and name == next(iter(chosen)),
                asks_for=_asks_for(policy),
                stable=name not in growing,
                mean_response_time=here.find("mean_response_time"),
                percentile_95=here.find("response_time_percentile", None, 95.0),
                difference=here.find("mean_response_time_difference"),
            )
        )
    return rows


def _with(found: Result, failure: Failure) -> list[Any]:
    """Return the policies that failed in one way."""
    return [gap.at["policy"] for gap in found.missing if gap.failure is failure]


def _asks_for(policy: Policy) -> str:
    needs = []
    if policy.preemptive:
        needs.append("leave to preempt" if isinstance(policy, OwnFunction) else "preemption")
    if policy.knows_durations:
        needs.append("known durations")
    elif policy.uses_estimates:
        needs.append("run-time estimates")
    return ", ".join(needs) or "nothing"
