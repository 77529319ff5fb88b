"""The bounds on waiting, on plain numbers; of whole systems they are tested in ``tests/growth``."""

import math

import pytest

from msj.closed_forms.queueing_bounds import queueing_bounds, theorem_bound
from msj.errors import InvalidInput


def test_theorem_by_hand():
    # 3·2·sqrt(4/400) + 4/400 = 0.61, over 1 − 0.5
    assert theorem_bound(servers=400, largest_need=4, classes=2, utilisation=0.5) == pytest.approx(1.22)


@pytest.mark.parametrize("utilisation", [0.0, 0.9, 1.5])
def test_the_theorem_is_not_used_where_it_does_not_hold(utilisation):
    with pytest.raises(InvalidInput, match="where the theorem holds"):
        theorem_bound(servers=10, largest_need=1, classes=1, utilisation=utilisation)


def test_one_class_by_hand():
    # Ten servers, need 1, 5 jobs on average: S is Poisson(5), and an arrival waits if S > 9.
    found = queueing_bounds(servers=10, names=["a"], needs=[1], shares=[1.0], mean_durations=[1.0], arrival_rate=5.0)
    law = [math.exp(-5) * 5**j / math.factorial(j) for j in range(10)]
    assert found.utilisation == 0.5
    assert found.lower_bound == pytest.approx(1 - sum(law))
    shortfall = sum((5 - j) * law[j] for j in range(5))
    assert found.sharper_bound == pytest.approx((1 + shortfall) / 10 / 0.5)


def test_a_reason_against_the_theorems_leaves_the_lower_bound():
    numbers = {"servers": 10, "names": ["a"], "needs": [1], "shares": [1.0], "mean_durations": [1.0]}
    found = queueing_bounds(**numbers, arrival_rate=5.0, why_no_bound="durations are fixed")
    assert (found.bound, found.sharper_bound, found.why_no_bound) == (None, None, "durations are fixed")
    assert found.lower_bound == queueing_bounds(**numbers, arrival_rate=5.0).lower_bound


def test_classes_of_one_need_and_two_means_are_two_kinds():
    def kinds(*classes):
        needs, means = zip(*classes, strict=True)
        share = 1 / len(classes)
        return queueing_bounds(
            servers=10_000, names=[str(i) for i in range(len(classes))], needs=needs, shares=[share] * len(classes),
            mean_durations=means, arrival_rate=1_000.0,
        ).kinds  # fmt: skip

    assert kinds((2, 1.0), (2, 3.0)) == 2
    assert kinds((2, 1.0), (2, 1.0)) == 1
    assert kinds((2, 1.0), (3, 1.0)) == 2
