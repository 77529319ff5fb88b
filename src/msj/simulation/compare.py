"""The same jobs under several policies (common random numbers), with paired differences.

Every policy gets the same streams and the same layout, that of the policy with the longest memory, and every counted
job is followed until it leaves: so each batch holds the same jobs under each policy, and where nobody waits every
difference is exactly 0.

The variance of a difference is that of the batches' differences, and shares what is known of the two means: it is
scaled by as much as theory corrects the variances of the means themselves (:mod:`msj.simulation.intervals`). A
difference that is clearly not zero is skewed like the means it is made of and has its interval on the logarithm;
others have Student's.

A policy that does not apply to the system is left out with its reason (``disciplines.applicable``); the differences are
from the first policy that applies.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from msj.disciplines.applicable import (
    Applicable,
    applicable_policies,
    chosen_policies,
    left_out_note,
    why_not_comparable,
)
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, NotSupported
from msj.executors.calls import at_cluster
from msj.executors.workers import Workers
from msj.model import System
from msj.options import RunOptions, argument, takes
from msj.results import Missing, Outcome, Quantity, Result
from msj.simulation.controlled import Remainder, remainder
from msj.simulation.elsewhere import Elsewhere
from msj.simulation.estimates import WORTH_IT, Estimates, adds_up, groups_of
from msj.simulation.intervals import (
    CONFIDENCE,
    TRUST_IN_SHARES,
    Variance,
    batch_variance,
    in_parallel,
    likeness,
    pooled,
    unseen,
)
from msj.simulation.known import NOTHING, Known
from msj.simulation.plan import Pace, Plan
from msj.simulation.question import Question
from msj.simulation.reading import batch_memories, stretches_of
from msj.simulation.run import Run
from msj.simulation.simulate import overloaded, result_of, warn_of_compiling, whole_effort
from msj.simulation.tally import Tally
from msj.workloads import seed_record

FAILURES = {
    Outcome.UNSTABLE: Failure.UNSTABLE,
    Outcome.INTERRUPTED: Failure.INTERRUPTED,
    Outcome.OUT_OF_TIME: Failure.OUT_OF_TIME,
}
CLEARLY = 0.5  # relative half-width up to which a difference is taken to have a sign


@dataclass(frozen=True)
class Served:
    """The jobs under one policy."""

    question: Question
    run: Run
    result: Result


@dataclass(frozen=True)
class ComparedAtRate(RunOptions):
    """What :func:`compare_at_rate` simulates, and how."""

    system: System = field(metadata={"help": "A system that says how many jobs arrive."})
    policies: Sequence[Any] = field(metadata={"help": "The policies."})
    _: KW_ONLY
    root: np.random.SeedSequence = field(metadata={"help": "The seed."})
    known: Mapping[int, Known] | None = argument(
        None, "What the exact side knows of the system under each policy, by its place in the list."
    )


@takes(ComparedAtRate)
def compare_at_rate(asked: ComparedAtRate) -> Result:
    """Simulate the same jobs under each policy, for a system that says how much arrives; see ``msj.compare``."""
    system, root = asked.system, asked.root
    chosen = chosen_policies(asked.policies)
    if len(chosen) < 2:
        raise InvalidInput(f"{len(chosen)} policy is given; name at least two to compare")
    workers = asked.worker_count
    effort = whole_effort(asked.effort, asked.progress)
    left_out = dict(applicable_policies(system, chosen, why_not_comparable).required().left_out)
    questions: dict[str, Question] = {}
    for index, (name, policy) in enumerate(chosen.items()):
        if name in left_out:
            continue
        questions[name] = Question.of(
            system.replace(policy=policy),
            root=root,
            known=(asked.known or {}).get(index, NOTHING),
            jobs=effort.jobs if asked.jobs is None else asked.jobs,
            replications=asked.replications,
            warm_up=asked.warm_up,
            levels=asked.levels,
            controls=asked.controls,
        )
    plan = _common_plan(list(questions.values()))
    slowest = max(questions.values(), key=lambda each: 0.0 if each.known.forbids(each.rate) else each.pace.memory)
    questions = {name: replace(each, controls=slowest.controls) for name, each in questions.items()}
    served: dict[str, Served | Result] = {}
    with at_cluster(asked.dask) as hands:
        for index, (name, question) in enumerate(questions.items()):
            if question.known.forbids(question.rate):
                served[name] = overloaded(question)
                continue
            part = effort.part(index / len(questions), (index + 1) / len(questions), name)
            try:
                served[name] = found = _served(question, plan, part, workers, hands)
            except NotSupported as error:  # its kernel refuses the system
                left_out[name] = error.message
                continue
            if found.result.outcome is Outcome.INTERRUPTED:
                break
    Applicable(policies={name: chosen[name] for name in served}, left_out=left_out).required()
    result = _joined(system, served, plan)
    return replace(
        result,
        notes=(*_left_out_notes(list(chosen), list(served), left_out), *result.notes),
        missing=(*(_left_out(name, reason) for name, reason in left_out.items()), *result.missing),
    )


def _left_out(name: str, reason: str) -> Missing:
    return Missing(name="means", failure=Failure.NOT_SUPPORTED, reason=reason, at={"policy": name})


def _left_out_notes(chosen: Sequence[str], served: Sequence[str], left_out: Mapping[str, str]) -> list[str]:
    """Return why policies are left out, and which one the differences are from if it is not the first given."""
    notes = [left_out_note(name, reason) for name, reason in left_out.items()]
    if chosen[0] in left_out:
        notes.append(f"Differences are from '{served[0]}', the first policy that applies.")
    return notes


def _served(question: Question, plan: Plan, effort: Effort, workers: int, hands: Workers | None) -> Served:
    """Serve the jobs by one policy, here or on a cluster."""
    started = clock.perf_counter()
    run = question.new_run(plan)
    warn_of_compiling(run, effort)
    elsewhere = Elsewhere.of(hands, question, plan, question.root)
    outcome = run.advance(effort=effort, workers=workers, elsewhere=elsewhere)
    seconds = clock.perf_counter() - started
    return Served(question, run, result_of(question, run, outcome, seconds, seed=seed_record(question.root)))


def _common_plan(questions: Sequence[Question]) -> Plan:
    """Return the layout that suits the policy with the longest memory among those that can take the load."""
    paces = [each.pace for each in questions if not each.known.forbids(each.rate)] or [questions[0].pace]
    paces = [each for each in paces if math.isfinite(each.memory)] or paces
    slowest = Pace(
        memory=max(pace.memory for pace in paces),
        settling=max(pace.settling for pace in paces),
        long_jobs=max(pace.long_jobs for pace in paces),
        known=all(pace.known for pace in paces),
        cycle=max(pace.cycle for pace in paces),
        causes=max((pace.causes for pace in paces), key=lambda causes: causes[0].jobs if causes else 0.0),
    )
    return questions[0].plan(slowest)


def _joined(system: System, served: Mapping[str, Served | Result], plan: Plan) -> Result:
    """Put the policies' answers side by side, with their differences from the first."""
    rows, notes, missing = [], [], []
    results = {name: each.result if isinstance(each, Served) else each for name, each in served.items()}
    many = f"{plan.replications} replication{'s' if plan.replications > 1 else ''}"
    for name, result in results.items():
        method = f"simulation, {plan.jobs:,} jobs in {many}, the same under each policy"
        rows += [
            row.replace(method=method if row.kind == "simulated" else row.method, citation="").put(policy=name)
            for row in result
        ]
        notes += [f"{name}: {note}" for note in result.notes]
        if result.outcome in FAILURES:
            failure = FAILURES[result.outcome]
            missing.append(Missing(name="means", failure=failure, reason=result.outcome.value, at={"policy": name}))
    first, *others = served
    for name in others:
        base, other = served[first], served[name]
        if isinstance(base, Served) and isinstance(other, Served):
            rows += [row.put(policy=name, baseline=first) for row in differences(base, other)]
    facts = next(iter(results.values())).provenance
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=_outcome([result.outcome for result in results.values()]),
        provenance={key: value for key, value in facts.items() if key not in ("seconds", "jobs_per_second")},
        notes=tuple(notes),
        missing=tuple(missing),
    )


def _outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of all of them: what cut one short, or what holds for all."""
    for worst in (Outcome.INTERRUPTED, Outcome.OUT_OF_TIME):
        if worst in outcomes:
            return worst
    if all(each is Outcome.UNSTABLE for each in outcomes):
        return Outcome.UNSTABLE
    return Outcome.TOO_SHORT if Outcome.TOO_SHORT in outcomes else Outcome.JOB_LIMIT_REACHED


def differences(base: Served, other: Served) -> list[Quantity]:
    """Return the paired differences of the means of all jobs, where both runs have them."""
    if any(each.run.left or each.result.outcome in FAILURES for each in (base, other)):
        return []
    pieces = [each.run.pieces for each in (other, base)]
    readings = [each.question.reading(each.run, own) for each, own in zip((other, base), pieces, strict=True)]
    if not all(reading.settled for reading in readings):
        return []
    # The same pieces of both, as many as whoever left out more has kept, in batches that suit the longer memory.
    jobs = min(reading.jobs for reading in readings)
    kept = round(jobs / sum(run[0].column("jobs") for run in pieces[0]))
    slower = max(readings, key=lambda reading: reading.pace.memory)
    both = []
    for each, own, reading in zip((other, base), pieces, readings, strict=True):
        left = [run[len(run) - kept :] for run in own]
        stretches = stretches_of(left, batch_memories(slower.pace, jobs))
        flat = [tally for stretch in stretches for tally in stretch]
        batches = [Tally.total(stretch) for stretch in stretches]
        both.append(each.question.estimates(replace(reading, pieces=flat, batches=batches, jobs=jobs)))
    return [_difference(*both, name=name, column=column, scale=scale) for name, column, scale in _compared(*both)]


def _compared(other: Estimates, base: Estimates) -> list[tuple[str, str, float]]:
    # Where response is waiting plus duration, the durations are the same and cancel.
    response = "waiting" if adds_up(other.system) and adds_up(base.system) else "response"
    return [
        ("mean_response_time", response, 1.0),
        ("mean_waiting_time", "waiting", 1.0),
        ("mean_jobs_in_system", response, other.rate),
        ("mean_jobs_waiting", "waiting", other.rate),
        ("waiting_probability", "waited", 1.0),
    ]


def _difference(other: Estimates, base: Estimates, *, name: str, column: str, scale: float) -> Quantity:
    group = groups_of(other.system, other.rate)[0]
    jobs = other.series("jobs", group)
    sums = [each.series(column, group) for each in (other, base)]
    value = float((sums[0] - sums[1]).sum() / jobs.sum())
    interval = None
    heavy = other.reading.no_variance is not None or base.reading.no_variance is not None
    if not np.any(sums[0] - sums[1]):
        interval = (0.0, 0.0)
    elif other.sure and base.sure and not heavy:
        means = [_factor(each, group, column) for each in (other, base)]
        value, interval = _interval(value, sums, jobs, means, _remainder(other, base, group, column, value))
        value, interval = _narrower(value, interval, *(_alone(each, group, column) for each in (other, base)))
    low, high = (None, None) if interval is None else interval
    row = Quantity(
        name=f"{name}_difference", value=value, kind="simulated", method="paired difference, the same jobs",
        low=low, high=high,
    )  # fmt: skip
    return row.times(scale)


Ends = tuple[float, float]


def _alone(estimates: Estimates, group: Any, column: str) -> tuple[float, Ends | None]:
    """Return a mean and its interval as the policy has them alone."""
    return estimates.waiting_probability(group) if column == "waited" else estimates.mean(group, column)


def _narrower(
    value: float, interval: Ends, other: tuple[float, Ends | None], base: tuple[float, Ends | None]
) -> tuple[float, Ends]:
    """Return the difference with the interval that its two means allow, where the paired one is wider.

    Each of them is half as far off, at most, as its interval is wide; so is their difference, whatever they share.
    """
    (mean, ends), (from_mean, from_ends) = other, base
    if ends is None or from_ends is None:
        return value, interval
    below = (mean - ends[0]) + (from_ends[1] - from_mean)
    above = (ends[1] - mean) + (from_mean - from_ends[0])
    if below + above >= interval[1] - interval[0]:
        return value, interval
    return mean - from_mean, (mean - from_mean - below, mean - from_mean + above)


def _factor(estimates: Estimates, group: Any, column: str) -> tuple[float, Variance]:
    """Return the variance of a mean according to its batches, and what is made of it."""
    sums, jobs = estimates.series(column, group), estimates.series("jobs", group)
    square = float(sums.sum() / jobs.sum()) ** 2
    count = len(sums)
    if square == 0:
        return 0.0, Variance(0.0, count - 1)
    batches, theory = batch_variance(sums, jobs), estimates.theory(group, column)
    found = Variance(batches, count - 1) if theory is None else pooled(batches, count, *theory)
    return batches * square, Variance(found.value * square, found.freedom)


def _remainder(other: Estimates, base: Estimates, group: Any, column: str, value: float) -> Remainder | None:
    """Return what is left of the difference when the controls, the same for both, have been taken off."""
    if other.controls is None or other.controls != base.controls:
        return None
    sums = [each.series(column, group, pieces=True) for each in (other, base)]
    beyond = sums[0] - sums[1] - value * other.series("jobs", group, pieces=True)
    return remainder(beyond, other.control_series(group, busy=column == "waited"))


def _interval(
    value: float,
    sums: Sequence[Any],
    jobs: Any,
    means: Sequence[tuple[float, Variance]],
    found: Remainder | None,
) -> tuple[float, tuple[float, float]]:
    """Return the difference and its interval, less what the controls take off."""
    gaps = sums[0] - sums[1]
    variance = len(gaps) * float(np.var(gaps - value * jobs, ddof=1)) / float(jobs.sum()) ** 2
    batches = sum(own for own, _ in means)
    corrected = sum(made.value for _, made in means)
    theory = corrected / batches if batches > 0 else 1.0
    freedom = max(means, key=lambda pair: pair[1].value)[1].freedom
    like = 1.0
    if found is not None:
        together = max(len(found.beyond) // len(gaps) // 2, 1)
        left_over = found.left_over(together, overlapping=True)
        if left_over < WORTH_IT:
            value += found.shift / float(jobs.sum())
            like = likeness(left_over)
            variance, freedom = variance * left_over * unseen(left_over), in_parallel(freedom, TRUST_IN_SHARES)
    variance *= 1.0 + like * (theory - 1.0)
    half = float(stdtrit(freedom, CONFIDENCE)) * math.sqrt(variance)
    if half <= CLEARLY * abs(value):
        ends = (value * math.exp(-half / abs(value)), value * math.exp(half / abs(value)))
        return value, (min(ends), max(ends))
    return value, (value - half, value + half)
