"""Control variates: right means, known means of their own, and gains that are what they say."""

import dataclasses
import math

import numpy as np
import pytest

import msj
from msj import Exponential, JobClass, Lognormal, Pareto, System
from msj.answers.known import known_of
from msj.simulation import estimates
from msj.simulation.controlled import remainder
from msj.simulation.controls import FIRST_CLASS, SERVERS, SQUARES, Controls, ControlServers, why_no_controls
from msj.workloads import Streams, SystemJobs, seed_sequence


def cluster(policy="fcfs", **loads):
    classes = [
        JobClass(name=str(need), need=need, share="1/4", duration=Exponential(mean=mean))
        for need, mean in ((1, 2), (2, 1), (4, "1/2"), (8, "1/2"))
    ]
    return System(servers=8, classes=classes, policy=policy, **loads)


def block_of(system, rate, jobs, seed=1):
    source = SystemJobs(system, arrival_rate=rate, streams=Streams(root=seed_sequence(seed), replication=0))
    return source.take(jobs)


def controls_of(system, rate, jobs=10**6):
    known = known_of(system)
    return Controls.of(system, rate, threshold=known.stability_threshold, weights=known.weights, jobs=jobs)


@pytest.mark.parametrize("policy", ["fcfs", "server-filling", "most-servers-first", "easy-backfilling"])
def test_what_servers_find_is_lindleys_recursion(policy):
    system = cluster(policy)
    rate = 0.6 * system.naive_threshold
    controls, jobs = controls_of(system, rate), 3000
    block = block_of(system, rate, jobs)
    sums, servers = np.zeros(controls.columns), ControlServers(controls)
    for part in (slice(0, 1000), slice(1000, jobs)):  # in two blocks: the state goes on
        columns = {name: getattr(block, name)[part] for name in ("arrival", "job_class", "need", "duration")}
        servers.follow(type(block)(**columns), sums)
    gaps = np.diff(block.arrival, prepend=0.0)
    for index, weights in enumerate(controls.weights):
        workload, total, busy = 0.0, 0.0, 0
        for gap, c, duration in zip(gaps, block.job_class, block.duration, strict=True):
            workload = max(workload - gap, 0.0)
            total, busy = total + workload, busy + (workload > 0)
            workload += weights[c] * duration
        assert sums[index] == pytest.approx(total, rel=1e-12)
        assert sums[SERVERS + index] == busy
    assert sums[SQUARES] == pytest.approx(float(((block.need * block.duration) ** 2).sum()), rel=1e-12)
    assert sums[FIRST_CLASS : FIRST_CLASS + 4].tolist() == np.bincount(block.job_class, minlength=4).tolist()
    lengths = np.bincount(block.job_class, weights=block.duration, minlength=4)
    assert sums[FIRST_CLASS + 4 :] == pytest.approx(lengths, rel=1e-12)


@pytest.mark.parametrize("policy", ["fcfs", "most-servers-first", "easy-backfilling"])
def test_centred_controls_have_mean_zero(policy):
    system = cluster(policy)
    rate = 0.5 * system.naive_threshold
    controls, servers = controls_of(system, rate), None
    pieces, each = 40, 20_000
    source = SystemJobs(system, arrival_rate=rate, streams=Streams(root=seed_sequence(5), replication=0))
    servers, sums, time, before = ControlServers(controls), np.zeros((pieces, controls.columns)), np.zeros(pieces), 0.0
    for piece in range(pieces):
        block = source.take(each)
        servers.follow(block, sums[piece])
        time[piece], before = block.arrival[-1] - before, block.arrival[-1]
    centred = controls.centred(sums, time, job_class=None, busy=True)
    scores = centred.mean(axis=0) / (centred.std(axis=0, ddof=1) / math.sqrt(pieces))
    assert np.abs(scores).max() < 4.5  # of Student's law with 39 degrees of freedom: below 1 in 10,000 for each


def test_a_server_with_the_thresholds_weights_is_as_near_to_its_limit_as_the_cluster():
    system = cluster()
    known = known_of(system)
    controls = controls_of(system, 0.9 * known.stability_threshold)
    assert controls.busy[0] == pytest.approx(0.9 * known.stability_threshold / system.naive_threshold, rel=1e-12)
    assert controls.busy[1] == pytest.approx(0.9, rel=1e-3)  # 1/lambda* is homogeneous in the durations
    assert known.weights[3] == pytest.approx(1.0, rel=1e-3)  # a job that needs all servers takes them from all


@pytest.mark.parametrize(
    ("load", "jobs", "busy"),
    [
        (0.6, 10**6, [0.75, 0.88, 0.96]),
        (0.74, 10**6, [0.88, 0.96]),  # less than a fiftieth busier tells nothing new
        (0.86, 10**6, [0.88, 0.96]),
        (0.87, 10**6, [0.96]),
        (0.6, 10, []),  # too few jobs for the memory of any other
    ],
)
def test_where_no_threshold_is_known_slower_servers_go_along(load, jobs, busy):
    system = cluster("easy-backfilling")
    rate = load * system.naive_threshold
    assert known_of(system).stability_threshold is None
    controls = controls_of(system, rate, jobs)
    assert controls.busy == pytest.approx([load, *busy], rel=1e-12)
    for weights, used in zip(controls.weights, controls.busy, strict=True):
        slower = used / load  # than one as fast as the cluster, whatever the job
        assert weights == pytest.approx([slower * need / 8 for need in (1, 2, 4, 8)], rel=1e-12)
    means = [(need / 8) * mean for need, mean in ((1, 2), (2, 1), (4, 0.5), (8, 0.5))]
    square = sum(2 * mean**2 for mean in means) / 4  # of exponential durations
    for workload, used in zip(controls.workloads, controls.busy, strict=True):
        expected = rate * (used / load) ** 2 * square / (2 * (1 - used))  # Pollaczek and Khinchine
        assert workload == pytest.approx(expected, rel=1e-12)


def test_where_larger_needs_go_first_servers_see_only_those():
    controls = controls_of(cluster("most-servers-first"), 1.0)
    assert [sum(weight > 0 for weight in weights) for weights in controls.weights] == [4, 1, 2, 3]


def test_a_fit_takes_off_what_controls_explain_and_no_more():
    rng = np.random.default_rng(3)
    controls = rng.normal(size=(120, 2)) + 0.1
    noise = rng.normal(size=120)
    beyond = controls @ np.array([3.0, -2.0]) + 0.5 * noise
    found = remainder(beyond - beyond.mean(), controls)
    slopes = np.linalg.lstsq(np.column_stack([np.ones(120), controls]), beyond, rcond=None)[0][1:]
    assert found.shift == pytest.approx(-float(controls.sum(axis=0) @ slopes), rel=1e-9)
    assert found.left_over(1) == pytest.approx(found.inflation * 0.25 / 13.25, rel=0.5)
    useless = remainder(noise - noise.mean(), rng.normal(size=(120, 2)))
    assert useless.left_over(1) > 1.0
    assert remainder(noise[:8], controls[:8]) is None  # too few pieces
    assert remainder(noise, np.zeros((120, 2))) is None  # nothing varies


@pytest.mark.parametrize("policy", ["fcfs", "server-filling", {"name": "first-fit", "window": 2}], ids=str)
def test_means_with_and_without_controls_agree_and_the_gain_is_what_it_says(policy):
    system = msj.read("examples/two_servers.toml").replace(policy=policy, load=None, utilisation=0.7)
    exact = msj.analyse(system)["mean_response_time"]
    plain, sharp, told = [], [], []
    for seed in range(40):
        asked = {"jobs": 40_000, "seed": seed, "levels": (50,)}  # few percentiles: they take most of the time
        plain.append(msj.simulate(system, controls=False, **asked)["mean_response_time"])
        result = msj.simulate(system, **asked)
        sharp.append(result["mean_response_time"])
        told.append(result.at(quantity="mean_response_time")["variance_reduction"])
    assert abs(np.mean(sharp) - exact) < 4 * np.std(sharp, ddof=1) / math.sqrt(40)
    # The ratio of two variances of 40 runs is within a factor of 3 of the truth, but once in 1,000.
    measured = np.var(plain) / np.var(sharp)
    assert measured / 3 < np.median(told) < measured * 3
    assert measured > 2


def test_where_the_control_is_the_cluster_the_answer_is_exact():
    system = System(
        servers=4, arrival_rate=0.7, classes=[JobClass(name="a", need=4, share=1, duration=Lognormal(mean=1, cv=2))]
    )
    row = msj.simulate(system, jobs=50_000, seed=2).row("mean_waiting_time")
    exact = 0.7 * 5 / (2 * 0.3)
    assert row.low <= exact <= row.high
    assert row.high - row.low < 1e-5 * exact


def test_infinite_fourth_moments_turn_controls_off_with_a_reason():
    system = System(
        servers=64,
        utilisation=0.5,
        classes=[JobClass(name="a", need=1, share=1, duration=Pareto(shape=3.5, minimum=1))],
    )
    assert "fourth moment" in why_no_controls(system)
    result = msj.simulate(system, jobs=20_000, seed=1)
    assert any("No control variates" in note and "'a' (pareto) is infinite" in note for note in result.notes)
    assert "variance_reduction" not in result
    plain = msj.simulate(system, jobs=20_000, seed=1, controls=False)
    assert not any("control" in note for note in plain.notes)


@pytest.mark.parametrize("jobs", [19_997, 23_456, 31_013])
def test_pieces_that_batches_leave_out_are_left_out_of_the_fit_too(jobs):
    for replications in (1, 3, 7):
        system = cluster("server-filling").replace(utilisation=0.5)
        result = msj.simulate(system, jobs=jobs, seed=1, replications=replications)
        assert result.row("mean_response_time").low is not None


def test_a_probability_that_controls_would_put_beyond_one_stays_plain(monkeypatch):
    system = msj.read("examples/two_servers.toml").replace(load=0.9)
    plain = msj.simulate(system, jobs=100_000, seed=1, controls=False)["waiting_probability"]
    honest = estimates.remainder

    def beyond_one(*given):  # as if the controls said that more than everybody waits
        found = honest(*given)
        return None if found is None else dataclasses.replace(found, shift=abs(found.shift) + 1e6)

    monkeypatch.setattr(estimates, "remainder", beyond_one)
    row = msj.simulate(system, jobs=100_000, seed=1).row("waiting_probability")
    assert row.value == plain
    assert row.low < row.value < row.high <= 1
