"""The rules by which sections are filled, apart from what fills them: loads, times, words, which points are drawn."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hand_made import CLUSTER, capacity, policy, report, row

from msj.answers.response import Response
from msj.disciplines import EasyBackfilling, Fcfs, ServerFilling, ServerFillingSrpt
from msj.effort import Cost, Effort
from msj.errors import Failure, NotSupported
from msj.reports import gather, outlook, policies, response
from msj.reports.contents import Curve, Point, ResponseSection
from msj.reports.gather import _more_time, given_load, how_much, jobs_for, load_of
from msj.reports.outlook import outlook_section
from msj.reports.policies import _asks_for, _much_longer, policy_rows
from msj.reports.response import _times, _with_here, taken, waiting_section
from msj.reports.timetable import Timetable
from msj.results import Missing, Outcome, Result

#: Ten servers, 9.5 server-times a job: all servers busy would serve this many jobs.
NAIVE = 10 / 9.5


# The load


@pytest.mark.parametrize(
    ("precision", "jobs"), [(0.02, 1_000_000), (0.1, 40_000), (0.15, 20_000), (0.01, 4_000_000), (0.005, 4_000_000)]
)
def test_jobs_go_by_the_square_of_the_precision_between_two_ends(precision, jobs):
    assert jobs_for(precision) == jobs


@pytest.mark.parametrize(
    ("given", "rate", "words"),
    [
        ({}, 0.64, "no load is given, so 0.8 of the stability threshold is taken"),
        ({"load": 0.5}, 0.4, "load 0.5, as given"),
        ({"arrival_rate": 0.6}, 0.6, "arrival rate 0.6, as given"),
        ({"utilisation": 0.57}, 0.6, "utilisation 0.57, as given"),
    ],
)
def test_a_load_is_said_in_three_ways(given, rate, words):
    found = load_of(CLUSTER.replace(**given), capacity(0.8, NAIVE))
    assert (found.arrival_rate, found.load, found.utilisation) == pytest.approx((rate, rate / 0.8, rate / NAIVE))
    assert (found.words, found.stable) == (words, True)
    assert given_load(CLUSTER.replace(**given)) == next(iter(given), None)


@pytest.mark.parametrize(
    ("given", "stable"),
    [
        ({"arrival_rate": 0.84}, True),  # not surely too much
        ({"arrival_rate": 0.85}, False),
        ({"load": 0.99}, True),
        ({"load": 1}, False),  # whatever the threshold is
        ({"load": 1.05}, False),
    ],
)
def test_too_much_is_what_is_surely_too_much(given, stable):
    found = load_of(CLUSTER.replace(**given), capacity(0.8, NAIVE, kind="simulated", low=0.75, high=0.85))
    assert found.stable is stable
    assert load_of(CLUSTER.replace(arrival_rate=0.8), capacity(0.8, NAIVE)).stable is False


def test_where_no_threshold_is_found_a_rate_is_compared_with_what_no_policy_exceeds(monkeypatch):
    def refuse(*_):
        raise NotSupported("nothing applies")

    monkeypatch.setattr(gather, "find_capacity", refuse)
    monkeypatch.setattr(gather, "bounded_capacity", lambda _: capacity(0.9, NAIVE, kind="bound"))
    found, load, notes = how_much(CLUSTER.replace(arrival_rate=0.5), Effort(), np.random.SeedSequence(1))
    assert found.stability_threshold.kind == "bound"
    assert (load.arrival_rate, load.load) == pytest.approx((0.5, 0.5 / 0.9))
    assert notes == ["How much it can take is not known: nothing applies."]
    for unknown in (CLUSTER, CLUSTER.replace(load=0.5)):  # a share of what nobody knows
        assert how_much(unknown, Effort(), np.random.SeedSequence(1)) == (None, None, notes)


def test_how_much_time_would_have_been_enough():
    """37 % of a million jobs in each second are for the run: 370,000 jobs are one second's share; a fifth is added."""
    short = ResponseSection(enough_jobs=370_000_000.0)
    assert list(_more_time(short)) == ["--seconds 1200 would be enough for that."]
    assert list(_more_time(replace(short, enough_jobs=None))) == []


def test_a_section_has_its_share_of_the_work_and_the_clock_ends_none_of_it():
    told = []
    times = Timetable(seconds=100.0, progress=told.append, started=time.monotonic() - 99.0)
    first, second = times.section("curve", 0.5), times.section("outlook", 0.25, parts=100, jobs=7)
    assert [now.done for now in told] == [0.0, 0.5]
    assert not first.over
    assert not times.late
    assert (first.operations, second.operations, second.jobs) == (5e10, 2.5e9, 7)
    assert times.jobs(0.25) == 25_000_000
    assert Timetable(seconds=1.0, started=time.monotonic() - 1000.0).section("late", 1.0).over


# Response times


def test_only_evidence_well_above_a_rate_says_that_it_is_taken():
    evidence = capacity(0.9, kind="simulated", low=0.8, high=0.95, bracket=True)
    assert [taken(rate, evidence) for rate in (0.75, 0.765)] == [True, False]  # 0.95 of 0.8 is 0.76
    assert taken(0.1, capacity(0.8)) is False


def test_a_cost_of_several_loads_takes_as_much_memory_as_one():
    assert _times(Cost(operations=5.0, bytes=7.0), 3) == Cost(operations=15.0, bytes=7.0)


def test_percentiles_are_the_exact_ones_if_there_are_any():
    exact, seen = row("waiting_time_percentile", 3.0, level=90.0), row("waiting_time_percentile", 4.0, level=90.0)
    other = row("mean_response_time", 5.0)
    assert waiting_section(ResponseSection(here=(other, exact), simulated_here=(seen,))).rows == (exact,)
    assert waiting_section(ResponseSection(here=(other,), simulated_here=(other, seen))).rows == (seen,)
    assert waiting_section(ResponseSection(here=(other,))).notes == ("No percentiles are known at this load.",)


def test_the_point_at_the_load_stands_in_its_place_on_the_curve():
    points = [Point(arrival_rate=rate, utilisation=rate / NAIVE, mean_response_time=row("mean_response_time", 9.0))
              for rate in (0.2, 0.6)]  # fmt: skip
    curve = Curve(name="simulated", kind="simulated", points=tuple(points))
    rows = [row("mean_response_time", 7.0, job_class="small"), row("mean_response_time", 5.0), row("arrival_rate", 0.5)]
    found = _with_here(curve, ResponseSection(simulated_here=tuple(rows)), CLUSTER)
    assert [point.arrival_rate for point in found.points] == [0.2, 0.5, 0.6]
    assert found.points[1].utilisation == pytest.approx(0.475)
    assert found.points[1].mean_response_time.value == 5.0
    for less in (rows[:2], [rows[0], rows[2]]):
        assert _with_here(curve, ResponseSection(simulated_here=tuple(less)), CLUSTER) is curve


# Policies


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Fcfs(), "nothing"),
        (EasyBackfilling(), "run-time estimates"),
        (ServerFilling(), "preemption"),
        (ServerFillingSrpt(), "preemption, known durations"),
    ],
)
def test_what_a_policy_asks_for(given, words):
    assert _asks_for(given) == words


@pytest.mark.parametrize(
    ("mean", "low", "told"), [(30.0, 19.0, True), (29.9, 19.0, False), (30.0, 0.0, False), (30.0, None, False)]
)
def test_a_policy_that_keeps_jobs_three_times_as_long_is_explained(mean, low, told):
    own = policy("fcfs", own=True, mean=10.0)
    slow = policy("first-fit", mean=mean, difference=(mean - 10.0, low, 21.0))
    chosen = {"fcfs": SimpleNamespace(summary="a"), "first-fit": SimpleNamespace(summary="whoever fits")}
    said = ["first-fit keeps jobs 3.0 times as long here (whoever fits)."] * told
    assert list(_much_longer([own, slow], chosen)) == said
    assert list(_much_longer([slow], chosen)) == []


def test_policies_that_were_cut_are_left_out_and_others_say_why_they_have_no_mean():
    at = [{"policy": name} for name in ("fcfs", "first-fit", "best-fit", "max-weight")]
    rows = [
        row("mean_response_time", 10.0, at=at[0]),
        row("mean_response_time", 8.0, at=at[1]),
        row("response_time_percentile", 20.0, level=95.0, at=at[1]),
        row("response_time_percentile", 40.0, level=99.0, at=at[1]),
        row("mean_response_time_difference", -2.0, at=at[1]),
        row("arrival_rate", 0.5, at=at[2]),
        row("arrival_rate", 0.5, at=at[3]),
    ]
    gaps = (
        Missing(name="x", failure=Failure.UNSTABLE, reason="it grows", at=at[3]),
        Missing(name="x", failure=Failure.OUT_OF_TIME, reason="no time", at={"policy": "late"}),
    )
    found = Result(system={}, quantities=tuple(rows), outcome=Outcome.SOLVED, provenance={}, missing=gaps)
    lines = policy_rows(found, dict.fromkeys(["fcfs", "first-fit", "best-fit", "max-weight", "late", "never"], Fcfs()))
    assert [(line.policy, line.own, line.stable, line.why_no_mean) for line in lines] == [
        ("fcfs", True, True, ""),
        ("first-fit", False, True, ""),
        ("best-fit", False, True, "not settled in so many jobs"),
        ("max-weight", False, False, ""),
    ]
    second = lines[1]
    assert (second.mean_response_time.value, second.percentile_95.value, second.difference.value) == (8.0, 20.0, -2.0)
    cut = policy_rows(found, dict.fromkeys(["late", "first-fit"], Fcfs()))
    assert [line.own for line in cut] == [False]  # the first of those asked about was cut


# Outlook


def test_an_outlook_of_too_much_is_at_the_usual_load_and_one_without_time_is_none():
    made = report(stable=False, load=1.25)
    root, over = np.random.SeedSequence(1), Effort(until=0.0)
    found = outlook_section(CLUSTER, made.load, capacity(0.8, NAIVE), ResponseSection(), over, root)
    assert (found.kept, found.share, found.rows) == ("load", 0.8, ())
    assert found.notes == (
        "The load itself is too much; the outlook is at load 0.8.",
        "10 servers and more are left out to keep the report within its time.",
    )
    evidence = capacity(0.9, 1.25, kind="simulated", low=0.75, high=0.95, bracket=True)
    found = outlook_section(CLUSTER, made.load, evidence, ResponseSection(), over, root)
    assert (found.kept, found.share) == ("utilisation", pytest.approx(0.48))  # 0.8 of the 60 % that are surely taken
    calm = outlook_section(CLUSTER, report(load=1.0).load, capacity(0.8, NAIVE), ResponseSection(), over, root)
    assert calm.share == 0.8
    own = outlook_section(CLUSTER, report(load=0.7).load, capacity(0.8, NAIVE), ResponseSection(), over, root)
    assert (own.share, len(own.notes)) == (0.7, 1)


@pytest.mark.parametrize(
    ("takes", "load", "kept", "asked"),
    [
        (capacity(0.8, NAIVE), {"load": 0.7}, "load", [(20, 0.7), (40, 0.7), (80, 0.7)]),
        (capacity(0.9, kind="simulated", low=0.8, high=0.95, bracket=True), {"utilisation": 0.6, "load": 0.7},
         "utilisation", [(20, 0.6), (40, 0.6), (80, 0.6)]),
        (capacity(0.8, NAIVE), {"stable": False, "load": 1.2}, "load", [(10, 0.8), (20, 0.8), (40, 0.8), (80, 0.8)]),
    ],
)  # fmt: skip
def test_the_outlook_asks_about_larger_clusters_and_knows_its_own(monkeypatch, takes, load, kept, asked):
    """Where the load is not its own, the cluster as it is has to be asked about, too."""
    sizes, told = [], []

    def answer(system, keep, share, *_, largest_need):
        assert keep == kept
        assert float(getattr(system, kept)) == pytest.approx(share)
        assert largest_need == 8
        sizes.append((system.servers, pytest.approx(share)))
        gap = Missing(name="x", failure=Failure.NOT_SUPPORTED, reason="no luck.")
        rows = (row("waiting_probability", 1 / system.servers),)
        return SimpleNamespace(quantities=rows, missing=(gap,) if system.servers == 80 else ())

    monkeypatch.setattr(outlook, "at_size", answer)
    own = ResponseSection(here=(row("waiting_probability", 0.5), row("mean_response_time", 3.0)))
    effort = Effort(progress=lambda now: told.append(now.done))
    found = outlook.outlook_section(CLUSTER, report(**load).load, takes, own, effort, np.random.SeedSequence(1))
    assert sizes == asked
    assert [line.servers for line in found.rows] == [10, 20, 40, 80]
    assert found.rows[0].find("waiting_probability").value == (0.1 if len(asked) == 4 else 0.5)
    assert found.rows[3].find("waiting_probability").value == 1 / 80
    assert found.notes[-1] == "80 servers: no luck."
    assert told == [0.0, 0.25, 0.5, 0.75]


def test_policies_share_the_jobs_there_are(monkeypatch):
    """A million jobs for two policies: 500,000 each."""
    asked = []

    def compared(system, chosen, effort, root, *, known):
        asked.append(effort.jobs)
        raise NotSupported("enough was seen")

    monkeypatch.setattr(policies, "_known", lambda *_: None)
    monkeypatch.setattr(policies, "jobs_for_an_interval", lambda *_: 0)
    monkeypatch.setattr(policies, "compared", compared)
    load = SimpleNamespace(arrival_rate=0.5)
    for affordable, jobs in ((1_000_000, 500_000), (10, policies.FEWEST_JOBS)):
        found = policies.policy_section(CLUSTER, load, ["first-fit"], Effort(jobs=10**9), None, affordable=affordable)
        assert found.notes == ("No comparison: enough was seen.",)
        assert asked.pop() == jobs


@pytest.mark.parametrize(("stable", "grows"), [(True, False), (True, True), (False, False)])
def test_without_means_the_report_says_so_and_only_then(monkeypatch, stable, grows):
    section = ResponseSection(queue_grows=grows, notes=("one",))
    monkeypatch.setattr(gather, "response_section", lambda *_, **__: section)
    monkeypatch.setattr(gather, "waiting_section", lambda _: "waits")
    monkeypatch.setattr(gather, "with_curves", lambda section, *_, **__: section)
    for name in ("policy_section", "what_if_section", "outlook_section"):
        monkeypatch.setattr(gather, name, lambda *_, **__: None)
    load = load_of(CLUSTER.replace(load=0.5 if stable else 1.5), capacity(0.8, NAIVE))
    root = np.random.SeedSequence(1)
    found = gather._sections(CLUSTER, load, capacity(0.8, NAIVE), None, 0.02, 1000, root, Timetable(seconds=100.0))
    means = stable and not grows
    assert found["load"].stable is means
    assert found["response"].notes == (("one",) if means else ("one", gather._NO_MEANS))
    assert (found["waiting"] == "waits") is means


def test_what_is_to_be_known_of_a_prediction_and_of_what_is_exact_is_told(monkeypatch):
    notes = ["before"]
    monkeypatch.setattr(response, "predicted", lambda *_: Response(notes=("of the prediction",)))
    monkeypatch.setattr(response, "exact_response", lambda *_: Response(notes=("of the exact", "more")))
    response._here(CLUSTER, 0.5, capacity(0.8, NAIVE), Effort(), notes)
    assert notes == ["before", "of the prediction", "of the exact", "more"]


def test_why_nothing_is_known_without_simulating_is_told(monkeypatch):
    def refused(*_):
        raise NotSupported("this law has no phases")

    notes = []
    monkeypatch.setattr(response, "predicted", refused)
    assert response._here(CLUSTER, 0.5, capacity(0.8, NAIVE), Effort(), notes) == ()
    assert notes == ["No analysis at this load: this law has no phases."]


@pytest.mark.parametrize(("rate", "known"), [(0.5, 0.75), (0.69, 0.75), (0.7, None), (0.79, None), (0.8, 0.8)])
def test_a_threshold_seen_in_a_saturated_line_is_taken_where_the_rate_is_clear_of_it(monkeypatch, rate, known):
    monkeypatch.setattr(policies, "quick_threshold", lambda _: None)
    line = SimpleNamespace(thresholds=(0.75, 0.7, 0.8), stability_threshold=0.75)
    monkeypatch.setattr(policies, "saturated_line", lambda *_, **__: line)
    assert policies._known(CLUSTER.replace(arrival_rate=rate), np.random.SeedSequence(1)) == known


@pytest.mark.parametrize("exact", [True, False])
def test_notes_of_the_run_are_told_but_for_how_its_interval_was_found(monkeypatch, exact):
    run = SimpleNamespace(
        outcome=Outcome.JOB_LIMIT_REACHED, notes=("to be known", "no controls here"), quantities=("rows",),
        provenance={"no_controls": "no controls here"},
    )  # fmt: skip
    here = (row("mean_response_time", 10.0),) if exact else ()
    monkeypatch.setattr(response, "_here", lambda *_: here)
    monkeypatch.setattr(response, "_run", lambda *_: run)
    load = load_of(CLUSTER.replace(load=0.5), capacity(0.8, NAIVE))
    found = response.response_section(CLUSTER, load, capacity(0.8, NAIVE), Effort(), None)
    simulated = ("No exact method applies here, so response times are simulated.",)
    assert found.notes == (() if exact else simulated) + ("to be known",)
    assert (found.here, found.simulated_here) == (here, ("rows",))


@pytest.mark.parametrize(("bracketed", "full"), [(True, 0.6), (False, 0.8)])
def test_curves_end_below_what_is_surely_taken(monkeypatch, bracketed, full):
    """Where no theorem gives the limit, below the lower end of the bracket."""
    limits = {"kind": "simulated", "low": 0.6, "high": 0.9, "bracket": True} if bracketed else {}
    found = capacity(0.8, NAIVE, **limits)
    seen = []
    for name in ("_exact", "_simulated", "_with_here"):
        monkeypatch.setattr(response, name, lambda *_: None)
    monkeypatch.setattr(response, "_bounds", lambda *_: [])
    monkeypatch.setattr(response, "_predicted", lambda _, rates, __: seen.append(rates))
    response.with_curves(ResponseSection(), CLUSTER, found, Effort(), None, affordable=0)
    assert seen[0] == pytest.approx([share * full for share in response.GRID])
