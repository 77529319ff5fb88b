"""Preemption that costs time, under ServerFilling (reset, Appendix H.6; the policy: wcfs, section 3.4.2).

Needs and servers are powers of two. Served are the largest needs (ties by arrival) among the shortest prefix of jobs
whose needs sum to at least k. A job that is served and then put aside *owes*: when it has its servers again it first
pays an overhead, exponential with rate ``overhead_rate``, during which it holds them without progress; then it goes on
where it was. Put aside while it pays, it owes all of it again. The first start is free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from msj.disciplines.base import Policy
from msj.disciplines.model import Model, policy_of
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import ServerFilling, why_not_powers_of_two
from msj.model import System
from msj.model.numbers import Number, positive


@dataclass(frozen=True, kw_only=True)
class PreemptionCost(Model):
    """In a spec file: model = { name = "preemption-cost", overhead_rate = 10 } and policy = "server-filling".

    Examples
    --------
    >>> import msj
    >>> jobs = [msj.JobClass(name=f"need {v}", need=v, share="1/2", duration=msj.Exponential(mean=1)) for v in (1, 2)]
    >>> model = {"name": "preemption-cost", "overhead_rate": 1}
    >>> system = msj.System(servers=2, classes=jobs, model=model, policy="server-filling")
    >>> msj.analyse(system)["stability_threshold"] < 4 / 3  # 4/3 if preemption were free
    True
    """

    name: ClassVar[str] = "preemption-cost"
    summary: ClassVar[str] = "a job that was put aside pays an overhead before it goes on; policy server-filling"
    citation: ClassVar[str] = "reset, Appendix H.6"
    goes_with: ClassVar[type[Policy]] = ServerFilling
    idles: ClassVar[str] = "jobs that were put aside hold servers without progress while they pay their overhead"

    time_powers: ClassVar[Mapping[str, int]] = {"overhead_rate": -1}

    overhead_rate: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "overhead_rate", positive(self.overhead_rate, "overhead_rate"))

    def engine(self, system: System) -> ServedBy:
        rate = float(self.overhead_rate)
        return ServedBy("msj.engines.preemption_cost:PreemptionCostEngine", overhead_rate=rate)

    def front_model(self, system: System) -> ServedBy:
        return ServedBy("msj.fronts.preemption_cost:PreemptionCostFront", overhead_rate=float(self.overhead_rate))

    def supports(self, system: System) -> str | None:
        if policy_of(system).restart:
            return "jobs that were put aside pay and go on where they were; leave restart out"
        return super().supports(system) or why_not_powers_of_two(system)


VARIANT = PreemptionCost
