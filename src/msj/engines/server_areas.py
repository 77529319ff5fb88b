"""What servers did, as an engine declares it: server-time by state, and what that took by power and by cost."""

from __future__ import annotations

from collections.abc import Mapping


def declared_areas(by_state: Mapping[str, float], **tables: Mapping[str, float] | None) -> dict[str, float]:
    """Return integrals over time by the names of their rows; a table gives what one server takes in a state.

    A server that is held by a job that pays an overhead takes what a busy one does.

    Examples
    --------
    >>> declared_areas({"busy": 6.0, "off": 2.0}, power={"busy": 300}, cost=None)
    {'busy_servers': 6.0, 'off_servers': 2.0, 'mean_power': 1800.0}
    """
    found = {f"{state}_servers": area for state, area in by_state.items()}
    for name, table in tables.items():
        if table is not None:
            own = {**table, "paying": table.get("busy", 0.0)}
            found[f"mean_{name}"] = sum(float(own.get(state, 0.0)) * area for state, area in by_state.items())
    return found
