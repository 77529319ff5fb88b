"""The search over sizes, against every size looked at."""

import random

import pytest

from msj.planning.most import largest_step
from msj.planning.point import Point, Verdict
from msj.planning.search import smallest_size, steps_above
from msj.results.coordinates import At

MEETS, MISSES, UNDECIDED = Verdict.MEETS, Verdict.MISSES, Verdict.UNDECIDED


@pytest.mark.parametrize("answer", [1, 2, 7, 8, 9, 63, 64, 100])
@pytest.mark.parametrize("start", [1, 8, 90])
def test_bisection_finds_the_first_of_a_monotone_line(answer, start):
    asked = []

    def ask(n):
        asked.append(n)
        return MEETS if n >= answer else MISSES

    found = smallest_size(ask, least=1, start=start, most=640, monotone=True)
    assert (found.first, found.lowest, found.lucky) == (answer, answer, ())
    assert len(asked) == len(set(asked)) <= 20


def test_what_is_undecided_is_a_range_between_known_ends():
    def ask(n):
        return MISSES if n <= 40 else MEETS if n >= 44 else UNDECIDED

    for monotone in (True, False):
        found = smallest_size(ask, least=5, start=20, most=640, monotone=monotone)
        assert (found.lowest, found.first) == (41, 44)


def test_nothing_meets_is_told():
    found = smallest_size(lambda _: MISSES, least=3, start=5, most=30, monotone=False)
    assert found.first is None
    assert found.checked == 30


def test_lucky_sizes_are_told_apart_and_a_gap_above_moves_the_answer():
    good = {12, 14, *range(16, 1000)} - {18}
    found = smallest_size(lambda n: MEETS if n in good else MISSES, least=4, start=16, most=500, monotone=False)
    assert found.first == 19
    assert set(found.lucky) >= {16, 17}
    assert (17, 18) in found.worse


def test_every_size_tried_from_the_answer_on_meets_the_targets():
    draw = random.Random(5)
    for _ in range(200):
        edge = draw.randrange(4, 60)
        verdicts = {n: MEETS if n >= edge or draw.random() < 0.2 else MISSES for n in range(1, 2000)}
        for n in draw.sample(range(edge, 2 * edge), min(3, edge)):
            verdicts[n] = draw.choice([MEETS, MISSES, UNDECIDED])
        asked = {}

        def ask(n, asked=asked, verdicts=verdicts):
            asked[n] = verdicts[n]
            return verdicts[n]

        found = smallest_size(ask, least=1, start=draw.randrange(1, 80), most=600, monotone=False)
        assert all(verdict is MEETS for n, verdict in asked.items() if n >= found.first)
        assert set(steps_above(found.first)) <= asked.keys()
        assert found.lowest == 1 + max((n for n, v in asked.items() if v is MISSES), default=0) or found.first == 1
        assert found.lowest <= found.first


def test_the_largest_step_is_found_with_the_next_that_misses():
    for answer in (1, 5, 99):
        found = largest_step(
            lambda i, answer=answer: Point(
                place=At({"load": i}), unstable="" if i <= answer else "too much", judged=()
            ),
            most=100,
            start=40,
            monotone=True,
        )
        # Without a target nothing is met, so only the miss is known.
        assert found.last is None
        assert found.beyond == answer + 1
