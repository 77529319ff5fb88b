"""Jobs followed through finite fronts: against brute force, the mean analysis, Laplace inversion and known laws."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from brute_force_tagged import BruteForceTagged, by_function

import msj
from msj import Erlang, Exponential, Hyperexponential, JobClass, System
from msj.analysis.finite_skip_response import FiniteSkipResponse
from msj.analysis.front_waiting import FrontWaitingLaw
from msj.analysis.tagged_law import TaggedLaws, starts_at_once
from msj.disciplines.model import Model
from msj.disciplines.served_by import ServedBy
from msj.errors import NotAccurate
from msj.fronts import front_of
from msj.fronts.decided_front import decided
from msj.fronts.front_chain import open_front
from msj.fronts.front_model import FrontModel
from msj.fronts.tagged_front import TaggedFront, tagged_levels
from msj.markov.level_process import solve

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.toml"))


def cluster(policy, servers, *classes):
    """Classes are (need, share, law)."""
    made = [JobClass(name=f"{i}", need=v, share=p, duration=law) for i, (v, p, law) in enumerate(classes)]
    return System(servers=servers, classes=made, policy=policy)


ONE, SLOW, TWO = Exponential(mean=1), Exponential(mean=2), Erlang(stages=2, mean=1)
SMALL_AND_LARGE = ((1, "1/2", SLOW), (2, "1/2", ONE))


class Followed:
    """A system at a share of its threshold: levels, law, tagged laws."""

    def __init__(self, system, load):
        self.system = system.replace(arrival_rate=None, load=None, utilisation=None)
        self.rate = load * msj.analyse(self.system)["stability_threshold"]
        self.model = front_of(self.system)
        self.levels = open_front(decided(self.model))
        self.law = solve(self.levels.at(self.rate))
        self.tagged_front = TaggedFront(self.system)
        tagged = tagged_levels(self.tagged_front, self.levels)
        self.shares = np.array([float(c.share) for c in system.classes])
        self.laws = TaggedLaws(self.levels, tagged, self.law, self.rate, self.shares)

    def starts(self):
        starts = starts_at_once(self.tagged_front, self.levels)
        return sum(mass @ now for mass, now in zip(self.law.boundary, starts, strict=True))


def fully(needs):
    """Speeds of jobs that take servers in order of arrival, each up to its need (threshold parallelism)."""

    def speeds(jobs, servers=3):
        left, found = servers, []
        for t, _ in jobs:
            found.append(min(left, needs[t]) / needs[t])
            left -= min(left, needs[t])
        return found, [False] * len(jobs)

    return speeds


def equally(limit):
    def speeds(jobs):
        sharing = min(limit, len(jobs))
        return [1.0 / sharing if i < sharing else 0.0 for i in range(len(jobs))], [False] * len(jobs)

    return speeds


def by_rank(own):
    def speeds(jobs):
        return [own[i] if i < len(own) else 0.0 for i in range(len(jobs))], [False] * len(jobs)

    return speeds


def one_colour(servers):
    """Speeds of red (type 0) and blue (type 1): the k oldest of the colour that has more in the front."""

    def speeds(jobs):
        front, counts = [], [0, 0]
        for i, (t, _) in enumerate(jobs):
            if max(counts) < servers:
                front.append(i)
                counts[t] += 1
        served = int(counts[1] > counts[0])
        return [float(i in front and t == served) for i, (t, _) in enumerate(jobs)], [False] * len(jobs)

    return speeds


RED_AND_BLUE = System(
    servers=2,
    classes=[
        JobClass(name="red", need=1, share="1/2", duration=ONE, extra={"colour": "red"}),
        JobClass(name="blue", need=1, share="1/2", duration=SLOW, extra={"colour": "blue"}),
    ],
    model="red-and-blue",
)
#: system, load, most jobs let in by brute force (beyond: less than 1e-9), speeds where no function says them
TEN = {
    "server-filling, 2 servers": (cluster("server-filling", 2, *SMALL_AND_LARGE), 0.04, 8, None),
    "server-filling, 4 servers": (cluster("server-filling", 4, (1, "1/2", SLOW), (4, "1/2", ONE)), 0.04, 8, None),
    "divisor-filling": (cluster("divisor-filling", 6, (2, "1/2", ONE), (3, "1/2", SLOW)), 0.04, 8, None),
    "first-fit, window 2": (
        cluster({"name": "first-fit", "window": 2}, 3, (1, "1/2", ONE), (3, "1/2", ONE)), 0.04, 8, None,
    ),
    "first-fit, window 2, preemptive": (
        cluster({"name": "first-fit", "window": 2, "preemptive": True}, 3, (1, "1/3", ONE), (2, "2/3", SLOW)),
        0.04, 8, None,
    ),
    "first-fit, window 2, Erlang": (
        cluster({"name": "first-fit", "window": 2}, 2, (1, "1/2", TWO), (2, "1/2", ONE)), 0.03, 7, None,
    ),
    "best packing, window 3": (
        cluster({"name": "best-packing", "window": 3}, 3, (1, "1/2", ONE), (2, "1/2", ONE)), 0.04, 8, None,
    ),
    "best packing, window 3, preemptive": (
        cluster({"name": "best-packing", "window": 3, "preemptive": True}, 3, (1, "1/2", ONE), (2, "1/2", SLOW)),
        0.04, 8, None,
    ),
    "limited processor sharing": (
        cluster({"name": "limited-processor-sharing", "limit": 3}, 1, (1, 1, ONE)), 0.6, 48, equally(3),
    ),
    "heterogeneous servers": (
        cluster({"name": "heterogeneous-servers", "speeds": ["1/4", "3/4"]}, 2, (1, 1, ONE)), 0.6, 48,
        by_rank([0.75, 0.25]),
    ),
    "threshold parallelism": (
        cluster("threshold-parallelism", 3, (1, "1/2", ONE), (3, "1/2", SLOW)), 0.04, 8, fully([1, 3]),
    ),
    "red and blue": (RED_AND_BLUE, 0.04, 8, one_colour(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", TEN)
def test_laws_against_brute_force(name):
    system, load, most, speeds = TEN[name]
    followed = Followed(system, load)
    if speeds is None:
        phases = [len(c.duration.as_phase_type().alpha) for c in system.classes]
        needs = [c.need for c, count in zip(system.classes, phases, strict=True) for _ in range(count)]
        speeds = by_function(system.policy, system.servers, needs)
    force = BruteForceTagged(followed.system, followed.rate, speeds, most)
    times = [0.3, 1.0, 3.0, 8.0]
    for curve, waiting in ((followed.laws.response(until=1e-12), False), (followed.laws.waiting(until=1e-12), True)):
        found = np.array([curve.survival(t)[:-1] for t in times])
        np.testing.assert_allclose(found, force.survival(times, waiting=waiting), atol=1e-8, rtol=0)
    np.testing.assert_allclose(1.0 - followed.starts(), force.waiting_probability(), atol=1e-8)


SMALLER = {"snapshots": 3}  # servers; with its four it takes twenty seconds


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)  # all that have a front
def test_means_are_those_of_the_mean_analysis(path):
    system = msj.read(path)
    followed = Followed(system.replace(servers=SMALLER.get(path.stem, system.servers)), 0.4)
    exact = FiniteSkipResponse().at_rate(followed.system, followed.rate, percentiles=False)
    rows = {(row.name, row.job_class): row.value for row in exact.rows}
    names = [*(c.name for c in followed.system.classes), None]
    expected = [rows["mean_response_time", name] for name in names]
    np.testing.assert_allclose(followed.laws.response(until=1e-11).mean(), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "system",
    [
        *(msj.read(path) for path in EXAMPLES if path.stem in ("set_up", "red_and_blue")),
        cluster("server-filling", 4, (1, "1/2", SLOW), (4, "1/2", TWO)),
        cluster({"name": "first-fit", "window": 2}, 3, (1, "1/2", ONE), (3, "1/2", SLOW)),
    ],
    ids=["set-up", "red-and-blue", "server-filling", "first-fit"],
)
def test_mean_waits_are_what_is_left_of_the_stay(system):
    followed = Followed(system, 0.7)
    assert followed.model.one_speed
    exact = FiniteSkipResponse().at_rate(followed.system, followed.rate, percentiles=False)
    rows = {(row.name, row.job_class): row.value for row in exact.rows}
    names = [*(c.name for c in followed.system.classes), None]
    waits = followed.laws.waiting(until=1e-11).mean()
    np.testing.assert_allclose(waits, [rows["mean_waiting_time", name] for name in names], rtol=1e-9)


@pytest.mark.parametrize(
    ("law", "limit", "rate"),
    [(TWO, 2, 0.02), (TWO, 3, 0.002), (Hyperexponential(rates=[1, "1/50"], probabilities=[0.99, 0.01]), 3, 0.0003)],
    ids=["rare", "rarer", "long jobs"],
)
def test_rare_waits_have_a_mean_of_ten_digits(law, limit, rate):
    # At most so many share the server, the others wait: E[W] = E[(N - limit)+]/lambda, by Little.
    policy = {"name": "limited-processor-sharing", "limit": limit}
    system = cluster(policy, 1, (1, 1, law)).replace(arrival_rate=rate)
    jobs = FiniteSkipResponse().jobs_law(system, rate, 40)
    waiting = sum((n - limit) * jobs[n] for n in range(limit + 1, 41))
    found = msj.analyse(system)
    assert found["waiting_probability"] < 1e-3
    assert found["mean_waiting_time"] == pytest.approx(waiting / rate, rel=2e-10, abs=0)


def test_means_near_the_threshold():
    followed = Followed(cluster("server-filling", 4, (1, "1/2", SLOW), (4, "1/2", ONE)), 0.97)
    expected = followed.law.mean_level() / followed.rate
    assert followed.laws.response(until=1e-11).mean()[-1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["fork_join", "server_groups", "several_resources"])
def test_where_only_those_ahead_matter_it_is_what_laplace_inversion_gives(name):
    followed = Followed(msj.read(next(path for path in EXAMPLES if path.stem == name)), 0.6)
    by_laplace = FrontWaitingLaw(followed.model, followed.levels, followed.law, followed.rate)
    times = np.array([0.5, 3.0, 12.0, 40.0])
    waiting, response = followed.laws.waiting(until=1e-11), followed.laws.response(until=1e-11)
    np.testing.assert_allclose([waiting.survival(t) for t in times], by_laplace.waiting.survival(times), atol=2e-9)
    np.testing.assert_allclose([response.survival(t) for t in times], by_laplace.response.survival(times), atol=2e-9)
    levels = np.array([50.0, 90.0, 99.9])
    np.testing.assert_allclose(response.percentiles(levels)[0], by_laplace.response.percentiles(levels)[0], rtol=2e-6)
    np.testing.assert_allclose(waiting.mean(), by_laplace.mean_waiting_time(), rtol=1e-9)


def test_server_filling_of_single_servers_is_a_queue_of_many_servers():
    # M/M/2 at load 0.6: P(W > t) = C·e^(−(2·mu − lambda)·t), Erlang's C = 0.45
    followed = Followed(cluster("server-filling", 2, (1, 1, ONE)), 0.6)
    waiting = followed.laws.waiting(until=1e-12)
    for t in (0.5, 2.0, 9.0):
        assert waiting.survival(t)[0] == pytest.approx(0.45 * np.exp(-0.8 * t), abs=1e-12)
    assert waiting.percentiles(np.array([50.0]))[0][0, 0] == 0.0
    assert waiting.percentiles(np.array([99.0]))[0][0, 0] == pytest.approx(np.log(45.0) / 0.8, rel=1e-10)


def test_analyse_gives_percentiles_of_server_filling_and_what_was_left_out_before():
    found = msj.analyse(cluster("server-filling", 4, (1, "1/2", SLOW), (4, "1/2", ONE)).replace(load=0.5))
    for name in ("waiting_time_percentile", "response_time_percentile"):
        rows = [found.row(name, level=level) for level in (50.0, 90.0, 95.0, 99.0, 99.9)]
        assert all(row.kind == "exact" for row in rows)
        assert [row.value for row in rows] == sorted(row.value for row in rows)
    assert found["mean_waiting_time"] > 0
    assert 0 < found["waiting_probability"] < 1
    assert not any("ercentiles" in note for note in found.notes)


@dataclass(frozen=True, kw_only=True)
class Opaque(Model):
    """Two machines, of which nothing is said but how many jobs they have."""

    name: ClassVar[str] = "opaque"
    summary: ClassVar[str] = "two machines"
    citation: ClassVar[str] = "none"

    def front_model(self, system):
        return ServedBy(TwoMachines)


class TwoMachines(FrontModel):
    most_jobs = 2

    def __init__(self, system):
        self.class_names = tuple(c.name for c in system.classes)

    def fresh(self):
        yield "job", 1.0

    def steps(self, front):
        for place in range(len(front)):
            yield 1.0, front[:place] + front[place + 1 :], True

    def class_counts(self, front):
        return [len(front), *[0] * (len(self.class_names) - 1)]

    def busy_servers(self, front):
        return float(len(front))


def test_a_front_that_does_not_say_who_is_in_it_has_means_only():
    jobs = JobClass(name="jobs", need=1, share=1, duration=ONE)
    system = System(servers=2, classes=[jobs], model=Opaque(), arrival_rate=1.2)
    found = msj.analyse(system, percentiles=True)
    assert found["mean_response_time"] == pytest.approx(1 / (1 - 0.36))
    assert "waiting_probability" not in found
    assert any("does not say which jobs it holds" in note for note in found.notes)


def test_a_job_that_never_gets_done_is_said_so(monkeypatch):
    monkeypatch.setattr("msj.analysis.tagged_law.MOST_EVENTS", 50)
    with pytest.raises(NotAccurate, match="not done after 50 events"):
        Followed(cluster("server-filling", 2, *SMALL_AND_LARGE), 0.9).laws.response()


def test_simulation_agrees():
    # 2.2 half-widths: odds of 1 in 5,000 for each of seven numbers; larger ones in verification/test_tagged_jobs.py
    system = cluster("server-filling", 4, (1, "1/2", SLOW), (4, "1/2", ONE)).replace(load=0.6)
    exact, run = msj.analyse(system, percentiles=True), msj.simulate(system, jobs=200_000, seed=5)
    rows = [run.row(name) for name in ("waiting_probability", "mean_waiting_time", "mean_response_time")]
    for name in ("waiting_time_percentile", "response_time_percentile"):
        rows += [run.row(name, level=level) for level in (95.0, 99.0)]
    for row in rows:
        known = exact.row(row.name, level=row.level).value
        assert abs(row.value - known) <= 2.2 * (row.high - row.low) / 2, row
