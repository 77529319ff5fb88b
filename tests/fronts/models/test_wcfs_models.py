"""The WCFS family against formulas, and against chains that keep every job."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.models.brute_force import erlang_c, mean_response_time, pollaczek_khinchine, replaced
from msj import Erlang, Exponential, Hyperexponential, InvalidInput, NotSupported, Weibull
from msj.fronts.models import (
    Heterogeneous,
    LimitedProcessorSharing,
    ParallelClass,
    RedAndBlue,
    ThresholdParallelism,
)
from msj.fronts.models.red_and_blue import ColouredClass
from strategies import phase_types

ONE = Exponential(mean=1)
ERLANG = Erlang(stages=2, mean=3)
VARIABLE = Hyperexponential(rates=[4, "1/2"], probabilities=["1/2", "1/2"])


def exact(model, rate):
    return msj.analyse_model(model, arrival_rate=rate)["mean_response_time"]


# --- servers of different speeds


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first", "stay"])
@pytest.mark.parametrize("servers", [1, 2, 5])
def test_equal_speeds_and_exponential_sizes_are_erlang_c(assignment, servers):
    model = Heterogeneous(speeds=[0.5] * servers, duration=ONE, assignment=assignment)
    for load in (0.3, 0.95):
        assert exact(model, load * servers / 2) == pytest.approx(erlang_c(servers, 2.0, load * servers / 2), rel=1e-10)


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first", "stay"])
def test_equal_speeds_and_phase_types_are_a_cluster_of_single_servers(assignment):
    cluster = msj.System(servers=3, classes=[msj.JobClass(name="all", need=1, share=1, duration=ERLANG)], load=0.8)
    expected = msj.analyse(cluster, percentiles=False)["mean_response_time"]
    model = Heterogeneous(speeds=[1, 1, 1], duration=ERLANG, assignment=assignment)
    assert msj.analyse_model(model, load=0.8)["mean_response_time"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first"])
def test_exponential_sizes_on_different_speeds_are_a_birth_and_death_process(assignment):
    speeds, load = [3.0, 1.0, 0.25], 0.85
    order = sorted(speeds, reverse=assignment == "fastest-first")
    rate, weight, total, jobs = load * sum(speeds), 1.0, 1.0, 0.0
    for n in range(1, 2_000):
        weight *= rate / sum(order[:n])
        total, jobs = total + weight, jobs + n * weight
    model = Heterogeneous(speeds=speeds, duration=ONE, assignment=assignment)
    assert exact(model, rate) == pytest.approx(jobs / total / rate, rel=1e-9)


def test_two_servers_that_keep_their_jobs():
    # The classical chain: empty, only the fast one busy (x), only the slow one (y), both and n waiting (geometric).
    fast, slow, rate = 2.0, 0.5, 1.9
    rho = rate / (fast + slow)
    # Balance of y and of the empty state, for p0 = 1: (rate + slow) y = fast b, fast x + slow y = rate,
    # and the cut between one and two jobs: rate (x + y) = (fast + slow) b.
    y = rate**2 / (((rate + slow) * (fast + slow) / fast - rate) * fast + rate * slow)
    x = (rate - slow * y) / fast
    b = rate * (x + y) / (fast + slow)
    total = 1 + x + y + b / (1 - rho)
    jobs = x + y + b * (2 / (1 - rho) + rho / (1 - rho) ** 2)
    model = Heterogeneous(speeds=[slow, fast], duration=ONE, assignment="stay")
    assert exact(model, rate) == pytest.approx(jobs / total / rate, rel=1e-10)


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first"])
def test_different_speeds_and_two_classes_keeping_every_job(assignment):
    speeds, rates, rate = (2.0, 0.5), (4.0, 1.0), 0.6
    order = speeds if assignment == "fastest-first" else speeds[::-1]

    def steps(state):
        return [
            (speed * rates[job], replaced(state, i)) for i, (job, speed) in enumerate(zip(state, order, strict=False))
        ]

    expected = mean_response_time((), lambda state: [(0.3, (*state, 0)), (0.7, (*state, 1))], steps, rate, most=12)
    classes = [("3/10", Exponential(rate=4)), ("7/10", Exponential(rate=1))]
    model = Heterogeneous(speeds=speeds, duration=classes, assignment=assignment)
    assert exact(model, rate) == pytest.approx(expected, rel=1e-5)


def test_better_assignment_takes_less_time():
    times = [
        msj.analyse_model(Heterogeneous(speeds=[4, 1], duration=VARIABLE, assignment=rule), load=0.5)
        for rule in ("fastest-first", "stay", "slowest-first")
    ]
    means = [result["mean_response_time"] for result in times]
    assert means[0] < means[1] < means[2]
    assert [r["stability_threshold"] for r in times] == pytest.approx([5 / VARIABLE.mean] * 3, rel=1e-10)


# --- limited processor sharing


@settings(max_examples=15)
@given(phase_types(), st.sampled_from([0.2, 0.9]))
def test_sharing_by_one_is_first_come_first_served(law, load):
    rate = load * 2 / float(law.mean)
    model = LimitedProcessorSharing(level=1, duration=law, speed=2)
    assert exact(model, rate) == pytest.approx(pollaczek_khinchine(law, rate, speed=2), rel=1e-9)


@pytest.mark.parametrize("law", [ERLANG, VARIABLE])
def test_sharing_by_many_is_processor_sharing(law):
    # The 30 oldest: at load 0.4 more than 30 jobs are present with probability 0.4^31 < 1e-12.
    result = msj.analyse_model(LimitedProcessorSharing(level=30, duration=law), load=0.4)
    assert result["mean_response_time"] == pytest.approx(float(law.mean) / 0.6, rel=1e-9)


# --- threshold parallelism


def parallel(servers, *classes):
    return ThresholdParallelism(
        servers=servers,
        classes=[
            ParallelClass(name=f"threshold {threshold} {i}", threshold=threshold, share=share, duration=law)
            for i, (threshold, share, law) in enumerate(classes)
        ],
    )


def test_thresholds_of_one_are_a_cluster_of_single_servers():
    cluster = msj.System(servers=3, classes=[msj.JobClass(name="all", need=1, share=1, duration=VARIABLE)], load=0.9)
    expected = msj.analyse(cluster, percentiles=False)["mean_response_time"]
    result = msj.analyse_model(parallel(3, (1, 1, VARIABLE)), load=0.9)
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
    result = msj.analyse_model(parallel(servers, *classes), arrival_rate=rate)
    assert result["stability_threshold"] == pytest.approx(servers / (3.5 / 3), rel=1e-10)  # nothing is wasted
    assert result["mean_response_time"] == pytest.approx(expected, rel=2e-5)


# --- red and blue


def red_and_blue(servers, red_share, red, blue):
    shares = Fraction(red_share), 1 - Fraction(red_share)
    classes = zip(("red", "blue"), shares, (red, blue), strict=True)
    coloured = [ColouredClass(name=c, colour=c, share=share, duration=law) for c, share, law in classes]
    return RedAndBlue(servers=servers, classes=coloured)


@settings(max_examples=10)
@given(phase_types(), phase_types())
def test_one_server_does_not_mind_the_colour(red, blue):
    model = red_and_blue(1, "1/4", red, blue)
    mean = float(red.mean) / 4 + float(blue.mean) * 3 / 4
    second = red.second_moment / 4 + blue.second_moment * 3 / 4
    rate = 0.8 / mean
    assert exact(model, rate) == pytest.approx(mean + rate * second / 0.4, rel=1e-9)


def test_one_colour_is_erlang_c():
    model = red_and_blue(3, 1, ONE, ONE)
    assert exact(model, 2.7) == pytest.approx(erlang_c(3, 1.0, 2.7), rel=1e-10)


@pytest.mark.parametrize("servers", [2, 3])
def test_red_and_blue_waste_nothing_when_many_wait(servers):
    model = red_and_blue(servers, "2/5", ERLANG, VARIABLE)
    result = msj.analyse_model(model, load=0.9)
    mean = 0.4 * 3 + 0.6 * float(VARIABLE.mean)
    assert result["stability_threshold"] == pytest.approx(servers / mean, rel=1e-10)
    alone = msj.analyse_model(
        Heterogeneous(speeds=[1] * servers, duration=[("2/5", ERLANG), ("3/5", VARIABLE)]), load=0.9
    )
    assert result["mean_response_time"] > alone["mean_response_time"]  # here the colours get in the way


@pytest.mark.parametrize(("servers", "most"), [(2, 11), (3, 9)])
def test_red_and_blue_keeping_every_job(servers, most):
    rates, rate = (1.0, 0.5), 0.1 * servers

    def steps(state):
        found = [[], []]  # positions of red and blue, counted off in order of arrival
        for i, colour in enumerate(state):
            found[colour].append(i)
            if len(found[colour]) == servers:
                break
        colour = 1 if len(found[1]) > len(found[0]) else 0
        return [(rates[colour], replaced(state, i)) for i in found[colour]]

    expected = mean_response_time((), lambda state: [(0.5, (*state, 0)), (0.5, (*state, 1))], steps, rate, most=most)
    model = red_and_blue(servers, "1/2", Exponential(rate=1), Exponential(rate=0.5))
    assert exact(model, rate) == pytest.approx(expected, rel=2e-5)


# --- refusals


def test_refusals():
    with pytest.raises(InvalidInput, match=r"speeds\[1\] = 0 must be greater than 0"):
        Heterogeneous(speeds=[1, 0], duration=ONE)
    with pytest.raises(InvalidInput, match="'random' is not one of"):
        Heterogeneous(speeds=[1], duration=ONE, assignment="random")
    with pytest.raises(InvalidInput, match="neither a duration law nor a list"):
        LimitedProcessorSharing(level=1, duration=3)
    with pytest.raises(InvalidInput, match="sum to 1"):
        LimitedProcessorSharing(level=1, duration=[("1/2", ONE), ("1/3", ONE)])
    with pytest.raises(NotSupported, match="not phase type"):
        LimitedProcessorSharing(level=1, duration=Weibull(mean=1, shape=0.5))
    with pytest.raises(InvalidInput, match="has threshold 5 with 4 servers"):
        parallel(4, (5, 1, ONE))
    with pytest.raises(InvalidInput, match="colour = 'green' is unknown; write 'red' or 'blue'"):
        ColouredClass(name="a", share=1, duration=ONE, colour="green")


def test_a_model_is_a_value():
    one, other = (Heterogeneous(speeds=[1, 2], duration=[("1/2", ONE), ("1/2", ERLANG)]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
