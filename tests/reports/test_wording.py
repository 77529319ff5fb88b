"""Numbers as people read them: each rule of rounding just below, at and just above its limit."""

import math

import numpy as np
import pytest
from hand_made import row

from msj.model.spec_file import from_document
from msj.reports.wording import (
    OTHERWISE,
    PLAIN,
    between,
    count,
    effect,
    how_sure,
    measured,
    percent,
    share_of,
    short,
    signed_percent,
    what_is_assumed,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.inf, "–"),
        (math.nan, "–"),
        (0.0, "0"),
        (-1e-4, "−0.0001"),  # the smallest that is written out
        (9.99e-5, "9.99e-05"),
        (0.00123456, "0.001235"),
        (-2.5, "−2.5"),
        (99.994, "99.99"),
        (99.996, "100"),
        (1234.56, "1,235"),
        (120_000, "120,000"),  # only zeros behind a point are left out
        (9_999_000.0, "9,999,000"),
        (1e7, "1e+07"),  # the first that is not
        (np.float64(-1.5e-5), "−1.5e-05"),
    ],
)
def test_a_number_has_four_digits_and_no_zeros_behind_them(value, text):
    assert short(value) == text


def test_digits_can_be_asked_for():
    assert [short(math.pi, digits) for digits in (1, 2, 3, 4, 6)] == ["3", "3.1", "3.14", "3.142", "3.14159"]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "–"),
        (-math.inf, "–"),
        (0.0, "0 %"),
        (0.00094, "0.09 %"),
        (0.00096, "0.1 %"),
        (0.0013, "0.1 %"),
        (0.05, "5 %"),
        (0.0994, "9.9 %"),
        (0.09949999999999999, "10 %"),  # times 100: 9.95
        (0.0996, "10 %"),
        (0.123, "12 %"),
        (-0.031, "−3.1 %"),
        (-0.00034, "−0.03 %"),
        (-1e-7, "−1e-05 %"),
        (-0.42, "−42 %"),
        (23.456, "2,346 %"),
    ],
)
def test_a_percentage_has_a_digit_behind_the_point_below_ten(share, text):
    assert percent(share) == text
    if share is not None and math.isfinite(share):
        assert signed_percent(share) == (text if share < 0 else f"+{text}")


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (100.0, 99.995, 100.004, "100"),  # within 5e-5 of it: sure to all digits shown
        (100.0, 99.994, 100.006, "100.0000 ± 0.0060"),
        (0.0, 0.0, 0.0, "0"),
        (10.0, 9.0, 10.95, "10.0 ± 1.0"),  # nearly centred: the wider half
        (10.0, 9.05, 11.0, "10.0 ± 1.0"),
        (0.0, -9.0, 10.0, "0 ± 10"),  # off by just a tenth of it
        (0.0, -8.9, 10.0, "−8.9 to 10"),
        (10.0, 9.12, 11.0, "9.12 to 11"),
        (2.82, 2.71, 2.93, "2.82 ± 0.11"),
        (2.72, 2.7123, 2.9223, "2.71 to 2.92"),  # as many digits as it takes, from three on
        (168.95, 168.913, 169.321, "168.9 to 169.3"),
        (1000.15, 1000.112, 1000.443, "1,000.1 to 1,000.4"),
        (1.000061, 1.000061, 1.000123, "1.00006 to 1.00012"),
        (5000.0, 4750.0, 5250.0, "5,000 ± 250"),
        (-5.0, -5.5, -4.5, "−5.00 ± 0.50"),
        (0.01, 0.009985, 0.010015, "0.010000 ± 0.000015"),  # six digits behind the point, and not more
        (0.001, 0.000998766, 0.001001234, "0.001 ± 1.2e-06"),
        (3e7, 2.9001e7, 3.0999e7, "30,000,000 ± 999,000"),
        (3e7, 2.9e7, 3.1e7, "3e+07 ± 1,000,000"),
        (10.0, 9.0, None, "≈ 10"),
        (10.0, None, 11.0, "≈ 10"),
        (0.0, None, None, "0"),
    ],
)
def test_an_interval_says_how_many_digits_are_shown(value, low, high, text):
    assert measured(row("x", value, "simulated", low, high)) == text


def test_what_is_not_simulated_is_not_about_right():
    assert measured(row("x", 10.0)) == "10"
    assert measured(row("x", 10.0, "bound", 9.0)) == "10"
    assert measured(None) == measured(row("x", math.inf)) == "–"


BASE = row("x", 200.0)


def by(value, low=None, high=None, kind="simulated"):
    return row("d", value, kind, low, high)


def test_a_difference_is_a_share_of_what_it_is_a_difference_from():
    assert share_of(by(-40.0, -50.0, -30.0), BASE) == "20 % (15 to 25 %)"
    assert share_of(by(40.0, 30.0, 50.0), BASE) == "20 % (15 to 25 %)"
    for unsure in (by(-40.0), by(-40.0, -50.0), by(-40.0, None, -30.0), by(-40.0, -50.0, -30.0, "exact")):
        assert share_of(unsure, BASE) == "20 %"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (by(40.0, 30.0, 50.0), "20 % (15 to 25 %) longer"),
        (by(-40.0, -50.0, -30.0), "20 % (15 to 25 %) shorter"),
        (by(2.0, 1.0, 3.0), "1 % (0.5 to 1.5 %) longer"),  # a hundredth of it is worth a word
        (by(1.9, 1.0, 2.8), "hardly any different (+0.5 % to +1.4 %)"),
        (by(-1.9, -2.8, -1.0), "hardly any different (−1.4 % to −0.5 %)"),
        (by(40.0, -1.0, 81.0), "no different as far as seen (−0.5 % to +40 %)"),
        (by(4.0, 0.0, 8.0), "no different as far as seen (+0 % to +4 %)"),
        (by(-4.0, -8.0, 0.0), "no different as far as seen (−4 % to +0 %)"),
        (by(40.0), "not known well enough to be compared"),
        (by(40.0, 30.0), "not known well enough to be compared"),
        (by(40.0, None, 50.0), "not known well enough to be compared"),
        (by(40.0, kind="exact"), "20 % longer"),
        (by(0.8, kind="exact"), "0.4 % longer"),
        (by(-1.0, kind="exact"), "0.5 % shorter"),  # what is exact is no chance, however small
        (by(-1.0, -2.0, 3.0, kind="exact"), "0.5 % shorter"),
    ],
)
def test_an_effect_is_told_with_its_interval_or_as_not_seen(change, text):
    assert effect(change, BASE) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.02, 0.134, "2 to 13 %"),
        (0.991, 0.9943, "99.1 to 99.4 %"),
        (0.99111, 0.99142, "99.11 to 99.14 %"),
        (0.501004, 0.501036, "50.100 to 50.104 %"),
        (0.5000012, 0.5000044, "50.0001 to 50.0004 %"),
        (0.50000012, 0.50000044, "50.0000 %"),  # not more than four digits behind the point
        (0.5, 0.5, "50 %"),
    ],
)
def test_a_range_has_as_many_digits_as_its_ends_need_to_differ(low, high, text):
    assert between(low, high) == text


def test_things_are_counted_in_words():
    assert [count(n, "server") for n in (0, 1, 2, 1000)] == ["0 servers", "1 server", "2 servers", "1,000 servers"]
    assert [count(n, "class") for n in (0, 1, 2)] == ["0 classes", "1 class", "2 classes"]


def test_how_sure_a_number_is():
    ends = row("x", 10.0, "simulated", 9.8123, 10.2345)
    assert how_sure(ends) == "simulated, 95 % interval 9.81 to 10.2"
    assert how_sure(ends.replace(bracket=True)) == "simulated, bracket 9.81 to 10.2"
    assert how_sure(ends.replace(low=None)) == how_sure(ends.replace(high=None)) == "simulated"
    assert how_sure(row("x", 10.0, "asymptotic")) == "prediction, right near saturation"


def test_what_is_assumed_names_the_law_of_arrivals_if_it_is_not_poisson():
    job = {"name": "all", "need": 1, "share": 1, "duration": {"law": "exponential", "mean": 1}}
    document = {"servers": 2, "classes": [job]}
    assert what_is_assumed(from_document(document)) == PLAIN
    arrivals = {"law": "renewal", "gap": {"law": "erlang", "stages": 4, "mean": "1/2"}}
    regular = from_document({**document, "arrivals": arrivals})
    law, rest = regular.arrivals.assumption(), OTHERWISE.removeprefix("{law}")
    assert law[0].islower()
    assert what_is_assumed(regular) == f"{law[0].upper()}{law[1:]}, independent jobs{rest}"
