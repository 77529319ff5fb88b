"""Groups of servers, and jobs that may run only on some (kinds of servers, data locality; reset, Appendix H.4).

A job takes its need, all of it in one group: the first in its class's order of preference with room. Jobs start in
order of arrival; one that finds room in none of its groups blocks those behind it. Running jobs stay where they are.
One group is the ordinary cluster under FCFS.

A group may have a ``speed`` (a duration is the time at speed 1) and ``resources`` of its own, from which the jobs in it
take those of these names. A class with ``span = true`` may take servers of several groups at once, as many as are free
in each in its order of preference; such a job is as fast as the slowest group it uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.part import Part
from msj.disciplines.resource_amounts import amounts
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import JobClass, System
from msj.model.numbers import positive, text, truth, whole
from msj.model.table import frozen
from msj.registry import nearest


@dataclass(frozen=True, kw_only=True)
class ServerGroups(Part):
    """In a spec file: model = { name = "server-groups", groups = { old = 8, new = 4 } }; class: groups = ["new"].

    A group may be a table: { servers = 4, speed = 1.5, resources = { gpus = 2 } }. Class: span, resources.

    Examples
    --------
    >>> import msj
    >>> one, allowed = msj.Exponential(mean=1), {"any": ["old", "new"], "new only": ["new"]}
    >>> jobs = [msj.JobClass(name=name, need=1, share="1/2", duration=one, extra={"groups": groups})
    ...         for name, groups in allowed.items()]
    >>> system = msj.System(servers=3, classes=jobs, model={"name": "server-groups", "groups": {"old": 2, "new": 1}})
    >>> round(msj.analyse(system)["stability_threshold"], 6)
    1.75
    """

    name: ClassVar[str] = "server-groups"
    summary: ClassVar[str] = "groups of servers; a job runs inside one group, and only in those its class names"
    citation: ClassVar[str] = "reset, Appendix H.4"
    class_keys: ClassVar[tuple[str, ...]] = ("groups", "span", "resources")
    idles: ClassVar[str] = "a job may wait for room in one group while servers of another stand idle"

    groups: Mapping[str, Any]  # servers, or a table

    def __post_init__(self) -> None:
        if not isinstance(self.groups, Mapping) or not self.groups:
            raise InvalidInput(f"groups = {self.groups!r} must be a table of groups; write {{ old = 8, new = 4 }}")
        groups = {name: _group(group, f"groups.{name}") for name, group in self.groups.items()}
        object.__setattr__(self, "groups", frozen(groups, "groups"))

    def told(self) -> dict[str, Any]:
        return {"groups": {name: _as_told(group) for name, group in self.groups.items()}}

    def engine(self, system: System) -> ServedBy | None:
        if any(not isinstance(group, int) for group in self.groups.values()) or any(
            "span" in c.extra for c in system.classes
        ):
            return super().engine(system)  # the pools know neither speeds nor resources of groups
        ways = [
            [[c.need if name == used else 0 for name in self.groups] for used in self.groups_of(c)]
            for c in system.classes
        ]
        sizes = list(self.groups.values())
        return ServedBy("msj.engines.pools:PoolsEngine", capacity=sizes, ways=ways, servers=[True] * len(sizes))

    front_model = Part.front_model  # the same rule, whichever loop simulates it

    def class_value(self, key: str, value: Any) -> Any:
        if key == "span":
            return truth(value, key)
        if key == "resources":
            return amounts(value, key)
        if not isinstance(value, (list, tuple)) or not value:
            raise InvalidInput(f"{key} = {value!r} must be a list of groups in order of preference; write ['new']")
        for name in value:
            if text(name, key) not in self.groups:
                raise InvalidInput(f"group '{name}' does not exist; {nearest(name, self.groups)}")
        if len(set(value)) < len(value):
            raise InvalidInput(f"{key} = {list(value)} names a group twice; name each once")
        return tuple(value)

    def groups_of(self, job_class: JobClass) -> tuple[str, ...]:
        """Return the groups a class may run in: those it names, or all that are large enough."""
        named: tuple[str, ...] | None = job_class.extra.get("groups")
        return named or tuple(name for name, group in self.groups.items() if job_class.need <= _as_told(group)[0])


def _group(value: Any, name: str) -> Any:
    """Return a group as it is written: its servers, or a table with ``servers``, ``speed`` and ``resources``."""
    if not isinstance(value, Mapping):
        return whole(value, name)
    known = ("servers", "speed", "resources")
    for key in value:
        if key not in known:
            raise InvalidInput(f"{name}: unknown key '{key}'; {nearest(str(key), known)}")
    if "servers" not in value:
        raise InvalidInput(f"{name}: key 'servers' is missing; add servers = ...")
    found: dict[str, Any] = {"servers": whole(value["servers"], f"{name}.servers")}
    if "speed" in value:
        found["speed"] = positive(value["speed"], f"{name}.speed")
    if "resources" in value:
        found["resources"] = amounts(value["resources"], f"{name}.resources")
    return found


def _as_told(group: Any) -> tuple[int, float, dict[str, int]]:
    """Return servers, speed and resources of a group."""
    if isinstance(group, int):
        return group, 1.0, {}
    return group["servers"], float(group.get("speed", 1)), dict(group.get("resources", {}))


VARIANT = ServerGroups
