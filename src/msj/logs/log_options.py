"""What a user may say about a log that the log does not say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msj.errors import InvalidInput
from msj.model.numbers import whole
from msj.registry import nearest
from msj.results.units import TIME_UNITS
from msj.results.units import time_unit as unit_named

SERVERS_ARE = ("cpus", "nodes", "gpus")
WAITS_FROM = ("eligible", "submit")
ROLES = (
    "submit", "need", "run", "estimate", "wait", "start", "end", "eligible", "job", "user", "group", "queue",
    "partition", "status",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    """How to read a log.

    Parameters
    ----------
    servers
        The machine's size, where the log does not say it or says it wrong.
    servers_are
        What a server is in a log that counts several things: cpus, nodes or gpus.
    columns
        Which column of the file has which part: ``{"submit": "submit_time", "need": "num_gpu"}``, or as a text
        ``submit=submit_time,need=num_gpu``. Columns of a file without a header go by their number, from 1 on.
    time_unit
        The unit of times that are plain numbers: s, ms, min, h, or any other name of ``results.units``.
    wait_from
        Where a log has both: whether a job waits from when it was eligible, or from its submission.
    strict
        Refuse a log with a line that is no job.

    Examples
    --------
    >>> LogOptions(columns="submit=submit_time, need=num_gpu").columns
    {'submit': 'submit_time', 'need': 'num_gpu'}
    >>> LogOptions(time_unit="h").seconds
    3600.0
    """

    servers: int | None = None
    servers_are: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    time_unit: str | None = None
    wait_from: str = "eligible"
    strict: bool = False

    def __post_init__(self) -> None:
        if self.servers is not None:
            object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "columns", _columns(self.columns))
        for name, known in (("servers_are", SERVERS_ARE), ("wait_from", WAITS_FROM)):
            given = getattr(self, name)
            if given is not None and given not in known:
                raise InvalidInput(f"{name} '{given}' is unknown; {nearest(str(given), known)}")

        if self.time_unit is not None:
            object.__setattr__(self, "time_unit", unit_named(self.time_unit))

    @property
    def seconds(self) -> float:
        """Seconds in a unit of time; 1 where none is given."""
        return seconds_in(self.time_unit)


def seconds_in(unit: str | None) -> float:
    """Return the seconds in a unit of time; 1 where none is given."""
    return 1.0 if unit is None else float(TIME_UNITS[unit_named(unit)].seconds)


def _columns(given: Any) -> dict[str, str]:
    if isinstance(given, str):
        parts = [part.partition("=") for part in given.split(",") if part.strip()]
        if wrong := [name for name, sign, column in parts if not (sign and name.strip() and column.strip())]:
            raise InvalidInput(
                f"columns: '{wrong[0]}' names no column; write submit=submit_time,need=nodes,run=seconds"
            )
        given = {name.strip(): column.strip() for name, _, column in parts}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"columns = {given!r} is no map; write submit=submit_time,need=nodes,run=seconds")
    for role in given:
        if role not in ROLES:
            raise InvalidInput(f"columns: '{role}' is no part of a job; {nearest(str(role), ROLES)}")
    return {str(role): str(column) for role, column in given.items()}
