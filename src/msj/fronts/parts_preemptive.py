"""Preemption that costs, under any preemptive policy with a finite front, also where servers come and go together.

A front is (surroundings, jobs); a job is (type, mode, phase), where the type is a class and the phase its duration is
in, and the mode says what it does: it waits, runs, saves its state (holding its servers), has been put aside, or loads
its state again; the phase is that of saving or loading. After every event jobs join until the policy, asked by its own
function, has seen enough, and only then it decides (``settled``): who runs and is not chosen saves, or is put aside at
once; who is chosen and has no servers starts as far as servers are free, after loading if it has been put aside. Jobs
that may not be preempted are left out of what the policy sees, and their servers too; it is asked again when such a job
has started (reset, Appendix H.6; the policies: wcfs, section 3).

Without saving all who are chosen start at once, so that, where the policy looks at age only among equal needs, a front
may be sorted by need (``policy_front``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

from msj.disciplines import Policy
from msj.fronts.front_model import Step
from msj.fronts.parts_environment import Environment, Surroundings
from msj.fronts.parts_rows import server_rows
from msj.fronts.parts_segments import Phases
from msj.fronts.phased_front import PhasedFront, without
from msj.fronts.policy_decisions import PolicyDecisions
from msj.model import System

WAITS, RUNS, SAVES, ASIDE, LOADS = range(5)
HOLDING = (RUNS, SAVES, LOADS)
Job = tuple[int, int, int]  # type, mode, phase of saving or loading
Front = tuple[Surroundings, tuple[Job, ...]]


class PreemptivePartsFront(PhasedFront[Front]):
    """A preemptive policy with overheads; the arguments are the plain values of ``disciplines.plain_parts``."""

    settles = True

    def __init__(self, system: System, **told: Any) -> None:
        super().__init__(system)
        self.told: Mapping[str, Any] = told
        self.policy: Policy = told["rule"]
        self.around = Environment(told["environment"], [system.servers])
        overhead = told["overhead"] or {"snapshot": None, "transfer": None}
        self.snapshot, self.transfer = (
            None if overhead[key] is None else Phases(overhead[key]) for key in ("snapshot", "transfer")
        )
        self.by_need = self.policy.order_within_need and self.snapshot is None
        self.decisions = PolicyDecisions(self.policy, orders_running=True)
        self.shown_classes = sum(not c.is_copy for c in system.classes)

    @cached_property
    def one_speed(self) -> bool:  # type: ignore[override]
        return self.around.one_speed

    @cached_property
    def _stays(self) -> tuple[bool, ...]:
        """Whether jobs of each type may not be preempted."""
        return tuple(not self.told["classes"][c]["preemptible"] for c in self.types.class_of)

    @cached_property
    def most_jobs(self) -> int:
        """Those the policy looks at, and those that it may not touch."""
        least = [need for need, stays in zip(self.needs, self._stays, strict=True) if stays]
        looks_at = self.policy.front_on(self.servers)
        assert looks_at is not None
        if self.policy.front is not None:
            return self.servers // min(self.needs) + looks_at
        return looks_at + (self.servers // min(least) if least else 0)

    def keep_order(self) -> None:
        self.by_need = False  # a policy that fills from a prefix must see which that is

    def class_of(self, job: Any) -> int:
        return int(self.types.class_of[job[0] if isinstance(job, tuple) else job])

    def empty(self) -> Front:
        return (self.around.first(), ())

    def jobs(self, front: Front) -> tuple[Job, ...]:
        return front[1]

    def size(self, front: Front) -> int:
        return len(front[1])

    def add(self, front: Front, job: int) -> Front:
        joined = (*front[1], (job, WAITS, -1))
        return front[0], tuple(sorted(joined, key=self._larger_first)) if self.by_need else joined

    def _larger_first(self, job: Job) -> int:
        return -self.needs[job[0]]

    def full(self, front: Front) -> bool:
        return self._decided(front)[1]

    def settled(self, front: Front) -> Iterable[tuple[Front, float]]:
        around = front[0]
        after = self._decided(front)[0]
        laws = [self._begun(job) for job in after]
        if all(len(law) == 1 for law in laws):
            return (((around, tuple(law[0][0] for law in laws)), 1.0),)
        found = []
        for drawn in product(*laws):
            chance = 1.0
            for _, own in drawn:
                chance *= own
            found.append(((around, tuple(job for job, _ in drawn)), chance))
        return found

    def _begun(self, job: Job) -> Sequence[tuple[Job, float]]:
        """Return how a job that has just begun to save or to load does so."""
        of_type, mode, phase = job
        law = {SAVES: self.snapshot, LOADS: self.transfer}.get(mode)
        if law is None or phase >= 0:
            return ((job, 1.0),)
        return tuple(((of_type, mode, first), chance) for first, chance in law.first)

    def _decided(self, front: Front) -> tuple[list[Job], bool]:
        """Return the jobs once the policy has decided, and whether it has seen enough; the phase −1 is to be drawn."""
        jobs, (up,) = list(front[1]), self.around.up(front[0])
        before = list(jobs)
        if up == 0:
            return jobs, True
        seen = True
        while True:
            stay = [self._stays[t] and mode in (RUNS, LOADS) for t, mode, _ in jobs]
            places = [i for i, stays in enumerate(stay) if not stays]
            left = up - sum(self.needs[jobs[i][0]] for i, stays in enumerate(stay) if stays)
            chosen, enough = self._ask(tuple(jobs[i] for i in places), left)
            seen = seen and enough
            for i, is_chosen in zip(places, chosen, strict=True):
                if not is_chosen:
                    jobs[i] = self._stopped(jobs[i], before[i])
            free = up - sum(self.needs[t] for t, mode, _ in jobs if mode in HOLDING)
            again = False
            for i, is_chosen in zip(places, chosen, strict=True):
                of_type, mode, _ = jobs[i]
                if is_chosen and mode in (WAITS, ASIDE) and self.needs[of_type] <= free:
                    free -= self.needs[of_type]
                    jobs[i] = (of_type, RUNS if mode == WAITS else LOADS, -1)
                    again = again or self._stays[of_type]
            if not again:
                return jobs, seen

    def _ask(self, jobs: tuple[Job, ...], servers: int) -> tuple[tuple[bool, ...], bool]:
        """Return whom the policy chooses, and whether it would look at nobody else."""
        needs = [self.needs[t] for t, _, _ in jobs]
        if servers <= 0 or not jobs:
            return (False,) * len(jobs), self._enough(needs, 0, servers)
        classes = [int(self.types.class_of[t]) % self.shown_classes for t, _, _ in jobs]
        running = [mode in (RUNS, LOADS) for _, mode, _ in jobs]
        chosen = self.decisions.chosen(needs, classes, running, servers)
        return tuple(chosen.tolist()), self._enough(needs, int(chosen.sum()), servers)

    def confirm(self) -> None:
        self.decisions.confirm()

    def _enough(self, needs: Sequence[int], chosen: int, servers: int) -> bool:
        if servers <= 0:
            return True
        if self.policy.front is None:
            return self.policy.sees_enough(needs, servers)
        looks_at = self.policy.front_on(self.servers)
        return looks_at is not None and len(needs) - int(chosen) >= looks_at

    def _stopped(self, job: Job, before: Job) -> Job:
        """Return a job that is not chosen; one that has started in this moment is what it was."""
        of_type, mode, _ = job
        if mode not in (RUNS, LOADS):
            return job
        if before[1] in (WAITS, ASIDE):
            return before
        pays = self._pays(of_type)
        if mode == RUNS and pays and self.snapshot is not None:
            return (of_type, SAVES, -1)
        return self._aside(of_type)

    def _pays(self, of_type: int) -> bool:
        return bool(self.told["classes"][self.types.class_of[of_type]]["pays"])

    def _aside(self, of_type: int) -> Job:
        """Return a job put aside; one that owes nothing only waits."""
        return (of_type, ASIDE if self.transfer is not None and self._pays(of_type) else WAITS, -1)

    def steps(self, front: Front) -> Iterator[Step[Front]]:
        around, jobs = front
        speed = self.around.speed(around)
        for i, (of_type, mode, phase) in enumerate(jobs):
            if mode == RUNS and speed:
                for rate, after in self.changes(of_type, speed):
                    left = () if after is None else ((after, RUNS, -1),)
                    yield rate, (around, without(jobs, i, *left)), after is None
            elif mode == SAVES:
                assert self.snapshot is not None
                for rate, to in self.snapshot.steps[phase]:
                    later = self._aside(of_type) if to is None else (of_type, SAVES, to)
                    yield rate, (around, without(jobs, i, later)), False
            elif mode == LOADS:
                assert self.transfer is not None
                for rate, to in self.transfer.steps[phase]:
                    later = (of_type, RUNS, -1) if to is None else (of_type, LOADS, to)
                    yield rate, (around, without(jobs, i, later)), False
        for change in self.around.changes(around):
            gone = self.around.up(change.after) == (0,)
            kept = tuple(self._aside(job[0]) if job[1] in HOLDING else job for job in jobs) if gone else jobs
            yield change.rate, (change.after, kept), False

    def in_service(self, job: Any) -> bool:
        return bool(job[1] == RUNS)

    def busy_servers(self, front: Front) -> float:
        """Return how many servers make progress; those of jobs that save or load do not."""
        return float(self._held(front, (RUNS,)))

    def _held(self, front: Front, modes: Sequence[int]) -> int:
        return sum(self.needs[t] for t, mode, _ in front[1] if mode in modes)

    def measures(self, front: Front) -> dict[str, float]:
        return server_rows(
            busy=self._held(front, (RUNS,)),
            paying=self._held(front, (SAVES, LOADS)) if self.told["overhead"] is not None else None,
            broken=self.servers - self.around.up(front[0])[0] if self.around.takes_servers else None,
            power=None,
            servers=self.servers,
            prices={},
        )
