"""The same jobs under several policies (common random numbers), with paired differences.

Every policy gets the same streams, so replication r sees the same arrivals, needs and durations under each. The
difference
of two policies' means is taken replication by replication; its interval is Student's over these differences, and
is far narrower than that of two separate simulations.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from msj.errors import InvalidInput
from msj.model import System
from msj.results import Outcome, Quantity, Result
from msj.simulation.estimates import RATIOS, WARM_UP, series
from msj.simulation.run import Progress, Run
from msj.simulation.simulate import arrival_rate_of, new_run, policy_of, result_of, warn_of_compiling
from msj.workloads import Rng, seed_sequence


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One result per policy, and the differences of each from the first."""

    results: dict[str, Result]
    differences: dict[str, tuple[Quantity, ...]]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON writes it."""
        return {
            "results": {name: result.to_dict() for name, result in self.results.items()},
            "differences": {name: [row.to_dict() for row in rows] for name, rows in self.differences.items()},
        }


def compare(
    system: System,
    policies: Sequence[Any],
    *,
    jobs: int | None = None,
    rng: Rng = None,
    replications: int = 20,
    processes: int = 1,
    warm_up: float = WARM_UP,
    stability_threshold: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    message: Callable[[str], None] | None = None,
) -> Comparison:
    """Simulate the same jobs under each policy.

    Parameters are those of :func:`simulate`; ``policies`` are names, tables, policies or plain functions, and the
    differences are from the first of them.

    Examples
    --------
    >>> import msj
    >>> from msj.simulation import compare
    >>> system = msj.read("examples/two_servers.toml").replace(arrival_rate=0.6)
    >>> found = compare(system, ["fcfs", "first-fit"], jobs=100_000, rng=1)
    >>> row = found.differences["first-fit"][0]
    >>> row.name, row.high < 0
    ('mean_response_time', True)
    """
    if len(policies) < 2:
        raise InvalidInput(f"{len(policies)} policy is given; name at least two to compare")
    rate = arrival_rate_of(system, stability_threshold)
    root = seed_sequence(rng)
    runs: dict[str, Run] = {}
    results: dict[str, Result] = {}
    for policy in policies:
        served = system.replace(policy=policy_of(policy))
        name = _name(served, results)
        started = clock.perf_counter()
        runs[name] = new_run(served, rate, root, jobs, None, None, replications, warm_up)
        warn_of_compiling(runs[name], message)
        outcome = runs[name].advance(processes=processes, watch=progress)
        results[name] = result_of(served, rate, runs[name], outcome, clock.perf_counter() - started)
        if outcome is Outcome.INTERRUPTED:
            break
    first, *others = results
    differences = {
        name: _differences(system, runs[first], runs[name])
        for name in others
        if results[first].outcome is results[name].outcome is Outcome.JOB_LIMIT_REACHED
    }
    return Comparison(results=results, differences=differences)


def _name(system: System, taken: dict[str, Result]) -> str:
    spec = system.policy.to_spec()
    if isinstance(spec, dict):
        options = ", ".join(f"{key} = {value}" for key, value in spec.items() if key != "name")
        spec = f"{spec['name']} ({options})"
    if spec in taken:
        raise InvalidInput(f"policy '{spec}' is named twice; leave one out")
    return spec


def _differences(system: System, base: Run, other: Run) -> tuple[Quantity, ...]:
    rows = []
    for name, above, below in RATIOS:
        sums = [
            (series(run.batches, above, None, system.servers), series(run.batches, below, None, system.servers))
            for run in (other, base)
        ]
        if any(x.sum() == 0 for _, x in sums):
            continue  # so short a run that nobody came
        # A difference of two ratios of sums, its spread from the batches' residuals, as for one ratio in estimates.py.
        ratios = [float(y.sum() / x.sum()) for y, x in sums]
        residuals = [(y - ratio * x) / x.mean() for (y, x), ratio in zip(sums, ratios, strict=True)]
        each = residuals[0] - residuals[1]
        value = ratios[0] - ratios[1]
        half = float(stdtrit(len(each) - 1, 0.975) * np.std(each, ddof=1) / math.sqrt(len(each)))
        rows.append(
            Quantity(
                name=name,
                value=value,
                kind="simulated",
                method="paired difference, the same jobs",
                low=value - half,
                high=value + half,
            )
        )
    return tuple(rows)
