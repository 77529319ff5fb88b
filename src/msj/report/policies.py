"""The policies compared on the same jobs, with paired differences from the cluster's own.

Only policies that can run the system take part. Each says what it asks for: to stop running jobs (preemption), or to
know how long jobs will take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msj.errors import InvalidInput, MsjError
from msj.model import System
from msj.planning.effort import enough_jobs
from msj.policies import Policy
from msj.policies.own_function import OwnFunction
from msj.policies.run_time_estimates import RunTimeEstimates
from msj.questions import compare
from msj.registry import POLICIES
from msj.report.clock import Clock
from msj.report.contents import Load, PolicyRow, PolicySection
from msj.results import Outcome, Quantity, Result
from msj.simulation import Comparison
from msj.simulation.simulate import policy_of
from msj.workloads import Rng

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
    system: System, load: Load, policies: Sequence[Any] | None, *, jobs: int, rng: Rng, clock: Clock
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
        limit = load.arrival_rate / load.load
        jobs = enough_jobs(system, load.arrival_rate, jobs, replications=10, stability_threshold=limit)
        found = compare(there, list(chosen.values()), jobs=jobs, rng=rng, replications=10, progress=clock.watch)
    except MsjError as error:
        return PolicySection(left_out=tuple(left_out), notes=(f"No comparison: {error.message}.",))
    notes = []
    if any(result.outcome is Outcome.INTERRUPTED for result in found.results.values()):
        clock.interrupted()
        missing = list(chosen)[len(found.results) - 1 :]
        left_out += [(name, f"cut to keep the report within {clock.seconds:g} seconds") for name in missing]
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
    for given in wanted:
        policy = system.replace(policy=policy_of(given)).policy
        if not isinstance(policy, Policy):
            raise InvalidInput(f"{given!r} is not a policy; give a name such as 'first-fit'")
        name = policy_name(policy)
        if name in chosen or name in dict(left_out):
            continue
        reason = policy.supports(system)
        if reason is None:
            chosen[name] = policy
        else:
            left_out.append((name, reason))
    return chosen, left_out


def policy_name(policy: Any) -> str:
    """Return how a comparison calls a policy: its name, with options in brackets."""
    spec = policy.to_spec()
    if not isinstance(spec, dict):
        return str(spec)
    options = ", ".join(f"{key} = {value}" for key, value in spec.items() if key != "name")
    return f"{spec['name']} ({options})"


def _rows(found: Comparison, chosen: dict[str, Policy]) -> list[PolicyRow]:
    rows = []
    for own, (name, result) in zip([True] + [False] * len(chosen), found.results.items(), strict=False):
        if result.outcome is Outcome.INTERRUPTED:
            continue
        differences = found.differences.get(name, ())
        rows.append(
            PolicyRow(
                policy=name,
                own=own,
                asks_for=_asks_for(chosen[name]) if name in chosen else "",
                stable=result.outcome is not Outcome.UNSTABLE,
                mean_response_time=_find(result, "mean_response_time", None),
                percentile_95=_find(result, "response_time_percentile", 95.0),
                difference=next((row for row in differences if row.name == "mean_response_time"), None),
            )
        )
    return rows


def _find(result: Result, name: str, level: float | None) -> Quantity | None:
    for row in result:
        if (row.name, row.job_class, row.level) == (name, None, level):
            return row
    return None


def _asks_for(policy: Policy) -> str:
    needs = []
    if policy.preemptive:
        needs.append("leave to preempt" if isinstance(policy, OwnFunction) else "preemption")
    if policy.name.endswith("srpt"):
        needs.append("known durations")
    elif isinstance(policy, RunTimeEstimates):
        needs.append("run-time estimates")
    return ", ".join(needs) or "nothing"
