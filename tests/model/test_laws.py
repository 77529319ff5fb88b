"""What laws say of themselves at their edges: far moments, longest durations, chains behind arrivals, environments."""

import math
from fractions import Fraction

import numpy as np
import pytest

from msj import Coxian, Empirical, Erlang, Exponential, Fit, Hyperexponential, InvalidInput, JobClass, PhaseType, System
from msj.errors import TooLarge
from msj.model.arrivals import arrivals_from
from msj.model.arrivals.batch import BatchSampler
from msj.model.arrivals.daily import ClockSampler
from msj.model.arrivals.map import MapSampler
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.arrivals.recorded import RecordSampler
from msj.model.assumptions import assumed, why_not_independent, why_not_plain, why_not_poisson
from msj.model.durations import Deterministic, duration_from_spec
from msj.model.environments import environments_from
from msj.model.environments.base import birth_and_death, from_last
from msj.model.orders import order_from


def law(name, /, **keys):
    return duration_from_spec({"law": name, **keys})


@pytest.mark.parametrize(
    ("made", "longest", "remaining"),
    [
        (law("deterministic", value=3), 3.0, 3.0),
        (law("uniform", low=1, high=4), 4.0, 2.5),
        (law("erlang", stages=3, mean=6), math.inf, 6.0),
        (law("exponential", mean=2), math.inf, 2.0),
        (law("hyperexponential", rates=[2, 0.5, 0.1], probabilities=[0.75, 0.25, 0]), math.inf, 2.0),
        (law("lognormal", mean=2, cv=0.5), math.inf, math.inf),
        (law("pareto", shape=5, minimum=2), math.inf, math.inf),
        (law("weibull", shape=1, mean=3), math.inf, 3.0),
        (law("weibull", shape=0.99, mean=3), math.inf, math.inf),
        # Of 1, 2, 2, 9: at 0 the mean is 3.5, past 1 it is (1 + 1 + 8)/3, past 2 the 9 has 7 to go.
        (law("empirical", values=[1, 2, 2, 9]), 9.0, 7.0),
        (law("empirical", values=[4, 5, 6]), 6.0, 5.0),
        (law("fit", mean=3, cv=2), math.inf, None),
    ],
)
def test_the_longest_duration_and_the_longest_mean_rest(made, longest, remaining):
    assert made.longest == longest
    assert made.largest_mean_remaining == (None if remaining is None else pytest.approx(remaining))


@pytest.mark.parametrize(
    ("made", "moments"),
    [
        (law("deterministic", value=3), {-2: 1 / 9, 0: 1, 3: 27}),
        (law("uniform", low=1, high=4), {-2: 1 / 4, -1: math.log(4) / 3, 0: 1, 3: 255 / 12}),
        (law("uniform", low=0, high=4), {-1: math.inf, -2: math.inf, 3: 16}),
        (law("uniform", low=2, high=2), {-1: 0.5, 3: 8}),
        (law("lognormal", mean=2, cv=0.5), {-1: 1.25 / 2, 3: 8 * 1.25**3, 4: 16 * 1.25**6}),
        (law("lognormal", mean=2, cv=1e9), {9: math.inf}),
        (law("pareto", shape=5, minimum=2), {-1: 5 / 2 / 6, 3: 20, 4: 80, 5: math.inf}),
        (law("pareto", shape=2, minimum=3), {1: 6, 2: math.inf}),
        (law("empirical", values=[1, 2, 4]), {-1: 1.75 / 3, 3: 73 / 3}),
        (law("exponential", mean=2), {-1: math.inf, 0: 1, 3: 48}),
        (law("erlang", stages=2, mean=2), {3: 24}),
        (law("scipy", name="gamma", a=2, scale=3), {0: 1, 1: 6, 2: 54, 3: math.nan}),
        (law("weibull", shape=0.02, mean=1), {9: math.inf}),
    ],
)
def test_moments_of_other_orders(made, moments):
    for order, value in moments.items():
        assert made.moment(order) == pytest.approx(value, rel=1e-12, nan_ok=True), order


def test_edges_of_parameters(monkeypatch):
    assert law("pareto", shape=2, minimum=1).second_moment == math.inf
    assert law("pareto", shape=3, minimum=2).second_moment == pytest.approx(12)
    assert (law("pareto", shape=3, minimum=2).tail_index, law("exponential", mean=1).tail_index) == (3.0, math.inf)
    assert law("pareto", shape=1.5, minimum=1).cv == math.inf
    assert law("weibull", shape=0.02, mean=1).mean == 1
    assert law("uniform", low=0, high=1).mean == 0.5
    assert law("fit", mean=1, cv=1e4).cv == 1e4
    assert len(law("fit", mean=1, cv=0.1).as_phase_type().alpha) == 100
    monkeypatch.setattr("msj.model.durations.erlang.MOST_PHASES", 4)
    assert len(Erlang(stages=4, mean=1).as_phase_type().alpha) == 4
    with pytest.raises(TooLarge, match="5 stages are more phases"):
        Erlang(stages=5, mean=1).as_phase_type()
    for make, words in (
        (lambda: law("weibull", shape=0.0199, mean=1), "shape = 0.0199 is too small"),
        (lambda: law("uniform", low=-0.1, high=1), "low = -0.1 must not be negative"),
        (lambda: law("fit", mean=1, cv=10001), "cv = 10001 is too large"),
        (lambda: law("fit", mean=1, cv=0.0999), "would take 101 stages"),
        (lambda: law("fit", mean=1, cv=1e-4), "would take more than 100,000,000 stages; use cv >= 0.1,"),
        (lambda: Coxian(rates=[1, 2], continues=[0.5, 0.5]), "2 rates and 2 chances to continue; give 1"),
        (lambda: law("coxian", rates=[1, 2]), "needs continue; add continue"),
        (lambda: Empirical(values=[1], file="x"), "both is given"),
    ):
        with pytest.raises(InvalidInput, match=words):
            make()
    assert law("coxian", rates=[4]).mean == 0.25


def test_fits_are_the_mixtures_of_the_handbook():
    """cv² = 3 with balanced means: p = (1 + √(1/2))/2, rates 2p/m and 2(1 − p)/m. cv = 1: one phase."""
    p = (1 + math.sqrt(0.5)) / 2
    made = Fit(mean=5, cv=math.sqrt(3)).as_phase_type()
    assert made.alpha == pytest.approx([p, 1 - p], rel=1e-12)
    assert made.exit_rates == pytest.approx([2 * p / 5, 2 * (1 - p) / 5], rel=1e-12)
    assert Fit(mean=5, cv=1).as_phase_type().subgenerator.tolist() == [[-0.2]]
    # cv² = 2/5 lies between those of 2 and 3 stages; Tijms' mixture of both with one rate.
    few = Fit(mean=5, cv=math.sqrt(0.4)).as_phase_type()
    q = (3 * 0.4 - math.sqrt(3 * 1.4 - 9 * 0.4)) / 1.4
    assert few.alpha == pytest.approx([1 - q, q, 0], rel=1e-12)
    assert np.diag(few.subgenerator) == pytest.approx([-(3 - q) / 5] * 3)


def test_rates_of_ending_ignore_what_rounding_leaves():
    made = PhaseType(initial=[1, 0], generator=[[-1.0, 1.0 - 5e-13], [0, -2]])
    assert made.exit_rates.tolist() == [0.0, 2.0]
    assert PhaseType(initial=[1, 0], generator=[[-1.0, 1.0 - 2e-12], [0, -2]]).exit_rates[0] == pytest.approx(
        2e-12, rel=1e-3
    )
    assert PhaseType(initial=[1, 0], generator=[[-4, 1], [0, -2]]).exit_rates.tolist() == [3.0, 2.0]
    assert len(PhaseType(initial=[1, 0], generator=[[-1.0, 1.0 + 0.9e-9], [0, -2]]).alpha) == 2
    with pytest.raises(InvalidInput, match="row 0 of generator sums to"):
        PhaseType(initial=[1, 0], generator=[[-1.0, 1.0 + 1.1e-9], [0, -2]])
    with pytest.raises(InvalidInput, match=r"generator\[0\]\[0\] = 0 must be negative"):
        PhaseType(initial=[1], generator=[[0]])


def test_exponential_is_written_by_what_gives_the_other_back():
    assert Exponential(mean=3).to_spec() == {"law": "exponential", "mean": 3}
    third = Exponential(rate=49.0)  # 1/(1/49) is not 49 in floating point
    assert third.to_spec() == {"law": "exponential", "rate": 49.0}
    assert Exponential(mean="2/3").rate == Fraction(3, 2)
    assert Exponential(mean=2).scaled(3).mean == 6
    assert Hyperexponential(rates=[4, 2], probabilities=[0.5, 0.5]).scaled(2).rates == (2, 1)


def test_a_chain_that_marks_its_arrivals():
    """On for 1/3 on average, off for 1/2; 10 per unit of time while on: on for 2/5 of the time.

    Rates 0 and 10 have mean 4 and variance 24 and are forgotten at rate 5: I = 1 + 2·24/(4·5).
    """
    form = MarkovForm.of([[-13, 3], [2, -2]], [[10, 0], [0, 0]])
    assert form.law == pytest.approx([0.4, 0.6])
    assert form.rate == pytest.approx(4.0)
    assert form.dispersion == pytest.approx(1 + 2 * 24 / (4 * 5))
    assert form.relaxation_time == pytest.approx(0.2)
    assert form.rates_of_arrival.tolist() == [10.0, 0.0]
    assert form.generator.tolist() == [[-3.0, 3.0], [2.0, -2.0]]
    assert len(form) == 2
    # G is the arrivals more that are to come in a phase, on average 0: they differ by 10/5.
    assert form.relative_arrivals[0] - form.relative_arrivals[1] == pytest.approx(2.0)
    assert form.law @ form.relative_arrivals == pytest.approx(0.0, abs=1e-12)
    assert MarkovForm.of([[-2]], [[2]]).relaxation_time == 0.0


def test_batches_as_a_chain(monkeypatch):
    """Sizes 1 (thrice), 2 and 4: mean 9/5, E[B²] = 23/5. Waiting is only before a batch, the rest takes no time."""
    batch = arrivals_from({"law": "batch", "size": {"law": "empirical", "values": [1, 1, 1, 2, 4]}})
    assert batch.mean_size == pytest.approx(1.8)
    assert batch.dispersion(7.0) == pytest.approx(23 / 9)
    assert batch.relaxation_time(7.0) == 0.0
    form = batch.markov_form(3.6)  # two batches per unit of time
    assert form.passing.tolist() == [False, True, True, True]
    np.testing.assert_allclose(form.D1, [[1.2, 0.4, 0, 0.4], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], atol=1e-12)
    assert form.rate == pytest.approx(3.6)
    assert form.law.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert form.dispersion == pytest.approx(23 / 9)
    assert batch.assumption() == "Poisson batches of 1.8 jobs on average (empirical)"
    halves = arrivals_from({"law": "batch", "size": {"law": "deterministic", "value": 2.5}})
    assert halves.mean_size == 3.0
    whole = arrivals_from({"law": "batch", "size": {"law": "deterministic", "value": 3}})
    assert (whole.mean_size, whole.dispersion(1.0)) == (3.0, 3.0)
    assert whole.markov_form(1.0).D1.shape == (3, 3)
    monkeypatch.setattr("msj.model.arrivals.batch.MOST_STAGES", 5)
    assert arrivals_from({"law": "batch", "size": {"law": "deterministic", "value": 4}}).markov_form(1.0) is not None
    assert arrivals_from({"law": "batch", "size": {"law": "deterministic", "value": 5}}).markov_form(1.0) is None
    assert whole.one_at_a_time is False


class Fixed:
    """Numbers in the place of random ones."""

    def __init__(self, exponential=(), uniform=(), place=0):
        self.exponential, self.uniform, self.place = list(exponential), list(uniform), place

    def standard_exponential(self, size=None, out=None):
        drawn = [self.exponential.pop(0) for _ in range(len(out) if out is not None else size)]
        if out is not None:
            out[:] = drawn
        return np.array(drawn)

    def integers(self, size):
        assert size > self.place
        return self.place

    def choice(self, size, p):
        assert size == len(p)
        return self.place


def test_jobs_of_a_batch_come_together_and_over_the_end_of_a_block():
    """Batches of 3: in blocks of 4 and 4 the gaps are before jobs 0, 3 and 6, times the mean gap of 2."""
    rng = Fixed(exponential=[1.0, 2.0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9] + [3.0] + [8.0] * 15)
    sampler = BatchSampler(Deterministic(value=3), 2.0, rng)
    gaps, none = np.full(4, 7.0), np.zeros(4, dtype=np.int64)
    sampler.draw(gaps, none)
    assert gaps.tolist() == [2.0, 0.0, 0.0, 4.0]
    assert sampler.left == 2
    sampler.draw(gaps, none)
    assert gaps.tolist() == [0.0, 0.0, 6.0, 0.0]
    assert sampler.left == 1
    # Jobs one by one: sixteen batches are drawn at a time, and a block of twenty takes two draws.
    alone = BatchSampler(Deterministic(value=1), 2.0, Fixed(exponential=range(1, 33)))
    block = np.zeros(20)
    alone.draw(block, none)
    assert block.tolist() == [2.0 * n for n in range(1, 21)]
    assert alone.left == 0


def test_arrivals_by_the_clock_at_given_sums():
    """Rates 2, 0, 1 over steps of 3: 6 arrivals up to 3, none up to 6, 9 up to 9.

    Mean arrivals 1, 5, 7, 11 are moments 1/2, 5/2, 7 and, with 2 in the second round, 9 + 1; then 12 is 9 + 3/2.
    """
    sampler = ClockSampler(np.array([2.0, 0.0, 1.0]), 9.0, Fixed(exponential=[1.0, 4.0, 2.0, 4.0, 1.0]))
    gaps, none = np.zeros(4), np.zeros(4, dtype=np.int64)
    sampler.draw(gaps, none)
    assert np.cumsum(gaps) == pytest.approx([0.5, 2.5, 7.0, 10.0])
    one = np.zeros(1)
    sampler.draw(one, none)
    assert one == pytest.approx([0.5])


def test_a_week_of_days():
    daily = arrivals_from({"law": "daily", "rates": [1, 3], "cycle": 24, "weekly": [1, 0.5, 2]})
    assert daily.all_rates.tolist() == [1.0, 3.0, 0.5, 1.5, 2.0, 6.0]
    assert (daily.steps, daily.period, daily.own_rate) == (2, 72.0, pytest.approx(14 / 6))
    assert daily.relaxation_time(1.0) == 72.0
    assert daily.assumption() == "Poisson arrivals by the clock (2 rates over a cycle of 24 and 3 kinds of days)"
    plain = arrivals_from({"law": "daily", "rates": [1, 3, 5], "cycle": 24})
    assert (plain.period, plain.own_rate) == (24.0, 3.0)
    assert plain.assumption() == "Poisson arrivals by the clock (3 rates over a cycle of 24)"
    with pytest.raises(InvalidInput, match=r"weekly\[1\] = -1 must not be negative"):
        arrivals_from({"law": "daily", "rates": [1], "cycle": 1, "weekly": [1, -1]})
    with pytest.raises(InvalidInput, match="all weekly are 0"):
        arrivals_from({"law": "daily", "rates": [1], "cycle": 1, "weekly": [0, 0]})


def test_records_from_a_place_on():
    sampler = RecordSampler(np.array([1.0, 2.0, 3.0]), Fixed(place=1))
    gaps, none = np.zeros(4), np.zeros(4, dtype=np.int64)
    sampler.draw(gaps, none)
    assert gaps.tolist() == [2.0, 3.0, 1.0, 2.0]
    sampler.draw(gaps[:2], none)
    assert gaps.tolist()[:2] == [3.0, 1.0]


def test_the_dispersion_of_a_record():
    """Gaps 1 and 3 in turn, 60 of them: two at a time they are all alike. Twenty of 1 and then twenty of 3 are not."""
    even = arrivals_from({"law": "recorded", "times": np.cumsum([0, *[1, 3] * 29, 1, 2]).tolist()})
    assert even.dispersion(1.0) == 1.0
    assert even.relaxation_time(2.0) == len(even.gaps) / 2.0
    assert even.assumption() == "61 recorded arrivals, over and over"
    few = arrivals_from({"law": "recorded", "times": [0, 1, 10]})  # gaps 1, 9 and their mean 5
    assert few.gaps.tolist() == [1.0, 9.0, 5.0]
    assert few.dispersion(1.0) == 1.0  # 32/3/25 of the mean's square is less than Poisson's
    wild = arrivals_from({"law": "recorded", "times": [0, *range(100, 109)]})
    gaps = np.array([100.0, *[1.0] * 8, 12.0])
    assert wild.gaps.tolist() == gaps.tolist()
    assert wild.dispersion(1.0) == pytest.approx(gaps.var() / gaps.mean() ** 2)
    # 75 gaps: two at a time, and the last one is left over; ten of 10 in a row, the others 1.
    ten = [10.0] * 10 + [1.0] * 64
    long = arrivals_from({"law": "recorded", "times": np.cumsum([0, *ten]).tolist()})
    pairs = np.array([20.0] * 5 + [2.0] * 32) / long.gaps.mean()
    assert len(long.gaps) == 75
    assert long.dispersion(1.0) == pytest.approx(pairs.var() / 2)


def test_where_a_map_leads():
    """Phase 0 leaves at 6: to 1 silently at 1, with 'a' to 0 at 2, with 'b' to 1 at 3; phase 1 at 4 with 'b' to 0."""
    d1 = np.array([[[2.0, 0.0], [0.0, 0.0]], [[0.0, 3.0], [4.0, 0.0]]])
    sampler = MapSampler(np.array([[-6.0, 1.0], [0.0, -4.0]]), d1, Fixed(place=1))
    assert sampler.leaving.tolist() == [6.0, 4.0]
    assert sampler.cumulative[0] == pytest.approx([0, 1 / 6, 3 / 6, 3 / 6, 3 / 6, 2.0])
    assert sampler.cumulative[1] == pytest.approx([0, 0, 0, 0, 2.0, 2.0])
    assert sampler.marks is True
    assert sampler.phase.tolist() == [1]
    assert MapSampler(np.array([[-2.0]]), np.array([[[2.0]]]), Fixed()).marks is False


def test_assumptions_in_words():
    one = [JobClass(name="a", need=1, share=1, duration=Exponential(mean=1))]
    plain = System(servers=2, classes=one)
    assert (why_not_poisson(plain), why_not_independent(plain), why_not_plain(plain)) == (None, None, None)
    renewal = plain.replace(arrivals={"law": "renewal", "gap": {"law": "erlang", "stages": 4, "mean": 1}})
    assert why_not_plain(renewal).startswith("arrivals follow the law 'renewal'")
    assert assumed(renewal) == "independent erlang gaps between arrivals (cv 0.5), independent jobs"
    sticky = plain.replace(order={"law": "sticky", "probability": 0.5})
    assert why_not_plain(sticky) == "jobs come in 'sticky' order and this method needs independent jobs"
    marked = plain.replace(arrivals={"law": "map", "D0": [[-2]], "D1": {"a": [[2]]}})
    assert why_not_independent(marked).startswith("the arrivals ('map') say who comes")
    assert assumed(marked) == "Markovian arrivals (MAP of 1 phases) that say who comes"
    silent = plain.replace(arrivals={"law": "map", "D0": [[-2]], "D1": [[2]]})
    assert assumed(silent) == "Markovian arrivals (MAP of 1 phases), independent jobs"


def test_chains_of_orders():
    """Sticky with 0.6 and shares 1/4, 3/4: one stays with 0.6 + 0.4/4. It forgets at 0.6 a job: memory 1/(1 − 0.6)."""
    chain = order_from({"law": "sticky", "probability": 0.6}).chain([0.25, 0.75])
    assert chain.steps == pytest.approx(np.array([[0.7, 0.3], [0.1, 0.9]]))
    assert chain.entering[0] == pytest.approx(np.array([[0.7, 0], [0.1, 0]]))
    assert chain.memory == pytest.approx(2.5)
    assert chain.law == pytest.approx([0.25, 0.75])
    # D = Σ (Pⁿ − Π) = (I − Π)/(1 − 0.6)
    assert chain.deviation == pytest.approx((np.eye(2) - np.array([[0.25, 0.75]] * 2)) / 0.4)
    assert chain.cumulative == pytest.approx(np.array([[0.7, 0.7, 0.7, 2.0], [0.1, 0.1, 0.1, 2.0]]))
    one = order_from("independent").chain([1, 3])
    assert (one.states, one.memory) == (1, 0.0)
    assert one.next_class == pytest.approx(np.array([[0.25, 0.75]]))
    hidden = order_from(
        {"law": "hidden-markov", "matrix": [[0, 1, 0], [0, 0.5, 0.5], [0, 1, 0]],
         "classes": [[1, 0, 0], [0, 0.25, 0.75], [0, 1, 0]]}
    )  # fmt: skip
    assert hidden.shares(3) == pytest.approx((0, 0.25 * 2 / 3 + 1 / 3, 0.75 * 2 / 3))
    small = hidden.restricted([1, 2])
    assert small.matrix == ((0.5, 0.5), (1, 0))
    assert small.classes == ((0.25, 0.75), (1, 0))
    assert small.chain([]).entering[0] == pytest.approx(np.array([[0.125, 0.5], [0.25, 0]]))
    assert hidden.assumption() == "classes follow 3 hidden states"


def test_taken_from_the_last_groups_first():
    groups = {"a": 4, "b": 2, "c": 3}
    assert [from_last(n, groups, None) for n in (0, 2, 3, 4, 6, 9)] == [
        (0, 0, 0), (0, 0, 2), (0, 0, 3), (0, 1, 3), (1, 2, 3), (4, 2, 3),
    ]  # fmt: skip
    assert from_last(2, groups, "b") == (0, 2, 0)


def test_a_component_that_goes_up_and_down():
    made = birth_and_death([2.0, 1.0, 0.0], [0.0, 3.0, 5.0], [(0,), (1,), (2,)], "any")
    assert [float(one.rate) for one in made.sojourn] == [2.0, 4.0, 5.0]
    assert made.jump == ((0.0, 1.0, 0.0), (0.75, 0.0, 0.25), (0.0, 1.0, 0.0))
    assert (made.speed, made.taken, made.hits) == ((1.0, 1.0, 1.0), ((0,), (1,), (2,)), "any")


def components(groups, **table):
    return environments_from(table)[0].components(groups)


def test_components_of_environments():
    exponential = {"law": "exponential", "mean": "1/4"}
    groups = {"a": 3, "b": 1}
    first, second = components(groups, name="breakdowns", rate=0.5, repair=exponential, repairers=2)
    # Of three servers those that run break at 1/2 each, and two at a time are repaired at 4 each.
    assert [float(one.rate) for one in first.sojourn] == [1.5, 1.0 + 4, 0.5 + 8, 8]
    assert first.taken == ((0, 0), (1, 0), (2, 0), (3, 0))
    assert [float(one.rate) for one in second.sojourn] == [0.5, 4.0]
    assert second.taken == ((0, 0), (0, 1))
    (only,) = components(groups, name="breakdowns", rate=0.5, repair=exponential, group="b")
    assert only.taken == ((0, 0), (0, 1))
    (both,) = components(groups, name="breakdowns", rate=0.5, repair={"law": "erlang", "stages": 2, "mean": 1},
                         together=True)  # fmt: skip
    assert (both.taken, both.jump, both.speed) == (((0, 0), (3, 1)), ((0.0, 1.0), (1.0, 0.0)), (1.0, 1.0))
    assert components(groups, name="breakdowns", rate=0, repair=exponential) == []
    (work,) = components(groups, name="priority-work", arrival_rate=2, duration=exponential, need=1, most=3)
    assert [float(one.rate) for one in work.sojourn] == [2.0, 2 + 4, 2 + 8, 12]
    assert work.taken == ((0, 0), (0, 1), (1, 1), (2, 1))
    (twos,) = components(groups, name="priority-work", arrival_rate=2, duration=exponential, need=2, most=1, group="a")
    assert twos.taken == ((0, 0), (2, 0))
    assert components(groups, name="priority-work", arrival_rate=0, duration=exponential, need=1, most=3) == []
    (window,) = components(groups, name="maintenance", every=exponential, lasts=exponential)
    assert (window.taken, window.jump, window.speed) == (((0, 0), (3, 1)), ((0.0, 1.0), (1.0, 0.0)), (1.0, 1.0))
    (some,) = components(groups, name="maintenance", every=exponential, lasts=exponential, group="a")
    assert some.taken == ((0, 0), (3, 0))
    (none,) = components(groups, name="maintenance", every=exponential, lasts=exponential, servers=0)
    assert none.taken == ((0, 0), (0, 0))
    chain = {"generator": [[-3, 1, 2], [4, -4, 0], [0, 5, -5]]}
    (free,) = components(groups, name="modulated", **chain, servers=[4, 3, 0])
    assert [float(one.rate) for one in free.sojourn] == [3.0, 4.0, 5.0]
    assert free.jump == ((0.0, 1 / 3, 2 / 3), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert (free.taken, free.speed) == (((0, 0), (0, 1), (3, 1)), (1.0, 1.0, 1.0))
    (slow,) = components(groups, name="modulated", **chain, speed=[1, 0, "1/2"])
    assert (slow.taken, slow.speed) == (((0, 0),) * 3, (1.0, 0.0, 0.5))


@pytest.mark.parametrize(
    ("table", "groups", "words"),
    [
        ({"name": "maintenance", "servers": 4}, {"a": 3, "b": 1}, None),
        ({"name": "maintenance", "servers": 5}, {"a": 3, "b": 1}, "servers = 5 is more than there are, 4"),
        ({"name": "maintenance", "servers": 4, "group": "a"}, {"a": 3, "b": 1}, "servers = 4 is more than .* 3"),
        ({"name": "maintenance", "group": "c"}, {"a": 3, "b": 1}, "group 'c' does not exist; "),
        ({"name": "maintenance", "group": "c"}, {"a": 3}, "does not exist; add model 'server-groups', or leave"),
        ({"name": "priority-work", "need": 2, "most": 2}, {"a": 3, "b": 1}, None),
        ({"name": "priority-work", "need": 1, "most": 5}, {"a": 3, "b": 1}, "need x most = 5 is more than the 4"),
        ({"name": "priority-work", "need": 2, "most": 2, "group": "a"}, {"a": 3, "b": 1}, "is more than the 3 servers"),
        ({"name": "modulated", "servers": [4, 0]}, {"a": 3, "b": 1}, None),
        ({"name": "modulated", "servers": [4, 5]}, {"a": 3, "b": 1}, r"servers\[1\] = 5 is more than there are, 4"),
    ],
)  # fmt: skip
def test_environments_take_no_more_than_there_is(table, groups, words):
    law_of_all = {"law": "exponential", "mean": 1}
    more = {
        "maintenance": {"every": law_of_all, "lasts": law_of_all},
        "priority-work": {"arrival_rate": 1, "duration": law_of_all},
        "modulated": {"generator": [[-1, 1], [2, -2]]},
    }[table["name"]]
    (made,) = environments_from(table | more)
    if words is None:
        made.check(groups)
    else:
        with pytest.raises(InvalidInput, match=words):
            made.check(groups)


def test_chains_of_environments_lead_everywhere_and_let_jobs_go_on():
    for table, words in (
        ({"generator": [[0]]}, "row 0 of generator"),
        ({"generator": [[-1, 1, 0], [1, -1, 0], [1, 1, -2]]}, "does not lead from every state to every other"),
        ({"generator": [[-1, 1], [2, -2]], "speed": [0, 0]}, "speed is 0 in every state"),
        ({"generator": [[-1, 1], [2, -2]], "speed": [1, -1]}, r"speed\[1\] = -1 must be at least 0"),
        ({"generator": [[-1, 1], [2, -2]], "servers": [1, -1]}, r"servers\[1\] = -1 must be at least 0"),
    ):
        with pytest.raises(InvalidInput, match=words):
            environments_from({"name": "modulated", **table})


@pytest.mark.parametrize(
    ("name", "said", "numbers"),
    [
        ("deterministic", {"value": "3/2"}, {"value": 1.5}),
        ("exponential", {"mean": "1/4"}, {"mean": 0.25}),
        ("exponential", {"rate": "1/4"}, {"rate": 0.25}),
        ("erlang", {"stages": 3, "mean": "1/4"}, {"stages": 3.0, "mean": 0.25}),
        ("uniform", {"low": "1/2", "high": "3/2"}, {"low": 0.5, "high": 1.5}),
        ("lognormal", {"mean": "1/2", "cv": "3/2"}, {"mean": 0.5, "cv": 1.5}),
        ("weibull", {"shape": "1/2", "mean": "3/2"}, {"shape": 0.5, "mean": 1.5}),
        ("pareto", {"shape": "5/2", "minimum": "1/2"}, {"shape": 2.5, "minimum": 0.5}),
        ("fit", {"mean": "1/2", "cv": "3/2"}, {"mean": 0.5, "cv": 1.5}),
        ("empirical", {"values": ["1/2", "3/2"]}, {"values": [0.5, 1.5]}),
        ("hyperexponential", {"rates": ["1/2", 2], "probabilities": ["1/4", "3/4"]},
         {"rates": [0.5, 2], "probabilities": [0.25, 0.75]}),
        ("coxian", {"rates": ["1/2", 2], "continue": ["1/4"]}, {"rates": [0.5, 2], "continue": [0.25]}),
        ("phase-type", {"initial": ["1/4", "3/4"], "generator": [["-1/2", 0], ["1/2", -2]]},
         {"initial": [0.25, 0.75], "generator": [[-0.5, 0], [0.5, -2]]}),
    ],
)  # fmt: skip
def test_numbers_may_be_said_as_text(name, said, numbers):
    """Of a file: the same law, of numbers that can be computed with."""
    assert law(name, **said) == law(name, **numbers)
    assert float(law(name, **said).mean) == float(law(name, **numbers).mean)


def test_moments_beyond_what_numbers_can_hold():
    """E[X^8] of mean e^100: above e^800, and the largest number is e^709.8."""
    far = law("lognormal", mean=math.exp(100), cv=1)
    assert far.moment(8) == math.inf
    assert far.moment(6) == pytest.approx(math.exp(600) * 2**15, rel=1e-9)
