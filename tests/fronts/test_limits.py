"""How much is taken on, at and just beyond each limit; and guesses that only help to begin."""

import itertools
import math

import numpy as np
import pytest

from msj import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    InvalidInput,
    JobClass,
    Lognormal,
    System,
    TooLarge,
)
from msj.fronts import FrontModel, fcfs_counts, fcfs_open, fcfs_waiting, policy_front
from msj.fronts.explore import explore
from msj.fronts.fcfs_open import open_fcfs, open_level_sizes
from msj.fronts.fcfs_waiting import waiting_model, waiting_sizes
from msj.fronts.front_chain import class_counts_of, filling, joined, open_front, saturated_front, steps_of
from msj.fronts.front_waiting import front_waiting
from msj.fronts.job_types import job_types, why_not_phase_type
from msj.fronts.tagged_front import TaggedFront, tagged_levels
from msj.model.spec_file import from_document
from strategies import simple

SMALL = simple(3, (1, 1, "1/2"), (2, 2, "1/3"), (3, "1/2", "1/6"), policy={"name": "first-fit", "window": 2})


def in_turns(servers, needs=(1, 2, 3)):
    """Three classes in a cycle with rests: an order of three states and six ways to go on."""
    classes = [{"name": str(need), "need": need, "duration": {"law": "exponential", "mean": need}} for need in needs]
    order = {"law": "markov", "matrix": [[0.5, 0.5, 0], [0, 0.25, 0.75], [1, 0, 0]]}
    return from_document({"servers": servers, "order": order, "classes": classes})


def raises_below(limit, call):
    """``call(limit)`` is taken on, and one less is not."""
    call(limit)
    with pytest.raises(TooLarge) as caught:
        call(limit - 1)
    return str(caught.value)


@pytest.mark.parametrize("stages", [1, 3])
def test_fronts_that_are_visited(stages):
    """With stages most fronts are met later on, without mostly while the empty system fills up."""
    law = Erlang(stages=stages, mean=1)
    model = policy_front(SMALL.replace(classes=[c.replace(duration=law) for c in SMALL.classes]))
    fronts, chain = saturated_front(model)
    met, new = set(), {model.empty()}
    while new:
        met |= new
        new = {more for front in new if not model.full(front) for more in joined(model, front)} - met
    assert len(fronts) == chain.states
    assert (chain.states + chain.vanishing > len(met)) == (stages > 1)
    most = max(chain.states + chain.vanishing, len(met))
    assert "more than " in raises_below(most, lambda most: saturated_front(model, most_fronts=most))
    if stages > 1:
        return
    levels = open_front(model)
    raises_below(sum(levels.level_sizes), lambda most: open_front(model, most_fronts=most))
    behind = front_waiting(model)
    all_kinds = sum(map(len, behind.fronts)) + behind.passing.shape[0]
    raises_below(all_kinds, lambda most: front_waiting(model, most_fronts=most))
    tagged = TaggedFront(simple(2, (1, 1, "2/3"), (2, 1, "1/3")))
    ordinary = open_front(tagged)
    held = sum(tagged_levels(tagged, ordinary).level_sizes)
    raises_below(held, lambda most: tagged_levels(tagged, ordinary, most_fronts=most))


def test_tagged_jobs_of_a_class_are_one_of_its_phases():
    """Of an Erlang class one, of a hyperexponential one each of two, by its probability."""
    laws = [Erlang(stages=2, mean=1), Hyperexponential(probabilities=[0.25, 0.75], rates=[1, 2])]
    classes = [JobClass(name=f"{i}", need=1 + i, share="1/2", duration=law) for i, law in enumerate(laws)]
    chances = [[chance for _, c, chance in TaggedFront(System(servers=2, classes=classes)).tagged if c == i]
               for i in range(2)]  # fmt: skip
    assert chances == [pytest.approx([1.0]), pytest.approx([0.25, 0.75])]


def test_laws_of_fronts_that_fill_up():
    """From an empty cluster of two servers and needs 1 and 2: three full fronts under FCFS."""
    model = policy_front(simple(2, (1, 1, "2/3"), (2, 1, "1/3")))
    law = filling(model, 10)(model.empty(), model.most_jobs)
    assert sum(law.values()) == pytest.approx(1.0)
    raises_below(len(law), lambda most: filling(model, most)(model.empty(), model.most_jobs))


def test_states_that_are_explored():
    def steps(state):
        return [((state + 1) % 7, 2.0, True)]

    states, chain = explore([3], steps, most_states=7)
    assert states == [3, 4, 5, 6, 0, 1, 2]
    assert chain.D1.toarray()[0].tolist() == [0, 2, 0, 0, 0, 0, 0]
    raises_below(7, lambda most: explore([3], steps, most_states=most))


class Coin(FrontModel):
    """One job at a time, of two sorts; wrong in one way or another."""

    most_jobs = 1
    class_names = ("a", "b")

    def __init__(self, *, chance=0.5, rate=1.0, counts=(1, 0)):
        self.chance, self.rate, self.counts = chance, rate, counts

    def fresh(self):
        return [(0, 0.5), (1, self.chance), (2, 0.0)]

    def full(self, front):
        return len(front) == 1

    def steps(self, front):
        yield self.rate, (), True

    def class_counts(self, front):
        return self.counts


def test_models_are_checked():
    filling(Coin(chance=0.5 + 0.9e-9), 10)
    filling(Coin(chance=0.5 - 0.9e-9), 10)
    for chance in (0.5 + 1.2e-9, 0.5 - 1.2e-9):
        with pytest.raises(InvalidInput, match="sum to"):
            filling(Coin(chance=chance), 10)
    assert list(steps_of(Coin(rate=0.0), (0,))) == [(0.0, (), True)]
    for rate in (-1e-9, math.nan):
        with pytest.raises(InvalidInput, match="rates must be at least 0"):
            list(steps_of(Coin(rate=rate), (0,)))
    assert class_counts_of(Coin(), (0,)) == (1, 0)
    for counts in ((1,), (1, 1), (0, 0), (1, 0, 0)):
        with pytest.raises(InvalidInput, match="for 2 classes and 1 jobs"):
            class_counts_of(Coin(counts=counts), (0,))
    assert joined(Coin(), ()) == {(0,): 0.5, (1,): 0.5}


def test_states_of_counts(monkeypatch):
    system = in_turns(6)
    size = int(fcfs_counts.number_of_states(system))
    assert size == saturated_states(6, (1, 2, 3)) * 3

    def build(most):
        monkeypatch.setattr(fcfs_counts, "MOST_STATES", most)
        return fcfs_counts.saturated_chain(system)

    assert build(size).chain.states == size
    sentence = raises_below(size, build)
    assert f"would have {size} states and at most {size - 1} fit" in sentence
    assert "fit on up to 5 servers" in sentence
    monkeypatch.setattr(fcfs_counts, "MOST_STATES", 10**9)

    def moves(most):
        monkeypatch.setattr(fcfs_counts, "MOST_MOVES", most)
        return fcfs_counts.saturated_chain(system)

    assert "each a count of 3 types" in raises_below(size // 3 * 3 * 5, moves)  # five ways in which jobs follow


def saturated_states(servers, needs):
    """Count vectors that leave fewer servers free than the largest need."""
    ranges = (range(servers // need + 1) for need in needs)
    free = (servers - sum(c * v for c, v in zip(counts, needs, strict=True)) for counts in itertools.product(*ranges))
    return sum(0 <= each < max(needs) for each in free)


def all_vectors(servers, needs):
    ranges = (range(servers // need + 1) for need in needs)
    return sum(sum(c * v for c, v in zip(x, needs, strict=True)) <= servers for x in itertools.product(*ranges))


def test_states_of_the_open_system(monkeypatch):
    system = in_turns(6)
    vectors = all_vectors(6, (1, 2, 3))
    assert waiting_sizes(system) == (3 * vectors, fcfs_counts.number_of_states(system))

    def waiting(most):
        monkeypatch.setattr(fcfs_waiting, "MOST_VECTORS", most)
        return waiting_model(system)

    assert len(waiting(3 * vectors).counts) == 3 * vectors
    assert f"at most {(3 * vectors - 1) / 3:,.0f} can be handled" in raises_below(3 * vectors, waiting)

    def opened(most):
        monkeypatch.setattr(fcfs_open, "MOST_VECTORS", most)
        fcfs_open._builder.cache_clear()
        return open_level_sizes(system)

    sizes = opened(vectors)
    assert sizes == open_fcfs(system).level_sizes
    # Six jobs in the system: all vectors of six, three states each, and the blocking ones of fewer.
    assert sizes[-1] == fcfs_counts.number_of_states(system)
    raises_below(vectors, opened)
    fcfs_open._builder.cache_clear()


def test_what_cannot_even_be_counted_is_infinite():
    system = simple(10**8, (1, 1, "1/2"), (3, 1, "1/2"))
    assert fcfs_counts.number_of_states(system) == math.inf
    assert waiting_sizes(system) == (math.inf, math.inf)


def test_the_law_without_blocking_is_a_product_of_poisson_laws():
    """Two stages of mean 1/2 each, and jobs of need 2 and mean 2: 0.3, 0.3 and 0.8 jobs would be there."""
    classes = [
        JobClass(name="a", need=1, share="3/5", duration=Erlang(stages=2, mean=1)),
        JobClass(name="b", need=2, share="2/5", duration=Exponential(mean=2)),
    ]
    model = waiting_model(System(servers=3, classes=classes))
    found = model.without_blocking(1.0)
    weights = [
        0.3 ** (i + j) * 0.8**k / (math.factorial(i) * math.factorial(j) * math.factorial(k))
        for i, j, k in model.counts.tolist()
    ]
    np.testing.assert_allclose(found, np.array(weights) / sum(weights), rtol=1e-12)


def test_the_likely_state_is_where_jobs_spend_their_time():
    """Shares 0.8 and 0.2, needs 1 and 8, 21 servers: 7 and 1.75 jobs; 5 and 2 are nearer than 7 and 1, by servers.

    Missing two of need 1 costs 2²/7, a quarter of need 8 costs 8·0.25²/1.75; three quarters cost 8·0.75²/1.75.
    """
    built = fcfs_counts.saturated_chain(simple(21, (1, 1, "4/5"), (8, 1, "1/5")))
    assert built.counts[built.chain.likely_state].tolist() == [5, 2]
    assert built.chain.dimension == 1
    # Twice as long and half as often is the same; with stages each holds its part.
    stages = [
        JobClass(name="a", need=1, share="4/5", duration=Erlang(stages=2, mean=1)),
        JobClass(name="b", need=8, share="1/5", duration=Exponential(mean=1)),
    ]
    built = fcfs_counts.saturated_chain(System(servers=21, classes=stages))
    assert sorted(built.counts[built.chain.likely_state].tolist()) == [2, 2, 3]
    assert built.chain.dimension == 2
    ordered = fcfs_counts.saturated_chain(in_turns(6)).chain
    assert (ordered.likely_state, ordered.dimension) == (None, None)


def test_the_share_that_does_not_fit():
    types = job_types(simple(7, (2, 1, "1/2"), (5, 1, "1/8"), (3, 1, "3/8")))
    assert types.blocked_share(6).tolist() == [1.0, 1.0, 0.5, 0.125, 0.125, 0.0, 0.0]


def test_types_are_classes_and_their_phases():
    classes = [
        JobClass(name="a", need=2, share="1/4", duration=Erlang(stages=2, mean=4)),
        JobClass(name="never", need=9, share=0, duration=Exponential(mean=1)),
        JobClass(name="b", need=3, share="3/4", duration=Exponential(mean=2)),
    ]
    types = job_types(System(servers=9, classes=classes))
    assert types.labels == ("a/1", "a/2", "b")
    assert (types.needs.tolist(), types.class_of.tolist()) == ([2, 2, 3], [0, 0, 2])
    assert (types.fresh.tolist(), types.completion_rates.tolist()) == ([0.25, 0.0, 0.75], [0.0, 0.5, 0.5])
    assert types.phase_changes.tolist() == [[0.0, 0.5, 0.0], [0.0] * 3, [0.0] * 3]


@pytest.mark.parametrize(
    ("law", "hint"),
    [
        (
            Lognormal(mean=2, cv=0.1001),
            "use law = 'fit' with mean = 2, cv = 0.1001 for an exact answer, or simulate it",
        ),
        (Lognormal(mean=2, cv=0.0999), "not phase type; simulate it"),
        (Lognormal(mean=2, cv=9999), "use law = 'fit' with mean = 2, cv = 9999 for an exact answer, or simulate it"),
        (Lognormal(mean=2, cv=10001), "not phase type; simulate it"),
        (Deterministic(value=3), "class 'x' has deterministic durations, which are not phase type; simulate it"),
    ],
)
def test_another_law_is_proposed_where_one_fits(law, hint):
    system = System(servers=1, classes=[JobClass(name="x", need=1, share=1, duration=law)])
    assert why_not_phase_type(system).endswith(hint)
