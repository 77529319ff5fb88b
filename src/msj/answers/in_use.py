"""``utilisation`` is the share of the servers in use; ``offered_utilisation`` is work that comes over capacity.

They are the same number where every server that is in use does one unit of work in a unit of time, and all are there:
lambda·E[need × duration]/k. Where servers have speeds, break or wait for others, the first is ``busy_servers`` over the
servers, or is not known, and the second is said beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msj.disciplines.model import mean_speed
from msj.model import System
from msj.results import Quantity

SAME = 1e-12


def with_servers_in_use(system: System, rows: Sequence[Quantity]) -> list[Quantity]:
    """Return rows in which the utilisation, given as the work offered, is the share of the servers in use.

    Examples
    --------
    >>> import msj
    >>> found = msj.analyse("examples/models/modulated.toml", percentiles=False)
    >>> round(found["utilisation"], 4), round(found["busy_servers"], 4), found["offered_utilisation"]
    (0.8125, 0.8125, 0.8)
    """
    found: list[Quantity] = []
    for row in rows:
        if row.name != "utilisation" or row.kind != "exact":
            found.append(row)
            continue
        busy = _busy(system, rows)
        if busy is None:
            found.append(row.replace(name="offered_utilisation"))
        elif abs(busy - row.value * system.servers) > SAME * system.servers:
            found.append(row.replace(value=busy / system.servers, method="servers in use over servers"))
            found.append(row.replace(name="offered_utilisation"))
        else:
            found.append(row)
    return found


def _busy(system: System, rows: Sequence[Quantity]) -> float | None:
    """Return how many servers are in use on average; None where it is not known."""
    known = {row.name: row for row in rows if row.job_class is None}
    if "busy_servers" in known:
        return known["busy_servers"].value
    if system.model is not None:
        return None
    if mean_speed(system) == 1.0:
        return known["utilisation"].value * system.servers
    # Servers of different speeds have one job each.
    there = [known.get(name) for name in ("mean_response_time", "mean_waiting_time", "arrival_rate")]
    response, waiting, rate = (None if row is None or row.kind != "exact" else row.value for row in there)
    return None if response is None or waiting is None or rate is None else rate * (response - waiting)
