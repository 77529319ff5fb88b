"""Questions that need both ways to an answer: simulations of systems whose load is a share of the stability threshold.

Simulation and analysis do not import each other. A ``load`` is a share of the threshold under the system's own policy,
which the analysis knows; the simulation wants an arrival rate. The two meet here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msj.analysis.saturated import solve_saturated
from msj.errors import NotSupported, TooLarge
from msj.model import System
from msj.results import Result
from msj.simulation import Comparison
from msj.simulation import compare as compare_at_rate
from msj.simulation import simulate as simulate_at_rate


def with_arrival_rate(system: System) -> System:
    """Replace a load by the arrival rate it stands for under the system's own policy.

    Examples
    --------
    >>> import msj
    >>> round(with_arrival_rate(msj.read("examples/two_servers.toml")).arrival_rate, 12)
    0.72
    """
    if system.load is None:
        return system
    try:
        threshold = solve_saturated(system)[0].stability_threshold
    except (NotSupported, TooLarge) as error:
        raise NotSupported(
            f"load = {float(system.load):g} is a share of the stability threshold, which is not known here ({error}); "
            "give utilisation or arrival_rate instead"
        ) from None
    return system.replace(arrival_rate=system.arrival_rate_at(threshold))


def simulate(system: System, **options: Any) -> Result:
    """Simulate a system; see :func:`msj.simulation.simulate` for the options.

    Examples
    --------
    >>> import msj
    >>> result = msj.simulate(msj.read("examples/two_servers.toml"), jobs=100_000, rng=1)
    >>> result.outcome.label
    'job-limit-reached'
    """
    if options.get("stability_threshold") is None:
        system = with_arrival_rate(system)
    return simulate_at_rate(system, **options)


def compare(system: System, policies: Iterable[Any], **options: Any) -> Comparison:
    """Serve the same jobs by several policies; see :func:`msj.simulation.compare` for the options."""
    if options.get("stability_threshold") is None:
        system = with_arrival_rate(system)
    return compare_at_rate(system, list(policies), **options)
