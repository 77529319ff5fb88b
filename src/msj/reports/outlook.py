"""The outlook: the same mix of jobs on two, four and eight times the servers (``growth.cluster``).

The load is kept: the same share of each size's own threshold. Where no threshold is known, the utilisation is.
"""

from __future__ import annotations

from msj.errors import MsjError
from msj.growth.cluster import Keep, cluster_scaling
from msj.model import System
from msj.planning import Capacity
from msj.reports.clock import Clock
from msj.reports.contents import Load, OutlookRow, OutlookSection
from msj.workloads import Rng, seed_sequence

TIMES = (1, 2, 4, 8)
USUAL_LOAD = 0.8


def outlook_section(
    system: System, load: Load, capacity: Capacity, *, jobs: int, rng: Rng, clock: Clock
) -> OutlookSection:
    """Follow the cluster as it grows."""
    known = not capacity.bracketed
    keep: Keep = "load" if known else "utilisation"
    share = load.load if load.stable and load.load < 1 else USUAL_LOAD
    notes = [] if load.stable else [f"The load itself is too much; the outlook is at load {USUAL_LOAD:g}."]
    there = system.replace(load=share) if known else system.replace(utilisation=share * load.utilisation / load.load)
    rows: list[OutlookRow] = []
    for done, (times, stream) in enumerate(zip(TIMES, seed_sequence(rng).spawn(len(TIMES)), strict=True)):
        clock.tell(done / len(TIMES))
        servers = times * system.servers
        if clock.up:
            notes.append(f"{servers:,} servers and more are left out to keep the report within its time.")
            break
        try:
            found = cluster_scaling(there, [servers], keep=keep, jobs=jobs, rng=stream)
        except MsjError as error:
            notes.append(f"{servers:,} servers: {error.message}.")
            break
        rows.append(OutlookRow(servers=servers, quantities=found.quantities))
        notes += [f"{servers:,} servers: {gap.reason.rstrip('.')}." for gap in found.missing]
        notes += [f"{servers:,} servers: {note}" for note in found.notes[1:]]  # the first says what is kept
    return OutlookSection(kept=keep, rows=tuple(rows), notes=tuple(notes))
