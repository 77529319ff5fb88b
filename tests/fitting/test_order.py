"""The order of jobs: drawn from each law, fitted, recovered within the standard error."""

import numpy as np
import pytest

from msj.errors import InvalidInput
from msj.fitting.order import fit_order
from msj.model.orders import IndependentOrder, MarkovOrder, StickyOrder
from msj.workloads.system_jobs import OrderWalk

SHARES = (0.5, 0.3, 0.2)
MATRIX = ((0.8, 0.1, 0.1), (0.1, 0.2, 0.7), (0.3, 0.6, 0.1))


def drawn(order, shares=SHARES, count=20_000, seed=1):
    classes = np.empty(count, dtype=np.int64)
    OrderWalk(order.chain(shares), np.random.default_rng(seed)).draw(classes)
    return classes


@pytest.mark.parametrize("s", [0.05, 0.5, 0.95])
def test_stickiness_comes_back_within_its_error(s):
    found = fit_order(drawn(StickyOrder(probability=s)), 3)
    assert found.order.law == "sticky"
    assert abs(found.stickiness - s) < 4 * found.error
    assert found.error < 0.02


def test_the_error_of_stickiness_is_what_repetition_shows():
    found = [fit_order(drawn(StickyOrder(probability=0.4), count=2000, seed=i), 3) for i in range(60)]
    spread = np.std([one.stickiness for one in found])
    assert spread == pytest.approx(np.mean([one.error for one in found]), rel=0.35)  # 4 errors of a spread of 60


def test_independent_jobs_are_found_to_be_independent():
    found = fit_order(np.random.default_rng(1).choice(3, 20_000, p=SHARES), 3)
    assert isinstance(found.order, IndependentOrder)
    assert found.alike == pytest.approx(found.alike_if_independent, abs=0.02)


def test_a_markov_chain_comes_back_with_exactly_the_shares_of_the_jobs():
    classes = drawn(MarkovOrder(matrix=MATRIX))
    found = fit_order(classes, 3)
    assert isinstance(found.order, MarkovOrder)
    assert np.array(found.order.matrix, dtype=float) == pytest.approx(np.array(MATRIX), abs=0.03)
    shares = [float(share) for share in found.order.shares(3)]
    assert shares == pytest.approx(np.bincount(classes) / len(classes), rel=1e-7)


def test_jobs_that_avoid_each_other_are_not_sticky():
    found = fit_order(np.arange(1000) % 2, 2)
    assert found.stickiness == 0
    assert isinstance(found.order, MarkovOrder)


def test_an_order_that_is_asked_for_is_taken():
    classes = drawn(MarkovOrder(matrix=MATRIX), count=500)
    for law in ("independent", "sticky", "markov"):
        assert fit_order(classes, 3, law).order.law == law
    with pytest.raises(InvalidInput, match="'random' is no order"):
        fit_order(classes, 3, "random")


def test_one_class_has_no_order():
    assert isinstance(fit_order(np.zeros(50, dtype=np.int64), 1).order, IndependentOrder)


def test_two_classes_in_runs_are_sticky_as_that_is_all_a_chain_of_two_can_be():
    for s in (0.2, 0.6):
        found = fit_order(drawn(StickyOrder(probability=s), shares=(0.7, 0.3)), 2)
        assert found.order.law == "sticky"
