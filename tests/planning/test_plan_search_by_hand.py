"""Which sizes and steps a search asks about, and what it says of them: every case followed by hand."""

import pytest

from msj.planning.most import largest_step
from msj.planning.odds import Odds, PointOdds
from msj.planning.point import Judged, Point, Verdict
from msj.planning.search import Smallest, smallest_size, steps_above
from msj.planning.target import read_target
from msj.results import Quantity
from msj.results.coordinates import At

MEETS, MISSES, UNDECIDED = Verdict.MEETS, Verdict.MISSES, Verdict.UNDECIDED
TARGET = read_target("mean wait <= 2")


def sizes_asked(verdict, **limits):
    asked = []

    def ask(n):
        asked.append(n)
        return verdict(n)

    return asked, smallest_size(ask, **limits)


def from_on(answer):
    return lambda n: MEETS if n >= answer else MISSES


def among(good):
    return lambda n: MEETS if n in good else MISSES


def test_steps_up_double_and_bisection_halves():
    """From 20 on by 20 // 8 = 2, 4, 8, 16; then halves of what lies between 9, which is too few, and 50."""
    asked, found = sizes_asked(from_on(37), least=10, start=20, most=1000, monotone=True)
    assert asked == [20, 22, 26, 34, 50, 29, 39, 36, 37]
    assert found == Smallest(first=37, lowest=37, checked=37)


def test_without_order_the_neighbours_and_wider_steps_are_asked_too():
    """37 to 40, then 4, 6, 8, 12, 16, 24 and 32 above 37 and twice 37; and the four sizes below it."""
    asked, found = sizes_asked(lambda n: from_on(37)(n) if n != 35 else MEETS, least=10, start=20, most=1000,
                               monotone=False)  # fmt: skip
    assert asked[:9] == [20, 22, 26, 34, 50, 29, 39, 36, 37]
    assert asked[9:] == [38, 40, 41, 43, 45, 49, 53, 61, 69, 74, 33, 35]
    assert found == Smallest(first=37, lowest=37, checked=74, lucky=(35,), worse=((35, 36),))


@pytest.mark.parametrize(
    ("verdict", "limits", "asked", "found"),
    [
        # Steps of 1, 2, 4, 8 and then what is left up to the largest size.
        (lambda _: MISSES, {"start": 5, "most": 30}, [5, 6, 8, 12, 20, 30], (None, 31, 30)),
        (lambda n: MISSES if n <= 6 else UNDECIDED, {"start": 5, "most": 30}, [5, 6, 8, 12, 20, 30], (None, 7, 30)),
        (lambda _: UNDECIDED, {"start": 5, "most": 30}, [5, 6, 8, 12, 20, 30], (None, 3, 30)),
        # The largest size is tried, and may be the answer.
        (from_on(30), {"start": 5, "most": 30}, [5, 6, 8, 12, 20, 30, 16, 23, 26, 28, 29], (30, 30, 30)),
        (from_on(5), {"start": 5, "most": 5}, [5, 3, 4], (5, 5, 5)),
        (from_on(18), {"start": 16, "most": 30}, [16, 18, 10, 14, 17], (18, 18, 18)),
        # It begins no lower than what may meet the targets at all.
        (from_on(3), {"start": 1, "most": 30}, [3], (3, 3, 3)),
    ],
)
def test_the_ends_of_a_line_of_sizes(verdict, limits, asked, found):
    got_asked, got = sizes_asked(verdict, least=3, monotone=True, **limits)
    assert got_asked == asked
    assert (got.first, got.lowest, got.checked) == found
    assert (got.lucky, got.worse) == ((), ())


def test_an_answer_that_is_not_confirmed_up_to_the_largest_size_is_none():
    """8 and 9 meet the targets, 10, the largest, misses them: nothing above it may be asked."""
    asked, found = sizes_asked(among({8, 9}), least=4, start=8, most=10, monotone=False)
    assert asked == [8, 5, 6, 7, 9, 10]
    assert found == Smallest(first=None, lowest=11, checked=10)
    # If 10 meets them and 9 does not, 10 is the answer, and 8 is luck.
    asked, found = sizes_asked(among({8, 10}), least=4, start=8, most=10, monotone=False)
    assert asked == [8, 5, 6, 7, 9, 10]
    assert found == Smallest(first=10, lowest=10, checked=20, lucky=(8,), worse=((8, 9),))


def test_the_end_of_what_is_not_decided_is_bisected():
    """To 42 too few, from 60 on enough: 34 is the largest known to miss; 47, 40, 43, 41, 42 tell where that ends."""
    asked, found = sizes_asked(
        lambda n: MISSES if n <= 42 else MEETS if n >= 60 else UNDECIDED, least=5, start=20, most=640, monotone=True
    )
    assert asked == [20, 22, 26, 34, 50, 82, 43, 62, 52, 57, 59, 60, 47, 40, 41, 42]
    assert (found.first, found.lowest) == (60, 43)


@pytest.mark.parametrize(
    ("first", "steps"),
    [
        (1, [1, 2]),
        (2, [2, 3, 4]),
        (4, [4, 5, 6, 7, 8]),
        (5, [5, 6, 7, 8, 9, 10]),
        (6, [6, 7, 8, 9, 10, 12]),
        (37, [37, 38, 39, 40, 41, 43, 45, 49, 53, 61, 69, 74]),
    ],
)
def test_sizes_above_are_each_named_once_and_end_at_twice_the_first(first, steps):
    assert steps_above(first) == steps


def point(step, verdict):
    row = Quantity(name="mean_waiting_time", value=1.0, kind="exact", method="by hand")
    return Point(place=At({"load": float(step)}), judged=(Judged(target=TARGET, row=row, limit=2.0, verdict=verdict),))


def steps_asked(verdict, **limits):
    asked = []

    def ask(step):
        asked.append(step)
        return point(step, verdict(step))

    found = largest_step(ask, **limits)
    assert sorted(asked) == list(found.points)
    return asked, (found.last, found.beyond)


def up_to(last, *but):
    return lambda step: MEETS if step <= last and step not in but else MISSES


def open_between(last, beyond):
    return lambda step: MEETS if step <= last else MISSES if step >= beyond else UNDECIDED


@pytest.mark.parametrize(
    ("verdict", "limits", "asked", "found"),
    [
        (up_to(37), {"most": 99, "start": 40}, [40, 20, 30, 35, 37, 38], (37, 38)),
        (up_to(37), {"most": 99, "start": 0}, [50, 25, 37, 43, 40, 38], (37, 38)),
        (up_to(37), {"most": 99, "start": 100}, [50, 25, 37, 43, 40, 38], (37, 38)),
        (up_to(10), {"most": 10, "start": 5}, [5, 8, 9, 10], (10, None)),
        (up_to(9), {"most": 10, "start": 5}, [5, 8, 9, 10], (9, 10)),
        (up_to(0), {"most": 10, "start": 5}, [5, 2, 1], (None, 1)),
        (up_to(1), {"most": 10, "start": 5}, [5, 2, 1], (1, 2)),
        # 21 to 30 are open: halves between 20 and 40, the least that is known to miss.
        (open_between(20, 31), {"most": 99, "start": 40}, [40, 20, 30, 25, 22, 21, 35, 32, 31], (20, 31)),
        # Nothing is known to miss: halves up to the last step.
        (open_between(20, 200), {"most": 99, "start": 20}, [20, 60, 40, 30, 25, 22, 21, 80, 90, 95, 97, 98, 99],
         (20, None)),
    ],
)  # fmt: skip
def test_the_largest_step_in_order(verdict, limits, asked, found):
    assert steps_asked(verdict, monotone=True, **limits) == (asked, found)


@pytest.mark.parametrize(
    ("verdict", "limits", "asked", "found"),
    [
        # Three steps below 37 and half of it; 18 misses, so the same below 17.
        (up_to(37, 18), {"most": 99, "start": 40}, {40, 20, 30, 35, 37, 38, 36, 34, 18, 17, 16, 15, 14, 8}, (17, 18)),
        (up_to(37, 18, 36), {"most": 99, "start": 40},
         {40, 20, 30, 35, 37, 38, 36, 34, 18, 17, 16, 15, 14, 8}, (17, 18)),
        # 17, next below, misses, too.
        (up_to(37, 17, 18), {"most": 99, "start": 40},
         {40, 20, 30, 35, 37, 38, 36, 34, 18, 17, 16, 15, 14, 8, 13}, (16, 17)),
        (up_to(5, 1, 2, 3, 4), {"most": 9, "start": 5}, {5, 7, 6, 4, 3, 2, 1}, (None, 1)),
        (up_to(1), {"most": 9, "start": 5}, {5, 2, 1}, (1, 2)),
        (up_to(4), {"most": 9, "start": 4}, {4, 7, 5, 3, 2, 1}, (4, 5)),
        (up_to(2), {"most": 9, "start": 2}, {2, 6, 4, 3, 1}, (2, 3)),
    ],
)  # fmt: skip
def test_the_largest_step_where_one_says_nothing_of_another(verdict, limits, asked, found):
    got_asked, got = steps_asked(verdict, monotone=False, **limits)
    assert (set(got_asked), got) == (asked, found)


def test_odds_are_spent_on_points_looks_and_targets():
    odds = Odds(0.08)
    shares = [odds.next_point(2).share for _ in range(11)]
    # A sixteenth for each of eight points; then 1/2, 1/6 and 1/12 of the other half; each for two targets.
    assert shares[:8] == pytest.approx([0.08 / 16 / 2] * 8)
    assert shares[8:] == pytest.approx([0.08 / 4 / 2, 0.08 / 12 / 2, 0.08 / 24 / 2])
    assert odds.asked == 11
    assert [PointOdds(share=0.12).at_look(look) for look in (1, 2, 3)] == pytest.approx([0.06, 0.02, 0.01])
