"""Exact response times against formulas and against brute force."""

import itertools
import math

import numpy as np
import pytest
import scipy.optimize
from brute_force_open import BruteForceOpen
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import msj
from msj import (
    Coxian,
    Erlang,
    Exponential,
    Fit,
    Hyperexponential,
    JobClass,
    NotSupported,
    PhaseType,
    System,
    TooLarge,
    Unstable,
)
from msj.analysis.exact_response import open_model
from msj.analysis.waiting_law import WaitingLaw
from strategies import phase_types, simple, systems

TWO = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"))


@pytest.mark.parametrize(("load", "expected"), [(0.5, 2.815423), (0.8, 7.517772), (0.95, 31.320377)])
def test_the_running_example(load, expected):
    assert msj.analyse(TWO.replace(load=load))["mean_response_time"] == pytest.approx(expected, abs=5e-7)


def test_four_servers():
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), load=0.8)
    assert msj.analyse(system)["mean_response_time"] == pytest.approx(8.138890770, abs=5e-10)


def erlang_c(servers, offered):
    terms = [math.exp(n * math.log(offered) - math.lgamma(n + 1)) for n in range(servers)]
    last = math.exp(servers * math.log(offered) - math.lgamma(servers + 1)) * servers / (servers - offered)
    return last / (sum(terms) + last)


@pytest.mark.parametrize("servers", [1, 2, 7, 40])
@pytest.mark.parametrize("load", [0.01, 0.5, 0.9, 0.999])
def test_needs_of_one_are_erlang_c(servers, load):
    rate = load * servers * 0.5
    result = msj.analyse(simple(servers, (1, 0.5, 1), arrival_rate=rate), percentiles=True)
    waits = erlang_c(servers, rate / 0.5)
    # abs=0: at 40 servers and load 0.01 the probability is 1e-60, and must be right all the same
    assert result["waiting_probability"] == pytest.approx(waits, rel=1e-10, abs=0)
    assert result["mean_waiting_time"] == pytest.approx(waits / (servers * 0.5 - rate), rel=1e-9, abs=0)
    assert result["mean_response_time"] == pytest.approx(2 + waits / (servers * 0.5 - rate), rel=1e-9)
    assert result["tail_decay_rate"] == pytest.approx(load, rel=1e-12)
    for level in (50.0, 99.0):  # W > t with probability C·exp(−(k·mu − lambda)·t)
        expected = max(0.0, math.log(waits / (1 - level / 100)) / (servers * 0.5 - rate))
        assert result["waiting_time_percentile", None, level] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@settings(max_examples=60)
@given(phase_types(), st.sampled_from([0.05, 0.5, 0.9, 0.99, 0.999]))
def test_one_server_is_pollaczek_khinchine(law, load):
    system = System(servers=1, classes=[JobClass(name="all", need=1, share=1, duration=law)], utilisation=load)
    result = msj.analyse(system, percentiles=False)
    rate = load / float(law.mean)
    wait = rate * law.second_moment / (2 * (1 - load))
    assert result["mean_waiting_time"] == pytest.approx(wait, rel=1e-9)
    assert result["waiting_probability"] == pytest.approx(load, rel=1e-10)


@settings(max_examples=25)
@given(systems(most_servers=5), st.sampled_from([0.2, 0.9]))
def test_arrivals_see_what_time_sees(system, load):
    # PASTA and cuts between levels: arrivals that find n jobs are as frequent as departures that leave n behind.
    solved = msj.open_system(system.replace(load=load))
    model, law = solved.model, solved.law
    last = model.first_repeating_level
    for n in range(last):
        departures = law.level_vector(n + 1) @ model.completions[n + 1].sum(axis=1)
        assert solved.arrival_rate * law.level_mass(n) == pytest.approx(departures, rel=1e-10, abs=0)
    departures = law.level_vector(last + 1) @ model.repeating_completions.sum(axis=1)
    assert solved.arrival_rate * law.level_mass(last) == pytest.approx(departures, rel=1e-9, abs=0)


def test_rates_far_apart_within_one_law():
    law = PhaseType(initial=[0.5, 0.5], generator=[[-1e13, 0], [1e-3, -0.501]])
    system = System(servers=1, classes=[JobClass(name="a", need=1, share=1, duration=law)], load=0.5)
    result = msj.analyse(system, percentiles=False)
    assert result["stability_threshold"] == pytest.approx(1 / law.mean, rel=1e-10)
    wait = 0.5 / law.mean * law.second_moment / (2 * 0.5)
    assert result["mean_waiting_time"] == pytest.approx(wait, rel=1e-9, abs=0)


def test_a_percentile_on_a_plateau_comes_with_its_error():
    # Nine jobs in ten take a microsecond, the tenth twelve days, and nobody meets anybody: P(T > t) stays near 0.1.
    system = simple(2, (1, 1e6, 0.9), (2, 1e-6, 0.1), arrival_rate=1e-18)
    rows = {(row.level, row.job_class): row for row in msj.analyse(system) if row.name == "response_time_percentile"}
    truth = scipy.optimize.brentq(lambda t: 0.9 * math.exp(-1e6 * t) - 0.1 * -math.expm1(-1e-6 * t), 1e-6, 1e-3)
    vague = rows[90.0, None]
    assert vague.low <= truth <= vague.high
    assert rows[99.0, None].low is None
    assert rows[99.0, None].value == pytest.approx(math.log(10) * 1e6, rel=1e-6)


def test_large_jobs_that_take_everything_are_one_server():
    # Needs 3 and 4 of 4 servers never run side by side: M/G/1 with the mixture.
    system = simple(4, (3, 2, 0.25), (4, 0.5, 0.75), utilisation=0.6)
    rate = msj.analyse(system)["arrival_rate"]
    mean, second = 0.25 / 2 + 0.75 / 0.5, 2 * (0.25 / 4 + 0.75 / 0.25)
    wait = rate * second / (2 * (1 - rate * mean))
    assert msj.analyse(system)["mean_waiting_time"] == pytest.approx(wait, rel=1e-10)


def far_enough(solved):
    """Where the twin may cut off the queue: beyond 1e-13 of the tail."""
    behind = math.log(1e-13) / math.log(solved.law.decay_rate)
    assume(behind < 250)
    return math.ceil(behind)


@settings(max_examples=20)
@given(systems(most_servers=4, most_classes=2), st.sampled_from([0.2, 0.5, 0.6]))
def test_brute_force_agrees(system, load):
    solved = msj.open_system(system.replace(load=load))
    brute = BruteForceOpen(system, solved.arrival_rate, most_behind=far_enough(solved))
    assert solved.mean_jobs_in_system == pytest.approx(brute.law @ brute.jobs(), rel=1e-8)
    masses = solved.law.level_masses(last=12)
    np.testing.assert_allclose(masses, np.bincount(brute.jobs(), brute.law)[:13], rtol=1e-8, atol=1e-10)
    for i in range(len(system.classes)):
        assert solved.mean_waiting[i] == pytest.approx(brute.mean_waiting(i), rel=1e-7, abs=1e-9)
        assert solved.waiting_probability[i] == pytest.approx(brute.law @ brute.waits(i), rel=1e-8, abs=1e-10)


@settings(max_examples=10)
@given(systems(most_servers=3, most_classes=2), st.sampled_from([0.3, 0.6]))
def test_waiting_laws_agree_with_following_a_tagged_job(system, load):
    solved = msj.open_system(system.replace(load=load))
    brute = BruteForceOpen(system, solved.arrival_rate, most_behind=far_enough(solved))
    times = np.array([0.1, 1.0, 4.0]) * max(float(c.duration.mean) for c in system.classes)
    wait = WaitingLaw(solved).waiting.survival(times)
    for i in range(len(system.classes)):
        np.testing.assert_allclose(wait[:, i], brute.waiting_survival(i, times), rtol=1e-6, atol=2e-9)


@settings(max_examples=25)
@given(systems(most_servers=6), st.sampled_from([0.1, 0.7, 0.95, 0.999]))
def test_identities(system, load):
    solved = msj.open_system(system.replace(load=load))
    law = solved.law
    assert sum(v.sum() for v in law.boundary) + law.repeating_mass.sum() == pytest.approx(1, abs=1e-10)
    assert min(v.min() for v in (*law.boundary, law.first_repeating)) >= 0
    assert solved.little_gap < 1e-10  # the mean number in service is lambda·p_i·E[S_i]
    assert law.residual < 1e-11
    # Little's law for the queue: the per-class waits add up to the queue of the law itself
    queue = solved.mean_jobs_in_system - solved.mean_in_service.sum()
    assert solved.mean_waiting.sum() == pytest.approx(queue, rel=1e-8, abs=1e-10)


def test_percentiles_of_response_times_against_the_mean():
    # E[T] is the integral of P(T > t): an independent use of the whole curve.
    system = System(
        servers=3,
        load=0.7,
        classes=[
            JobClass(name="a", need=1, share=0.7, duration=Erlang(stages=2, mean=1)),
            JobClass(name="b", need=3, share=0.3, duration=Hyperexponential(rates=[2, 0.4], probabilities=[0.6, 0.4])),
        ],
    )
    solved = msj.open_system(system)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    total = np.zeros(3)
    edges = np.concatenate([[0], np.geomspace(0.02, 400, 12)])
    for low, high in itertools.pairwise(edges):
        times = low + (high - low) * (nodes + 1) / 2
        total += (high - low) / 2 * weights @ WaitingLaw(solved).response.survival(times)
    expected = np.append(
        solved.mean_waiting_time + solved.mean_durations, solved.mean_jobs_in_system / solved.arrival_rate
    )
    np.testing.assert_allclose(total, expected, rtol=1e-7)


def test_percentiles_invert_the_survival_function():
    system = simple(5, (1, 1, 0.6), (2, 0.5, 0.3), (5, 2, 0.1), load=0.85)
    law = WaitingLaw(msj.open_system(system))
    levels = np.array([50.0, 90.0, 99.9])
    wait, response = law.waiting.percentiles(levels)[0], law.response.percentiles(levels)[0]
    for row, level in enumerate(levels):
        for column in range(4):
            if wait[row, column] > 0:
                assert law.waiting.survival(wait[row, [column]])[0, column] == pytest.approx(1 - level / 100, rel=1e-6)
            assert law.response.survival(response[row, [column]])[0, column] == pytest.approx(1 - level / 100, rel=1e-6)


@pytest.mark.parametrize(
    "law",
    [Exponential(mean=1), Erlang(stages=3, mean=2), Coxian(rates=[3, 0.5], continues=[0.3]), Fit(mean=1, cv=3)],
)
def test_reset_differs_by_a_bounded_term(law):
    # reset, Theorem 4.2: |E[T] − prediction| stays bounded as the load approaches the threshold.
    classes = [
        JobClass(name="a", need=1, share=0.6, duration=law),
        JobClass(name="b", need=3, share=0.4, duration=Exponential(mean=1)),
    ]
    gaps = []
    for load in (0.9, 0.99, 0.999):
        result = msj.analyse(System(servers=4, classes=classes, load=load), percentiles=False)
        gaps.append(result["mean_response_time"] - result["predicted_mean_response_time"])
    assert abs(gaps[2] - gaps[1]) < 0.2 * abs(gaps[1] - gaps[0]) + 1e-6
    assert abs(gaps[2]) < 10


def test_sizes_are_refused_before_they_are_allocated():
    system = simple(300, (1, 1, 0.4), (2, 1, 0.3), (3, 2, 0.3), load=0.5)
    with pytest.raises(TooLarge, match=r"needs 301 levels of up to [\d,]+ phases, [\d.]+ GB"):
        msj.open_system(system)
    with pytest.raises(TooLarge, match="sets of jobs fit together"):
        open_model(simple(3000, (1, 1, 0.4), (2, 1, 0.3), (3, 2, 0.3)))


def test_a_large_system_is_left_out_with_a_note():
    result = msj.analyse(simple(300, (1, 1, 0.4), (2, 1, 0.3), (3, 2, 0.3), load=0.5))
    assert "mean_response_time" not in result
    assert any("Exact response times are left out" in note for note in result.notes)


def test_what_has_no_answer_is_refused():
    with pytest.raises(Unstable, match=r"lambda = 0.9 is not below the stability threshold lambda\* = 0.9"):
        msj.open_system(TWO.replace(arrival_rate=0.9))
    jobs = JobClass(name="x", need=1, share=1, duration={"law": "lognormal", "mean": 1, "cv": 2})
    with pytest.raises(NotSupported, match="class 'x' has lognormal durations"):
        msj.analyse(System(servers=2, classes=[jobs], arrival_rate=0.1), exact=True)


def test_percentiles_are_the_same_whichever_way_a_level_is_solved(monkeypatch):
    # Erlang durations: something happens within a level. Below a limit one Schur form, above it a sparse factorisation.
    law = msj.Erlang(stages=2, mean=1)
    classes = [msj.JobClass(name=str(need), need=need, share="1/2", duration=law) for need in (1, 2)]
    system = msj.System(servers=3, classes=classes, load=0.8)
    dense = msj.analyse(system, percentiles=True)
    monkeypatch.setattr("msj.markov.level_descent.DENSE_UP_TO", 0)
    sparse = msj.analyse(system, percentiles=True)
    levels = [row.level for row in dense if row.name == "waiting_time_percentile" and row.job_class is None]
    assert len(levels) >= 3
    for level in levels:
        key = "waiting_time_percentile", None, level
        assert sparse[key] == pytest.approx(dense[key], rel=1e-7, abs=1e-9)
