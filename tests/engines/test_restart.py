"""Restart instead of resume: against the priority queue whose formula is known, and what is refused because of it.

On three servers jobs of needs 2 and 3 run one at a time; most servers first, the large ones stop the small ones. That
is a single server with two priorities, preemptive repeat identical (Gaver 1962), solved by hand below.
"""

import math

import numpy as np
import pytest
from naive import simulate_slowly
from scipy.integrate import quad

import msj
from msj import Deterministic, Exponential, InvalidInput, JobClass, NotSupported, Outcome
from msj.analysis.base import BoundAnalysis, ResponseAnalysis, SaturatedAnalysis
from msj.analysis.wcfs_verdict import explain
from msj.answers.saturated import that_apply
from msj.disciplines.base import Policy
from msj.disciplines.own_function import OwnFunction
from msj.disciplines.server_filling import ServerFilling
from msj.fronts.front_of import why_no_front
from msj.registry import POLICIES
from msj.simulation import replay_jobs
from msj.simulation.saturated_window import saturated_windows
from msj.workloads import RecordedJobs
from strategies import simple

RESTART = {"name": "most-servers-first", "restart": True}
HIGH, LOW, MEAN = 0.3, 0.2, 1.0  # rates of large and small jobs; mean duration of the large, exponential


def small_jobs(law):
    """E[T] of the small jobs and how long each holds the server, for durations Deterministic or Exponential."""
    busy1, busy2 = MEAN / (1 - HIGH * MEAN), 2 * MEAN**2 / (1 - HIGH * MEAN) ** 3  # moments of a busy period

    def moments(
        d,
    ):  # of the time from first start to end: d, and before it tries of length < d, each with a busy period
        fails = -math.expm1(-HIGH * d)
        tries = fails / (1 - fails)
        first = (1 / HIGH) - d * (1 - fails) / fails
        second = (2 / HIGH**2) - (1 - fails) * (d * d + 2 * d / HIGH) / fails
        each, square = first + busy1, second + 2 * first * busy1 + busy2
        mean = d + tries * each
        variance = tries * (square - each**2) + tries / (1 - fails) * each**2
        return mean, variance + mean**2, d + tries * first

    if isinstance(law, Deterministic):
        mean, square, held = moments(float(law.value))
    else:
        rate = 1 / float(law.mean)
        mean, square, held = (
            quad(lambda d, i=i: rate * math.exp(-rate * d) * moments(d)[i], 1e-9, 40)[0] for i in range(3)
        )
    # Who finds no small job waits for what is left of a busy period of large ones (Welch 1964: set-up of a first job).
    s, mu = LOW, 1 / MEAN
    beta = (HIGH + s + mu - math.sqrt((HIGH + s + mu) ** 2 - 4 * HIGH * mu)) / (2 * HIGH)
    times = HIGH / (HIGH + s) / (1 - HIGH / (HIGH + s) * beta)
    setup = times * (busy1 - (1 - beta) / s)
    setup2 = times * (busy2 - 2 * busy1 / s + 2 * (1 - beta) / s**2)
    waits = s * square / (2 * (1 - s * mean)) + (2 * setup + s * setup2) / (2 * (1 + s * setup))
    return mean + waits, held


def cluster(law, policy=RESTART):
    rate = HIGH + LOW
    return msj.System(
        servers=3,
        classes=[
            JobClass(name="small", need=2, share=LOW / rate, duration=law),
            JobClass(name="large", need=3, share=HIGH / rate, duration=Exponential(mean=MEAN)),
        ],
        policy=policy,
        arrival_rate=rate,
    )


@pytest.mark.parametrize("law", [Deterministic(value=2), Exponential(mean="1/5")], ids=lambda law: law.law)
def test_the_priority_queue_that_repeats(law):
    """Three rows at 4 standard errors: a false alarm once in 5,000 seeds."""
    response, held = small_jobs(law)
    busy = HIGH * MEAN + 2 / 3 * LOW * held
    run = msj.simulate(cluster(law), jobs=200_000, seed=1, controls=False)
    alone = MEAN / (1 - HIGH * MEAN)  # the large jobs know nothing of the small ones
    for name, job_class, expected in (
        ("mean_response_time", "small", response),
        ("mean_response_time", "large", alone),
        ("utilisation", None, busy),
    ):
        row = run.row(name, job_class)
        assert abs(row.value - expected) < 4 / 1.96 * (row.high - row.low) / 2


def test_a_job_that_is_stopped_begins_anew():
    jobs = {"arrival": [0.0, 1.0], "need": [2, 3], "duration": [2.0, 1.0]}
    resumed, restarted = (
        replay_jobs(RecordedJobs(**jobs), servers=3, policy=POLICIES.get("most-servers-first")(restart=restart))
        for restart in (False, True)
    )
    assert resumed.finish.tolist() == [3.0, 2.0]
    assert restarted.finish.tolist() == [4.0, 2.0]
    assert restarted.start.tolist() == [0.0, 1.0]


server_filling = ServerFilling().serve


def by_arrivals(needs, running, remaining, servers, chosen, now):
    server_filling(needs, running, remaining, servers, chosen)


@pytest.mark.parametrize("function", [server_filling, by_arrivals], ids=["compiled", "plain Python"])
def test_a_function_of_ones_own_may_restart_too(function):
    rng = np.random.default_rng(3)
    jobs = {
        "arrival": np.cumsum(rng.exponential(0.8, 80)),
        "need": 2 ** rng.integers(0, 3, 80),
        "duration": rng.exponential(1, 80),
    }
    policy = OwnFunction(function=function, restart=True)
    _, finish, stops, _ = simulate_slowly(**jobs, servers=4, serve=server_filling, restart=True)
    done = replay_jobs(RecordedJobs(**jobs), servers=4, policy=policy)
    np.testing.assert_allclose(done.finish, finish, atol=1e-9)
    assert stops.sum() > 5
    assert policy != OwnFunction(function=function)
    assert policy.label().endswith("(restart = True)")
    assert policy.to_spec()["restart"] is True


#: Who stops running jobs at arrivals and completions, and the options with which it does.
STOPPING = {name: {"preemptive": True} for name in ("best-packing", "first-fit")} | {
    name: {}
    for name in (
        "divisor-filling",
        "divisor-filling-srpt",
        "first-fit-srpt",
        "greedy-srpt",
        "least-servers-first",
        "max-weight",
        "most-servers-first",
        "server-filling",
        "server-filling-srpt",
    )
}


@pytest.mark.parametrize("name", POLICIES.names())
def test_restart_is_an_option_of_those_who_stop_jobs_and_refused_in_words_by_the_others(name):
    kind = POLICIES.get(name)
    if name in STOPPING:
        policy = kind.from_options({"restart": True, **STOPPING[name]})
        assert policy.preemptive
        assert policy.restart
        assert kind.from_options({key: value for key, value in policy.to_spec().items() if key != "name"}) == policy
    else:
        with pytest.raises(InvalidInput, match=f"policy '{name}' {kind.why_no_restart}; leave restart out"):
            kind.from_options({"restart": True})
        assert (kind.why_no_restart == Policy.why_no_restart) == (not kind().preemptive)


def test_what_contradicts_it_is_refused():
    with pytest.raises(InvalidInput, match="'fcfs' never stops a running job, so there is nothing to restart; leave"):
        simple(2, (1, 1, 1), policy={"name": "fcfs", "restart": True})
    with pytest.raises(InvalidInput, match="with preemptive = false no running job is ever stopped; set preemptive"):
        simple(2, (1, 1, 1), policy={"name": "first-fit", "restart": True})
    with pytest.raises(InvalidInput, match="restart = 'yes' must be true or false"):
        simple(2, (1, 1, 1), policy={"name": "max-weight", "restart": "yes"})
    with pytest.raises(InvalidInput, match="'server-filling-gittins' ranks jobs by their age"):
        simple(2, (1, 1, 1), policy={"name": "server-filling-gittins", "restart": True})
    costly = simple(
        2, (1, 1, "1/2"), (2, 1, "1/2"), policy={"name": "server-filling", "restart": True}, arrival_rate="1/2",
        model={"name": "preemption-cost", "overhead_rate": 1},
    )  # fmt: skip
    for ask in (msj.analyse, lambda system: msj.simulate(system, jobs=1000, seed=1)):
        with pytest.raises(NotSupported, match="jobs that were stopped go on where they were; leave restart out"):
            ask(costly)


@pytest.mark.parametrize("name", ["server-filling", "divisor-filling", "most-servers-first", "max-weight"])
def test_what_is_exact_for_resumed_jobs_is_refused(name):
    system = simple(4, (1, 2, "1/2"), (4, "3/2", "1/2"), policy={"name": name, "restart": True}, arrival_rate="0.2")
    assert that_apply(ResponseAnalysis, system.replace(policy=name))
    for kind in (ResponseAnalysis, SaturatedAnalysis, BoundAnalysis):
        assert not that_apply(kind, system)
    assert "loses its work" in why_no_front(system)
    verdict = explain(system)
    assert [verdict.is_wcfs, verdict.finite_skip, verdict.work_conserving, verdict.non_idling] == [False] * 4
    found = msj.analyse(system)
    assert found.outcome is Outcome.BOUNDS_ONLY
    assert found.find("stability_threshold") is None
    assert found.find("attainable_threshold") is not None  # who loses work takes no more for it
    assert any("loses its work" in note for note in found.notes)
    with pytest.raises(NotSupported, match="loses its work"):
        saturated_windows(system, jobs=1000, rng=1)
    with pytest.raises(NotSupported, match="loses its work"):
        msj.simulate(system.replace(arrival_rate=None, load="1/2"), jobs=1000, seed=1)


def test_no_interval_is_promised_where_repeats_have_heavy_tails():
    """P(held > t) falls like t^(-mu/b) if a job of Exp(mu) is stopped at rate b: here 1/0.3 at best."""
    run = msj.simulate(cluster(Exponential(mean=1)), jobs=20_000, seed=1)
    for name in ("mean_response_time", "mean_waiting_time", "utilisation"):
        assert run.row(name).low is None
    assert any("begin anew, and may do so so often" in note for note in run.notes)
    resumed = msj.simulate(cluster(Exponential(mean=1), "most-servers-first"), jobs=20_000, seed=1)
    assert resumed.row("mean_response_time").low is not None
    assert msj.simulate(cluster(Deterministic(value=1)), jobs=20_000, seed=1).row("mean_response_time").low is not None
