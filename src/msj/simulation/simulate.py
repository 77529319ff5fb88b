"""Simulate a system until enough is known about it."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from msj.disciplines.model import policy_of
from msj.effort import Effort
from msj.engines.compiling import compiled_before
from msj.errors import InvalidInput
from msj.executors.calls import at_cluster
from msj.model import System
from msj.options import SingleRunOptions, argument, takes
from msj.results import Outcome, Quantity, Result, Watch, provenance, version_of
from msj.results.units import rate_words
from msj.simulation.checkpoint import Checkpoint
from msj.simulation.elsewhere import Elsewhere
from msj.simulation.jobs_file import JobsFile
from msj.simulation.known import NOTHING, Known
from msj.simulation.memory import FILLS_UP
from msj.simulation.no_interval import why_no_interval
from msj.simulation.plan import said
from msj.simulation.question import FIRST_LOOK, Question, arrival_rate_of, new_replication
from msj.simulation.reading import Reading
from msj.simulation.run import Run
from msj.simulation.sketch import RELATIVE_ERROR
from msj.store import lock
from msj.workloads import seed_record, seed_sequence

__all__ = ["FIRST_LOOK", "arrival_rate_of", "new_replication", "simulate_at_rate"]

CUT_SHORT = (Outcome.INTERRUPTED, Outcome.OUT_OF_TIME)


@dataclass(frozen=True)
class RunAtRate(SingleRunOptions):
    """What :func:`simulate_at_rate` simulates, and how."""

    system: System = field(metadata={"help": "A system that says how many jobs arrive."})
    _: KW_ONLY
    root: np.random.SeedSequence = field(metadata={"help": "The seed."})
    known: Known = argument(NOTHING, "What the exact side knows of the system.")
    any_seed: bool = argument(False, "Whether a checkpoint is continued whatever its seed.")


@takes(RunAtRate)
def simulate_at_rate(asked: RunAtRate) -> Result:
    """Return estimates with 95 % intervals for a system that says how much arrives; the options of ``msj.simulate``.

    ``effort`` may bring jobs, precision, a deadline and a progress callback.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=1, arrival_rate=0.5, classes=[
    ...     msj.JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))])
    >>> row = simulate_at_rate(system, root=np.random.SeedSequence(1), jobs=200_000).row("mean_response_time")
    >>> row.low < 2 < row.high
    True
    """
    started = clock.perf_counter()
    system, root, checkpoint, jobs_file = asked.system, asked.root, asked.checkpoint, asked.jobs_file
    workers = asked.worker_count
    effort = whole_effort(asked.effort, asked.progress)
    question = Question.of(
        system,
        root=root,
        known=asked.known,
        jobs=effort.jobs if asked.jobs is None and asked.time is None else asked.jobs,
        time=asked.time,
        precision=effort.precision if asked.precision is None else asked.precision,
        replications=asked.replications,
        warm_up=asked.warm_up,
        levels=asked.levels,
        controls=asked.controls,
    )
    if asked.known.forbids(question.rate):
        return overloaded(question)
    if asked.dask is not None and jobs_file is not None:
        raise InvalidInput(
            f"jobs_file = '{jobs_file}' is written where the jobs are served, and workers of a cluster serve them; "
            "leave dask or jobs_file out"
        )
    locked = nullcontext() if checkpoint is None else lock(checkpoint)
    with locked, JobsFile(jobs_file, system=system) as file, at_cluster(asked.dask) as hands:
        kept = None
        if checkpoint is not None:
            kept = Checkpoint(checkpoint, question.asked(), system=system, any_seed=asked.any_seed)
            root = seed_sequence(kept.seed)
        run = question.new_run((kept and kept.plan) or question.plan(), root)
        if kept is not None:
            kept.restore(run)
        warn_of_compiling(run, effort)
        question.tell_cost(run.plan, effort)
        outcome = run.advance(
            effort=effort,
            workers=workers,
            keep=None if jobs_file is None else file.write,
            save=None if kept is None else kept.keep,
            elsewhere=Elsewhere.of(hands, question, run.plan, root),
        )
    return result_of(question, run, outcome, clock.perf_counter() - started, seed=seed_record(root))


def whole_effort(effort: Effort | None, progress: Watch | None) -> Effort:
    """Return the effort with whoever is told."""
    effort = Effort() if effort is None else effort
    return effort if progress is None else effort.replace(progress=progress)


def remark_on(run: Run) -> str:
    """Return what people should know of the way the run's policy is carried out; nothing where it is as usual."""
    return str(getattr(run.replications[0].kernel, "remark", ""))


def _state_kept(system: System) -> str:
    """Return a sentence if the policy's function keeps state between decisions, else nothing."""
    kept = policy_of(system).state_kept(system)
    return kept and (
        f"Policy function '{system.policy.name}' keeps state between decisions (it changes {kept}). All replications "
        "share that state, so the answer depends on the order in which they run."
    )


def warn_of_compiling(run: Run, effort: Effort) -> None:
    """Say so if the run's kernel has never been compiled here, or cannot be."""
    if remark := remark_on(run):
        effort.tell(0.0, remark, notice=True)
    elif not compiled_before(type(run.replications[0].kernel).__module__):
        words = "compiling the simulation for this policy: some seconds, once after installation"
        effort.tell(0.0, words, notice=True)


def overloaded(question: Question) -> Result:
    """Return the answer that needs no run: more arrives than can be served."""
    rate, threshold = question.rate, question.known.stability_threshold
    note = (
        f"The arrival rate {rate:.6g} is not below the stability threshold {threshold:.6g}: the queue "
        "grows without end and no mean exists, so nothing was simulated."
    )
    facts = provenance(seed=seed_record(question.root), jobs=0)
    return Result(
        system=question.system.to_spec(),
        quantities=tuple(_given(question)),
        outcome=Outcome.UNSTABLE,
        provenance=facts,
        notes=(note,),
    )


def result_of(question: Question, run: Run, outcome: Outcome, seconds: float, *, seed: Any) -> Result:
    """Return what a run says as rows."""
    count = len(run.replications)
    method = (
        f"simulation of {question.system.policy.name}, {run.done:,} jobs in {count} replication"
        f"{'s' if count > 1 else ''}"
    )
    rows, notes = list(_given(question)), [each for each in (remark_on(run), _state_kept(question.system)) if each]
    facts: dict[str, Any] = {}
    if outcome is Outcome.UNSTABLE:
        # Means over a growing queue say nothing: only the growth does.
        growth = run.growth or 0.0
        rows.append(Quantity(name="queue_growth_rate", value=growth, kind="simulated", method=method))
        pace = f"{growth:.4g} {rate_words(question.system.time_unit)}"
        notes.append(f"The queue grows by about {pace}; no mean is meaningful.")
    else:
        pieces = run.complete if run.left or outcome in CUT_SHORT else run.pieces
        reading = question.reading(run, pieces) if pieces[0] else None
        if reading is not None:
            facts = {"memory_in_jobs": float(f"{reading.pace.memory:.4g}"), "batches": len(reading.batches)}
            if not reading.long_enough and math.isfinite(reading.pace.enough):
                facts["enough_jobs"] = float(f"{_more(run.done, reading.pace.enough):.2g}")
        if run.left and outcome not in CUT_SHORT:
            outcome = Outcome.TOO_SHORT
            notes += _left_behind(question, run)
        elif reading is None or not reading.settled:
            outcome = outcome if outcome in CUT_SHORT else Outcome.TOO_SHORT
            notes.append(_too_short(run, reading))
        else:
            estimates = question.estimates(reading, method)
            measured = list(estimates.rows(question.levels))
            rows = measured + rows
            if not reading.long_enough:
                outcome = outcome if outcome in CUT_SHORT else Outcome.TOO_SHORT
                notes.append(_too_short(run, reading))
            else:
                notes += why_no_interval(estimates, measured)
                if question.why_plain is not None:
                    facts["no_controls"] = f"No control variates: {question.why_plain}."
                    notes.append(facts["no_controls"])
    each = run.plan.warm_up + run.through * run.piece
    return Result(
        system=question.system.to_spec(),
        quantities=tuple(rows),
        outcome=outcome,
        provenance=provenance(
            numba=version_of("numba"),
            seed=seed,
            jobs=run.done,
            replications=count,
            warm_up=round(run.plan.warm_up / each, 6) if each else 0.0,
            percentile_error=RELATIVE_ERROR,
            **facts,
            seconds=round(seconds, 6),
            jobs_per_second=round(run.done / seconds),
        ),
        notes=tuple(notes),
    )


def _given(question: Question) -> Iterator[Quantity]:
    rate, naive = question.rate, question.system.naive_threshold
    yield Quantity(name="arrival_rate", value=rate, kind="exact", method="definition")
    yield Quantity(name="offered_utilisation", value=rate / naive, kind="exact", method="definition")


def _too_short(run: Run, reading: Reading | None) -> str:
    pace = run.pace if reading is None else reading.pace
    if math.isinf(pace.enough):
        return f"{run.done:,} jobs are too few to say whether the queue keeps growing, and no number may be enough."
    settled = reading is not None and reading.settled
    what = "an interval" if settled else "a mean that does not remember the empty beginning"
    missing = None if reading is None or not settled else pace.missing_cause(reading.jobs)
    if missing is not None and missing.jobs >= pace.least_memories * pace.memory:
        return (
            f"{run.done:,} jobs are too few for {what}: {missing.what} make jobs wait and come once in "
            f"{said(missing.between)} jobs, and {missing.enough:.0f} are needed; about {said(pace.enough)} jobs would "
            "do."
        )
    return (
        f"{run.done:,} jobs are too few for {what}: at this load the cluster remembers about {said(pace.memory)} jobs; "
        f"about {said(_more(run.done, pace.enough))} jobs would do."
    )


def _more(done: int, enough: float) -> float:
    """Return how many jobs would do where a run was too short: more than it had, also when both are rounded."""
    return enough if enough > 1.2 * done else 2.0 * done


def _left_behind(question: Question, run: Run) -> Iterator[str]:
    """Say who has not left, by class: a policy may starve a class for longer than a run lasts."""
    counted = run.through * run.piece * len(run.replications)
    lasted = counted / question.rate / len(run.replications)
    longest = max(question.system.active_classes, key=lambda c: float(c.duration.mean))
    if lasted < FILLS_UP * float(longest.duration.mean):
        yield (
            f"The run is too short for the longest jobs: those of class '{longest.name}' take "
            f"{float(longest.duration.mean):.4g} on average, and {counted:,} jobs come within {lasted:.4g}."
        )
        return
    yield (
        f"{run.left:,} of the {counted:,} jobs counted had not left after as many more had come: means over the others "
        "would leave out those that wait longest. The queue may keep growing, or some jobs wait for ever."
    )
    sums = sum(each.record.sums[: run.through, :, 0].sum(axis=0) for each in run.replications)
    for c, left in zip(question.system.classes, np.atleast_1d(sums), strict=True):
        expected = counted * float(c.share)
        if expected >= 10 and left < 0.5 * expected:
            yield f"Of about {expected:,.0f} jobs of class '{c.name}' {left:,.0f} left."
