"""Options that look at the same cluster otherwise: at another load, with more servers, or in another unit of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msj.cli.messages import say
from msj.options import Options, option

if TYPE_CHECKING:
    from msj.model import System

LOADS = ("load", "arrival_rate", "utilisation")


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(Options):
    """What replaces the spec file's own."""

    load: str | None = option(
        None, "Replace the file's load by: share of the stability threshold (lambda / lambda*).", metavar="NUMBER"
    )
    arrival_rate: str | None = option(
        None, "Replace the file's load by: jobs per unit of time (lambda), or '12 per hour'.", metavar="NUMBER"
    )
    utilisation: str | None = option(
        None, "Replace the file's load by: lambda * E[need x duration] / servers.", metavar="NUMBER"
    )
    servers: int | None = option(
        None, "Replace the file's number of servers; as many jobs arrive as before.", metavar="N", kind="servers"
    )
    unit: str | None = option(None, "Unit of times in the answer: s, min, h, days, ...", metavar="UNIT")


def with_servers(system: System, servers: int, *, load_is_given: bool) -> System:
    """Return the cluster with another number of servers and the arrival rate it had; say which that is.

    A load or a utilisation in the file is a share of what the file's servers take: kept as a share, more servers would
    get more jobs. One that is given on the command line is meant for the cluster as it is asked about.
    """
    if servers == system.servers:
        return system
    given = next((key for key in ("load", "utilisation") if getattr(system, key) is not None), None)
    if given is None or load_is_given:
        return system.replace(servers=servers)
    from msj.answers.simulate import with_arrival_rate
    from msj.results.units import rate_words

    rate = with_arrival_rate(system).arrival_rate_at(0.0)
    say(
        f"as many jobs arrive as before: {rate:.6g} {rate_words(system.time_unit)}, which is {given} "
        f"{float(getattr(system, given)):g} on {system.servers:,} servers"
    )
    return system.replace(servers=servers, arrival_rate=rate)
