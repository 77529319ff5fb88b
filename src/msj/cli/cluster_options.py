"""Options that look at the same cluster otherwise: with more servers, or in another unit of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from msj.cli.messages import say

if TYPE_CHECKING:
    from msj.model import System

Command = TypeVar("Command", bound=Callable[..., Any])


def unit_option(command: Command) -> Command:
    """Add --unit."""
    return click.option("--unit", metavar="UNIT", help="Say times in this unit: s, min, h, days, ...")(command)


def cluster_options(command: Command) -> Command:
    """Add --servers and --unit."""
    from msj.cli.options import WholeNumber

    return click.option(
        "--servers",
        type=WholeNumber(min=1),
        metavar="N",
        help="So many servers instead; as many jobs arrive as before.",
    )(unit_option(command))


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
