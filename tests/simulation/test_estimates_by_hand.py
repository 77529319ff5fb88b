"""Rows of a run that is made up: eight batches whose sums are written down, so that every row can be worked out.

Six servers, rate 1/2; 3/4 of the jobs are small (2 long), 1/4 large (4 long): 2.5 on average. Each batch has 22 small
and 8 large jobs and lasts 60; batches differ from their middle by turns.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from msj import Deterministic, Exponential, JobClass, Pareto, System
from msj.model.spec_file import from_document
from msj.simulation.controlled import remainder
from msj.simulation.estimates import Estimates, adds_up, groups_of, relative_half_width
from msj.simulation.intervals import (
    Variance,
    batch_variance,
    mean_interval,
    pooled,
    probability_interval,
    remaining,
    student_interval,
)
from msj.simulation.long_memory import inflation
from msj.simulation.long_spells import LongSpells
from msj.simulation.percentile_interval import percentile_intervals
from msj.simulation.plan import Pace
from msj.simulation.reading import Reading
from msj.simulation.sketch import BINS, Sketch, first_bin
from msj.simulation.tally import COLUMNS, Tally

TURNS = np.array([1.0, -1.0, 2.0, -2.0, 1.0, -1.0, 0.5, -0.5])
JOBS = np.array([22.0, 8.0])
RATE = 0.5
LOWEST = first_bin(1.0)
WAITS = Sketch(LOWEST, np.array([0, 3000, 3300, BINS + 3400]), np.array([13, 4, 5, 8]))  # of a batch, two classes
STAYS = Sketch(LOWEST, np.array([3300, BINS + 3500]), np.array([22, 8]))


def cluster(small=None, large=None, **more):
    classes = [
        JobClass(name="small", need=1, share="3/4", duration=small or Deterministic(value=2)),
        JobClass(name="large", need=3, share="1/4", duration=large or Deterministic(value=4)),
    ]
    return System(servers=6, classes=classes, **more)


def batch(turn, waiting=(22.0, 24.0), waited=(11.0, 6.0), busy=150.0, areas=(), by_time_of_day=()):
    sums = np.zeros((2, len(COLUMNS)))
    columns = {
        "jobs": JOBS,
        "response": np.array([66.0, 60.0]) + turn * np.array([2.0, 5.0]),
        "waiting": np.array(waiting) + turn * np.array([2.0, 3.0]) * (waiting[0] > 0),
        "waited": np.array(waited) + turn * np.array([1.0, 0.5]) * (waited[0] > 1),
        "slowdown": np.array([40.0, 20.0]) + turn,
        "preemptions": np.array([3.0, 1.5]) + turn * 0.25,
    }
    for name, values in columns.items():
        sums[:, COLUMNS.index(name)] = values
    return Tally(
        sums,
        WAITS,
        STAYS,
        60.0,
        12.0 + turn,
        busy + 3 * turn,
        5.0,
        np.empty(0),
        np.array(by_time_of_day),
        np.array(areas),
    )


def reading_of(batches, pieces=None, **changes):
    pace = Pace(memory=10.0, settling=0.0, long_jobs=changes.pop("long_jobs", 0.0), known=True)
    given = {"jobs": 30.0 * len(batches), "settled": True, "no_variance": None} | changes
    return Reading(pieces or batches, batches, pace, **given)


def estimates_of(system=None, controls=None, areas=(), options=None, **made):
    return Estimates(
        system or cluster(),
        RATE,
        reading_of([batch(turn, **made) for turn in TURNS], **(options or {})),
        controls=controls,
        areas=areas,
        method="made up",
        citation="nobody",
    )


def found(rows, name, job_class=None, level=None):
    (row,) = [row for row in rows if (row.name, row.job_class, row.level) == (name, job_class, level)]
    return row


def ends(row):
    return row.low, row.value, row.high


GROUPS = [  # name, rate, mean duration, jobs, mean wait, by turns
    (None, 0.5, 2.5, 30.0, 46 / 30, 5.0),
    ("small", 0.375, 2.0, 22.0, 1.0, 2.0),
    ("large", 0.125, 4.0, 8.0, 3.0, 3.0),
]


@pytest.mark.parametrize(("index", "group"), list(enumerate(GROUPS)), ids=["all", "small", "large"])
def test_times_and_numbers(index, group):
    """Of 24 memories in 240 jobs theory gives a mean wait (E[W²]/E[W]² − 1) · (1/24 + 1/jobs), long jobs 3/240.

    For a class that is E[W²]/E[W]² of its own waits, or of all waits if that is more.
    """
    name, rate, duration, jobs, wait, by = group
    made = estimates_of(options={"long_jobs": 3.0})
    rows = list(made.rows(()))
    sketch = WAITS.of_all() if name is None else WAITS.of_class(index - 1)
    squares = sketch.sum_of_squares() / jobs
    spread = max(squares / wait**2, WAITS.of_all().sum_of_squares() / 30 / (46 / 30) ** 2) - 1
    theory = spread * (1 / 24 + 1 / (8 * jobs))
    batches = 8 * np.var(by * TURNS, ddof=1) / (8 * wait * jobs) ** 2
    low, high = mean_interval(wait, pooled(batches, 8, theory, 3 / 240))
    assert low < 0.8 * wait
    assert ends(found(rows, "mean_waiting_time", name)) == pytest.approx((low, wait, high))
    stay = [duration + each for each in (low, wait, high)]
    assert ends(found(rows, "mean_response_time", name)) == pytest.approx(stay)
    assert ends(found(rows, "mean_jobs_in_system", name)) == pytest.approx([rate * each for each in stay])
    assert ends(found(rows, "mean_jobs_waiting", name)) == pytest.approx([rate * each for each in (low, wait, high)])
    row = found(rows, "mean_waiting_time", name)
    assert (row.kind, row.method, row.citation) == ("simulated", "made up", "nobody")
    assert made.mean_response_time() == found(rows, "mean_response_time")


@pytest.mark.parametrize(("waiting", "spread"), [((22.0, 24.0), None), ((44.0, 33.0), None), ((90.0, 90.0), 0.0)])
def test_what_theory_says_of_a_mean(waiting, spread):
    """The squares of the sketches over the square of the mean, less 1: 3.8, then 0.7; never less than nothing."""
    made = estimates_of(waiting=waiting, options={"long_jobs": 6.0})
    found = made.theory(groups_of(made.system, RATE)[0], "waiting")
    if spread is None:
        spread = WAITS.of_all().sum_of_squares() / 30 / (sum(waiting) / 30) ** 2 - 1
        assert spread > 0.5
    assert found == pytest.approx((spread * 11 / 240, 6 / 240))
    assert made.theory(groups_of(made.system, RATE)[0], "waited") is None


def test_rows_come_in_order_and_classes_that_did_not_come_have_none():
    names = [(row.name, row.job_class) for row in estimates_of().rows(())]
    times = [
        "mean_response_time",
        "mean_waiting_time",
        "mean_jobs_in_system",
        "mean_jobs_waiting",
        "waiting_probability",
    ]
    servers = ["utilisation", "idle_servers_while_jobs_wait", "preemptions_per_job", "mean_slowdown"]
    of_all = [(name, None) for name in [*times, *servers]]
    assert names == of_all + [(name, c) for c in ("small", "large") for name in times]
    batches = [batch(turn) for turn in TURNS]
    for each in batches:
        each.sums[1] = 0.0
    rows = list(Estimates(cluster(), RATE, reading_of(batches)).rows((50,)))
    assert {row.job_class for row in rows} == {None, "small"}


def test_groups_of_jobs():
    classes = [
        JobClass(name="a", need=1, share="1/4", duration=Exponential(mean=2)),
        JobClass(name="b", need=1, share=0, duration=Exponential(mean=7)),
        JobClass(name="c", need=2, share="3/4", duration=Exponential(mean=3)),
    ]
    found = groups_of(System(servers=2, classes=classes), 2.0)
    assert [(g.index, g.name, g.rate, g.mean_duration, len(g.classes)) for g in found] == [
        (None, None, 2.0, 2.75, 2),
        (0, "a", 0.5, 2.0, 1),
        (2, "c", 1.5, 3.0, 1),
    ]
    alone = [classes[0].replace(share=1)]
    assert [g.index for g in groups_of(System(servers=2, classes=alone), 2.0)] == [None]


def test_where_servers_are_shared_stays_are_measured():
    system = cluster(policy={"name": "limited-processor-sharing", "limit": 3})
    assert not adds_up(system)
    assert adds_up(cluster())
    rows = list(estimates_of(system).rows(()))
    row = found(rows, "mean_response_time")
    stay = 126 / 30
    theory = (STAYS.of_all().sum_of_squares() / 30 / stay**2 - 1) * (1 / 24 + 1 / 240)
    batches = 8 * np.var(7 * TURNS, ddof=1) / (8 * 126) ** 2
    low, high = mean_interval(stay, pooled(batches, 8, max(theory, 0.0)))
    assert ends(row) == pytest.approx((low, stay, high))
    assert found(rows, "mean_jobs_in_system").value == pytest.approx(RATE * stay)


def test_probabilities_of_waiting():
    """Many that wait tell their spread themselves; where 24 memories hold few of them theory is asked, too."""
    rows = list(estimates_of().rows(()))
    for name, seen, jobs, by in ((None, 17.0, 30.0, 1.5), ("small", 11.0, 22.0, 1.0), ("large", 6.0, 8.0, 0.5)):
        batches = 8 * np.var(by * TURNS, ddof=1) / (8 * seen) ** 2
        low, high = probability_interval(seen / jobs, Variance(batches, 7))
        assert ends(found(rows, "waiting_probability", name)) == pytest.approx((low, seen / jobs, high))
    few = found(estimates_of(waited=(3.0, 6.0)).rows(()), "waiting_probability")
    independent = 1 / (1 / 24 + 1 / 240)  # 21.8, of which 0.3 wait: fewer than ten
    batches = 8 * np.var(1.5 * TURNS, ddof=1) / (8 * 9) ** 2
    variance = pooled(batches, 8, 0.7 / (independent * 0.3))
    low, high = probability_interval(0.3, variance)
    assert ends(few) == pytest.approx((low, 0.3, high))


def test_ten_memories_with_a_wait_are_enough():
    """With independent = 240/11, ten of them wait at 11/24 = 13.75/30."""
    independent = 240 / 11
    for seen, alone in ((13.76, True), (13.74, False)):
        row = found(estimates_of(waited=(seen - 6.0, 6.0)).rows(()), "waiting_probability")
        batches = 8 * np.var(1.5 * TURNS, ddof=1) / (8 * seen) ** 2
        pooled_ = pooled(batches, 8, (1 - seen / 30) / (independent * seen / 30))
        variance = Variance(batches, 7) if alone else pooled_
        assert ends(row)[::2] == pytest.approx(probability_interval(seen / 30, variance))


def test_nobody_waited():
    """At most what 240/11 independent jobs allow, and no longer than the cluster remembers: 10 jobs, at rate 1/2."""
    rows = list(estimates_of(waiting=(0.0, 0.0), waited=(0.0, 0.0)).rows(()))
    _, high = probability_interval(0.0, Variance(11 / 240, 67))
    assert ends(found(rows, "waiting_probability")) == pytest.approx((0.0, 0.0, high))
    assert ends(found(rows, "mean_waiting_time")) == pytest.approx((0.0, 0.0, 20 * high))
    assert ends(found(rows, "mean_response_time")) == pytest.approx((2.5, 2.5, 2.5 + 20 * high))


def test_what_servers_do():
    rows = list(estimates_of().rows(()))
    for name, above, below in (
        ("utilisation", 150 + 3 * TURNS, np.full(8, 360.0)),
        ("idle_servers_while_jobs_wait", 12 + TURNS, np.full(8, 60.0)),
        ("preemptions_per_job", 4.5 + 0.5 * TURNS, np.full(8, 30.0)),
    ):
        value, low, high = student_interval(above, below)
        assert ends(found(rows, name)) == pytest.approx((low, value, high)), name
    # Theory widens slowdowns as it widens waits: by the same factor, and for as many degrees of freedom.
    slow, waits = (8 * np.var(by * TURNS, ddof=1) / total**2 for by, total in ((2, 480), (5, 368)))
    theory = (WAITS.of_all().sum_of_squares() / 30 / (46 / 30) ** 2 - 1) * (1 / 24 + 1 / 240)
    low, high = mean_interval(2.0, pooled(slow, 8, theory * slow / waits))
    assert ends(found(rows, "mean_slowdown")) == pytest.approx((low, 2.0, high))
    # Of short exponential jobs the slowdown has no variance.
    assert ends(found(estimates_of(cluster(small=Exponential(mean=2))).rows(()), "mean_slowdown")) == (None, 2.0, None)


def test_ends_stay_within_what_is_possible():
    nearly = found(estimates_of(busy=357.0).rows(()), "utilisation")
    assert nearly.value == pytest.approx(357 / 360)
    assert nearly.high == 1.0 > nearly.value > nearly.low
    batches = [replace(batch(turn), wasted_area=2 + turn, busy_area=1 + turn) for turn in TURNS]
    rows = list(Estimates(cluster(), RATE, reading_of(batches)).rows(()))
    assert ends(found(rows, "idle_servers_while_jobs_wait"))[0] > 0
    batches = [replace(batch(turn), wasted_area=0.5 + turn / 4, busy_area=1 + turn) for turn in TURNS]
    rows = list(Estimates(cluster(), RATE, reading_of(batches)).rows(()))
    assert found(rows, "utilisation").low == 0.0
    full = [replace(batch(turn), wasted_area=6 * 60 + 8.0 + turn) for turn in TURNS]
    row = found(Estimates(cluster(), RATE, reading_of(full)).rows(()), "idle_servers_while_jobs_wait")
    assert row.value == row.high == 6.0  # no more than all servers


def test_areas_that_an_engine_declares_have_rows_of_their_own():
    """Servers in use are a share of all servers, broken ones too."""
    batches = [batch(turn, areas=(180.0 + turn, 40.0)) for turn in TURNS]
    rows = list(Estimates(cluster(), RATE, reading_of(batches), areas=("busy_servers", "broken_servers")).rows(()))
    value, low, high = student_interval(180 + TURNS, np.full(8, 360.0))
    assert ends(found(rows, "utilisation")) == pytest.approx((low, value, high))
    value, low, high = student_interval(180 + TURNS, np.full(8, 60.0))
    assert ends(found(rows, "busy_servers")) == pytest.approx((low, value, high))
    assert found(rows, "broken_servers").value == pytest.approx(40 / 60)
    plain = {row.name for row in Estimates(cluster(), RATE, reading_of(batches)).rows(())}
    assert "busy_servers" not in plain


def test_hours_of_a_day():
    """Three steps of eight hours; nobody comes in the second."""
    spec = cluster().to_spec() | {"arrivals": {"law": "daily", "rates": [1, 0, 2], "cycle": 24}}
    system = from_document(spec)
    hours = [
        np.array([[10.0, 20.0 + turn, 5.0], [0.0, 0.0, 0.0], [20.0, 30.0 + turn, 19.0 + turn / 4]]) for turn in TURNS
    ]
    batches = [batch(turn, by_time_of_day=each) for turn, each in zip(TURNS, hours, strict=True)]
    made = Estimates(system, RATE, reading_of(batches))
    rows = {(row.name, row.at["time_of_day"]): row for row in made.rows(()) if "time_of_day" in row.at}
    assert {time for _, time in rows} == {0.0, 16.0}
    for time, waits, jobs in ((0.0, 20 + TURNS, 10.0), (16.0, 30 + TURNS, 20.0)):
        value, low, high = student_interval(waits, np.full(8, jobs))
        assert ends(rows["hourly_mean_waiting_time", time]) == pytest.approx((low, value, high))
    assert ends(rows["hourly_waiting_probability", 0.0]) == pytest.approx((0.5, 0.5, 0.5))
    value, low, high = student_interval(19 + TURNS / 4, np.full(8, 20.0))
    assert high < 1
    assert ends(rows["hourly_waiting_probability", 16.0]) == pytest.approx((low, value, high))
    rough = [batch(turn, by_time_of_day=each * [1, 1, 1 + turn / 4]) for turn, each in zip(TURNS, hours, strict=True)]
    rows = list(Estimates(system, RATE, reading_of(rough)).rows(()))
    assert [each.high for each in rows if each.name == "hourly_waiting_probability"][1] == 1.0
    young = Estimates(system, RATE, reading_of(batches, settled=False))
    assert {row.low for row in young.rows(()) if "time_of_day" in row.at} == {None}


@pytest.mark.parametrize("change", [{"settled": False}, {"jobs": 190.0}, {"no_variance": "heavy"}])
def test_runs_that_are_too_short_or_have_no_variance_have_no_interval_of_a_mean(change):
    rows = list(estimates_of(options=change).rows((50,)))
    assert found(rows, "mean_waiting_time").value == pytest.approx(46 / 30)
    assert found(rows, "mean_waiting_time").low is None
    sure = "no_variance" in change  # other rows may have one
    for name, level in (("waiting_probability", None), ("utilisation", None), ("waiting_time_percentile", 50.0)):
        assert (found(rows, name, level=level).low is not None) is sure, name


def test_percentiles_are_those_of_the_sketches():
    """A class has intervals from a thousand expected jobs on."""
    system, levels = cluster(), (50.0, 80.0)
    many = [
        replace(batch(turn), waiting=Sketch(LOWEST, WAITS.bins, WAITS.counts * k))
        for turn, k in zip(TURNS, range(11, 19), strict=True)
    ]
    rows = list(Estimates(system, RATE, reading_of(many, jobs=1600.0)).rows(levels))
    for index, (name, *_) in enumerate(GROUPS):
        laws = [each.waiting.of_class(index - 1) if name else each.waiting.of_all() for each in many]
        whole = Sketch.total(laws)
        independent = 1 / (1 / 160 + 1 / float(whole.counts.sum()))
        wanted = percentile_intervals(laws, levels, independent, long_jobs=LongSpells(system, RATE), run=1600.0)
        assert None not in wanted
        for level, (low, high) in zip(levels, wanted, strict=True):
            value = whole.percentile(level)
            inside = (None, value, None) if name == "large" else (min(low, value), value, max(high, value))
            assert ends(found(rows, "waiting_time_percentile", name, level)) == pytest.approx(inside), (name, level)
    for jobs, given in ((3999.0, False), (4000.0, True)):  # a quarter of them are large
        made = Estimates(system, RATE, reading_of(many, jobs=jobs))
        assert (found(made.rows((50.0,)), "waiting_time_percentile", "large", 50.0).low is not None) is given


def test_percentiles_where_nothing_is_ever_forgotten():
    """Pareto 1.5: H = 3/4; of waits alone, and from a run that is old enough on."""
    system = cluster(small=Pareto(shape="3/2", minimum=1), large=Deterministic(value=1))
    old = {"no_variance": "heavy", "jobs": 1e9, "runs": 2}
    made = estimates_of(system, options=old)
    assert not made.forgets
    assert made._wider(8, "waiting") == pytest.approx(inflation(8, 2, 0.75))
    assert made._wider(8, "response") is None
    assert estimates_of(options=old)._wider(8, "response") == 1.0
    restart = system.replace(policy={"name": "most-servers-first", "restart": True})
    assert estimates_of(restart, options=old)._wider(8, "waiting") is None
    unlike = [
        replace(batch(turn), waiting=Sketch(LOWEST, WAITS.bins, WAITS.counts + np.array([0, 0, 4 + int(2 * turn), 0])))
        for turn in TURNS
    ]
    (interval,) = percentile_intervals(
        [each.waiting.of_all() for each in unlike],
        (50.0,),
        1 / (1e-8 + 1 / 272),  # of 1e9 jobs in memories of ten, and 8 · 34 waits
        wider=inflation(8, 2, 0.75),
        long_jobs=LongSpells(system, RATE),
        run=1e9,
    )
    row = found(Estimates(system, RATE, reading_of(unlike, **old)).rows((50.0,)), "waiting_time_percentile", None, 50.0)
    assert ends(row)[::2] == pytest.approx((min(interval[0], row.value), max(interval[1], row.value)))
    assert row.low < row.value < row.high
    # Of the work 3/4 · 3/(3/4 · 3 + 3/4) is heavy, 0.75 · t^(−1/2)/1.5, and 0.25 of the servers are used: all of it may
    # be 3/40, t = (0.5/0.075)² = 44.4 in each run, at rate 1/2 and with two runs 44.4 jobs.
    for jobs, wider in ((44.0, None), (45.0, inflation(8, 2, 0.75))):
        assert estimates_of(system, options=old | {"jobs": jobs})._wider(8, "waiting") == wider
    jobs_that_begin_anew = cluster(policy={"name": "most-servers-first", "restart": True})
    assert estimates_of(jobs_that_begin_anew).forgets
    assert not estimates_of(jobs_that_begin_anew, options={"no_variance": "heavy"}).forgets
    assert estimates_of(options={"no_variance": "heavy"}).forgets


def test_how_many_jobs_a_percentile_takes():
    """4.5 of the jobs' memories beyond it, and a tenth more, and the warm-up."""
    made = estimates_of()
    pace = replace(made.reading.pace, settling=7.0)
    made.reading = replace(made.reading, pace=pace)
    assert made.level_jobs(99.0) == pytest.approx(1.1 * 4.5 / 0.01 * 10 + 7)


def test_half_widths():
    (row,) = [row for row in estimates_of().rows(()) if (row.name, row.job_class) == ("mean_waiting_time", None)]
    assert relative_half_width(row) == pytest.approx((row.high - row.low) / (2 * 46 / 30))
    assert relative_half_width(replace(row, low=None, high=None)) == math.inf
    assert relative_half_width(replace(row, value=0.0, low=0.0)) == math.inf


def test_lost_jobs():
    """Where jobs are turned away: who does not start at once is lost, and no other row is about waiting."""
    rows = list(estimates_of(cluster(policy="loss")).rows((50,)))
    assert {row.name for row in rows} == {"loss_probability", "mean_jobs_in_system", "utilisation"}
    seen = probability_interval(17 / 30, Variance(batch_variance(17 + 1.5 * TURNS, np.full(8, 30.0)), 7))
    assert ends(found(rows, "loss_probability")) == pytest.approx((seen[0], 17 / 30, seen[1]))
    stay = 126 / 30
    theory = (STAYS.of_all().sum_of_squares() / 30 / stay**2 - 1) * (1 / 24 + 1 / 240)
    low, high = mean_interval(stay, pooled(batch_variance(126 + 7 * TURNS, np.full(8, 30.0)), 8, max(theory, 0.0)))
    assert ends(found(rows, "mean_jobs_in_system")) == pytest.approx((low / 2, stay / 2, high / 2))
    assert found(rows, "mean_jobs_in_system", "large").value == pytest.approx(0.125 * 60 / 8)


# Other arrivals: theory may widen an interval, never narrow it.


@pytest.mark.parametrize(("by", "asked"), [(2.0, True), (50.0, False)])
def test_theory_of_other_arrivals_only_widens(by, asked):
    """It says 0.027, and batches 0.0001 or 0.029: more, though not so much more that they contradict it."""
    system = from_document(
        cluster().to_spec() | {"arrivals": {"law": "renewal", "gap": {"law": "erlang", "mean": 1, "stages": 2}}}
    )
    batches = [batch(turn) for turn in TURNS]
    for each, turn in zip(batches, TURNS, strict=True):
        each.sums[:, COLUMNS.index("waiting")] = 22.0, 24.0 + by * turn / 3
    made = Estimates(system, RATE, reading_of(batches, jobs=4800.0))
    assert not made.plain
    group = groups_of(system, RATE)[0]
    theory = made.theory(group, "waiting")
    spread = batch_variance(46 + by / 3 * TURNS, np.full(8, 30.0))
    assert (sum(theory) >= spread) is asked
    value, variance = made.controlled(group, "waiting", theory)
    assert value == pytest.approx(46 / 30)
    assert variance == (pooled(spread, 8, *theory) if asked else Variance(spread, 7))


# Controls.


class One:
    """One control, whatever the pieces brought."""

    def __init__(self, values):
        self.values, self.asked = values, []

    def centred(self, sums, time, *, job_class, busy):
        assert sums.shape == (32, 1)
        assert time.tolist() == [15.0] * 32
        self.asked.append((job_class, busy))
        return self.values


SIZES = np.array([6.5, 8.5] * 16)


def in_pieces(noise, mean, each=4, spread=2.0, share=0.4):
    """Thirty-two pieces of 6.5 and 8.5 jobs by turns, so many in each batch; waits are a control and some noise."""
    chance = np.random.default_rng(4)
    control = chance.normal(0, spread, 32)
    control -= control.mean()
    waits = 11.5 / 7.5 * SIZES + control + noise * chance.normal(0, 2.0, 32)
    pieces = []
    for wait, size in zip(waits, SIZES, strict=True):
        sums = np.zeros((2, len(COLUMNS)))
        sums[:, COLUMNS.index("jobs")] = 0.75 * size, 0.25 * size
        sums[:, COLUMNS.index("waiting")] = 0.25 * wait, 0.75 * wait
        sums[:, COLUMNS.index("waited")] = 0.25 * share * wait, 0.75 * share * wait
        pieces.append(Tally(sums, WAITS, STAYS, 15.0, 0.0, 0.0, 0.0, np.zeros(1), np.empty(0), np.empty(0)))
    batches = [Tally.total(pieces[i : i + each]) for i in range(0, 32, each)]
    batches = [replace(one, waiting=WAITS, response=STAYS) for one in batches]
    controls = One((control + mean)[:, None])
    return Estimates(cluster(), RATE, reading_of(batches, pieces), controls=controls), waits, control + mean


@pytest.mark.parametrize("each", [1, 2, 4])
@pytest.mark.parametrize("column", ["waiting", "waited"])
def test_controls_take_off_what_they_explain(column, each):
    made, waits, control = in_pieces(0.2, 0.3, each)
    waits = waits * (0.4 if column == "waited" else 1.0)
    group = groups_of(made.system, RATE)[0]
    theory = (0.02, 0.003) if column == "waiting" else None
    value, variance = made.controlled(group, column, theory)
    plain = waits.sum() / 240
    fit = remainder(waits - plain * SIZES, control[:, None])
    slope = np.polyfit(control, waits - plain * SIZES, 1)[0]
    assert value == pytest.approx((waits.sum() - slope * control.sum()) / 240)
    count = 32 // each
    spread = batch_variance(waits.reshape(count, each).sum(axis=1), SIZES.reshape(count, each).sum(axis=1))
    finely = fit.left_over({1: 1, 2: 1, 4: 2}[each], overlapping=True)
    left = remaining(spread, count, fit.left_over(each), finely, theory)
    assert (variance.value, variance.freedom) == pytest.approx((left.value * (plain / value) ** 2, left.freedom))
    assert made.reductions == {column: pytest.approx(1 / (finely * (1.1 + 1.2 * finely)))}
    assert made.controls.asked == [(None, column == "waited")]
    (row,) = made._reduced(group)
    wanted = "mean_response_time" if column == "waiting" else "waiting_probability"
    assert (row.name, row.value, row.at["quantity"]) == ("variance_reduction", made.reductions[column], wanted)
    of_class = groups_of(made.system, RATE)[2]
    made.reductions.clear()
    made.controlled(of_class, column, theory)
    assert made.reductions == {}  # rows are about all jobs
    assert made.controls.asked[-1] == (1, column == "waited")


@pytest.mark.parametrize(("noise", "mean"), [(1.5, 0.3), (0.2, 30.0)], ids=["little explained", "below zero"])
def test_means_stay_plain_where_controls_explain_little_or_too_much(noise, mean):
    made, waits, _ = in_pieces(noise, mean)
    group = groups_of(made.system, RATE)[0]
    value, variance = made.controlled(group, "waiting", None)
    assert value == pytest.approx(waits.sum() / 240)
    assert variance == Variance(pytest.approx(batch_variance(waits.reshape(8, 4).sum(axis=1), np.full(8, 30.0))), 7)
    assert made.reductions == {}


def test_a_probability_that_controls_put_just_above_one_stays_plain():
    """A control that was 2 too low in 32 pieces would add 0.63 · 32 · 2/240 to 0.97."""
    made, waits, _ = in_pieces(0.2, -2.0, share=0.63)
    value, variance = made.controlled(groups_of(made.system, RATE)[0], "waited", None)
    assert value == pytest.approx(0.63 * waits.sum() / 240)
    assert variance.freedom == 7


def test_a_control_that_knows_everything_leaves_rounding():
    """Only where jobs are alone on the cluster; elsewhere what is left over may be too rare to be seen."""
    made, *_ = in_pieces(0.0, 0.3, spread=0.1)
    group = groups_of(made.system, RATE)[0]
    _, plain = made.controlled(group, "waiting", None)
    assert plain.value > 1e-6
    made.alone = True
    _, variance = made.controlled(group, "waiting", None)
    assert variance.value == pytest.approx(1e-20, rel=1e-6, abs=0)
