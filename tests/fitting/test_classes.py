"""Classes by need: which are merged, and what merging keeps."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.fitting.classes import classes_by_name, classes_by_need


def jobs(counts, run=1.0):
    need = np.repeat(list(counts), list(counts.values()))
    return need, np.full(len(need), run)


def test_few_needs_with_enough_jobs_stay_as_they_are():
    found = classes_by_need(*jobs({1: 40, 3: 30, 64: 30}))
    assert found.names == ("need 1", "need 3", "need 64")
    assert found.needs == (1, 3, 64)
    assert found.counts().tolist() == [40, 30, 30]


def test_a_rare_need_goes_to_the_neighbour_that_misplaces_less_work():
    # 7 is one server from 8 and three from 4.
    assert classes_by_need(*jobs({4: 100, 7: 29, 8: 100})).members == ((4,), (7, 8))
    # With few jobs at 8 and many at 4, it is 7 and 8 all the same: what moves is the 29, by 1 or by 3.
    assert classes_by_need(*jobs({4: 1000, 7: 29, 8: 31})).members == ((4,), (7, 8))


def test_among_too_many_classes_the_cheapest_pair_is_merged():
    found = classes_by_need(*jobs({1: 50, 2: 50, 10: 50, 40: 50}), most=3)
    assert found.members == ((1, 2), (10,), (40,))
    found = classes_by_need(*jobs({1: 50, 2: 50, 10: 50, 40: 50}), most=1)
    assert found.members == ((1, 2, 10, 40),)
    assert found.needs == (13,)  # (1 + 2 + 10 + 40)/4 = 13.25


def test_the_need_of_a_merged_class_is_weighted_by_run_time():
    need = np.repeat([10, 20], 20)
    run = np.where(need == 10, 1.0, 3.0)
    assert classes_by_need(need, run, least=30).needs == (18,)  # (10·20 + 20·60)/80 = 17.5, to the even one


@given(st.dictionaries(st.integers(1, 300), st.integers(1, 80), min_size=1, max_size=40), st.integers(1, 15))
def test_merging_keeps_jobs_and_their_order_by_need_and_all_but_rounding_of_the_work(counts, most):
    need, run = jobs(counts, 2.0)
    found = classes_by_need(need, run, most=most)
    assert len(found) <= most
    assert sorted(n for members in found.members for n in members) == sorted(counts)
    assert list(found.needs) == sorted(found.needs)
    assert len(found) == 1 or found.counts().min() >= 30
    for i, merged in enumerate(found.needs):
        here = found.of_job == i
        assert abs((need * run)[here].sum() - merged * run[here].sum()) <= 0.5 * run[here].sum() + 1e-9


def test_classes_by_name_tell_apart_what_has_the_same_need():
    found = classes_by_name(np.array(["a", "b", "a", "b"]), np.array([2, 2, 2, 2]))
    assert (found.names, found.needs) == (("a", "b"), (2, 2))


@pytest.mark.parametrize("most", [1, 2, 12])
def test_one_job_is_a_class(most):
    assert classes_by_need(np.array([5]), np.array([1.0]), most=most).needs == (5,)


def merged_slowly(counts, most, least=30):
    """The same rule with every cost worked out anew at every step."""

    def misplaced(needs):
        jobs = sum(counts[n] for n in needs)
        merged = max(round(sum(n * counts[n] for n in needs) / jobs), 1)
        return sum(counts[n] * abs(n - merged) for n in needs)

    classes = [(n,) for n in sorted(counts)]
    while len(classes) > 1:
        held = [sum(counts[n] for n in each) for each in classes]
        added = [misplaced(a + b) - misplaced(a) - misplaced(b) for a, b in itertools.pairwise(classes)]
        pairs = range(len(added))
        if min(held) < least:
            rarest = held.index(min(held))
            pairs = [i for i in pairs if i in (rarest - 1, rarest)]
        elif len(classes) <= most:
            break
        i = min(pairs, key=lambda i: added[i])
        classes[i : i + 2] = [classes[i] + classes[i + 1]]
    return tuple(classes)


@pytest.mark.parametrize("seed", range(40))
def test_merging_against_a_slow_twin(seed):
    lots = np.random.default_rng(seed)
    needs = lots.choice(np.arange(1, 60), 12, replace=False)
    counts = {int(n): int(many) for n, many in zip(needs, lots.integers(5, 80, 12), strict=True)}
    most = int(lots.integers(1, 9))
    assert classes_by_need(*jobs(counts), most=most).members == merged_slowly(counts, most)
