"""Servers that are switched off, against formulas for one server and chains that keep every job."""

import pytest
from hypothesis import given, settings

import msj
from fronts.brute_force import erlang_c, mean_response_time, pollaczek_khinchine, replaced, stationary
from msj import Exponential, InvalidInput, JobClass, System
from strategies import phase_types, systems


def jobs_of(law, need=1):
    return [JobClass(name="all", need=need, share=1, duration=law)]


def sleepy(servers, classes, rate, *, staggered=False, **load):
    model = {"name": "set-up", "set_up_rate": rate, "staggered": staggered}
    return System(servers=servers, classes=classes, model=model, **load)


def states_of(result):
    return tuple(result[f"{state}_servers"] for state in ("busy", "idle", "set_up", "off"))


@settings(max_examples=12)
@given(systems(most_servers=3, most_classes=2, load=0.8))
def test_instant_set_up_is_the_plain_cluster(system):
    plain = msj.analyse(system, percentiles=False)
    result = msj.analyse(sleepy(system.servers, system.classes, 1e9, arrival_rate=plain["arrival_rate"]))
    assert result["stability_threshold"] == pytest.approx(plain["stability_threshold"], rel=1e-7)
    assert result["mean_response_time"] == pytest.approx(plain["mean_response_time"], rel=1e-6)


@settings(max_examples=10)
@given(phase_types())
def test_one_server_adds_the_set_up_time(law):
    # Welch (1964): the wait of M/G/1 grows by (2 E[D] + lambda E[D²])/(2 (1 + lambda E[D])), E[D] if exponential.
    rate, mean_set_up = 0.7 / float(law.mean), 2.5
    result = msj.analyse(sleepy(1, jobs_of(law), 1 / mean_set_up, arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(pollaczek_khinchine(law, rate) + mean_set_up, rel=1e-9)
    not_busy = 0.3 / (1 / rate + mean_set_up)  # off for 1/lambda, then in set-up, in each cycle
    assert states_of(result) == pytest.approx((0.7, 0.0, not_busy * mean_set_up, not_busy / rate), rel=1e-9)


@pytest.mark.parametrize("staggered", [False, True])
@pytest.mark.parametrize("servers", [2, 4])
def test_single_servers_are_the_chain_of_busy_servers_and_jobs(servers, staggered):
    rate, set_up_rate = 0.6 * servers, 0.2

    def starting(state):
        busy, jobs = state
        return min(min(jobs, servers) - busy, 1 if staggered else servers)

    def steps(state):
        busy, jobs = state
        if busy:
            yield float(busy), (min(busy, jobs - 1), jobs - 1)
        if starting(state):
            yield set_up_rate * starting(state), (busy + 1, jobs)

    law = stationary((0, 0), lambda s: [(1.0, (s[0], s[1] + 1))], steps, rate, lambda s: s[1], 600)
    jobs = jobs_of(Exponential(rate=1))
    result = msj.analyse(sleepy(servers, jobs, set_up_rate, staggered=staggered, arrival_rate=rate))
    assert result["stability_threshold"] == pytest.approx(servers, rel=1e-10)  # all stay on when many wait
    assert result["mean_jobs_in_system"] == pytest.approx(sum(p * s[1] for s, p in law.items()), rel=1e-8)
    assert result["set_up_servers"] == pytest.approx(sum(p * starting(s) for s, p in law.items()), rel=1e-8)
    assert result["busy_servers"] == pytest.approx(rate, rel=1e-9)
    assert result["idle_servers"] == pytest.approx(0.0, abs=1e-12)
    assert sum(states_of(result)) == pytest.approx(servers, rel=1e-10)


@pytest.mark.parametrize("load", [0.2, 0.95])
def test_staggered_set_up_adds_its_mean_to_erlang_c(load):
    # Gandhi, Harchol-Balter & Adan (2010): the response time is that of M/M/k and an independent set-up time.
    result = msj.analyse(sleepy(5, jobs_of(Exponential(rate=2)), 0.3, staggered=True, arrival_rate=load * 10))
    assert result["mean_response_time"] == pytest.approx(erlang_c(5, 0.5, load * 10) + 1 / 0.3, rel=1e-9)


@pytest.mark.parametrize("staggered", [False, True])
def test_needs_of_one_and_two_keeping_every_job(staggered):
    servers, needs, rates, rate, set_up_rate = 3, (1, 2), (1.0, 0.5), 0.08, 0.7

    def wanted(jobs):  # started ones first: jobs are (class, started) and start in order of arrival
        total = sum(needs[c] for c, started in jobs if started)
        for c, started in jobs:
            if not started:
                if total + needs[c] > servers:
                    break
                total += needs[c]
        return total

    def settled(jobs, on):
        for i, (c, started) in enumerate(jobs):
            if not started:
                if sum(needs[d] for d, runs in jobs if runs) + needs[c] > on:
                    break
                jobs = replaced(jobs, i, (c, True))
        return jobs, min(on, wanted(jobs))

    def steps(state):
        jobs, on = state
        for i, (c, started) in enumerate(jobs):
            if started:
                yield rates[c], settled(replaced(jobs, i), on)
        missing = wanted(jobs) - on
        if missing:
            yield set_up_rate * (1 if staggered else missing), settled(jobs, on + 1)

    def arrive(state):
        return [(chance, settled((*state[0], (c, False)), state[1])) for chance, c in ((0.4, 0), (0.6, 1))]

    expected = mean_response_time(((), 0), arrive, steps, rate, jobs=lambda state: len(state[0]), most=9)
    classes = [
        JobClass(name=f"class {c}", need=needs[c], share=share, duration=Exponential(rate=rates[c]))
        for c, share in enumerate(("2/5", "3/5"))
    ]
    result = msj.analyse(sleepy(servers, classes, set_up_rate, staggered=staggered, arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)
    assert result["busy_servers"] == pytest.approx(rate * (0.4 * 1 + 0.6 * 2 * 2), rel=1e-9)
    assert result["idle_servers"] > 0.01  # one of two servers is on and waits for the other
    assert sum(states_of(result)) == pytest.approx(servers, rel=1e-10)


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(InvalidInput, match="set_up_rate = 0 must be greater than 0"):
        sleepy(1, jobs_of(Exponential(rate=1)), 0)
    with pytest.raises(InvalidInput, match="needs 2 of 1 servers"):
        sleepy(1, jobs_of(Exponential(rate=1), need=2), 1)
