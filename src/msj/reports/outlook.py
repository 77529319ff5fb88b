"""The outlook: the same mix of jobs on two, four and eight times the servers (``growth.cluster``).

The load is kept: the same share of each size's own threshold. Where no theorem gives that threshold, the utilisation
is, at what the report names.
"""

from __future__ import annotations

import numpy as np

from msj.effort import Effort
from msj.errors import MsjError
from msj.growth.cluster import AT_LOAD, Keep, at_size, largest_need_of, saturated_rows
from msj.model import System
from msj.model.changes import with_servers
from msj.planning import Capacity
from msj.reports.contents import Load, OutlookRow, OutlookSection, ResponseSection

TIMES = (1, 2, 4, 8)
USUAL_LOAD = 0.8
SHOWN = ("stability_threshold", "waiting_probability", "mean_response_time")


def outlook_section(
    system: System,
    load: Load,
    capacity: Capacity,
    response: ResponseSection,
    effort: Effort,
    root: np.random.SeedSequence,
) -> OutlookSection:
    """Follow the cluster as it grows; ``response`` is what is known of it at its own size and load."""
    known = capacity.proved
    keep: Keep = "load" if known else "utilisation"
    kept = load.load if known else load.utilisation
    notes: list[str] = []
    if not load.stable or load.load >= 1:
        kept = USUAL_LOAD if known else USUAL_LOAD * capacity.lowest / capacity.naive_threshold.value
        notes.append(f"The load itself is too much; the outlook is at {keep} {kept:.3g}.")
    there = system.replace(load=kept) if known else system.replace(utilisation=kept)
    rows: list[OutlookRow] = []
    for done, (times, stream) in enumerate(zip(TIMES, root.spawn(len(TIMES)), strict=True)):
        effort.tell(done / len(TIMES))
        servers = times * system.servers
        if effort.over:
            notes.append(f"{servers:,} servers and more are left out to keep the report within its time.")
            break
        if times == 1 and not notes:  # at its own load: known already, and better
            rows.append(_as_it_is(system, capacity, response))
            continue
        try:
            other = with_servers(there, servers)
            found = at_size(other, keep, kept, stream, effort, largest_need=largest_need_of(other))
        except MsjError as error:
            notes.append(f"{servers:,} servers: {error.message}.")
            break
        rows.append(OutlookRow(servers=servers, quantities=found.quantities))
        notes += [f"{servers:,} servers: {gap.reason.rstrip('.')}." for gap in found.missing]
    if not any(row.find(name) for row in rows[1:] for name in SHOWN):
        rows = []  # the cluster as it is, alone, is no outlook
    return OutlookSection(kept=keep, share=kept, rows=tuple(rows), notes=tuple(notes))


def _as_it_is(system: System, capacity: Capacity, response: ResponseSection) -> OutlookRow:
    """Return the row of the cluster's own size from what the report says of it elsewhere."""
    found = [response.find(name) for name in AT_LOAD]
    known = saturated_rows(system, capacity if capacity.proved else None)
    return OutlookRow(servers=system.servers, quantities=(*known, *(row for row in found if row is not None)))
