"""Questions over the wire: what they are asked for is what the answerers get, and how a look grows."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj.effort import Effort
from msj.errors import MsjError, OutOfTime
from msj.results import Outcome, Quantity
from msj.web import look as looking
from msj.web import questions
from msj.web.look import CHANGE_JOBS, _changes, _rows_of, look
from msj.web.questions import MOST_JOBS, _jobs, _lengths, _policies, _seed, _usual, answers_to

SYSTEM = msj.read("examples/two_servers.toml")
WATCH = print
EFFORT = Effort(progress=WATCH)


@pytest.fixture
def asked(monkeypatch):
    """Have made-up answers, and return what the answerers were asked."""
    seen = []

    def answering(name, outcomes=()):
        left = list(outcomes)

        def answer(system, *given, **how):
            seen.append((name, system, *given, how))
            found = SimpleNamespace(name=name, outcome=left.pop(0) if left else Outcome.SOLVED)
            found.in_unit = lambda unit: f"{name} in {unit}"
            return found

        monkeypatch.setattr(questions.answers, name, answer)
        return seen

    return answering


def ask(name, options=None, system=SYSTEM, **server):
    return list(answers_to(name, system, options, EFFORT, **server))


def test_analyse_and_curve_pass_on_what_is_asked(asked):
    seen = asked("analyse")
    assert [found.name for found in ask("analyse")] == ["analyse"]
    ask("analyse", {"exact": False, "percentiles": True})
    assert seen == [
        ("analyse", SYSTEM, {"exact": None, "percentiles": None, "progress": WATCH}),
        ("analyse", SYSTEM, {"exact": False, "percentiles": True, "progress": WATCH}),
    ]
    seen.clear()
    asked("curve")
    ask("curve")
    ask("curve", {"loads": [0.5] * 60, "jobs": 7, "seed": 0})
    assert seen == [
        ("curve", SYSTEM, {"loads": None, "jobs": None, "seed": 1, "progress": WATCH}),
        ("curve", SYSTEM, {"loads": [0.5] * 60, "jobs": 7, "seed": 0, "progress": WATCH}),
    ]
    for loads in ([0.5] * 61, (0.5,), "x"):
        with pytest.raises(msj.InvalidInput, match="loads must be a list of at most 60 numbers"):
            ask("curve", {"loads": loads})


@pytest.mark.parametrize(
    ("jobs", "lengths"),
    [
        (1, [1]),
        (24_999, [24_999]),
        (99_999, [99_999]),
        (100_000, [25_000, 100_000]),
        (1_600_000, [25_000, 100_000, 400_000, 1_600_000]),
        (1_000_001, [62_500, 250_000, 1_000_001]),
    ],
)
def test_each_run_has_four_times_the_jobs_of_the_one_before(jobs, lengths):
    assert list(_lengths(jobs)) == lengths


def until_cut(results):
    """Return the results that came, and the sentence about those that did not come in time."""
    found = []
    try:
        for each in results:
            found.append(each)
    except OutOfTime as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize(
    ("outcomes", "given", "runs"),
    [
        ([Outcome.SOLVED] * 3, 3, 3),
        ([Outcome.JOB_LIMIT_REACHED, Outcome.UNSTABLE], 2, 2),
        ([Outcome.SOLVED, Outcome.INTERRUPTED], 1, 2),
        ([Outcome.OUT_OF_TIME], 0, 1),
    ],
)
def test_simulations_sharpen_until_they_are_cut(outcomes, given, runs, asked):
    seen = asked("simulate", outcomes)
    found, said = until_cut(answers_to("simulate", SYSTEM, {"jobs": 400_000, "seed": 3}, EFFORT))
    assert [each.outcome for each in found] == outcomes[:given]
    assert ("jobs was not complete in time" in said) == (given < runs)
    lengths = [25_000, 100_000, 400_000]
    assert seen == [("simulate", SYSTEM, {"jobs": n, "seed": 3, "effort": EFFORT}) for n in lengths[:runs]]


def test_a_comparison_sharpens_and_goes_on_if_some_are_unstable(asked):
    seen = asked("compare", [Outcome.UNSTABLE, Outcome.SOLVED])
    found = ask("compare", {"policies": ["fcfs", "mine"], "jobs": 100_000}, own_policies=["mine"])
    assert [each.outcome for each in found] == [Outcome.UNSTABLE, Outcome.SOLVED]
    wanted = [{"jobs": jobs, "seed": 1, "effort": EFFORT} for jobs in (25_000, 100_000)]
    assert seen == [("compare", SYSTEM, ["fcfs", "mine"], how) for how in wanted]
    for cut in (Outcome.INTERRUPTED, Outcome.OUT_OF_TIME):
        asked("compare", [Outcome.SOLVED, cut])
        found, said = until_cut(answers_to("compare", SYSTEM, {"policies": ["fcfs"]}, EFFORT))
        assert [each.outcome for each in found] == [Outcome.SOLVED]
        assert "the comparison of 1 policies on 100,000 jobs was not complete in time" in said


def test_the_usual_number_of_jobs(asked):
    seen = asked("simulate")
    ask("simulate")
    asked("compare")
    ask("compare", {"policies": ["fcfs"]})
    assert [each[-1]["jobs"] for each in seen] == [25_000, 100_000, 400_000, 1_600_000, 25_000, 100_000, 400_000]
    assert {each[-1]["seed"] for each in seen} == {1}


def test_a_replay_is_of_the_log_of_the_server_in_the_unit_of_the_cluster(asked):
    seen = asked("replay")
    log = SimpleNamespace(trace="trace")
    [plain] = ask("replay", {"policies": ["fcfs"]}, system=SYSTEM.replace(time_unit=None), log=log)
    assert plain.name == "replay"
    options = {"policies": ["fcfs"], "largest_need": 2, "scale_load": 0.5, "seed": 4}
    assert ask("replay", options, system=SYSTEM.replace(time_unit="hours"), log=log) == ["replay in hours"]
    usual = {"servers": 2, "policies": ["fcfs"], "shakes": 0, "progress": WATCH}
    assert seen == [
        ("replay", "trace", {**usual, "largest_need": None, "scale_load": 1, "seed": 1}),
        ("replay", "trace", {**usual, "largest_need": 2, "scale_load": 0.5, "seed": 4}),
    ]


def test_a_look_has_all_unless_less_is_asked_for(monkeypatch):
    seen = []
    monkeypatch.setattr(questions, "look", lambda *given, **how: seen.append((*given, how)) or [])
    for options in ({}, {"changes": None, "percentiles": True}, {"changes": False, "seed": 3}, {"percentiles": False}):
        ask("look", options)
    assert seen == [
        (SYSTEM, EFFORT, {"seed": 1, "changes": True, "percentiles": True, "reference": None}),
        (SYSTEM, EFFORT, {"seed": 1, "changes": True, "percentiles": True, "reference": None}),
        (SYSTEM, EFFORT, {"seed": 3, "changes": False, "percentiles": True, "reference": None}),
        (SYSTEM, EFFORT, {"seed": 1, "changes": True, "percentiles": False, "reference": None}),
    ]


def test_numbers_and_flags_are_checked():
    assert (_jobs(1), _jobs(MOST_JOBS), _seed(0), _seed(7)) == (1, MOST_JOBS, 0, 7)
    for wrong in (0, MOST_JOBS + 1, 1.5, "many"):
        with pytest.raises(msj.InvalidInput, match="jobs"):
            _jobs(wrong)
    for wrong in (-1, 0.5, "x"):
        with pytest.raises(msj.InvalidInput, match="seed"):
            _seed(wrong)
    for name, options, sentence in (
        ("analyse", {"exact": 1}, "exact = '1' must be true, false or null"),
        ("look", {"percentiles": "no"}, "percentiles = 'no' must be true"),
        ("analyse", {"exakt": True}, "unknown option 'exakt' for 'analyse'; did you mean exact"),
        ("analyse", [], "options must be a table; 'analyse' knows exact, percentiles"),
        ("compare", {"own": []}, "unknown option 'own' for 'compare'"),
        ("analyze", {}, "unknown question 'analyze'; did you mean analyse"),
        (["analyse"], {}, "unknown question"),
    ):
        with pytest.raises(msj.InvalidInput) as error:
            ask(name, options)
        assert sentence in str(error.value).replace("'?", "").replace("mean '", "mean ")


def test_policies_are_known_and_not_too_many():
    assert _policies(["fcfs"] * 12, []) == ["fcfs"] * 12
    assert _policies(["mine"], ["mine"]) == ["mine"]
    for wrong in ([], ["fcfs"] * 13, ("fcfs",)):
        with pytest.raises(msj.InvalidInput, match="policies must be a list of 1 to 12 names"):
            _policies(wrong, [])
    for wrong in (["other"], [3]):
        with pytest.raises(msj.InvalidInput, match="unknown policy"):
            _policies(wrong, ["mine"])


def test_the_usual_policies_are_those_that_can_serve_the_cluster_each_once():
    chosen = _usual(SYSTEM.replace(policy="first-fit"), [])
    names = [policy.name for policy in chosen]
    assert names[0] == "first-fit"
    assert {"fcfs", "easy-backfilling", "best-fit"} <= set(names)
    assert len(names) == len(set(names))
    assert all(policy.supports(SYSTEM) is None for policy in chosen)
    # Server-filling needs sizes that divide: 3 of 4 servers is none.
    one = msj.JobClass(name="a", need=3, share=1, duration=msj.Exponential(mean=1))
    assert "server-filling" not in [policy.name for policy in _usual(msj.System(servers=4, classes=[one]), [])]
    assert "server-filling" in names


def test_more_load_and_each_change_are_tried_at_the_rate(monkeypatch):
    """The second is always more load on the cluster as it is: a fifth more, compared with nothing of the same jobs."""
    seen, root = [], np.random.SeedSequence(1)

    def tried(change, rate, effort, seeds, *, before, same_jobs):
        seen.append((change.words, rate, effort.jobs, seeds.spawn_key == (2,), before, same_jobs))
        if change.words == "other":
            raise MsjError("nothing is known of it")
        return change.words

    changes = [SimpleNamespace(words=word, system=word) for word in ("first", "other", "last")]
    monkeypatch.setattr(looking, "what_if", tried)
    monkeypatch.setattr(looking, "possible_changes", lambda _: changes)
    monkeypatch.setattr(looking, "jobs_for_an_interval", lambda system, known: 1000 if known else 10**9)
    stay = Quantity(name="mean_response_time", value=3.0, kind="exact", method="m")
    load = SimpleNamespace(arrival_rate=0.5, stable=True)

    def asked(stay, capacity, effort=EFFORT, load=load):
        seen.clear()
        return list(_changes(SYSTEM, load, capacity, stay, effort, root))

    proved = SimpleNamespace(value=2.0, proved=True)
    assert asked(stay, proved) == ["first", "20 % more load", "last"]
    assert [each[:2] for each in seen] == [("first", 0.5), ("20 % more load", 0.6), ("other", 0.5), ("last", 0.5)]
    assert {each[2:] for each in seen} == {(CHANGE_JOBS, True, stay, None)}

    asked(None, proved)  # nothing exact to compare with: the same jobs are served
    first, more, other, last = (each[-1] for each in seen)
    assert more is None
    assert first is other is last
    assert (first.jobs, first.threshold, float(first.system.arrival_rate)) == (1000, 2.0, 0.5)
    asked(None, SimpleNamespace(value=2.0, proved=False))
    assert (seen[0][-1].jobs, seen[0][-1].threshold) == (CHANGE_JOBS, None)
    asked(None, proved, load=SimpleNamespace(arrival_rate=0.5, stable=False))
    assert {each[-1] for each in seen} == {None}
    assert asked(stay, proved, effort=Effort(until=-math.inf)) == []
    assert seen == []


NAMES = ("mean_response_time", "mean_response_time_difference")


def test_what_more_load_brings_is_told_in_rows():
    change = SimpleNamespace(words="20 % more load")
    stay, more = (Quantity(name=name, value=3.0, kind="exact", method="m") for name in NAMES)
    for rows in ((stay, more), (stay, None), (None, None)):
        found = _rows_of(
            SimpleNamespace(change=change, arrival_rate=0.6, mean_response_time=rows[0], difference=rows[1])
        )
        assert [row.name for row in found] == ["arrival_rate", *(row.name for row in rows if row is not None)]
        assert found[0].value == 0.6
        assert {(row.at["section"], row.at["change"]) for row in found} == {("what_if", "20 % more load")}


def test_a_look_begins_with_the_means_and_ends_with_percentiles():
    def steps(system=SYSTEM, effort=EFFORT, **how):
        return list(look(system, effort.replace(progress=None), **how))

    def names(found):
        return {row.name for row in found}

    [means] = steps(changes=False, percentiles=False)
    assert "mean_response_time" in names(means)
    assert not {"waiting_time_percentile", "reset_difference"} & names(means)
    first, last = steps(changes=False)
    assert names(first) == names(means)
    assert {"waiting_time_percentile", "reset_difference"} <= names(last)
    assert {row.level for row in last} >= {50.0, 99.0}
    found, said = until_cut(look(SYSTEM, Effort(until=-math.inf), changes=False))
    assert (len(found), said) == (1, "the percentiles were not complete in time; use msj report")
    [unstable] = steps(SYSTEM.replace(load=None, arrival_rate=1000.0), changes=False)
    assert "mean_response_time" not in names(unstable)
    assert "stability_threshold" in names(unstable)


def test_a_look_grows_by_one_change_after_the_other():
    found = list(look(SYSTEM, Effort()))
    changes = [{row.at["change"] for row in each if "change" in row.at} for each in found]
    assert changes[0] == set()
    assert all(before <= after for before, after in pairwise(changes))
    assert "20 % more load" in changes[2]
    assert changes[-1] == changes[-2]  # percentiles come last
    assert len(changes[-1]) == len(found) - 2
    exact = msj.analyse(SYSTEM)
    there = msj.analyse(SYSTEM.replace(load=None, arrival_rate=1.2 * exact["arrival_rate"]))
    for each in found[2:]:
        more = {row.name: row.value for row in each if row.at.get("change") == "20 % more load"}
        assert more["arrival_rate"] == pytest.approx(1.2 * exact["arrival_rate"])
        assert more["mean_response_time"] == pytest.approx(there["mean_response_time"], rel=1e-9)


@pytest.mark.parametrize("capacity", [None, "known"])
def test_a_look_at_a_cluster_of_which_nothing_is_known_ends_with_the_reason(capacity, monkeypatch):
    monkeypatch.setattr(looking, "how_much", lambda *_: (capacity, None, ["Nobody knows."]))
    [found] = look(SYSTEM, Effort())
    assert "mean_response_time" not in {row.name for row in found}
    assert "Nobody knows." in found.notes


def test_the_policy_table_agrees_with_the_number_shown():
    """W4: means and differences are from the number on top, exact or simulated; so is the own policy's row."""
    late = {"value": 20.0, "kind": "exact", "low": None, "high": None}
    for shown in (
        {"value": 7.517772, "kind": "exact", "low": None, "high": None},
        {"value": 7.4, "kind": "simulated", "low": 7.2, "high": 7.6},
    ):
        options = {"jobs": 20_000, "reference": shown, "percentile_95": late}
        [found] = answers_to("policies", SYSTEM, options, Effort())
        own = found.at(policy="fcfs")
        assert own["mean_response_time"] == shown["value"]
        assert own.find("response_time_percentile", None, 95.0).value == 20.0
        others = [row for row in found if row.name == "mean_response_time_difference"]
        assert len(others) > 3
        for row in others:
            mean = found.at(policy=row.at["policy"])["mean_response_time"]
            assert mean - shown["value"] == pytest.approx(row.value, rel=1e-9, abs=1e-12)
    there = SYSTEM.replace(policy="server-filling", load=None, arrival_rate=0.72)
    exact = msj.analyse(there)["mean_response_time"]
    assert found.at(policy="server-filling")["mean_response_time"] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    "wrong",
    [3, {}, {"value": "x", "kind": "exact"}, {"value": 1, "kind": "guess"}, {"value": True, "kind": "exact"},
     {"value": 1, "kind": "exact", "low": 2}, {"value": 1, "kind": "exact", "file": "x"}],
)  # fmt: skip
def test_a_reference_that_is_none_is_refused(wrong):
    with pytest.raises(msj.InvalidInput, match="reference"):
        list(answers_to("policies", SYSTEM, {"reference": wrong}, EFFORT))
