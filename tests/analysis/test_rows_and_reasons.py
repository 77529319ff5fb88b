"""Rows, notes and reasons of analyses, one by one and by hand; both sides of the limits that decide about them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from msj import Erlang, Exponential, InvalidInput, JobClass, NotSupported, System, TooLarge, Unstable, mmsr
from msj.analysis import (
    dependent_law,
    dependent_response,
    exact_response,
    finite_skip_response,
    own_model,
    product_form_loss,
    queueing_terms,
    reset_terms,
    sparse_dependent,
    sparse_response,
    symbolic,
    tagged_law,
    two_class,
    two_of_many,
    wcfs_lemmas,
)
from msj.analysis.base import Saturated, mean_time_alone, rows_of, why_not_exponential, why_not_fcfs, without_load
from msj.analysis.count_chain import CountChain
from msj.analysis.dependent_response import dependent_at
from msj.analysis.exact_front import ReadFront, read_fraction
from msj.analysis.finite_skip_response import Wanted, mean_wait_rows, rows_by_class, tagged_rows
from msj.analysis.msr_response import MsrResponse
from msj.analysis.one_and_n import OneAndNForm
from msj.analysis.open_dependent import stein
from msj.analysis.percentile_row import PERCENTILES, percentile_row
from msj.analysis.product_form_loss import ProductFormLoss
from msj.analysis.queueing_terms import QueueingTerms, upper_rows
from msj.analysis.reset import predicted_mean_response_time, relative_arrivals, require_stable
from msj.analysis.reset_terms import (
    ResetConstants,
    ResetTerms,
    _constant_rows,
    _worst_miss,
    at_least_k_rows,
    extremes,
    front_size,
)
from msj.analysis.same_law import SameLawForm
from msj.analysis.service_rates import OneNeed, queues, why_not_service_rates
from msj.analysis.sparse_dependent import sparse_dependent_at
from msj.analysis.sparse_fronts import sparse_fronts_at
from msj.analysis.sparse_response import open_sparse_at
from msj.analysis.symbolic import Symbolic
from msj.analysis.two_class import TwoClassForm
from msj.analysis.wcfs_bounds import _mean_time_alone, _second_moment, wcfs_bounds
from msj.analysis.wcfs_lemmas import WcfsLemmas, mean_work_left
from msj.analysis.wcfs_verdict import explain
from msj.errors import NotAccurate
from msj.fronts import FrontModel
from msj.markov import solve as solve_chain
from msj.registry import ANALYSES
from msj.results import Outcome, Quantity
from strategies import simple

MMPP = {"law": "mmpp", "rates": [3, 1], "switching": [[0, 1], [0.5, 0]]}
TWO = simple(2, (1, 1, "2/3"), (2, "1/2", "1/3"))


def row(name, value, job_class=None):
    return Quantity(name=name, value=value, kind="exact", method="m", citation="c", job_class=job_class)


@pytest.mark.parametrize(
    ("value", "error", "ends"),
    [
        (2.0, 1.9e-6, (None, None)),  # six digits are known
        (2.0, 2.1e-6, (2.0 - 2.1e-6, 2.0 + 2.1e-6)),
        (2.0, 3.0, (0.0, 5.0)),  # no time is negative
        (0.0, 0.0, (None, None)),
    ],
)
def test_a_percentile_has_an_interval_where_six_digits_are_not_known(value, error, ends):
    found = percentile_row("response_time_percentile", 95.0, value, error, "a")
    assert (found.low, found.high) == ends
    assert (found.value, found.level, found.job_class, found.kind) == (value, 95.0, "a", "exact")


def test_saturated_facts_as_rows():
    facts = {"stability_threshold": 0.9, "wasted_servers": 0.5, "saturated_utilisation": 0.75}
    plain = Saturated(**facts, method="m", citation="c")
    assert {r.name: (r.value, r.method) for r in rows_of(plain)} == {key: (value, "m") for key, value in facts.items()}
    own = {"relative_completions_at_departure": 0.0}  # nothing, but known
    assert [(r.value, r.method, r.citation) for r in rows_of(Saturated(**facts, **own, method="m", citation="c"))][
        3:
    ] == [(0.0, "m", "c")]
    other = Saturated(**facts, **own, method="m", citation="c", completions_method="n", completions_citation="d")
    assert [(r.method, r.citation) for r in rows_of(other)] == [("m", "c")] * 3 + [("n", "d")]


def test_a_job_alone_takes_its_duration_where_speed_is_not_shared():
    assert mean_time_alone(simple(4, (1, "1/2", "3/4"), (2, 4, "1/4"))) == pytest.approx(3 / 4 * 2 + 1 / 4 * 1 / 4)
    shared = simple(4, (1, 1, 1), policy={"name": "limited-processor-sharing", "limit": 3})
    assert mean_time_alone(shared) is None


def test_reasons_name_who_is_in_the_way():
    assert why_not_fcfs(TWO) is None
    reason = why_not_fcfs(TWO.replace(policy="server-filling"))
    assert reason == "the policy is 'server-filling' and this method knows only 'fcfs'"
    assert why_not_exponential(TWO) is None
    other = JobClass(name="other", need=1, share="1/2", duration={"law": "erlang", "stages": 2, "mean": 1})
    one = JobClass(name="one", need=1, share="1/2", duration=Exponential(mean=1))
    words = "class 'other' has erlang durations and this form needs exponential ones"
    assert why_not_exponential(System(servers=2, classes=[one, other])) == words


def test_the_prediction_by_hand():
    require_stable(0.8999, 0.9)
    for rate in (0.9, 1.0, math.nan):
        with pytest.raises(Unstable, match=r"is not below the stability threshold lambda\* = 0.9;"):
            require_stable(rate, 0.9)
    assert predicted_mean_response_time(0.5, 0.9, 0.6) == pytest.approx(4.0)
    # Regular gaps of four stages: an index of dispersion of 1/4. Poisson arrivals have none of their own.
    regular = {"law": "renewal", "gap": {"law": "erlang", "stages": 4, "mean": 3}}
    assert relative_arrivals(TWO.replace(arrivals=regular)) == (pytest.approx(-3 / 8), None)
    assert relative_arrivals(TWO.replace(arrivals=MMPP)) == (pytest.approx(16 / 45), None)
    assert relative_arrivals(TWO) == (0.0, None)
    fixed = {"law": "renewal", "gap": {"law": "deterministic", "value": 1}}
    value, reason = relative_arrivals(TWO.replace(arrivals=fixed))
    assert value == 0.0
    assert reason.startswith("it is known for Markovian arrivals only, not for ")


def test_numbers_of_arrivals_among_events():
    """The window of 9 standard deviations and 20 more holds all but nothing; each chance is the binomial one."""
    for events, chance in ((0, 0.3), (1, 0.3), (50, 0.9), (3_000, 0.4), (3_000, 0.001)):
        numbers, chances = tagged_law._binomial(events, chance)
        np.testing.assert_allclose(chances, stats.binom.pmf(numbers, events, chance), rtol=1e-9)
        assert chances.sum() == pytest.approx(1.0, rel=1e-10)
        spread = 9 * math.sqrt(events * chance * (1 - chance)) + 20
        assert numbers[0] == max(0, int(events * chance - spread))
        assert numbers[-1] == min(events, int(events * chance + spread))
    numbers, chances = tagged_law._arrivals_before(0, 0.3)
    assert (numbers.tolist(), chances.tolist()) == ([0], [1.0])
    # Of the two events before the third none, one or both are arrivals, and the third is none.
    numbers, chances = tagged_law._arrivals_before(3, 0.3)
    assert numbers.tolist() == [0, 1, 2]
    assert chances == pytest.approx(np.array([0.49, 0.42, 0.09]) * 0.7)


class Laws:
    """What following a job would give, and how far it was asked for."""

    def __init__(self):
        self.asked = []

    def curve(self, first):
        def percentiles(levels):
            values = np.array([[first + 10 * i + j for j in range(3)] for i in range(len(levels))])
            return values, np.zeros(values.shape)

        return SimpleNamespace(mean=lambda: np.array([1.0, 2.0, 3.0]), percentiles=percentiles)

    def waiting(self, *, until=1e-7):
        self.asked.append(("waiting", until))
        return self.curve(100.0)

    def response(self, *, until=1e-7):
        self.asked.append(("response", until))
        return self.curve(200.0)


@pytest.mark.parametrize(
    ("wanted", "asked", "names"),
    [
        ((False, False, False), [], []),
        ((False, True, False), [("waiting", 1e-7)], []),
        ((False, True, True), [("waiting", 1e-11)], ["mean_waiting_time"] * 2),
        ((True, False, False), [("response", 1e-7)], ["response_time_percentile"] * 10),
        (
            (True, True, False),
            [("waiting", 1e-7), ("response", 1e-7)],
            ["waiting_time_percentile"] * 10 + ["response_time_percentile"] * 10,
        ),
        (
            (True, True, True),
            [("waiting", 1e-11), ("response", 1e-7)],
            ["mean_waiting_time"] * 2 + ["waiting_time_percentile"] * 10 + ["response_time_percentile"] * 10,
        ),
    ],
)
def test_following_a_job_gives_what_is_wanted_and_no_more(wanted, asked, names):
    laws = Laws()
    rows = list(tagged_rows(laws, ["", "b"], Wanted(*wanted)))  # the first class never arrives
    assert laws.asked == asked
    assert [r.name for r in rows] == names
    for start, name in ((100.0, "waiting_time_percentile"), (200.0, "response_time_percentile")):
        mine = [(r.level, r.job_class, r.value) for r in rows if r.name == name]
        expected = [
            each
            for i, level in enumerate(PERCENTILES)
            for each in ((level, None, start + 10 * i + 2), (level, "b", start + 10 * i + 1))
        ]
        assert mine == (expected if name in names else [])
    means = [(r.job_class, r.value) for r in rows if r.name == "mean_waiting_time"]
    assert means == ([(None, 3.0), ("b", 2.0)] if wanted[2] else [])


def test_mean_waits_are_stays_less_durations():
    system = simple(4, (1, "1/2", "3/4"), (2, 4, "1/4"), (3, 1, 0))
    stays = [row("mean_response_time", 9.0), row("mean_response_time", 5.0, "need 1")]
    stays += [row("mean_response_time", 2.0, "need 2"), row("mean_waiting_time", 77.0, "need 2")]
    found = list(mean_wait_rows(system, stays, ["need 1", "need 2", ""]))
    expected = [(None, 0.75 * 3 + 0.25 * 1.75), ("need 1", 3.0), ("need 2", 1.75)]
    assert [(r.job_class, pytest.approx(r.value)) for r in found] == expected
    assert {r.name for r in found} == {"mean_waiting_time"}
    assert [r.value for r in rows_by_class("mean_work", np.array([1.0, 2.0, 3.0]), ["a", ""])] == [3.0, 1.0]


def test_a_sum_over_levels():
    # Sum of 0.5^n·[[1, 2]]·diag(0.4, −0.5)^n.
    found = stein(np.array([[0.5]]), np.array([[1.0, 2.0]]), np.diag([0.4, -0.5]))
    assert found.tolist() == [pytest.approx([1 / 0.8, 2 / 1.25], rel=1e-15)]
    assert stein(np.zeros((0, 0)), np.zeros((0, 2)), np.eye(2)).shape == (0, 2)
    with pytest.raises(NotAccurate, match="does not end"):
        stein(np.eye(1), np.ones((1, 1)), np.eye(1))


def test_following_a_job_among_others_that_depend_ends_or_is_given_up(monkeypatch):
    solved = dependent_at(TWO.replace(arrivals=MMPP), 0.45)
    monkeypatch.setattr(dependent_law, "MOST_EVENTS", 5)
    with pytest.raises(NotAccurate, match="is not done after 5 events"):
        _ = dependent_law.DependentLaw(solved).waiting
    monkeypatch.setattr(dependent_law, "MOST_LEVELS", 4)
    with pytest.raises(NotAccurate, match="more than 4 levels would have to be followed"):
        dependent_law.DependentLaw(solved)


def test_a_rate_at_the_threshold_itself_is_refused():
    threshold = solve_chain(reset_terms.service_chain(TWO)).throughput
    with pytest.raises(Unstable, match=r"the arrival rate 0\.9 is not below the stability threshold 0\.9"):
        open_sparse_at(TWO, threshold)
    some_order = TWO.replace(order={"law": "sticky", "probability": 0})
    with pytest.raises(Unstable, match=r"the arrival rate .* is not below the stability threshold"):
        sparse_dependent_at(some_order, sparse_dependent_threshold(some_order))
    filling = TWO.replace(policy="server-filling")
    with pytest.raises(Unstable, match=r"the arrival rate .* is not below the stability threshold"):
        sparse_fronts_at(filling, solve_chain(reset_terms.service_chain(filling)).throughput)


def sparse_dependent_threshold(system):
    return sparse_dependent._model(without_load(system.only_active))[1].throughput


@pytest.mark.parametrize("analysis", [exact_response, dependent_response, sparse_response, sparse_dependent])
def test_means_of_fcfs_as_rows(analysis):
    """Rate 5/2, of which 1.5 and 1 are of the classes; 3 and 1 wait, so 2 and 1 long; durations are 2 and 1/2."""
    solved = SimpleNamespace(
        system=SimpleNamespace(classes=[SimpleNamespace(name="a"), SimpleNamespace(name="b")]),
        shares=np.array([0.6, 0.4]),
        arrival_rate=2.5,
        mean_durations=np.array([2.0, 0.5]),
        mean_waiting=np.array([3.0, 1.0]),
        mean_waiting_time=np.array([2.0, 1.0]),
        mean_jobs_in_system=7.5,
        waiting_probability=np.array([0.25, 0.75]),
        law=SimpleNamespace(decay_rate=0.875, ratio=0.875),
    )
    found = [(r.name, r.job_class, pytest.approx(r.value, rel=1e-14)) for r in analysis.mean_rows(solved)]
    assert found == [
        ("mean_response_time", None, 3.0),
        ("mean_response_time", "a", 4.0),
        ("mean_response_time", "b", 1.5),
        ("mean_waiting_time", None, 1.6),
        ("mean_waiting_time", "a", 2.0),
        ("mean_waiting_time", "b", 1.0),
        ("mean_jobs_in_system", None, 7.5),
        ("mean_jobs_in_system", "a", 6.0),
        ("mean_jobs_in_system", "b", 1.5),
        ("mean_jobs_waiting", None, 4.0),
        ("mean_jobs_waiting", "a", 3.0),
        ("mean_jobs_waiting", "b", 1.0),
        ("waiting_probability", None, 0.45),
        ("waiting_probability", "a", 0.25),
        ("waiting_probability", "b", 0.75),
        ("tail_decay_rate", None, 0.875),
    ]


@pytest.mark.parametrize("analysis", [exact_response, dependent_response, sparse_response])
def test_percentiles_of_fcfs_as_rows(analysis, monkeypatch):
    """Curves have the classes first and all jobs last; rows have all jobs first."""

    def curve(first):
        values = np.array([[first + 10 * i + j for j in range(3)] for i in range(len(PERCENTILES))])
        return SimpleNamespace(percentiles=lambda levels: (values[: len(levels)], 0.1 * values[: len(levels)]))

    both = curve(100.0), curve(200.0)
    law = SimpleNamespace(waiting=both[0], response=both[1])
    monkeypatch.setattr(exact_response, "WaitingLaw", lambda _: law)
    monkeypatch.setattr(dependent_response, "DependentLaw", lambda _: law)
    classes = [SimpleNamespace(name="a"), SimpleNamespace(name="b")]
    solved = SimpleNamespace(system=SimpleNamespace(classes=classes), survival=lambda _: both)
    found = [(r.name, r.level, r.job_class, r.value, r.high) for r in analysis.percentile_rows(solved)]
    assert found == [
        (name, level, job_class, first + 10 * i + j, pytest.approx(1.1 * (first + 10 * i + j)))
        for name, first in (("waiting_time_percentile", 100.0), ("response_time_percentile", 200.0))
        for i, level in enumerate(PERCENTILES)
        for j, job_class in ((2, None), (0, "a"), (1, "b"))
    ]


def test_loss_by_hand():
    # Weights on two servers: nobody 1, a small one a, two of them a²/2, a large one b.
    system = simple(2, (1, 2, "3/4"), (2, 4, "1/4"), policy="loss")
    a, b = 4 * 0.75 / 2, 4 * 0.25 / 4
    total = 1 + a + a * a / 2 + b
    lost = [(a * a / 2 + b) / total, 1 - 1 / total]
    rows = ProductFormLoss().at_rate(system, 4.0, percentiles=False).rows
    found = {(r.name, r.job_class): r.value for r in rows}
    assert found["loss_probability", "need 1"] == pytest.approx(lost[0])
    assert found["loss_probability", "need 2"] == pytest.approx(lost[1])
    assert found["loss_probability", None] == pytest.approx(0.75 * lost[0] + 0.25 * lost[1])
    assert found["mean_jobs_in_system", "need 1"] == pytest.approx((a + a * a) / total)
    assert found["mean_jobs_in_system", "need 2"] == pytest.approx(b / total)
    assert found["mean_jobs_in_system", None] == pytest.approx((a + a * a + b) / total)
    assert found["utilisation", None] == pytest.approx((a + a * a + 2 * b) / total / 2)
    with pytest.raises(NotSupported, match="does not give the law of the number of jobs"):
        ProductFormLoss().jobs_law(system, 4.0, 3)
    single = simple(2, (1, 2, 1), policy="loss")
    weights = np.array([1, 1.5, 1.125])
    law = weights / weights.sum()
    for last in (0, 1, 2, 5):
        expected = [*law, 0, 0, 0][: last + 1]
        assert ProductFormLoss().jobs_law(single, 3.0, last) == pytest.approx(expected)
    assert ProductFormLoss().supports(TWO) == "under policy 'fcfs' jobs wait and none is lost"
    assert ProductFormLoss().concerns(single)
    assert not ProductFormLoss().concerns(TWO)
    assert product_form_loss.VARIANT().supports(single) is None


def test_a_need_whose_places_change():
    queue = OneNeed(share=0.5, service_rate=2.0, places=np.array([3.0, 1.0, 0.0]), stays=np.array([0.5, 1.0, 2.0]))
    assert queue.threshold == pytest.approx(2 * (1.5 + 1) / 3.5 / 0.5)
    rate, most = 1.6, 120
    # All states of up to 120 jobs at once: 0.8 come per unit of time, the packings follow each other in a circle.
    states = [(n, j) for n in range(most + 1) for j in range(3)]
    number = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for (n, j), i in number.items():
        rates[i, number[n, (j + 1) % 3]] += 1 / (0.5, 1, 2)[j]
        if n < most:
            rates[i, number[n + 1, j]] += 0.8
        if n:
            rates[i, number[n - 1, j]] += 2 * min(n, (3, 1, 0)[j])
    generator = rates - np.diag(rates.sum(axis=1))
    generator[:, 0] = 1.0
    law = np.linalg.solve(generator.T, np.eye(len(states))[0]).reshape(-1, 3)
    found = queue.law(rate)
    assert found.mean_level() == pytest.approx(law.sum(axis=1) @ np.arange(most + 1), rel=1e-9)
    starts = law[:3, 0].sum() + law[0, 1]
    assert queue.waiting_probability(found) == pytest.approx(1 - starts, rel=1e-9)


def test_queues_of_packings_that_take_turns():
    turns = {"name": "msr", "packings": [[5, 0], [2, 1]], "shares": [1, 3], "cycle": 8}
    system = simple(5, (1, "1/2", "5/7"), (3, 2, "2/7"), policy=turns)
    (small, first), (large, second) = queues(system)
    assert (small, large) == (1, 3)
    assert (first.share, second.share) == pytest.approx((5 / 7, 2 / 7))
    assert (first.service_rate, second.service_rate) == (0.5, 2.0)
    assert (first.places.tolist(), second.places.tolist()) == ([5, 2], [0, 1])
    assert first.stays == pytest.approx([2, 6])
    assert why_not_service_rates(system) is None
    assert why_not_service_rates(system.replace(policy=turns | {"fill": True})).startswith("with fill = true")
    assert why_not_service_rates(TWO).startswith("under policy 'fcfs' needs are served as the queues are")


def test_the_constants_of_reset_as_rows():
    assert list(_constant_rows(None)) == []
    sharp = list(_constant_rows(ResetConstants(low=-0.5, high=0.25, limit=0.125, error=4.9e-10)))
    values = [("reset_constant_low", -0.5), ("reset_constant_high", 0.25), ("reset_constant_limit", 0.125)]
    assert [(r.name, r.value) for r in sharp] == values
    assert all(r.low is None and r.high is None for r in sharp)
    vague = list(_constant_rows(ResetConstants(low=-0.5, high=0.25, limit=0.125, error=5.1e-10)))
    assert [(r.low, r.high) for r in vague] == [(v - 5.1e-10, v + 5.1e-10) for _, v in values]
    # 3 + 2·x over loads 0 to 1, x = 2·load − 1: 4 at 3/4, 2 at 1/4.
    assert _worst_miss(np.array([3.0, 2.0]), {0.75: 4.5, 0.25: 2.25}) == pytest.approx(0.5)


def test_a_service_of_one_state_is_mm1():
    chain = mmsr.from_matrices([[-2.0]], [[2.0]])
    found = {r.name: r.value for r in at_least_k_rows(chain, 1.5)}
    assert found == {
        "at_least_k_empty_probability": pytest.approx(0.25),
        "at_least_k_busy_period": pytest.approx(2.0),  # 1/(2 − 1.5)
        "at_least_k_mean_back": pytest.approx(3.0),
    }


def test_terms_of_reset_where_chains_are_small(monkeypatch):
    assert (front_size(simple(5, (2, 1, 1))), front_size(TWO.replace(policy="server-filling"))) == (5, 2)
    cost = reset_terms.ExactResponse().cost(TWO).operations
    known = ResetConstants(low=-0.5, high=0.25, limit=0.125, error=0.0)
    monkeypatch.setattr(reset_terms, "reset_constants", lambda _: known)

    def names(operations, states):
        monkeypatch.setattr(reset_terms, "FEW_OPERATIONS", operations)
        monkeypatch.setattr(reset_terms, "FEW_STATES", states)
        return [r.name for r in ResetTerms().terms(TWO, 0.5)]

    constants = ["reset_constant_low", "reset_constant_high", "reset_constant_limit"]
    at_least = ["at_least_k_empty_probability", "at_least_k_busy_period", "at_least_k_mean_back"]
    assert names(2 * 27 * cost, 2) == constants  # two rounds of at most 27 points; three states are too many
    assert names(2 * 27 * cost - 1, 3) == [*at_least, "empty_back_probability"]
    assert names(0, 2) == []
    monkeypatch.setattr(reset_terms, "FEW_STATES", 3)
    back = next(r.value for r in ResetTerms().terms(TWO, 0.5) if r.name == "empty_back_probability")
    assert back == pytest.approx(float(reset_terms.ExactResponse().jobs_law(TWO, 0.5, 2).sum()), rel=1e-12)


def test_rounding_has_no_extremes():
    asked = []

    def difference(load):
        asked.append(load)
        return 1e-12 * math.sin(1e5 * load)

    found = extremes(difference, nothing=1e-9)
    assert max(abs(found.low), abs(found.high)) < 1e-9
    assert len(asked) == 3 + 9  # three held out, and nine points: no more is looked up
    assert extremes(difference) is None


def test_what_is_said_of_equal_needs():
    three, one = explain(simple(6, (2, 1, 1))), explain(simple(6, (6, 1, 1)))
    assert (three.front, three.b_inf, three.per_job) == (3, pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert three.finite_skip_because == "only the 3 oldest jobs are ever served, as all needs are equal"
    assert three.work_conserving_because == "with 3 jobs present all 6 servers are busy"
    assert one.finite_skip_because == "only the oldest job is ever served, as all needs are equal"
    assert one.work_conserving_because == "with 1 job present all 6 servers are busy"
    assert (three.is_wcfs, three.why_not) == (True, None)


@pytest.mark.parametrize(
    ("servers", "needs", "policy"),
    [(4, (1, 4), "server"), (8, (2, 8), "server"), (6, (1, 2), "divisor"), (12, (1, 4), "divisor")],
)
def test_who_would_fill_the_servers(servers, needs, policy):
    small, large = needs
    verdict = explain(simple(servers, (small, 1, "1/2"), (large, 1, "1/2")))
    assert verdict.work_conserving_because == (
        f"a job of 'need {small}' followed by jobs of 'need {large}' leaves {large - small} of {servers} servers idle; "
        f"policy '{policy}-filling' would fill them"
    )


def test_what_work_says_of_queueing():
    # Lemma 2: E[W] − (n − 1)·rem_sup <= E[T_Q] <= E[W]; here n = 4 and the largest mean remaining size 4/4·1.5.
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="server-filling")
    rows = {r.name: r.value for r in WcfsLemmas().terms(system, 0.6)}
    assert wcfs_bounds(system).front == 4
    assert rows["queueing_time_upper_bound_from_work"] == rows["mean_work"]
    assert rows["queueing_time_lower_bound_from_work"] == pytest.approx(rows["mean_work"] - 3 * 1.5, rel=1e-12)
    alone = {r.name for r in WcfsLemmas().terms(simple(3, (3, 1, 1)), 0.6)}  # one job at a time: nobody to compare with
    assert "mean_work" in alone
    assert "queueing_time_upper_bound_from_work" not in alone


def test_exact_terms_of_few_fronts_only(monkeypatch):
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="server-filling")
    cost = wcfs_lemmas.FiniteSkipResponse().cost(system).operations
    widest = max(wcfs_lemmas.front_levels(system).level_sizes)
    for few, phases, known in ((cost, widest, True), (cost - 1, widest, False), (cost, widest - 1, False)):
        monkeypatch.setattr(wcfs_lemmas, "FEW", few)
        monkeypatch.setattr(wcfs_lemmas, "MOST_PHASES", phases)
        assert wcfs_lemmas._few(system) is known
    plain = simple(4, (2, 1, 1))  # FCFS counts its states first: one
    for phases, known in ((1, True), (0, False)):
        monkeypatch.setattr(wcfs_lemmas, "FEW", np.inf)
        monkeypatch.setattr(wcfs_lemmas, "MOST_PHASES", phases)
        monkeypatch.setattr(wcfs_lemmas, "front_levels", lambda _: SimpleNamespace(level_sizes=(0,)))
        assert wcfs_lemmas._few(plain) is known


def test_work_that_is_left_by_phase():
    """Two stages of mean 1/2 and 1/4 of a job on 3 of 6 servers, and a plain job of mean 5 on one."""

    class Types:
        phase_changes = np.array([[0, 2.0, 0], [0, 0, 0], [0, 0, 0]])
        completion_rates = np.array([0, 4.0, 0.2])
        needs = np.array([3, 3, 1])

        def __len__(self):
            return 3

    assert mean_work_left(Types(), 6) == pytest.approx([0.75 / 2, 0.25 / 2, 5 / 6])


def test_bounds_on_waiting_as_rows():
    names = ["bound", "sum_bound", "sharper_bound", "little_bound", "sharpest_bound"]
    found = SimpleNamespace(kinds=2, **{name: 0.1 * i for i, name in enumerate(names)})
    every = [r.name for r in upper_rows(found)]
    assert every == [f"waiting_probability_{name}" for name in names]
    few = [(r.name, r.value) for r in upper_rows(found, all_of_them=False)]
    assert few == [(f"waiting_probability_{names[i]}", 0.1 * i) for i in (0, 2, 4)]
    found.bound = None
    assert [r.name for r in upper_rows(found)] == every[1:]


def test_server_time_left_by_hand(monkeypatch):
    # M/M/1 of load 3/4 on three servers at a time: three jobs of mean 1/2 on three servers each.
    rows = {r.name: r.value for r in QueueingTerms().terms(simple(3, (3, 2, 1)), 1.5)}
    assert rows["server_time_left"] == pytest.approx(3 * 3 * 0.5, rel=1e-9)
    names = {(r.name, r.job_class) for r in QueueingTerms().terms(TWO, 0.5)}
    assert ("waiting_probability_lower_bound", None) in names
    assert ("waiting_probability_lower_bound", "need 2") in names
    alone = {(r.name, r.job_class) for r in QueueingTerms().terms(simple(3, (3, 2, 1)), 1.5)}
    assert ("waiting_probability_lower_bound", "need 3") not in alone
    monkeypatch.setattr(queueing_terms, "MOST_SERVERS", 2)
    assert QueueingTerms().supports(TWO) is None
    assert QueueingTerms().supports(simple(3, (3, 2, 1))) == "servers = 3 is above 2"


def test_two_of_many_takes_three_needs():
    assert two_of_many.TwoOfManyTerms().supports(TWO) == "it is for classes of three needs or more"
    three = simple(8, (1, 1, "1/2"), (2, 1, "1/4"), (8, 2, "1/4"))
    assert two_of_many.TwoOfManyTerms().supports(three) is None
    assert two_of_many.TwoOfManyTerms().concerns(three)
    assert not two_of_many.TwoOfManyTerms().concerns(TWO)


def test_fractions_are_read_where_rounding_allows():
    assert read_fraction(4999 / 5000, "x") == pytest.approx(0.9998)
    assert read_fraction(1e6 + 1 / 3 + 1e-8, "x").denominator == 3  # 1e-8 is 1e-14 of it
    for wrong in (1 / 3 + 2e-13, math.pi, 1 / 5003):
        with pytest.raises(NotSupported, match="is no fraction with a denominator of up to 5,000"):
            read_fraction(wrong, "a speed")


def test_a_front_is_read_without_the_class_that_never_arrives():
    system = simple(4, (1, 3, "1/3"), (3, 9, 0), (2, 5, "2/3"), policy="server-filling")
    front = ReadFront(system)
    assert [(c, chance) for _, c, chance in front.fresh] == [(0, 1), (1, 1)]
    large = next(job for job, c, _ in front.fresh if c == 1)
    small = next(job for job, c, _ in front.fresh if c == 0)
    both = front.add(front.add(front.empty(), large), small)
    assert front.busy(both) == 3
    assert sorted((step.own, step.by_class) for step in front.steps(both)) == [(0, (0, 1)), (0, (1, 0))]


def test_how_large_fractions_may_get(monkeypatch):
    for most, told in ((3, "yes"), (2, "no: it stops at 2 states, and there are more")):
        monkeypatch.setattr(symbolic, "RATIONAL_STATES", most)
        assert Symbolic().how_long(TWO) == told
    assert Symbolic().how_long(TWO.replace(policy="server-filling")) == "yes, up to 2 full fronts"
    assert symbolic._served(TWO.replace(policy="server-filling")) == "policy 'server-filling'"
    assert symbolic._served(TWO.replace(policy={"name": "first-fit", "window": 3})) == "policy 'first-fit' (window = 3)"


class Machine(FrontModel):
    """One machine for jobs of two kinds, first come first served."""

    most_jobs = 1
    class_names = ("short", "long")

    def fresh(self):
        yield "short", 0.75
        yield "long", 0.25

    def class_of(self, job):
        return ("short", "long").index(job)

    def class_counts(self, front):
        return [front.count("short"), front.count("long")]

    def steps(self, front):
        if front:
            yield {"short": 4.0, "long": 1.0}[front[0]], front[1:], True


def test_a_model_of_ones_own(monkeypatch):
    # M/G/1: E[S] = 0.75/4 + 0.25 = 7/16, E[S²] = 2·(0.75/16 + 0.25) = 19/32.
    known = own_model.analyse_model(Machine(), load=0.5)
    assert known["stability_threshold"] == pytest.approx(16 / 7)
    wait = 8 / 7 * 19 / 32 / 2 / 0.5
    assert known["mean_response_time"] == pytest.approx(wait + 7 / 16)
    assert known["mean_response_time", "long"] == pytest.approx(wait + 1)
    assert known["mean_response_time", "short"] == pytest.approx(wait + 1 / 4)
    assert known.outcome is Outcome.SOLVED
    assert known.notes == ()
    by_rate = own_model.analyse_model(Machine(), arrival_rate=8 / 7)
    assert by_rate["mean_response_time"] == pytest.approx(wait + 7 / 16)
    assert own_model.analyse_model(Machine()).outcome is Outcome.NO_LOAD_GIVEN
    asked = own_model.analyse_model(Machine(), load=0.5, percentiles=True)
    assert asked.notes == (
        "Percentiles are not known for this model: a younger job may affect an older one; simulate it.",
    )
    with pytest.raises(InvalidInput, match="both given"):
        own_model.analyse_model(Machine(), load=0.5, arrival_rate=1.0)
    with pytest.raises(Unstable):
        own_model.analyse_model(Machine(), load=1.0)

    def refuse(_):
        raise TooLarge("so many")

    monkeypatch.setattr(own_model, "require_room", refuse)
    left = own_model.analyse_model(Machine(), load=0.5)
    assert left.notes == ("Exact response times are left out: so many.",)
    assert "predicted_mean_response_time" in {r.name for r in left}
    assert "mean_response_time" not in {r.name for r in left}


def test_machines_that_break_down_by_hand():
    # None, one or two up: each fails at 3, each of the others is repaired at 5, and each completes at 7.
    chain = mmsr.breakdowns(servers=2, rate=7, failure_rate=3, repair_rate=5)
    assert chain.D1.toarray().tolist() == [[0, 0, 0], [0, 7, 0], [0, 0, 14]]
    assert chain.D0.toarray().tolist() == [[-10, 10, 0], [3, -15, 5], [0, 6, -20]]
    assert mmsr.breakdowns(rate=7, failure_rate=0, repair_rate=5).states == 2


def test_servers_that_others_take_by_hand():
    chain = mmsr.higher_priority(servers=2, rate=7, priority_arrival_rate=3, priority_rate=5, most=3)
    assert chain.D1.toarray().tolist() == np.diag([14, 7, 0, 0]).tolist()
    assert chain.D0.toarray().tolist() == [[-17, 3, 0, 0], [5, -15, 3, 0], [0, 10, -13, 3], [0, 0, 10, -10]]
    # At load 1/2 the law falls by half each: 36/ln 2 = 51.9 more than the two, one to be safe, and none at all.
    assert mmsr.higher_priority(servers=2, rate=7, priority_arrival_rate=5, priority_rate=5).states == 2 + 52 + 1 + 1
    with pytest.raises(InvalidInput, match="most"):
        mmsr.higher_priority(servers=2, rate=7, priority_arrival_rate=3, priority_rate=5, most=1)


def test_as_many_states_as_can_be_solved(monkeypatch):
    monkeypatch.setattr("msj.analysis.mmsr.MOST_PHASES", 3)
    chain = mmsr.breakdowns(servers=2, rate=7, failure_rate=3, repair_rate=5)
    assert mmsr.analyse(chain, load=0.5)["mean_response_time"] > 0
    with pytest.raises(TooLarge, match="would have 4 states and at most 3"):
        mmsr.breakdowns(servers=3, rate=7, failure_rate=3, repair_rate=5)
    with pytest.raises(TooLarge, match="would have 4 states and at most 3"):
        mmsr.higher_priority(servers=2, rate=7, priority_arrival_rate=3, priority_rate=5, most=3)
    monkeypatch.setattr("msj.analysis.mmsr.MOST_PHASES", 2)
    with pytest.raises(TooLarge, match="has 3 states and at most 2 can be solved exactly"):
        mmsr.analyse(chain, load=0.5)


def test_one_state_has_the_rows_of_mm1():
    # Rate 2 at 3/2: E[N] = 3, three quarters wait, exponentially at 1/2.
    found = mmsr.analyse(mmsr.from_matrices([[-2.0]], [[2.0]]), arrival_rate=1.5, percentiles=[50, 99.5])
    assert [(r.name, r.level) for r in found] == [
        ("stability_threshold", None),
        ("relative_completions_at_departure", None),
        ("predicted_mean_response_time", None),
        ("reset_difference", None),
        ("mean_response_time", None),
        ("mean_waiting_time", None),
        ("mean_jobs_in_system", None),
        ("mean_jobs_waiting", None),
        ("waiting_probability", None),
        ("tail_decay_rate", None),
        ("response_time_percentile", 50),
        ("response_time_percentile", 99.5),
    ]
    expected = [2, 0, 2, 0, 2, 1.5, 3, 2.25, 0.75, 0.75, 2 * math.log(2), 2 * math.log(200)]
    assert [r.value for r in found] == pytest.approx(expected, rel=1e-6, abs=1e-9)
    none = mmsr.analyse(mmsr.from_matrices([[-2.0]], [[2.0]]), load=0.75, percentiles=[])
    assert len(list(none)) == 10
    assert none["mean_response_time"] == pytest.approx(2)


def test_rows_of_counts_stand_in_their_order():
    # M/M/2 of load 3/4: Erlang's C is 9/14.
    system = simple(4, (2, 1, 1), policy="most-servers-first")
    rows = CountChain().at_rate(system, 1.5, percentiles=False).rows
    names = ["mean_response_time", "mean_waiting_time", "mean_jobs_in_system", "mean_jobs_waiting"]
    assert [r.name for r in rows[::2]] == [*names, "waiting_probability"]
    wait = 9 / 14 / 0.5
    expected = [1 + wait, wait, 1.5 * (1 + wait), 1.5 * wait, 9 / 14]
    for overall, by_class, value in zip(rows[::2], rows[1::2], expected, strict=True):
        assert (overall.value, by_class.value) == pytest.approx((value, value), rel=1e-9)
        assert (overall.job_class, by_class.job_class) == (None, "need 2")
    shared = simple(4, (1, 1, "1/2"), (4, 1, "1/2"), policy={"name": "threshold-parallelism", "order": "elastic"})
    names = [r.name for r in CountChain().at_rate(shared, 0.5, percentiles=False).rows[::3]]
    assert names == ["mean_response_time", "mean_jobs_in_system", "waiting_probability"]


PLAIN = simple(5, (1, "1/2", "3/5"), (3, 2, "2/5"))
FILLING = simple(4, (1, "1/2", "3/5"), (2, 2, "2/5"), policy="server-filling")
COUNTS = PLAIN.replace(policy="most-servers-first")
TURNS = PLAIN.replace(policy={"name": "msr", "packings": [[5, 0], [2, 1]], "shares": [1, 3]})
SHARING = simple(4, (4, 1, 1), policy={"name": "limited-processor-sharing", "limit": 3})
SYSTEMS = {
    "fcfs": PLAIN,
    "fcfs, mmpp": PLAIN.replace(arrivals=MMPP),
    "fcfs, sticky": PLAIN.replace(order={"law": "sticky", "probability": "1/2"}),
    "filling": FILLING,
    "filling, mmpp": FILLING.replace(arrivals=MMPP),
    "counts": COUNTS,
    "turns": TURNS,
    "sharing": SHARING,
}


@pytest.mark.parametrize(
    ("name", "concerned"),
    [
        ("exact-response", {"fcfs", "fcfs, mmpp", "fcfs, sticky"}),
        ("sparse-response", {"fcfs", "fcfs, mmpp", "fcfs, sticky"}),
        ("saturated-chain", {"fcfs", "fcfs, mmpp", "fcfs, sticky"}),
        ("dependent-response", {"fcfs, mmpp", "fcfs, sticky"}),
        ("sparse-dependent", {"fcfs, mmpp", "fcfs, sticky"}),
        ("dependent-fronts", {"filling, mmpp"}),
        ("finite-skip-chain", {"filling", "filling, mmpp", "turns", "sharing"}),
        ("finite-skip-response", {"filling", "filling, mmpp", "turns", "sharing"}),
        ("sparse-fronts", {"filling", "filling, mmpp", "turns", "sharing"}),
        ("count-chain", {"counts"}),
        ("count-threshold", {"counts"}),
        ("msr-response", {"turns"}),
        ("msr-threshold", {"turns"}),
        ("limited-sharing", {"sharing"}),
        ("product-form-loss", set()),
        ("reset-terms", {"fcfs", "filling", "sharing"}),
    ],
)
def test_whom_an_analysis_is_made_for(name, concerned):
    analysis = ANALYSES.get(name)()
    assert {key for key, system in SYSTEMS.items() if analysis.concerns(system)} == concerned


@pytest.mark.parametrize(
    ("name", "supported"),
    [
        ("exact-response", {"fcfs"}),
        ("sparse-response", {"fcfs"}),
        ("saturated-chain", {"fcfs", "fcfs, mmpp", "fcfs, sticky"}),
        ("two-class", {"fcfs", "fcfs, mmpp"}),
        ("dependent-response", {"fcfs, mmpp", "fcfs, sticky"}),
        ("sparse-dependent", {"fcfs, mmpp", "fcfs, sticky"}),
        ("dependent-fronts", {"filling, mmpp"}),
        ("finite-skip-chain", {"filling", "filling, mmpp", "sharing"}),
        ("finite-skip-response", {"filling", "sharing"}),
        ("count-chain", {"counts"}),
        ("count-threshold", {"counts"}),
        ("msr-response", {"turns"}),
        ("msr-threshold", {"turns"}),
        ("limited-sharing", {"sharing"}),
        ("queueing-terms", {"fcfs"}),
        ("attainable-threshold", set(SYSTEMS) - {"sharing"}),
    ],
)
def test_whom_an_analysis_applies_to(name, supported):
    analysis = ANALYSES.get(name)()
    assert {key for key, system in SYSTEMS.items() if analysis.supports(system) is None} == supported


def test_forms_say_which_classes_they_need():
    def of(servers, *needs, means=(2, 2, 2)):
        classes = [
            JobClass(name=f"{i}", need=v, share=f"1/{len(needs)}", duration=Exponential(mean=m))
            for i, (v, m) in enumerate(zip(needs, means, strict=False))
        ]
        return System(servers=servers, classes=classes)

    needs_two = "the needs are {} and this form needs exactly one class of 1 and one of {}"
    assert OneAndNForm().supports(of(2, 1, 2)) is None
    assert OneAndNForm().supports(of(5, 5, 1)) is None
    assert OneAndNForm().supports(of(1, 1, 1)) == needs_two.format([1, 1], 1)
    assert OneAndNForm().supports(of(5, 2, 5)) == needs_two.format([2, 5], 5)
    assert OneAndNForm().supports(of(5, 1, 1, 5)) == needs_two.format([1, 1, 5], 5)
    assert TwoClassForm().supports(of(5, 2, 2, 3)) is None  # the first two are one class to it
    assert TwoClassForm().supports(of(5, 1, 2, 3)) == "there are 3 classes and this form needs exactly two"
    same = "both classes need 2 servers and this form needs two different needs"
    assert TwoClassForm().supports(of(5, 2, 2, means=(1, 2))) == same
    kinds = two_class._kinds(of(5, 2, 2, 3))
    assert {key: float(value) for key, value in kinds.items()} == pytest.approx({(2, 2.0): 2 / 3, (3, 2.0): 1 / 3})
    assert SameLawForm().supports(of(5, 1, 2, 3)) is None
    reason = "classes '0' and '2' have means 2 and 3, and this form needs one law for all"
    assert SameLawForm().supports(of(5, 1, 2, 3, means=(2, 2, 3))) == reason


def test_a_job_is_followed_unasked_where_that_is_cheap(monkeypatch):
    # Three share one machine of rate 1 at rate 1/2, the others wait: M/M/1, P(N >= 3) = 1/8, E[(N − 3)+] = 1/8.
    response, levels = finite_skip_response.FiniteSkipResponse(), finite_skip_response.front_levels(SHARING)
    cost = tagged_law.tagged_cost(levels, 1.0, 0.5).operations
    means = {
        "mean_response_time": 2.0,
        "mean_jobs_in_system": 1.0,
        "tail_decay_rate": 0.5,
        "waiting_probability": 0.125,
    }
    for limit, more in ((1.001 * cost, {"mean_waiting_time": 0.25}), (0.999 * cost, {})):
        monkeypatch.setattr(finite_skip_response, "FOLLOWED_UNASKED", limit)
        found = response.at_rate(SHARING, 0.5, percentiles=False)
        assert {r.name: r.value for r in found.rows if r.job_class is None} == pytest.approx(means | more, rel=1e-9)
        assert found.notes == ()
    found = response.at_rate(SHARING, 0.5, percentiles=True)
    assert sum(r.name == "waiting_time_percentile" for r in found.rows) == 10
    assert sum(r.name == "response_time_percentile" for r in found.rows) == 10
    assert sum(r.name == "mean_waiting_time" for r in found.rows) == 2
    assert found.notes == ()
    monkeypatch.setattr(tagged_law, "MOST_EVENTS", 9)
    found = response.at_rate(SHARING, 0.5, percentiles=True)
    words = "Some percentiles are left out: the job that is followed is not done after 9 events; lower the load."
    assert found.notes == (words,)
    monkeypatch.setattr(finite_skip_response, "FOLLOWED_UNASKED", np.inf)
    assert response.at_rate(SHARING, 0.5, percentiles=False).notes == ()  # nobody asked for percentiles


def test_following_a_job_stops_where_too_much_would_be_kept(monkeypatch):
    monkeypatch.setattr(tagged_law, "MOST_BYTES", 1.0)
    found = finite_skip_response.FiniteSkipResponse().at_rate(SHARING, 0.9, percentiles=True)
    assert found.notes == (
        "Some percentiles are left out: the job that is followed is not done after 64 events; lower the load.",
    )
    monkeypatch.setattr(tagged_law, "MOST_BEHIND", 3)
    found = finite_skip_response.FiniteSkipResponse().at_rate(SHARING, 0.9, percentiles=True)
    assert found.notes == (
        "Some percentiles are left out: more than 3 jobs may overtake one in the front; simulate the percentiles.",
    )


def test_packings_that_take_turns_serve_exponential_jobs_only():
    system = PLAIN.replace(policy={"name": "msr", "packings": [[2, 1]], "shares": [1]})
    assert why_not_service_rates(system) is None
    stages = [c.replace(duration=Erlang(stages=2, mean=c.duration.mean)) for c in system.classes]
    assert "exponential" in why_not_service_rates(system.replace(classes=stages))


def test_packings_that_never_change_are_queues_of_their_own():
    # Two places for small jobs at load 3/4, M/M/2: Erlang's C is 9/14. One for large ones at load 1/4, M/M/1.
    system = PLAIN.replace(policy={"name": "msr", "packings": [[2, 1]], "shares": [1]})
    rows = MsrResponse().at_rate(system, 1.25, percentiles=False).rows
    waits, durations, shares = np.array([9 / 14 * 2 / 0.5, 0.25 * 0.5 / 0.75]), np.array([2, 0.5]), np.array([0.6, 0.4])
    stays, rates, chances = waits + durations, 1.25 * shares, np.array([9 / 14, 1 / 4])
    expected = {
        "mean_response_time": [shares @ stays, *stays],
        "mean_waiting_time": [shares @ waits, *waits],
        "mean_jobs_in_system": [rates @ stays, *(rates * stays)],
        "mean_jobs_waiting": [rates @ waits, *(rates * waits)],
        "waiting_probability": [shares @ chances, *chances],
    }
    assert [r.name for r in rows] == [name for name in expected for _ in range(3)]
    assert [r.job_class for r in rows] == [None, "need 1", "need 3"] * 5
    assert [r.value for r in rows] == pytest.approx([value for each in expected.values() for value in each], rel=1e-9)


def test_the_second_moment_of_the_size():
    # Size need × duration / 5: a fifth of a duration of mean square 8, or three fifths of one of mean square 1/2.
    assert _second_moment(PLAIN) == pytest.approx(0.6 * 8 / 25 + 0.4 * 9 / 25 * 0.5)
    assert _mean_time_alone(PLAIN) == pytest.approx(0.6 * 2 + 0.4 * 0.5)
