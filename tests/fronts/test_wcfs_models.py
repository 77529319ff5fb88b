"""The WCFS family against formulas, and against chains that keep every job."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.brute_force import erlang_c, mean_response_time, pollaczek_khinchine, replaced
from msj import Erlang, Exponential, Hyperexponential, InvalidInput, JobClass, NotSupported, System, Weibull
from msj.fronts import front_of
from strategies import phase_types

ONE = Exponential(mean=1)
ERLANG = Erlang(stages=2, mean=3)
VARIABLE = Hyperexponential(rates=[4, "1/2"], probabilities=["1/2", "1/2"])


def exact(system, rate):
    return msj.analyse(system.replace(arrival_rate=rate))["mean_response_time"]


# --- servers of different speeds; sizes are times at speed 1, and a duration is the time on a server of mean speed


def machines(speeds, sizes, assignment="fastest-first"):
    mean = Fraction(sum(map(Fraction, speeds))) / len(speeds)
    classes = [
        JobClass(name=f"class {i}", need=1, share=share, duration=law.scaled(1 / mean))
        for i, (share, law) in enumerate(sizes if isinstance(sizes, list) else [(1, sizes)])
    ]
    policy = {"name": "heterogeneous-servers", "speeds": speeds, "assignment": assignment}
    return System(servers=len(speeds), classes=classes, policy=policy)


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first", "stay"])
@pytest.mark.parametrize("servers", [1, 2, 5])
def test_equal_speeds_and_exponential_sizes_are_erlang_c(assignment, servers):
    model = machines([0.5] * servers, ONE, assignment)
    for load in (0.3, 0.95):
        assert exact(model, load * servers / 2) == pytest.approx(erlang_c(servers, 2.0, load * servers / 2), rel=1e-10)


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first", "stay"])
def test_equal_speeds_and_phase_types_are_a_cluster_of_single_servers(assignment):
    cluster = msj.System(servers=3, classes=[msj.JobClass(name="all", need=1, share=1, duration=ERLANG)], load=0.8)
    expected = msj.analyse(cluster, percentiles=False)["mean_response_time"]
    model = machines([1, 1, 1], ERLANG, assignment)
    assert msj.analyse(model.replace(load=0.8))["mean_response_time"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("assignment", ["fastest-first", "slowest-first"])
def test_exponential_sizes_on_different_speeds_are_a_birth_and_death_process(assignment):
    speeds, load = [3.0, 1.0, 0.25], 0.85
    order = sorted(speeds, reverse=assignment == "fastest-first")
    rate, weight, total, jobs = load * sum(speeds), 1.0, 1.0, 0.0
    for n in range(1, 2_000):
        weight *= rate / sum(order[:n])
        total, jobs = total + weight, jobs + n * weight
    model = machines(speeds, ONE, assignment)
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
    model = machines([slow, fast], ONE, "stay")
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
    model = machines(speeds, classes, assignment)
    assert exact(model, rate) == pytest.approx(expected, rel=1e-5)


def test_better_assignment_takes_less_time():
    times = [
        msj.analyse(machines([4, 1], VARIABLE, rule).replace(load=0.5))
        for rule in ("fastest-first", "stay", "slowest-first")
    ]
    means = [result["mean_response_time"] for result in times]
    assert means[0] < means[1] < means[2]
    assert [r["stability_threshold"] for r in times] == pytest.approx([5 / VARIABLE.mean] * 3, rel=1e-10)


# --- limited processor sharing


def shared(limit, law, speed=1):
    """One machine of a speed."""
    job = JobClass(name="all", need=1, share=1, duration=law.scaled(Fraction(1, speed)))
    return System(servers=1, classes=[job], policy={"name": "limited-processor-sharing", "limit": limit})


@settings(max_examples=15)
@given(phase_types(), st.sampled_from([0.2, 0.9]))
def test_sharing_by_one_is_first_come_first_served(law, load):
    rate = load * 2 / float(law.mean)
    model = shared(1, law, speed=2)
    assert exact(model, rate) == pytest.approx(pollaczek_khinchine(law, rate, speed=2), rel=1e-9)


@pytest.mark.parametrize("law", [ERLANG, VARIABLE])
def test_sharing_by_many_is_processor_sharing(law):
    # The 30 oldest: at load 0.4 more than 30 jobs are present with probability 0.4^31 < 1e-12.
    result = msj.analyse(shared(30, law).replace(load=0.4))
    assert result["mean_response_time"] == pytest.approx(float(law.mean) / 0.6, rel=1e-9)


# --- threshold parallelism


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


# --- red and blue


def red_and_blue(servers, red_share, red, blue):
    shares = Fraction(red_share), 1 - Fraction(red_share)
    classes = zip(("red", "blue"), shares, (red, blue), strict=True)
    coloured = [JobClass(name=c, need=1, share=share, duration=law, extra={"colour": c}) for c, share, law in classes]
    return System(servers=servers, classes=coloured, model="red-and-blue")


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
    result = msj.analyse(model.replace(load=0.9))
    mean = 0.4 * 3 + 0.6 * float(VARIABLE.mean)
    assert result["stability_threshold"] == pytest.approx(servers / mean, rel=1e-10)
    alone = msj.analyse(machines([1] * servers, [("2/5", ERLANG), ("3/5", VARIABLE)]).replace(load=0.9))
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
        machines([1, 0], ONE)
    with pytest.raises(InvalidInput, match="assignment = 'random' is unknown"):
        machines([1], ONE, "random")
    with pytest.raises(NotSupported, match="not phase type"):
        front_of(shared(1, Weibull(mean=1, shape=0.5)))
    with pytest.raises(InvalidInput, match="needs 5 of 4 servers"):
        parallel(4, (5, 1, ONE))
    with pytest.raises(InvalidInput, match="colour = 'green' is unknown; write 'red' or 'blue'"):
        System(servers=1, model="red-and-blue", classes=[
            JobClass(name="a", need=1, share=1, duration=ONE, extra={"colour": "green"})])  # fmt: skip
