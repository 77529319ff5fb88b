"""What is kept as clusters grow, when nothing can be said, and the sentences: on numbers made up by hand."""

import importlib
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import msj
from msj.closed_forms.load_focused import Regime
from msj.effort import Effort
from msj.errors import Failure, NotSupported
from msj.growth import cluster, waiting
from msj.growth.cluster import Size, _kept, _load_rows, _outcome, _rate, _why_not, at_size, saturated_rows
from msj.growth.expressions import Expression, _at_most_1e300, _place
from msj.growth.fluid import _start
from msj.growth.fluid_paths import distance_exponent
from msj.growth.growth_exponent import Growth, growth_of, largest_growth, outgrown_by
from msj.growth.load_focused import OneAndNPoint, _point
from msj.growth.one_and_n_worst import _rows as worst_rows
from msj.growth.one_and_n_worst import _verdict
from msj.growth.two_needs import _rows as two_needs_rows
from msj.growth.waiting import _probabilities, effort_for, stability_of, waiting_at
from msj.growth.zero_queueing import _bound_rows, _notes, missing_bound
from msj.growth.zero_queueing_corner import _relative_need, corner_gap, corner_rows
from msj.growth.zero_queueing_family import ZeroQueueingFamily
from msj.growth.zero_queueing_growth import _missing
from msj.growth.zero_queueing_growth import _notes as family_notes
from msj.results import Missing, Outcome, Quantity

TWO = msj.read("examples/two_servers.toml")  # naive threshold 1, lambda* 0.9
ROOT = np.random.SeedSequence(1)


def quantity(name, value, kind="exact", **more):
    return Quantity(name=name, value=value, kind=kind, method="by hand", **more)


def threshold(value=0.9, lowest=0.9, waste=(0.2, None, None)):
    return SimpleNamespace(
        value=value, lowest=lowest, stability_threshold=quantity("stability_threshold", value),
        wasted_servers=quantity("wasted_servers", waste[0], low=waste[1], high=waste[2]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("load", "kept"),
    [
        # Naive threshold 1/0.5 = 2 with half the durations would do as well; here it is 1, lambda* 0.9.
        ({"arrival_rate": 0.45}, {"rate": 0.45, "utilisation": 0.45, "load": 0.5}),
        ({"utilisation": 0.36}, {"rate": 0.36, "utilisation": 0.36, "load": 0.4}),
        ({"load": 0.5}, {"rate": 0.45, "utilisation": 0.45, "load": 0.5}),
    ],
)
def test_what_stays_is_read_off_whatever_is_given(monkeypatch, load, kept):
    monkeypatch.setattr(cluster, "_threshold", lambda *_: threshold())
    system = TWO.replace(**load)
    for keep, value in kept.items():
        assert _kept(system, keep, Effort(), ROOT) == pytest.approx(value)
    # On 6 servers the naive threshold is 3: rates and shares of servers are no longer the same numbers.
    large = system.replace(servers=6)
    rate = {"arrival_rate": 0.45, "utilisation": 1.08, "load": 0.45}[next(iter(load))]
    assert _kept(large, "rate", Effort(), ROOT) == pytest.approx(rate)
    assert _kept(large, "utilisation", Effort(), ROOT) == pytest.approx(rate / 3)
    assert _kept(large, "load", Effort(), ROOT) == pytest.approx(0.5 if "load" in load else rate / 0.9)


def test_a_load_of_an_unknown_threshold_cannot_stay(monkeypatch):
    monkeypatch.setattr(cluster, "_threshold", lambda *_: None)
    with pytest.raises(NotSupported, match="keep 'load' needs the stability threshold"):
        _kept(TWO.replace(arrival_rate=0.45), "load", Effort(), ROOT)
    assert _rate(TWO, "load", 0.5, None) is None


def test_how_much_arrives_at_a_size():
    large = TWO.replace(servers=6)
    assert _rate(large, "load", 0.5, threshold(2.8)) == pytest.approx(1.4)
    assert _rate(large, "rate", 0.5, threshold(2.8)) == 0.5
    assert _rate(large, "utilisation", 0.5, threshold(2.8)) == pytest.approx(1.5)
    rows = _load_rows(large, None, 1.5)
    assert [(row.name, row.value, row.kind) for row in rows] == [
        ("arrival_rate", 1.5, "exact"), ("utilisation", pytest.approx(0.5), "exact"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("keep", "rate", "known", "why"),
    [
        ("load", None, None, (Failure.NOT_SUPPORTED, "the stability threshold is not known, so a load says nothing")),
        ("rate", 1.0, None, (Failure.UNSTABLE, "the arrival rate 1 is not below the naive threshold = 1")),
        ("rate", 0.99, None, None),
        ("rate", 0.9, threshold(), (Failure.UNSTABLE, "the arrival rate 0.9 is not below lambda* = 0.9")),
        ("rate", 0.89, threshold(), None),
        ("rate", 0.86, threshold(0.9, 0.85), (Failure.UNDECIDED, "too close to lambda* = 0.9 (simulated) to say")),
        ("rate", 0.85, threshold(0.9, 0.85), None),
        ("load", 0.86, threshold(0.9, 0.85), None),
    ],
)
def test_why_nothing_can_be_said_of_a_rate(keep, rate, known, why):
    found = _why_not(TWO, keep, rate, known)
    assert found == why if why is None else (found[0] is why[0] and found[1].startswith(why[1]))


def test_the_outcome_of_several_sizes():
    gap = {"name": "response times", "reason": "because", "at": {}}
    unstable = Size(quantities=(), missing=(Missing(failure=Failure.UNSTABLE, **gap),))
    large = Size(quantities=(), missing=(Missing(failure=Failure.TOO_LARGE, **gap),))
    row = quantity("need", 1.0)
    assert _outcome([unstable, unstable], [row]) is Outcome.UNSTABLE
    assert _outcome([unstable, large], [row]) is Outcome.SOLVED
    assert _outcome([unstable, large], []) is Outcome.NOT_KNOWN


def test_waste_is_told_in_servers_and_as_a_share():
    rows = {row.name: row for row in saturated_rows(TWO.replace(servers=4), threshold(waste=(0.3, 0.2, 0.5)))}
    share = rows["wasted_share"]
    assert (share.value, share.low, share.high) == pytest.approx((0.075, 0.05, 0.125))
    assert rows["limiting_wasted_servers"].kind == "asymptotic"
    plain = saturated_rows(TWO.replace(policy="first-fit"), threshold())
    assert [row.name for row in plain] == ["stability_threshold", "wasted_servers", "wasted_share"]
    assert (plain[2].value, plain[2].low, plain[2].high) == (0.1, None, None)
    assert saturated_rows(TWO, None) == []


@pytest.mark.parametrize(
    ("failure", "rows", "missing", "noted"),
    [
        (None, ["mean_response_time"], None, True),
        (Failure.UNSTABLE, [], "the simulated queue keeps growing", False),
        (Failure.UNDECIDED, [], "a note.", False),
        (Failure.UNDECIDED, ["mean_response_time"], None, True),
    ],
)
def test_what_is_known_of_one_size(monkeypatch, failure, rows, missing, noted):
    found = SimpleNamespace(
        failure=failure, notes=("a note.",), find=lambda name: quantity(name, 3.0) if name in rows else None
    )
    monkeypatch.setattr(cluster, "_threshold", lambda *_: threshold())
    monkeypatch.setattr(cluster, "_load_rows", lambda *_: [])
    monkeypatch.setattr(cluster, "response", lambda *_, **__: found)
    size = at_size(TWO.replace(load=None, arrival_rate=0.5), "rate", 0.5, ROOT, Effort(), largest_need=2)
    names = [row.name for row in size.quantities if row.name.startswith("mean")]
    assert names == rows
    assert {dict(row.at)["servers"] for row in size.quantities} == {2}
    assert [gap.reason for gap in size.missing] == ([] if missing is None else [missing])
    assert size.notes == (("2 servers, needs up to 2: a note.",) if noted else ())


def bounds(**more):
    given = {
        "utilisation": 0.7, "sufficient_utilisation": 0.5, "sharper_sufficient_utilisation": 0.6, "lower_bound": 0.1,
        "lower_bound_by_class": {"a": 0.05, "b": 0.2}, "as_in_the_paper": True, "bound": 1.0, "sharper_bound": 0.2345,
        "sharpest_bound": None, "why_no_bound": "", "surely_stable": False,
    } | more  # fmt: skip
    return SimpleNamespace(**given)


def test_bounds_in_words_and_rows(monkeypatch):
    assert _notes(bounds()) == [
        "The bound of zeroq's Theorem 4.2 is 1, above 1: it says nothing here.",
        "The sharper bound says that at most 23.4 % of the jobs wait.",
    ]
    assert _notes(bounds(bound=None, sharper_bound=None, sharpest_bound=0.999)) == [
        "The sharpest bound says that at most 99.9 % of the jobs wait."
    ]
    monkeypatch.setattr(importlib.import_module("msj.growth.zero_queueing"), "upper_rows", lambda *_, **__: ())
    rows = [(row.name, row.value, row.job_class) for row in _bound_rows(bounds())]
    assert rows == [
        ("offered_utilisation", 0.7, None), ("sufficient_utilisation", 0.5, None),
        ("sharper_sufficient_utilisation", 0.6, None), ("waiting_probability_lower_bound", 0.1, None),
        ("waiting_probability_lower_bound", 0.05, "a"), ("waiting_probability_lower_bound", 0.2, "b"),
    ]  # fmt: skip
    assert _bound_rows(bounds())[1].citation == "zeroq, Theorem 4.1"
    other = _bound_rows(bounds(as_in_the_paper=False, lower_bound_by_class={"a": 0.1}))
    assert (len(other), other[1].citation) == (4, "after zeroq, Theorem 4.1")
    assert other[1].method.endswith(", by the servers busy at saturation")
    assert missing_bound(bounds()) == ()
    (gap,) = missing_bound(bounds(why_no_bound="because"), {"servers": 3})
    assert (gap.name, gap.failure, gap.reason) == ("waiting_probability_bound", Failure.NOT_SUPPORTED, "because")


@pytest.mark.parametrize(
    ("sure", "rate", "stable", "noted"),
    [(True, 0.95, True, ""), (False, 0.89, True, "the cluster is stable."), (False, 0.9, False, "is unstable.")],
)
def test_stability_by_the_condition_or_by_the_threshold(monkeypatch, sure, rate, stable, noted):
    spent = []

    def known(system, effort, **_):
        spent.append(effort.operations)
        return threshold()

    monkeypatch.setattr(waiting, "exact_threshold", known)
    found = stability_of(TWO, bounds(surely_stable=sure), rate)
    assert (found.stable, found.threshold) == (stable, 0.9)
    assert " ".join(found.notes).endswith(noted)
    assert spent == [5e8 if sure else 5e10]

    def unknown(*_, **__):
        raise NotSupported("too large")

    monkeypatch.setattr(waiting, "exact_threshold", unknown)
    found = stability_of(TWO, bounds(surely_stable=sure), rate)
    assert (found.stable, found.threshold, len(found.notes)) == (True if sure else None, None, 0 if sure else 1)


def test_probabilities_of_one_class_are_those_of_all():
    rows = (quantity("waiting_probability", 0.3), quantity("waiting_probability", 0.3, job_class="a"),
            quantity("mean_waiting_time", 2.0))  # fmt: skip
    assert [(row.name, row.job_class) for row in _probabilities(rows, "waiting_probability")] == [
        ("waiting_probability", None)
    ]
    two = (*rows, quantity("waiting_probability", 0.4, job_class="b"))
    found = _probabilities(two, "simulated_waiting_probability")
    assert [(row.name, row.value, row.job_class) for row in found] == [
        ("simulated_waiting_probability", 0.3, None), ("simulated_waiting_probability", 0.3, "a"),
        ("simulated_waiting_probability", 0.4, "b"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stable", "simulation", "outcome", "exact", "simulated", "jobs", "ends"),
    [
        (True, True, Outcome.SOLVED, 1, 1, 640, True),
        (True, False, Outcome.SOLVED, 1, 0, 0, True),
        (None, True, Outcome.SOLVED, 1, 1, 640, None),
        (None, True, Outcome.UNSTABLE, 1, 0, 640, False),
        (False, True, Outcome.SOLVED, 0, 0, 0, False),
    ],
)
def test_a_queue_that_grows_is_not_estimated(monkeypatch, stable, simulation, outcome, exact, simulated, jobs, ends):
    row = quantity("waiting_probability", 0.3)
    monkeypatch.setattr(waiting, "stability_of", lambda *_: waiting.Stability(stable=stable, notes=("first",)))
    monkeypatch.setattr(waiting, "exact_response", lambda *_, **__: SimpleNamespace(rows=(row,)))
    run = SimpleNamespace(outcome=outcome, provenance={"jobs": 640}, quantities=(row,), notes=("second",))
    monkeypatch.setattr(waiting, "simulated", lambda *_, **__: run)
    found = waiting_at(TWO, 0.5, bounds(), Effort(), ROOT, simulation=simulation)
    assert (len(found.exact), len(found.simulated), found.jobs, found.stable) == (exact, simulated, jobs, ends)
    told = ("second",) if jobs else ()
    grows = ("The simulated queue keeps growing.",) if outcome is Outcome.UNSTABLE else ()
    assert found.notes == ("first", *told, *grows)


def test_seconds_are_those_of_a_usual_core():
    assert effort_for(3.0, 640).operations == pytest.approx(3 * effort_for(1.0, None).operations)
    assert (effort_for(3.0, 640).jobs, effort_for(1.0, None).jobs) == (640, None)


@pytest.mark.parametrize(
    ("fields", "gap"),
    [
        # b = beta/sqrt(sum of load shares times needs over n^gamma), only where 2·alpha + gamma = 1 and alpha > 0.
        ({"needs": ["1", "4"], "alpha": "1/2", "beta": 2, "shares": [3, 1]}, 2 / math.sqrt((3 * 1 + 1 * 4) / 4)),
        ({"needs": ["1", "4"], "alpha": "1/2", "beta": 2, "shares": [3, 1], "means": [2, 5], "shares_of": "arrivals"},
         2 / math.sqrt((6 * 1 + 20 * 4) / 26)),
        ({"needs": ["2*n^(1/2)", "3"], "alpha": "1/4", "beta": 1, "shares": [1, 3]}, 1 / math.sqrt(2 / 4)),
        ({"needs": ["2.7"], "alpha": "1/2", "beta": 1}, 1 / math.sqrt(2)),
        ({"needs": ["0.5"], "alpha": "1/2", "beta": 1}, 1.0),
        ({"needs": ["n"], "alpha": 0, "beta": 0.5}, None),
        ({"needs": ["1"], "alpha": "0.49", "beta": 1}, None),
        ({"needs": ["log2(n)"], "alpha": "1/2", "beta": 1}, None),
        ({"needs": ["3 - 1/n"], "alpha": "1/2", "beta": 1}, None),
    ],
)  # fmt: skip
def test_the_gap_on_the_border(fields, gap):
    assert corner_gap(ZeroQueueingFamily(**fields)) == (None if gap is None else pytest.approx(gap))


def test_limits_on_the_border_are_rows():
    one = ZeroQueueingFamily(needs=["2", "2"], alpha="1/2", beta=1)
    assert [row.name for row in corner_rows(one)] == [
        "limiting_waiting_probability_lower_bound", "limiting_waiting_probability_upper_bound",
        "limiting_waiting_probability",
    ]  # fmt: skip
    assert len(corner_rows(one.replace(means=(1, 2)))) == 2
    assert len(corner_rows(one.replace(needs=("2", "3")))) == 2
    assert corner_rows(one.replace(alpha="1/3")) == []
    assert _relative_need(Expression("n"), Fraction(1, 2)) is None
    assert _relative_need(Expression("3*n^0.5"), Fraction(1, 2)) == pytest.approx(3)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"needs": ["3"], "alpha": "1/4"}, ("Region 3: alpha = 0.25, gamma = 0 (read off the needs); 2·alpha + gamma = "
         "0.5 is below 1: the probability of waiting vanishes (zeroq, Theorem 4.2).")),
        ({"needs": ["n^(1/2)"], "alpha": "1/4"}, ("Region 4: alpha = 0.25, gamma = 1/2 (read off the needs); 2·alpha + "
         "gamma = 1 is not below 1: the probability of waiting does not vanish (its lower bound does not).")),
        ({"needs": ["n/ln(n)"]}, ("Region 2: alpha = 0, gamma = 1 (read off the needs, times (ln n)^-1); 2·alpha + "
         "gamma = 1 is the border itself, and the logarithm decides: the probability of waiting vanishes (zeroq, "
         "Theorem 4.2).")),
        ({"needs": ["n^(1/pi)", "2"]}, ("Region 2: alpha = 0, gamma = 159/500 (rounded); 2·alpha + gamma = 0.318 is "
         "below 1: the probability of waiting vanishes (zeroq, Theorem 4.2).")),
    ],
)  # fmt: skip
def test_a_family_in_words(fields, said):
    assert ZeroQueueingFamily(**fields).in_words() == said


def test_a_family_at_one_size():
    family = ZeroQueueingFamily(needs=["1", "n/4", "1"], alpha="1/2", beta=2, means=[3, 5, 1], shares=[1, 2, 4])
    assert family.utilisation_at(16) == pytest.approx(0.5)
    system = family.system_at(16)
    # Shares of the load: of the arrivals 1/(1 · 3), 2/(4 · 5) and 4/(1 · 1), over their sum 1/3 + 1/10 + 4.
    assert [float(c.share) for c in system.classes] == pytest.approx([w / (1 / 3 + 4.1) for w in (1 / 3, 0.1, 4)])
    assert [(c.name, c.need) for c in system.classes] == [("1 (1)", 1), ("n/4", 4), ("1 (3)", 1)]
    with pytest.raises(msj.InvalidInput, match="is 0 at n = 4"):
        family.system_at(4)
    with pytest.raises(msj.InvalidInput, match="leaves no load"):
        ZeroQueueingFamily(needs=["1"], beta=1)


def test_notes_of_a_family_say_at_which_size():
    def point(bound, stable, notes=("The line grew.",)):
        return SimpleNamespace(
            servers=64, bounds=bounds(bound=bound), waiting=SimpleNamespace(stable=stable, notes=notes)
        )

    above = "A bound above 1 says nothing."
    assert list(family_notes([point(0.5, True), point(1.0, True, ())])) == [above, "n = 64: the line grew."]
    assert list(family_notes([point(0.99, True, ()), point(None, None, ())])) == []
    assert list(_missing(point(0.5, True))) == list(_missing(point(0.5, None))) == []
    (gap,) = _missing(point(0.5, False))
    assert (gap.name, gap.failure, dict(gap.at)) == ("waiting_probability", Failure.UNSTABLE, {"servers": 64})


def test_lost_servers_of_the_one_server_regime_by_hand():
    """Theorem 4.3: mu_1·n²·p·(ln n + mu_1/mu_n − 1), and with Euler's constant."""
    found = _point(100, 1e-5, 2.0, 0.5, Regime.ONE_SERVER)
    paper = 2 * 1e4 * 1e-5 * (math.log(100) + 4 - 1)
    corrected = 2 * 1e4 * 1e-5 * (math.log(100) + 4 - 1 + 0.5772156649)
    assert (found.lost_paper, found.lost_corrected) == pytest.approx((paper, corrected))
    assert found.threshold_corrected == pytest.approx(200 - corrected)
    assert found.lost == pytest.approx(200 - found.threshold, rel=1e-6)
    assert found.lost == pytest.approx(corrected, rel=0.02)
    assert found.ratio("lost") == pytest.approx(found.lost / paper)
    other = _point(100, 0.01, 2.0, 0.5, Regime.BALANCED)
    assert (other.lost_paper, other.threshold_corrected, other.ratio("lost", "corrected")) == (None, None, None)
    none = OneAndNPoint(**{**vars(found), "lost_paper": 0.0})
    assert none.ratio("lost") is None


def test_the_worst_share_is_told_beside_what_the_border_promises():
    worst = SimpleNamespace(
        servers=1000, share_large=0.0123456, completions=900.0, balanced_completions=400.0, border_share=0.01,
        border_completions=850.0,
    )  # fmt: skip
    assert [(row.name, row.value, row.kind, row.at.get("form")) for row in worst_rows(worst)] == [
        ("worst_share_large", 0.0123456, "exact", None), ("worst_share_large", 0.01, "asymptotic", "refined"),
        ("worst_relative_completions", 900.0, "exact", None),
        ("worst_relative_completions", 850.0, "asymptotic", "refined"),
    ]  # fmt: skip
    begins = "At 1000 servers the worst share is {}, and relative completions are 2.25 times those of the balanced"
    assert _verdict(worst).startswith(begins.format("0.01235"))
    assert "Not the balanced regime is the worst" in _verdict(worst)
    assert "Small jobs" not in _verdict(SimpleNamespace(**{**vars(worst), "share_large": 0.5}))
    assert "Small jobs are so long here" in _verdict(SimpleNamespace(**{**vars(worst), "share_large": 0.51}))


def test_two_needs_that_have_become_equal_are_a_chain():
    """Needs of 2 on 5 servers: two at once, one server idle; mean durations 1 and 1/4, shares 3/4 and 1/4."""
    rows = {(row.name, row.job_class): row for row in two_needs_rows(5, [2, 2], 0.25, (1.0, 4.0))}
    assert (rows["need", "first"].value, rows["need", "second"].value, rows["share_large", None].value) == (2, 2, 0.25)
    assert rows["stability_threshold", None].value == pytest.approx(2 / (0.75 + 0.25 / 4))
    assert rows["wasted_servers", None].value == pytest.approx(1.0)
    assert ("saturated_utilisation", None) not in rows
    # Needs 1 and 2 on 2 servers, as in the running example: 0.9, and 0.2 servers are lost.
    other = {row.name: row for row in two_needs_rows(2, [1, 2], 1 / 3, (1.0, 0.5))}
    assert (other["stability_threshold"].value, other["wasted_servers"].value) == pytest.approx((0.9, 0.2))


def test_growth_is_that_of_the_largest_need_and_a_need_is_at_least_one():
    half = Growth(exponent=Fraction(1, 2))
    logs = Growth(exponent=Fraction(1, 2), logarithms=Fraction(1))
    assert largest_growth([half, logs]) == logs
    for text in ("1/n", "1/ln(n)", "3"):
        assert growth_of(Expression(text)) == Growth(exponent=Fraction(0))
    assert growth_of(Expression("ln(n)")) == Growth(exponent=Fraction(0), logarithms=Fraction(1))
    # A need that falls is 1 all the same, which does not fall behind n^0 and does behind n^(1/2).
    assert outgrown_by([Expression("1/n")], Fraction(0)) is False
    assert outgrown_by([Expression("1/n")], Fraction(1, 2)) is True
    assert outgrown_by([Expression("1/n"), Expression("n % 2")], Fraction(0)) is None


def test_distances_fall_by_the_power_that_they_do():
    made = [SimpleNamespace(servers=n, mean_distance=3.0 * n**-0.5) for n in (10, 100, 1000)]
    assert distance_exponent(made) == pytest.approx(-0.5)
    assert distance_exponent(made[:1]) is None
    means = np.array([1.0, 2.5])
    assert _start("empty", means).tolist() == [0, 0]
    assert _start([0.0, 4.0], means).tolist() == [0, 4]
    with pytest.raises(msj.InvalidInput, match=r"start\[1\] = -0.1 must be at least 0"):
        _start([0.0, -0.1], means)


def test_places_and_sizes_of_what_is_written():
    # Columns count ** for ^: of "n^2+m" the m stands at column 5, its fifth character.
    assert [_place("n^2+m", column) for column in (0, 1, 2, 3, 5, 9)] == [1, 2, 2, 3, 5, 5]
    assert _place("", 0) == 1
    assert (_at_most_1e300(1e300), _at_most_1e300(-1.01e300), _at_most_1e300(10**400)) == (True, False, False)
