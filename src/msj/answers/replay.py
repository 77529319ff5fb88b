"""Given jobs, or those of a log, under policies: what became of them, as a result.

A replay is one sample: which jobs meet which others hangs on seconds. So a log's jobs are replayed again and again with
submissions moved by up to a minute either way (after Tsafrir, Ouaknine and Feitelson 2007, "shaking"), and the central
95 % of these replays stand beside each mean as ``low`` and ``high``: how sensitive the number is, not how sure.

A policy that does not apply to the jobs and the machine is left out with its reason (``disciplines.applicable``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from msj.answers.job_times import JobTimes, checked_levels, measures, rows_of
from msj.answers.question import question, root_of
from msj.disciplines import Policy
from msj.disciplines.applicable import Applicable, applicable_policies, chosen_policies, why_not_comparable
from msj.effort import Progress, Watch
from msj.engines.completed import Completed
from msj.errors import Failure, InvalidInput, NotSupported
from msj.logs import Trace, as_trace
from msj.logs.groups import Groups, by_need
from msj.logs.job_files import Served, check_path, write_jobs
from msj.logs.look import in_use_words
from msj.logs.reading import window
from msj.logs.scenario import Prepared, prepared
from msj.model import JobClass, System
from msj.model.durations import Empirical
from msj.model.numbers import number, whole
from msj.options import LEVELS, ReadOptions, ReplayOptions, Scenario, takes
from msj.options.replaying import SHAKES
from msj.results import Missing, Outcome, Quantity, Result, provenance
from msj.simulation import replay_jobs
from msj.simulation.replay import require_fitting
from msj.workloads import RecordedJobs, Streams
from msj.workloads.job_block import JobBlock
from msj.workloads.streams import seed_record

CENTRAL = (2.5, 97.5)


@dataclass(frozen=True)
class ReplayQuestion(ReplayOptions):
    """The question of :func:`msj.replay`."""

    jobs: RecordedJobs | Trace | str | os.PathLike[str] = field(
        metadata={"help": "The jobs, a trace, or the file of a log. The same may be replayed again."}
    )


@question
@takes(ReplayQuestion)
def replay(asked: ReplayQuestion) -> Result:
    """Serve recorded jobs by a policy, or several, until the last is done, and say how long they took.

    Rows of kind ``replayed`` stand at their ``policy``: facts about these very jobs, without confidence intervals.
    Where the jobs are a log's, those of kind ``recorded`` say what the log has, and ``low`` and ``high`` are the
    central 95 % of replays with slightly moved submissions. A policy that does not apply to these jobs on this machine
    is left out: a note and ``missing`` have the reason. If no policy applies, that is an error. Start and finish of
    every job: :func:`msj.simulation.replay_jobs`.

    Examples
    --------
    >>> import msj
    >>> jobs = msj.RecordedJobs(arrival=[0, 0, 0], need=[1, 2, 1], duration=[3.0, 1.0, 1.0])
    >>> result = msj.replay(jobs, servers=2)
    >>> result["mean_waiting_time"], result["makespan"]
    (2.3333333333333335, 5.0)
    >>> both = msj.replay("examples/logs/small_cluster.swf", policies=["fcfs", "easy-backfilling"], shakes=0)
    >>> both.at(policy="easy-backfilling")["mean_waiting_time"] < both.at(policy="fcfs")["mean_waiting_time"]
    True
    """
    chosen = policies_of(asked.policy, asked.policies)
    scenario, jobs_file = Scenario(**asked.part(Scenario)), asked.jobs_file
    if jobs_file is not None:
        check_path(Path(jobs_file), [p.preemptive for p in chosen.values()])
    trace = _trace(asked)
    size = servers_of(trace, asked.servers)
    given = _given(asked) if trace is None else prepared(trace, scenario, size, between=window(trace, asked))
    if len(given.jobs.jobs) == 0:
        raise InvalidInput("there are no jobs to replay; give at least one")
    root = root_of(asked.rng, asked.seed)
    times = (SHAKES if trace is not None else 0) if asked.shakes is None else whole(asked.shakes, "shakes", least=0)
    ask = _Replay(
        given,
        size,
        root,
        checked_levels(LEVELS if asked.levels is None else asked.levels),
        float(number(asked.shake, "shake")),
        trace,
    )
    recorded = recorded_system(given.jobs.jobs, size)
    able = applicable_policies(recorded, chosen, why_not_comparable).required()
    left_out, done = dict(able.left_out), {}
    rows, notes = ask.recorded(), [*(trace.notes if trace is not None else ()), *given.notes]
    for index, (name, one) in enumerate(able.policies.items()):
        watch = None if asked.progress is None else _within(asked.progress, index, len(able.policies))
        try:
            # The laws of durations are not known; shares and means are.
            found, done[name] = ask.rows(name, one if one.knows_laws else one.on(recorded), times, watch)
        except NotSupported as error:  # its kernel refuses the jobs
            left_out[name] = error.message
            continue
        rows += found
        if jobs_file is not None:
            write_jobs(Path(jobs_file), ask.served(done[name], name), only=len(chosen) == 1, servers=size)
    able = Applicable({name: chosen[name] for name in done}, left_out).required()
    return Result(
        system={"time_unit": "seconds", "servers": size, "policies": [one.to_spec() for one in able.policies.values()]},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED,
        provenance=provenance(seed=seed_record(root), jobs=len(given.jobs.jobs), replays=1 + times),
        notes=(*able.notes, *notes, *ask.remarks(times)),
        missing=tuple(
            Missing(name="replay", failure=Failure.NOT_SUPPORTED, reason=reason, at={"policy": name})
            for name, reason in left_out.items()
        ),
    )


def policies_of(policy: Any, policies: Iterable[Any] | None) -> dict[str, Policy]:
    """Return the policies that one or several names, tables, policies or functions stand for, by their labels."""
    if policy is not None and policies is not None:
        raise InvalidInput("policy and policies are both given; give one of them")
    found = chosen_policies([policy or "fcfs"] if policies is None else policies)
    if not found:
        raise InvalidInput("policies is empty; name at least one, such as 'fcfs'")
    return found


def recorded_system(jobs: JobBlock, servers: int) -> System:
    """Return the system that recorded jobs stand for, with a class for each need, to ask whether a policy applies.

    A class has the share and the mean duration of its jobs; no law of durations is assumed.
    """
    require_fitting(jobs, servers)
    needs, of_job, counts = np.unique(jobs.need, return_inverse=True, return_counts=True)
    means = np.bincount(of_job, weights=jobs.duration) / counts
    classes = [
        JobClass(name=f"need {need}", need=need, count=count, duration=Empirical(values=(mean or 1.0,)))
        for need, count, mean in zip(needs.tolist(), counts.tolist(), means.tolist(), strict=True)
    ]
    return System(servers=servers, classes=tuple(classes))


def _trace(asked: ReplayQuestion) -> Trace | None:
    """Return the log; None where the jobs are arrays."""
    if isinstance(asked.jobs, RecordedJobs):
        return None
    if isinstance(asked.jobs, Mapping):
        raise InvalidInput("of jobs that were given as arrays only a hash is kept; give the jobs themselves")
    if not isinstance(asked.jobs, (Trace, str, os.PathLike)):
        given = type(asked.jobs).__name__
        raise InvalidInput(f"{given} is neither jobs nor a log; give RecordedJobs, a Trace or a file")
    # With a largest need even jobs larger than the machine may get on it: they are judged later.
    reading = asked.part(ReadOptions) | ({} if asked.largest_need is None else {"servers": None})
    return as_trace(asked.jobs, ReadOptions(**reading), cut=not asked.from_log_state)


def _given(asked: ReplayQuestion) -> Prepared:
    usual = ReplayOptions(servers=asked.servers)
    if any(asked.part(group) != usual.part(group) for group in (Scenario, ReadOptions)):
        raise NotSupported("estimates, loads and stretches are changed in a log; change the arrays yourself")
    assert isinstance(asked.jobs, RecordedJobs)
    count = len(asked.jobs.jobs)
    return Prepared(jobs=asked.jobs, counted=np.ones(count, dtype=bool), waited=np.zeros(count), place=np.arange(count))


def servers_of(trace: Trace | None, servers: int | None) -> int:
    """Return the machine's size: as given, else as the log says it; a log that does not is asked for it."""
    size = servers if servers is not None or trace is None else trace.servers
    if size is None:
        raise InvalidInput(
            f"the log does not say how many servers there are; say it with --servers N ({in_use_words(trace)})"
            if trace is not None
            else "servers is not given; say how many there are"
        )
    return whole(size, "servers")


def _within(progress: Watch, index: int, count: int) -> Watch:
    return lambda now: progress(Progress(done=(index + now.done) / count, words=now.words, notice=now.notice))


class _Replay:
    """The jobs and the machine, and what is asked of each policy."""

    def __init__(
        self, given: Prepared, servers: int, root: Any, levels: tuple[float, ...], shake: float, trace: Trace | None
    ) -> None:
        self.given, self.servers, self.root, self.levels, self.shake = given, servers, root, levels, shake
        self.trace = trace
        self.groups = None
        if trace is not None:
            groups = by_need(given.jobs.jobs.need)
            self.groups = Groups(of_job=groups.of_job[given.counted], names=groups.names)

    def recorded(self) -> list[Quantity]:
        """Return what the log itself says of these jobs."""
        if self.trace is None or not self.trace.has_waits:
            return []
        place = self.given.place[self.given.counted]
        wait, run = (self.trace.column(name)[place] for name in ("wait", "run"))
        known = np.isfinite(wait)
        times = JobTimes(wait=wait[known], run=run[known], response=(wait + run)[known], waited=(wait > 0)[known])
        groups = self.groups
        part = None if groups is None else Groups(of_job=groups.of_job[known], names=groups.names)
        return rows_of(times, part, levels=self.levels, kind="recorded", method="the log's own waits")

    def rows(self, name: str, policy: Policy, shakes: int, progress: Watch | None) -> tuple[list[Quantity], Completed]:
        """Return the rows of one policy, and its jobs."""
        at = {"policy": name}
        method = f"replay of {int(self.given.counted.sum()):,} jobs"
        done = self._served(policy, self.given.jobs)
        times = self._times(done)
        spread = self._shaken(policy, shakes, name, progress)
        found = rows_of(times, self.groups, levels=self.levels, kind="replayed", method=method, at=at, spread=spread)
        makespan = float(done.finish.max() - done.arrival.min())
        work, capacity = float((done.need * done.duration).sum()), policy.service_capacity(self.servers)
        for quantity, value in (
            ("utilisation", work / (capacity * makespan) if makespan > 0 and not policy.restart else None),
            ("makespan", makespan),
        ):
            if value is not None:
                found.append(Quantity(name=quantity, value=value, kind="replayed", method=method, at=at))
        return found, done

    def _served(self, policy: Policy, jobs: RecordedJobs) -> Completed:
        return replay_jobs(jobs, servers=self.servers, policy=policy, rng=self.root)

    def _times(self, done: Completed) -> JobTimes:
        before, counted = self.given.waited, self.given.counted
        response = done.finish - done.arrival + before
        never_stopped = done.start - done.arrival + before
        wait = never_stopped if done.preemptions is None else np.maximum(response - done.duration, never_stopped)
        waited = never_stopped > 0
        return JobTimes(wait=np.maximum(wait, 0.0), run=done.duration, response=response, waited=waited).part(counted)

    def _shaken(self, policy: Policy, shakes: int, name: str, progress: Watch | None) -> dict[Any, tuple[float, float]]:
        """Return the central 95 % of each mean and percentile over replays with moved submissions."""
        found: dict[Any, list[float]] = {}
        block = self.given.jobs.jobs
        first = float(block.arrival[0])
        for number_of in range(shakes):
            if progress is not None:
                progress(Progress(done=number_of / shakes, words=f"{name}: replay {number_of + 2} of {shakes + 1}"))
            moved = Streams(root=self.root, replication=number_of).generator("arrivals")
            arrival = block.arrival + moved.uniform(-self.shake, self.shake, len(block))
            held = self.given.waited > 0
            arrival[held | ~self.given.counted] = first  # who is there at the beginning stays there
            arrival = np.maximum(arrival, first)
            order = np.argsort(arrival, kind="stable")
            jobs = RecordedJobs(
                arrival=arrival[order],
                need=block.need[order],
                duration=block.duration[order],
                estimate=None if block.estimate is None else block.estimate[order],
            )
            back = np.argsort(order, kind="stable")
            done = self._served(policy, jobs)
            times = self._times(_reordered(done, back))
            for key, value in measures(times, self.levels).items():
                found.setdefault((None, key), []).append(value)
            if self.groups is not None and len(self.groups.names) > 1:
                for i, group in enumerate(self.groups.names):
                    for key, value in measures(times.part(self.groups.of_job == i), self.levels).items():
                        found.setdefault((group, key), []).append(value)
        return {key: tuple(np.percentile(values, CENTRAL)) for key, values in found.items()}

    def served(self, done: Completed, name: str) -> Served:
        """Return the jobs as files have them."""
        place, counted = self.given.place, self.given.counted
        numbers = np.arange(1, len(done) + 1)
        job = numbers if self.trace is None or "job" not in self.trace.frame else self.trace.column("job")[place]
        estimate = self.given.jobs.jobs.estimate
        return Served(
            policy=name,
            job=job,
            submit=(done.arrival - self.given.waited),
            need=done.need,
            run=done.duration,
            estimate=estimate,
            start=done.start,
            finish=done.finish,
            counted=counted,
            preemptive=done.preemptions is not None and bool((done.preemptions > 0).any()),
        )

    def remarks(self, shakes: int) -> list[str]:
        """Return what must be said of all policies."""
        if self.trace is None:
            return []
        said = []
        if self.trace.has_waits:
            said.append("What the log recorded stands beside the replays: its own policy, size and operators made it.")
        else:
            said.append("The log has no waiting times, so there is nothing recorded beside the replays.")
        if shakes:
            said.append(
                f"Brackets are the central 95 % of {shakes} replays with submissions moved by up to {self.shake:g} s "
                "either way: how sensitive a number is, not how sure. A difference within them may be none."
            )
        return said


def _reordered(done: Completed, back: Any) -> Completed:
    """Return completed jobs in the order in which they were before submissions were moved."""
    columns: dict[str, Any] = {name: None if column is None else column[back] for name, column in vars(done).items()}
    return Completed(**columns)
