"""Sketches, records, batches, intervals and the sign that a queue runs away."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from msj import Exponential, JobClass, System
from msj.engines.completed import Completed
from msj.simulation.growth import growth_rate
from msj.simulation.intervals import Variance, mean_interval, pooled, probability_interval, student_interval
from msj.simulation.percentile_interval import percentile_intervals
from msj.simulation.plan import Pace, Plan
from msj.simulation.reading import batches_of, read
from msj.simulation.record import SPARSE, Record
from msj.simulation.sketch import BINS, RELATIVE_ERROR, Sketch, first_bin
from msj.simulation.tally import COLUMNS, Tally


def jobs(response, waiting, job_class=None, preemptions=None, first=0):
    response, waiting = np.asarray(response, float), np.asarray(waiting, float)
    count = len(response)
    return Completed(
        number=first + np.arange(count),
        arrival=np.zeros(count),
        job_class=np.zeros(count, np.int64) if job_class is None else np.asarray(job_class),
        need=np.full(count, 3),
        duration=response - waiting,
        start=waiting,
        finish=response,
        preemptions=None if preemptions is None else np.asarray(preemptions),
    )


def end(record, clock):
    record.end_piece(clock=clock, skipped=0.0, wasted_area=0.0, present=0.0)


def count(part, classes=1):
    """All jobs in one piece."""
    record = Record(classes=classes, lowest=first_bin(1.0), warm_up=0, piece=len(part))
    end(record, 0.0)
    record.add(part, math.inf)
    end(record, 1.0)
    return record.tallies(1)[0]


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=200), st.sampled_from([1, 50, 90, 99.9, 100]))
def test_percentiles_within_the_stated_error(values, level):
    sketch = count(jobs(values, np.zeros(len(values)))).response
    exact = np.percentile(values, level, method="inverted_cdf")
    assert sketch.percentile(level) == pytest.approx(exact, rel=2 * RELATIVE_ERROR * (1 + 1e-12))


def test_values_off_the_scale_are_kept_at_its_ends():
    tally = count(jobs([1.0, 1e300], [0.0, 1e-30]))
    assert tally.waiting.bins.tolist() == [0]
    assert tally.waiting.percentile(50) == 0.0
    assert tally.response.bins[-1] == BINS - 1
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
    at_ends = Tally.total([replace(first, present=3.0), replace(second, present=5.0)])
    assert at_ends.present == 5.0  # at the end of the last
    for a, b in ((added.response, both.response), (added.waiting, both.waiting)):
        assert np.array_equal(a.bins, b.bins)
        assert np.array_equal(a.counts, b.counts)
        assert a.of_class(0).counts.sum() + a.of_class(1).counts.sum() == a.of_all().counts.sum() == 500


def test_columns_by_hand():
    tally = count(jobs([3.0, 2.0, 5.0], [1.0, 0.0, 1.0], preemptions=[0, 0, 2]))
    assert dict(zip(COLUMNS, tally.sums[0].tolist(), strict=True)) == pytest.approx(
        {
            "jobs": 3,
            "response": 10,
            "waiting": 1 + 0 + 1,
            "waited": 2,
            "slowdown": 3 / 2 + 1 + 5 / 4,
            "preemptions": 2,
        }
    )
    assert tally.response.sum_of_squares() == pytest.approx(9 + 4 + 25, rel=2 / 128)  # within half a bin
    assert tally.waiting.sum_of_squares() == pytest.approx(2, rel=2 / 128)
    # A preempted job that started at once waits while it is stopped: 5 - 4 - 0.
    stopped = jobs([5.0], [0.0], preemptions=[1])
    late = Completed(**{**stopped.__dict__, "duration": np.array([4.0])})
    assert count(late).column("waiting") == pytest.approx(1.0)
    assert count(late).column("waited") == 0


def served(number, start, finish, need):
    return Completed(
        number=np.array([number]),
        arrival=np.array([start]),
        job_class=np.zeros(1, np.int64),
        need=np.array([need]),
        duration=np.array([finish - start]),
        start=np.array([start]),
        finish=np.array([finish]),
    )


@pytest.mark.parametrize("ahead", [True, False], ids=["told ahead", "told when done"])
def test_jobs_count_where_they_arrive_and_service_when_it_is_done(ahead):
    # Two jobs of warm-up at times 1 and 2, then pieces of two: arrivals at 3, 4 | 6, 8 | 10, 12.
    arrivals = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    finishes = [2.0, 5.0, 9.0, 4.5, 7.0, 11.0, 12.0, 13.0]
    record = Record(classes=1, lowest=first_bin(1.0), warm_up=2, piece=2)
    left = dict(enumerate(zip(arrivals, finishes, strict=True)))
    for number, now in enumerate(arrivals):
        done = [number] if ahead else [n for n, (_, finish) in left.items() if n < number and finish <= now]
        for n in done:
            record.add(served(n, *left.pop(n), need=2), now)
        if number % 2:
            end(record, now)
    for n, span in left.items():
        record.add(served(n, *span, need=2), 13.0)
    assert record.left_of(3) == 0
    tallies = record.tallies(3)
    assert [tally.column("jobs") for tally in tallies] == [2, 2, 2]
    assert [tally.column("response") for tally in tallies] == [6 + 0.5, 1 + 3, 2 + 1]
    assert [tally.time for tally in tallies] == [2, 4, 4]
    assert [tally.response.counts.sum() for tally in tallies] == [2, 2, 2]

    def overlap(low, high):
        spans = zip(arrivals, finishes, strict=True)
        return 2 * sum(max(min(finish, high) - max(start, low), 0.0) for start, finish in spans)

    assert [tally.busy_area for tally in tallies] == pytest.approx([overlap(2, 4), overlap(4, 8), overlap(8, 12)])


@pytest.mark.parametrize("pieces", [3, 4, 5])
@pytest.mark.parametrize("dense", [True, False])
def test_two_pieces_merge_to_one_even_half_way(dense, pieces, monkeypatch):
    monkeypatch.setattr("msj.simulation.record.SPARSE", math.inf if dense else 0)
    response = np.random.default_rng(1).exponential(1, 20)
    whole, merged = (Record(classes=1, lowest=first_bin(1.0), warm_up=0, piece=piece) for piece in (4, 2))
    for record in (whole, merged):
        end(record, 0.0)
        for number in range(20):
            record.add(jobs(response[number : number + 1], [0.0], first=number), math.inf)
            if (number + 1) % record.piece == 0:
                end(record, number + 1.0)
            if record is merged and number + 1 == 2 * pieces:  # of 3 or 5, half of the last new one has arrived
                record.merge()
    for a, b in zip(whole.tallies(5), merged.tallies(5), strict=True):
        np.testing.assert_allclose(a.sums, b.sums)
        assert a.time == b.time
        assert np.array_equal(a.response.bins, b.response.bins)
        assert np.array_equal(a.response.counts, b.response.counts)


def test_jobs_that_leave_late_are_sorted_into_their_pieces():
    """Three jobs of each of three pieces leave when all have arrived, in any order."""
    record = Record(classes=1, lowest=first_bin(1.0), warm_up=0, piece=3)
    end(record, 0.0)
    for piece in range(3):
        end(record, piece + 1.0)
    response = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0])
    for number in (8, 0, 4, 7, 2, 3, 1, 6, 5):
        record.add(jobs(response[number : number + 1], [0.0], first=number), math.inf)
    for piece, tally in enumerate(record.tallies(3)):
        alone = Record(classes=1, lowest=first_bin(1.0), warm_up=0, piece=3)
        end(alone, 0.0)
        alone.add(jobs(response[3 * piece : 3 * piece + 3], [0.0] * 3), math.inf)
        end(alone, 1.0)
        assert np.array_equal(tally.response.bins, alone.tallies(1)[0].response.bins)
        assert tally.response.counts.sum() == 3


@pytest.mark.parametrize("classes", [1, 3, 100])
def test_a_histogram_of_every_class_is_kept_only_where_jobs_are_many_enough(classes):
    enough = classes * BINS // SPARSE
    many, few = (Record(classes=classes, lowest=0, warm_up=0, piece=piece) for piece in (enough, enough - 1))
    assert (many.dense, few.dense) == (True, False)
    assert many.histograms.nbytes == 2 * classes * BINS * 4  # waiting and response, four bytes each
    assert few.histograms.nbytes == 0


def test_student_interval_by_hand():
    value, low, high = student_interval(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    assert value == 2.0
    assert high - value == pytest.approx(12.706204736) == value - low


def test_ratio_intervals_cover():
    # Truth 2 in 2000 experiments of 20 batches each: 95 % +- 2.2 % has a false alarm rate below 1e-5.
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(2000):
        below = rng.exponential(1, 20) + 5
        _, low, high = student_interval(2 * below + rng.normal(0, 1, 20), below)
        hits += low <= 2 <= high
    assert hits / 2000 == pytest.approx(0.95, abs=0.022)


def test_theory_counts_as_much_as_it_is_worth():
    both = pooled(0.015, 11, 0.01)
    assert (both.value, both.freedom) == pytest.approx(((10 * 0.015 + 60 * 0.01) / 70, 70))
    assert pooled(0.03, 11, 0.01) == Variance(0.03, 10)  # the batches contradict it
    assert pooled(1e-6, 11, 1e-6).freedom == pytest.approx(10, abs=0.1)  # and need no help
    low, high = mean_interval(10.0, Variance(0.01, 1e9))
    assert (low, high) == pytest.approx((10 * math.exp(-0.196), 10 * math.exp(0.196)), rel=1e-3)


@pytest.mark.parametrize("expected", [0.0, 3.0, 30.0])
def test_probability_intervals_are_wilsons(expected):
    # n trials, k seen: the interval of p solves (k/n - p)² = z² p/n, Wilson's for rare events.
    n = 1000.0
    seen = expected / n
    variance = Variance(1.0 / n if seen == 0 else 1.0 / expected, 1e9)
    low, high = probability_interval(seen, variance)
    assert low <= seen < high
    for p in (low, high):
        assert (seen - p) ** 2 == pytest.approx(stdtrit(1e9, 0.975) ** 2 * p / n, rel=1e-6)


def test_an_interval_of_a_percentile_by_hand():
    """Twenty equal batches of a hundred values, one in each bin: only what theory says of the spread is left.

    It says p(1 − p)/400, and is worth 2000 · (1 − p)/400/p = 5 degrees of freedom beside the 19 of the batches.
    """
    histogram = np.zeros(BINS)
    histogram[500:600] = 1
    sketch = Sketch.of(first_bin(1.0), histogram)
    ((low, high),) = percentile_intervals([sketch] * 20, (50,), 400.0)
    half = stdtrit(24, 0.975) * math.sqrt(5 / 24 * 0.25 / 400)
    ends, beyond = sketch.edges(np.arange(501, 601)), 0.99 - np.arange(100) / 100
    assert low == pytest.approx(float(np.interp(-0.5 - half, -beyond, ends)), rel=1e-9)
    assert high == pytest.approx(float(np.interp(-0.5 + half, -beyond, ends)), rel=1e-9)


def test_percentile_intervals_cover():
    # Independent exponential values, one memory each: 500 experiments, coverage 95 % +- 3.9 % (4 standard errors).
    rng = np.random.default_rng(3)
    exact = -np.log(1 - np.array([0.5, 0.95, 0.99]))
    hits = np.zeros(3)
    for _ in range(500):
        batches = [count(jobs(row, np.zeros(200))).response for row in rng.exponential(1, (20, 200))]
        found = percentile_intervals(batches, (50, 95, 99), 4000.0)
        hits += [low <= x <= high for (low, high), x in zip(found, exact, strict=True)]
    assert np.all(np.abs(hits / 500 - 0.95) < 0.039), hits
    assert percentile_intervals(batches, (99.95,), 4000.0) == [None]  # two exceedances are too few


def tally_of(response):
    sums = np.zeros((1, len(COLUMNS)))
    sums[0, :2] = 1.0, response
    empty = Sketch.of(0, np.zeros(4, np.int64))
    return Tally(sums, empty, empty, 1.0, 0.0, 0.0, 0.0, np.empty(0), np.empty(0), np.empty(0))


def test_batches_are_equal_stretches_of_several_memories():
    runs = [[tally_of(response=i) for i in range(60)] for _ in range(2)]
    assert len(batches_of(runs, 1e6)) == 30
    assert len(batches_of(runs, 120.0)) == 12
    assert len(batches_of(runs, 20.0)) == 8
    assert batches_of(runs, 120.0)[0].column("response") == sum(range(10))


@pytest.mark.parametrize("pieces", range(1, 60))
def test_pieces_and_batches_count_the_same_jobs(pieces):
    runs = [[tally_of(response=i) for i in range(pieces)] for _ in range(4)]
    one = JobClass(name="all", need=1, share=1, duration=Exponential(mean=1))
    pace = Pace(memory=0.7, settling=0.0, long_jobs=0.0, known=True)
    found = read(System(servers=1, classes=[one]), 0.5, pace, runs, warm_up=0, threshold=1.0)
    assert len(found.pieces) % len(found.batches) == 0
    for column in ("jobs", "response"):
        assert sum(t.column(column) for t in found.pieces) == sum(t.column(column) for t in found.batches)


@pytest.mark.parametrize("asked", [1, 7, 100, 20_000, 10**6])
def test_plans_simulate_what_is_asked(asked):
    plan = Plan.of(asked, Pace(memory=10.0, settling=30.0, long_jobs=0.0, known=True))
    assert asked <= plan.jobs < asked + plan.replications
    assert plan.replications in (1, 2, 4)


@given(st.integers(0, 10**6))
def test_growth_is_seen_and_stable_queues_are_left_alone(seed):
    rng = np.random.default_rng(seed)
    time = np.ones((10, 20))
    growing = np.abs(np.cumsum(rng.normal(100, 20, (10, 20)), axis=1))
    assert growth_rate(growing, time) == pytest.approx(100, abs=15)
    assert growth_rate(growing, time, in_service=2_400.0) is None  # a cluster that fills up
    assert growth_rate(rng.exponential(500, (10, 20)), time) is None
    filling = 500 * np.sqrt(np.arange(1, 21)) + rng.normal(0, 50, (10, 20))
    assert growth_rate(filling, time) is None
