"""Rules by counts decide as the plain functions of their policies do, whatever the order of arrival."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msj.disciplines.counting import Heaviest
from msj.disciplines.most_servers_first import MostServersFirst
from msj.registry import POLICIES

PREEMPTIVE = [
    ("most-servers-first", {}),
    ("least-servers-first", {}),
    ("max-weight", {"ties": "smallest"}),
    ("max-weight", {"ties": "largest"}),
    ("max-weight", {"ties": "smallest", "limited": True}),
    ("max-weight", {"ties": "largest", "limited": True}),
]
NOT_PREEMPTIVE = [
    ("most-servers-first", {"preemptive": False}),
    ("least-servers-first", {"preemptive": False}),
    ("best-fit", {}),
]


def by_function(policy, servers, jobs, running):
    chosen = np.zeros(len(jobs), dtype=np.bool_)
    policy.serve(np.array(jobs, dtype=np.int64), np.array(running, dtype=np.bool_), np.ones(len(jobs)), servers, chosen)
    return [need for need, is_chosen in zip(jobs, chosen, strict=True) if is_chosen]


@pytest.mark.parametrize(("name", "options"), PREEMPTIVE)
@given(
    servers=st.integers(2, 9),
    counts=st.dictionaries(st.integers(1, 9), st.integers(0, 7), min_size=1, max_size=3),
    lots=st.randoms(use_true_random=False),
)
def test_with_preemption(name, options, servers, counts, lots):
    policy = POLICIES.get(name).from_options(options)
    needs = sorted(need for need in counts if need <= servers)
    if not needs:
        return
    jobs = [need for need in needs for _ in range(counts[need])]
    lots.shuffle(jobs)
    served = by_function(policy, servers, jobs, [False] * len(jobs))
    [(chance, target)] = policy.counting(servers, needs).served(np.array([[counts[need] for need in needs]]))
    assert chance.tolist() == [1.0]
    assert target[0].tolist() == [served.count(need) for need in needs]


@pytest.mark.parametrize(("name", "options"), NOT_PREEMPTIVE)
@given(
    servers=st.integers(2, 9),
    counts=st.dictionaries(st.integers(1, 9), st.integers(0, 7), min_size=1, max_size=3),
    lots=st.randoms(use_true_random=False),
)
def test_without_preemption(name, options, servers, counts, lots):
    policy = POLICIES.get(name).from_options(options)
    needs = sorted(need for need in counts if need <= servers)
    if not needs:
        return
    jobs = [need for need in needs for _ in range(counts[need])]
    lots.shuffle(jobs)
    free, running = servers, []
    for need in jobs:
        running.append(need <= free and lots.random() < 0.5)
        free -= need * running[-1]
    served = by_function(policy, servers, jobs, running)
    now = [sum(r for need, r in zip(jobs, running, strict=True) if need == v) for v in needs]
    started = policy.counting(servers, needs).started([counts[need] for need in needs], now)
    assert list(started) == [served.count(need) for need in needs]


def test_ties_of_max_weight_by_hand():
    # Four servers, needs 1 and 4: at one small and four large jobs both packings weigh 4.
    def ways(ties, limited, present):
        rule = Heaviest(servers=4, needs=(1, 4), limited=limited, ties=ties)
        return sorted(
            (target[0].tolist(), chance[0]) for chance, target in rule.served(np.array([present])) if chance[0]
        )

    assert ways("random", False, [1, 4]) == [([0, 1], 0.5), ([1, 0], 0.5)]
    assert ways("smallest", False, [1, 4]) == [([1, 0], 1.0)]
    assert ways("largest", False, [1, 4]) == [([0, 1], 1.0)]
    assert ways("random", True, [1, 4]) == [([0, 1], 1.0)]  # limited to those present a small job weighs 1
    assert ways("random", True, [2, 4]) == [([0, 1], 0.5), ([2, 0], 0.5)]


@given(
    servers=st.integers(2, 9),
    needs=st.sets(st.integers(1, 9), min_size=2, max_size=2),
    limited=st.booleans(),
    ties=st.sampled_from(["random", "smallest", "largest"]),
    cut=st.integers(1, 6),
    level=st.integers(0, 1),
)
def test_max_weight_is_steady_from_where_it_says(servers, needs, limited, ties, cut, level):
    needs = tuple(sorted(needs))
    if needs[1] > servers:
        return
    rule = Heaviest(servers=servers, needs=needs, limited=limited, ties=ties)
    first = rule.steady_from(level, [cut, cut])

    def decided(n):
        present = np.zeros((cut + 1, 2), dtype=np.int64)
        present[:, 1 - level], present[:, level] = np.arange(cut + 1), n
        return np.asarray(sum(chance[:, None] * target for chance, target in rule.served(present)))

    for n in (first + 1, first + 7, 10 * first + 3):
        np.testing.assert_allclose(decided(n), decided(first), atol=1e-15)


def test_another_rule_inherits_no_counts():
    class Reversed(MostServersFirst):
        @property
        def serve(self):
            return by_function

    assert Reversed().counting(4, [1, 2]) is None
