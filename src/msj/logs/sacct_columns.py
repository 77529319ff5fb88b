"""Which of sacct's columns is what, and how many servers a job held: CPUs, nodes or GPUs, as the user says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msj.errors import InvalidInput
from msj.logs import cells
from msj.options import ReadOptions
from msj.registry import nearest
from msj.results.units import seconds_in

#: Part of a job: columns that say it, the best first.
PLACES: dict[str, tuple[str, ...]] = {
    "job": ("jobid", "jobidraw"),
    "submit": ("submit",),
    "eligible": ("eligible",),
    "start": ("start",),
    "end": ("end",),
    "run": ("elapsedraw", "elapsed"),
    "estimate": ("timelimitraw", "timelimit"),
    "status": ("state",),
    "user": ("user", "uid"),
    "group": ("account", "group"),
    "queue": ("qos",),
    "partition": ("partition",),
}
#: What a server is: columns that count it, and its name in a list of resources.
COUNTED: dict[str, tuple[tuple[str, ...], str]] = {
    "cpus": (("alloccpus", "ncpus"), "cpu"),
    "nodes": (("nnodes", "allocnodes"), "node"),
    "gpus": ((), "gres/gpu"),
}
REQUESTED = {"cpus": ("reqcpus",), "nodes": ("reqnodes",), "gpus": ()}
_OLD_GPU = re.compile(r"(?:gres[:/])?gpu(?::[^:=]+)?:(\d+)")


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The columns in use by the part of a job they say, what a server is, and sentences about what was guessed."""

    columns: dict[str, str]
    need: tuple[str, ...]  # columns that count servers; the first that says something counts
    resources: tuple[str, ...]  # lists of resources that do
    resource: str
    run_unit: float
    estimate_unit: float
    notes: tuple[str, ...]

    def wanted(self) -> list[str]:
        """Return every column that is looked at."""
        return list(dict.fromkeys([*self.columns.values(), *self.need, *self.resources]))


def choose(names: Sequence[str], options: ReadOptions) -> Chosen:
    """Find the columns by their names; what the user says comes first."""
    lower = {name.lower(): name for name in reversed(names) if name}
    given = {}
    for role, said in options.column_of.items():
        column = lower.get(said.lower()) or (
            names[int(said) - 1] if said.isdigit() and 0 < int(said) <= len(names) else ""
        )
        if not column:
            raise InvalidInput(f"columns: there is no column '{said}' for {role}; {nearest(said, lower.values())}")
        given[role] = column
    columns = dict(given)
    for role, places in PLACES.items():
        found = next((lower[place] for place in places if place in lower), None)
        if found is not None:
            columns.setdefault(role, found)
    need_given = columns.pop("need", None)
    notes = []
    if "eligible" in columns and options.wait_from != "eligible":
        del columns["eligible"]
    elif "eligible" in columns:
        notes.append("Jobs wait from when they were eligible; --wait-from submit counts from the submission.")
    kind = options.servers_are or _countable(lower)
    need: tuple[str, ...] = () if need_given is None else (need_given,)
    resources: tuple[str, ...] = ()
    if need_given is None:
        need = tuple(lower[name] for name in (*COUNTED[kind][0], *REQUESTED[kind]) if name in lower)
        resources = tuple(lower[name] for name in ("alloctres", "reqtres", "allocgres", "reqgres") if name in lower)
        if options.servers_are is None:
            notes.append(f"A server is one of the {kind}; --servers-are cpus, nodes or gpus says otherwise.")
    if not need and not resources:
        raise InvalidInput(
            f"no column counts {kind} among {', '.join(lower.values())}; ask sacct for "
            "AllocCPUS, NNodes or AllocTRES, or name one: --columns need=COLUMN"
        )
    lacking = [role for role, others in (("submit", ("start", "eligible")), ("run", ("end",)))
               if role not in columns and not set(others) & columns.keys()]  # fmt: skip
    if lacking:
        raise InvalidInput(
            f"no column for {' and '.join(lacking)} among {', '.join(lower.values())}; ask sacct for "
            "Submit, Start, End, Elapsed"
        )
    return Chosen(
        columns=columns,
        need=need,
        resources=resources,
        resource=COUNTED[kind][1],
        run_unit=seconds_in(options.time_unit) if "run" in given else 1.0,
        estimate_unit=60.0 if columns.get("estimate", "").lower() == "timelimitraw" else 1.0,
        notes=tuple(notes),
    )


def _countable(lower: dict[str, str]) -> str:
    for kind in ("cpus", "nodes"):
        if set(COUNTED[kind][0] + REQUESTED[kind]) & lower.keys():
            return kind
    return "cpus"


def need_of(table: Any, chosen: Chosen, count: int) -> tuple[Any, Any]:
    """Return how many servers each job held (0: not known), and how many it was given (nan: not known)."""
    need = np.zeros(count, dtype=np.int64)
    allocated = np.full(count, np.nan)
    for place, name in enumerate(chosen.need):
        values = cells.each(table[name], _count)
        if place == 0:
            allocated = np.where(values >= 0, values, np.nan)
        need = np.where(need > 0, need, np.maximum(values, 0)).astype(np.int64)
    for name in chosen.resources:
        values = cells.each(table[name], lambda text: _resource(text, chosen.resource))
        need = np.where(need > 0, need, values).astype(np.int64)
    return need, allocated


def _count(text: str) -> float:
    """Return a count as sacct prints it; some versions write 1.5K for 1536. -1 if it is none."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)([KkMm]?)\s*", text)
    if match is None:
        return -1.0
    value = float(match[1]) * {"": 1, "k": 1024, "m": 1024**2}[match[2].lower()]
    return value if value == int(value) and value < 2**53 else -1.0


def _resource(text: str, wanted: str) -> float:
    """Return how many of a resource a list names.

    Examples
    --------
    >>> _resource("billing=128,cpu=128,gres/gpu:a100=8,gres/gpu=8,node=2", "gres/gpu")
    8.0
    >>> _resource("gpu:a100:4", "gres/gpu"), _resource("gres/gpu:a100=4,gres/gpu:v100=2", "gres/gpu")
    (4.0, 6.0)
    """
    kinds = 0.0
    for part in text.split(","):
        name, _, value = part.strip().rpartition("=")
        if name == wanted:
            return max(_count(value), 0.0)
        if name.startswith(f"{wanted}:"):  # of one type; the total may stand beside it, or not
            kinds += max(_count(value), 0.0)
        elif wanted == "gres/gpu" and (old := _OLD_GPU.fullmatch(part.strip())) is not None:
            kinds += float(old[1])
    return kinds
