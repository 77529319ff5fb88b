"""Restart instead of resume: a job that is stopped loses its work (preemptive repeat).

A preemptive policy stops a running job and takes it up again later. Here it goes on where it was, unless ``restart`` is
set: then it begins anew, with the same duration (preemptive repeat identical; Gaver 1962), as jobs without checkpoints
do. What it was served in vain it has occupied servers for, so the cluster takes less than the work that arrives says,
and how much less depends on more than the mean durations: a job of duration d that is stopped at rate a and taken up at
once holds its servers for (exp(a·d) − 1)/a on average. Even exponential durations are remembered then (the same one is
tried again), so no chain of finitely many phases describes it: what is exact or a bound for resumed jobs is refused,
and it is simulated. Waiting time, response time minus duration, then includes service in vain; utilisation too.
"""

from __future__ import annotations

from dataclasses import dataclass

from msj.disciplines.base import Policy
from msj.disciplines.model import model_of, policy_of
from msj.errors import InvalidInput
from msj.model import System
from msj.model.numbers import truth


@dataclass(frozen=True, kw_only=True)
class Restarting(Policy):
    """Base of the policies that stop jobs at arrivals and completions, with the option ``restart``.

    Examples
    --------
    >>> from msj.disciplines import MostServersFirst
    >>> MostServersFirst(restart=True).to_spec()
    {'name': 'most-servers-first', 'restart': True}
    """

    restart: bool = False

    def __post_init__(self) -> None:
        truth(self.restart, "restart")
        if self.restart and not self.preemptive:
            raise InvalidInput(
                "restart = true, but with preemptive = false no running job is ever stopped; set preemptive = true or "
                "leave restart out"
            )


def why_not_resumed(system: System) -> str | None:
    """Return the reason if jobs that are stopped do not go on where they were."""
    if model_of(system) is not None or not policy_of(system).restart:
        return None
    return f"with restart = true a job that policy '{system.policy.name}' stops loses its work; simulate it"
