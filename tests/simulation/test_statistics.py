"""Sketches, tallies, batches and the sign that a queue runs away."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.engines.completed import Completed
from msj.simulation.estimates import batches_of, ratio_interval
from msj.simulation.growth import growth_rate
from msj.simulation.sketch import BINS, RELATIVE_ERROR, Sketch, first_bin
from msj.simulation.tally import COLUMNS, Counter, Tally


def jobs(response, waiting, job_class=None, preemptions=None):
    response, waiting = np.asarray(response, float), np.asarray(waiting, float)
    count = len(response)
    return Completed(
        number=np.arange(count),
        arrival=np.zeros(count),
        job_class=np.zeros(count, np.int64) if job_class is None else np.asarray(job_class),
        need=np.full(count, 3),
        duration=response - waiting,
        start=waiting,
        finish=response,
        preemptions=None if preemptions is None else np.asarray(preemptions),
    )


def count(*parts, classes=1):
    counter = Counter(classes=classes, lowest=first_bin(1.0))
    for part in parts:
        counter.add(part)
    return counter.take(time=1.0, wasted_area=0.0, present=0.0)


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=200), st.sampled_from([1, 50, 90, 99.9, 100]))
def test_percentiles_within_the_stated_error(values, level):
    sketch = count(jobs(values, np.zeros(len(values)))).response[0]
    exact = np.percentile(values, level, method="inverted_cdf")
    assert sketch.percentile(level) == pytest.approx(exact, rel=RELATIVE_ERROR * (1 + 1e-12))


def test_values_off_the_scale_are_kept_at_its_ends():
    tally = count(jobs([1.0, 1e300], [0.0, 1e-30]))
    assert tally.waiting[0].bins.tolist() == [0]
    assert tally.waiting[0].percentile(50) == 0.0
    assert tally.response[0].bins[-1] == BINS - 1
    assert math.isnan(Sketch.of(0, np.zeros(BINS, np.int64)).percentile(50))


def test_tallies_of_parts_add_up():
    rng = np.random.default_rng(1)
    response, share = rng.exponential(2, 500), rng.random(500)
    kind = rng.integers(0, 2, 500)
    both = count(jobs(response, response * share, kind), classes=2)
    first = count(jobs(response[:200], (response * share)[:200], kind[:200]), classes=2)
    second = count(jobs(response[200:], (response * share)[200:], kind[200:]), classes=2)
    added = Tally.total([first, second])
    np.testing.assert_allclose(added.sums, both.sums)
    for a, b in zip(added.response + added.waiting, both.response + both.waiting, strict=True):
        assert np.array_equal(a.bins, b.bins)
        assert np.array_equal(a.counts, b.counts)


def test_columns_by_hand():
    tally = count(jobs([3.0, 2.0, 5.0], [1.0, 0.0, 1.0], preemptions=[0, 0, 2]))
    assert dict(zip(COLUMNS, tally.sums[0].tolist(), strict=True)) == pytest.approx(
        {
            "jobs": 3,
            "response": 10,
            "waiting": 1 + 0 + 1,
            "waited": 2,
            "work": 3 * (2 + 2 + 4),
            "slowdown": 3 / 2 + 1 + 5 / 4,
            "preemptions": 2,
        }
    )
    # A preempted job that started at once waits while it is stopped: 5 - 4 - 0.
    stopped = jobs([5.0], [0.0], preemptions=[1])
    late = Completed(**{**stopped.__dict__, "duration": np.array([4.0])})
    assert count(late).column("waiting") == pytest.approx(1.0)
    assert count(late).column("waited") == 0


def test_ratio_interval_by_hand():
    value, half = ratio_interval(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    assert value == 2.0
    assert half == pytest.approx(12.706204736 * math.sqrt(2) / math.sqrt(2))
    assert math.isnan(ratio_interval(np.array([1.0]), np.array([1.0]))[1])
    assert math.isnan(ratio_interval(np.zeros(3), np.zeros(3))[0])


def test_ratio_intervals_cover():
    # Truth 2 in 2000 experiments of 20 batches each: 95 % +- 2.2 % has a false alarm rate below 1e-5.
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(2000):
        below = rng.exponential(1, 20) + 5
        value, half = ratio_interval(2 * below + rng.normal(0, 1, 20), below)
        hits += abs(value - 2) <= half
    assert hits / 2000 == pytest.approx(0.95, abs=0.022)


def tally_of(present, response=1.0):
    sums = np.zeros((1, len(COLUMNS)))
    sums[0, :2] = 1.0, response
    empty = (Sketch.of(0, np.zeros(4, np.int64)),)
    return Tally(sums, empty, empty, 1.0, 0.0, present)


def test_warm_up_is_left_out_of_each_replication():
    runs = [[tally_of(0, response=i) for i in range(10)] for _ in range(12)]
    batches = batches_of(runs, 0.2)
    assert len(batches) == 12
    assert batches[0].column("response") == sum(range(2, 10))
    assert len(batches_of(runs[:3], 0.2)) == 24


@given(st.integers(0, 10**6))
def test_growth_is_seen_and_stable_queues_are_left_alone(seed):
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 20, (10, 20))
    growing = np.abs(np.cumsum(steps + 100, axis=1))
    assert growth_rate([[tally_of(n) for n in run] for run in growing]) == pytest.approx(100, abs=15)
    stationary = rng.exponential(500, (10, 20))
    assert growth_rate([[tally_of(n) for n in run] for run in stationary]) is None
    filling = 500 * np.sqrt(np.arange(1, 21)) + rng.normal(0, 50, (10, 20))
    assert growth_rate([[tally_of(n) for n in run] for run in filling]) is None
