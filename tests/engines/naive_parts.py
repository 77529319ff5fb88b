"""Models that combine, slowly and from their rules: at every event, look at everybody and everything again.

Nothing is kept but the segments themselves, which servers are on, and the clocks: what is free is counted anew
whenever somebody asks. The work a segment has left is counted down from event to event.
"""

import math
from types import SimpleNamespace


class Cluster:
    """First come first served with all parts; ``number`` and ``mean_one`` draw uniform and exponential numbers."""

    def __init__(self, values, number, mean_one):
        self.__dict__ |= {"capacity": {}, "environment": [], "set_up": None, "overhead": None} | values
        self.number, self.mean_one = number, mean_one
        self.now, self.running, self.units, self.unstarted = 0.0, [], [], []
        all_groups = range(len(self.groups))
        self.state = [0 for _ in self.environment]
        self.until = [each["sojourn"][0].one() for each in self.environment]
        first = [each["taken"][0] for each in self.environment]
        self.up = [max(servers - sum(taken[g] for taken in first), 0) for g, (servers, _, _) in enumerate(self.groups)]
        self.on = [0 if self.set_up else self.up[g] for g in all_groups]
        self.set_ups, self.delays = [[] for _ in all_groups], [[] for _ in all_groups]
        self.start, self.finish, self.hits, self.wasted = {}, {}, {}, 0.0
        self.areas = dict.fromkeys(("busy", "paying", "idle", "set_up", "off", "broken"), 0.0)

    # What is free, and who fits ---------------------------------------------------------------------------------

    def free(self, servers):
        """What nobody holds, if these servers were there."""
        free = {("servers", g): count for g, count in enumerate(servers)}
        free |= {("cluster", name): amount for name, amount in self.capacity.items()}
        free |= {(g, name): amount for g, (_, _, own) in enumerate(self.groups) for name, amount in own.items()}
        caps = [math.inf if c["at_most"] is None else c["at_most"] for c in self.classes]
        free |= {("class", c): most for c, most in enumerate(caps)}
        for segment in self.running:
            for what, amount in segment.holds.items():
                free[what] -= amount
        return free

    def place(self, segment, free):
        """Return what a segment would hold, or None."""
        own = self.classes[segment.job.job_class]
        resources = segment.spec["resources"]
        if free["class", segment.job.job_class] < segment.need:
            return None
        if own["span"]:
            holds, missing = {}, segment.need
            for g in own["groups"]:
                holds["servers", g] = min(missing, free["servers", g])
                missing -= holds["servers", g]
            holds |= {("cluster", name): amount for name, amount in resources.items()}
            choices = [holds] if missing == 0 else []
        else:
            choices = [
                {("servers", g): segment.need}
                | {(g if name in self.groups[g][2] else "cluster", name): v for name, v in resources.items()}
                for g in own["groups"]
            ]
        for holds in choices:
            if all(free.get(what, 0) >= amount for what, amount in holds.items()):
                return holds | {("class", segment.job.job_class): segment.need}
        return None

    def place_all(self, unit, free):
        """Return what each segment of a unit would hold, or None if they do not all fit; ``free`` is used up."""
        found = []
        for segment in unit:
            holds = self.place(segment, free)
            if holds is None:
                return None
            for what, amount in holds.items():
                free[what] -= amount
            found.append(holds)
        return found

    # Segments ---------------------------------------------------------------------------------------------------

    def ready(self, job, index, phase=None):
        spec = self.classes[job.job_class]["segments"][index]
        segment = SimpleNamespace(job=job, index=index, spec=spec, owes=False, loading=0.0, holds={}, phase=None)
        if isinstance(spec["need"], list):
            law = spec["law"].as_phase_type()
            segment.phase = self.pick(law.alpha) if phase is None else phase
            segment.need = spec["need"][segment.phase]
            segment.left = self.mean_one() / -law.subgenerator[segment.phase, segment.phase]
        else:
            segment.need = spec["need"]
            segment.left = job.duration if index == job.first else spec["law"].one()
        return segment

    def pick(self, chances):
        drawn, sum_so_far = self.number(), 0.0
        for i, chance in enumerate(chances):
            sum_so_far += chance / sum(chances)
            if drawn < sum_so_far:
                return i
        raise AssertionError

    def begin(self, segment, holds):
        segment.holds = holds
        self.start.setdefault(segment.job.number, self.now)
        segment.loading = self.overhead["transfer"].one() if segment.owes else 0.0
        self.running.append(segment)

    def speed(self, segment):
        places = [self.groups[g][1] for (what, g), v in segment.holds.items() if what == "servers" and v]
        return min(places) * math.prod(e["speed"][s] for e, s in zip(self.environment, self.state, strict=True))

    def time_left(self, segment):
        if segment.owes:
            return segment.loading
        speed = self.speed(segment)
        return segment.left / speed if speed > 0 else math.inf

    def end(self, segment):
        if segment.owes:
            segment.owes = False
            return
        job = segment.job
        unit = None
        if segment.phase is not None:
            law = segment.spec["law"].as_phase_type()
            rates = [*(rate if j != segment.phase else 0.0 for j, rate in enumerate(law.subgenerator[segment.phase])),
                     law.exit_rates[segment.phase]]  # fmt: skip
            phase = self.pick(rates)
            if phase < len(law.alpha):
                unit = [self.ready(job, segment.index, phase)]
        self.running.remove(segment)
        if unit is None:
            job.ended.add(segment.index)
            specs = self.classes[job.job_class]["segments"]
            unit = [self.ready(job, i) for i, spec in enumerate(specs)
                    if segment.index in spec["after"] and set(spec["after"]) <= job.ended]  # fmt: skip
            if len(job.ended) == len(specs):
                self.finish[job.number] = self.now
        if not unit:
            return
        if sum(other.need for other in unit) <= segment.need and all(
            sum(other.spec["resources"].get(name, 0) for other in unit) <= segment.spec["resources"].get(name, 0)
            for name in {name for other in unit for name in other.spec["resources"]}
        ):
            self.take_over(segment, unit)
        else:
            self.units.append(unit)

    def take_over(self, segment, unit):
        left = dict(segment.holds)
        prefer = self.classes[segment.job.job_class]["groups"]
        pools = {name: place for place, name in segment.holds if place not in ("servers", "class")}
        for other in unit:
            holds, missing = {("class", other.job.job_class): other.need}, other.need
            for g in prefer:
                holds["servers", g] = min(missing, left.get(("servers", g), 0))
                left["servers", g] = left.get(("servers", g), 0) - holds["servers", g]
                missing -= holds["servers", g]
            holds |= {(pools[name], name): amount for name, amount in other.spec["resources"].items() if amount}
            self.begin(other, holds)

    # The environment --------------------------------------------------------------------------------------------

    def change(self, e):
        each = self.environment[e]
        self.state[e] = self.pick(each["jump"][self.state[e]])
        self.until[e] = self.now + each["sojourn"][self.state[e]].one()
        for g, (servers, _, _) in enumerate(self.groups):
            taken = sum(other["taken"][s][g] for other, s in zip(self.environment, self.state, strict=True))
            up = max(0, servers - taken)
            while self.up[g] > up:
                self.lose(g, any_server=each["hits"] == "any")
            if not self.set_up:
                self.on[g] += up - self.up[g]
            self.up[g] = up

    def lose(self, g, any_server):
        holders = [segment for segment in self.running for _ in range(segment.holds.get(("servers", g), 0))]
        idle = ["idle"] * (self.on[g] - len(holders))
        coming = [("set-up", i) for i in range(len(self.set_ups[g]))]
        off = ["off"] * (self.up[g] - self.on[g] - len(coming))
        if any_server:
            everybody = [*holders, *idle, *coming, *off]
            gone = everybody[int(self.number() * len(everybody))]
        elif off or coming or idle:
            gone = (off or coming[::-1] or idle)[0]
        else:
            gone = holders[int(self.number() * len(holders))]
        self.up[g] -= 1
        if gone == "off":
            return
        if isinstance(gone, tuple):
            self.set_ups[g].pop(gone[1])
            return
        self.on[g] -= 1
        if gone != "idle":
            self.running.remove(gone)
            gone.holds = {}
            pays = self.classes[gone.job.job_class]["pays"]
            gone.owes = bool(self.overhead and self.overhead["transfer"] and pays)
            self.units.insert(0, [gone])
            self.hits[gone.job.number] = self.hits.get(gone.job.number, 0) + 1

    # Everything settles -----------------------------------------------------------------------------------------

    def settle(self):
        for line in (self.units, self.unstarted):
            while line and (line is self.units or not self.units):
                holds = self.place_all(line[0], self.free(self.on))
                if holds is None:
                    break
                for segment, held in zip(line.pop(0), holds, strict=True):
                    self.begin(segment, held)
        if self.set_up:
            free = self.free(self.up)
            for unit in [*self.units, *self.unstarted]:
                trial = dict(free)
                if self.place_all(unit, trial) is None:
                    break
                free = trial
            for g in range(len(self.groups)):
                self.switch(g, wanted=self.up[g] - free["servers", g])

    def switch(self, g, wanted):
        set_ups, delays = self.set_ups[g], self.delays[g]
        while set_ups and self.on[g] + len(set_ups) > wanted:
            set_ups.pop()
        while self.on[g] + len(set_ups) < wanted and not (self.set_up["staggered"] and set_ups):
            set_ups.append(self.now + self.set_up["law"].one())
        surplus = max(self.on[g] - wanted, 0)
        if self.set_up["delay"] is None:
            self.on[g] -= surplus
            return
        while len(delays) > surplus:
            delays.pop()
        while len(delays) < surplus:
            delays.append(self.now + self.set_up["delay"].one())

    # Time -------------------------------------------------------------------------------------------------------

    def counts(self):
        paying = sum(segment.need for segment in self.running if segment.owes)
        busy = sum(segment.need for segment in self.running) - paying
        set_up = sum(map(len, self.set_ups))
        idle, off = sum(self.on) - busy - paying, sum(self.up) - sum(self.on) - set_up
        broken = sum(servers for servers, _, _ in self.groups) - sum(self.up)
        return {"busy": busy, "paying": paying, "idle": idle, "set_up": set_up, "off": off, "broken": broken}

    def pass_time(self, until):
        counts, passed = self.counts(), until - self.now
        for state, count in counts.items():
            assert count >= 0
            self.areas[state] += count * passed
        if self.units or self.unstarted:
            self.wasted += passed * (counts["idle"] + counts["set_up"] + counts["off"])
        for segment in self.running:
            if segment.owes:
                segment.loading -= passed
            else:
                segment.left -= passed * self.speed(segment)
        self.now = until

    def run(self, arrival, job_class, duration):
        """Let the jobs arrive and go; return when each started and finished."""
        coming = 0
        while coming < len(arrival) or len(self.finish) < coming:
            events = [(self.now + self.time_left(segment), 0, i) for i, segment in enumerate(self.running)]
            events += [
                (end, 1, (self.set_ups, g, i)) for g, own in enumerate(self.set_ups) for i, end in enumerate(own)
            ]
            events += [(end, 2, (self.delays, g, i)) for g, own in enumerate(self.delays) for i, end in enumerate(own)]
            events += [(until, 3, e) for e, until in enumerate(self.until)]
            events += [(arrival[coming], 4, 0)] if coming < len(arrival) else []
            until, what, which = min(events, key=lambda event: event[0], default=(math.inf, 0, 0))
            assert until < arrival[-1] + 1e4, "somebody waits for ever"
            self.pass_time(until)
            if what == 0:
                self.end(self.running[which])
            elif what == 3:
                self.change(which)
            elif what == 4:
                specs = self.classes[job_class[coming]]["segments"]
                roots = [i for i, spec in enumerate(specs) if not spec["after"]]
                job = SimpleNamespace(number=coming, job_class=job_class[coming], duration=duration[coming],
                                      first=roots[0], ended=set())  # fmt: skip
                self.unstarted.append([self.ready(job, i) for i in roots])
                coming += 1
            else:
                clocks, g, i = which
                clocks[g].pop(i)
                self.on[g] += 1 if clocks is self.set_ups else -1
            self.settle()
        return [self.start[i] for i in range(len(arrival))], [self.finish[i] for i in range(len(arrival))]
