"""Groups of servers, and jobs that may run only on some (kinds of servers, data locality; reset, Appendix H.4).

A job takes its need, all of it in one group: the first in its class's order of preference with room. Jobs start in
order of arrival; one that finds room in none of its groups blocks those behind it. Running jobs stay where they are.
One group is the ordinary cluster under FCFS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.errors import InvalidInput
from msj.model import JobClass, System
from msj.model.numbers import text, whole
from msj.model.table import frozen
from msj.registry import nearest


@dataclass(frozen=True, kw_only=True)
class ServerGroups(Model):
    """In a spec file: model = { name = "server-groups", groups = { old = 8, new = 4 } }; class: groups = ["new"].

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
    class_keys: ClassVar[tuple[str, ...]] = ("groups",)
    idles: ClassVar[str] = "a job may wait for room in one group while servers of another stand idle"

    groups: Mapping[str, int]

    def __post_init__(self) -> None:
        if not isinstance(self.groups, Mapping) or not self.groups:
            raise InvalidInput(f"groups = {self.groups!r} must be a table of groups; write {{ old = 8, new = 4 }}")
        groups = {name: whole(servers, f"groups.{name}") for name, servers in self.groups.items()}
        object.__setattr__(self, "groups", frozen(groups, "groups"))

    def engine(self, system: System) -> ServedBy:
        ways = [
            [[c.need if name == used else 0 for name in self.groups] for used in self.groups_of(c)]
            for c in system.classes
        ]
        sizes = list(self.groups.values())
        return ServedBy("msj.engines.pools:PoolsEngine", capacity=sizes, ways=ways, servers=[True] * len(sizes))

    def front_model(self, system: System) -> ServedBy:
        allowed = [self.groups_of(c) for c in system.classes]
        return ServedBy("msj.fronts.server_groups:ServerGroupsFront", groups=self.groups, allowed=allowed)

    def class_value(self, key: str, value: Any) -> tuple[str, ...]:
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
        return named or tuple(name for name, servers in self.groups.items() if job_class.need <= servers)

    def check(self, system: System) -> None:
        total = sum(self.groups.values())
        if total != system.servers:
            raise InvalidInput(f"groups have {total} servers together and servers = {system.servers}; make them equal")
        for index, c in enumerate(system.classes):
            narrow = next((name for name in self.groups_of(c) if c.need > self.groups[name]), None)
            if narrow is not None or not self.groups_of(c):
                most = "no group has as many" if narrow is None else f"group '{narrow}' has {self.groups[narrow]}"
                raise InvalidInput(
                    f"class '{c.name}' needs {c.need} servers of one group and {most}; "
                    "lower need or name larger groups",
                    where=f"classes[{index}]",
                )


VARIANT = ServerGroups
