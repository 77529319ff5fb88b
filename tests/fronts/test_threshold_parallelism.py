"""Threshold parallelism against single servers, one fast one, and a chain that keeps every job."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

import msj
from fronts.brute_force import erlang_c, mean_response_time, pollaczek_khinchine, replaced
from fronts.clusters import ONE, VARIABLE, exact
from msj import Exponential, InvalidInput, JobClass, System
from strategies import phase_types


def parallel(servers, *classes):
    """Sizes are times on one server."""
    jobs = [
        JobClass(name=f"need {need} {i}", need=need, share=share, duration=law.scaled(Fraction(1, need)))
        for i, (need, share, law) in enumerate(classes)
    ]
    return System(servers=servers, classes=jobs, policy="threshold-parallelism")


def test_thresholds_of_one_are_a_cluster_of_single_servers():
    cluster = msj.System(servers=3, classes=[msj.JobClass(name="all", need=1, share=1, duration=VARIABLE)], load=0.9)
    expected = msj.analyse(cluster, percentiles=False)["mean_response_time"]
    result = msj.analyse(parallel(3, (1, 1, VARIABLE)).replace(load=0.9))
    assert result["mean_response_time"] == pytest.approx(expected, rel=1e-10)
    rate = 0.9 * 4
    assert exact(parallel(4, (1, "1/3", ONE), (1, "2/3", ONE)), rate) == pytest.approx(
        erlang_c(4, 1.0, rate), rel=1e-10
    )


@settings(max_examples=10)
@given(phase_types())
def test_thresholds_of_all_servers_are_one_fast_server(law):
    rate = 0.7 * 3 / float(law.mean)
    assert exact(parallel(3, (3, 1, law)), rate) == pytest.approx(pollaczek_khinchine(law, rate, speed=3), rel=1e-9)


def test_different_thresholds_keeping_every_job():
    servers, thresholds, rates, rate = 4, (1, 2, 3), (1.0, 0.5, 2.0), 0.4  # load 0.16: more than 8 jobs are rare

    def steps(state):
        found, free = [], servers
        for i, job in enumerate(state):
            given_servers = min(free, thresholds[job])
            free -= given_servers
            if given_servers:
                found.append((given_servers * rates[job], replaced(state, i)))
        return found

    expected = mean_response_time((), lambda state: [(1 / 3, (*state, j)) for j in range(3)], steps, rate, most=8)
    classes = [(t, "1/3", Exponential(rate=r)) for t, r in zip(thresholds, rates, strict=True)]
    result = msj.analyse(parallel(servers, *classes).replace(arrival_rate=rate))
    assert result["stability_threshold"] == pytest.approx(servers / (3.5 / 3), rel=1e-10)  # nothing is wasted
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(InvalidInput, match="needs 5 of 4 servers"):
        parallel(4, (5, 1, ONE))
