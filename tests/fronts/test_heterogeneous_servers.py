"""Servers of different speeds against formulas, and chains that keep every job."""

import pytest

import msj
from fronts.brute_force import erlang_c, mean_response_time, replaced
from fronts.clusters import ERLANG, ONE, VARIABLE, exact, machines
from msj import Exponential, InvalidInput


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


def test_what_is_wrong_is_refused_in_words():
    with pytest.raises(InvalidInput, match=r"speeds\[1\] = 0 must be greater than 0"):
        machines([1, 0], ONE)
    with pytest.raises(InvalidInput, match="assignment = 'random' is unknown"):
        machines([1], ONE, "random")
