"""Simulate a system until enough is known about it.

Simulation and analysis do not import each other. A ``load`` is a share of the threshold under the system's own policy,
which the analysis knows; the simulation wants an arrival rate. The two meet here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from msj.answers.known import known_of
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.saturated import solve_saturated
from msj.answers.threshold import exceeded, quick_threshold, turns_away
from msj.errors import NotSupported, TooLarge
from msj.model import System
from msj.options import SimulateOptions, SingleRunOptions, takes
from msj.results import Result
from msj.simulation import simulate_at_rate


@dataclass(frozen=True)
class Simulation(SimulateOptions):
    """The question of :func:`msj.simulate`."""

    system: SystemLike = field(metadata={"help": "The cluster, or the file that describes it."})


NO_NOISE = 1e-6  # relative width of an interval that only rounding errors have


@question
@takes(Simulation)
def simulate(asked: Simulation) -> Result:
    """Return estimates with 95 % intervals of how long jobs stay and what servers do.

    A run that is too short for intervals says so (outcome ``too-short``), with the number of jobs that would do; a
    load that is known to be too much is not simulated (``unstable``). See ``docs/simulation.md``.

    Examples
    --------
    >>> import msj
    >>> result = msj.simulate("examples/two_servers.toml", jobs=200_000, seed=1)
    >>> row = result.row("mean_response_time")
    >>> result.outcome.label, row.low < 7.517772 < row.high
    ('job-limit-reached', True)
    """
    own, policy, stability_threshold = as_system(asked.system), asked.policy, asked.stability_threshold
    if stability_threshold is None:
        stability_threshold = quick_threshold(own)
    served = with_arrival_rate(own, stability_threshold)
    if policy is not None:
        served = served.replace(policy=policy)
        if served.policy != own.policy:
            stability_threshold = quick_threshold(served)
    elif own.load is not None and stability_threshold is None:
        stability_threshold = float(served.arrival_rate) / float(own.load)  # type: ignore[arg-type]
    if stability_threshold is None:
        stability_threshold = exceeded(served)
    found = simulate_at_rate(
        served,
        root=root_of(asked.rng, asked.seed),
        known=known_of(served, stability_threshold),
        any_seed=asked.rng is None and asked.seed is None,
        **asked.part(SingleRunOptions),
    )
    return replace(found, notes=(*found.notes, *_known_already(found))) if asked.controls else found


def _known_already(found: Result) -> Iterator[str]:
    """Say so where a control variate is the cluster itself, so that its exact mean is what is shown."""
    row = found.find("mean_response_time")
    if row is not None and row.interval is not None and row.interval[1] - row.interval[0] < NO_NOISE * row.value:
        yield (
            "The control variate is the cluster itself: its mean response and waiting times above are the exact ones "
            "(Pollaczek-Khinchine), not estimates. --no-controls estimates them, msj analyse gives them as exact."
        )


def with_arrival_rate(system: System, stability_threshold: float | None = None) -> System:
    """Replace a load by the arrival rate it stands for under the system's own policy.

    Examples
    --------
    >>> import msj
    >>> round(with_arrival_rate(msj.read("examples/two_servers.toml")).arrival_rate, 12)
    0.72
    """
    if system.load is None:
        return system
    if turns_away(system):
        raise NotSupported(
            f"load = {float(system.load):g} is a share of the stability threshold, and policy "
            f"'{system.policy.name}' turns jobs away and has none; give utilisation or arrival_rate instead"
        )
    if stability_threshold is None:
        try:
            stability_threshold = solve_saturated(system, completions=False)[0].stability_threshold
        except (NotSupported, TooLarge) as error:
            raise NotSupported(
                f"load = {float(system.load):g} is a share of the stability threshold, which is not known here "
                f"({error}); give utilisation or arrival_rate instead"
            ) from None
    return system.replace(arrival_rate=system.arrival_rate_at(stability_threshold))
