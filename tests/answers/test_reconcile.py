"""A mean, its difference and the reference agree, whatever each was found by."""

import pytest

import msj
from msj.answers.reconcile import reconcile


def mean(value, low=None, high=None, kind="simulated"):
    return msj.Quantity(name="mean_response_time", value=value, kind=kind, method="", low=low, high=high)


def change(value, low=None, high=None):
    return mean(value, low, high).replace(name="mean_response_time_difference")


@pytest.mark.parametrize(
    ("reference", "direct", "paired"),
    [
        (mean(11.7, kind="exact"), mean(6, 5, 7), change(-5, -5.1, -4.9)),
        (mean(11.7, kind="exact"), mean(6, 5.9, 6.1), change(-5, -6, -4)),
        (mean(11.7, kind="exact"), mean(6.2, kind="exact"), change(-5, -5.1, -4.9)),
        (mean(11.7, 11, 12), mean(6.2, kind="exact"), change(-5, -5.1, -4.9)),
        (mean(11.7, 11, 12), mean(6, 5, 7), change(-5, -5.1, -4.9)),
        (mean(11.7, 11, 12), mean(6, 5.9, 6.1), change(-5, -9, -1)),
        (mean(11.7), mean(6), change(-5, -5.1, -4.9)),
        (mean(11.7, kind="exact"), mean(6, 5, 7), None),
    ],
)
def test_what_is_shown_adds_up(reference, direct, paired):
    found, difference = reconcile(reference, direct, paired)
    assert found.value - reference.value == pytest.approx(difference.value, rel=1e-12)
    assert difference.name == "mean_response_time_difference"
    if direct.kind == "exact":
        assert found == direct
    for row in (found, difference):
        assert row.low is None or row.low <= row.value <= row.high


def test_the_narrower_interval_decides():
    narrow, wide = reconcile(mean(10, kind="exact"), mean(6, 5, 7), change(-5, -5.1, -4.9))
    assert (narrow.value, narrow.low, narrow.high) == pytest.approx((5, 4.9, 5.1))
    narrow, wide = reconcile(mean(10, kind="exact"), mean(6, 5.9, 6.1), change(-5, -6, -4))
    assert (narrow.value, wide.value, wide.low, wide.high) == pytest.approx((6, -4, -4.1, -3.9))


def test_means_simulated_apart_differ_by_the_root_of_both_squares():
    _, found = reconcile(mean(100, 97, 104), mean(90, 86, 93), None)
    assert (found.value, found.low, found.high) == (-10, -10 - 32**0.5, -10 + 18**0.5)


def test_without_a_reference_or_an_interval_nothing_is_made_up():
    assert reconcile(None, mean(6), change(-5)) == (mean(6), change(-5))
    assert reconcile(mean(10), None, None) == (None, None)
    assert reconcile(mean(100, 97, 104), mean(90), None) == (mean(90), None)
