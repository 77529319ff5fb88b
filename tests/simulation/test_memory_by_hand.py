"""How long a cluster remembers, what long jobs add, and who may be so long that nothing has a variance: by hand.

Two classes on six servers: 3/4 of the jobs need one server for an exponential time of mean 2, E[S²] = 8, 1/4 need three
for a time of 4. The work of a job is 2 and 12 on average, 4.5 of both, and E[X²] = 3/4 · 8 + 1/4 · 9 · 16 = 42.
"""

import math

import numpy as np
import pytest

import msj
from msj import Deterministic, Exponential, JobClass, Lognormal, Pareto, System
from msj.model.durations.scipy import Scipy
from msj.model.spec_file import from_document
from msj.simulation.long_jobs import long_jobs
from msj.simulation.long_memory import _older_than, hurst_of, old_enough
from msj.simulation.long_spells import LongSpells, _Beyond
from msj.simulation.memory import (
    held_up_by,
    longest_duration,
    memory_of,
    memory_seen,
    settling_time,
    time_remembered,
    why_no_variance,
)
from msj.simulation.sketch import BINS

FOUR = Deterministic(value=4)


def cluster(large=FOUR, small=None, **more):
    small = Exponential(mean=2) if small is None else small
    classes = [
        JobClass(name="small", need=1, share="3/4", duration=small),
        JobClass(name="large", need=3, share="1/4", duration=large),
    ]
    return System(servers=6, classes=classes, **more)


def alone(law, need=4, **more):
    return System(servers=4, classes=[JobClass(name="all", need=need, share=1, duration=law)], **more)


def told(arrivals=None, order=None, share="3/4"):
    """The same cluster with other arrivals, or another order."""
    classes = [
        {"name": "small", "need": 1, "duration": {"law": "exponential", "mean": 2}, "share": share},
        {"name": "large", "need": 3, "duration": {"law": "deterministic", "value": 4}},
    ]
    more = {key: value for key, value in (("arrivals", arrivals), ("order", order)) if value is not None}
    if order is not None and order["law"] == "markov":
        classes = [{key: value for key, value in each.items() if key != "share"} for each in classes]
    else:
        classes[1]["share"] = "1/4"
    return from_document({"servers": 6, "classes": classes, **more})


@pytest.mark.parametrize(
    ("rate", "threshold", "memory"),
    [
        (0.5, None, 4 + 2 * (4 / 3 * 42) / (6 - 0.5 * 4.5) ** 2),  # the naive threshold is 6/4.5
        (0.5, 1.0, 4 + 2 * 42 / (0.5 * 4.5) ** 2),
        (0.5, math.inf, 4.0),
        (1.0, 1.0, math.inf),
        (1.5, None, math.inf),
    ],
)
def test_memories_and_warm_ups(rate, threshold, memory):
    assert memory_of(cluster(), rate, threshold) == pytest.approx(memory)
    assert settling_time(cluster(), rate, threshold) == pytest.approx(5 * 4 + 2 * (memory - 4))


def test_the_queue_seen_tells_the_memory():
    """3 of waiting for a quarter of the jobs: work of 0.5 · 3 · 4.5/0.25 = 27 waits; V = 4/3 · 42 = 56."""
    assert memory_seen(cluster(), 0.5, 3.0, 0.25) == pytest.approx(4 + 8 * 27**2 / 56)
    assert memory_seen(cluster(), 0.5, 3.0, 0.0) == 4.0
    assert memory_seen(alone(Pareto(shape=1.5, minimum=1)), 0.1, 3.0, 0.25) == 3.0  # no variance at all


def test_jobs_in_service_are_remembered_for_their_mean_or_what_is_left_of_them():
    assert longest_duration(cluster()) == 4.0
    assert time_remembered(cluster(Deterministic(value="1/4"), Deterministic(value="1/2")), 3.0) == 0.5
    assert longest_duration(cluster(small=Lognormal(mean=2, cv=3))) == pytest.approx(4 * 10 / (2 * 2))
    assert longest_duration(cluster(small=Pareto(shape=1.5, minimum=3))) == 9.0  # its mean: E[S²] is infinite


def test_bursts_and_an_order_count_in_the_variance_and_are_remembered():
    """Batches of 1 or 4 have dispersion 8.5/2.5; jobs repeat their class with 0.6, so that covariances add up to 3 Var.

    Works of 2 and 12 have Var = 18.75. The order forgets in 1/(1 − 0.6) jobs.
    """
    batches = {"law": "batch", "size": {"law": "empirical", "values": [1, 4]}}
    sticky = {"law": "sticky", "probability": 0.6}
    spare = 2 / (6 - 0.5 * 4.5) ** 2 * 4 / 3
    bursts, alike = 2.4 * 4.5**2, 3 * 18.75
    assert memory_of(told(batches), 0.5) == pytest.approx(4 + spare * (42 + bursts))
    assert memory_of(told(order=sticky), 0.5) == pytest.approx(5 + spare * (42 + alike))
    assert memory_of(told(batches, sticky), 0.5) == pytest.approx(5 + spare * (42 + bursts + alike))
    assert time_remembered(told(batches, sticky), 0.25) == pytest.approx(10)
    assert time_remembered(told(batches, sticky), 1.0) == 4.0
    endless = told({"law": "renewal", "gap": {"law": "pareto", "shape": "3/2", "minimum": 1}})  # no dispersion to count
    assert memory_of(endless, 0.5) - time_remembered(endless, 0.5) == pytest.approx(spare * 42)
    daily = {"law": "daily", "rates": [1, 3], "cycle": 24}
    assert time_remembered(told(daily), 0.5) == 24.0


def test_regular_arrivals_that_alternate_leave_a_tenth():
    """Equal shares: works of 2 and 12 have mean 7 and mean square 74, of which 0.9 are taken off E[X²] = 4 + 72."""
    order = {"law": "markov", "matrix": [["1/20", "19/20"], ["19/20", "1/20"]]}
    regular = {"law": "renewal", "gap": {"law": "deterministic", "value": 1}}
    variance = 6 / 7 * (76 - 0.9 * 74)
    assert memory_of(told(regular, order), 0.5) == pytest.approx(4 + 2 * variance / (6 - 0.5 * 7) ** 2)
    # With random arrivals covariances alone: of correlation −0.9, 2 · 25 · (−0.9)/1.9.
    alternating = 6 / 7 * (76 - 2 * 25 * 0.9 / 1.9)
    assert memory_of(told(order=order), 0.5) == pytest.approx(4 + 2 * alternating / (6 - 0.5 * 7) ** 2)


@pytest.mark.parametrize(
    ("rate", "threshold", "small", "large"),
    [
        (0.5, None, 4, 2),  # 3.75 servers to spare
        (1.0, None, 2, 1),  # 1.5
        (1.0, 1.1, 1, 1),
        (0.5, 1.0, 4, 2),  # exactly 3: three small jobs leave nobody short, a fourth does
        (2.0, 1.0, 1, 1),
    ],
)
def test_who_holds_up_the_rest(rate, threshold, small, large):
    system = cluster()
    assert [held_up_by(system, c, rate, threshold) for c in system.classes] == [small, large]


def test_long_jobs_add_by_their_fourth_moments():
    """A lognormal law of mean 4 and cv 2 has E[S²] = 80 and E[S⁴] = 4⁴ · 5⁶; E[X²] = 6 + 1/4 · 9 · 80 = 186.

    An exponential law of mean 2 has E[S⁴] = 24 · 2⁴.
    """
    system = cluster(Lognormal(mean=4, cv=2))
    large, small = 81 / 4 * 4**4 * 5**6 / 186**2, 3 / 4 * 24 * 2**4 / 186**2
    assert 0.0 < long_jobs(system, 0.5) < 0.1 * large  # it takes two at once to hold up the rest
    assert long_jobs(system, 1.0) == pytest.approx(large - 6)
    assert long_jobs(system, 1.0, 1.1) == pytest.approx(large + small - 6)
    assert long_jobs(cluster(), 1.0) == 0.0  # 81/4 · 4⁴/42² = 2.9, less than 6
    assert long_jobs(cluster(Pareto(shape=1.5, minimum=1)), 0.5) == math.inf


@pytest.mark.parametrize(
    ("law", "need", "rate", "said"),
    [
        (Pareto(shape=4, minimum=1), 4, 0.1, "one job of class 'all' can hold up the rest"),
        (Pareto(shape="41/10", minimum=1), 4, 0.1, None),
        (Pareto(shape="5/2", minimum=3), 2, 0.1, "2 jobs of class 'all' can hold up the rest"),  # 3 servers to spare
        (Pareto(shape="26/10", minimum=3), 2, 0.1, None),
        (Pareto(shape=2, minimum=1), 1, 0.1, "durations of class 'all' (pareto) have infinite variance"),
    ],
)
def test_which_laws_have_no_variance(law, need, rate, said):
    """The powers (a − 1) · jobs of a mean's variance must exceed 3."""
    found = why_no_variance(alone(law, need), rate)
    assert (found or "").startswith(said or "nothing") is (said is not None)
    assert (found is None) is (said is None)


def test_jobs_that_begin_anew_may_have_no_variance():
    """Small jobs end at rate 1/2; stopped at rate 2 · 0.0625 the time they hold servers falls like t^−4."""
    restart = {"name": "most-servers-first", "restart": True}
    for rate, there in ((0.0625, True), (0.06, False)):
        found = why_no_variance(cluster(policy=restart), rate, 1.01 * rate)
        assert (found is not None) is there
    assert why_no_variance(cluster(policy=restart), 0.0625, 1.01 * 0.0625).startswith("jobs of class 'small' (exp")
    assert why_no_variance(cluster(policy=restart), 0.0625) is None  # six of them at once
    phases = msj.Hyperexponential(rates=["1/2", 5], probabilities=["1/3", "2/3"])  # the slowest one counts
    for rate, there in ((0.0625, True), (0.06, False)):
        assert (why_no_variance(cluster(small=phases, policy=restart), rate, 1.01 * rate) is not None) is there
    assert why_no_variance(cluster(policy="most-servers-first"), 0.0625, 1.01 * 0.0625) is None
    lognormal = Lognormal(mean=4, cv=1)  # neither bounded nor phase type: nothing is promised
    assert why_no_variance(cluster(small=lognormal, policy=restart), 0.01).startswith("jobs of class 'small' (log")
    assert why_no_variance(cluster(large=lognormal, policy=restart), 0.01) is None  # nobody stops the largest


# Infinite variance.


def test_the_heaviest_tail_says_how_fast_the_past_is_forgotten():
    def index(*shapes):
        share = f"1/{len(shapes)}"
        laws = [Pareto(shape=shape, minimum=1) if shape else Exponential(mean=1) for shape in shapes]
        classes = [JobClass(name=str(i), need=1, share=share, duration=law) for i, law in enumerate(laws)]
        return hurst_of(System(servers=2, classes=classes))

    assert index("3/2", "6/5", None) == pytest.approx(0.9)
    assert index(2, "5/2") == pytest.approx(0.5)
    assert index("5/2", None) is None


def test_a_run_is_old_enough_when_it_misses_a_fortieth_of_what_is_to_spare():
    """Half of the work is Pareto 1.5 from 1 on, of which the share t^(−1/2)/1.5 is older than t.

    Half of the servers used: 0.25 · share ≤ 0.5/40 from t = (40/3)² on; 0.6 used: 0.3 · share ≤ 0.4/40, t = 400.
    """
    heavy = JobClass(name="heavy", need=2, share="1/4", duration=Pareto(shape="3/2", minimum=1))
    light = JobClass(name="light", need=1, share="3/4", duration=Exponential(mean=2))
    system = System(servers=6, classes=[heavy, light])
    assert [old_enough(system, 1.0, time) for time in (177.0, 178.5)] == [False, True]
    assert [old_enough(system, 1.2, time) for time in (399.0, 401.0)] == [False, True]
    assert [_older_than(heavy, time) for time in (0.01, 1.0, 4.0)] == pytest.approx([1, 1 / 1.5, 0.5 / 1.5])
    assert _older_than(light, 1.0) == 0.0
    assert _older_than(light.replace(duration=Pareto(shape="5/2", minimum=1)), 1.0) == 0.0  # of finite variance


# Spells in which long jobs hold up the rest.


@pytest.mark.parametrize(("threshold", "a"), [(None, 1.0), (0.8, 4 / 3), (0.5, 0.0), (0.4, 0.0)])
def test_how_many_jobs_wait_for_a_long_one(threshold, a):
    """Rate 0.5 on a cluster that each job fills: a = 0.5/(1 − 0.5/threshold), by default the naive one, 1."""
    spells = LongSpells(alone(Lognormal(mean=1, cv=2)), 0.5, threshold)
    assert spells.fourth == pytest.approx(a**4 * 5**6)


def test_classes_count_by_share_need_and_mean():
    """Rate 1 of 1.2: each server-time keeps 1/(1 − 1/1.2)/6 = 1 job waiting, so that a = need.

    Small jobs, exponential, are not heavier than that, and those of a law in units of its mean share what is drawn.
    """
    classes = [
        JobClass(name="a", need=3, share="1/10", duration=Lognormal(mean=4, cv=2)),
        JobClass(name="b", need=5, share="1/5", duration=Lognormal(mean=2, cv=2)),
        JobClass(name="c", need=1, share="7/10", duration=Exponential(mean=2)),
    ]
    spells = LongSpells(System(servers=6, classes=classes), 1.0, 1.2)
    assert [part[:2] for part in spells.parts] == [
        pytest.approx((0.1 * 12**2, 4.0)),
        pytest.approx((0.2 * 10**2, 2.0)),
    ]
    assert spells.parts[0][2] is spells.parts[1][2]
    assert spells.fourth == pytest.approx((0.1 * 12**4 + 0.2 * 10**4) * 5**6)
    assert spells.in_bins(5) is spells.in_bins(5)
    assert len(spells.in_bins(5)) == BINS


def test_a_law_at_the_edge_is_not_heavy():
    assert LongSpells(alone(Exponential(mean=3)), 0.01).fourth == 0.0
    # Three of four next to nothing and one of 4, of mean 1: E[S²] = 4, E[S⁴] = 64, less than 6 · 16.
    assert LongSpells(alone(msj.Empirical(values=[1e-9, 1e-9, 1e-9, 4])), 0.01).fourth == 0.0
    gamma = Scipy(name="gamma", parameters={"a": 4, "scale": 1})  # does not say its fourth moment
    assert LongSpells(alone(gamma), 0.01).fourth == 0.0
    barely = msj.Hyperexponential(rates=[1, "9/10"], probabilities=["1/2", "1/2"])
    assert LongSpells(alone(barely), 0.01).fourth > 0.0


def test_squares_beyond_a_time():
    """Of a time that is always 2: (2 − x)² up to 2."""
    found = _Beyond(Deterministic(value=2)).square_at(np.array([0.0, 0.5, 2.0, 3.0]))
    assert found == pytest.approx([4.0, 2.25, 0.0, 0.0], abs=1e-12)
