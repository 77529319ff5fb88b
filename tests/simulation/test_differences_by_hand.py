"""Two policies on the same jobs: differences, their intervals and the words around them, from made-up runs."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj import Deterministic, Exponential, JobClass, System
from msj.effort import Effort
from msj.errors import Failure
from msj.results import Outcome, Quantity, Result
from msj.simulation import compare
from msj.simulation.compare import (
    Served,
    _common_plan,
    _compared,
    _difference,
    _factor,
    _interval,
    _joined,
    _outcome,
    _remainder,
    compare_at_rate,
    differences,
)
from msj.simulation.controlled import Remainder, _sums, remainder
from msj.simulation.intervals import Variance, batch_variance, pooled
from msj.simulation.known import Known
from msj.simulation.plan import Pace, Plan
from msj.simulation.question import Question
from msj.simulation.reading import Reading
from msj.simulation.sketch import Sketch
from msj.simulation.tally import COLUMNS, Tally
from msj.workloads import seed_sequence

SYSTEM = System(
    servers=2, arrival_rate=0.5, classes=[JobClass(name="all", need=1, share=1, duration=Deterministic(value=1))]
)
JOBS = np.array([4.0, 5.0, 6.0])
MANY, FEW = np.array([10.0, 12.0, 14.0]), np.array([8.0, 9.0, 10.0])  # 0.6 of difference; 4, 5 and 6 jobs
# Their gaps of 2, 3 and 4 are off 0.6 of a job by −0.4, 0 and 0.4: variance 0.16.
VARIANCE = 3 * 0.16 / 15**2
MEANS = [(0.02, Variance(0.035, 20)), (0.01, Variance(0.025, 9))]  # theory makes 0.06 of 0.03


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_clear_difference_has_its_interval_on_the_logarithm(sign):
    """Twice the variance of the batches, with the 20 degrees of freedom of the larger one: t = 2.085963."""
    sums = (MANY, FEW) if sign > 0 else (FEW, MANY)
    value, (low, high) = _interval(sign * 0.6, sums, JOBS, MEANS, None)
    half = 2.085963 * math.sqrt(2 * VARIANCE)
    ends = sorted(sign * 0.6 * math.exp(turn * half / 0.6) for turn in (-1, 1))
    assert (value, low, high) == pytest.approx((sign * 0.6, *ends), rel=1e-6)


@pytest.mark.parametrize("clear", [True, False])
def test_others_have_students(clear):
    """Half of 0.6 is the half-width where theory makes the variance of the batches (0.3/t)²."""
    limit = (0.3 / 2.085963) ** 2 / VARIANCE
    factor = limit * (0.999 if clear else 1.001)
    means = [(0.02, Variance(0.02 * factor, 20)), (0.01, Variance(0.01 * factor, 9))]
    _, (low, high) = _interval(0.6, (MANY, FEW), JOBS, means, None)
    half = 0.3 * math.sqrt(factor / limit)
    ends = (0.6 * math.exp(-half / 0.6), 0.6 * math.exp(half / 0.6)) if clear else (0.6 - half, 0.6 + half)
    assert (low, high) == pytest.approx(ends, rel=1e-6)


def test_where_batches_show_no_spread_theory_is_not_asked():
    means = [(0.0, Variance(0.035, 20)), (0.0, Variance(0.025, 9))]
    _, (low, high) = _interval(0.6, (MANY, FEW), JOBS, means, None)
    assert math.log(high / low) == pytest.approx(2 * 2.085963 * math.sqrt(VARIANCE) / 0.6, rel=1e-6)


def test_controls_take_off_a_part_of_a_difference():
    """Twelve pieces of three batches: pairs tell what is left over."""
    chance = np.random.default_rng(5)
    beyond, noise = chance.normal(size=12), chance.normal(size=12)
    found = Remainder(1.5, beyond, 0.2 * beyond + 0.1 * noise, 1.1)
    pairs, left = (np.convolve(each, [1, 1], mode="valid") for each in (found.beyond, found.residuals))
    share = 1.1 * np.var(left) / np.var(pairs)
    assert share < 0.15
    value, (low, high) = _interval(0.6, (MANY, FEW), JOBS, MEANS, found)
    assert value == pytest.approx(0.6 + 1.5 / 15)
    variance = VARIANCE * share * (1.1 + 1.2 * share) * (1 + share / 0.15)
    quantile = 2.337  # of 20 · 12/32 = 7.5 degrees of freedom
    half = quantile * math.sqrt(variance)
    assert (low, high) == pytest.approx((0.7 * math.exp(-half / 0.7), 0.7 * math.exp(half / 0.7)), rel=2e-4)
    useless = Remainder(1.5, beyond, 0.9 * beyond, 1.1)
    assert _interval(0.6, (MANY, FEW), JOBS, MEANS, useless) == _interval(0.6, (MANY, FEW), JOBS, MEANS, None)


def test_what_is_left_over_of_pieces():
    """1, 3 | −2, 4 and what is left of them, ±1: sums of pairs, apart or overlapping."""
    pieces = np.array([1.0, 3.0, -2.0, 4.0])
    assert _sums(pieces, 2, overlapping=False).tolist() == [4.0, 2.0]
    assert _sums(pieces, 2, overlapping=True).tolist() == [4.0, 1.0, 2.0]
    found = Remainder(0.0, pieces, np.array([1.0, 0.0, 0.0, -1.0]), 1.5)
    assert found.left_over(2) == pytest.approx(1.5 * 1.0 / 1.0)
    assert found.left_over(1) == pytest.approx(1.5 * 0.5 / (30 / 4 - 1.5**2))
    assert found.left_over(2, overlapping=True) == pytest.approx(1.5 * (2 / 3) / (21 / 3 - (7 / 3) ** 2))
    assert Remainder(0.0, pieces, 0 * pieces, 1.5).left_over(1) == pytest.approx(1e-15, rel=1e-6, abs=0)
    assert Remainder(0.0, 0 * pieces, 0 * pieces, 1.5).left_over(1) == 1.0


def test_a_fit_by_hand():
    """One control of mean 1 that is −1, 1, ... about it: beyond goes with it by 3, the rest is 1/2 to and fro.

    Ten pieces and one control: 9/8, and 1 + 10 · 1²/10 for a control that is as far off as it varies.
    """
    control = np.array([-1.0, 1.0] * 5)
    rest = np.array([0.5, 0.5, -0.5, -0.5, 0.0, 0.0, 0.5, 0.5, -0.5, -0.5])
    found = remainder(3 * control + rest, 1 + control[:, None])
    assert found.shift == pytest.approx(-3 * 10)
    assert found.residuals == pytest.approx(rest)
    assert found.beyond == pytest.approx(3 * control + rest)
    assert found.inflation == pytest.approx(9 / 8 * 2)
    twice = np.column_stack([1 + control, 2 + 2 * control, np.ones(10)])  # says the same twice, and nothing
    assert remainder(3 * control + rest, twice).inflation == pytest.approx(9 / 8 * 2)
    assert remainder(rest[:8], control[:8, None]) is not None  # four pieces for a control and the mean
    assert remainder(rest[:7], control[:7, None]) is None


class Made:
    """Estimates whose sums are given."""

    def __init__(self, sums, *, theory=None, no_variance=None, sure=True, controls=None, system=SYSTEM):
        self.sums, self.given, self.system, self.rate, self.sure = sums, theory, system, 0.5, sure
        self.reading, self.controls = SimpleNamespace(no_variance=no_variance), controls

    def series(self, name, group, *, pieces=False):
        assert group.index is None
        column = JOBS if name == "jobs" else self.sums
        return np.repeat(column / 4, 4) + (self.extra if pieces and name != "jobs" else 0.0) if pieces else column

    extra = 0.0

    def mean(self, group, column):
        return 0.0, None

    def theory(self, group, column):
        return self.given if column != "waited" else None

    def control_series(self, group, *, busy):
        self.busy = busy
        return self.drawn


def test_the_variance_of_a_mean_by_its_batches_and_what_is_made_of_it():
    mean = 36 / 15
    batches = batch_variance(MANY, JOBS)
    theory = (0.6 * batches, 0.2 * batches)
    own, made = _factor(Made(MANY, theory=theory), SimpleNamespace(index=None), "waiting")
    both = pooled(batches, 3, *theory)
    assert own == pytest.approx(batches * mean**2)
    assert (made.value, made.freedom) == pytest.approx((both.value * mean**2, both.freedom))
    own, made = _factor(Made(MANY, theory=theory), SimpleNamespace(index=None), "waited")
    assert (own, made) == (pytest.approx(batches * mean**2), Variance(pytest.approx(batches * mean**2), 2))
    assert _factor(Made(0 * MANY), SimpleNamespace(index=None), "waiting") == (0.0, Variance(0.0, 2))


def test_a_difference_is_scaled_and_has_an_interval_where_both_means_have_one():
    found = _difference(Made(MANY), Made(FEW), name="mean_jobs_waiting", column="waiting", scale=0.5)
    factors = [_factor(Made(each), SimpleNamespace(index=None), "waiting") for each in (MANY, FEW)]
    _, (low, high) = _interval(0.6, (MANY, FEW), JOBS, factors, None)
    assert (found.name, found.kind) == ("mean_jobs_waiting_difference", "simulated")
    assert (found.low, found.value, found.high) == pytest.approx((low / 2, 0.3, high / 2))
    same = _difference(Made(MANY), Made(MANY), name="mean_waiting_time", column="waiting", scale=0.5)
    assert (same.low, same.value, same.high) == (0.0, 0.0, 0.0)
    for change in ({"no_variance": "heavy"}, {"sure": False}):
        for pair in ((Made(MANY, **change), Made(FEW)), (Made(MANY), Made(FEW, **change))):
            row = _difference(*pair, name="mean_waiting_time", column="waiting", scale=1.0)
            assert (row.low, row.value, row.high) == (None, pytest.approx(0.6), None)


def test_controls_of_a_difference_are_those_of_both():
    chance = np.random.default_rng(2)
    drawn = chance.normal(size=(12, 1))
    other, base = Made(MANY, controls="same"), Made(FEW, controls="same")
    other.drawn, other.extra = drawn, 3 * drawn[:, 0]
    found = _remainder(other, base, SimpleNamespace(index=None), "waited", 0.6)
    beyond = np.repeat((MANY - FEW - 0.6 * JOBS) / 4, 4) + 3 * drawn[:, 0]
    wanted = remainder(beyond, drawn)
    assert found.beyond == pytest.approx(beyond)
    assert (found.shift, found.inflation) == pytest.approx((wanted.shift, wanted.inflation))
    assert other.busy is True
    _remainder(other, base, SimpleNamespace(index=None), "waiting", 0.6)
    assert other.busy is False
    assert _remainder(Made(MANY), Made(FEW), SimpleNamespace(index=None), "waiting", 0.6) is None
    assert _remainder(Made(MANY, controls="a"), Made(FEW, controls="b"), SimpleNamespace(index=None), "x", 0.6) is None


def test_which_means_are_compared():
    """Where one of both shares servers, stays are not waits plus durations."""
    shared = SYSTEM.replace(policy={"name": "limited-processor-sharing", "limit": 2})
    for systems, response in (
        ((SYSTEM, SYSTEM), "waiting"),
        ((shared, SYSTEM), "response"),
        ((SYSTEM, shared), "response"),
    ):
        other, base = (Made(MANY, system=system) for system in systems)
        assert _compared(other, base) == [
            ("mean_response_time", response, 1.0),
            ("mean_waiting_time", "waiting", 1.0),
            ("mean_jobs_in_system", response, 0.5),
            ("mean_jobs_waiting", "waiting", 0.5),
            ("waiting_probability", "waited", 1.0),
        ]


def tally(number):
    sums = np.zeros((1, len(COLUMNS)))
    sums[0, :3] = 10.0, number, number
    empty = Sketch.of(0, np.zeros(4, np.int64))
    return Tally(sums, empty, empty, 1.0, 0.0, 0.0, 0.0, np.empty(0), np.empty(0), np.empty(0))


def served(memory, jobs, *, left=0, outcome=Outcome.JOB_LIMIT_REACHED, settled=True):
    pieces = [[tally(100 * run + i) for i in range(12)] for run in range(2)]
    pace = Pace(memory=memory, settling=0.0, long_jobs=0.0, known=True)
    asked = []

    def estimates(reading):
        asked.append(reading)
        return Made(MANY)

    question = SimpleNamespace(
        reading=lambda run, own: Reading(own, own, pace, jobs, settled, None), estimates=estimates, asked=asked
    )
    return Served(question, SimpleNamespace(pieces=pieces, left=left), SimpleNamespace(outcome=outcome))


def test_differences_are_about_the_same_pieces_in_batches_of_the_longer_memory():
    """200 of 240 jobs count for one of them: ten of twelve pieces in each run. Of 40 memories there may be 8 batches:
    three of each run leave out one piece more.
    """
    base, other = served(2.0, 240.0), served(5.0, 200.0)
    rows = differences(base, other)
    assert [row.name for row in rows][::4] == ["mean_response_time_difference", "waiting_probability_difference"]
    for each in (base, other):
        (reading,) = each.question.asked
        assert reading.jobs == 200.0
        assert [len(reading.pieces), len(reading.batches)] == [18, 6]
        assert reading.pieces[0] is each.run.pieces[0][3]
        assert reading.batches[0].column("response") == 3 + 4 + 5
        assert reading.batches[5].column("response") == 300 + 9 + 10 + 11


@pytest.mark.parametrize("change", [{"left": 3}, {"outcome": Outcome.OUT_OF_TIME}, {"settled": False}])
def test_no_differences_where_a_run_has_no_means(change):
    assert differences(served(2.0, 240.0, **change), served(5.0, 200.0)) == []
    assert differences(served(2.0, 240.0), served(5.0, 200.0, **change)) == []


@pytest.mark.parametrize(
    ("outcomes", "together"),
    [
        ("JOB_LIMIT_REACHED JOB_LIMIT_REACHED", "JOB_LIMIT_REACHED"),
        ("JOB_LIMIT_REACHED TOO_SHORT", "TOO_SHORT"),
        ("UNSTABLE JOB_LIMIT_REACHED", "JOB_LIMIT_REACHED"),
        ("UNSTABLE TOO_SHORT", "TOO_SHORT"),
        ("UNSTABLE UNSTABLE", "UNSTABLE"),
        ("OUT_OF_TIME UNSTABLE", "OUT_OF_TIME"),
        ("OUT_OF_TIME INTERRUPTED", "INTERRUPTED"),
    ],
)
def test_the_outcome_of_all(outcomes, together):
    assert _outcome([Outcome[name] for name in outcomes.split()]) is Outcome[together]


def asked_for(memory, settling, long_jobs, known=True, cycle=0.0, threshold=None):
    pace = Pace(memory=memory, settling=settling, long_jobs=long_jobs, known=known, cycle=cycle)
    return SimpleNamespace(pace=pace, known=Known(stability_threshold=threshold), rate=0.5, plan=lambda found: found)


def test_a_plan_for_all_is_that_of_the_longest_memory_among_those_that_take_the_load():
    one, two = asked_for(10.0, 7.0, 2.0, cycle=3.0), asked_for(4.0, 9.0, 5.0, known=False, cycle=1.0)
    too_much, never = asked_for(99.0, 99.0, 99.0, cycle=99.0, threshold=0.4), asked_for(math.inf, math.inf, 77.0)
    wanted = Pace(memory=10.0, settling=9.0, long_jobs=5.0, known=False, cycle=3.0)
    assert _common_plan([one, two]) == wanted
    assert _common_plan([too_much, one, two, never]) == wanted
    other = asked_for(55.0, 55.0, 55.0, threshold=0.4)
    assert _common_plan([too_much, other]) == too_much.pace
    assert _common_plan([never, never]) == never.pace
    assert _common_plan([one, one]).known is True


def result(value, outcome=Outcome.JOB_LIMIT_REACHED, notes=()):
    rows = (
        Quantity(name="arrival_rate", value=0.5, kind="exact", method="definition"),
        Quantity(name="mean_response_time", value=value, kind="simulated", method="alone", citation="somebody"),
    )
    facts = {"seed": 7, "seconds": 1.0, "jobs_per_second": 9, "jobs": 100}
    return Result(system=SYSTEM.to_spec(), quantities=rows, outcome=outcome, provenance=facts, notes=notes)


@pytest.mark.parametrize(("replications", "words"), [(1, "1 replication"), (2, "2 replications")])
def test_answers_side_by_side(monkeypatch, replications, words):
    row = Quantity(name="mean_response_time_difference", value=1.0, kind="simulated", method="paired")
    monkeypatch.setattr(compare, "differences", lambda base, other: [row])
    given = {
        "one": Served(None, None, result(2.0, notes=("so it is",))),
        "two": Served(None, None, result(3.0, Outcome.OUT_OF_TIME)),
        "three": result(4.0, Outcome.UNSTABLE),  # known before: it was not run
        "four": Served(None, None, result(5.0)),
    }
    plan = Plan(replications=replications, warm_up=100, piece=500, pieces=4)
    found = _joined(SYSTEM, given, plan)
    method = f"simulation, {replications * 2100:,} jobs in {words}, the same under each policy"
    for name, value in zip(given, (2.0, 3.0, 4.0, 5.0), strict=True):
        rows = [each for each in found if each.at.get("policy") == name and "baseline" not in each.at]
        assert [(each.value, each.method, each.citation) for each in rows] == [
            (0.5, "definition", ""),
            (value, method, ""),
        ]
    apart = [dict(each.at) for each in found if each.name.endswith("_difference")]
    assert apart == [{"policy": name, "baseline": "one"} for name in ("two", "four")]
    assert found.notes == ("one: so it is",)
    assert [(gap.name, gap.failure, dict(gap.at)) for gap in found.missing] == [
        ("means", Failure.OUT_OF_TIME, {"policy": "two"}),
        ("means", Failure.UNSTABLE, {"policy": "three"}),
    ]
    assert dict(found.provenance) == {"seed": 7, "jobs": 100}
    assert found.outcome is Outcome.OUT_OF_TIME


def test_policies_are_run_one_after_the_other_and_told_of_by_their_share(monkeypatch):
    seen, warned = [], []
    monkeypatch.setattr(compare, "warn_of_compiling", lambda run, part: warned.append(run))
    system = System(
        servers=2,
        arrival_rate=0.5,
        classes=[
            JobClass(name="a", need=1, share="1/2", duration=Exponential(mean=1)),
            JobClass(name="b", need=2, share="1/2", duration=Exponential(mean=1)),
        ],
    )
    options = {"root": seed_sequence(1), "jobs": 500, "levels": (50,), "known": {1: Known(stability_threshold=0.9)}}
    found = compare_at_rate(system, ["fcfs", "first-fit"], progress=seen.append, **options)
    told = [each.done for each in seen if not each.notice]
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    assert any(each == pytest.approx(1 / 2) for each in told)
    assert found.places("policy") == ["fcfs", "first-fit"]
    assert len(warned) == 2
    too_much = compare_at_rate(
        system, ["fcfs", "first-fit"], **options | {"known": {0: Known(stability_threshold=0.5)}}
    )
    assert [gap.at["policy"] for gap in too_much.missing] == ["fcfs"]
    assert "mean_response_time" not in too_much.at(policy="fcfs")
    with pytest.raises(msj.InvalidInput, match="1 policy is given"):
        compare_at_rate(system, ["fcfs"], **options)
    fewer = compare_at_rate(system, ["fcfs", "first-fit"], **options | {"effort": Effort(jobs=300), "jobs": None})
    assert [each.provenance["jobs"] for each in (found, fewer)] == [500, 300]
    both = compare_at_rate(system, ["fcfs", "first-fit"], **options | {"effort": Effort(jobs=300), "jobs": 400})
    assert both.provenance["jobs"] == 400
    cut = compare_at_rate(system, ["fcfs", "first-fit"], effort=Effort(cancel=lambda: True), **options)
    assert cut.outcome is Outcome.INTERRUPTED
    assert cut.places("policy") == ["fcfs"]


class Begun(Exception):
    """A run was about to begin."""


@pytest.mark.parametrize(
    ("known", "slowest"), [({0: 0.7}, 0), ({1: 0.7}, 1), ({0: 0.7, 1: 0.4}, 0), ({0: 0.4, 1: 0.7}, 1)]
)
def test_all_have_the_controls_of_the_longest_memory(monkeypatch, known, slowest):
    """Thresholds nearer to the rate of 1/2 mean a longer memory; below it nothing is simulated."""
    system = SYSTEM.replace(
        classes=[
            JobClass(name="a", need=1, share="1/2", duration=Exponential(mean=1)),
            JobClass(name="b", need=2, share="1/2", duration=Exponential(mean=2)),
        ]
    )
    seen = []

    def listen(self, plan):
        seen.append(self.controls)
        raise Begun

    monkeypatch.setattr(Question, "new_run", listen)
    facts = {place: Known(stability_threshold=threshold) for place, threshold in known.items()}
    with pytest.raises(Begun):
        compare_at_rate(system, ["fcfs", "first-fit"], root=seed_sequence(1), jobs=10**6, known=facts)
    alone = Question.of(system, root=seed_sequence(1), known=facts[slowest], jobs=10**6)
    assert seen == [alone.controls]
    assert alone.controls != Question.of(system, root=seed_sequence(1), jobs=10**6).controls


@pytest.mark.parametrize(("pieces", "together"), [(1, 1), (2, 1), (3, 1), (4, 2), (16, 8)])
def test_what_the_controls_leave_over_is_judged_by_half_a_batch(pieces, together):
    """At least by one piece of each; what is left over of nearly all is of no use, and nothing is taken off."""
    asked = []

    def left_over(count, *, overlapping):
        asked.append((count, overlapping))
        return 1.0

    found = SimpleNamespace(beyond=np.zeros(pieces * len(JOBS)), left_over=left_over)
    assert _interval(0.6, (MANY, FEW), JOBS, MEANS, found) == _interval(0.6, (MANY, FEW), JOBS, MEANS, None)
    assert asked == [(together, True)]
