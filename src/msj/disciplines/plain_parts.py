"""The plain values of a cluster put together from parts: what its front and its engine are told.

- ``groups``: (servers, speed, resources) of each; ``capacity``: amounts of the cluster's resources;
- ``classes``: for each its segments (``need`` or a need for each phase, ``resources``, ``law``, ``after``), the groups
  it may use in order of preference, ``span``, ``at_most``, ``preemptible`` and ``pays``;
- ``environment``: its components; ``set_up``, ``overhead``, ``power``, ``cost``; ``rule``: a policy's, None for FCFS.

All checks of how parts fit each other and the system stand here: a file that is refused says which class, which part
and what to change; what is not refused can be served.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from msj.disciplines.capacity_process import CapacityProcess
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.fitting_units import needs_of, why_never_starts
from msj.errors import InvalidInput, MsjError
from msj.model import JobClass, System
from msj.model.durations import Duration
from msj.model.environments.base import Component
from msj.model.matrix import law_of
from msj.model.system import CAP
from msj.registry import nearest

#: The one group of a cluster without groups.
ALL = "all"


def plain_parts(system: System, parts: Sequence[Any]) -> dict[str, Any]:
    """Return the plain values of a system whose model is made of ``parts``."""
    told = _told(system, parts)
    groups = told["groups"]
    components = _components(system, groups)
    classes = [_class_told(c, parts, groups, told["capacity"]) for c in system.classes]
    rule = None if type(system.policy) is Fcfs else system.policy
    environment = [
        {key: getattr(component, key) for key in ("sojourn", "jump", "taken", "speed", "hits")}
        for component in components
    ]
    return told | {
        "groups": list(groups.values()),
        "classes": classes,
        "environment": environment,
        "rule": rule,
    }


def _told(system: System, parts: Sequence[Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "groups": {ALL: (system.servers, 1.0, {})},
        "capacity": {},
        "set_up": None,
        "overhead": None,
        "power": None,
        "cost": None,
    }
    for part in parts:
        told |= part.told()
    return told


def _components(system: System, groups: Mapping[str, Any]) -> list[Component]:
    sizes = {name: servers for name, (servers, _, _) in groups.items()}
    return [component for one in system.environment for component in one.components(sizes)]


def segments_of(job_class: JobClass, parts: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the segments of a job of a class."""
    resources = dict(job_class.extra.get("resources", {}))
    found = [{"need": job_class.need, "resources": resources, "law": job_class.duration, "after": []}]
    for part in sorted(parts, key=lambda part: part.rank):
        found = part.segments(job_class, found)
    return found


def _class_told(
    c: JobClass, parts: Sequence[Any], groups: Mapping[str, Any], capacity: Mapping[str, int]
) -> dict[str, Any]:
    segments = segments_of(c, parts)
    span = bool(c.extra.get("span", False))
    names = list(groups)
    named = c.extra.get("groups")
    if named is None:
        able = [name for name in names if span or any(_could_hold(s, groups[name], capacity) for s in segments)]
    else:
        able = list(named)
    return {
        "segments": segments,
        "groups": [names.index(name) for name in able],
        "span": span,
        "at_most": c.extra.get(CAP),
        "preemptible": bool(c.extra.get("preemptible", True)),
        "pays": bool(c.extra.get("overhead", True)),
    }


def _could_hold(segment: Mapping[str, Any], group: Any, capacity: Mapping[str, int]) -> bool:
    servers, _, own = group
    room = {**capacity, **own}
    amounts = segment["resources"].items()
    return min(needs_of(segment)) <= servers and all(room.get(name, 0) >= amount for name, amount in amounts)


def mean_work(job_class: JobClass, parts: Sequence[Any]) -> float:
    """Return the mean server-time of a job at speed 1."""
    return sum(_segment_work(segment) for segment in segments_of(job_class, parts))


def _segment_work(segment: Mapping[str, Any]) -> float:
    law: Duration = segment["law"]
    if isinstance(segment["need"], int):
        return float(segment["need"]) * float(law.mean)
    found = law.as_phase_type()
    assert found is not None  # else it was refused
    stays = np.linalg.solve(-found.subgenerator.T, found.alpha)  # mean time in each phase
    return float(stays @ np.array(needs_of(segment)))


def mean_capacity(values: Mapping[str, Any]) -> float:
    """Return the mean speed of all servers together: speeds of groups, times that of the surroundings."""
    total = 0.0
    components = values["environment"]
    laws = [_time_in_states(component) for component in components]
    for states in product(*(range(len(law)) for law in laws)):
        chance = prod(law[state] for law, state in zip(laws, states, strict=True))
        speed = prod(float(own["speed"][state]) for own, state in zip(components, states, strict=True))
        for g, (servers, own_speed, _) in enumerate(values["groups"]):
            taken = sum(own["taken"][state][g] for own, state in zip(components, states, strict=True))
            total += chance * speed * float(own_speed) * max(0, servers - taken)
    return total


def capacity_processes(system: System, parts: Sequence[Any]) -> tuple[CapacityProcess, ...]:
    """Return what each component of the environment does to the capacity, the others being as they are on average."""
    groups = _told(system, parts)["groups"]
    components = _components(system, groups)
    speeds = [float(np.array(each.speed, dtype=float) @ each.time_in_states) for each in components]
    taken = [each.time_in_states @ np.array(each.taken, dtype=float) for each in components]
    sizes, own_speeds = (np.array([float(group[i]) for group in groups.values()]) for i in (0, 1))
    found = []
    for e, component in enumerate(components):
        there = sizes - sum(taken[:e] + taken[e + 1 :], np.zeros(len(sizes)))
        up = np.maximum(there - np.array(component.taken, dtype=float), 0.0) @ own_speeds
        capacity = prod(speeds[:e] + speeds[e + 1 :]) * np.array(component.speed, dtype=float) * up
        found.append(CapacityProcess(component=component, capacity=tuple(capacity.tolist())))
    return tuple(found)


def _time_in_states(component: Mapping[str, Any]) -> list[float]:
    """Return the share of time in each state: visits times mean stays."""
    visits = law_of(component["jump"], "jump")
    stays = [float(v) * float(law.mean) for v, law in zip(visits, component["sojourn"], strict=True)]
    return [stay / sum(stays) for stay in stays]


def why_not_phase_type(system: System, values: Mapping[str, Any]) -> str | None:
    """Return the reason if some law beside the classes' own durations is not phase type."""
    for what, law in _laws(system, values):
        if law is not None and law.as_phase_type() is None:
            mean, cv = float(law.mean), float(law.cv)
            return (
                f"{what} {law.law} durations, which are not phase type; "
                f"use law = 'fit' with mean = {mean:g}, cv = {cv:g}"
            )
    return None


def _laws(system: System, values: Mapping[str, Any]) -> Iterator[tuple[str, Duration | None]]:
    for c, told in zip(system.classes, values["classes"], strict=True):
        if c.share > 0:
            yield from (("a stage has", s["law"]) for s in told["segments"][1:])
    for component in values["environment"]:
        yield from (("the environment has", law) for law in component["sojourn"])
    if values["set_up"] is not None:
        yield "set_up has", values["set_up"]["law"]
        yield "delay has", values["set_up"]["delay"]
    if values["overhead"] is not None:
        yield "snapshot has", values["overhead"]["snapshot"]
        yield "transfer has", values["overhead"]["transfer"]


def check_parts(system: System, parts: Sequence[Any]) -> None:
    """Refuse a system that its parts, or what surrounds it, contradict."""
    told: dict[str, Any] = {"groups": {ALL: (system.servers, 1.0, {})}, "capacity": {}}
    for part in parts:
        told |= part.told()
    groups = told["groups"]
    total = sum(servers for servers, _, _ in groups.values())
    if total != system.servers:
        raise InvalidInput(f"groups have {total} servers together and servers = {system.servers}; make them equal")
    sizes = {name: servers for name, (servers, _, _) in groups.items()}
    for i, one in enumerate(system.environment):
        try:
            one.check(sizes)
        except MsjError as error:
            raise error.within("environment" if len(system.environment) == 1 else f"environment[{i}]") from None
    for index, c in enumerate(system.classes):
        try:
            for part in parts:
                part.check_class(c)
        except MsjError as error:
            raise error.within(f"classes[{index}]") from None
    values = plain_parts(system, parts)
    known = {name for _, _, own in groups.values() for name in own} | set(told["capacity"])
    for index, c in enumerate(system.classes):
        try:
            _check_class(c, values["classes"][index], groups, told["capacity"], known, values["environment"])
        except MsjError as error:
            raise error.within(f"classes[{index}]") from None


def _check_class(
    c: JobClass,
    told: Mapping[str, Any],
    groups: Mapping[str, Any],
    capacity: Mapping[str, int],
    known: set[str],
    environment: Sequence[Mapping[str, Any]],
) -> None:
    for segment in told["segments"]:
        for name in segment["resources"]:
            if name not in known:
                raise InvalidInput(f"resource '{name}' does not exist; {nearest(name, sorted(known))}")
            if told["span"] and name not in capacity:
                raise InvalidInput(
                    f"class '{c.name}' spans groups and names '{name}', which is a group's own; leave span or it out"
                )
    found = why_never_starts(c, told, groups, capacity, environment)
    if found is not None:
        reason, segment = found
        later = segment > 0 and len(told["segments"]) == 1 + len(c.extra.get("then", ()))
        raise InvalidInput(reason, where=f"then[{segment - 1}]" if later else "")
