"""Which of several packings of the same weight is taken, as the plain function decides."""

from types import SimpleNamespace

import numpy as np
import pytest

from msj.engines import packing
from msj.engines.packing import LARGEST, RANDOM, SMALLEST, heaviest, heaviest_listed


def taken(needs, members, servers, ties, *draws, limited=False):
    groups = [SimpleNamespace(need=n, members=m, target=-1) for n, m in zip(needs, members, strict=True)]
    drawn = SimpleNamespace(values=np.array(draws), used=np.zeros(1, dtype=np.int64))
    best = np.zeros((len(needs) + 1, servers + 1), dtype=np.int64)
    heaviest.py_func(groups, servers, limited, ties, drawn, best)
    return [group.target for group in groups], int(drawn.used[0])


# One job needs 1 server, two need 2: 4 servers carry weight 4 as (4, 0), (2, 1) or (0, 2).
@pytest.mark.parametrize(
    ("draw", "target"),
    [(0.0, [1, 0]), (0.33, [1, 0]), (0.34, [1, 1]), (0.66, [1, 1]), (0.67, [0, 2]), (0.99, [0, 2])],
)
def test_numbers_of_the_first_need_are_equally_likely(draw, target):
    assert taken([1, 2], [1, 2], 4, RANDOM, draw) == (target, 1)


def test_ties_by_need():
    assert taken([1, 2], [1, 2], 4, SMALLEST) == ([1, 0], 0)
    assert taken([1, 2], [1, 2], 4, LARGEST) == ([0, 2], 0)


def test_no_more_than_are_there():
    """With at most one of need 1 the best packing is unique, and nothing is drawn."""
    assert taken([1, 2], [1, 2], 4, RANDOM, limited=True) == ([0, 2], 0)
    assert taken([1, 2], [1, 1], 4, RANDOM, limited=True) == ([1, 1], 0)


def test_a_need_of_which_nobody_is_there_is_passed_over():
    assert taken([1, 2, 3], [0, 3, 0], 5, RANDOM) == ([0, 2, 0], 0)


@pytest.mark.parametrize(("draw", "target"), [(0.0, [1, 0]), (0.34, [1, 1]), (0.67, [0, 2])])
def test_one_draw_chooses_among_listed_packings(monkeypatch, draw, target):
    monkeypatch.setattr(packing, "_weight", packing._weight.py_func)
    groups = [SimpleNamespace(need=n, members=m, target=-1) for n, m in ((1, 1), (2, 2))]
    drawn = SimpleNamespace(values=np.array([draw, 0.5]), used=np.zeros(1, dtype=np.int64))
    heaviest_listed.py_func(np.array([[4, 0], [2, 1], [0, 2]]), groups, RANDOM, drawn)
    assert ([group.target for group in groups], int(drawn.used[0])) == (target, 1)


def test_ties_among_heavier_jobs():
    """Twice as many of either need: the same packings are best, each of twice the weight."""
    assert taken([1, 2], [2, 4], 4, RANDOM, 0.0) == ([2, 0], 1)
    assert taken([1, 2], [2, 4], 4, RANDOM, 0.34) == ([2, 1], 1)
    assert taken([1, 2], [2, 4], 4, RANDOM, 0.67) == ([0, 2], 1)
