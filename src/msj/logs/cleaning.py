"""Which rows of a log are jobs: every row is used, or left out for one reason, and nothing is lost in between.

A failed or cancelled job that ran held its servers, so it counts as any other does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msj.logs.reason import Reason
from msj.logs.rows import Rows

LONGEST = 1e14  # seconds: three million years; what is longer is no time
MOST = 10**9  # servers
SHOWN = 5  # lines that are named for each reason


def judged(rows: Rows, servers: int | None) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Return the code of the reason why each row is left out; 0 where it is used."""
    columns = rows.columns
    reason = columns["reason"].copy()
    unusable = (
        (~((columns["run"] > 0) & (columns["run"] < LONGEST)), Reason.NO_RUN_TIME),  # nan included
        ((columns["need"] <= 0) | (columns["need"] > MOST), Reason.NO_NEED),
        (~(np.abs(columns["submit"]) < LONGEST), Reason.NO_SUBMIT),
        (columns["need"] > (np.inf if servers is None else servers), Reason.NEEDS_TOO_MANY),
    )
    for rows_that_are, why in unusable:
        reason[rows_that_are & (reason == 0)] = why.code
    return np.asarray(reason)


def counted(reason: Any, line: Any) -> dict[Reason, tuple[int, tuple[int, ...]]]:
    """Return for each reason how many rows it left out, and the lines of the first of them."""
    found = {}
    counts = np.bincount(reason, minlength=len(Reason) + 1)
    for why in Reason:
        if counts[why.code]:
            lines = line[np.flatnonzero(reason == why.code)[:SHOWN]]
            found[why] = (int(counts[why.code]), tuple(int(number) for number in lines))
    return found


def plausible(times: Any) -> Any:
    """Return times that matter less than the others, nan where they are none."""
    return np.where(times < LONGEST, times, np.nan) if (times >= LONGEST).any() else times


def in_order(columns: dict[str, Any], used: Any, in_order_of: str) -> Any:
    """Return the rows that are used in order of submission; ties as ``in_order_of`` says."""
    places = np.flatnonzero(used)
    submit = columns["submit"][places]
    tie = columns.get(in_order_of, columns["line"])[places]
    if tie.dtype == object:
        tie = columns["line"][places]
    step = np.diff(submit)
    if (step > 0).all() or ((step >= 0).all() and (np.diff(tie)[step == 0] >= 0).all()):
        return places
    return places[np.lexsort((tie, submit))]
