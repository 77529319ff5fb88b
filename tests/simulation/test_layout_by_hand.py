"""How a run is cut up, what of it counts, and when its queue runs away: numbers small enough to be counted."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from msj import Deterministic, Exponential, JobClass, Lognormal, Pareto, System
from msj.model.spec_file import from_document
from msj.simulation.growth import growth_rate
from msj.simulation.known import Known
from msj.simulation.plan import Pace, Plan, said
from msj.simulation.reading import Reading, read, stretches_of, with_queue
from msj.simulation.sketch import Sketch
from msj.simulation.tally import COLUMNS, Tally

# Mean work 3/4 · 2 + 1/4 · 12 = 4.5, E[X²] = 3/4 · 8 + 1/4 · 9 · 16 = 42; the longest duration is 4.
CLUSTER = System(
    servers=6,
    classes=[
        JobClass(name="small", need=1, share="3/4", duration=Exponential(mean=2)),
        JobClass(name="large", need=3, share="1/4", duration=Deterministic(value=4)),
    ],
)


def pace_of(memory=10.0, settling=0.0, long_jobs=0.0, known=True, cycle=0.0):
    return Pace(memory=memory, settling=settling, long_jobs=long_jobs, known=known, cycle=cycle)


def test_what_a_system_asks_for_in_jobs():
    memory = 4 + 2 * 42 / (0.5 * 4.5) ** 2
    found = Pace.of(CLUSTER, 0.5, Known(stability_threshold=1.0))
    assert (found.memory, found.settling) == pytest.approx((0.5 * memory, 0.5 * (20 + 2 * (memory - 4))))
    assert (found.long_jobs, found.known, found.cycle) == (0.0, True, 0.0)
    naive = 4 + 2 * 4 / 3 * 42 / 3.75**2
    unknown = Pace.of(CLUSTER, 0.5)
    assert (unknown.memory, unknown.known) == (pytest.approx(0.5 * naive), False)
    heavy = CLUSTER.replace(classes=[c.replace(duration=Lognormal(mean=4, cv=2)) for c in CLUSTER.classes])
    # All of one law: E[X⁴]/E[X²]² of those that need three servers, and at 0.7 of the way nobody else holds up.
    wanted = 81 / 4 * 4**4 * 5**6 / (80 * (3 / 4 + 9 / 4)) ** 2 - 6
    assert Pace.of(heavy, 0.7, Known(stability_threshold=0.95)).long_jobs == pytest.approx(wanted)


def test_arrivals_by_a_clock_have_a_cycle_and_theory_is_not_sure_of_them():
    system = from_document(
        {
            "servers": 2,
            "classes": [{"name": "all", "need": 1, "share": 1, "duration": {"law": "exponential", "mean": 2}}],
            "arrivals": {"law": "daily", "rates": [1, 3], "cycle": 24},
        }
    )
    found = Pace.of(system, 0.5, Known(stability_threshold=1.0))
    assert (found.cycle, found.known) == (12.0, False)


def test_how_many_jobs_are_enough():
    """20 memories, or 60 where the threshold is not known, or five times what long jobs ask; 2 % of warm-up on top."""
    assert pace_of(10.0, 30.0, 100.0).enough == pytest.approx((500 + 30) * 1.02)
    assert pace_of(10.0, 30.0, 30.0).enough == pytest.approx((200 + 30) * 1.02)
    assert pace_of(10.0, 30.0, 100.0, known=False).enough == pytest.approx((600 + 30) * 1.02)
    assert (pace_of().least_memories, pace_of(known=False).least_memories) == (20.0, 60.0)


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        *((0.3, "1"), (7, "7"), (9.2, "10"), (10, "10"), (99.2, "100"), (100, "100"), (101, "110"), (110, "110")),
        *((1234, "1,300"), (120_000, "120,000"), (120_001, "130,000"), (math.inf, "infinitely many")),
    ],
)
def test_numbers_of_jobs_are_rounded_up_to_two_digits(jobs, words):
    assert said(jobs) == words


@pytest.mark.parametrize(
    ("jobs", "pace", "options", "layout"),  # layout: replications, warm-up, jobs of a piece, pieces
    [
        # Several replications where all their warm-ups cost a twentieth at most, and each has 120 jobs.
        (20_000, {"settling": 250.0}, {}, (4, 260, 158, 30)),  # 250, and 10 that 30 pieces leave over
        (20_000, {"settling": 250.1}, {}, (2, 280, 162, 60)),
        (20_000, {"settling": 500.0}, {}, (2, 520, 158, 60)),
        (20_000, {"settling": 500.1}, {}, (1, 560, 162, 120)),
        (480, {}, {}, (4, 30, 3, 30)),
        (479, {}, {}, (2, 60, 3, 60)),
        (240, {}, {}, (2, 60, 1, 60)),
        (239, {}, {}, (1, 119, 1, 120)),
        # At most half is warm-up: 501 of 1001.
        (1001, {"settling": 1e9}, {}, (1, 521, 4, 120)),
        (1, {}, {}, (1, 0, 1, 1)),
        (2, {"settling": 9.0}, {}, (1, 1, 1, 1)),
        # Somebody insists.
        (1000, {"settling": 99.0}, {"replications": 1, "warm_up": 0.25}, (1, 280, 6, 120)),
        (1, {}, {"warm_up": 0.5}, (1, 0, 1, 1)),
        (2, {}, {"warm_up": 0.5}, (1, 1, 1, 1)),
        (1000, {}, {"replications": 3}, (3, 14, 8, 40)),
        (1000, {}, {"replications": 4}, (4, 10, 8, 30)),
        (1000, {}, {"replications": 5}, (5, 8, 8, 24)),  # pieces of each divide by four
        (1000, {}, {"replications": 7}, (7, 3, 7, 20)),
        (200, {}, {"replications": 200}, (200, 0, 1, 1)),
        # Whole cycles, of 900 counted jobs.
        (1000, {"cycle": 50.0}, {"replications": 1, "warm_up": 0.1}, (1, 100, 50, 18)),
        (1000, {"cycle": 900.0}, {"replications": 1, "warm_up": 0.1}, (1, 100, 900, 1)),
        (1000, {"cycle": 901.0}, {"replications": 1, "warm_up": 0.1}, (1, 160, 7, 120)),
        (1000, {"cycle": 7.0}, {"replications": 1, "warm_up": 0.1}, (1, 160, 7, 120)),
        (1000, {"cycle": 3.0}, {"replications": 1, "warm_up": 0.1}, (1, 280, 6, 120)),
        (1000, {"cycle": 0.8}, {"replications": 1, "warm_up": 0.1}, (1, 280, 6, 120)),  # 8 cycles are 6.4 jobs
    ],
)
def test_layouts(jobs, pace, options, layout):
    found = Plan.of(jobs, pace_of(**pace), **options)
    assert (found.replications, found.warm_up, found.piece, found.pieces) == layout
    replications, warm_up, piece, pieces = layout
    assert found.jobs == replications * (warm_up + piece * pieces)


# What counts.


@pytest.mark.parametrize(
    ("pieces", "runs", "memories", "size", "first"),
    [
        (60, 2, 1e6, 4, 0),  # thirty batches at most
        (60, 2, 300.0, 4, 0),
        (60, 1, 310.0, 2, 0),
        (60, 2, 160.0, 10, 0),  # 16 batches of ten memories: of each run 8, or rather 6, which leave out none
        (60, 2, 20.0, 15, 0),  # eight at least
        (23, 4, 1e6, 3, 2),  # of 4 to 7 batches of each run 7 leave out fewest: 2
        (20, 4, 1e6, 4, 0),  # 4 and 5 leave out none: more batches
        (5, 1, 1e6, 1, 0),
        (3, 40, 1e6, 3, 0),
    ],
)
def test_pieces_of_a_batch(pieces, runs, memories, size, first):
    numbers = [[100 * run + i for i in range(pieces)] for run in range(runs)]
    found = stretches_of(numbers, memories)
    wanted = [run[i : i + size] for run in numbers for i in range(first, pieces, size)]
    assert found == wanted


def tally(jobs=10.0, waiting=30.0, waited=2.5):
    sums = np.zeros((2, len(COLUMNS)))
    for name, value in (("jobs", jobs), ("waiting", waiting), ("waited", waited)):
        sums[:, COLUMNS.index(name)] = 0.25 * value, 0.75 * value
    empty = Sketch.of(0, np.zeros(4, np.int64))
    return Tally(sums, empty, empty, 1.0, 0.0, 0.0, 0.0, np.empty(0), np.empty(0), np.empty(0))


# A quarter waits, 3 on average: work of 0.5 · 3 · 4.5/0.25 = 27 waits; V = 4/3 · 42 = 56; in jobs, at rate 0.5:
SEEN = 0.5 * (4 + 8 * 27**2 / 56)  # 54.07


def test_the_queue_that_was_seen_asks_for_more():
    found = with_queue(CLUSTER, 0.5, pace_of(20.0, 7.0, 3.0, known=False), [[tally()] * 3, [tally()]])
    assert (found.memory, found.settling) == pytest.approx((SEEN, 2 * (SEEN - 20)))
    assert (found.long_jobs, found.known) == (3.0, False)
    more = with_queue(CLUSTER, 0.5, pace_of(100.0, 7.0), [[tally()]])
    assert (more.memory, more.settling) == (100.0, 7.0)
    late = with_queue(CLUSTER, 0.5, pace_of(20.0, 777.0), [[tally()]])
    assert (late.memory, late.settling) == (pytest.approx(SEEN), 777.0)
    nobody = pace_of(20.0, 7.0)
    assert with_queue(CLUSTER, 0.5, nobody, [[tally(0.0, 0.0, 0.0)]]) is nobody


@pytest.mark.parametrize(
    ("warm_up", "waiting", "insisted", "kept", "settled"),
    [
        # The queue asks for 2 · (54.07 − 20) = 68.1 jobs of warm-up; pieces have 10 in each run.
        (70, 30.0, False, 24, True),
        (50, 30.0, False, 21, True),  # two pieces more, a twelfth; three batches of each run take 21 of 22
        (40, 30.0, False, 21, True),  # two, and then one
        (0, 30.0, False, 16, True),  # 2, then one after the other down to 17, of which eight batches take 16
        (0, 30.0, True, 24, True),  # nothing more is left out
        (0, 3000.0, False, 12, False),  # half of the run, and that is too little
    ],
)
def test_further_pieces_are_left_out_until_the_queue_is_forgotten(warm_up, waiting, insisted, kept, settled):
    runs = [[tally(waiting=waiting) for _ in range(24)] for _ in range(2)]
    found = read(
        CLUSTER, 0.5, pace_of(20.0, 7.0, known=False), runs, warm_up=warm_up, threshold=None, insisted=insisted
    )
    assert (found.jobs, found.settled, found.runs) == (20 * kept, settled, 2)
    assert len(found.pieces) == 2 * kept
    assert all(found.pieces[-i] is runs[1][-i] for i in range(1, kept + 1))


def test_what_is_read_where_the_threshold_is_known():
    runs = [[tally() for _ in range(24)]]
    for warm_up, settled in ((998, False), (999, True), (1000, True)):
        found = read(CLUSTER, 0.5, pace_of(20.0, 1000.0), runs, warm_up=warm_up, threshold=1.0)
        assert (found.jobs, found.settled, found.pace) == (240, settled, pace_of(20.0, 1000.0))
        assert (found.memories, len(found.batches), found.no_variance) == (12.0, 8, None)
    one = read(CLUSTER, 0.5, pace_of(20.0, 7.0, known=False), [[tally()]], warm_up=0, threshold=None)
    assert (len(one.pieces), one.settled) == (1, False)
    heavy = CLUSTER.replace(classes=[c.replace(duration=Pareto(shape="3/2", minimum=1)) for c in CLUSTER.classes])
    found = read(heavy, 0.5, pace_of(), runs, warm_up=0, threshold=None)
    assert found.no_variance.startswith("durations of class 'small' (pareto) have infinite variance")


@pytest.mark.parametrize(
    ("change", "enough"),
    [
        ({}, True),
        ({"jobs": 199.0}, False),  # 20 memories of 10
        ({"batches": 7}, False),
        ({"settled": False}, False),
        ({"long_jobs": 40.0}, True),  # 5 · 40
        ({"long_jobs": 41.0}, False),
        ({"long_jobs": 41.0, "no_variance": "why"}, True),
        ({"known": False}, False),
        ({"known": False, "jobs": 600.0}, True),
    ],
)
def test_when_intervals_may_be_given(change, enough):
    given = {
        "jobs": 200.0,
        "batches": 8,
        "settled": True,
        "long_jobs": 0.0,
        "known": True,
        "no_variance": None,
    } | change
    pace = pace_of(10.0, 0.0, given["long_jobs"], given["known"])
    batches = [tally()] * given["batches"]
    reading = Reading(batches, batches, pace, given["jobs"], given["settled"], given["no_variance"])
    assert reading.long_enough is enough
    assert reading.runs == 1


# Queues that run away.


def line(pieces, start, step):
    return [[start + step * i for i in range(1, pieces + 1)]]


def test_growth_is_counted_after_the_first_quarter():
    """Eight pieces: the jobs that came in the last six, over the time of these."""
    times = [[9.0, 9.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0]]
    assert growth_rate(line(8, 0.0, 100.0), times) == pytest.approx(600 / 15)
    assert growth_rate(line(7, 0.0, 100.0), [times[0][:7]]) is None
    both = growth_rate([*line(8, 0.0, 100.0), *line(8, 0.0, 110.0)], [times[0], [1.0] * 8])
    assert both == pytest.approx((600 + 660) / (15 + 6))


def test_pieces_are_put_together_where_there_are_more_than_thirty():
    """31 pieces make 15 pairs, and the last is left out: 100 jobs a piece from the third pair on, of times 7 to 30."""
    times = [list(map(float, range(1, 32)))]
    assert growth_rate(line(31, 0.0, 100.0), times) == pytest.approx(2400 / sum(range(7, 31)))
    assert growth_rate(line(30, 0.0, 100.0), [times[0][:30]]) == pytest.approx(2300 / sum(range(8, 31)))


@pytest.mark.parametrize(
    ("before", "limit"),
    [
        # Numbers in the middle of the second and last quarter, start + 3.5 and 7.5 steps, at the times 3 and 7.
        (0.0, (7.5 - (7 / 3) ** 0.7 * 3.5) / ((7 / 3) ** 0.7 - 1)),
        (5.0, (7.5 - (12 / 8) ** 0.7 * 3.5) / ((12 / 8) ** 0.7 - 1)),
    ],
)
def test_a_queue_that_fills_up_grows_by_less_than_a_line(before, limit):
    times = [[2.0] * 8]
    assert growth_rate(line(8, 0.99 * limit * 100, 100.0), times, before=before) == pytest.approx(50.0)
    assert growth_rate(line(8, 1.01 * limit * 100, 100.0), times, before=before) is None


def test_before_counts_in_pieces_that_are_put_together():
    """60 pieces in pairs: 7 pairs in a quarter, whose middles are at 10.5 and 26.5 without what came before."""
    begun = 8 / 2
    power = ((begun + 26.5) / (begun + 10.5)) ** 0.7
    # Means of the pairs 8 to 14 and 24 to 30, two pieces each: 22 and 54 steps.
    limit = (54 - power * 22) / (power - 1)
    times = [[2.0] * 60]
    assert growth_rate(line(60, 99 * limit, 100.0), times, before=8.0) == pytest.approx(50.0)
    assert growth_rate(line(60, 101 * limit, 100.0), times, before=8.0) is None


def test_small_numbers_and_jobs_in_service_decide_nothing():
    times = [[1.0] * 8]
    step = 100 / 7.5  # the last quarter has 100 jobs
    assert growth_rate(line(8, 0.0, 1.001 * step), times) == pytest.approx(1.001 * step)
    assert growth_rate(line(8, 0.0, 0.999 * step), times) is None
    assert growth_rate(line(8, 40.0, 1.001 * step), times, in_service=40.0) == pytest.approx(1.001 * step)
    # Up to 220 all are in service: 0, 0, 80, 180, ..., 580 wait.
    assert growth_rate(line(8, 0.0, 100.0), times, in_service=220.0) == pytest.approx(580 / 6)
    # Up to 500 all are in service: 8 pieces of 100 bring 300 jobs who wait, within the last six.
    assert growth_rate(line(8, 0.0, 100.0), times, in_service=500.0) is None  # steps of 0 and 100 may be chance


def test_increments_that_chance_alone_could_bring():
    """Six steps of 100 ± e have the standard error e/sqrt(5); Student's quantile says how far that goes."""
    most = 100 * 5**0.5 / stdtrit(5, 1 - 1e-5)
    for e, found in ((0.99 * most, True), (1.01 * most, False)):
        steps = [100, 100, *([100 + e, 100 - e] * 3)]
        growth = growth_rate([np.cumsum(steps)], [[2.0] * 8])
        assert (growth is not None) is found
