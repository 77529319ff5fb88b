"""The papers' full saturated system of FCFS: the ordered list of the k oldest jobs.

There are always exactly k jobs (reset, section 3.5); a completion removes one and a fresh one joins at the end. Who is
served is decided by the policy's own function. It has |types|^k states: a twin for tests and for teaching. Other
policies, some of which must know who is running, are in ``policy_front``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msj.disciplines import Fcfs
from msj.disciplines.base import told_apart
from msj.errors import NotSupported
from msj.fronts.explore import Step, explore
from msj.fronts.job_types import JobTypes, job_types
from msj.fronts.policy_decisions import PolicyDecisions
from msj.markov.marked_chain import MarkedChain
from msj.model import System
from msj.model.assumptions import require, why_not_independent

Front = tuple[int, ...]  # job types, oldest first


def ordered_chain(system: System, *, front: int | None = None) -> tuple[list[Front], MarkedChain]:
    """Build the full ordered saturated chain; ``front`` defaults to the number of servers, as in the paper."""
    policy = system.policy
    if type(policy) is not Fcfs:
        other = told_apart(policy, Fcfs)
        raise NotSupported(f"the full ordered chain is that of fcfs, not of {other}; use policy_front")
    require(why_not_independent(system), "the full ordered chain")
    types = job_types(system)
    size = front if front is not None else system.servers
    freshest = int(np.argmax(types.fresh))
    decisions = PolicyDecisions(policy, orders_running=True)
    return explore([(freshest,) * size], lambda jobs: list(_steps(types, decisions, system.servers, jobs)))


def _steps(types: JobTypes, decisions: PolicyDecisions, servers: int, jobs: Front) -> Iterator[Step[Front]]:
    needs, classes = types.needs[list(jobs)].tolist(), types.class_of[list(jobs)].tolist()
    chosen = decisions.chosen(needs, classes, [False] * len(jobs), servers)
    for position in np.flatnonzero(chosen):
        job = jobs[position]
        for j, rate in enumerate(types.phase_changes[job]):
            if rate:
                yield (*jobs[:position], j, *jobs[position + 1 :]), float(rate), False
        rate = float(types.completion_rates[job])
        if rate:
            rest = (*jobs[:position], *jobs[position + 1 :])
            for fresh, chance in enumerate(types.fresh):
                if chance:
                    yield (*rest, fresh), rate * float(chance), True
