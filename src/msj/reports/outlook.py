"""The outlook: the same mix of jobs on two, four and eight times the servers (``growth.cluster``).

The load is kept: the same share of each size's own threshold. Where no threshold is known, the utilisation is.
"""

from __future__ import annotations

import numpy as np

from msj.effort import Effort
from msj.errors import MsjError
from msj.growth.cluster import Keep, at_size, largest_need_of
from msj.model import System
from msj.model.changes import with_servers
from msj.planning import Capacity
from msj.reports.contents import Load, OutlookRow, OutlookSection

TIMES = (1, 2, 4, 8)
USUAL_LOAD = 0.8


def outlook_section(
    system: System, load: Load, capacity: Capacity, effort: Effort, root: np.random.SeedSequence
) -> OutlookSection:
    """Follow the cluster as it grows."""
    known = not capacity.bracketed
    keep: Keep = "load" if known else "utilisation"
    share = load.load if load.stable and load.load < 1 else USUAL_LOAD
    notes = [] if load.stable else [f"The load itself is too much; the outlook is at load {USUAL_LOAD:g}."]
    kept = share if known else share * load.utilisation / load.load
    there = system.replace(load=kept) if known else system.replace(utilisation=kept)
    rows: list[OutlookRow] = []
    for done, (times, stream) in enumerate(zip(TIMES, root.spawn(len(TIMES)), strict=True)):
        effort.tell(done / len(TIMES))
        servers = times * system.servers
        if effort.over:
            notes.append(f"{servers:,} servers and more are left out to keep the report within its time.")
            break
        try:
            other = with_servers(there, servers)
            found = at_size(other, keep, kept, stream, effort, largest_need=largest_need_of(other))
        except MsjError as error:
            notes.append(f"{servers:,} servers: {error.message}.")
            break
        rows.append(OutlookRow(servers=servers, quantities=found.quantities))
        notes += [f"{servers:,} servers: {gap.reason.rstrip('.')}." for gap in found.missing]
        notes += found.notes
    return OutlookSection(kept=keep, rows=tuple(rows), notes=tuple(notes))
