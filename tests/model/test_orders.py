"""Orders of jobs: shares, chains and what is drawn agree, and spec files keep them."""

import json
from fractions import Fraction

import numpy as np
import pytest

from msj import InvalidInput, NotSupported
from msj.model.arrivals.walk import walk_through_states
from msj.model.changes import with_share
from msj.model.orders import Order, order_from
from msj.model.spec_file import from_document, to_json, to_toml
from msj.registry import ORDERS
from msj.workloads import Streams, SystemJobs, seed_sequence

EXAMPLES = {
    "independent": {"law": "independent"},
    "sticky": {"law": "sticky", "probability": 0.7},
    "markov": {"law": "markov", "matrix": [["1/2", "1/2", 0], [0, "2/3", "1/3"], [1, 0, 0]]},
    "hidden-markov": {
        "law": "hidden-markov",
        "matrix": [[0.9, 0.1], [0.2, 0.8]],
        "classes": [[0.5, 0.5, 0], [0, 0.25, 0.75]],
    },
}


def system(order, *, shares=("1/2", "1/4", "1/4")):
    told = order["law"] in ("markov", "hidden-markov")
    classes = [
        {
            "name": name,
            "need": need,
            "duration": {"law": "exponential", "mean": 1},
            **({} if told else {"share": share}),
        }
        for name, need, share in zip("abc", (1, 2, 4), shares, strict=True)
    ]
    return from_document({"servers": 4, "arrival_rate": 0.1, "order": order, "classes": classes})


def test_every_order_of_the_catalogue_is_tested_here():
    assert set(EXAMPLES) == set(ORDERS.names())
    assert all(issubclass(order, Order) for order in ORDERS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_spec_file_keeps_the_order(name):
    made = system(EXAMPLES[name])
    again = from_document(json.loads(to_json(made)))
    assert again == made
    assert again.identity() == made.identity()
    assert ("order = " in to_toml(made)) == (name != "independent")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_chain_has_the_shares_of_the_classes(name):
    made = system(EXAMPLES[name])
    chain = made.order_chain
    assert chain.steps.sum(axis=1) == pytest.approx(1, rel=1e-14)
    assert chain.law @ chain.steps == pytest.approx(chain.law, rel=1e-13)
    assert chain.law @ chain.next_class == pytest.approx([float(c.share) for c in made.classes], rel=1e-13)


def test_shares_of_a_markov_order_are_exact_fractions():
    # Balance: a = a/2 + c, b = a/2 + 2b/3, c = b/3 give a : b : c = 2 : 3 : 1.
    assert [c.share for c in system(EXAMPLES["markov"]).classes] == [Fraction(2, 6), Fraction(3, 6), Fraction(1, 6)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_jobs_come_in_the_order_of_the_chain(name):
    made = system(EXAMPLES[name])
    source = SystemJobs(made, arrival_rate=1.0, streams=Streams(root=seed_sequence(3), replication=0))
    classes = np.concatenate([source.take(n).job_class.copy() for n in (1, 70_000, 129_999)])
    chain = made.order_chain
    pairs = np.zeros((3, 3))
    np.add.at(pairs, (classes[:-1], classes[1:]), 1 / (len(classes) - 1))
    expected = np.array(
        [[(chain.law @ chain.entering[a]) @ chain.next_class[:, b] for b in range(3)] for a in range(3)]
    )
    assert pairs == pytest.approx(expected, abs=0.01)  # the slowest forgets within 10 jobs: five deviations at most


@pytest.mark.parametrize("name", EXAMPLES)
def test_covariances_add_up_to_what_summing_them_gives(name):
    chain, values = system(EXAMPLES[name]).order_chain, np.array([1.0, 5.0, -2.0])
    shares = chain.law @ chain.next_class
    after = np.einsum("h,chk,c->k", chain.law, chain.entering, values)
    total, power = 0.0, np.eye(chain.states)
    for _ in range(400):
        total += 2 * (after @ power @ chain.next_class @ values - (shares @ values) ** 2)
        power = power @ chain.steps
    assert chain.covariances(values) == pytest.approx(total, abs=1e-10)


def test_the_same_jobs_come_whoever_asks_for_how_many():
    made = system(EXAMPLES["hidden-markov"])

    def jobs(*counts):
        source = SystemJobs(made, arrival_rate=1.0, streams=Streams(root=seed_sequence(5), replication=1))
        return np.concatenate([source.take(n).job_class.copy() for n in counts])

    assert np.array_equal(jobs(50_000), jobs(7, 32_768, 1, 17_224))


def test_classes_that_never_come_are_left_out_with_their_row():
    order = {"law": "markov", "matrix": [[0.5, 0, 0.5], [0.1, 0.8, 0.1], [1, 0, 0]]}
    made = system(order)
    assert made.classes[1].share == 0
    assert made.only_active.order.matrix == ((0.5, 0.5), (1, 0))


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"law": "sticki"}, "order: unknown order of jobs 'sticki'; did you mean 'sticky'"),
        ({"law": "sticky"}, "law 'sticky' has no probability"),
        ({"law": "sticky", "probability": 1}, "probability = 1 lets no other class ever come"),
        ({"law": "sticky", "probability": 1.2}, "probability = 1.2 must lie between 0 and 1"),
        ({"law": "markov", "matrix": [[1, 0], [0, 1]]}, "states 0 and 1 of matrix never lead to each other"),
        ({"law": "markov", "matrix": [[0.5, 0.5], [1, 0]]}, "matrix has 2 rows and there are 3 classes"),
        ({"law": "markov", "matrix": [[0.5, 0.4], [1, 0]]}, "matrix\\[0\\] sum to 0.9"),
        ({"law": "markov", "matrix": 3}, "must be a list of rows"),
        (
            {"law": "hidden-markov", "matrix": [[1]], "classes": [[0.5, 0.5]]},
            "rows of 2 numbers and there are 3 classes",
        ),
        (
            {"law": "hidden-markov", "matrix": [[1]], "classes": [[1, 0, 0], [1, 0, 0]]},
            "1 states and 2 rows of classes",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(order, words):
    with pytest.raises(InvalidInput, match=words):
        system(order)


def test_shares_that_contradict_the_order_are_refused_with_both_numbers():
    classes = [{"name": n, "need": 1, "share": 0.5, "duration": {"law": "exponential", "mean": 1}} for n in ("a", "b")]
    order = {"law": "markov", "matrix": [["1/2", "1/2"], [1, 0]]}
    with pytest.raises(InvalidInput, match=r"class 'a' has the share 0.5, and .* 2/3; leave the share out"):
        from_document({"servers": 4, "order": order, "classes": classes})
    del classes[0]["share"]
    with pytest.raises(InvalidInput, match="'share' is missing"):
        from_document({"servers": 4, "classes": classes})


def test_a_share_that_follows_from_the_order_cannot_be_changed():
    with pytest.raises(NotSupported, match="follow from the order"):
        with_share(system(EXAMPLES["markov"]), "a", 0.1)
    assert float(with_share(system(EXAMPLES["sticky"]), "a", "1/10").classes[0].share) == 0.1


def test_an_order_is_an_object_as_well_as_a_table():
    order = order_from({"law": "sticky", "probability": "1/3"})
    assert system({"law": "sticky", "probability": "1/3"}).order == order


def test_a_walk_goes_on_where_it_was():
    """Row h runs over (class, next state): from state 0 class 0 stays and class 1 goes over, from state 1 back."""
    cumulative = np.array([[0.5, 0.5, 0.5, 1.0], [0.25, 0.25, 1.0, 1.0]])
    chosen, state, classes = np.array([0.25, 0.75, 0.375, 0.75, 0.125]), np.array([0]), np.empty(5, dtype=np.int64)
    for part in (slice(0, 2), slice(2, 4), slice(4, 5)):
        walk_through_states(chosen[part], state, cumulative, 2, classes[part])
    assert classes.tolist() == [0, 1, 1, 1, 0]
    assert state.tolist() == [0]
