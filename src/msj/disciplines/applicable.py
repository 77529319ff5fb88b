"""Which policies apply to a system, and why the others do not.

A policy applies if its model (if any) goes with it, its ``supports`` has nothing against the system, and it can be set
up for it. This is decided here only: ``compare``, ``replay``, ``sweep``, ``report`` and ``msj list policies FILE``
leave out policies by this rule. A name or an option that does not exist, and a user's function that fails, are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from msj.disciplines.base import Policy
from msj.disciplines.model import discipline_of, model_of, policy_of
from msj.errors import BadFunction, MsjError, NotSupported
from msj.model import System
from msj.model.chosen import chosen_from, distinct_label
from msj.registry import POLICIES

LOSES_JOBS = "it loses jobs, so waiting times cannot be compared; simulate it alone"


def why_policy_does_not_apply(system: System, policy: Policy) -> str | None:
    """Return the reason why a policy does not apply to a system; None if it does.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> why_policy_does_not_apply(system, msj.Fcfs())
    >>> why_policy_does_not_apply(system, msj.HeterogeneousServers())
    "class 'large' needs 2 servers; every job must need one"
    """
    try:
        served = system.replace(policy=policy)
        reason = discipline_of(served).supports(served)
        if reason is None and model_of(served) is None:
            policy_of(served).on(served).engine(served.servers)
    except BadFunction:
        raise
    except MsjError as error:
        return error.message
    return reason


def why_not_comparable(system: System, policy: Policy) -> str | None:
    """Return the reason why the waiting times under a policy cannot be compared with others; None if they can."""
    return LOSES_JOBS if policy.turns_away else why_policy_does_not_apply(system, policy)


@dataclass(frozen=True)
class Applicable:
    """Policies by their labels: those that apply, in the order given, and the reasons why the others do not."""

    policies: Mapping[str, Policy]
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each policy that is left out."""
        return tuple(left_out_note(name, reason) for name, reason in self.left_out.items())

    def required(self) -> Applicable:
        """Return the same; if no policy applies, raise an error with all the reasons."""
        if self.policies:
            return self
        if len(self.left_out) == 1:
            ((name, reason),) = self.left_out.items()
            raise NotSupported(f"policy '{name}' does not apply: {reason}")
        reasons = "; ".join(f"'{name}': {reason}" for name, reason in self.left_out.items())
        raise NotSupported(f"none of the policies applies: {reasons}")


def left_out_note(name: str, reason: str) -> str:
    """Return the note that a policy is left out."""
    return f"Policy '{name}' is left out: {reason}."


def chosen_policies(given: Iterable[object]) -> dict[str, Policy]:
    """Return the policies that names, tables, policies or functions stand for, by their labels; none may occur twice.

    Examples
    --------
    >>> list(chosen_policies(["fcfs", {"name": "first-fit", "window": 2}]))
    ['fcfs', 'first-fit (window = 2)']
    """
    chosen: dict[str, Policy] = {}
    for one in given:
        policy = chosen_from(POLICIES, one, "fcfs")
        chosen[distinct_label(policy, chosen)] = policy
    return chosen


def applicable_policies(
    system: System,
    chosen: Mapping[str, Policy],
    why_not: Callable[[System, Policy], str | None] = why_policy_does_not_apply,
) -> Applicable:
    """Sort policies into those that apply to a system and the others, with the reasons."""
    reasons = {name: why_not(system, policy) for name, policy in chosen.items()}
    return Applicable(
        policies={name: policy for name, policy in chosen.items() if reasons[name] is None},
        left_out={name: reason for name, reason in reasons.items() if reason is not None},
    )
