"""Bounds on the probability of waiting: against exact values, the theorem, and each other."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from msj import Deterministic, JobClass, System, open_system
from msj.errors import InvalidInput, NotSupported, TooLarge, Unstable
from msj.growth.queueing_bounds import queueing_bounds
from strategies import exponentials, simple, systems


@given(systems(most_servers=8, durations=exponentials()), st.floats(0.05, 0.9))
def test_exact_probability_lies_between_the_bounds(system, load):
    system = system.replace(load=load)
    bounds = queueing_bounds(system)
    solved = open_system(system)
    exact = dict(zip((c.name for c in solved.system.classes), solved.waiting_probability, strict=True))
    for name, value in exact.items():
        assert bounds.lower_bound_by_class[name] <= value * (1 + 1e-9)
    overall = float(solved.shares @ solved.waiting_probability)
    assert bounds.lower_bound <= overall * (1 + 1e-9)
    if bounds.bound is not None:
        # (13) bounds P(S > n − m_max), which is at least the probability of waiting of every class.
        assert max(exact.values()) <= bounds.sharper_bound <= bounds.bound
    else:
        assert bounds.utilisation >= bounds.sufficient_utilisation


@given(
    st.integers(20, 3000),
    st.lists(st.tuples(st.integers(1, 20), st.floats(0.1, 10), st.integers(1, 5)), min_size=1, max_size=4),
    st.floats(0.01, 0.99),
)
def test_the_sharper_bound_is_never_above_the_papers(servers, classes, share):
    total = sum(weight for *_, weight in classes)
    jobs = [
        JobClass(name=str(i), need=need, share=weight / total, duration={"law": "exponential", "mean": mean})
        for i, (need, mean, weight) in enumerate(classes)
    ]
    largest = max(need for need, *_ in classes)
    assume(largest < servers)
    bounds = queueing_bounds(System(servers=servers, classes=jobs, utilisation=share * (1 - largest / servers)))
    assert bounds.lower_bound <= bounds.sharper_bound <= bounds.bound
    spread = math.sqrt(sum(rho_i * need for need, rho_i in _loads(jobs, bounds)) / servers) / 2
    assert bounds.sharper_bound <= (largest / servers + spread) / (1 - bounds.utilisation) * (1 + 1e-9)


def _loads(jobs, bounds):
    total = sum(float(c.share) * c.work for c in jobs)
    return [(c.need, bounds.utilisation * float(c.share) * c.work / total) for c in jobs]


def test_theorem_by_hand():
    # 3·2·sqrt(4/400) + 4/400 = 0.61, over 1 − 0.5
    bounds = queueing_bounds(simple(400, (1, 1, 0.5), (4, 2, 0.5), utilisation=0.5))
    assert bounds.bound == pytest.approx(1.22)
    assert (bounds.kinds, bounds.largest_need, bounds.sufficient_utilisation) == (2, 4, 0.99)


def test_splitting_a_class_changes_nothing():
    whole = queueing_bounds(simple(50, (1, 1, 0.5), (4, 2, 0.5), utilisation=0.5))
    classes = [JobClass(name=str(i), need=4, share=0.25, duration={"law": "exponential", "rate": 2}) for i in range(2)]
    one = JobClass(name="one", need=1, share=0.5, duration={"law": "exponential", "mean": 1})
    split = queueing_bounds(System(servers=50, classes=[one, *classes], utilisation=0.5))
    assert split.kinds == whole.kinds
    assert (split.bound, split.sharper_bound) == pytest.approx((whole.bound, whole.sharper_bound))
    assert split.lower_bound == pytest.approx(whole.lower_bound)


def test_what_is_known_beyond_the_sufficient_condition():
    bounds = queueing_bounds(simple(4, (1, 1, 0.5), (4, 1, 0.5), utilisation=0.3))
    assert bounds.bound is None
    assert bounds.sharper_bound is None
    assert 0 < bounds.lower_bound < 1
    assert "not below 1 − 4/4 = 0" in bounds.why_no_bound


def test_other_duration_laws_have_a_lower_bound_only():
    jobs = [JobClass(name="all", need=2, share=1, duration=Deterministic(value=1))]
    fixed = queueing_bounds(System(servers=20, classes=jobs, utilisation=0.5))
    exponential = queueing_bounds(simple(20, (2, 1, 1), utilisation=0.5))
    assert fixed.bound is None
    assert "deterministic durations" in fixed.why_no_bound
    assert fixed.lower_bound == exponential.lower_bound


@pytest.mark.parametrize(
    ("system", "error", "text"),
    [
        (simple(4, (1, 1, 1)), InvalidInput, "no load is given"),
        (simple(4, (1, 1, 1), utilisation=1), Unstable, "utilisation 1 is not below 1"),
        (simple(4, (1, 1, 1), utilisation=0.5, policy="first-fit"), NotSupported, "'first-fit'"),
        (simple(10**8, (1, 1, 1), utilisation=0.5), TooLarge, "10,000,000"),
    ],
)
def test_refusals(system, error, text):
    with pytest.raises(error, match=text):
        queueing_bounds(system)
