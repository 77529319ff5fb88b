"""Preemption that costs time, under ServerFilling (reset, Appendix H.6; the policy: wcfs, section 3.4.2).

Needs and servers are powers of two. Served are the largest needs (ties by arrival) among the shortest prefix of jobs
whose needs sum to at least k. A job that is served and then put aside *owes*: when it has its servers again it first
pays an overhead, exponential with rate ``overhead_rate``, during which it holds them without progress; then it goes on
where it was. Put aside while it pays, it owes all of it again. The first start is free.

A front is (type, owes) in order of arrival. It reaches one completion further than the policy looks: its needs sum to k
even without the largest job in service. So the decision after a completion is taken at once, from jobs already in the
front, and those that join from behind interrupt nobody; only an arrival that finds needs below k can. Without this,
jobs that join one by one would seem to start and be put aside in the same moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from msj.disciplines import Policy
from msj.disciplines.server_filling import ServerFilling, server_filling, why_not_powers_of_two
from msj.errors import InvalidInput, NotSupported
from msj.fronts.front_model import Step
from msj.fronts.models.phased_model import PhasedModel, given_classes, without
from msj.fronts.models.system_model import SystemModel
from msj.model import JobClass, System
from msj.model.numbers import Number, positive, whole

Owing = tuple[tuple[int, bool], ...]


@dataclass(frozen=True, kw_only=True)
class PreemptionCost(PhasedModel[Owing]):
    """ServerFilling where resuming a job takes time.

    Examples
    --------
    >>> import msj
    >>> jobs = [msj.JobClass(name="small", need=1, share="1/2", duration=msj.Exponential(mean=1)),
    ...         msj.JobClass(name="large", need=2, share="1/2", duration=msj.Exponential(mean=1))]
    >>> model = PreemptionCost(servers=2, classes=jobs, overhead_rate=1)
    >>> msj.analyse_model(model)["stability_threshold"] < 4 / 3  # 4/3 if preemption were free
    True
    """

    servers: int
    classes: Sequence[JobClass]
    overhead_rate: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "classes", given_classes(self.classes, JobClass))
        object.__setattr__(self, "overhead_rate", positive(self.overhead_rate, "overhead_rate"))
        for c in self.classes:
            if c.need > self.servers:
                raise InvalidInput(
                    f"class '{c.name}' needs {c.need} of {self.servers} servers; raise servers or lower need"
                )
        reason = why_not_powers_of_two(System(servers=self.servers, classes=tuple(self.classes)))
        if reason:
            raise NotSupported(reason)
        self._check_classes()

    @property
    def job_classes(self) -> Sequence[JobClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

    @property
    def most_jobs(self) -> int:
        """See :meth:`FrontModel.most_jobs`."""
        return (self.servers - 1) // min(self._needs) + 2

    def class_of(self, job: int | tuple[int, bool]) -> int:
        """See :meth:`FrontModel.class_of`."""
        return int(self.types.class_of[job[0] if isinstance(job, tuple) else job])

    def full(self, front: Owing) -> bool:
        """See :meth:`FrontModel.full`."""
        needs = [self._needs[job] for job, _ in front]
        return sum(needs) - max((needs[i] for i in self.served(front)), default=0) >= self.servers

    def add(self, front: Owing, job: int) -> Owing:
        """See :meth:`FrontModel.add`."""
        before = self.served(front)
        joined = (*front, (job, False))
        return self._put_aside(joined, before - self.served(joined))

    def steps(self, front: Owing) -> Iterator[Step[Owing]]:
        """See :meth:`FrontModel.steps`."""
        served = self.served(front)
        for place in sorted(served):
            job, owes = front[place]
            if owes:
                yield float(self.overhead_rate), without(front, place, (job, False)), False
                continue
            for rate, after in self.changes(job):
                if after is not None:
                    yield rate, without(front, place, (after, False)), False
                else:
                    left = without(front, place)
                    others = {i - (i > place) for i in served if i != place}
                    yield rate, self._put_aside(left, others - self.served(left)), True

    def busy_servers(self, front: Owing) -> float:
        """See :meth:`FrontModel.busy_servers`; servers of jobs that pay their overhead are not counted."""
        return float(sum(self._needs[front[i][0]] for i in self.served(front) if not front[i][1]))

    def paying_servers(self, front: Owing) -> int:
        """Return how many servers are held by jobs that pay their overhead."""
        return sum(self._needs[front[i][0]] for i in self.served(front) if front[i][1])

    def measures(self, front: Owing) -> dict[str, float]:
        """See :meth:`FrontModel.measures`."""
        return {"paying_servers": float(self.paying_servers(front))}

    def served(self, front: Owing) -> frozenset[int]:
        """Return the places in the front of the jobs that hold servers."""
        needs = tuple(self._needs[job] for job, _ in front)
        if needs not in self._decisions:
            chosen = np.zeros(len(needs), dtype=np.bool_)
            unseen = np.full(len(needs), np.nan)
            server_filling(np.array(needs, dtype=np.int64), chosen.copy(), unseen, self.servers, chosen)
            self._decisions[needs] = frozenset(np.flatnonzero(chosen).tolist())
        return self._decisions[needs]

    @cached_property
    def _decisions(self) -> dict[tuple[int, ...], frozenset[int]]:
        return {}

    @cached_property
    def _needs(self) -> tuple[int, ...]:
        return tuple(self.classes[c].need for c in self.types.class_of)

    def _put_aside(self, front: Owing, places: frozenset[int] | set[int]) -> Owing:
        return tuple((job, owes or i in places) for i, (job, owes) in enumerate(front))


@dataclass(frozen=True, kw_only=True)
class PreemptionCostModel(SystemModel):
    """In a spec file: model = { name = "preemption-cost", overhead_rate = 10 } and policy = "server-filling"."""

    name: ClassVar[str] = "preemption-cost"
    summary: ClassVar[str] = "a job that was put aside pays an overhead before it goes on; policy server-filling"
    citation: ClassVar[str] = "reset, Appendix H.6"
    goes_with: ClassVar[type[Policy]] = ServerFilling
    idles: ClassVar[str] = "jobs that were put aside hold servers without progress while they pay their overhead"

    overhead_rate: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "overhead_rate", positive(self.overhead_rate, "overhead_rate"))

    def supports(self, system: System) -> str | None:
        """See :meth:`SystemModel.supports`."""
        return super().supports(system) or why_not_powers_of_two(system)

    def front(self, system: System) -> PreemptionCost:
        """See :meth:`SystemModel.front`."""
        return PreemptionCost(servers=system.servers, classes=system.classes, overhead_rate=self.overhead_rate)


VARIANT = PreemptionCostModel
