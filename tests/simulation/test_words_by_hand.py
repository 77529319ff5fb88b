"""What a run says of itself beside its rows, what it is asked for, and when looks at blocks are enough: by hand."""

import math
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

from msj import Deterministic, Exponential, InvalidInput, JobClass, Lognormal, Pareto, System
from msj.effort import Effort
from msj.results import Outcome
from msj.simulation import blocks, simulate
from msj.simulation import looks as looking
from msj.simulation import question as questions
from msj.simulation import run as running
from msj.simulation.blocks import PIECES, Block, Stream, blocks_at, stage_of
from msj.simulation.controls import FIRST_CLASS, SERVERS, SQUARES, Controls, _candidates, why_no_controls
from msj.simulation.known import Known
from msj.simulation.looks import Looks, Standing, _batches, _whole
from msj.simulation.plan import Pace, Plan
from msj.simulation.question import Question, checked_levels, new_replication
from msj.simulation.run import Run, _doubts, _long
from msj.simulation.simulate import (
    _left_behind,
    _too_short,
    overloaded,
    result_of,
    simulate_at_rate,
    warn_of_compiling,
)
from msj.simulation.sketch import Sketch, first_bin
from msj.simulation.tally import COLUMNS, Tally
from msj.workloads import Streams, seed_sequence

ONE = System(servers=1, arrival_rate=0.5, classes=[JobClass(name="all", need=1, share=1, duration=Exponential(mean=1))])
TWO = System(
    servers=6,
    arrival_rate=0.5,
    classes=[
        JobClass(name="small", need=1, share="3/4", duration=Exponential(mean=2)),
        JobClass(name="large", need=3, share="1/4", duration=Deterministic(value=4)),
    ],
)


def pace_of(memory=10.0, settling=0.0, long_jobs=0.0, known=True, cycle=0.0):
    return Pace(memory=memory, settling=settling, long_jobs=long_jobs, known=known, cycle=cycle)


# Notes.


def test_why_a_run_is_too_short():
    """1,234 jobs of memory: (20 · 1,234 + 100) · 1.02 = 25,276 are enough."""
    run = SimpleNamespace(done=5000, pace=pace_of(1234.0, 100.0))
    memory = "at this load the cluster remembers about 1,300 jobs; about 26,000 jobs would do."
    no_mean = f"5,000 jobs are too few for a mean that does not remember the empty beginning: {memory}"
    assert _too_short(run, None) == no_mean
    reading = SimpleNamespace(pace=run.pace, settled=False, jobs=4000.0)
    run.pace = pace_of()
    assert _too_short(run, reading) == no_mean
    reading.settled = True
    assert _too_short(run, reading) == f"5,000 jobs are too few for an interval: {memory}"
    reading.pace = pace_of(math.inf)
    never = "5,000 jobs are too few to say whether the queue keeps growing, and no number may be enough."
    assert _too_short(run, reading) == never


def left_behind(longest, shares=("3/4", "1/5", "1/20"), gone=(75.0, 19.0, 4.0)):
    """Two replications of two pieces of 50 jobs at rate 1/2: 200 jobs within 200. Who has left, in both together."""
    classes = [
        JobClass(name=name, need=1, share=share, duration=Deterministic(value=longest if name == "b" else 1))
        for name, share in zip("abc", shares, strict=True)
    ]
    sums = np.zeros((3, 3, len(COLUMNS)))
    sums[:2, :, 0] = np.array(gone) / 4
    sums[2] = 1000.0  # of a piece that does not count
    sums[:2, :, 1] = 77.0
    replications = [SimpleNamespace(record=SimpleNamespace(sums=sums))] * 2
    run = SimpleNamespace(through=2, piece=50, left=1234, replications=replications)
    question = SimpleNamespace(rate=0.5, system=System(servers=4, classes=classes))
    return list(_left_behind(question, run))


def test_who_has_not_left():
    """Of 150, 40 and 10 jobs at least half, less than half and less than half have left."""
    first, *classes = left_behind(longest=40)
    assert first.startswith("1,234 of the 200 jobs counted had not left after as many more had come: means")
    assert classes == ["Of about 40 jobs of class 'b' 19 left.", "Of about 10 jobs of class 'c' 4 left."]
    assert len(left_behind(40, ("19/25", "1/5", "1/25"), (75.0, 20.0, 0.0))) == 2  # a half is not too few, 8 too small
    (longer,) = left_behind(longest="81/2")
    assert longer.startswith("The run is too short for the longest jobs: those of class 'b' take 40.5 on average, ")
    assert longer.endswith(" and 200 jobs come within 200.")


def test_more_than_can_be_served_is_not_simulated():
    question = Question.of(TWO, root=seed_sequence(7), known=Known(stability_threshold=0.4), jobs=100)
    found = overloaded(question)
    assert found.outcome is Outcome.UNSTABLE
    assert {each.name: each.value for each in found} == {
        "arrival_rate": 0.5,
        "offered_utilisation": pytest.approx(0.375),
    }
    assert {each.kind for each in found} == {"exact"}
    assert found.notes[0].startswith("The arrival rate 0.5 is not below the stability threshold 0.4: the queue grows")
    assert found.provenance["jobs"] == 0
    same = simulate_at_rate(TWO, root=seed_sequence(7), known=Known(stability_threshold=0.4), jobs=100)
    assert same.quantities == found.quantities


def test_people_are_warned_of_compiling_once(monkeypatch):
    for remark, compiled, words in (
        ("slowly", True, ["slowly"]),
        ("slowly", False, ["slowly"]),
        ("", True, []),
        ("", False, ["compiling the simulation for this policy: some seconds, once after installation"]),
    ):
        seen = []
        monkeypatch.setattr(simulate, "compiled_before", lambda name, compiled=compiled: compiled)
        run = SimpleNamespace(replications=[SimpleNamespace(kernel=SimpleNamespace(remark=remark))])
        warn_of_compiling(run, Effort(progress=seen.append))
        assert [(each.words, each.done, each.notice) for each in seen] == [(each, 0.0, True) for each in words]


def test_what_a_run_of_one_server_says_of_itself():
    """Memory 17 · 0.5 jobs, warm-up 0.5 · (5 + 2 · 16): (20 · 8.5 + 18.5) · 1.02 = 192 jobs are enough."""
    known = Known(stability_threshold=1.0)
    short = simulate_at_rate(ONE, root=seed_sequence(1), known=known, jobs=100, levels=(50,))
    assert short.outcome is Outcome.TOO_SHORT
    assert (short.provenance["memory_in_jobs"], short.provenance["enough_jobs"]) == (8.5, 190.0)
    assert short.notes[0].startswith(
        "100 jobs are too few for an interval: at this load the cluster remembers about 9 "
    )
    assert short.row("mean_waiting_time").low is None
    options = {"warm_up": 0.25, "replications": 1, "levels": (50,)}
    found = simulate_at_rate(ONE, root=seed_sequence(1), known=known, jobs=1000, **options)
    assert found.outcome is Outcome.JOB_LIMIT_REACHED
    assert found.row("mean_waiting_time").low is not None
    # A quarter, and 30 that do not make a piece of 6 for each of 120.
    assert {key: found.provenance[key] for key in ("jobs", "replications", "warm_up")} == {
        "jobs": 1000,
        "replications": 1,
        "warm_up": 0.28,
    }
    assert "enough_jobs" not in found.provenance
    assert found.provenance["jobs_per_second"] == pytest.approx(1000 / found.provenance["seconds"], rel=1e-3)
    assert found.row("utilisation").method == "simulation of fcfs, 1,000 jobs in 1 replication"
    plain = simulate_at_rate(ONE, root=seed_sequence(1), known=known, jobs=1000, controls=False, **options)
    assert not any("control" in note for note in (*plain.notes, *found.notes))


class Read(Exception):
    """The pieces were handed over."""


@pytest.mark.parametrize(
    ("left", "outcome", "which"),
    [
        (0, Outcome.JOB_LIMIT_REACHED, "all"),
        (3, Outcome.JOB_LIMIT_REACHED, "complete"),
        (0, Outcome.OUT_OF_TIME, "complete"),
        (0, Outcome.INTERRUPTED, "complete"),
    ],
)
def test_only_pieces_whose_jobs_have_all_left_count_where_some_have_not(left, outcome, which):
    def read(run, pieces):
        raise Read(*pieces[0])

    run = SimpleNamespace(
        replications=[SimpleNamespace(kernel=None)], done=10, left=left, complete=[["complete"]], pieces=[["all"]]
    )
    question = SimpleNamespace(system=TWO, rate=0.5, reading=read)
    with pytest.raises(Read, match=which):
        result_of(question, run, outcome, 1.0, seed=1)


# Questions.


def test_how_much_is_asked_for():
    def asked(system=TWO, **options):
        return Question.of(system, root=seed_sequence(1), **options)

    assert asked(time=41.0).jobs == 20  # 20.5, to the even one
    assert asked(time=0.1).jobs == 1
    assert asked(jobs=7).jobs == 7
    assert asked().jobs == 1_000_000
    assert asked(precision=0.1).jobs == 1_000_000_000
    heavy = TWO.replace(classes=[c.replace(duration=Pareto(shape="3/2", minimum=1)) for c in TWO.classes])
    assert asked(heavy, precision=0.1).jobs == 1_000_000  # no run can reach it
    assert asked(jobs=7, controls=False).controls is None
    assert asked(jobs=7).controls is not None
    assert asked(heavy, jobs=7).why_plain.startswith(
        "the fourth moment of the durations of class 'small' (pareto) is infinite"
    )
    assert asked(heavy, jobs=7, controls=False).why_plain is None
    assert asked(jobs=7, warm_up=0.0).warm_up == 0.0
    for options in ({"warm_up": 1.0}, {"warm_up": -0.1}, {"jobs": 3, "time": 4.0}):
        with pytest.raises(InvalidInput):
            asked(**options)
    with pytest.raises(InvalidInput, match="level = 100 is no percentile"):
        checked_levels([50, 100])
    with pytest.raises(InvalidInput, match="level = 0 is no percentile"):
        checked_levels([0])


@pytest.mark.parametrize(
    ("jobs", "precision", "pace", "planned"),
    [
        (10**6, None, pace_of(4000.0, 1000.0), 10**6),
        (10**6, 0.1, pace_of(4000.0, 1005.0), 221_106),  # 1.1 · (50 · 4,000 + 1,005), rounded up
        (10**6, 0.1, pace_of(10.0, 0.0), 100_000),
        (150_000, 0.1, pace_of(4000.0, 1000.0), 150_000),
    ],
)
def test_the_first_look_spans_fifty_memories(jobs, precision, pace, planned):
    question = Question.of(TWO, root=seed_sequence(1), jobs=jobs, precision=precision, replications=1)
    assert question.plan(pace).jobs == planned
    assert question.plan(pace) == Plan.of(planned, pace, replications=1)


def test_a_run_as_it_is_made():
    larger = TWO.replace(classes=[c.replace(need=2 * c.need) for c in TWO.classes])
    known = Known(stability_threshold=0.6)
    question = Question.of(larger, root=seed_sequence(1), known=known, jobs=5000, precision=0.25, controls=False)
    plan = Plan(replications=3, warm_up=10, piece=20, pieces=5)
    run = question.new_run(plan)
    assert (run.in_service, run.stable, run.most_jobs, run.precision) == (3, True, 5000, 0.25)
    assert [(each.record.warm_up, each.record.piece) for each in run.replications] == [(10, 20)] * 3
    assert run.replications[0].record.lowest == first_bin(2.0)
    assert run.replications[0].record.controls.shape[1] == 0
    assert run.jobs_at(2) == 3 * (10 + 40)
    controlled = Question.of(TWO, root=seed_sequence(1), jobs=5000)
    run = controlled.new_run(plan)
    assert run.replications[0].record.controls.shape[1] == FIRST_CLASS + 4
    assert run.stable is False
    streams = [new_replication(TWO, 0.5, Streams(root=seed_sequence(1), replication=i)) for i in (0, 1)]
    first, second = (each.source.take(3).arrival.tolist() for each in streams)
    assert [each.source.take(3).arrival.tolist() for each in run.replications[:2]] == [first, second]
    assert first != second


@pytest.mark.parametrize(("areas", "share", "busy"), [((), 0.5, 3.0), (("busy_servers",), 0.5, 0.0), ((), None, 0.0)])
def test_gaps_are_cut_only_where_nothing_is_added_up_meanwhile(monkeypatch, areas, share, busy):
    """At least half of six servers are busy where jobs wait, if the policy says so and no engine looks at the clock."""
    asked = []
    monkeypatch.setattr(questions, "SystemJobs", lambda *_, **options: asked.append(options))
    monkeypatch.setattr(questions, "engine_of", lambda *_: SimpleNamespace(areas=areas))
    monkeypatch.setattr(
        questions, "policy_of", lambda _: SimpleNamespace(least_busy=lambda servers, need: (share, None))
    )
    made = new_replication(TWO, 0.5, Streams(root=seed_sequence(1), replication=0))
    assert asked[0]["least_busy"] == busy
    assert made.record.marks.shape[1] == 4 + len(areas)


@pytest.mark.parametrize(
    ("replications", "piece", "words"),
    [
        (9000, 10**6, ["2 classes: about 1.1 GB of memory"]),  # eight bytes for each of 2 · 7,680 bins
        (8000, 10**6, []),
        (9000, 100, []),  # 16 for each job
    ],
)
def test_unusual_memory_is_told_before(replications, piece, words):
    seen = []
    question = Question.of(TWO, root=seed_sequence(1), jobs=5000)
    plan = Plan(replications=replications, warm_up=0, piece=piece, pieces=5)
    question.tell_cost(plan, Effort(progress=seen.append))
    assert [(each.words, each.notice) for each in seen] == [(each, True) for each in words]


# Controls.


def test_controls_of_many_classes_by_hand():
    """Five classes: instead of each, work, time and squares of all, and the class that is asked about."""
    shares, needs, durations = (0.1, 0.2, 0.3, 0.25, 0.15), (1, 2, 3, 4, 5), (5.0, 4.0, 3.0, 2.0, 1.0)
    controls = Controls(
        weights=((1.0,) * 5, (2.0,) * 5), workloads=(0.5, 0.25), busy=(0.3, 0.6), gap=2.0, square=7.0,
        shares=shares, needs=needs, durations=durations,
    )  # fmt: skip
    assert controls.columns == FIRST_CLASS + 10
    sums = np.zeros((1, controls.columns))
    sums[0, :2] = 11.0, 3.0
    sums[0, SERVERS : SERVERS + 2] = 4.0, 8.0
    sums[0, SQUARES] = 100.0
    sums[0, FIRST_CLASS : FIRST_CLASS + 5] = 2, 3, 5, 6, 4  # twenty jobs, where 2, 4, 6, 5 and 3 are expected
    sums[0, FIRST_CLASS + 5 :] = 9, 17, 20, 11, 2  # where 10, 16, 18, 10 and 3 are
    beyond = np.array([-1.0, 1.0, 2.0, 1.0, -1.0])
    found = controls.centred(sums, np.array([45.0]), job_class=3, busy=True)[0]
    work = float(beyond @ np.array(needs))
    assert found == pytest.approx([11 - 10, 3 - 5, 45 - 40, 4 - 6, 8 - 12, work, 2.0, 100 - 140, 6 - 5, 1.0])
    fewer = controls.centred(sums, np.array([45.0]), job_class=None, busy=False)[0]
    assert fewer == pytest.approx([1.0, -2.0, 5.0, work, 2.0, -40.0])


def test_controls_of_few_classes_by_hand():
    controls = Controls(
        weights=((1.0,) * 2,), workloads=(0.5,), busy=(0.3,), gap=2.0, square=7.0,
        shares=(0.25, 0.75), needs=(1, 2), durations=(4.0, 2.0),
    )  # fmt: skip
    sums = np.zeros((1, controls.columns))
    sums[0, 0], sums[0, SERVERS] = 5.0, 3.0
    sums[0, FIRST_CLASS:] = 3, 5, 11, 9  # of 8 jobs: 2 and 6, of 8 and 12, are expected
    assert controls.centred(sums, np.array([20.0]), job_class=1, busy=False)[0] == pytest.approx([1, 4, -1, 3, -3])
    assert controls.centred(sums, np.array([20.0]), job_class=None, busy=True)[0] == pytest.approx(
        [1, 4, 0.6, -1, 3, -3]
    )


def test_which_servers_go_along():
    """Needs 1 and 3 of six servers; the naive threshold is 6/4.5 = 4/3."""
    whole = [1 / 6, 1 / 2]
    # Known, and a fiftieth below the naive one: as near to the limit as the cluster, and with 1.6 times the room.
    found = _candidates(TWO, 0.5, 1.0, [0.3, 0.6])
    assert found == [pytest.approx(whole), pytest.approx([0.3, 0.6]), pytest.approx([0.3 * 0.4, 0.6 * 0.4])]
    found = _candidates(TWO, 0.25, 1.0, [0.3, 0.6])
    assert found == [pytest.approx(whole), pytest.approx([0.3, 0.6])]  # 1.6 · 0.75 is more than all
    found = _candidates(TWO, 0.5, 1.0, None)
    assert found[1] == pytest.approx([4 / 3 * each for each in whole])
    assert len(_candidates(TWO, 0.5, 4 / 3 / 1.02 + 1e-9, [0.3, 0.6])) == 1
    assert len(_candidates(TWO, 0.5, 4 / 3 / 1.02 - 1e-9, [0.3, 0.6])) == 3
    # Larger needs first: those of at least 3, whether a threshold is known to be the naive one or not known.
    first = TWO.replace(policy="most-servers-first")
    assert _candidates(first, 0.5, None, None) == [pytest.approx(whole), pytest.approx([0, 1 / 2])]
    # Not known: 0.75, 0.88 and 0.96 busy, where 0.375 are.
    found = _candidates(TWO, 0.5, None, None)
    assert found == [pytest.approx([each * busy / 0.375 for each in whole]) for busy in (0.375, 0.75, 0.88, 0.96)]


def test_means_of_the_servers_that_go_along():
    """By Pollaczek and Khinchine; E[S²] = 8 and 16. A server of weight w must be seen for fifty of its memories."""
    found = Controls.of(TWO, 0.5, threshold=1.0, weights=[0.3, 0.6], jobs=10**6)
    loads, works = [], []
    for small, large in ((1 / 6, 1 / 2), (0.3, 0.6), (0.12, 0.24)):
        load = 0.5 * (0.75 * small * 2 + 0.25 * large * 4)
        loads.append(load)
        works.append(0.5 * (0.75 * small**2 * 8 + 0.25 * large**2 * 16) / (2 * (1 - load)))
    assert found.busy == pytest.approx(loads)
    assert found.workloads == pytest.approx(works)
    assert (found.gap, found.square) == pytest.approx((2.0, 0.75 * 8 + 0.25 * 9 * 16))
    assert (found.shares, found.needs, found.durations) == ((0.75, 0.25), (1, 3), (2.0, 4.0))
    # 2 · rate · (rate · E[Y²])/(1 − load)² jobs of memory: of the second server, and the first goes along anyhow.
    square = 0.5 * (0.75 * 0.3**2 * 8 + 0.25 * 0.6**2 * 16)
    memory = 2 * 0.5 * square / (1 - loads[1]) ** 2
    third = 2 * 0.5 * square * 0.16 / (1 - loads[2]) ** 2
    assert third < memory
    for jobs, servers in ((50 * memory * 1.001, 3), (50 * memory * 0.999, 2), (50 * third * 0.999, 1), (1, 1)):
        assert len(Controls.of(TWO, 0.5, threshold=1.0, weights=[0.3, 0.6], jobs=jobs).weights) == servers
    nobody = JobClass(name="nobody", need=2, share=0, duration=Pareto(shape="3/2", minimum=1))  # no variance, no jobs
    further = Controls.of(
        TWO.replace(classes=[*TWO.classes, nobody]), 0.5, threshold=1.0, weights=[0.3, 0.6, 1.0], jobs=1
    )
    assert (further.square, further.workloads) == (pytest.approx(42.0), pytest.approx(works[:1]))
    overloaded = Controls.of(TWO, 1.4, threshold=None, weights=None, jobs=10**9)
    assert overloaded.weights == ()  # a server that is always busy has no mean


def test_why_nothing_goes_along():
    assert why_no_controls(TWO) is None
    assert why_no_controls(TWO.replace(policy="loss")).startswith("where nobody waits")
    heavy = TWO.classes[1].replace(duration=Pareto(shape=4, minimum=1))
    assert "class 'large' (pareto) is infinite" in why_no_controls(TWO.replace(classes=[TWO.classes[0], heavy]))
    light = TWO.classes[1].replace(duration=Lognormal(mean=1, cv=3))
    assert why_no_controls(TWO.replace(classes=[TWO.classes[0], light])) is None


# Runs that are looked at.


def test_words_for_long_times_and_the_moments_of_doubt():
    times = (60.0, 150.0, 7199.0, 7200.0, 172_799.0, 172_800.0)
    assert [_long(each) for each in times] == ["2 minutes", "2 minutes", "120 minutes", "2 hours", "48 hours", "2 days"]
    assert [_doubts(each) for each in (11, 12, 15)] == [(10, 12), (12, 15), (15, 18)]


def run_of(looks=(), precision=None, jobs=1000, pieces=10, warm_up=100, piece=45, replications=2, ended=0):
    """Two replications of 500 jobs: a warm-up of 100 and pieces of 45."""
    record = SimpleNamespace(piece=piece, ended=ended)
    run = Run(
        plan=Plan(replications=replications, warm_up=warm_up, piece=piece, pieces=pieces),
        pace=pace_of(),
        replications=[SimpleNamespace(record=record)] * replications,
        most_jobs=jobs,
        precision=precision,
        stable=True,
        in_service=1.0,
        relative_half_width=lambda run: 0.0,
    )
    run.looks = list(looks)
    return run


def test_where_a_run_ends():
    """400 jobs in each after the warm-up: 8.9 pieces of 45. All are asked for; with a precision no more than all."""
    assert run_of()._last_piece() == 9
    assert run_of(precision=0.1, pieces=4)._last_piece() == 8
    assert run_of(precision=0.1, pieces=10)._last_piece() == 10  # but for the first look
    assert (run_of(piece=40)._last_piece(), run_of(piece=40, precision=0.1, pieces=4)._last_piece()) == (10, 10)
    assert run_of()._next_look() == 9


@pytest.mark.parametrize(
    ("ended", "looked", "following"),
    [(0, None, 4), (3, None, 4), (4, None, 4), (4, 4, 6), (6, 4, 6), (6, 6, 8), (7, 6, 8), (8, 6, 8)],
)
def test_looks_come_after_one_and_a_half_and_two_lengths(ended, looked, following):
    run = run_of(precision=0.1, pieces=4, jobs=10**6, ended=ended)
    if looked is not None:
        run.looks = [(2 * (100 + 45 * looked), 0.5)]
    assert run._next_look() == following


def test_two_looks_must_agree():
    """From 100 to 225 jobs a half-width shrinks to two thirds: before it may be 1.15 · 1.5 times as wide."""
    for before, now, precise in ((0.172, 0.1, True), (0.173, 0.1, False), (0.172, 0.101, False)):
        assert run_of([(100, before), (225, now)], 0.1)._precise() is precise
        looks = Looks(SimpleNamespace())
        looks.standings = [Standing(blocks=1, jobs=100, width=before), Standing(blocks=2, jobs=225, width=now)]
        assert looks._precise(0.1) is precise
    assert run_of([(225, 0.1)], 0.1)._precise() is False
    assert run_of([(100, 0.1), (225, 0.1)], None)._precise() is False
    looks.standings = looks.standings[1:]
    assert looks._precise(1.0) is False


@pytest.mark.parametrize(
    ("looks", "precision", "arrived", "done", "words"),
    [
        ((), None, 250, 0.25, "250 jobs"),
        ((), 0.1, 250, 0.25, "250 jobs"),
        ([(100, 0.2)], 0.1, 250, 250 / 400, "250 jobs, ± 20.00%"),  # 100 · (0.2/0.1)² jobs will do
        ([(100, 0.2)], 0.1, 500, 1.0, "500 jobs, ± 20.00%"),
        ([(100, 0.2)], 0.01, 500, 0.5, "500 jobs, ± 20.00%"),  # more jobs than are allowed
        ([(100, 0.0)], 0.1, 250, 0.25, "250 jobs"),
        ((), None, 2500, 1.0, "2,500 jobs"),
    ],
)
def test_how_far_a_run_is(looks, precision, arrived, done, words):
    assert run_of(looks, precision)._progress(arrived) == (pytest.approx(done), words)


def test_replications_wait_for_each_other_at_twice_the_plan_or_where_the_queue_is_in_doubt():
    run = run_of(pieces=10)
    assert [run._together(goal, 0) for goal in (15, 20, 50)] == [15, 20, 20]
    run.stable = False
    assert [run._together(goal, 8) for goal in (9, 50)] == [9, 10]


@pytest.mark.parametrize(("ended", "most"), [(20, 900), (5, 500)])
def test_counted_jobs_are_followed_for_as_many_again_or_fifty_memories(ended, most):
    """Pieces of 45 jobs and a memory of 10."""
    run, asked = run_of(ended=ended), []
    run.replications = [
        SimpleNamespace(record=SimpleNamespace(ended=ended, piece=45, left_of=lambda pieces: 3), follow=None, arrived=0)
    ] * 2

    def submit(follow, *given, **options):
        asked.append(given)
        done = Future()
        done.set_result(None)
        return done

    run._follow(SimpleNamespace(submit=submit), Effort(), None)
    assert asked == [(ended, most)] * 2
    assert (run.counted, run.left) == (ended, 6)


def test_whether_a_queue_ran_away_is_asked_of_every_piece_since(monkeypatch):
    """Nine pieces: asked after eight, so of the ninth only. Marks: clock, time skipped, idle area, jobs present."""
    asked = []

    def listen(present, lasted, **more):
        asked.append((present.tolist(), lasted.tolist(), more))

    monkeypatch.setattr(running, "growth_rate", listen)
    run = run_of(ended=9)
    marks = np.array([[2.0 * i + i**2, 0.5 * i, 77.0, 10.0 + i] for i in range(12)])
    run.replications = [SimpleNamespace(record=SimpleNamespace(ended=9, piece=45, marks=marks))]
    assert run._grew() is False
    ((present, lasted, more),) = asked
    assert present == [[10.0 + i for i in range(1, 10)]]
    assert lasted == [[2.5 + 2 * i - 1 for i in range(1, 10)]]
    assert more == {"in_service": 1.0, "before": 100 / 45}
    monkeypatch.setattr(running, "growth_rate", lambda *_, **__: 2.5)
    assert run._grew() is True
    assert run.growth == 2.5


# Blocks.


def test_blocks_of_a_stream():
    """M/M/1 at 0.98: memory 0.98 · (1 + 4/0.02²) = 9,801 jobs. Ten of them are a block of eight pieces."""
    busy = Stream(system=ONE.replace(arrival_rate=0.98), known=Known(stability_threshold=1.0), seed=1)
    assert busy.piece == math.ceil(0.98 * 10_001 * 10 / 8)
    assert busy.warm_up(0) == busy.warm_up(3) == math.ceil(0.98 * (5 + 2 * 10_000))
    assert busy.jobs_at(33) == 33 * busy.warm_up(0) + 34 * 8 * busy.piece
    assert busy.question.jobs == math.ceil(50 * busy.pace.memory)
    # Ten thousand servers that a tenth of is used: the warm-up, four times over, is longer than ten memories.
    wide = ONE.replace(servers=10_000, arrival_rate=1000.0)
    known = Stream(system=wide, known=Known(stability_threshold=10_000.0), seed=1)
    settling = 1000 * (5 + 2 * 2 * 20_000 / 9000**2)
    assert known.piece == math.ceil(settling / 0.25 / 8)
    assert known.warm_up(2) == math.ceil(settling)
    unknown = Stream(system=wide, seed=1)
    assert [unknown.warm_up(stage) for stage in (0, 2)] == [2 * unknown.piece, 8 * unknown.piece]
    assert Stream(system=ONE, known=Known(stability_threshold=1.0), seed=1).piece == 250
    assert Stream(system=ONE, known=Known(stability_threshold=1.0), seed=1, controls=False).question.controls is None
    assert [stage_of(index) for index in (31, 32, 47, 48, 63, 64)] == [0, 1, 1, 2, 2, 3]
    assert [blocks_at(look) for look in (0, 1, 4)] == [32, 40, 64]


@pytest.mark.parametrize(("index", "stage"), [(31, 0), (100, 5)])
def test_a_block_is_run_and_followed(monkeypatch, index, stage):
    """Until its jobs have left; at most for as many jobs again, and for fifty memories."""
    told = []

    class One:
        record = SimpleNamespace(tallies=lambda pieces: block(10).tallies()[:pieces])

        def advance(self, pieces):
            told.append(pieces)

        def follow(self, pieces, most):
            told.append((pieces, most))
            return 9

    def made(system, rate, streams, **options):
        told.append((rate, streams.replication, options["warm_up"], options["piece"], options["controls"] is None))
        return One()

    monkeypatch.setattr(blocks, "new_replication", made)
    stream = Stream(system=ONE.replace(arrival_rate=0.98), known=Known(stability_threshold=1.0), seed=1, controls=False)
    found = stream.run(index)
    piece = 12_252 * 2**stage
    most = math.ceil(max(8 * piece, 50 * 0.98 * 10_001))
    assert told == [(0.98, index, stream.warm_up(stage), piece, True), 8, (8, most)]
    assert (found.left, len(found.time)) == (9, 8)
    assert all(len(each.waiting.bins) == len(each.waiting.counts) == 0 for each in found.tallies())


def block(jobs, number=0, left=0):
    """Eight pieces; a quarter of the jobs wait, 3 on average."""
    empty = Sketch.of(0, np.zeros(4, np.int64))
    one = Sketch(0, np.array([7]), np.array([number + 1]))
    tallies = []
    for i in range(PIECES):
        sums = np.zeros((2, len(COLUMNS)))
        for name, value in (("jobs", 1.0), ("waiting", 3.0), ("waited", 0.25)):
            sums[:, COLUMNS.index(name)] = 0.25 * value * jobs, 0.75 * value * jobs
        areas = np.array([100.0 * number + i])
        tallies.append(Tally(sums, one if i == 0 else empty, one, 2.0 + i, 0.1 * i, 0.2 * i, i, areas, areas, areas))
    return Block.of(tallies, left)


def looks_of(blocks, warm_up=(50, 100), threshold=None, jobs_at=None, **pace):
    """Six servers at rate 1/2; the queue of the blocks asks for 68.1 jobs of warm-up, from a memory of 54.07."""
    stream = SimpleNamespace(
        system=TWO,
        question=SimpleNamespace(rate=0.5),
        known=Known(stability_threshold=threshold),
        pace=pace_of(20.0, 7.0, known=threshold is not None, **pace),
        piece=10,
        warm_up=lambda stage: warm_up[stage],
        jobs_at=jobs_at or (lambda blocks: 1000 * blocks),
    )
    made = Looks(stream)
    made.blocks = blocks
    return made


BLOCKS = [block(10 * 2 ** stage_of(i), i) for i in range(48)]


@pytest.mark.parametrize(
    ("warm_up", "threshold", "batches", "jobs", "settled"),
    [
        ((70, 140), None, 32, 32 * 160, True),
        ((50, 100), None, 16, 16 * 160, True),  # the first blocks have not forgotten that they began empty
        ((50, 60), None, 16, 16 * 160, False),  # nor have the others
        ((7, 14), 1.0, 32, 32 * 160, True),  # it is known what is enough
        ((6, 14), 1.0, 32, 32 * 160, False),
    ],
)
def test_which_blocks_count(warm_up, threshold, batches, jobs, settled):
    reading, groups = looks_of(BLOCKS, warm_up, threshold).counted(48)
    assert (len(reading.batches), reading.jobs, reading.settled) == (batches, jobs, settled)
    assert len(reading.pieces) == 8 * batches
    assert groups[-1] == [47]
    assert groups[0] == ([0, 1] if batches == 32 else [32])
    memory = 20.0 if threshold else 0.5 * (4 + 8 * 27**2 / 56)
    assert reading.pace.memory == pytest.approx(memory)
    if batches == 32:  # two blocks of eight pieces each are eight pieces together
        assert reading.pieces[0].time == pytest.approx(2 + 3)
        assert reading.pieces[4].time == pytest.approx(2 + 3)
    first = groups[0]
    assert reading.batches[0].waiting.counts.sum() == sum(i + 1 for i in first)
    assert reading.batches[0].response.counts.sum() == sum(8 * (i + 1) for i in first)
    assert reading.batches[0].areas.tolist() == [sum(800.0 * i + 28 for i in first)]


def test_blocks_put_together():
    assert _batches(0, 36) == [[2 * i, 2 * i + 1] for i in range(16)] + [[32], [33], [34], [35]]
    assert _batches(1, 34) == [[2 * i, 2 * i + 1] for i in range(1, 16)] + [[32], [33]]  # one is left over
    assert _batches(32, 50) == [[2 * i, 2 * i + 1] for i in range(16, 24)] + [[48], [49]]
    both = _whole([*BLOCKS[1].tallies(), *BLOCKS[3].tallies()], [BLOCKS[1], BLOCKS[3]])
    assert both.time == pytest.approx(2 * sum(range(2, 10)))
    assert both.waiting.counts.tolist() == [2 + 4]
    assert (both.wasted_area, both.busy_area, both.present) == (pytest.approx(5.6), pytest.approx(11.2), 7)


def test_growth_is_seen_in_the_longest_blocks(monkeypatch):
    given = {}

    def listen(present, time, **more):
        given.update(more, present=present, time=time)
        return 3.0

    monkeypatch.setattr(looking, "growth_rate", listen)
    made = looks_of(BLOCKS[:40], (5, 9))
    assert made._growth() == 3.0
    assert (len(given["present"]), len(given["time"])) == (8, 8)
    assert given["present"][0].tolist() == list(range(8))
    assert (given["in_service"], given["before"]) == (6, 9 / 20)
    assert made._look() == Standing(blocks=40, jobs=40_000, width=math.inf, growth=3.0)
    row = made.rows()
    assert row == []
    made.standings = [made._look()]
    (row,) = made.rows(method="so")
    assert (row.name, row.value, row.method) == ("queue_growth_rate", 3.0, "so")
    assert made.outcome(precision=0.1, jobs=10**9) is Outcome.UNSTABLE
    assert made.sentence() == "The number of jobs grows by about 3 per unit of time; no mean is meaningful"
    monkeypatch.setattr(looking, "growth_rate", lambda *_, **__: None)
    made.blocks = [*made.blocks[:38], block(20, 38, left=4), block(20, 39, left=3)]
    assert made._look() == Standing(blocks=40, jobs=40_000, width=math.inf, left=7)
    made.standings = [made._look()]
    assert made.rows() == []
    assert made.sentence().startswith("7 of the jobs counted had not left after as many more had come")


@pytest.mark.parametrize(
    ("standings", "no_variance", "jobs", "outcome"),
    [
        ([], None, 31_999, "TOO_SHORT"),  # the first look is about 32 blocks, of 1,000 jobs each here
        ([], None, 32_000, None),
        ([0.2], None, 40_000, None),
        ([0.2], None, 39_999, "PRECISION_NOT_REACHED"),
        ([math.inf], None, 39_999, "TOO_SHORT"),
        ([math.inf], "heavy", 39_999, "PRECISION_NOT_REACHED"),
        ([0.1, 0.1], None, 39_999, "CONVERGED"),
        ([math.inf] * 3, "heavy", 10**9, None),
        ([math.inf] * 4, "heavy", 10**9, "JOB_LIMIT_REACHED"),
        ([math.inf] * 4, None, 10**9, None),
    ],
)
def test_how_a_stream_ends(standings, no_variance, jobs, outcome):
    made = looks_of([])
    made.__dict__["_no_variance"] = no_variance
    made.standings = [
        Standing(blocks=blocks_at(i), jobs=1000 * blocks_at(i), width=width) for i, width in enumerate(standings)
    ]
    assert made.outcome(precision=0.1, jobs=jobs) is (None if outcome is None else Outcome[outcome])
    if no_variance and len(standings) == 4:
        made.standings[-1] = Standing(blocks=56, jobs=56_000, width=math.inf, left=2)
        assert made.outcome(precision=0.1, jobs=jobs) is Outcome.TOO_SHORT
        made.standings[-1] = Standing(blocks=56, jobs=56_000, width=math.inf)
        assert made.sentence() == "Heavy"


@pytest.mark.parametrize(
    ("width", "jobs", "blocks"),
    [
        (0.1, 32_000, 40),  # at least those of the next look
        (0.2, 10_000, 40),  # 10,000 · (0.2/0.1)² is what the next look brings
        (0.2, 10_001, 48),
        (0.2, 32_000, 72),  # no further than four looks
        (math.inf, 32_000, 40),
    ],
)
def test_how_many_blocks_it_will_take(width, jobs, blocks):
    made = looks_of([])
    made.standings = [Standing(blocks=32, jobs=jobs, width=width)]
    assert made.expected(0.1) == blocks
    made.__dict__["_no_variance"] = "heavy"
    assert made.expected(0.1) == 40
    made.standings = []
    assert made.expected(0.1) == 32


def test_why_a_stream_has_no_interval():
    made = looks_of(BLOCKS)
    assert made.sentence() == (
        "The shortest run takes 32,000 jobs, since the relaxation time at this load is about 20 jobs; allow more jobs"
    )
    made.standings = [Standing(blocks=48, jobs=48_000, width=math.inf)]
    # 16 · 160 jobs are 47 memories of 54.07, and 60 are asked for where the threshold is not known.
    too_few = "48,000 jobs are too few for an interval: the relaxation time is about 55 jobs; allow more jobs"
    assert made.sentence() == too_few
    enough = looks_of(BLOCKS, (70, 140))
    enough.standings = list(made.standings)
    assert enough.sentence() is None


def test_a_look_is_made_when_its_blocks_are_here(monkeypatch):
    made = looks_of([])
    monkeypatch.setattr(Looks, "_look", lambda self: Standing(blocks=self.through, jobs=1, width=1.0))
    for i in range(48):
        made.add(BLOCKS[i])
    assert [each.blocks for each in made.standings] == [32, 40, 48]
    assert (made.through, made.wanted) == (48, 56)
