"""The papers' simplified saturated system (SSS) of MSJ FCFS, as a twin for tests and for teaching.

State: the count of jobs in service per type, and the class of the blocked job if there is one: just enough jobs for
their total need to reach k (reset, section 3.11 and Appendix B; twoclass, section 4). Small systems only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msj.fronts.explore import Step, explore
from msj.fronts.job_types import JobTypes, job_types
from msj.markov.marked_chain import MarkedChain
from msj.model import System
from msj.model.assumptions import require, why_not_independent


@dataclass(frozen=True, kw_only=True)
class SimplifiedState:
    """Jobs in service per type, and the index of the blocked job's class (None if none is blocked)."""

    in_service: tuple[int, ...]
    blocked: int | None


def simplified_chain(system: System) -> tuple[list[SimplifiedState], MarkedChain]:
    """Build the SSS of a system under FCFS."""
    require(why_not_independent(system), "the simplified saturated system")
    types = job_types(system)
    empty = (0,) * len(types)
    start = [state for state, _ in _fill(types, empty, system.servers)]
    return explore(start, lambda state: list(_steps(types, system.servers, state)))


def _steps(types: JobTypes, servers: int, state: SimplifiedState) -> Iterator[Step[SimplifiedState]]:
    free = servers - sum(int(v) * c for v, c in zip(types.needs, state.in_service, strict=True))
    for i, count in enumerate(state.in_service):
        if not count:
            continue
        for j, rate in enumerate(types.phase_changes[i]):
            if rate:
                moved = _add(_add(state.in_service, i, -1), j, 1)
                yield SimplifiedState(in_service=moved, blocked=state.blocked), count * float(rate), False
        rate = count * float(types.completion_rates[i])
        if rate:
            without = _add(state.in_service, i, -1)
            for reached, chance in _admit(types, without, free + int(types.needs[i]), state.blocked):
                yield reached, rate * chance, True


def _admit(
    types: JobTypes, in_service: tuple[int, ...], free: int, blocked: int | None
) -> Iterator[tuple[SimplifiedState, float]]:
    if blocked is None:
        yield from _fill(types, in_service, free)
        return
    of_class = [j for j in range(len(types)) if types.class_of[j] == blocked]
    need = int(types.needs[of_class[0]])
    if need > free:
        yield SimplifiedState(in_service=in_service, blocked=blocked), 1.0
        return
    share = sum(float(types.fresh[j]) for j in of_class)
    for j in of_class:
        if types.fresh[j]:
            for reached, chance in _fill(types, _add(in_service, j, 1), free - need):
                yield reached, chance * float(types.fresh[j]) / share


def _fill(types: JobTypes, in_service: tuple[int, ...], free: int) -> Iterator[tuple[SimplifiedState, float]]:
    """Admit fresh jobs until the total need reaches the number of servers."""
    if free == 0:
        yield SimplifiedState(in_service=in_service, blocked=None), 1.0
        return
    for j in range(len(types)):
        chance, need = float(types.fresh[j]), int(types.needs[j])
        if not chance:
            continue
        if need > free:
            # The phase of a blocked job is drawn when it starts, so only its class is kept.
            yield SimplifiedState(in_service=in_service, blocked=int(types.class_of[j])), chance
        else:
            for reached, rest in _fill(types, _add(in_service, j, 1), free - need):
                yield reached, chance * rest


def _add(counts: tuple[int, ...], index: int, change: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + change, *counts[index + 1 :])
