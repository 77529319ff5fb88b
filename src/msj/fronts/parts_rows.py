"""What servers do, as quantities: busy, idle, in set-up, off, broken, paying; and what that costs.

The counts sum to all servers. Servers of jobs that load or save work too: they take what busy ones take.
"""

from __future__ import annotations

from collections.abc import Mapping

from msj.fronts.parts_power import Power

STATES = ("busy", "idle", "set_up", "off", "broken")


def server_rows(
    *,
    busy: int,
    paying: int | None,
    broken: int | None,
    power: Power | None,
    servers: int,
    prices: Mapping[str, Mapping[str, float] | None],
) -> dict[str, float]:
    """Return the rows of one front; None where there is no such part."""
    counts = {"busy": busy}
    if power is not None:
        counts["set_up"] = sum(len(group.set_ups) for group in power)
        counts["off"] = servers - (broken or 0) - sum(group.on for group in power) - counts["set_up"]
    if broken is not None:
        counts["broken"] = broken
    counts["idle"] = servers - sum(counts.values()) - (paying or 0)
    rows = {f"{state}_servers": float(counts[state]) for state in STATES if state in counts}
    if paying is not None:
        rows["paying_servers"] = float(paying)
    working = counts | {"busy": busy + (paying or 0)}
    for name, table in prices.items():
        if table is not None:
            rows[name] = sum(count * float(table.get(state, 0.0)) for state, count in working.items())
    return rows
