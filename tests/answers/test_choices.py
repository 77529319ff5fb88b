"""Which method answers, and what is said where none does: rules on made-up analyses of known costs and answers."""

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj import InvalidInput, NotSupported, TooLarge
from msj.analysis.base import AtRate, Saturated
from msj.answers import applicable
from msj.answers import known as knowns
from msj.answers import response as responses
from msj.answers import saturated as choices
from msj.answers import simulated as runs
from msj.answers import threshold as thresholds
from msj.answers.response import Response, beside_prediction, exact_response, response
from msj.answers.threshold import Threshold, find_threshold
from msj.closed_forms import two_class
from msj.effort import Cost, Effort
from msj.errors import Failure, NotAccurate
from msj.results import Outcome, Quantity
from strategies import simple

analysing, comparing, simulating = (sys.modules[f"msj.answers.{name}"] for name in ("analyse", "compare", "simulate"))
ROOT = np.random.SeedSequence(1)
TWO = msj.read("examples/two_servers.toml")  # load 0.8 of 0.9


def row(name="mean_response_time", value=1.0, kind="exact", **more):
    return Quantity(name=name, value=value, kind=kind, method="made up", **more)


class Made:
    """An analysis of the saturated system."""

    def __init__(self, name, cost, threshold=2.0, *, closed=True, completions=None, quick=True, reason=None):
        self.name, self._cost, self.threshold, self.closed_form = name, cost, threshold, closed
        self.completions, self.gives_completions, self.quick, self.reason = (
            completions,
            completions is not None,
            quick,
            reason,
        )

    def cost(self, _):
        return Cost(operations=self._cost)

    def supports(self, _):
        return self.reason

    def concerns(self, _):
        return self.reason != "not my business"

    def in_a_moment(self, _):
        return self.quick

    def saturate(self, _):
        return Saturated(
            stability_threshold=self.threshold, wasted_servers=0.5, saturated_utilisation=0.75, method=self.name,
            citation=f"{self.name}'s paper", relative_completions_at_departure=self.completions,
            facts={"by": self.name},
        )  # fmt: skip


@pytest.fixture
def among(monkeypatch):
    def put(*made):
        for module in (choices, applicable):
            monkeypatch.setattr(module, "analyses", lambda _: list(made))
        monkeypatch.setattr(thresholds, "that_apply", choices.that_apply)

    return put


# --- the saturated system ---


def chosen(method="auto", **more):
    found, notes = choices.solve_saturated(TWO, method, **more)
    return found.method, found.relative_completions_at_departure, notes


def test_closed_forms_with_completions_come_first_and_then_the_cheapest(among):
    among(Made("a", 9), Made("b", 8, completions=4.0), Made("c", 7, completions=5.0), Made("d", 1, closed=False))
    assert chosen() == ("c", 5.0, [])
    assert chosen("closed-form") == ("c", 5.0, [])
    assert chosen("chain") == ("d", None, [])
    assert choices.cheapest_cost(TWO) == Cost(operations=7)
    among(Made("a", 9), Made("b", 8, reason="no"))
    assert chosen(completions=False) == ("a", None, [])
    note = "The a form gives no relative completions, so no response time is predicted."
    assert chosen("closed-form") == ("a", None, [note])
    assert chosen("closed-form", completions=False) == ("a", None, [])


def test_completions_come_from_the_cheapest_chain_that_gives_them(among):
    """2.2 of the chain is a tenth more than 2 of the closed form."""
    chains = [Made(name, cost, 2.2, closed=False, completions=given) for name, cost, given in
              (("dear", 5e9, 7.0), ("cheap", 4e9, 6.0), ("mute", 1.0, None))]  # fmt: skip
    among(Made("form", 3.0), *chains)
    found, notes = choices.solve_saturated(TWO)
    assert (found.method, found.stability_threshold, found.relative_completions_at_departure) == ("form", 2.0, 6.0)
    assert (found.completions_method, found.completions_citation) == ("cheap", "cheap's paper")
    assert found.facts["closed_form_vs_chain"] == pytest.approx(0.1)
    assert found.facts["by"] == "cheap"
    assert notes == []
    # Without a closed form too: a chain that gives completions, where there is one.
    among(*chains)
    assert chosen() == ("cheap", 6.0, [])
    assert chosen("chain") == ("cheap", 6.0, [])
    assert choices.cheapest_cost(TWO) == Cost(operations=1)
    among(chains[2])
    assert chosen() == ("mute", None, [])


@pytest.mark.parametrize(
    ("cost", "allowed", "left_out"),
    [(4e10, math.inf, False), (6e10, math.inf, True), (4e10, 1e9, True), (1e9, 1e9, False)],
)
def test_a_chain_beside_a_closed_form_may_cost_what_an_unasked_one_may(among, cost, allowed, left_out):
    among(Made("form", 3.0), Made("chain", cost, closed=False, completions=6.0))
    method, completions, notes = chosen(effort=Effort(operations=allowed, bytes=math.inf))
    assert (method, completions) == ("form", None if left_out else 6.0)
    assert len(notes) == left_out
    assert all("they need a chain that would take" in note for note in notes)
    among(Made("chain", cost, closed=False, completions=6.0))
    if cost <= allowed:
        assert chosen(effort=Effort(operations=allowed, bytes=math.inf))[1] == 6.0
    else:
        with pytest.raises(TooLarge, match="the exact chain of this system would take"):
            chosen(effort=Effort(operations=allowed))


def test_what_does_not_apply_says_why_once(among):
    made = [
        Made("a", 1, reason="too new"), Made("b", 1, closed=False, reason="too odd"),
        Made("c", 1, closed=False, reason="too odd"), Made("d", 1, closed=False, reason="not my business"),
        Made("e", 1, closed=False, reason="too old"),
    ]  # fmt: skip
    among(*made)
    assert choices.why_none(made, TWO) == "too new; too odd; too old"
    assert choices.cheapest_cost(TWO) is None
    with pytest.raises(NotSupported, match=r"^too odd; too old$"):
        chosen()
    with pytest.raises(NotSupported, match=r"no closed form applies \(a: too new\); use the chain"):
        chosen("closed-form")
    among(Made("form", 3.0), made[1])
    assert chosen()[2] == ["Relative completions and the RESET prediction are left out: too odd."]


def test_limits_are_those_known_in_a_moment(among):
    """One takes long, one fails, two know something."""
    made = [Made(name, 1, quick=quick) for name, quick in (("slow", False), ("fails", True), ("b", True), ("c", True))]

    def given(name):
        def limits(_):
            if name == "fails":
                raise NotSupported("not here")
            return [row(f"{name}_limit")]

        return limits

    for each in made:
        each.limits = given(each.name)
    among(*made)
    assert [each.name for each in choices.limits(TWO)] == ["b_limit", "c_limit"]


# --- thresholds ---


def quickly(system=TWO):
    return thresholds._quick_threshold.__wrapped__(system)


def test_a_quick_threshold_is_the_cheapest_closed_form_or_else_the_cheapest_chain(among):
    among(Made("chain", 1, 5.0, closed=False), Made("a", 9, 3.0), Made("b", 8, 4.0), Made("c", 1, 7.0, quick=False))
    assert quickly() == 4.0
    among(Made("dear", 9, 3.0, closed=False), Made("cheap", 8, 4.0, closed=False))
    assert quickly() == 4.0
    among(Made("c", 1, quick=False))
    assert quickly() is None
    assert quickly(TWO.replace(policy="server-filling")) == TWO.naive_threshold
    assert quickly(TWO.replace(policy="loss", load=None)) == math.inf


def test_ends_of_a_threshold():
    rows = {name: row(name, 0.1) for name in ("naive_threshold", "wasted_servers", "saturated_utilisation")}
    sure = Threshold(stability_threshold=row("stability_threshold", 2.0), **rows)
    assert (sure.lowest, sure.value, sure.highest) == (2, 2, 2)
    vague = Threshold(stability_threshold=row("stability_threshold", 2.0, low=1.5, high=3.0), **rows)
    assert (vague.lowest, vague.value, vague.highest) == (1.5, 2, 3)
    assert [each.name for each in vague.rows] == [
        "stability_threshold", "wasted_servers", "saturated_utilisation", "naive_threshold",
    ]  # fmt: skip


def test_all_that_follows_from_a_rate_with_its_interval():
    """Five servers and work 2: 2.5 jobs per unit of time at most. At 2 four fifths are busy, at 1 two fifths."""
    system = simple(5, (1, "1/2", 1))
    found = thresholds._from_rate(system, 2.0, (1.0, 3.0), {"kind": "simulated", "method": "m"}, ("note",))
    ends = {
        "stability_threshold": (1, 2, 3), "wasted_servers": (0, 1, 3), "saturated_utilisation": (0.4, 0.8, 1),
    }  # fmt: skip
    for name, wanted in ends.items():
        one = getattr(found, name)
        assert (one.low, one.value, one.high) == pytest.approx(wanted)
    assert found.naive_threshold.value == 2.5
    sure = thresholds._from_rate(system, 2.5, None, {"kind": "exact", "method": "m"}, ())
    assert (sure.wasted_servers.value, sure.wasted_servers.low, sure.wasted_servers.high) == (0, None, None)


NINE = simple(9, (3, 1, "2/3"), (4, 1, "1/3"), policy="first-fit")  # takes less than 27/10: 3 + 3 + 3 or 4 + 4


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ((2.0, 1.9, 2.1), (1.9, 2.0, 2.1)),
        ((2.0, 1.9, 9.0), (1.9, 2.0, "most")),
        ((9.0, 1.9, 9.5), (1.9, "most", "most")),
        ((2.0, 2.3, 1.5), (2.0, 2.0, 2.0)),
    ],
)
def test_a_bracket_holds_its_value_and_stays_below_what_any_policy_takes(monkeypatch, given, ends):
    asked = []
    value, low, high = given
    windows = [SimpleNamespace(oldest=oldest, threshold=value) for oldest in (1000, 2000, 4000)]

    def seen(system, *, jobs, rng, over):
        asked.append((system.load, jobs, rng, over()))
        return SimpleNamespace(last=windows[-1], low=low, high=high, settled=settled, windows=windows)

    monkeypatch.setattr(thresholds, "saturated_windows", seen)
    most = thresholds.attainable_row(NINE).value
    assert most < 0.96 * NINE.naive_threshold
    settled = True
    found = find_threshold(NINE.replace(load=0.5), Effort(), ROOT)
    one = found.stability_threshold
    assert (one.low, one.value, one.high) == pytest.approx([most if end == "most" else end for end in ends])
    assert (one.kind, one.bracket) == ("simulated", True)
    assert "takes as much looking at the 2,000 oldest waiting jobs as at 4,000" in found.notes[1]
    settled = False
    assert "was not followed to the end" in find_threshold(NINE, Effort.lasting(100), ROOT).notes[1]
    for jobs in (1000, 10**9):
        find_threshold(NINE, Effort(jobs=jobs), ROOT)
    assert [each[1] for each in asked] == [200_000, 50_000, 1000, 200_000]  # where time is short, a quarter
    assert {each[0] for each in asked} == {None}
    with pytest.raises(NotSupported):
        find_threshold(NINE, Effort(), ROOT, bracket=False)
    monkeypatch.setattr(thresholds, "attainable_row", lambda _: None)
    one = find_threshold(NINE, Effort(), ROOT).stability_threshold
    assert one.value == pytest.approx(min(value, 2.7))


def test_a_line_is_as_long_as_is_asked_and_gives_an_interval(monkeypatch):
    asked = []

    def line(system, *, jobs, most_jobs, rng):
        asked.append((jobs, most_jobs))
        return SimpleNamespace(thresholds=(1.2, 1.1, 1.4), jobs=12345)

    monkeypatch.setattr(thresholds, "saturated_line", line)
    law = msj.Lognormal(mean=1, cv=1)
    classes = [msj.JobClass(name=f"{need}", need=need, share="1/2", duration=law) for need in (1, 2)]
    system = msj.System(servers=2, classes=classes)
    for jobs in (None, 777):
        one = find_threshold(system, Effort(jobs=jobs), ROOT).stability_threshold
        assert (one.low, one.value, one.high, one.bracket) == (1.1, 1.2, 1.4, False)
        assert one.method == "saturated line, 12,345 jobs"
    assert asked == [(400_000, 50_000_000), (777, 50_000_000)]


def test_what_is_more_than_any_policy_takes_is_known(monkeypatch):
    most = thresholds.attainable_row(NINE).value
    for rate, known in ((0.999 * most, None), (most, most), (1.2 * most, most), (None, None)):
        assert thresholds.exceeded(NINE.replace(arrival_rate=rate)) == known
    assert thresholds.exceeded(NINE.replace(load=0.5)) is None
    assert thresholds.exceeded(NINE.replace(policy="loss", arrival_rate=99)) is None
    monkeypatch.setattr(thresholds, "attainable_row", lambda _: None)
    assert thresholds.exceeded(NINE.replace(arrival_rate=most)) is None
    assert thresholds.exceeded(NINE.replace(arrival_rate=2.7)) == NINE.naive_threshold == pytest.approx(2.7)


# --- what a simulation is told ---


def test_weights_are_what_a_longer_class_takes_of_the_threshold():
    """By central differences of the closed form; a class that does not arrive takes nothing."""
    shares, rates, step = (0.6, 0.4), (1.0, 2.0), 1e-4
    system = simple(4, (1, 1, "3/5"), (3, 2, "2/5"), (2, 1, 0))

    def needed(means):
        form = two_class(servers=4, needs=(1, 3), shares=shares, rates=tuple(1 / mean for mean in means))
        return 1 / form.stability_threshold

    found = knowns.known_of(system)
    assert found.stability_threshold == pytest.approx(1 / needed((1.0, 0.5)))
    for i, mean in enumerate((1.0, 0.5)):
        longer, shorter = ([m + sign * step * (j == i) for j, m in enumerate((1.0, 0.5))] for sign in (1, -1))
        slope = (needed(longer) - needed(shorter)) / (2 * step)
        assert found.weights[i] == pytest.approx(slope / shares[i], rel=2e-3), mean
    assert found.weights[2] == 0
    assert len(found.weights) == len(rates) + 1
    assert knowns.known_of(system, 9.0).stability_threshold == 9


def test_weights_are_found_for_two_classes_to_twelve_that_may_waste(monkeypatch):
    weights = knowns._weights.__wrapped__
    two, three = simple(4, (1, 1, "1/2"), (3, 2, "1/2")), simple(4, (1, 1, "1/2"), (2, 3, "1/4"), (4, 2, "1/4"))
    assert weights(simple(4, (1, 1, 1))) is None
    assert weights(simple(4, (1, 1, 1), (3, 2, 0))) is None
    assert len(weights(three)) == 3
    assert weights(two.replace(policy="server-filling")) is None
    assert knowns.known_of(two.replace(policy="loss")).weights is None
    assert knowns.known_of(two.replace(policy="loss")).stability_threshold == math.inf
    monkeypatch.setattr(knowns, "MOST_CLASSES", 2)
    assert len(weights(two)) == 2
    assert weights(three) is None
    monkeypatch.setattr(knowns, "quick_threshold", lambda _: None)
    assert weights(two) is None
    assert knowns.known_of(two).weights is None


def test_a_simulation_nobody_bounds_is_as_long_as_the_memory_asks(monkeypatch):
    asked = []
    monkeypatch.setattr(runs, "simulate_at_rate", lambda system, **more: asked.append(more))
    pace = SimpleNamespace()
    monkeypatch.setattr(runs.Pace, "of", lambda *_: pace)
    system = TWO.replace(load=None, arrival_rate=0.5)
    for enough, jobs, wanted in (
        (10.3, None, 10**6),
        (600_000.2, None, 1_200_001),
        (1e9, None, 20_000_000),
        (1e9, 77, 77),
    ):
        pace.enough = enough
        runs.simulated(system, Effort(jobs=jobs), None, workers=3, threshold=0.8)
        assert asked[-1]["effort"].jobs == wanted
    assert asked[-1]["known"].stability_threshold == 0.8
    assert asked[-1]["workers"] == 3
    runs.simulated(system.replace(arrival_rate=2), Effort(jobs=1), ROOT)
    assert asked[-1]["known"].stability_threshold == pytest.approx(1.0)  # no policy takes more
    assert (asked[-1]["workers"], asked[-1]["root"]) == (1, ROOT)


def test_each_policy_that_is_compared_has_its_own_threshold(monkeypatch):
    asked = []
    monkeypatch.setattr(comparing, "compare_at_rate", lambda system, policies, **more: asked.append((system, more)))
    monkeypatch.setattr(comparing, "known_of", lambda system, threshold: (system.policy.name, threshold))
    monkeypatch.setattr(comparing, "exceeded", lambda system: 55.0)
    verb = comparing.compare.__wrapped__
    policies = ["first-fit", "fcfs", "server-filling"]
    verb(TWO, policies)
    system, more = asked[-1]
    assert system.arrival_rate == pytest.approx(0.72)
    assert more["known"] == {0: ("first-fit", 55.0), 1: ("fcfs", pytest.approx(0.9)), 2: ("server-filling", 1.0)}
    assert (more["workers"], more["controls"]) == (1, True)
    verb(TWO, policies, stability_threshold=0.8)
    assert asked[-1][0].arrival_rate == pytest.approx(0.64)
    assert asked[-1][1]["known"][1] == ("fcfs", 0.8)
    verb(NINE.replace(utilisation=0.5), ["first-fit"])
    assert asked[-1][1]["known"] == {0: ("first-fit", 55.0)}


def test_a_simulation_is_told_the_threshold_of_the_policy_that_serves(monkeypatch):
    asked = []
    nothing = msj.Result(system={}, quantities=(), outcome=msj.Outcome.SOLVED)
    monkeypatch.setattr(simulating, "simulate_at_rate", lambda system, **more: asked.append((system, more)) or nothing)
    monkeypatch.setattr(simulating, "known_of", lambda system, threshold: (system.policy.name, threshold))
    monkeypatch.setattr(simulating, "exceeded", lambda system: 55.0)
    verb = simulating.simulate.__wrapped__
    for given, rate, known in (
        ({}, 0.72, ("fcfs", pytest.approx(0.9))),
        ({"stability_threshold": 0.5}, 0.4, ("fcfs", 0.5)),
        ({"policy": "server-filling"}, 0.72, ("server-filling", 1.0)),
        ({"policy": "first-fit"}, 0.72, ("first-fit", 55.0)),
        ({"policy": "fcfs", "stability_threshold": 0.5}, 0.4, ("fcfs", 0.5)),
    ):
        verb(TWO, **given)
        system, more = asked[-1]
        assert (float(system.arrival_rate), more["known"]) == (pytest.approx(rate), known)
        assert (more["any_seed"], more["workers"], more["controls"]) == (True, 1, True)
    for seed in ({"seed": 1}, {"rng": 1}):
        verb(TWO, **seed)
        assert asked[-1][1]["any_seed"] is False
    # A threshold that takes longer than a moment is found for the load, and not found again.
    monkeypatch.setattr(simulating, "quick_threshold", lambda _: None)
    verb(TWO)
    assert float(asked[-1][0].arrival_rate) == pytest.approx(0.72)
    assert asked[-1][1]["known"] == ("fcfs", pytest.approx(0.9))
    verb(TWO.replace(load=None, utilisation=0.5))
    assert asked[-1][1]["known"] == ("fcfs", 55.0)
    for policy, sentence in (("first-fit", "which is not known here"), ("loss", "turns jobs away and has none")):
        with pytest.raises(NotSupported, match=sentence):
            verb(TWO.replace(policy=policy))


# --- response times ---


class Stays:
    """An analysis of response times."""

    def __init__(self, cost, tails=0.0, no_percentiles=None, error=None):
        self._cost, self._tails, self._no_percentiles, self._error = cost, tails, no_percentiles, error

    def cost(self, _):
        return Cost(operations=self._cost)

    def percentile_cost(self, _):
        return Cost(operations=self._tails)

    def why_no_percentiles(self, _):
        return self._no_percentiles

    def at_rate(self, _, rate, *, percentiles):
        if self._error is not None:
            raise self._error
        return AtRate(rows=(row(value=self._cost), row("percentiles", float(percentiles))), notes=("its own",))


@pytest.fixture
def staying(monkeypatch):
    def put(*made):
        monkeypatch.setattr(responses, "that_apply", lambda *_: list(made))

    return put


def asked_for(effort=10.0, **more):
    found = exact_response(TWO, 0.5, Effort(operations=effort), **more)
    value, tails = found.find("mean_response_time"), found.find("percentiles")
    return value and value.value, tails and bool(tails.value), found.notes, found.failure


def test_exact_response_times_are_asked_of_the_cheapest_within_the_effort(staying):
    staying(Stays(9.0), Stays(8.0))
    assert asked_for() == (8, True, ("its own",), None)
    assert asked_for(percentiles=False) == (8, False, ("its own",), None)
    assert asked_for(effort=8.0)[0] == 8
    value, _, notes, failure = asked_for(effort=7.0)
    assert (value, failure) == (None, Failure.TOO_LARGE)
    assert notes[0].startswith("Exact response times are left out: they would take")
    assert asked_for(effort=7.0, exact=True)[0] == 8
    assert asked_for(effort=7.0, percentiles=True)[:2] == (8, True)
    staying()
    assert asked_for() == (None, None, (), Failure.NOT_SUPPORTED)
    with pytest.raises(NotSupported):
        asked_for(exact=True)


def test_percentiles_are_left_out_where_they_cost_more_or_are_not_known(staying):
    staying(Stays(8.0, tails=11.0))
    value, tails, notes, _ = asked_for()
    assert (value, tails) == (8, False)
    assert notes[0].startswith("Percentiles are left out: they would take")
    assert notes[1:] == ("its own",)
    assert asked_for(percentiles=True) == (8, True, ("its own",), None)
    staying(Stays(8.0, no_percentiles="nobody knows them"))
    assert asked_for() == (8, False, ("its own",), None)
    assert asked_for(percentiles=True) == (8, False, ("Nobody knows them.", "its own"), None)


@pytest.mark.parametrize("error", [TooLarge("too large"), NotAccurate("too rough")])
def test_what_fails_unasked_is_a_note_and_what_fails_asked_is_an_error(staying, error):
    staying(Stays(8.0, error=error))
    assert asked_for() == (None, None, (f"Exact response times are left out: {error}.",), error.failure)
    for asked in ({"exact": True}, {"percentiles": True}):
        with pytest.raises(type(error)):
            asked_for(**asked)


def test_what_exact_methods_do_not_give_is_simulated(monkeypatch):
    """The exact mean stands before the simulated one, once; a load that is too much has no rows."""
    asked = []
    exact = Response(rows=(row(value=3.0),), facts={"seconds": 1, "residual": 2}, notes=("exact note",))
    drawn = (row(value=9.0, kind="simulated"), row("mean_waiting_time", 2.0, kind="simulated"))

    class Run(tuple):
        notes = ("run note",)

    def run(system, effort, root, **more):
        asked.append(more)
        made = Run(drawn)
        made.outcome, made.provenance = ended[-1], {"seconds": 5, "jobs": 7}
        return made

    monkeypatch.setattr(responses, "exact_response", lambda *_, **__: exact)
    monkeypatch.setattr(responses, "simulated", run)
    system, ended = TWO.replace(load=None, arrival_rate=0.5), [Outcome.SOLVED]
    one = row("stability_threshold", 0.9)
    known = Threshold(stability_threshold=one, naive_threshold=one, wasted_servers=one, saturated_utilisation=one)
    found = response(system, known, Effort(), ROOT)
    assert [(each.name, each.value) for each in found.rows] == [("mean_response_time", 3), ("mean_waiting_time", 2)]
    assert (found.facts, found.notes, found.failure) == (
        {"seconds": 1, "jobs": 7, "residual": 2}, ("run note",), None,
    )  # fmt: skip
    assert asked[-1] == {"threshold": 0.9, "workers": 1}
    assert response(system, known, Effort(), ROOT, wants=("mean_response_time",)) is exact
    vague = Threshold(
        stability_threshold=row("stability_threshold", 0.9, kind="simulated", low=0.4, high=1.0, bracket=True),
        naive_threshold=one, wasted_servers=one, saturated_utilisation=one,
    )  # fmt: skip
    response(system, vague, Effort(), ROOT, workers=2)
    assert asked[-1] == {"threshold": None, "workers": 2}
    response(system, None, Effort(), ROOT)
    assert asked[-1]["threshold"] is None
    for outcome, failure, count in (
        (Outcome.UNSTABLE, Failure.UNSTABLE, 0),
        (Outcome.OUT_OF_TIME, Failure.OUT_OF_TIME, 2),
        (Outcome.TOO_SHORT, Failure.TOO_FEW_JOBS, 2),
    ):
        ended.append(outcome)
        found = response(system, known, Effort(), ROOT)
        assert (found.failure, len(found.rows)) == (failure, count)
    ended.append(Outcome.INTERRUPTED)
    with pytest.raises(KeyboardInterrupt):
        response(system, known, Effort(), ROOT)
    for rate, too_much in ((0.95, False), (1.0, True), (1.1, True)):
        ended.append(Outcome.SOLVED)
        found = response(system.replace(arrival_rate=rate), vague, Effort(), ROOT)
        assert (found.failure is Failure.UNSTABLE) == too_much
    assert "The arrival rate 1.1 is not below the stability threshold 1" in found.notes[0]


def test_the_difference_stands_where_both_are_exact():
    predicted = Response(rows=(row("predicted_mean_response_time", 5.0),))
    both = beside_prediction(Response(rows=(row(value=7.5),)), predicted)
    assert [(each.name, each.value) for each in both] == [
        ("predicted_mean_response_time", 5), ("reset_difference", 2.5), ("mean_response_time", 7.5),
    ]  # fmt: skip
    better = Response(rows=(row(value=7.5),), reset_difference=lambda: 2.25)
    assert beside_prediction(better, predicted)[1].value == 2.25
    for stay in ((row(value=7.5, kind="simulated"),), (row("waiting_probability", 0.5),)):
        assert beside_prediction(Response(rows=stay), predicted) == (*predicted.rows, *stay)
    assert beside_prediction(better, Response()) == better.rows


def test_a_prediction_below_what_a_job_takes_is_told():
    """Delta 0 at half the threshold, 1: 1/(1 − 1/2) is above a mean duration of 1 and below one of 3."""
    delta, one = row("relative_completions_at_departure", 0.0), row("stability_threshold", 1.0)
    rest = dict.fromkeys(("naive_threshold", "wasted_servers", "saturated_utilisation"), one)
    known = Threshold(stability_threshold=one, relative_completions=delta, **rest)
    for mean, notes in ((1, 0), (3, 1)):
        found = responses.predicted(simple(1, (1, f"1/{mean}", 1)), 0.5, known)
        assert found.rows[0].value == pytest.approx(2)
        assert len(found.notes) == notes
    assert "below the mean duration 3" in found.notes[0]
    plain = Threshold(stability_threshold=one, **rest)
    assert responses.predicted(TWO, 0.5, plain) == Response()


def test_an_open_system_without_a_load_is_refused():
    with pytest.raises(InvalidInput, match="no load is given"):
        msj.open_system(TWO.replace(load=None))


# --- analyse ---


def test_people_are_told_before_a_chain_that_takes_a_while(monkeypatch):
    seen = []
    for operations, told in ((None, 0), (1e10, 0), (3e10, 1), (2e14, 0)):
        cost = None if operations is None else Cost(operations=operations)
        monkeypatch.setattr(analysing, "cheapest_cost", lambda _, cost=cost: cost)
        seen.clear()
        analysing.warn_of_waiting(TWO, Effort(progress=seen.append))
        assert len(seen) == told
        assert all(now.words.startswith("a large chain: this may take") for now in seen)
        assert all((now.done, now.notice) == (0, True) for now in seen)
    monkeypatch.setattr(analysing, "cheapest_cost", lambda _: Cost(operations=3e10))
    seen.clear()
    msj.analyse(TWO, percentiles=False, progress=seen.append)
    assert [now.notice for now in seen] == [True]


@pytest.mark.parametrize(
    ("ends", "low", "high"),
    [((None, None), None, None), ((2, 5), 0.6, 1.5), ((0.5, 5), 0.6, 6), ((0, 5), 0.6, None)],
)
def test_a_load_is_as_sure_as_the_threshold(ends, low, high):
    """Rate 3 of a threshold of 4, on nine servers with work 10/3 for a job: 2.7 at most."""
    one = SimpleNamespace(value=4.0, low=ends[0], high=ends[1])
    rows = {each.name: each for each in analysing.load_rows(NINE, SimpleNamespace(stability_threshold=one), 3.0)}
    assert rows["load"].value == 0.75
    assert (rows["load"].low, rows["load"].high) == (low, high)
    assert rows["load"].kind == ("exact" if low is None else "simulated")
    assert rows["arrival_rate"].value == 3
    assert rows["utilisation"].value == pytest.approx(3 / 2.7)
