"""The jobs of each need in a list of their own, in order of arrival, of which a beginning is served."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.engines.compiling import helper
from msj.engines.event import start, stop

#: The list of the jobs of one need.
GROUP = np.dtype(
    [
        ("need", "i8"),
        ("head", "i8"),  # oldest job
        ("tail", "i8"),  # youngest
        ("edge", "i8"),  # youngest that is served
        ("served", "i8"),  # how many are
        ("members", "i8"),  # how many there are
        ("target", "i8"),  # how many shall be served
        ("cursor", "i8"),  # the next to be looked at
    ]
)


def empty_lists(needs: NDArray[np.int64], servers: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return an empty list for each of the needs (ascending, each once), and which list each need has."""
    groups = np.zeros(len(needs), dtype=GROUP)
    groups["need"] = needs
    for place in ("head", "tail", "edge"):
        groups[place] = -1
    group_of = np.zeros(servers + 1, dtype=np.int64)
    group_of[needs] = np.arange(len(needs))
    return groups, group_of


@helper
def join(jobs: Any, groups: Any, slot: Any) -> Any:
    """Put a job at the end of the list of its need."""
    g = jobs[slot].group
    end = groups[g].tail
    jobs[slot].before, jobs[slot].next = end, -1
    if end < 0:
        groups[g].head = slot
    else:
        jobs[end].next = slot
    groups[g].tail = slot
    groups[g].members += 1


@helper
def part(jobs: Any, groups: Any, slot: Any) -> Any:
    """Take a job that is served out of the list of its need."""
    g = jobs[slot].group
    before, after = jobs[slot].before, jobs[slot].next
    if before < 0:
        groups[g].head = after
    else:
        jobs[before].next = after
    if after < 0:
        groups[g].tail = before
    else:
        jobs[after].before = before
    if groups[g].edge == slot:
        groups[g].edge = before
    groups[g].served -= 1
    groups[g].members -= 1


@helper
def serve(present: Any, groups: Any, g: Any, wanted: Any) -> Any:
    """Stop or start jobs of a need until so many of its oldest are served."""
    # For a moment more may run than servers allow, so the heap has room.
    jobs = present.jobs
    while groups[g].served > wanted:
        slot = groups[g].edge
        stop(present, slot)
        groups[g].edge = jobs[slot].before
        groups[g].served -= 1
    while groups[g].served < wanted:
        end = groups[g].edge
        slot = groups[g].head if end < 0 else jobs[end].next
        start(present, slot)
        groups[g].edge = slot
        groups[g].served += 1
