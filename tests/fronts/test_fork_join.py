"""Fork-join against clusters of single servers, formulas, and a chain that keeps every job."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.brute_force import erlang_c, mean_response_time, replaced
from fronts.clusters import ONE, TWO_CLASSES, fork_join, same_as_fcfs
from msj import Exponential, Hyperexponential, InvalidInput, JobClass, System
from strategies import phase_types


@settings(max_examples=10)
@given(phase_types(), st.sampled_from([0.3, 0.9]))
def test_jobs_of_one_task_are_first_come_first_served(law, load):
    job = JobClass(name="all", need=1, share=1, duration=law)
    same_as_fcfs(fork_join(2, (1, 1, law)), System(servers=2, classes=[job], load=load))


def test_jobs_of_one_exponential_task_are_erlang_c():
    result = msj.analyse(fork_join(4, (1, "1/2", ONE), (1, "1/2", ONE)).replace(arrival_rate=3.5))
    assert result["mean_response_time"] == pytest.approx(erlang_c(4, 1.0, 3.5), rel=1e-10)


def test_jobs_of_as_many_tasks_as_servers_are_one_server():
    # Only the last task to end lets the next job in: M/G/1 with the maximum of three tasks.
    rates = [3.0, 2.0, 1.0]
    mean, variance = sum(1 / r for r in rates), sum(1 / r**2 for r in rates)
    rate = 0.7 / mean
    result = msj.analyse(fork_join(3, (3, 1, ONE)).replace(arrival_rate=rate))
    expected = mean + rate * (variance + mean**2) / (2 * 0.3)
    assert result["mean_response_time"] == pytest.approx(expected, rel=1e-9)


def test_two_phase_type_tasks_on_two_servers_take_their_maximum():
    law = Hyperexponential(rates=[3, "1/2"], probabilities=["1/2", "1/2"])
    # P(max <= t) = (1 - S)^2, so E[max] = 2 E[X] - int S² and E[max²] = 2 E[X²] - int 2t S².
    pairs = [(0.25, 6.0), (0.5, 3.5), (0.25, 1.0)]  # S(t)² = sum of weight·exp(-rate t)
    mean = 2 * float(law.mean) - sum(w / r for w, r in pairs)
    second = 2 * law.second_moment - sum(2 * w / r**2 for w, r in pairs)
    rate = 0.8 / mean
    result = msj.analyse(fork_join(2, (2, 1, law)).replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(mean + rate * second / 0.4, rel=1e-9)


def test_fork_join_keeping_every_job():
    servers, tasks, rates, rate = 3, (1, 3), (1.0, 2.0), 0.25

    def settled(state):  # a job is (class, tasks left, started)
        free = servers - sum(left for _, left, started in state if started)
        for i, (job, left, started) in enumerate(state):
            if not started:
                if left > free:
                    break
                state, free = replaced(state, i, (job, left, True)), free - left
        return state

    def steps(state):
        for i, (job, left, started) in enumerate(state):
            if started:
                others = ((job, left - 1, True),) if left > 1 else ()
                yield rates[job] * left, settled(replaced(state, i, *others))

    def arrive(state):
        return [(chance, settled((*state, (job, tasks[job], False)))) for chance, job in TWO_CLASSES]

    expected = mean_response_time((), arrive, steps, rate, most=8)
    system = fork_join(servers, (1, "2/5", Exponential(rate=1)), (3, "3/5", Exponential(rate=2)))
    result = msj.analyse(system.replace(arrival_rate=rate))
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(InvalidInput, match="class 'class 0' needs 3 of 2 servers"):
        fork_join(2, (3, 1, ONE))
