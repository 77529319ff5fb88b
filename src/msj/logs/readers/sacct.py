"""What Slurm's ``sacct -P`` (or ``-p``) prints: one line per job and per step, columns of the user's choice.

Columns go by the names in the header, in any order and case. Steps (``123.batch``, ``123.0``) hold the servers of their
job and are no jobs; the parts of a heterogeneous job (``123+0``, ``123+1``) are one job whose needs add up; a requeue
(the same id submitted again) is a job of its own. ``Elapsed`` leaves suspended time out. A job that a dependency or a
begin time held waits from when it was eligible. A bar inside a job's name is found by counting from both ends.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from msj.errors import InvalidInput
from msj.logs import cells
from msj.logs.delimited import SHOWN, Layout, parts_of
from msj.logs.opening import head_of, opened
from msj.logs.reader import LogReader
from msj.logs.reason import Reason
from msj.logs.rows import Rows, alike, blank
from msj.logs.sacct_columns import Chosen, choose, need_of
from msj.logs.stacking import begun, stacked
from msj.logs.tables import presets
from msj.options import ReadOptions

DELIMITERS = "|;,\t^"
KNOWN = frozenset(
    [
        "jobid",
        "jobidraw",
        "jobname",
        "partition",
        "submit",
        "eligible",
        "start",
        "end",
        "elapsed",
        "elapsedraw",
        "timelimit",
        "timelimitraw",
        "state",
        "nnodes",
        "ncpus",
        "alloccpus",
        "reqcpus",
        "alloctres",
        "reqtres",
        "user",
        "account",
        "group",
        "qos",
        "cluster",
        "nodelist",
        "exitcode",
        "allocnodes",
    ]
)
RUNNING = ("RUNNING", "SUSPENDED", "RESIZING", "COMPLETING", "STOPPED")
NEVER = ("PENDING", "CANCELLED", "DEADLINE", "BOOT_FAIL", "REVOKED")  # if they took no time


class Sacct(LogReader):
    """Slurm's accounting as ``sacct`` prints it."""

    name: ClassVar[str] = "sacct"
    summary: ClassVar[str] = "Slurm's sacct -P or -p, with or without a header"

    def likeness(self, head: bytes) -> float:
        if b"\0" in head:
            return 0.0
        found = _layout(head, ReadOptions(), asked=False)
        if found is None:
            return 0.0
        return 0.95 if found.has_header else 0.8

    def read(self, path: Path, options: ReadOptions) -> Rows:
        layout = _layout(head_of(path), options, asked=True)
        assert layout is not None
        chosen = choose(layout.names, options)
        parts: list[tuple[dict[str, Any], list[int]]] = []
        bad: list[tuple[int, str]] = []
        with opened(path) as stream:
            for part in parts_of(stream, layout, chosen.wanted(), _repair(layout)):
                parts.append((_rows(part.table, part.line, chosen), [line for line, _ in part.bad]))
                unread = parts[-1][0]["line"][parts[-1][0]["reason"] == Reason.BAD_LINE.code]
                bad += [*part.bad, *((int(line), "has a time or a number that cannot be read") for line in unread)]
                del bad[SHOWN:]
        columns, begins = begun(stacked(parts))
        notes = [] if layout.has_header or options.columns else ["The columns are taken for those Open XDMoD asks for."]
        notes += chosen.notes
        notes += _put_together(columns)
        columns.pop("base", None)
        return Rows(columns=columns, begins=begins, notes=tuple(notes), bad=tuple(bad))


def _layout(head: bytes, options: ReadOptions, *, asked: bool) -> Layout | None:
    """Return how the file is laid out; None where it does not look like sacct's and nobody said it was."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    first = next((line for line in text.splitlines() if line.strip()), "")
    for delimiter in DELIMITERS:
        names = tuple(name.strip() for name in first.split(delimiter))
        lower = {name.partition("%")[0].lower() for name in names}
        if lower & {"jobid", "jobidraw"} and len(lower & KNOWN) >= min(3, len(names)):
            names = tuple(name.partition("%")[0] or f"column {i + 1}" for i, name in enumerate(names))
            return Layout(delimiter=delimiter, names=names, has_header=True, quoted=False)
    found = first.split("|")
    for preset in presets():
        order = preset.get("order", ())
        if preset.get("format") == "sacct" and len(order) == len(found) - (not found[-1]):
            there = dict(zip(order, found, strict=False))
            if cells.moment(there["Submit"]) is not None and cells.span(there["Elapsed"]) is not None:
                names = tuple(order) + (("",) if len(found) > len(order) else ())
                return Layout(delimiter="|", names=names, has_header=False, quoted=False)
    if not asked:
        return None
    if len(found) > 1 and options.columns and all(column.isdigit() for column in options.column_of.values()):
        return Layout(delimiter="|", names=tuple(str(i + 1) for i in range(len(found))), has_header=False, quoted=False)
    raise InvalidInput(
        f"has no header, and its {len(found)} columns are not those of a known request; number them: "
        "--columns job=1,submit=2,start=3,run=4,need=5,status=6, or print it without --noheader"
    )


def _repair(layout: Layout) -> Callable[[list[str]], list[str] | None]:
    lower = [name.lower() for name in layout.names]

    def repair(found: list[str]) -> list[str] | None:
        """Put the pieces of a job's name together again, if the times are where they belong then."""
        more = len(found) - len(lower)
        if more <= 0 or "jobname" not in lower:
            return None
        at = lower.index("jobname")
        mended = [*found[:at], " ".join(found[at : at + more + 1]), *found[at + more + 1 :]]
        checks = [(cells.moment, "submit"), (cells.moment, "start"), (cells.span, "elapsed"), (cells.span, "timelimit")]
        read = [check(mended[lower.index(name)]) for check, name in checks if name in lower]
        return mended if read and None not in read else None

    return repair


def _rows(table: Any, line: Any, chosen: Chosen) -> dict[str, Any]:
    count = len(line)
    columns = blank(count)
    columns["line"] = line
    unread = np.zeros(count, dtype=bool)

    def read(role: str, how: Callable[[Any], cells.Column]) -> Any:
        nonlocal unread
        if role not in chosen.columns:
            return np.full(count, np.nan)
        values, wrong = how(table[chosen.columns[role]])
        unread |= wrong
        return values

    job = table[chosen.columns["job"]] if "job" in chosen.columns else None
    submit, eligible = read("submit", cells.moments), read("eligible", cells.moments)
    start, end = read("start", cells.moments), read("end", cells.moments)
    run = read("run", cells.spans) * chosen.run_unit
    columns["run"] = run if "run" in chosen.columns else end - start
    estimate = read("estimate", cells.spans) * chosen.estimate_unit
    columns["estimate"] = np.where(estimate > 0, estimate, np.nan)
    since = submit if "eligible" not in chosen.columns else np.where(np.isfinite(eligible), eligible, submit)
    since = np.where(np.isfinite(since), since, np.nan)
    columns["submit"] = since
    columns["wait"] = np.where(start >= since, start - since, np.nan)
    columns["need"], allocated = need_of(table, chosen, count)
    state = cells.texts(table[chosen.columns["status"]]) if "status" in chosen.columns else None
    steps = _has(job, ".", count)
    columns["reason"] = _reasons(columns, start, end, allocated, state, unread & ~steps, steps)
    if job is not None:
        columns["job"] = cells.labels(job)
        columns["base"] = np.where(_has(job, "+", count) & ~steps, columns["job"], "")
    if state is not None:
        columns["status"] = state
    for role in ("user", "group", "queue", "partition"):
        if role in chosen.columns:
            columns[role] = cells.texts(table[chosen.columns[role]])
    return columns


def _has(job: Any, sign: str, count: int) -> Any:
    import pyarrow.compute

    if job is None:
        return np.zeros(count, dtype=bool)
    return np.asarray(pyarrow.compute.match_substring(job, sign), dtype=bool)


def _reasons(columns: dict[str, Any], start: Any, end: Any, allocated: Any, state: Any, unread: Any, steps: Any) -> Any:
    count = len(steps)
    words = [text.split()[0].upper() if text.split() else "" for text in state.categories] if state is not None else []

    def one_of(known: tuple[str, ...]) -> Any:
        if state is None:
            return np.zeros(count, dtype=bool)
        among = np.array([*(word in known for word in words), False])
        return among[state.codes]

    running = one_of(RUNNING) | (
        np.isfinite(start) & ~np.isfinite(end) & (one_of(("",)) if state is not None else True)
    )
    no_time = ~(columns["run"] > 0)
    never = no_time & (one_of(NEVER) | (allocated == 0) | ~np.isfinite(start))
    if not np.isfinite(start).any():  # the log has no starts: it cannot say who never did
        never = no_time & one_of(NEVER)
    if not np.isfinite(end).any():
        running = one_of(RUNNING)
    reason = np.zeros(count, dtype=np.int8)
    for rows, why in (
        (never, Reason.NEVER_RAN),
        (running, Reason.STILL_RUNNING),
        (steps, Reason.STEP),
        (unread, Reason.BAD_LINE),
    ):
        reason[rows] = why.code
    return reason


def _put_together(columns: dict[str, Any]) -> list[str]:
    """Make one job of the parts of a heterogeneous one, and drop rows that stand there twice; return what to say."""
    if "base" not in columns:
        return []
    notes = []
    among = np.flatnonzero((columns["reason"] == 0) & (columns["base"] != ""))
    if len(among):
        key = np.array([f"{columns['job'][i].partition('+')[0]} {columns['submit'][i]}" for i in among])
        for group in alike(key):
            rows = among[group]
            first = rows[0]
            columns["need"][first] = columns["need"][rows].sum()
            columns["run"][first] = columns["run"][rows].max()
            columns["reason"][rows[1:]] = Reason.PIECE.code
        notes.append("The parts of a heterogeneous job are one job whose needs add up.")
    import pandas

    used = np.flatnonzero(columns["reason"] == 0)
    doubled = (
        pandas.DataFrame({name: columns[name][used] for name in ("job", "submit", "wait")}).duplicated().to_numpy()
    )
    columns["reason"][used[doubled]] = Reason.PIECE.code
    if doubled.any():
        notes.append(f"{int(doubled.sum()):,} rows stand in the file twice (same id, submission and start).")
    return notes


VARIANT = Sacct
