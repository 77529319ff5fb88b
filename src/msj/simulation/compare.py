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
from typing import Any

import numpy as np
from scipy.special import stdtrit

from msj.effort import within
from msj.errors import Failure, InvalidInput
from msj.model import System
from msj.model.chosen import distinct_label
from msj.results import Missing, Outcome, Quantity, Result, Watch
from msj.simulation.estimates import RATIOS, WARM_UP, series
from msj.simulation.run import Run
from msj.simulation.simulate import arrival_rate_of, new_run, result_of, warn_of_compiling

FAILURES = {
    Outcome.UNSTABLE: Failure.UNSTABLE,
    Outcome.INTERRUPTED: Failure.INTERRUPTED,
    Outcome.OUT_OF_TIME: Failure.OUT_OF_TIME,
}


def compare_at_rate(
    system: System,
    policies: Sequence[Any],
    *,
    root: np.random.SeedSequence,
    jobs: int | None = None,
    replications: int = 20,
    processes: int = 1,
    warm_up: float = WARM_UP,
    progress: Watch | None = None,
    over: Callable[[], bool] | None = None,
) -> Result:
    """Simulate the same jobs under each policy, for a system that says how much arrives; see ``msj.compare``."""
    if len(policies) < 2:
        raise InvalidInput(f"{len(policies)} policy is given; name at least two to compare")
    rate = arrival_rate_of(system)
    served: dict[str, System] = {}
    for policy in policies:
        one = system.replace(policy=policy)
        served[_name(one, served)] = one
    runs: dict[str, Run] = {}
    results: dict[str, Result] = {}
    for index, (name, one) in enumerate(served.items()):
        started = clock.perf_counter()
        runs[name] = new_run(one, rate, root, jobs, None, None, replications, warm_up)
        watch = within(progress, index / len(served), (index + 1) / len(served), name)
        warn_of_compiling(runs[name], watch)
        outcome = runs[name].advance(processes=processes, watch=watch if progress is not None else None, over=over)
        results[name] = result_of(one, rate, runs[name], outcome, clock.perf_counter() - started)
        if outcome in (Outcome.INTERRUPTED, Outcome.OUT_OF_TIME):
            break
    return _joined(system, results, _differences(system, runs, results), runs)


def _joined(system: System, results: dict[str, Result], differences: list[Quantity], runs: dict[str, Run]) -> Result:
    """Put the policies' answers side by side."""
    rows, notes, missing = [], [], []
    for name, result in results.items():
        run = runs[name]
        method = f"simulation, {run.done:,} jobs in {len(run.replications)} replications, the same under each policy"
        rows += [
            row.replace(method=method if row.kind == "simulated" else row.method, citation="").put(policy=name)
            for row in result
        ]
        notes += [f"{name}: {note}" for note in result.notes]
        if result.outcome in FAILURES:
            failure = FAILURES[result.outcome]
            missing.append(Missing(name="means", failure=failure, reason=result.outcome.value, at={"policy": name}))
    outcomes = [result.outcome for result in results.values()]
    outcome = Outcome.JOB_LIMIT_REACHED
    if Outcome.INTERRUPTED in outcomes:
        outcome = Outcome.INTERRUPTED
    elif Outcome.OUT_OF_TIME in outcomes:
        outcome = Outcome.OUT_OF_TIME
    elif all(each is Outcome.UNSTABLE for each in outcomes):
        outcome = Outcome.UNSTABLE
    facts = next(iter(results.values())).provenance
    return Result(
        system=system.to_spec(),
        quantities=(*rows, *differences),
        outcome=outcome,
        provenance={key: value for key, value in facts.items() if key not in ("seconds", "jobs_per_second")},
        notes=tuple(notes),
        missing=tuple(missing),
    )


def _name(system: System, taken: dict[str, System]) -> str:
    return distinct_label(system.policy, {name: one.policy for name, one in taken.items()})


def _differences(system: System, runs: dict[str, Run], results: dict[str, Result]) -> list[Quantity]:
    """Return the paired differences of the other policies from the first, where both have means."""
    first, *others = results
    rows = []
    for name in others:
        if results[first].outcome is results[name].outcome is Outcome.JOB_LIMIT_REACHED:
            at = {"policy": name, "baseline": first}
            rows += [row.put(**at) for row in _paired(system, runs[first], runs[name])]
    return rows


def _paired(system: System, base: Run, other: Run) -> list[Quantity]:
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
                name=f"{name}_difference",
                value=value,
                kind="simulated",
                method="paired difference, the same jobs",
                low=value - half,
                high=value + half,
            )
        )
    return rows
