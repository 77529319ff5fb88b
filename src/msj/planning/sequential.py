"""Does it meet the target? A sequential test with stated odds.

Every target bounds a mean over jobs (``target``). After 32, 40, 48, ... blocks of jobs the test looks at the mean and
at an interval whose ends each fail with the odds that this look may spend (``odds``). If the whole interval is below
what is allowed the target is met; if it is above, missed; else more jobs are served, up to the budget. What is open
then stays open. The mean is taken from batches, with single servers of known means on the same jobs as control variates
and with what theory knows of its variance (``simulation.intervals``); a mean response time is judged by the wait that
it leaves room for.

A target is met only by a run that has forgotten its empty beginning and spans enough of the cluster's memory. A run
that has not sees too short a queue, so that it may still show a miss. A queue that runs away misses every target.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from msj.answers.known import known_of
from msj.answers.threshold import turns_away
from msj.effort import Effort
from msj.errors import NotSupported
from msj.executors.calls import gathered
from msj.executors.workers import Workers
from msj.model import System
from msj.planning.exact_point import classes_of
from msj.planning.odds import PointOdds
from msj.planning.point import Judged, Verdict
from msj.planning.seen import TargetEstimate
from msj.planning.target import Target
from msj.planning.trial import Trial, TrialBlock
from msj.simulation import Known
from msj.simulation.looks import Looks
from msj.simulation.replication import Stopped
from msj.workloads import seed_record


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What the simulation of one point may spend: the most jobs, how many cores, and the workers of a cluster."""

    jobs: int = 4_000_000
    workers: int = 1
    hands: Workers | None = None


@dataclass(frozen=True, kw_only=True)
class Tested:
    """What the test has found."""

    judged: tuple[Judged, ...] = ()
    unstable: str = ""
    jobs: int = 0
    note: str = ""
    out_of_time: bool = False


def simulate_point(
    system: System,
    targets: tuple[Target, ...],
    *,
    threshold: float | None,
    effort: Effort,
    root: np.random.SeedSequence,
    odds: PointOdds,
    budget: Budget,
) -> Tested:
    """Test the targets on a system that says its arrival rate; ``threshold`` is lambda* where it is known."""
    if turns_away(system):
        raise NotSupported(f"policy '{system.policy.name}' turns jobs away, so nobody waits; plan another policy")
    known = known_of(system, threshold) if threshold is not None else Known()
    trial = Trial(
        system=system, known=known, seed=seed_record(root), targets=targets, most_jobs=budget.jobs
    )  # fmt: skip
    looks, blocks = Looks(trial), []
    found = Tested()
    while trial.jobs_at(looks.wanted) <= budget.jobs or not looks.standings:
        new = _served(trial, range(looks.through, looks.wanted), effort, budget)
        if new is None:
            return Tested(**{**vars(found), "out_of_time": True})
        for each in new:
            blocks.append(each)
            looks.add(each.block)
        found = _look(system, targets, looks, blocks, odds)
        if found.unstable or all(each.verdict is not Verdict.UNDECIDED for each in found.judged):
            break
        if any(each.verdict is Verdict.MISSES for each in found.judged):
            break
    return found


def _served(trial: Trial, indices: Sequence[int], effort: Effort, budget: Budget) -> list[TrialBlock] | None:
    """Run blocks, side by side if there are cores or a cluster; None if there was no time."""
    if budget.hands is not None:
        return gathered([(run_trial, trial, index) for index in indices], budget.hands, effort)
    workers = budget.workers

    def over() -> bool:
        return effort.over

    try:
        if workers == 1:
            return [trial.trial(index, over) for index in indices]
        with ThreadPoolExecutor(workers, thread_name_prefix="msj") as pool:
            return list(pool.map(lambda index: trial.trial(index, over), indices))
    except Stopped:
        return None


def run_trial(trial: Trial, index: int) -> TrialBlock:
    """Run one block to its end, on a worker of a cluster."""
    return trial.trial(index, lambda: False)


def _look(
    system: System, targets: tuple[Target, ...], looks: Looks, blocks: Sequence[TrialBlock], odds: PointOdds
) -> Tested:
    """Return the verdicts with the blocks that are here."""
    standing = looks.standings[-1]
    if standing.growth is not None:
        why = f"the queue grows by about {standing.growth:.4g} jobs per unit of time"
        return Tested(unstable=why, jobs=standing.jobs)
    reading, groups = looks.counted(standing.blocks)
    allowed = odds.at_look(len(looks.standings))
    judged = []
    for index, target in enumerate(targets):
        estimate = TargetEstimate(
            system,
            looks.stream.question.rate,
            reading,
            controls=looks.stream.question.controls,
            target=target,
            of=classes_of(system, target),
            seen=[blocks[place].seen[index] for group in groups for place in group],
            groups=groups,
            jobs=standing.jobs,
        )
        judged.append(estimate.judged(allowed, may_meet=not standing.left))
    note = "" if reading.long_enough else (looks.sentence() or "")
    return Tested(judged=tuple(judged), jobs=standing.jobs, note=note)
