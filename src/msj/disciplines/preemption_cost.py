"""Preemption that costs time: a snapshot of the job that is stopped, a transfer when it goes on (reset, Appendix H.6).

Under a preemptive policy that looks at finitely many jobs (ServerFilling, DivisorFilling, first fit with a window and
preemption, ...): a job that is served and then not chosen first *saves*, for a time of law ``snapshot`` in which it
holds its servers without progress, and is then put aside; without ``snapshot`` it is put aside at once. When it has
servers again it first *loads*, for a time of law ``transfer`` (``overhead_rate``: exponential), again holding them
without progress; then it goes on where it was. Put aside while it loads, it owes all of it again. The first start is
free. Jobs that are chosen while others still save start as far as free servers suffice.

A class may say ``preemptible = false``: once started, its jobs stay, and the policy decides about the others and the
servers that are left; or ``overhead = false``: stopping its jobs is free.

Under ``fcfs`` jobs are stopped only where an environment takes their servers: they cannot save then, and load when they
start again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.base import Policy
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.part import Part
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import ServerFilling
from msj.errors import InvalidInput
from msj.model import System
from msj.model.durations import Duration, Exponential
from msj.model.numbers import Number, positive, truth
from msj.model.system import ChosenPolicy
from msj.registry import POLICIES


@dataclass(frozen=True, kw_only=True)
class PreemptionCost(Part):
    """In a spec file: model = { name = "preemption-cost", overhead_rate = 10 } and policy = "server-filling".

    Or ``snapshot = { law = ... }``, ``transfer = { law = ... }``; class: ``preemptible = false``, ``overhead = false``.

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
    summary: ClassVar[str] = "jobs that are stopped save, and load before they go on; preemptive policies, finite front"
    citation: ClassVar[str] = "reset, Appendix H.6"
    class_keys: ClassVar[tuple[str, ...]] = ("preemptible", "overhead")
    goes_with: ClassVar[type[Policy]] = ServerFilling
    idles: ClassVar[str] = "jobs that were put aside hold servers without progress while they pay their overhead"

    time_powers: ClassVar[Mapping[str, int]] = {"overhead_rate": -1}

    overhead_rate: Number | None = None
    snapshot: Duration | None = None
    transfer: Duration | None = None

    def __post_init__(self) -> None:
        if self.overhead_rate is not None:
            object.__setattr__(self, "overhead_rate", positive(self.overhead_rate, "overhead_rate"))
            if self.transfer is not None:
                raise InvalidInput("overhead_rate and transfer are both given; say how long loading takes in one way")
        self.set_law("snapshot")
        self.set_law("transfer")
        if self.overhead_rate is None and self.snapshot is None and self.transfer is None:
            raise InvalidInput("model 'preemption-cost' has no overhead_rate; add it, or snapshot or transfer")

    def told(self) -> dict[str, Any]:
        transfer = self.transfer if self.overhead_rate is None else Exponential(rate=self.overhead_rate)
        return {"overhead": {"snapshot": self.snapshot, "transfer": transfer}}

    def engine(self, system: System) -> ServedBy | None:
        free = any(key in c.extra for c in system.classes for key in self.class_keys)
        if self.overhead_rate is None or self.snapshot is not None or free or type(system.policy) is not ServerFilling:
            return super().engine(system)  # the loop of its own knows ServerFilling and exponential overheads only
        rate = float(self.overhead_rate)
        return ServedBy("msj.engines.preemption_cost:PreemptionCostEngine", overhead_rate=rate)

    front_model = Part.front_model  # the same rule, whichever loop simulates it

    def class_value(self, key: str, value: Any) -> bool:
        return truth(value, key)

    def why_not_policy(self, policy: ChosenPolicy | str) -> str | None:
        kind = POLICIES.get(policy) if isinstance(policy, str) else type(policy)
        if kind is Fcfs:  # without an environment: with one it is a part among others (Combined)
            return (
                f"model '{self.name}' goes with policy '{self.policy}' or another that stops jobs, and '{Fcfs.name}' "
                f"stops none unless an environment takes servers; set policy = '{self.policy}', or add environment"
            )
        return super().why_not_policy(policy)

    def why_alone(self, system: System) -> str | None:
        return None if system.environment else "under fcfs jobs are stopped only by an environment; add one"


VARIANT = PreemptionCost
