"""Groups of servers, and jobs that may run only on some (kinds of servers, data locality; reset, Appendix H.4).

A job takes its need, all of it in one group: the first in its class's order of preference with room. Jobs start in
order of arrival; one that finds room in none of its groups blocks those behind it. Running jobs stay where they are.
One group is the ordinary cluster under FCFS. A running job is (group, type).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from msj.errors import InvalidInput
from msj.fronts.models.head_of_line import HeadOfLine, Running, RunningAndWaiting
from msj.fronts.models.phased_model import ModelClass, given_classes
from msj.fronts.models.system_model import SystemModel
from msj.model import JobClass, System
from msj.model.numbers import text, whole
from msj.model.table import frozen
from msj.registry import nearest


@dataclass(frozen=True, kw_only=True)
class GroupedClass(ModelClass):
    """Jobs that hold ``need`` servers of one of ``groups``, the first with room."""

    need: int
    groups: Sequence[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "need", whole(self.need, "need"))
        if isinstance(self.groups, str):
            raise InvalidInput(f"groups = {self.groups!r} must be a list of names; write ['{self.groups}']")
        object.__setattr__(self, "groups", tuple(self.groups))
        if not self.groups:
            raise InvalidInput(f"class '{self.name}' may run in no group; name at least one")


@dataclass(frozen=True, kw_only=True)
class ServerGroups(HeadOfLine):
    """FCFS on groups of servers.

    Examples
    --------
    >>> import msj
    >>> one = msj.Exponential(mean=1)
    >>> model = ServerGroups(groups={"old": 2, "new": 1}, classes=[
    ...     GroupedClass(name="any", share="1/2", need=1, groups=["old", "new"], duration=one),
    ...     GroupedClass(name="new only", share="1/2", need=1, groups=["new"], duration=one)])
    >>> result = msj.analyse_model(model, load=0.8)
    >>> round(result["stability_threshold"], 6)
    1.75
    """

    groups: Mapping[str, int]
    classes: Sequence[GroupedClass]

    def __post_init__(self) -> None:
        if not isinstance(self.groups, Mapping) or not self.groups:
            raise InvalidInput(f"groups = {self.groups!r} must name groups of servers; write {{'old': 8, 'new': 4}}")
        groups = {name: whole(servers, f"groups['{name}']") for name, servers in self.groups.items()}
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "classes", given_classes(self.classes, GroupedClass))
        for c in self.classes:
            for name in c.groups:
                if name not in groups:
                    raise InvalidInput(f"class '{c.name}' names group '{name}'; there are: {', '.join(groups)}")
                if c.need > groups[name]:
                    raise InvalidInput(
                        f"class '{c.name}' needs {c.need} servers and group '{name}' has {groups[name]}; "
                        "lower need or take the group out of its list"
                    )
        self._check_classes()

    def __hash__(self) -> int:
        return hash((tuple(self.groups.items()), self.classes))

    @property
    def job_classes(self) -> Sequence[ModelClass]:
        """See :meth:`PhasedModel.job_classes`."""
        return self.classes

    @cached_property
    def most_jobs(self) -> int:
        """Every group full of the smallest jobs it takes, and one that waits."""
        most = 1
        for name, servers in self.groups.items():
            needs = [c.need for c in self.classes if name in c.groups and c.share > 0]
            most += servers // min(needs) if needs else 0
        return most

    @cached_property
    def _class_of_type(self) -> tuple[GroupedClass, ...]:
        return tuple(self.classes[c] for c in self.types.class_of)

    def started(self, running: Running, job: int) -> tuple[str, int] | None:
        """See :meth:`HeadOfLine.started`."""
        c = self._class_of_type[job]
        busy = self.busy(running)
        return next(((name, job) for name in c.groups if busy[name] + c.need <= self.groups[name]), None)

    def next_of(self, entry: tuple[str, int]) -> Iterator[tuple[float, tuple[str, int] | None]]:
        """See :meth:`HeadOfLine.next_of`."""
        for rate, after in self.changes(entry[1]):
            yield rate, None if after is None else (entry[0], after)

    def job_of(self, entry: tuple[str, int]) -> int:
        """See :meth:`HeadOfLine.job_of`."""
        return entry[1]

    def busy(self, running: Running) -> dict[str, int]:
        """Return how many servers of each group the running jobs hold."""
        held = dict.fromkeys(self.groups, 0)
        for name, job in running:
            held[name] += self._class_of_type[job].need
        return held

    def busy_servers(self, front: RunningAndWaiting) -> float:
        """See :meth:`FrontModel.busy_servers`."""
        return float(sum(self.busy(front[0]).values()))


@dataclass(frozen=True, kw_only=True)
class ServerGroupsModel(SystemModel):
    """In a spec file: model = { name = "server-groups", groups = { old = 8, new = 4 } }; class: groups = ["new"]."""

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

    def class_value(self, key: str, value: Any) -> tuple[str, ...]:
        """See :meth:`SystemModel.class_value`."""
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
        """See :meth:`SystemModel.check`."""
        total = sum(self.groups.values())
        if total != system.servers:
            raise InvalidInput(f"groups have {total} servers together and servers = {system.servers}; make them equal")
        for index, c in enumerate(system.classes):
            narrow = next((name for name in self.groups_of(c) if c.need > self.groups[name]), None)
            if narrow is not None or not self.groups_of(c):
                most = "no group" if narrow is None else f"group '{narrow}' with {self.groups[narrow]}"
                raise InvalidInput(
                    f"class '{c.name}' needs {c.need} servers of one group and {most} has as many; "
                    "lower need or name larger groups",
                    where=f"classes[{index}]",
                )

    def front(self, system: System) -> ServerGroups:
        """See :meth:`SystemModel.front`."""
        classes = [
            GroupedClass(name=c.name, share=c.share, need=c.need, groups=self.groups_of(c), duration=c.duration)
            for c in system.classes
        ]
        return ServerGroups(groups=self.groups, classes=classes)


VARIANT = ServerGroupsModel
