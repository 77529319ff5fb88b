"""The same cluster, changed: more servers, a limit on the largest need, another mix of jobs.

Each change gives a new :class:`System`. What is kept while it changes is said by each: a cap keeps the *work* of a job
(need × duration), as a user does who must run the same program on fewer nodes for longer (linear speed-up).
"""

from __future__ import annotations

from msj.errors import InvalidInput, NotSupported
from msj.model.numbers import Number, probability, whole
from msj.model.system import System


def with_servers(system: System, servers: int) -> System:
    """Return the cluster with another number of servers; the jobs, and how the load is given, stay.

    Examples
    --------
    >>> import msj
    >>> with_servers(msj.read("examples/two_servers.toml"), 4).naive_threshold
    2.0
    """
    return system.replace(servers=servers)


def with_largest_need(system: System, largest: int) -> System:
    """Return the cluster with needs above ``largest`` cut to it and their durations stretched to keep the work.

    Examples
    --------
    >>> import msj
    >>> capped = with_largest_need(msj.read("examples/two_servers.toml"), 1)
    >>> [(c.need, float(c.duration.mean)) for c in capped.classes]
    [(1, 1.0), (1, 4.0)]
    """
    largest = whole(largest, "largest need")
    if system.model is not None:
        raise NotSupported(f"need means something else in model '{system.model.name}'; cap the needs of plain clusters")
    classes = [
        c if c.need <= largest else c.replace(need=largest, duration=c.duration.scaled(c.need / largest))
        for c in system.classes
    ]
    return system.replace(classes=classes)


def require_free_shares(system: System) -> None:
    """Refuse to change shares that follow from the order of jobs."""
    names = [c.name for c in system.classes]
    if system.arrivals.shares(names) is not None or system.order.shares(len(names)) is not None:
        raise NotSupported(
            "the shares follow from the order of jobs, so one of them cannot be changed; change the order"
        )


def with_share(system: System, job_class: str, share: Number | str) -> System:
    """Return the cluster with another share for one class; the others keep their ratios to each other.

    Examples
    --------
    >>> import msj
    >>> system = with_share(msj.read("examples/two_servers.toml"), "large", "1/2")
    >>> [str(c.share) for c in system.classes]
    ['1/2', '1/2']
    """
    value = probability(share, "share")
    old = next((c.share for c in system.classes if c.name == job_class), None)
    if old is None:
        names = ", ".join(c.name for c in system.classes)
        raise InvalidInput(f"no class is called '{job_class}'; there are: {names}")
    if old == 1 and value != 1:
        raise InvalidInput(f"class '{job_class}' has share 1, so nobody else can take the rest; leave it at 1")
    require_free_shares(system)
    scale = (1 - value) / (1 - old) if old != 1 else 1
    classes = [c.replace(share=value if c.name == job_class else c.share * scale) for c in system.classes]
    return system.replace(classes=classes)
