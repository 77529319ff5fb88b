"""Tables of jobs (CSV, Parquet): which column is what, and the rows that come of it.

A job needs three columns: when it was submitted, how many servers it needs, how long it ran. Which they are, the user
says, a preset (``presets.toml``), or their names do; what was guessed is said.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from msj.errors import InvalidInput
from msj.logs import cells
from msj.logs.reason import Reason
from msj.logs.rows import blank
from msj.options import ReadOptions
from msj.registry import nearest
from msj.results.units import seconds_in

#: Names that say what a column is, in any case; the first that is there counts.
NAMES: dict[str, tuple[str, ...]] = {
    "submit": ("submit", "submit_time", "submission_time", "submitted", "arrival", "arrival_time", "queued_at", "time"),
    "eligible": ("eligible", "eligible_time"),
    "start": ("start", "start_time", "starting_time", "started", "started_at"),
    "end": ("end", "end_time", "finish", "finish_time", "finished", "completion_time", "ended"),
    "run": ("run", "run_time", "runtime", "duration", "elapsed", "execution_time", "service_time", "seconds"),
    "need": (
        "need", "servers", "num_gpu", "gpu_num", "num_gpus", "gpus", "nodes", "num_nodes", "nnodes", "cores", "cpus",
        "ncpus", "num_cpus", "procs", "processors", "requested_number_of_resources", "plan_gpu", "size",
    ),
    "estimate": ("estimate", "requested_time", "requested", "walltime_req", "timelimit", "time_limit", "wallclock_req"),
    "wait": ("wait", "wait_time", "waiting_time", "queue_time"),
    "job": ("job", "job_id", "jobid", "id", "job_name"),
    "user": ("user", "user_id", "username", "user_name"),
    "group": ("group", "account", "project"),
    "queue": ("queue", "vc", "qos", "class"),
    "partition": ("partition",),
    "status": ("status", "state"),
}  # fmt: skip
TEXTS = ("user", "group", "queue", "partition", "status", "class")
TIMES = ("run", "estimate", "wait")
MOMENTS = ("submit", "eligible", "start", "end")


@cache
def presets() -> tuple[dict[str, Any], ...]:
    """Return the tables whose columns are known."""
    text = files("msj.logs").joinpath("presets.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["preset"])


def columns_of(names: Sequence[str], options: ReadOptions) -> tuple[dict[str, str], float, list[str]]:
    """Return which column is which part of a job, the seconds in a unit of time, and what was guessed."""
    chosen = {role: _column(names, role, given) for role, given in options.column_of.items()}
    known = next((p for p in presets() if "header" in p and set(p["header"]) <= set(names)), None)
    notes = []
    unit = options.time_unit
    guessed: dict[str, str] = {}
    if known is not None:
        guessed = {role: name for role, name in known["columns"].items() if name in names}
        unit = unit or known.get("time_unit")
        notes.append(f"The columns are those of {known['name']}.")
    else:
        lower = {name.strip().lower().replace(" ", "_"): name for name in reversed(names)}
        for role, words in NAMES.items():
            found = next((lower[word] for word in words if word in lower), None)
            if found is not None:
                guessed[role] = found
    for role, name in guessed.items():
        if name not in chosen.values():
            chosen.setdefault(role, name)
    if known is None and (said := [f"{role} = {name}" for role, name in chosen.items() if role not in options.columns]):
        notes.append(f"Guessed from the names of the columns: {', '.join(said)}; --columns says otherwise.")
    _check(chosen, names)
    if options.time_unit is None and unit is not None:
        notes.append(f"Times are in {unit}; --time-unit says otherwise.")
    return chosen, seconds_in(unit), notes


def _column(names: Sequence[str], role: str, given: str) -> str:
    """Return the column a user names, or numbers from 1 on."""
    if given in names:
        return given
    lower = {name.lower(): name for name in names}
    if given.lower() in lower:
        return lower[given.lower()]
    if given.isdigit() and 1 <= int(given) <= len(names):
        return names[int(given) - 1]
    raise InvalidInput(f"columns: there is no column '{given}' for {role}; {nearest(given, names)}")


def _check(chosen: Mapping[str, str], names: Sequence[str]) -> None:
    lacking = []
    if not {"submit", "start"} & chosen.keys():
        lacking.append("submit")
    if "need" not in chosen:
        lacking.append("need")
    if "run" not in chosen and not {"start", "end"} <= chosen.keys():
        lacking.append("run")
    if lacking:
        shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
        raise InvalidInput(
            f"no column for {' and '.join(lacking)} among {shown}; name them: "
            f"--columns {','.join(f'{role}=COLUMN' for role in lacking)}"
        )


def rows_of(table: Any, line: Any, chosen: Mapping[str, str], unit: float) -> dict[str, Any]:
    """Return the rows of a pyarrow table; a cell that cannot be read makes its row bad."""
    columns, count = blank(len(line)), len(line)
    columns["line"] = line
    unread = np.zeros(count, dtype=bool)
    found: dict[str, Any] = {}
    for role in (*MOMENTS, *TIMES, "need"):
        if role in chosen:
            column = table[chosen[role]]
            read = {"need": cells.numbers, **dict.fromkeys(MOMENTS, cells.moments)}.get(role, cells.spans)
            values, wrong = read(column)
            unread |= wrong
            found[role] = values * (unit if role != "need" and cells.are_numbers(column) else 1.0)
    columns["submit"] = found.get("submit", found.get("start"))
    if "run" in found:
        columns["run"] = found["run"]
    else:
        columns["run"] = found["end"] - found["start"]
    if "wait" in found:
        columns["wait"] = np.where(found["wait"] >= 0, found["wait"], np.nan)
    elif "start" in found and "submit" in found:
        columns["wait"] = np.where(found["start"] >= found["submit"], found["start"] - found["submit"], np.nan)
    if "estimate" in found:
        columns["estimate"] = np.where(found["estimate"] > 0, found["estimate"], np.nan)
    need = np.nan_to_num(found["need"], nan=0.0, posinf=0.0, neginf=0.0)
    columns["need"] = np.where((need > 0) & (need < 2**53) & (need == np.floor(need)), need, 0).astype(np.int64)
    columns["reason"] = np.where(unread, Reason.BAD_LINE.code, 0).astype(np.int8)
    for role in TEXTS:
        if role in chosen:
            columns[role] = cells.texts(table[chosen[role]])
    if "replication" in chosen:
        columns["replication"] = np.nan_to_num(cells.numbers(table[chosen["replication"]])[0])
    if "job" in chosen:
        columns["job"] = cells.labels(table[chosen["job"]])
    return columns
