"""Answers where nobody waits, where nothing is exact and at no load; fits and questions: numbers worked out here."""

import math
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj import InvalidInput, NotSupported, TooLarge
from msj.analysis.base import ResponseAnalysis
from msj.answers import changed
from msj.answers.changed import SameJobs, _shifted
from msj.answers.design import designed
from msj.answers.question import as_option, identity_of, logs_behind, question, root_of
from msj.answers.response import Response
from msj.answers.threshold import Threshold
from msj.effort import Cost, Effort
from msj.errors import Failure
from msj.results import Outcome, Quantity, Result
from strategies import simple

analysing, curving, fitting = (sys.modules[f"msj.answers.{name}"] for name in ("analyse", "curve", "fit"))
ROOT = np.random.SeedSequence(1)
TWO = msj.read("examples/two_servers.toml")  # load 0.8 of 0.9
RENEWAL = {"law": "renewal", "gap": {"law": "deterministic", "value": 1}}


def row(name="mean_response_time", value=1.0, kind="exact", **more):
    return Quantity(name=name, value=value, kind=kind, method="made up", **more)


def at(result, name, key):
    return {each.at[key]: each.value for each in result if each.name == name and key in each.at}


# --- nobody waits ---


def test_where_jobs_are_turned_away_every_load_is_stable():
    """Two servers, work 3/4 + 1/4·2·2/3 = 13/12 for a job. The law of the number of jobs is not given, and said so."""
    system = simple(2, (1, 1, "3/4"), (2, "3/2", "1/4"), arrival_rate=1.2, policy="loss")
    found = msj.analyse(system)
    assert found["naive_threshold"] == pytest.approx(24 / 13)
    assert (found["arrival_rate"], found["offered_utilisation"]) == (1.2, pytest.approx(1.2 * 13 / 24))
    for law in (0, 2):
        with pytest.raises(NotSupported, match="does not give the law of the number of jobs"):
            msj.analyse(system, law=law)
    assert found.outcome is Outcome.SOLVED
    assert found.notes[0] == "Jobs that do not fit are lost and nobody waits, so every load is stable."
    assert not any("simulated" in note for note in found.notes)
    idle = msj.analyse(system.replace(arrival_rate=None))
    assert idle.outcome is Outcome.NO_LOAD_GIVEN
    assert [each.name for each in idle] == ["naive_threshold"]
    odd = msj.analyse(system.replace(arrivals=RENEWAL))
    assert odd.outcome is Outcome.BOUNDS_ONLY
    assert odd.notes[-1] == "How many are lost has to be simulated: msj simulate FILE."
    with pytest.raises(NotSupported, match="it turns jobs away; give utilisation"):
        msj.analyse(system.replace(arrival_rate=None, load=0.5))


# --- nothing is exact ---


def unknown(servers=60, shares=("3/4", "1/4"), needs=(1, 3), **more):
    law = msj.Lognormal(mean=2, cv=2)
    classes = [msj.JobClass(name=f"{n}", need=n, share=p, duration=law) for n, p in zip(needs, shares, strict=True)]
    return msj.System(servers=servers, classes=classes, **more)


@pytest.mark.parametrize(
    ("system", "known"),
    [
        (unknown(60), True),
        (unknown(59), False),
        (unknown(60, policy="first-fit"), False),
        (unknown(60, order={"law": "sticky", "probability": "1/2"}), False),
        (unknown(59, policy="first-fit"), False),
    ],
)
def test_large_clusters_waste_what_renewal_says(system, known):
    """Twenty times the largest need. The next job does not fit into j servers with P(need > j): E[N(N − 1)]/2E[N]."""
    found = analysing.bounds_only(system, "nobody knows.")
    assert found.notes[0] == "There is no exact threshold: nobody knows."
    if known:
        assert found["limiting_wasted_servers"] == pytest.approx((1 / 4 * 3 * 2) / (2 * 1.5), rel=1e-6)
    else:
        assert "limiting_wasted_servers" not in found


def test_what_is_said_without_a_threshold(monkeypatch):
    """9 servers, needs 3 and 4, work 2·10/3: naive 9·3/20 = 1.35, and less than that by any policy."""
    nine = unknown(9, ("2/3", "1/3"), (3, 4), policy="first-fit")
    bound = row("lower_bound", 0.25, kind="bound")
    monkeypatch.setattr(analysing, "known_bounds", lambda *_: [bound])
    plain = analysing.bounds_only(nine, "why")
    most = plain["attainable_threshold"]
    assert [each.name for each in plain] == ["naive_threshold", "attainable_threshold"]
    assert most < 1.35 * 0.99
    assert plain["naive_threshold"] == pytest.approx(1.35)
    for rate, outcome in ((0.9 * most, Outcome.BOUNDS_ONLY), (most, Outcome.UNSTABLE), (1.34, Outcome.UNSTABLE)):
        found = analysing.bounds_only(nine.replace(arrival_rate=rate), "why")
        assert found.outcome is outcome
        assert (found["arrival_rate"], found["utilisation"]) == (rate, pytest.approx(rate / 1.35))
        assert ("lower_bound" in found) == (outcome is Outcome.BOUNDS_ONLY)
        last = "no policy can exceed" if outcome is Outcome.UNSTABLE else "Threshold and response times have to be"
        assert last in found.notes[-1]
        assert len(found.notes) == 2
    loaded = analysing.bounds_only(nine.replace(load=0.5), "why")
    assert "A load is a share of the threshold, which is not known" in loaded.notes[1]
    assert "arrival_rate" not in loaded
    monkeypatch.setattr(analysing, "attainable_row", lambda _: None)
    for rate, outcome in ((1.34, Outcome.BOUNDS_ONLY), (1.36, Outcome.UNSTABLE)):
        found = analysing.bounds_only(nine.replace(arrival_rate=rate), "why")
        assert found.outcome is outcome
        assert "attainable_threshold" not in found


def test_what_is_forced_or_asked_beyond_bounds_is_refused():
    easy = unknown(9, ("2/3", "1/3"), (3, 4), policy="easy-backfilling", arrival_rate=0.5)
    assert msj.analyse(easy).outcome is Outcome.BOUNDS_ONLY
    for asked in ({"method": "chain"}, {"states": 3}, {"law": 3}):
        with pytest.raises(NotSupported):
            msj.analyse(easy, **asked)


def test_exact_times_without_a_threshold():
    """Best fit of needs 1 and 2 on 3 servers depends on the past: its threshold is not known, its times are."""
    system = simple(3, (1, 1, "1/2"), (2, 2, "1/2"), policy="best-fit", arrival_rate=0.6)
    found = msj.analyse(system, law=1, percentiles=False)
    assert found.outcome is Outcome.SOLVED
    assert found["utilisation"] == pytest.approx(0.6 * (0.5 + 0.5 * 2 * 0.5) / 3)
    assert found["arrival_rate"] == 0.6
    assert found["attainable_threshold"] <= found["naive_threshold"] == pytest.approx(3)
    law = at(found, "jobs_in_system_probability", "jobs")
    assert [*law] == [0, 1]
    # Jobs come one at a time: those that find nobody leave one behind as often as the only one ends.
    assert found["mean_jobs_in_system"] == pytest.approx(0.6 * found["mean_response_time"])
    assert found.notes[0].startswith("The stability threshold is not known: ")
    assert not found.notes[0].endswith("..")
    assert [*at(msj.analyse(system, law=0, percentiles=False), "jobs_in_system_probability", "jobs")] == [0]
    without = msj.analyse(system, exact=False)
    assert without.outcome is Outcome.BOUNDS_ONLY
    assert "mean_response_time" not in without
    assert msj.analyse(system.replace(arrival_rate=None)).outcome is Outcome.BOUNDS_ONLY


def test_at_the_threshold_itself_there_is_no_steady_state():
    one = simple(1, (1, 1, 1), arrival_rate=1)
    found = msj.analyse(one, law=2)
    assert found.outcome is Outcome.UNSTABLE
    assert "The arrival rate 1 is not below the stability threshold 1" in found.notes[-1]
    assert {"load", "utilisation", "arrival_rate"} <= {each.name for each in found}
    assert not {"mean_response_time", "jobs_in_system_probability"} & {each.name for each in found}
    below = msj.analyse(one.replace(arrival_rate=0.5), exact=False)
    assert "mean_response_time" not in below
    assert msj.analyse(one.replace(arrival_rate=0.5))["mean_response_time"] == pytest.approx(2)
    assert msj.analyse(one.replace(arrival_rate=None)).outcome is Outcome.NO_LOAD_GIVEN
    with pytest.raises(InvalidInput, match="no load is given"):
        msj.analyse(one.replace(arrival_rate=None), law=1)
    with pytest.raises(InvalidInput, match="goes with states"):
        msj.analyse(one, until=3)


@pytest.mark.parametrize(("rate", "outcome"), [(0.8, Outcome.SOLVED), (2.0, Outcome.UNSTABLE), (2.1, Outcome.UNSTABLE)])
def test_only_what_is_surely_too_much_is_unstable(monkeypatch, rate, outcome):
    """The threshold is estimated: 1, from 0.5 to 2."""
    one = row("stability_threshold", 1.0, kind="simulated", low=0.5, high=2.0)
    rest = dict.fromkeys(("naive_threshold", "wasted_servers", "saturated_utilisation"), row("naive_threshold", 3.0))
    monkeypatch.setattr(analysing, "exact_threshold", lambda *_, **__: Threshold(stability_threshold=one, **rest))
    assert msj.analyse(simple(1, (1, 1, 1), arrival_rate=rate)).outcome is outcome


def test_terms_stand_only_where_they_are_asked_for_and_ways_on_where_they_are_needed(monkeypatch):
    monkeypatch.setattr(analysing, "terms", lambda *_: [row("lower_bound", 0.25, kind="bound")])
    monkeypatch.setattr(analysing, "known_bounds", lambda *_: [])
    assert "lower_bound" in msj.analyse(TWO, bounds=True, percentiles=False)
    plain = msj.analyse(TWO, percentiles=False)
    assert "lower_bound" not in plain
    assert plain.provenance["exact_residual"] < 1e-9
    assert not any("to be simulated" in note for note in plain.notes)
    filling = unknown(4, ("1/2", "1/2"), (1, 4), policy="server-filling", utilisation=0.5)
    assert "They have to be simulated" in msj.analyse(filling).notes[-1]


def test_completions_are_followed_from_nothing_to_the_relative_ones():
    """At 21 times, from 0, where nothing has ended yet. By 200 the state is forgotten: ahead by its own Delta."""
    found = msj.analyse(TWO, percentiles=False, states=2, until=200)
    states = [each.at["state"] for each in found if each.name == "state_probability"]
    assert states[0] == "1 large"  # the others are as likely as each other
    final = at(found, "relative_completions", "state")
    for state in states:
        ahead = {each.at["time"]: each.value for each in found.at(state=state) if each.name == "completions_ahead"}
        assert [*ahead] == pytest.approx(np.arange(21) * 10)
        assert ahead[0.0] == pytest.approx(0, abs=1e-12)
        assert ahead[200.0] == pytest.approx(final[state], rel=1e-6)
    sticky = msj.analyse(TWO.replace(order={"law": "sticky", "probability": "1/2"}), percentiles=False, states=9)
    ends = {state.partition("; ")[2] for state in at(sticky, "state_probability", "state")}
    assert ends == {"order state 1", "order state 2"}


# --- loads from 0 ---


def test_the_number_of_jobs_comes_of_the_cheapest_analysis(monkeypatch):
    def made(cost, masses):
        return SimpleNamespace(
            citation="", method="m", cost=lambda _: Cost(operations=cost), jobs_law=lambda *_: np.array(masses)
        )

    able = [made(9, [0.9, 0.1]), made(8, [0.8, 0.2])]
    monkeypatch.setattr(analysing, "that_apply", lambda *_: able)
    assert [each.value for each in analysing._law_rows(TWO, 0.5, 1)] == [0.8, 0.2]
    able.clear()
    with pytest.raises(NotSupported):
        analysing._law_rows(TWO, 0.5, 1)


def test_a_chain_that_is_beyond_all_is_refused_before_any_load(monkeypatch):
    able = [SimpleNamespace(cost=lambda _, c=c: Cost(operations=c)) for c in (2e14, 1e14)]
    monkeypatch.setattr(curving, "that_apply", lambda kind, _: able if kind is ResponseAnalysis else [])
    curving.require_response(TWO)
    able.pop()
    with pytest.raises(TooLarge, match="does not fit"):
        curving.require_response(TWO)
    able.clear()
    with pytest.raises(NotSupported):
        curving.require_response(TWO)


def test_exact_loads_are_told_one_after_the_other():
    seen = []
    found = msj.curve(TWO, loads=[0, 0.25, 0.5, 0.75], progress=seen.append)
    assert [(now.done, now.words) for now in seen] == [
        (0, "load 0"), (0.25, "load 0.25"), (0.5, "load 0.5"), (0.75, "load 0.75"),
    ]  # fmt: skip
    assert found.at(load=0.25).row("mean_response_time").at["arrival_rate"] == pytest.approx(0.225)
    assert [*dict(found.along("load", "reset_difference"))] == [0, 0.25, 0.5, 0.75]
    assert 0 < found.provenance["exact_residual"] < 1e-9
    assert found["stability_threshold"] == pytest.approx(0.9)
    assert found["naive_threshold"] == pytest.approx(1)


def test_a_lone_job_takes_its_own_time():
    """Of TWO two thirds are small and take 1, the others 2."""
    rows = {(each.name, each.job_class): each.value for each in curving.lone_jobs(TWO).rows}
    assert rows == {
        ("mean_response_time", None): pytest.approx(4 / 3), ("mean_response_time", "small"): 1,
        ("mean_response_time", "large"): 2, ("waiting_probability", None): 0,
    }  # fmt: skip
    batches = TWO.replace(arrivals={"law": "batch", "size": {"law": "deterministic", "value": 2}})
    setting_up = simple(2, (1, 1, 1)).replace(model={"name": "set-up", "set_up_rate": 1})
    for system in (batches, setting_up):
        assert curving.lone_jobs(system) == Response()
    given = [row(value=9.0), row(value=9.0, job_class="large"), row("waiting_probability", 0.5), row("other", 9.0)]
    assert [curving._of_a_lone_job(TWO, each).value for each in given] == [pytest.approx(4 / 3), 2, 0, 9]
    assert [curving._of_a_lone_job(batches, each) for each in given] == given
    assert [curving._of_a_lone_job(setting_up, each).value for each in given] == [9, 9, 0, 9]


def simulated_curve(monkeypatch, found, *, bracket, loads=(0, 0.25, 0.5, 0.75)):
    """A curve whose threshold is 4, from 2 to 5, and whose loads are answered as given."""
    asked, seen = [], []
    one = row("stability_threshold", 4.0, kind="simulated", low=2.0, high=5.0, bracket=bracket)
    naive = row("naive_threshold", 6.0)
    known = Threshold(
        stability_threshold=one, naive_threshold=naive, wasted_servers=naive, saturated_utilisation=naive,
        attainable_threshold=row("attainable_threshold", 5.5), notes=("first", "last"),
    )  # fmt: skip

    def threshold(system, effort, root, **more):
        effort.tell(0.5, "half")
        asked.append((effort.jobs, root.spawn_key, more))
        return known

    def response(system, threshold, effort, root):
        asked.append((float(system.arrival_rate), effort.jobs, root.spawn_key))
        effort.tell(0.5, "half")
        return found[len(asked) - 2]

    monkeypatch.setattr(curving, "find_threshold", threshold)
    monkeypatch.setattr(curving, "response", response)
    effort = Effort(jobs=70, progress=seen.append)
    made = curving.simulated_curve(TWO, loads, effort, np.random.SeedSequence(1), "no reason.")
    return made, asked, seen


def test_every_load_is_simulated_by_streams_of_its_own(monkeypatch):
    """Loads are shares of the low end, 2, where it is a bracket: 0.25 is at rate 0.5, an eighth of 4."""
    stays = row(value=3.0, kind="simulated")
    found = [
        Response(rows=(stays, stays.replace(job_class="small"), row("waiting_probability", 0.5, job_class="small"))),
        Response(failure=Failure.UNSTABLE),
        Response(rows=(stays,), failure=Failure.TOO_FEW_JOBS),
    ]
    made, asked, seen = simulated_curve(monkeypatch, found, bracket=True)
    assert asked[0] == (None, (0,), {"completions": False})
    assert asked[1:] == [(0.5, 70, (2,)), (1.0, 70, (3,)), (1.5, 70, (4,))]
    means = [(load, each.value) for load, each in made.along("load", "mean_response_time")]
    assert means == [(0, pytest.approx(4 / 3)), (0.125, 3), (0.375, 3)]
    assert made.at(load=0.125).row("mean_response_time").at["arrival_rate"] == 0.5
    assert made.at(load=0.125).row("mean_response_time", "small").value == 3
    assert [each.job_class for each in made if each.name == "waiting_probability"] == [None]  # of all jobs only
    assert [each.name for each in made][:3] == ["stability_threshold", "naive_threshold", "attainable_threshold"]
    (gap,) = made.missing
    assert (gap.name, gap.failure, gap.at["load"]) == ("response times", Failure.UNSTABLE, 0.25)
    assert made.notes == (
        "No exact curve: no reason. Every load is simulated.",
        "Too short for intervals at load 0.375: simulate more jobs.",
        "last",
    )
    assert [now.done for now in seen] == pytest.approx([0.05, 0.1, 0.325, 0.4375, 0.55, 0.6625, 0.775, 0.8875])
    assert [now.words for now in seen][:3] == ["threshold: half", "load 0", "load 0.25"]


def test_loads_are_shares_of_a_threshold_that_is_estimated(monkeypatch):
    made, asked, _ = simulated_curve(monkeypatch, [Response()] * 3, bracket=False)
    assert [rate for rate, *_ in asked[1:]] == [1, 2, 3]
    assert made.places("load") == [0]
    assert made.notes == ("No exact curve: no reason. Every load is simulated.",)
    assert made.missing == ()


# --- a changed cluster ---


def test_differences_of_waits_become_differences_of_responses(monkeypatch):
    moved = _shifted(row("mean_waiting_time_difference", 1.0, kind="simulated", low=0.5, high=2.0), 3.0)
    assert (moved.name, moved.low, moved.value, moved.high) == ("mean_response_time_difference", 3.5, 4, 5)
    plain = _shifted(row("mean_waiting_time_difference", 1.0), -3.0)
    assert (plain.low, plain.value, plain.high) == (None, -2, None)
    rows = [row("mean_waiting_time_difference", 1.0), row("mean_response_time_difference", 9.0)]
    monkeypatch.setattr(changed, "differences", lambda *_: rows)
    warned = []
    monkeypatch.setattr(changed, "warn_of_compiling", lambda *given: warned.append(given))
    cluster = TWO.replace(load=None, arrival_rate=0.3)
    longer = cluster.replace(classes=[c.replace(duration=c.duration.scaled(1.5)) for c in cluster.classes])
    same = SameJobs(system=cluster, root=ROOT, jobs=2000)
    found, difference = same.beside(longer, Effort())
    assert difference.value == pytest.approx(1 + 2 - 4 / 3)  # mean durations are 4/3 and 2
    assert found.provenance["seconds"] < 600
    assert len(warned) == 2
    assert same.beside(cluster, Effort())[0].provenance["seed"] == found.provenance["seed"]
    assert len(warned) == 3  # its own jobs are served once
    alone = changed.mean_time_alone
    for odd in (cluster, longer):
        monkeypatch.setattr(
            changed, "mean_time_alone", lambda system, odd=odd: None if system == odd else alone(system)
        )
        assert same.beside(longer, Effort())[1].value == 9
    monkeypatch.setattr(changed, "mean_time_alone", alone)
    rows.clear()
    assert same.beside(longer, Effort())[1] is None


# --- packings, formulas ---


def test_packings_of_needs_that_several_classes_share():
    """Three servers, needs 1, 1 and 2 with work 0.3·1 + 0.2·2 = 0.7 and 0.5·2 = 1 at a time.

    Pairs of both needs and, for the rest of need 2, pairs with an idle server: need 2 is always one, so 1 per unit.
    """
    classes = [
        msj.JobClass(name=name, need=need, share=share, duration=msj.Exponential(mean=mean))
        for name, need, share, mean in (("a", 1, "3/10", 1), ("b", 2, "1/2", 2), ("c", 1, "1/5", 2))
    ]
    system = msj.System(servers=3, classes=classes)
    needs, packings, shares, taken, most = designed(system)
    assert needs == [1, 2]
    assert taken == pytest.approx(1)
    assert most == pytest.approx(1)
    served = np.array(shares) @ np.array(packings)
    assert sum(shares) == pytest.approx(1)
    assert served[1] == pytest.approx(1)
    assert served[0] >= 0.7 - 1e-9
    found = msj.design(system)
    assert found["stability_threshold"] == pytest.approx(1)
    assert sum(each.value for each in found if each.name == "time_share") == pytest.approx(1)
    assert found.notes[0].startswith('In a spec file: policy = { name = "msr", packings = [[')


def test_formulas_have_a_value_where_they_are_numbers():
    numbers, letters = msj.in_symbols(TWO), msj.in_symbols(TWO, ["mu1"])
    assert numbers.row("stability_threshold").value == pytest.approx(0.9)
    assert numbers.row("wasted_servers").formula == "1/5"
    assert math.isnan(letters.row("stability_threshold").value)
    assert numbers.row("stability_threshold").at == {}
    assert sum(at(numbers, "state_probability", "state").values()) == pytest.approx(1)
    assert (numbers.provenance["states"], letters.provenance["parameters"]) == (3, ["mu1"])


# --- fits ---


class Classes(SimpleNamespace):
    """Classes of a fit, with so many jobs each."""

    def __len__(self):
        return len(self.names)

    def counts(self):
        return np.array(self.numbers)


def test_rows_of_a_fit_are_those_of_its_parts():
    """Four jobs in two classes; stickiness 0.5 ± 1.96·0.1, and a window of 60 s with dispersion 3 ± 1.96·0.5."""
    laws = [
        SimpleNamespace(duration=msj.Exponential(mean=mean), mean=mean + 1, cv=mean / 10, distance=mean / 100, how="h")
        for mean in (2, 4)
    ]

    def fitted(names, needs, laws, counts):
        classes = Classes(names=names, needs=needs, numbers=counts)
        curve = SimpleNamespace(
            window=np.array([60.0]), jobs=np.array([3.0]), jobs_error=np.array([0.5]), work=np.array([7.0])
        )
        return SimpleNamespace(
            servers=8, trace=range(sum(counts)), durations=laws,
            classes=classes,
            arrivals=SimpleNamespace(rate=0.25, dispersion=curve),
            order=SimpleNamespace(alike=0.6, stickiness=0.5, error=0.1),
        )  # fmt: skip

    rows = fitting.rows_of_fit(fitted(["a", "b"], [1, 5], laws, [3, 1]))
    found = {(each.name, each.job_class): each for each in rows}
    values = {key: each.value for key, each in found.items()}
    assert values == pytest.approx(
        {
            ("servers", None): 8, ("arrival_rate", None): 0.25,
            ("share", "a"): 0.75, ("share", "b"): 0.25, ("need", "a"): 1, ("need", "b"): 5,
            ("mean_run_time", "a"): 3, ("mean_run_time", "b"): 5, ("run_time_cv", "a"): 0.2, ("run_time_cv", "b"): 0.4,
            ("fitted_mean_run_time", "a"): 2, ("fitted_mean_run_time", "b"): 4,
            ("fitted_run_time_cv", "a"): 1, ("fitted_run_time_cv", "b"): 1,
            ("fit_distance", "a"): 0.02, ("fit_distance", "b"): 0.04,
            ("alike_share", None): 0.6, ("stickiness", None): 0.5,
            ("arrival_dispersion", None): 3, ("work_dispersion", None): 7,
        }
    )  # fmt: skip
    sticky, uneven = found["stickiness", None], found["arrival_dispersion", None]
    assert (sticky.low, sticky.high) == pytest.approx((0.304, 0.696))
    assert (uneven.low, uneven.high) == pytest.approx((2.02, 3.98))
    assert dict(uneven.at) == dict(found["work_dispersion", None].at) == {"time": 60}
    assert found["fit_distance", "a"].method == "exponential: h"
    alone = {each.name: each for each in fitting.rows_of_fit(fitted(["a"], [1], laws[:1], [3]))}
    assert (alone["stickiness"].low, alone["stickiness"].high) == (None, None)


# --- questions ---


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (0.5, 0.5),
        ("text", "text"),
        (Fraction(1, 3), "1/3"),
        (Path("a/b"), "a/b"),
        ({1: (Fraction(1, 2), None)}, {"1": ["1/2", None]}),
        (np.array([1, 2]), [1, 2]),
        (np.float64(2), 2),
        (range(3), [0, 1, 2]),
        ((1, [Path("x")]), [1, ["x"]]),
        (msj.Fcfs(), "fcfs"),
        (1j, "1j"),
    ],
)
def test_options_become_plain_data(given, plain):
    assert as_option(given) == plain


def test_a_question_keeps_what_differs_from_the_usual(tmp_path):
    @question
    def ask(system, *, points=3, loads=(), file=None, seed=None, progress=None):
        list(loads)
        return Result(system=system.to_spec(), quantities=(), provenance={"seed": seed})

    log = tmp_path / "log.txt"
    log.write_text("one")
    found = ask(TWO, points=3, loads=iter([1, 2]), file=log, seed=5, progress=print).provenance
    asked = found["question"]
    assert asked["verb"] == "ask"
    assert asked["system"] == TWO.to_spec()
    assert asked["options"] == {"loads": [1, 2], "file": str(log)}
    # The first 24 digits of SHA-256 of "one".
    assert asked["logs"] == {str(log): "7692c3ad3540bb803c020b3a"}
    assert 0 <= found["seconds"] < 60
    assert ask(TWO, points=4).provenance["question"]["options"] == {"points": 4}
    assert "logs" not in ask(TWO).provenance["question"]
    assert logs_behind({"file": tmp_path / "none.txt", "jobs": 3, "other": log}) == {}
    identities = {ask(TWO, **given).provenance["identity"] for given in ({}, {"points": 4}, {"seed": 6}, {"file": log})}
    log.write_text("two")
    identities.add(ask(TWO, file=log).provenance["identity"])
    identities.add(ask(TWO.replace(servers=3)).provenance["identity"])
    assert len(identities) == 6
    assert ask(TWO, points=3).provenance["identity"] == ask(TWO).provenance["identity"]


def test_an_identity_is_of_all_that_an_answer_depends_on():
    asked = {"verb": "log", "options": {}}
    known = identity_of(None, asked, 1)
    assert identity_of(None, asked, 1) == known
    assert identity_of(None, asked, 2) != known
    assert identity_of(None, asked | {"logs": {"a": "1"}}, 1) != identity_of(None, asked | {"logs": {"a": "2"}}, 1)
    assert identity_of(None, asked | {"logs": {"a": "1"}}, 1) == identity_of(None, asked | {"logs": {"b": "1"}}, 1)
    nameless = SimpleNamespace(why_no_identity=lambda: "it is a function", identity=lambda: 1 / 0)
    assert identity_of(nameless, asked, 1) == {"identity": None, "why_no_identity": "it is a function"}


def test_a_seed_has_one_name():
    assert [root_of(rng, seed).entropy for rng, seed in ((5, None), (None, 7), (0, None), (None, 0))] == [5, 7, 0, 0]
    assert root_of(None, None).entropy != root_of(None, None).entropy
    with pytest.raises(InvalidInput, match="both given"):
        root_of(0, 0)
