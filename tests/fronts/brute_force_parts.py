"""A slow, obviously right twin of models put together from parts: every job, segment, server and delay in the state.

Jobs are kept in order of arrival, units in the order of their line, set-ups and delays in the order in which they
began. Nothing is sorted, lumped or drawn before it must be, and no level repeats: far levels are cut off. Under FCFS a
state is (jobs, line of units, servers, environment):

- a job is (class, segments); a segment one of ``Segment`` below, its holdings pairs of (what, amount), where *what* is
  (None, group) for servers, (resource, group), (resource, None) for the cluster's, ("at most", class) for the cap;
- a unit is a tuple of (job's index, segment's index);
- servers, with set-up only: by group (number on, phases of set-ups, phases of delays);
- the environment: by component (state, phase of the sojourn).

Preemptive policies: ``brute_force_preemptive``.
"""

from collections import namedtuple
from math import prod

from fronts.brute_force_chain import Phases, brute_force, phases
from fronts.brute_force_preemptive import Preemptive

#: status: later (not ready, or its job has not started), waits (in a unit), runs, loads, done. ``phase`` is None until
#: the first start (of a need per phase: until it is ready, as the need must be known); ``owes``: it loads when it
#: starts again.
Segment = namedtuple("Segment", "status phase owes holds load", defaults=(None, False, (), None))
DONE = Segment("done")


def solved(parts, shares, rate, most=8):
    """Means of the open system by name; ``mean_response_time`` by Little's law over those who were let in."""
    means, leaving, states = brute_force(chain_of(**parts), shares, rate, most)
    means["mean_response_time"] = means["jobs"] / sum(leaving)
    for c, flow in enumerate(leaving):
        means["mean_response_time", c] = means["jobs", c] / flow if flow else 0.0
    return {**means, "states": states}


def saturated(parts, shares, most):
    """Means with always ``most`` jobs; ``throughput`` is the rate of leaving."""
    means, leaving, states = brute_force(chain_of(**parts), shares, None, most)
    return {**means, "throughput": sum(leaving), "states": states}


def chain_of(*, rule=None, **parts):
    return InOrder(**parts) if rule is None else Preemptive(rule=rule, **parts)


class InOrder:
    """FCFS with any of the parts."""

    def __init__(self, *, groups, capacity, classes, environment, set_up, overhead, power=None, cost=None):
        self.groups, self.capacity, self.classes = groups, capacity, classes
        self.laws = [[Phases(segment["law"]) for segment in kind["segments"]] for kind in classes]
        self.environment = environment
        self.sojourns = [[Phases(law) for law in component["sojourn"]] for component in environment]
        self.set_up = set_up
        self.set_up_law = phases(set_up and set_up["law"])
        self.delay_law = phases(set_up and set_up["delay"])
        self.transfer_law = phases(overhead and overhead["transfer"])

    def empty(self):
        servers = tuple((0, (), ()) for _ in self.groups) if self.set_up else ()
        return (), (), servers, tuple((0, laws[0].first) for laws in self.sojourns)

    def thawed(self, state, draw):
        return Thawed(self, state, draw)

    def up(self, environment):
        taken = [component["taken"][at] for component, (at, _) in zip(self.environment, environment, strict=True)]
        return [max(0, group[0] - sum(by[g] for by in taken)) for g, group in enumerate(self.groups)]

    def speed(self, segment, environment):
        places = [self.groups[where][1] for (what, where), amount in segment.holds if what is None and amount > 0]
        factors = [part["speed"][at] for part, (at, _) in zip(self.environment, environment, strict=True)]
        return min(places) * prod(factors)

    def events(self, state):
        """Yield (rate, what it does to a thawed state) for all that goes on."""
        jobs, _, servers, environment = state
        for j, (c, segments) in enumerate(jobs):
            for s, segment in enumerate(segments):
                if segment.status == "runs":
                    speed = self.speed(segment, environment)
                    for rate, to in self.laws[c][s].moves[segment.phase]:
                        if rate * speed > 0:
                            yield rate * speed, lambda state, at=(j, s, to): state.progress(*at)
                elif segment.status == "loads":
                    for rate, to in self.transfer_law.moves[segment.load]:
                        yield rate, lambda state, at=(j, s, to): state.load(*at)
        for g, (_, set_ups, delays) in enumerate(servers):
            for i, phase in enumerate(set_ups):
                for rate, to in self.set_up_law.moves[phase]:
                    yield rate, lambda state, at=(g, i, to): state.setting_up(*at)
            for i, phase in enumerate(delays):
                for rate, to in self.delay_law.moves[phase]:
                    yield rate, lambda state, at=(g, i, to): state.delaying(*at)
        for e, (at, phase) in enumerate(environment):
            for rate, to in self.sojourns[e][at].moves[phase]:
                yield rate, lambda state, at=(e, to): state.surroundings(*at)

    def row(self, state):
        jobs, _, servers, environment = state
        row = {"jobs": len(jobs)}
        for c in range(len(self.classes)):
            row["jobs", c] = sum(kind == c for kind, _ in jobs)
        held = {"runs": 0, "loads": 0}
        for _, segments in jobs:
            for segment in segments:
                if segment.holds:
                    held[segment.status] += sum(n for (what, _), n in segment.holds if what is None)
        up = sum(self.up(environment))
        on = sum(group[0] for group in servers) if self.set_up else up
        row["busy_servers"], row["paying_servers"] = held["runs"], held["loads"]
        row["idle_servers"] = on - sum(held.values())
        row["set_up_servers"] = sum(len(group[1]) for group in servers)
        row["off_servers"] = up - on - row["set_up_servers"]
        row["broken_servers"] = sum(group[0] for group in self.groups) - up
        assert min(row.values()) >= 0, row
        return row


class Job:
    def __init__(self, c, segments):
        self.c, self.segments = c, list(segments)

    @property
    def started(self):
        return any(segment.status != "later" for segment in self.segments)


class Thawed:
    """A state that may be changed; whatever is by chance asks ``draw``."""

    def __init__(self, model, state, draw):
        jobs, line, servers, environment = state
        self.model, self.draw, self.left = model, draw, []
        self.jobs = [Job(c, segments) for c, segments in jobs]
        self.line = [[(self.jobs[j], s) for j, s in unit] for unit in line]
        self.on = [on for on, _, _ in servers]
        self.set_ups = [list(set_ups) for _, set_ups, _ in servers]
        self.delays = [list(delays) for _, _, delays in servers]
        self.environment = list(environment)

    def frozen(self):
        line = tuple(tuple((self.jobs.index(job), s) for job, s in unit) for unit in self.line)
        servers = zip(self.on, map(tuple, self.set_ups), map(tuple, self.delays), strict=True)
        jobs = tuple((job.c, tuple(job.segments)) for job in self.jobs)
        return jobs, line, tuple(servers), tuple(self.environment)

    # What happens.

    def arrive(self, c):
        job = Job(c, [Segment("later") for _ in self.model.classes[c]["segments"]])
        for s in self.roots(job):
            job.segments[s] = Segment("later", self.phase_at_ready(c, s))
        self.jobs.append(job)

    def progress(self, j, s, to):
        """The s-th segment of the j-th job moves to another phase, or ends."""
        job = self.jobs[j]
        segment = job.segments[s]
        if to is None:
            self.end(job, s)
        elif isinstance(self.model.classes[job.c]["segments"][s]["need"], list):
            job.segments[s] = Segment("waits", to)
            self.follow(job, [s], segment.holds)
        else:
            job.segments[s] = segment._replace(phase=to)

    def end(self, job, s):
        held, job.segments[s] = job.segments[s].holds, DONE
        ready = []
        for t, one in enumerate(self.model.classes[job.c]["segments"]):
            if s in one["after"] and all(job.segments[before].status == "done" for before in one["after"]):
                ready.append(t)
                job.segments[t] = Segment("waits", self.phase_at_ready(job.c, t))
        if ready:
            self.follow(job, ready, held)
        if all(segment.status == "done" for segment in job.segments):
            self.jobs.remove(job)
            self.left.append(job.c)

    def follow(self, job, ready, held):
        """The ready segments take over what was held if they need no more of anything; else they join the line."""
        need, had = {}, {}
        for t in ready:
            for what, amount in self.wants(job, t):
                need[what] = need.get(what, 0) + amount
        for (what, _), amount in held:
            had[what] = had.get(what, 0) + amount
        if any(amount > had.get(what, 0) for what, amount in need.items()):
            self.line.append([(job, t) for t in ready])
            return
        left = dict(held)
        for t in ready:
            holds = []
            for what, amount in self.wants(job, t):
                for key in [key for key in left if key[0] == what]:
                    part = min(amount, left[key])
                    amount, left[key] = amount - part, left[key] - part
                    if part:
                        holds.append((key, part))
            self.start(job, t, tuple(holds))

    def load(self, j, s, to):
        segment = self.jobs[j].segments[s]
        loaded = Segment("runs", segment.phase, holds=segment.holds)
        self.jobs[j].segments[s] = loaded if to is None else segment._replace(load=to)

    def setting_up(self, g, i, to):
        if to is None:
            del self.set_ups[g][i]
            self.on[g] += 1
        else:
            self.set_ups[g][i] = to

    def delaying(self, g, i, to):
        if to is None:
            del self.delays[g][i]
            self.on[g] -= 1
        else:
            self.delays[g][i] = to

    def surroundings(self, e, to):
        at, _ = self.environment[e]
        if to is not None:
            self.environment[e] = (at, to)
            return
        before = self.model.up(self.environment)
        at = self.draw(self.model.environment[e]["jump"][at])
        self.environment[e] = (at, self.draw(self.model.sojourns[e][at].alpha))
        for g, after in enumerate(self.model.up(self.environment)):
            for up in range(before[g], after, -1):
                self.one_goes(g, up, self.model.environment[e]["hits"])

    def one_goes(self, g, up, hits):
        """One of the ``up`` servers of the group goes; the segment that held it, if any, heads the line."""
        holders, held = [], []
        for job in self.jobs:
            for s, segment in enumerate(job.segments):
                if dict(segment.holds).get((None, g), 0):
                    holders.append((job, s))
                    held.append(dict(segment.holds)[None, g])
        set_ups = len(self.set_ups[g]) if self.model.set_up else 0
        on = self.on[g] if self.model.set_up else up
        off, idle = up - on - set_ups, on - sum(held)
        weights = [off, *[1] * set_ups, idle, *held]
        if hits == "idle first":  # off, then the set-up begun latest, then idle
            for first in [0, *range(set_ups, 0, -1), set_ups + 1]:
                if weights[first]:
                    weights = [int(i == first) for i in range(len(weights))]
                    break
        which = self.draw(weights)
        if 1 <= which <= set_ups:
            del self.set_ups[g][which - 1]
        elif which > set_ups:
            if self.model.set_up:
                self.on[g] -= 1
            if which > set_ups + 1:
                self.stop(*holders[which - set_ups - 2])

    def stop(self, job, s):
        owes = self.model.classes[job.c]["pays"] and self.model.transfer_law is not None
        job.segments[s] = Segment("waits", job.segments[s].phase, owes)
        self.line.insert(0, [(job, s)])

    # Who starts, and where.

    def roots(self, job):
        return [s for s, one in enumerate(self.model.classes[job.c]["segments"]) if not one["after"]]

    def phase_at_ready(self, c, s):
        per_phase = isinstance(self.model.classes[c]["segments"][s]["need"], list)
        return self.draw(self.model.laws[c][s].alpha) if per_phase else None

    def wants(self, job, s):
        """Pairs of (what, amount) of a segment, wherever it will be."""
        one = self.model.classes[job.c]["segments"][s]
        need = one["need"][job.segments[s].phase] if isinstance(one["need"], list) else one["need"]
        cap = [("at most", need)] if self.model.classes[job.c]["at_most"] is not None else []
        return [(None, need), *one["resources"].items(), *cap]

    def room(self, all_on):
        """What is free of everything; all servers that are up, or only those that are on."""
        up = self.model.up(self.environment) if all_on or not self.model.set_up else self.on
        room = {(None, g): n for g, n in enumerate(up)}
        room |= {(name, g): n for g, group in enumerate(self.model.groups) for name, n in group[2].items()}
        room |= {(name, None): n for name, n in self.model.capacity.items()}
        room |= {("at most", c): kind["at_most"] for c, kind in enumerate(self.model.classes)}
        for job in self.jobs:
            for segment in job.segments:
                take(room, segment.holds)
        return room

    def placed(self, job, s, room):
        """Return what the segment would hold, or None if it does not fit."""
        kind, wants = self.model.classes[job.c], self.wants(job, s)
        cap = [(("at most", job.c), amount) for what, amount in wants if what == "at most"]
        resources = [(what, amount) for what, amount in wants if what not in (None, "at most")]
        if kind["span"]:
            left, holds = wants[0][1], []
            for g in kind["groups"]:
                part = min(left, room[None, g])
                left -= part
                holds += [((None, g), part)] if part else []
            ways = [] if left else [holds + [((name, None), amount) for name, amount in resources] + cap]
        else:
            ways = []
            for g in kind["groups"]:
                own = self.model.groups[g][2]
                taken = [((name, g if name in own else None), amount) for name, amount in resources]
                ways.append([((None, g), wants[0][1]), *taken, *cap])
        for way in ways:
            if all(room.get(key, 0) >= amount for key, amount in way):
                return tuple(way)
        return None

    def unit_placed(self, unit, room):
        """Place the unit's segments one by one and return what each holds; None, if not all fit."""
        places, room = [], dict(room)
        for job, s in unit:
            holds = self.placed(job, s, room)
            if holds is None:
                return None
            take(room, holds)
            places.append(holds)
        return places

    def waiting(self):
        """Units and then jobs that have not started, in the order in which they may start."""
        return [*self.line, *[[(job, s) for s in self.roots(job)] for job in self.jobs if not job.started]]

    def start(self, job, s, holds):
        segment = job.segments[s]
        phase = self.draw(self.model.laws[job.c][s].alpha) if segment.phase is None else segment.phase
        if segment.owes:
            job.segments[s] = Segment("loads", phase, holds=holds, load=self.draw(self.model.transfer_law.alpha))
        else:
            job.segments[s] = Segment("runs", phase, holds=holds)

    def settle(self):
        while waiting := self.waiting():
            places = self.unit_placed(waiting[0], self.room(all_on=False))
            if places is None:
                break
            if self.line:
                self.line.pop(0)
            for (job, s), holds in zip(waiting[0], places, strict=True):
                self.start(job, s, holds)
        if self.model.set_up:
            self.switch()

    def switch(self):
        """Begin or break off set-ups, switch the surplus off or give it delays."""
        room = self.room(all_on=True)
        for unit in self.waiting():
            places = self.unit_placed(unit, room)
            if places is None:
                break
            for holds in places:
                take(room, holds)
        for g, up in enumerate(self.model.up(self.environment)):
            wanted = up - room[None, g]
            on, set_ups, delays = self.on[g], self.set_ups[g], self.delays[g]
            del set_ups[max(0, wanted - on) :]
            most = min(1, wanted - on) if self.model.set_up["staggered"] else wanted - on
            while len(set_ups) < most:
                set_ups.append(self.draw(self.model.set_up_law.alpha))
            surplus = max(0, on - wanted)
            if self.model.delay_law is None:
                self.on[g] -= surplus
                continue
            del delays[surplus:]
            while len(delays) < surplus:
                delays.append(self.draw(self.model.delay_law.alpha))


def take(room, holds):
    for key, amount in holds:
        room[key] = room.get(key, 0) - amount
