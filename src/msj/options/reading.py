"""How to read a log: what its user says about it that the log does not say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from msj.errors import InvalidInput
from msj.options.option import Options, option
from msj.registry import nearest

SERVERS_ARE = ("cpus", "nodes", "gpus")
WAITS_FROM = ("eligible", "submit")
ROLES = (
    "submit", "need", "run", "estimate", "wait", "start", "end", "eligible", "job", "user", "group", "queue",
    "partition", "status",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReadOptions(Options):
    """How to read a log, wherever one may be given.

    Examples
    --------
    >>> ReadOptions(columns="submit=submit_time, need=num_gpu").columns
    {'submit': 'submit_time', 'need': 'num_gpu'}
    >>> ReadOptions(from_time="2024-03-01 12:00").from_time
    datetime.datetime(2024, 3, 1, 12, 0)
    """

    servers: int | None = option(
        None,
        "Number of servers of the machine, where the log does not say it or says it wrong.",
        metavar="N",
        kind="whole",
        shown="as the log says",
    )
    servers_are: str | None = option(
        None,
        "What a server is in a log that counts several things.",
        metavar="cpus|nodes|gpus",
        shown="cpus, else nodes",
    )
    columns: str | Mapping[str, str] = option(
        "",
        "Columns of a table, by name, or by number from 1 on where it has no header.",
        metavar="submit=A,need=B,run=C[,estimate=D,wait=E]",
    )
    time_unit: str | None = option(None, "Unit of times that are plain numbers in a table.", metavar="s|ms|min|h|...")
    wait_from: str = option(
        "eligible", "Beginning of a job's wait in a log that has both times.", metavar="eligible|submit"
    )
    format: str | None = option(
        None, "Format of the file.", metavar="swf|sacct|csv|parquet", shown="told by its contents"
    )
    strict: bool = option(False, "Refuse a log with a line that is no job.", kind="flag")
    from_time: float | str | datetime | None = option(
        None,
        "Only jobs submitted from this moment on: seconds of the log, or a date, '2024-03-01 12:00'.",
        metavar="S|DATE",
        flags=("--from",),
    )
    until_time: float | str | datetime | None = option(
        None,
        "Only jobs submitted before this moment: seconds of the log, or a date.",
        metavar="S|DATE",
        flags=("--until",),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        from msj.model.numbers import whole
        from msj.results.units import time_unit as unit_named

        if self.servers is not None:
            object.__setattr__(self, "servers", whole(self.servers, "servers"))
        object.__setattr__(self, "columns", _columns(self.columns))
        for name, known in (("servers_are", SERVERS_ARE), ("wait_from", WAITS_FROM)):
            given = getattr(self, name)
            if given is not None and given not in known:
                raise InvalidInput(f"{name} '{given}' is unknown; {nearest(str(given), known)}")
        if self.time_unit is not None:
            object.__setattr__(self, "time_unit", unit_named(self.time_unit))
        for name in ("from_time", "until_time"):
            object.__setattr__(self, name, _moment(getattr(self, name), name))

    @property
    def column_of(self) -> Mapping[str, str]:
        """The column of each part of a job that is named."""
        assert isinstance(self.columns, Mapping)
        return self.columns


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


def _moment(given: Any, name: str) -> float | datetime | None:
    """Return seconds of the log, or a date; None where nothing is given."""
    from msj.model.numbers import number

    if isinstance(given, str):
        try:
            given = float(given)
        except ValueError:
            try:
                given = datetime.fromisoformat(given.strip())
            except ValueError:
                raise InvalidInput(
                    f"{name} = {given!r} is no moment; write seconds of the log, or a date: '2024-03-01 12:00'"
                ) from None
    if isinstance(given, datetime):
        if given.tzinfo is not None:
            raise InvalidInput(f"{name} = {given} has a time zone; write the log's local time without one")
        return given
    return None if given is None else float(number(given, name))
