"""Rules that remember something: their loop against twins that are written job by job from the words of each rule."""

import math

import numpy as np
import pytest

from msj.registry import POLICIES
from msj.simulation import replay_jobs as replay
from msj.workloads import RecordedJobs


class Slow:
    """Jobs one by one; a subclass starts those that may, and keeps in mind what it likes."""

    def __init__(self, servers, need):
        self.servers, self.need = servers, need
        self.waiting, self.serving = [], []

    @property
    def free(self):
        return self.servers - sum(self.need[job] for job in self.serving)

    def of(self, need, jobs):
        return [job for job in jobs if self.need[job] == need]

    def start(self, job):
        assert self.need[job] <= self.free
        self.waiting.remove(job)
        self.serving.append(job)

    def start_all_that_fit(self, needs):
        for need in sorted(needs, reverse=True):
            for job in self.of(need, list(self.waiting)):
                if need <= self.free:
                    self.start(job)


class SlowMsfq(Slow):
    phase, threshold, always = "large", 3, False

    def decide(self):
        if not self.waiting and not self.serving:
            self.phase = "large"
        while self.waiting or self.serving:
            small = self.of(1, self.waiting + self.serving) if self.servers > 1 else []
            large = [job for job in self.waiting + self.serving if job not in small]
            before = self.phase
            if self.phase == "drain" and not self.of(1, self.serving):
                self.phase = "large"
            elif self.phase == "large" and not large:
                self.phase = "small"
            elif self.phase == "large" and not self.serving:
                self.start(self.of(self.servers, self.waiting)[0])
            elif self.phase == "small":
                self.start_all_that_fit([1])
                waits = [job for job in large if job in self.waiting]
                if len(small) <= self.threshold and (self.always or waits):
                    self.phase = "drain"
            if self.phase == before:
                return


class SlowAdaptive(Slow):
    drains = False

    def decide(self):
        needs = {self.need[job] for job in self.waiting}
        if self.drains and needs:
            largest = max(needs)
            if largest > self.free:
                return
            self.start(self.of(largest, self.waiting)[0])
        self.drains = False
        self.start_all_that_fit(needs)
        waiting, serving = ({self.need[job] for job in jobs} for jobs in (self.waiting, self.serving))
        self.drains = bool(waiting - serving) and not waiting & serving


class SlowStatic(Slow):
    turn = None

    def decide(self):
        cycle = sorted(set(self.need))
        if self.turn is None:
            self.turn = cycle[0]
        while True:
            self.start_all_that_fit([self.turn])
            others = [job for job in self.serving if self.need[job] != self.turn]
            if others or len(self.serving) > self.servers // self.turn - 1:
                return
            place = cycle.index(self.turn)
            following = [*cycle[:place][::-1], *cycle[place + 1 :][::-1]]
            waited_for = [need for need in following if self.of(need, self.waiting)]
            if not waited_for:
                return
            self.turn = waited_for[0]


def serve_slowly(rule, arrival, duration):
    """Return the start of every job."""
    start, ends, coming = {}, {}, 0
    while coming < len(arrival) or ends:
        leaving = min(ends, key=lambda job: (ends[job], job), default=None)
        next_end = math.inf if leaving is None else ends[leaving]
        if coming < len(arrival) and arrival[coming] < next_end:
            now = arrival[coming]
            rule.waiting.append(coming)
            coming += 1
        else:
            now = ends.pop(leaving)
            rule.serving.remove(leaving)
        rule.decide()
        for job in rule.serving:
            if job not in start:
                start[job], ends[job] = now, now + duration[job]
    assert not rule.waiting
    return np.array([start[job] for job in range(len(arrival))])


def made(kind, **facts):
    return type(kind.__name__, (kind,), facts)


CASES = {
    "adaptive": ("adaptive-quickswap", {}, SlowAdaptive),
    "static": ("static-quickswap", {}, SlowStatic),
    **{
        f"msfq {threshold} {drain}": (
            "msfq",
            {"threshold": threshold, "drain": drain},
            made(SlowMsfq, threshold=threshold, always=drain == "always"),
        )
        for threshold, drain in ((0, "waiting"), (1, "always"), (3, "waiting"))
    },
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(6))
def test_the_loop_is_the_rule_in_words(name, seed):
    policy, options, twin = CASES[name]
    rng = np.random.default_rng(seed)
    servers = 4 if "msfq" in name else int(rng.choice([3, 6, 12]))
    kinds = [1, servers] if "msfq" in name else rng.choice(np.arange(1, servers + 1), 3, replace=False)
    count = 250
    need = rng.choice(kinds, count)
    arrival = np.cumsum(rng.exponential(rng.choice([0.3, 1.0, 2.5]), count))
    duration = rng.exponential(1.0, count) + 1e-3
    rule = POLICIES.get(policy).from_options(options)
    done = replay(RecordedJobs(arrival=arrival, need=need, duration=duration), servers=servers, policy=rule, block=37)
    expected = serve_slowly(twin(servers, need.tolist()), arrival, duration)
    np.testing.assert_allclose(done.start, expected, rtol=0, atol=1e-9)


def test_msfq_that_drains_nobody_is_most_servers_first_without_preemption():
    rng = np.random.default_rng(3)
    jobs = {
        "arrival": np.cumsum(rng.exponential(1.2, 3000)),
        "need": rng.choice([1, 4], 3000),
        "duration": rng.exponential(1.5, 3000),
    }
    quick = replay(RecordedJobs(**jobs), servers=4, policy=POLICIES.get("msfq")(threshold=0))
    plain = replay(RecordedJobs(**jobs), servers=4, policy=POLICIES.get("most-servers-first")(preemptive=False))
    np.testing.assert_array_equal(quick.start, plain.start)
