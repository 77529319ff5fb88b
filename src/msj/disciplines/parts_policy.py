"""Which policies models that combine go with: first come first served, or a preemptive one where nothing else matters.

Under a preemptive policy jobs hold any servers, so groups, resources, stages and set-up have no meaning of their own
there; overheads of preemption have, and so have environments that take all servers at once or change the speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msj.disciplines.base import Policy, told_apart
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.first_fit import FirstFit
from msj.disciplines.server_filling import ServerFilling
from msj.errors import InvalidInput
from msj.model import System
from msj.model.system import CAP, ChosenPolicy
from msj.registry import POLICIES


def why_not_under(policy: ChosenPolicy | str, parts: Sequence[Any], name: str) -> str | None:
    """Return the reason if a policy, or any of that name in the catalogue, does not go with some parts."""
    if isinstance(policy, str):
        try:
            policy = cast(Policy, POLICIES.get(policy).from_options({}))
        except InvalidInput:
            return None  # its options decide
    costs = [part for part in parts if "overhead" in part.told()]
    if type(policy) is Fcfs:
        return None
    if len(costs) < len(parts):
        return (
            f"model '{name}' goes with policy '{Fcfs.name}', not {told_apart(policy, Fcfs)}; set policy = '{Fcfs.name}'"
        )
    assert isinstance(policy, Policy)
    looks_at_some = policy.front_on(1) is not None
    if not policy.preemptive or policy.shares_speed or not looks_at_some:
        return (
            f"model '{name}' goes with policy '{ServerFilling.name}' or another that stops jobs and has a finite "
            f"front, not {told_apart(policy, ServerFilling)}; set policy = '{ServerFilling.name}', or "
            f"'{FirstFit.name}' with window and preemptive = true"
        )
    return None


def why_not_served(system: System, parts: Sequence[Any]) -> str | None:
    """Return the reason if parts, environment and policy of a system do not go together."""
    policy: Any = system.policy
    if policy.restart:
        return "jobs that were stopped go on where they were; leave restart out"
    if type(policy) is Fcfs:
        reasons = (part.why_alone(system) for part in parts)
        return next((reason for reason in reasons if reason is not None), None)
    if any(CAP in c.extra for c in system.classes):
        return f"{CAP} goes with policy '{Fcfs.name}', not '{policy.name}'; set policy = '{Fcfs.name}'"
    for one in system.environment:
        for component in one.components({"all": system.servers}):
            if any(0 < taken < system.servers for (taken,) in component.taken):
                return (
                    f"environment '{one.name}' takes some of the servers, which goes with policy '{Fcfs.name}', not "
                    f"'{policy.name}'; take all at once (together = true), or set policy = '{Fcfs.name}'"
                )
    reason: str | None = policy.supports(system)
    return reason
