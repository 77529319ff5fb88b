"""Preemptive policies with overheads by brute force: every job in order of arrival, waiting, running, saving, aside or
loading, with the phases of its work and of its overhead; environments that take all servers at once or change speeds.

A state is (jobs, environment): a job is (class, status, phase of its work, phase of its overhead).
"""

from math import prod

import numpy as np

from fronts.brute_force_chain import Phases, phases


class Preemptive:
    def __init__(self, *, rule, groups, capacity, classes, environment, set_up, overhead, power=None, cost=None):
        assert (len(groups), capacity, set_up) == (1, {}, None)
        assert all(len(kind["segments"]) == 1 and not kind["segments"][0]["resources"] for kind in classes)
        ((self.servers, self.group_speed, _),) = groups
        self.serve, self.classes, self.environment = rule.serve, classes, environment
        self.needs = [kind["segments"][0]["need"] for kind in classes]
        self.laws = [Phases(kind["segments"][0]["law"]) for kind in classes]
        self.sojourns = [[Phases(law) for law in component["sojourn"]] for component in environment]
        self.snapshot = phases(overhead and overhead["snapshot"])
        self.transfer = phases(overhead and overhead["transfer"])

    def empty(self):
        return (), tuple((0, laws[0].first) for laws in self.sojourns)

    def thawed(self, state, draw):
        return ThawedPreemptive(self, state, draw)

    def up(self, environment):
        taken = sum(part["taken"][at][0] for part, (at, _) in zip(self.environment, environment, strict=True))
        assert taken == 0 or taken >= self.servers, "all servers at once, or none"
        return self.servers if taken == 0 else 0

    def events(self, state):
        jobs, environment = state
        speed = self.group_speed * prod(
            part["speed"][at] for part, (at, _) in zip(self.environment, environment, strict=True)
        )
        for j, (c, status, phase, overhead) in enumerate(jobs):
            if status == "runs":
                for rate, to in self.laws[c].moves[phase]:
                    if rate * speed > 0:
                        yield rate * speed, lambda state, at=(j, to): state.progress(*at)
            elif status in ("saves", "loads"):
                law = self.snapshot if status == "saves" else self.transfer
                for rate, to in law.moves[overhead]:
                    yield rate, lambda state, at=(j, to): state.pay(*at)
        for e, (at, phase) in enumerate(environment):
            for rate, to in self.sojourns[e][at].moves[phase]:
                yield rate, lambda state, at=(e, to): state.surroundings(*at)

    def row(self, state):
        jobs, environment = state
        row = {"jobs": len(jobs)}
        for c in range(len(self.classes)):
            row["jobs", c] = sum(job[0] == c for job in jobs)
        row["busy_servers"] = sum(self.needs[c] for c, status, *_ in jobs if status == "runs")
        row["paying_servers"] = sum(self.needs[c] for c, status, *_ in jobs if status in ("saves", "loads"))
        up = self.up(environment)
        row["idle_servers"] = up - row["busy_servers"] - row["paying_servers"]
        row["set_up_servers"] = row["off_servers"] = 0
        row["broken_servers"] = self.servers - up
        assert min(row.values()) >= 0, row
        return row


class ThawedPreemptive:
    def __init__(self, model, state, draw):
        self.model, self.draw, self.left = model, draw, []
        self.jobs, self.environment = list(state[0]), list(state[1])

    def frozen(self):
        return tuple(self.jobs), tuple(self.environment)

    def arrive(self, c):
        self.jobs.append((c, "waits", None, None))

    def progress(self, j, to):
        c, status, _, _ = self.jobs[j]
        if to is None:
            del self.jobs[j]
            self.left.append(c)
        else:
            self.jobs[j] = (c, status, to, None)

    def pay(self, j, to):
        c, status, phase, _ = self.jobs[j]
        if to is not None:
            self.jobs[j] = (c, status, phase, to)
        else:
            self.jobs[j] = (c, "aside" if status == "saves" else "runs", phase, None)

    def surroundings(self, e, to):
        at, _ = self.environment[e]
        if to is None:
            at = self.draw(self.model.environment[e]["jump"][at])
            to = self.draw(self.model.sojourns[e][at].alpha)
        self.environment[e] = (at, to)
        if self.model.up(self.environment) == 0:
            for j, (c, status, phase, _) in enumerate(self.jobs):
                if status in ("runs", "saves", "loads"):
                    self.jobs[j] = (c, "aside", phase, None)

    def settle(self):
        """Ask the policy; again whenever a job that may not be preempted has started, as it is then left out."""
        before = list(self.jobs)
        while self.model.up(self.environment) and self.ask(before):
            pass

    def stays(self, j):
        c, status, _, _ = self.jobs[j]
        return status in ("runs", "loads") and not self.model.classes[c]["preemptible"]

    def ask(self, before):
        """Stop those not chosen, start those chosen where there is room; return whether one started that will stay.

        ``before``: the jobs before this moment. One that started in it and is not chosen now has never started.
        """
        model, jobs = self.model, self.jobs
        listed = [j for j in range(len(jobs)) if not self.stays(j)]
        needs = np.array([model.needs[jobs[j][0]] for j in listed], np.int64)
        running = np.array([jobs[j][1] in ("runs", "loads") for j in listed], np.bool_)
        servers = model.servers - sum(model.needs[jobs[j][0]] for j in range(len(jobs)) if self.stays(j))
        marks = np.zeros(len(listed), np.bool_)
        model.serve(needs, running, np.zeros(len(listed)), servers, marks)
        for j, mark in zip(listed, marks, strict=True):
            if not mark:
                self.stop(j, before[j])
        free = model.servers - sum(model.needs[c] for c, status, _, _ in jobs if status in ("runs", "loads", "saves"))
        started = []
        for j, mark in zip(listed, marks, strict=True):
            need = model.needs[jobs[j][0]]
            if mark and jobs[j][1] in ("waits", "aside") and need <= free:
                assert before[j][1] not in ("runs", "loads"), "stopped and started in one moment: undecided"
                free -= need
                self.start(j)
                started.append(j)
        return any(self.stays(j) for j in started)

    def stop(self, j, before):
        c, status, phase, _ = self.jobs[j]
        if status not in ("runs", "loads"):
            return
        if before[1] not in ("runs", "loads"):
            self.jobs[j] = before
        elif status == "runs" and self.model.snapshot is not None and self.model.classes[c]["pays"]:
            self.jobs[j] = (c, "saves", phase, self.draw(self.model.snapshot.alpha))
        else:
            self.jobs[j] = (c, "aside", phase, None)

    def start(self, j):
        c, status, phase, _ = self.jobs[j]
        if status == "waits":
            self.jobs[j] = (c, "runs", self.draw(self.model.laws[c].alpha), None)
        elif self.model.transfer is not None and self.model.classes[c]["pays"]:
            self.jobs[j] = (c, "loads", phase, self.draw(self.model.transfer.alpha))
        else:
            self.jobs[j] = (c, "runs", phase, None)
