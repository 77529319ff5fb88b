"""The policies compared on the same jobs, with paired differences from the cluster's own.

Only policies that apply to the system take part (``disciplines.applicable``), the usual ones first. Each says what it
asks for: to stop running jobs (preemption), or to know how long jobs will take. A policy known to be overloaded is not
simulated, and the number of jobs is such that all of them can be served within the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from msj.answers.simulated import compared, jobs_for_an_interval
from msj.answers.threshold import LINE_JOBS, MOST_LINE_JOBS, exceeded, quick_threshold
from msj.disciplines import Policy
from msj.disciplines.applicable import Applicable, why_not_comparable
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.own_function import OwnFunction
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, MsjError
from msj.model import System
from msj.model.chosen import chosen_from, distinct_label
from msj.registry import POLICIES
from msj.reports.agreement import agreeing
from msj.reports.contents import Load, PolicyRow, PolicySection, ResponseSection
from msj.results import Outcome, Result
from msj.simulation.saturated_line import saturated_line

USUAL = (
    "fcfs",
    "easy-backfilling",
    "first-fit",
    "best-fit",
    "server-filling",
    "most-servers-first",
    "divisor-filling",
    "server-filling-srpt",
    "max-weight",
)
FEWEST_JOBS = 100_000
MUCH_LONGER = 3.0  # times as long as under the cluster's own policy: worth a word


def policy_section(
    system: System,
    load: Load,
    policies: Sequence[Any] | None,
    effort: Effort,
    root: np.random.SeedSequence,
    *,
    affordable: int,
    response: ResponseSection | None = None,
) -> PolicySection:
    """Compare the policies at the load.

    ``policies`` None means the usual ones; all together simulate ``affordable`` jobs, or as many as each needs at
    least; ``response`` is shown for the cluster.
    """
    if system.model is not None and policies is None:
        rule: str = getattr(system.model, "policy", system.policy.name)
        note = f"Model '{system.model.name}' has its own order of service and goes with policy '{rule}' only."
        return PolicySection(notes=(note,))
    wanted = [system.policy, *(USUAL if policies is None else policies)]
    chosen, left_out = _able(system, wanted, usual=policies is None)
    if len(chosen) < 2:
        return PolicySection(left_out=tuple(left_out), notes=("There is no other policy to compare with.",))
    there = system.replace(arrival_rate=load.arrival_rate)
    try:
        known = [_known(there.replace(policy=policy), root) for policy in chosen.values()]
        jobs = max(effort.jobs or 0, jobs_for_an_interval(there, known[0]))
        jobs = min(jobs, max(affordable // len(chosen), FEWEST_JOBS))
        found = compared(there, list(chosen.values()), effort.replace(jobs=jobs), root, known=known)
    except MsjError as error:
        return PolicySection(left_out=tuple(left_out), notes=(f"No comparison: {error.message}.",))
    notes: list[str] = []
    if system.policy not in chosen.values():
        notes.append(f"The cluster's own policy does not apply; differences are from '{next(iter(chosen))}'.")
    if found.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if found.outcome is Outcome.OUT_OF_TIME:
        done = [name for name in found.places("policy") if name not in _with(found, Failure.OUT_OF_TIME)]
        missing = [name for name in chosen if name not in done]
        left_out += [(name, "cut to keep the report within its time (--seconds)") for name in missing]
    shown = response or ResponseSection()
    stay, late = shown.find("mean_response_time"), shown.find("response_time_percentile", None, 95.0)
    table = policy_rows(found, chosen, own_applies=system.policy in chosen.values())
    rows = agreeing(table, chosen, there, effort, mean=stay, percentile_95=late)
    notes += _much_longer(rows, chosen)
    return PolicySection(rows=tuple(rows), left_out=tuple(left_out), notes=tuple(notes))


def _known(system: System, root: np.random.SeedSequence) -> float | None:
    """Return the threshold of a policy where it is known, or a rate that is certainly too much."""
    known = quick_threshold(system)
    if known is not None or not is_fcfs(system):
        return exceeded(system) if known is None else known
    try:
        line = saturated_line(system, jobs=LINE_JOBS, most_jobs=MOST_LINE_JOBS, rng=root)
    except MsjError:
        return None
    _, low, high = line.thresholds
    rate = float(system.arrival_rate)  # type: ignore[arg-type]
    return high if rate >= high else line.stability_threshold if rate < low else None


def _much_longer(rows: Sequence[PolicyRow], chosen: dict[str, Policy]) -> Iterator[str]:
    """Say what a policy does under which jobs stay much longer than now."""
    own = next((row.mean_response_time for row in rows if row.own), None)
    for row in rows:
        if own is None or row.mean_response_time is None or row.difference is None:
            continue
        if row.difference.low is None and row.difference.kind != "exact":
            continue
        times = row.mean_response_time.value / own.value
        if times >= MUCH_LONGER and row.difference.ends[0] > 0:
            yield f"{row.policy} keeps jobs {times:.1f} times as long here ({chosen[row.policy].summary})."


def check_policies(system: System, policies: Sequence[Any]) -> None:
    """Raise an error for what is no policy, and if neither the cluster's own policy nor one of these applies."""
    chosen, left_out = _able(system, [system.policy, *policies])
    Applicable(chosen, dict(left_out)).required()


def _able(
    system: System, wanted: Sequence[Any], *, usual: bool = False
) -> tuple[dict[str, Policy], list[tuple[str, str]]]:
    """Return the policies that apply to the system, each once, and the others with the reason.

    ``usual`` means that nobody asked for these policies by name: one whose name a broken file has is left out.
    """
    chosen: dict[str, Policy] = {}
    left_out: list[tuple[str, str]] = []
    unable: list[Policy] = []
    for given in wanted:
        try:
            policy: Policy = chosen_from(POLICIES, given, "first-fit")
        except InvalidInput as error:
            if not usual:
                raise
            left_out.append((str(given), error.message))
            continue
        if policy in chosen.values() or policy in unable:
            continue
        reason = why_not_comparable(system, policy)
        if reason is None:
            chosen[distinct_label(policy, chosen)] = policy
        else:
            unable.append(policy)
            left_out.append((policy_name(policy), reason))
    return chosen, left_out


def policy_name(policy: Any) -> str:
    """Return how a comparison calls a policy: its name, with options in brackets."""
    return str(policy.label())


def policy_rows(found: Result, chosen: dict[str, Policy], *, own_applies: bool = True) -> list[PolicyRow]:
    """Return the rows of the policy table; the cluster's own policy is the first, if it applies."""
    growing, cut = _with(found, Failure.UNSTABLE), _with(found, Failure.OUT_OF_TIME)
    rows: list[PolicyRow] = []
    for name, policy in chosen.items():
        if name in cut or name not in found.places("policy"):
            continue
        here = found.at(policy=name)
        stay = here.find("mean_response_time")
        rows.append(
            PolicyRow(
                policy=name,
                own=own_applies and not rows and name == next(iter(chosen)),
                asks_for=_asks_for(policy),
                stable=name not in growing,
                mean_response_time=stay,
                why_no_mean="" if stay is not None or name in growing else "not settled in so many jobs",
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
    elif policy.knows_laws:
        needs.append("laws of durations")
    return ", ".join(needs) or "nothing"
