"""What methods may need of arrivals and of the order of jobs, asked in one place.

A Poisson arrival finds the cluster as it is at any time (PASTA), and jobs that know nothing of each other are drawn
when they are first looked at. Much rests on one of the two. Whoever needs one says so here, in words, instead of
answering another question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msj.errors import NotSupported

if TYPE_CHECKING:
    from msj.model.system import System


def why_not_poisson(system: System) -> str | None:
    """Return the reason if arrivals are not Poisson."""
    if system.arrivals.poisson:
        return None
    return f"arrivals follow the law '{system.arrivals.law}' and this method needs Poisson arrivals"


def why_not_independent(system: System) -> str | None:
    """Return the reason if successive jobs are not independent of each other."""
    if system.arrivals.marks_classes:
        return f"the arrivals ('{system.arrivals.law}') say who comes, and this method needs independent jobs"
    if not system.order.independent:
        return f"jobs come in '{system.order.law}' order and this method needs independent jobs"
    return None


def why_not_plain(system: System) -> str | None:
    """Return the reason if arrivals are not Poisson or jobs not independent."""
    return why_not_poisson(system) or why_not_independent(system)


def require(reason: str | None, what: str) -> None:
    """Raise :class:`NotSupported` if there is a reason against ``what``."""
    if reason is not None:
        raise NotSupported(f"{what} does not apply: {reason}")


def assumed(system: System) -> str:
    """Return what is assumed of arrivals and order, as a clause for people.

    Examples
    --------
    >>> import msj
    >>> assumed(msj.read("examples/two_servers.toml"))
    'Poisson arrivals, independent jobs'
    """
    order = [] if system.arrivals.marks_classes else [system.order.assumption()]
    return ", ".join([system.arrivals.assumption(), *order])
