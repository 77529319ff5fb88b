"""One front put together from parts, first come first served: segments, places, surroundings, set-up, reloading.

A front is (surroundings, jobs under way, jobs that have not started, servers on and off). A job under way is its class
and its segments, each (kind, phase, place, load, line): what it holds and where; the phase of a transfer that it has to
go through first (−1: none); its place in the *line of units* if it waits for room between two segments or because a
server of its was taken (−1: it holds what it needs). Jobs and segments are sorted, so that fronts that differ only in
who is who are one.

After every event units start in the order of their line, and only when none waits do further jobs, in order of
arrival; the first that does not fit blocks all behind it. The front is full once it is clear that jobs behind it change
nothing: somebody in it would not fit even if all servers that are up were on, or nobody else would. Jobs join one by
one until then, and only then servers are switched on and off (``settled``). A job joins only while all in the front
fit at once, so there are never more than can hold something at once, and one.

The rules of each part, and the mathematics behind them: ``docs/models.md`` (reset, section 7, Appendices H.2 to H.6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msj.fronts.front_model import FrontModel, Service, Step
from msj.fronts.parts_environment import Environment, Surroundings
from msj.fronts.parts_hits import hit
from msj.fronts.parts_places import Place, Places, Vector
from msj.fronts.parts_power import Power, Switching
from msj.fronts.parts_rows import server_rows
from msj.fronts.parts_segments import Drawn, Phases, Segments
from msj.fronts.parts_size import about_fronts
from msj.model import System

Segment = tuple[int, int, Place, int, int]  # kind, phase, place, load, line
Job = tuple[int, tuple[Segment, ...]]
Jobs = tuple[Job, ...]
Fresh = tuple[int, Drawn]  # a job that has not started: its class and its first segments
Front = tuple[Surroundings, Jobs, tuple[Fresh, ...], Power]


class PartsFront(FrontModel[Front, Fresh]):
    """FCFS on whatever parts there are; the arguments are the plain values of ``disciplines.plain_parts``."""

    def __init__(self, system: System, **told: Any) -> None:
        self.system = system
        self.told: Mapping[str, Any] = told
        self.class_names = tuple(c.name for c in system.classes)
        shares = [float(c.share) for c in system.classes]
        self.shares = [share / sum(shares) for share in shares]
        self.segments = Segments(told["classes"], self.shares)
        self.kinds = self.segments.kinds
        self.servers = [group[0] for group in told["groups"]]
        self.around = Environment(told["environment"], self.servers)
        self.switching = Switching(told["set_up"], len(self.servers))
        self.settles = self.switching.there
        transfer = None if told["overhead"] is None else told["overhead"]["transfer"]
        self.transfer = None if transfer is None else Phases(transfer)
        self.pair_classes(len(self.class_names))

    def pair_classes(self, classes: int) -> None:
        told = self.told
        caps_of = [c % classes for c in range(len(self.class_names))]
        self.places = Places(told["groups"], told["capacity"], told["classes"], self.kinds, caps_of)
        self._no_room: dict[Vector, bool] = {}

    @cached_property
    def most_jobs(self) -> int:
        """The most jobs that hold something at once, and one that waits."""
        return self.places.most_jobs() + 1

    @cached_property
    def one_speed(self) -> bool:  # type: ignore[override]
        plain = all(len(told["segments"]) == 1 for told in self.told["classes"])
        same_need = all(len(set(kind.needs)) == 1 for kind in self.kinds)
        return plain and same_need and self._speeds_of_groups == {1.0} and self.around.one_speed

    @cached_property
    def _speeds_of_groups(self) -> set[float]:
        return {float(speed) for _, speed, _ in self.told["groups"]}

    def about_fronts(self) -> float | None:
        return about_fronts(self, self.system)

    # Who is there.

    def fresh(self) -> Sequence[tuple[Fresh, float]]:
        return self._fresh

    @cached_property
    def _fresh(self) -> tuple[tuple[Fresh, float], ...]:
        arriving = [(c, share) for c, share in enumerate(self.shares) if share > 0]
        return tuple(((c, drawn), share * own) for c, share in arriving for drawn, own in self.segments.roots(c))

    def empty(self) -> Front:
        return (self.around.first(), (), (), self.switching.first())

    def jobs(self, front: Front) -> Sequence[Any]:
        return (*front[1], *front[2])

    def class_of(self, job: Any) -> int:
        return int(job[0])

    def size(self, front: Front) -> int:
        return len(front[1]) + len(front[2])

    def class_counts(self, front: Front) -> Sequence[int]:
        counts = [0] * len(self.class_names)
        for job in self.jobs(front):
            counts[job[0]] += 1
        return counts

    def in_service(self, job: Any) -> bool:
        return any(len(s) > 2 and s[3] < 0 and s[4] < 0 for s in job[1])

    # Joining.

    def full(self, front: Front) -> bool:
        _, blocked, free = self._walked(front)
        return blocked or self._nobody_fits(free)

    def add(self, front: Front, job: Fresh) -> Front:
        around, under_way, waiting, power = front
        return self._started(around, under_way, (*waiting, job), power)

    def settled(self, front: Front) -> Iterable[tuple[Front, float]]:
        if not self.switching.there:
            return ((front, 1.0),)
        wanted, _, _ = self._walked(front)
        return [((*front[:3], power), chance) for power, chance in self.switching.settled(front[3], wanted)]

    def starts_at_once(self, front: Front, job: Fresh) -> bool | None:
        # A younger job may be the reason why servers come on, and one that has started may have to wait again.
        if self.switching.there or self.around.takes_servers:
            return None
        around, under_way, waiting, _ = front
        if waiting or _units(under_way):
            return False
        return self.places.put(job[1], self._free(under_way, self.around.up(around))) is not None

    def service(self, job: Fresh) -> Service | None:
        alone = not self.around and len(self._speeds_of_groups) == 1
        keeps = all(not kind.after and len(set(kind.needs)) == 1 for kind in self.kinds)
        return (job[1], self._goes_on) if alone and keeps else None

    def _goes_on(self, segments: Drawn) -> Iterator[tuple[float, Drawn | None]]:
        (speed,) = self._speeds_of_groups
        for i, (kind, phase) in enumerate(segments):
            for rate, to in self.kinds[kind].phases.steps[phase]:
                left = (*segments[:i], *(() if to is None else ((kind, to),)), *segments[i + 1 :])
                yield rate * speed, tuple(sorted(left)) or None

    def _free(self, under_way: Jobs, servers: Sequence[int]) -> Vector:
        held = [self.places.held(s[0], s[2]) for _, own in under_way for s in own if s[4] < 0]
        return self.places.free(servers, held)

    def _nobody_fits(self, free: Vector) -> bool:
        if free not in self._no_room:
            self._no_room[free] = all(self.places.put(drawn, free) is None for (_, drawn), _ in self._fresh)
        return self._no_room[free]

    def _walked(self, front: Front) -> tuple[list[int], bool, Vector]:
        """Return the servers wanted of each group, whether somebody would not fit, and what would be free."""
        around, under_way, waiting, _ = front
        up = self.around.up(around)
        free: Vector | None = self._free(under_way, up)
        units = _units(under_way)
        for drawn in (*(unit for _, unit in units), *(job[1] for job in waiting)):
            assert free is not None
            found = self.places.put(drawn, free)
            if found is None:
                return [n - left for n, left in zip(up, free, strict=False)], True, free
            free = found[1]
        assert free is not None
        return [n - left for n, left in zip(up, free, strict=False)], False, free

    def _started(self, around: Surroundings, under_way: Jobs, waiting: tuple[Fresh, ...], power: Power) -> Front:
        """Return the front once everybody who can start has done so."""
        units = _units(under_way)
        if not units and not waiting:
            return around, tuple(sorted(under_way)), (), power
        jobs = list(under_way)
        on = tuple(group.on for group in power) if power else self.around.up(around)
        free = self._free(under_way, on)
        begun = 0
        for line, (i, unit) in enumerate(units):
            found = self.places.put(unit, free)
            if found is None:
                break
            places, free = found
            jobs[i] = (jobs[i][0], _placed(jobs[i][1], line, places))
            begun += 1
        if begun:
            jobs = [(c, tuple(sorted((*s[:4], max(-1, s[4] - begun)) for s in own))) for c, own in jobs]
        while begun == len(units) and waiting:
            job_class, drawn = waiting[0]
            found = self.places.put(drawn, free)
            if found is None:
                break
            places, free = found
            own = ((kind, phase, place, -1, -1) for (kind, phase), place in zip(drawn, places, strict=True))
            jobs.append((job_class, tuple(sorted(own))))
            waiting = waiting[1:]
        return around, tuple(sorted(jobs)), waiting, power

    # What can happen.

    def steps(self, front: Front) -> Iterator[Step[Front]]:
        around, under_way, waiting, power = front
        for job, many in Counter(under_way).items():
            place = under_way.index(job)
            rest = (*under_way[:place], *under_way[place + 1 :])
            for rate, after, completes in self._of_job(job, rest, self.around.speed(around)):
                if completes or after[1]:
                    yield many * rate, self._started(around, after[0], waiting, power), completes
                else:
                    yield many * rate, (around, tuple(sorted(after[0])), waiting, power), False
        for change in self.around.changes(around):
            for (left, switched), chance in self._after_hits(front, change.after, change.hits):
                yield change.rate * chance, self._started(change.after, left, waiting, switched), False
        for rate, switched, came_on in self.switching.steps(power):
            if came_on:
                yield rate, self._started(around, under_way, waiting, switched), False
            else:
                yield rate, (around, under_way, waiting, switched), False

    def _after_hits(self, front: Front, after: Surroundings, hits: str) -> Iterable[tuple[tuple[Jobs, Power], float]]:
        around, under_way, _, power = front
        before, left = self.around.up(around), self.around.up(after)
        if not hits or all(now >= then for now, then in zip(left, before, strict=True)):
            return (((under_way, power), 1.0),)
        return hit(under_way, power, before, left, anybody=hits == "any", owed=self._owed)

    def _owed(self, job_class: int) -> Sequence[tuple[int, float]]:
        """Return the law of the load of a segment that was stopped."""
        pays = self.transfer is not None and self.told["classes"][job_class]["pays"]
        return self.transfer.first if self.transfer is not None and pays else ((-1, 1.0),)

    def _of_job(self, job: Job, rest: Jobs, speed: float) -> Iterator[tuple[float, tuple[Jobs, bool], bool]]:
        """Yield (rate, (jobs under way after, whether anybody may start then), whether the job completes)."""
        job_class, own = job
        for segment, many in Counter(own).items():
            kind, phase, place, load, line = segment
            if line >= 0:
                continue
            i = own.index(segment)
            others = (*own[:i], *own[i + 1 :])
            if load >= 0:
                assert self.transfer is not None
                for rate, to in self.transfer.steps[load]:
                    moved = (kind, phase, place, -1 if to is None else to, -1)
                    yield many * rate, ((*rest, _job(job_class, (*others, moved))), False), False
                continue
            for rate, to in self.kinds[kind].phases.steps[phase]:
                progress = many * rate * speed * self.places.speed(place)
                if not progress:
                    continue
                law = self._follow(segment, others, to)
                for drawn, chance in law:
                    if drawn:
                        yield progress * chance, self._goes_on_as(drawn, segment, others, job_class, rest), False
                    elif others:
                        yield progress * chance, ((*rest, (job_class, others)), True), False
                    else:
                        yield progress * chance, (rest, True), True

    def _follow(self, segment: Segment, others: tuple[Segment, ...], to: int | None) -> Sequence[tuple[Drawn, float]]:
        """Return what becomes ready as a segment ends, or the segment itself in its next phase."""
        if to is not None:
            return ((((segment[0], to),), 1.0),)
        return self.segments.ready(segment[0], frozenset(s[0] for s in others))

    def _goes_on_as(
        self, drawn: Drawn, ended: Segment, others: tuple[Segment, ...], job_class: int, rest: Jobs
    ) -> tuple[Jobs, bool]:
        """Let a unit take over the place of what has ended, or else wait at the end of the line."""
        places = self.places.taken_over(drawn, ended[0], ended[2])
        if places is not None:
            own = [(kind, phase, place, -1, -1) for (kind, phase), place in zip(drawn, places, strict=True)]
            same = len(own) == 1 and self.places.held(own[0][0], own[0][2]) == self.places.held(ended[0], ended[2])
            return (*rest, _job(job_class, (*others, *own))), not same
        line = 1 + max((s[4] for _, own in (*rest, (job_class, others)) for s in own), default=-1)
        waits = [(kind, phase, (), -1, line) for kind, phase in drawn]
        return (*rest, _job(job_class, (*others, *waits))), True

    # What is told.

    def busy_servers(self, front: Front) -> float:
        return float(self._servers(front)[0])

    def measures(self, front: Front) -> dict[str, float]:
        busy, paying = self._servers(front)
        up = self.around.up(front[0])
        told = self.told
        return server_rows(
            busy=busy,
            paying=paying if self.transfer is not None else None,
            broken=sum(self.servers) - sum(up) if self.around.takes_servers else None,
            power=front[3] if self.switching.there else None,
            servers=sum(self.servers),
            prices={"mean_power": told["power"], "mean_cost": told["cost"]},
        )

    def _servers(self, front: Front) -> tuple[int, int]:
        """Return how many servers are held by segments that make progress, and by those that load."""
        found = [0, 0]
        for _, own in front[1]:
            for _, _, place, load, line in own:
                if line < 0:
                    found[load >= 0] += sum(place)
        return found[0], found[1]


def _job(job_class: int, segments: Iterable[Segment]) -> Job:
    return (job_class, tuple(sorted(segments)))


def _units(under_way: Jobs) -> list[tuple[int, Drawn]]:
    """Return the line of units: whose each is, by its number among the jobs under way, and its segments."""
    found: dict[int, tuple[int, list[tuple[int, int]]]] = {}
    for i, (_, own) in enumerate(under_way):
        for kind, phase, _, _, line in own:
            if line >= 0:
                found.setdefault(line, (i, []))[1].append((kind, phase))
    return [(found[line][0], tuple(found[line][1])) for line in sorted(found)]


def _placed(own: tuple[Segment, ...], line: int, places: Sequence[Place]) -> tuple[Segment, ...]:
    """Return the segments of a job of whose unit at ``line`` has started in ``places``, in order."""
    left = iter(places)
    return tuple(
        (kind, phase, next(left), load, -1) if at == line else (kind, phase, place, load, at)
        for kind, phase, place, load, at in own
    )
