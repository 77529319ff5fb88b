"""Overheads under a policy that may stop jobs, slowly and from the rules: all are looked at again at every event."""

import math
from types import SimpleNamespace

import numpy as np

WAITING, RUNNING, SAVING, LOADING = "waiting", "running", "saving", "loading"


class Cluster:
    """Jobs in order of arrival; ``serve`` is the policy's plain function, ``number`` draws uniform numbers."""

    def __init__(self, values, serve, number):
        self.classes, self.environment = values["classes"], values.get("environment", [])
        ((self.servers, self.group_speed, _),) = values["groups"]
        overhead = values.get("overhead") or {"snapshot": None, "transfer": None}
        self.snapshot, self.transfer = overhead["snapshot"], overhead["transfer"]
        self.serve, self.number = serve, number
        self.now, self.jobs, self.wasted = 0.0, [], 0.0
        self.state = [0 for _ in self.environment]
        self.until = [each["sojourn"][0].one() for each in self.environment]
        self.areas = dict.fromkeys(("busy", "paying", "idle", "broken"), 0.0)

    @property
    def up(self):
        taken = sum(each["taken"][s][0] for each, s in zip(self.environment, self.state, strict=True))
        return max(self.servers - taken, 0)

    @property
    def speed(self):
        return self.group_speed * math.prod(e["speed"][s] for e, s in zip(self.environment, self.state, strict=True))

    def held(self):
        return sum(job.need for job in self.jobs if job.doing != WAITING)

    def put_aside(self, job):
        job.doing, job.owes = WAITING, self.transfer is not None and job.own["pays"]

    def decide(self):
        """Ask; once more if somebody has started who stays, and those who started in vain go back."""
        just_started = {}
        while self.ask(just_started):
            pass

    def ask(self, just_started):
        staying = [j for j in self.jobs if j.doing in (RUNNING, LOADING) and not j.own["preemptible"]]
        shown = [job for job in self.jobs if job not in staying]
        chosen = np.zeros(len(shown), dtype=np.bool_)
        self.serve(
            np.array([job.need for job in shown], dtype=np.int64),
            np.array([job.doing in (RUNNING, LOADING) for job in shown], dtype=np.bool_),
            np.array([job.left for job in shown], dtype=np.float64),
            self.up - sum(job.need for job in staying),
            chosen,
        )
        for job, wanted in zip(shown, chosen, strict=True):
            if wanted or job.doing not in (RUNNING, LOADING):
                continue
            if id(job) in just_started:
                job.doing, job.start = WAITING, just_started.pop(id(job))
                continue
            job.stops += 1
            if job.doing == RUNNING and self.snapshot is not None and job.own["pays"]:
                job.doing, job.clock = SAVING, self.snapshot.one()
            else:
                self.put_aside(job)
        somebody_stays = False
        for job, wanted in zip(shown, chosen, strict=True):
            if wanted and job.doing == WAITING and job.need <= self.up - self.held():
                somebody_stays = somebody_stays or not job.own["preemptible"]
                just_started[id(job)] = job.start
                job.start = self.now if job.start is None else job.start
                if job.owes:
                    job.doing, job.clock = LOADING, self.transfer.one()
                else:
                    job.doing = RUNNING
        return somebody_stays

    def end(self, job):
        if job.doing == RUNNING:
            job.finish = self.now
            self.jobs.remove(job)
        elif job.doing == SAVING:
            self.put_aside(job)
        else:
            job.doing, job.owes = RUNNING, False

    def change(self, e):
        each, up = self.environment[e], self.up
        drawn, chances = self.number(), np.cumsum(each["jump"][self.state[e]])
        self.state[e] = int(np.searchsorted(chances, drawn, side="right"))
        self.until[e] = self.now + each["sojourn"][self.state[e]].one()
        if self.up < up:
            assert self.up == 0
            for job in self.jobs:
                if job.doing != WAITING:
                    job.stops += job.doing != SAVING
                    self.put_aside(job)

    def pass_time(self, until):
        passed = until - self.now
        busy = sum(job.need for job in self.jobs if job.doing == RUNNING)
        idle = self.up - self.held()
        counts = {"busy": busy, "paying": self.held() - busy, "idle": idle, "broken": self.servers - self.up}
        for state, count in counts.items():
            self.areas[state] += passed * count
        if any(job.doing == WAITING for job in self.jobs):
            self.wasted += passed * idle
        for job in self.jobs:
            if job.doing == RUNNING:
                job.left -= passed * self.speed
            elif job.doing != WAITING:
                job.clock -= passed
        self.now = until

    def time_left(self, job):
        if job.doing == RUNNING:
            return job.left / self.speed if self.speed else math.inf
        return math.inf if job.doing == WAITING else job.clock

    def run(self, block):
        """Let the jobs arrive and go; return them."""
        everybody, coming = [], 0
        while coming < len(block) or self.jobs:
            events = [(self.now + self.time_left(job), 0, job) for job in self.jobs]
            events += [(until, 1, e) for e, until in enumerate(self.until)]
            events += [(block.arrival[coming], 2, None)] if coming < len(block) else []
            until, what, which = min(events, key=lambda event: event[0])
            self.pass_time(until)
            if what == 0:
                self.end(which)
            elif what == 1:
                self.change(which)
            else:
                job = SimpleNamespace(own=self.classes[block.job_class[coming]], need=int(block.need[coming]),
                                      left=float(block.duration[coming]), doing=WAITING, owes=False, clock=0.0,
                                      start=None, finish=None, stops=0)  # fmt: skip
                self.jobs.append(job)
                everybody.append(job)
                coming += 1
            if self.up:
                self.decide()
        return everybody
