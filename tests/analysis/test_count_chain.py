"""Policies that look at counts: their chain against brute force, queues of their own, simulation; their thresholds."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from brute_force_counts import solve_counts_by_force

import msj
from msj import Exponential, JobClass, System, TooLarge, Unstable
from msj.analysis.count_chain import CountChain
from msj.analysis.count_threshold import CountThreshold
from msj.analysis.counted import counted
from msj.analysis.solved_counts import solve_counts
from msj.errors import NotAccurate

POLICIES = {
    "most-servers-first": "most-servers-first",
    "most-servers-first, not preemptive": {"name": "most-servers-first", "preemptive": False},
    "least-servers-first": "least-servers-first",
    "least-servers-first, not preemptive": {"name": "least-servers-first", "preemptive": False},
    "best-fit": "best-fit",
    "max-weight": "max-weight",
    "max-weight, ties to small": {"name": "max-weight", "ties": "smallest"},
    "max-weight, ties to large": {"name": "max-weight", "ties": "largest"},
    "max-weight, limited": {"name": "max-weight", "limited": True},
    "max-weight, limited, ties to large": {"name": "max-weight", "limited": True, "ties": "largest"},
    "elastic first": {"name": "threshold-parallelism", "order": "elastic"},
    "inelastic first": {"name": "threshold-parallelism", "order": "inelastic"},
}


def cluster(policy, servers=4, needs=(1, 4), rates=("1/2", "2/3"), shares=("1/2", "1/2"), **load):
    classes = [
        JobClass(name=f"need {v}", need=v, share=p, duration=Exponential(rate=mu))
        for v, mu, p in zip(needs, rates, shares, strict=True)
    ]
    return System(servers=servers, classes=classes, policy=policy, **load)


W1 = {name: cluster(policy, arrival_rate=0.6) for name, policy in POLICIES.items()}


#: The others are in ``verification/test_count_chains.py``.
QUICK = (
    "most-servers-first",
    "best-fit",
    "least-servers-first",
    "max-weight",
    "max-weight, limited",
    "inelastic first",
)


@pytest.mark.parametrize("name", QUICK)
def test_w1_at_rate_06_against_brute_force(name):
    compare_with_brute_force(name)


def compare_with_brute_force(name):
    # The box is so large that less than 1e-10 lies at its edge.
    most = (40, 280) if "least" in name else (110, 110) if name == "best-fit" or "not" in name else (70, 130)
    present, waits, law = solve_counts_by_force(W1[name], 0.6, most)
    found = msj.analyse(W1[name], law=20, exact=True)
    for i, c in enumerate(W1[name].classes):
        assert found.row("mean_jobs_in_system", job_class=c.name).value == pytest.approx(present[i], rel=1e-7)
        assert found.row("mean_response_time", job_class=c.name).value == pytest.approx(present[i] / 0.3, rel=1e-7)
        assert found.row("waiting_probability", job_class=c.name).value == pytest.approx(waits[i], rel=1e-7)
    assert found["mean_response_time"] == pytest.approx(present.sum() / 0.6, rel=1e-7)
    shown = [row.value for _, row in found.along("jobs", "jobs_in_system_probability")]
    np.testing.assert_allclose(shown, law[:21], rtol=1e-7)


@pytest.mark.parametrize("name", POLICIES)
def test_one_need_is_a_queue_of_many_servers(name):
    # Three jobs at a time: M/M/3 with Erlang's C.
    system = cluster(POLICIES[name], 6, (2,), (1,), (1,), arrival_rate=2)
    a, waits = 2.0, (2**3 / 6 * 3) / (1 + 2 + 2 + 2**3 / 6 * 3)
    found = msj.analyse(system)
    assert found["stability_threshold"] == pytest.approx(3, rel=1e-12)
    assert found["mean_jobs_in_system"] == pytest.approx(a + waits * 2, rel=1e-12)
    assert found["waiting_probability"] == pytest.approx(waits, rel=1e-12)
    if "elastic" in name:  # a job that is served by a part of its servers is neither waiting nor not
        assert found.find("mean_waiting_time") is None
    else:  # who waits does so for 1/(3 − 2) on average
        assert found["mean_waiting_time"] == pytest.approx(waits, rel=1e-12)
        assert found["mean_jobs_waiting"] == pytest.approx(2 * waits, rel=1e-12)


def test_who_comes_first_waits_as_if_alone_and_all_wait_as_their_classes_do():
    # Need 4 takes all four servers whenever there is one: M/M/1 with arrival rate 0.3 and service rate 2/3.
    found = msj.analyse(W1["most-servers-first"])
    waiting = {c: found.row("mean_waiting_time", job_class=c).value for c in ("need 1", "need 4")}
    assert waiting["need 4"] == pytest.approx(0.3 / (2 / 3) / (2 / 3 - 0.3), rel=1e-9)
    assert waiting["need 1"] == pytest.approx(found.row("mean_response_time", job_class="need 1").value - 2, rel=1e-9)
    assert found["mean_waiting_time"] == pytest.approx(sum(waiting.values()) / 2, rel=1e-12)
    assert found["mean_jobs_waiting"] == pytest.approx(0.6 * found["mean_waiting_time"], rel=1e-12)


def test_the_cut_is_checked_and_its_error_reported():
    solved = solve_counts(counted(W1["max-weight"]), 0.9)
    assert 0 < solved.cut_error <= 1e-9
    # ties to need 1, known from elsewhere to 8 digits
    to_small = solve_counts(counted(W1["max-weight, ties to small"]), 0.9)
    assert to_small.mean_present.sum() / 0.9 == pytest.approx(17.383088, abs=1e-6)
    to_large = solve_counts(counted(W1["max-weight, ties to large"]), 0.9)
    assert to_large.mean_present.sum() / 0.9 == pytest.approx(16.392586, abs=1e-6)


def test_splitting_a_class_changes_nothing():
    whole = msj.analyse(W1["max-weight"])
    classes = [
        JobClass(name="small", need=1, share="1/2", duration=Exponential(rate="1/2")),
        JobClass(name="some", need=4, share="1/3", duration=Exponential(rate="2/3")),
        JobClass(name="others", need=4, share="1/6", duration=Exponential(rate="2/3")),
    ]
    split = msj.analyse(W1["max-weight"].replace(classes=classes))
    assert split["mean_response_time"] == pytest.approx(whole["mean_response_time"], rel=1e-12)
    per_class = [split.row("mean_jobs_in_system", job_class=name).value for name in ("some", "others")]
    assert per_class[0] == pytest.approx(2 * per_class[1], rel=1e-12)
    assert sum(per_class) == pytest.approx(whole.row("mean_jobs_in_system", job_class="need 4").value, rel=1e-12)


def test_what_counts_do_not_tell_is_refused_in_words():
    mixed = W1["max-weight"].replace(classes=[c.replace(need=1) for c in W1["max-weight"].classes])
    assert "both need 1 and differ in duration" in CountChain().supports(mixed)
    erlang = W1["max-weight"].replace(
        classes=[JobClass(name="a", need=1, share=1, duration=msj.Erlang(stages=2, mean=1))]
    )
    assert "erlang durations" in CountChain().supports(erlang)
    assert "looks at more than how many" in CountChain().supports(cluster("first-fit"))
    with pytest.raises(TooLarge, match="more than can be solved"):
        solve_counts(counted(cluster("max-weight", 16, (1, 2, 4, 8), (1, 1, 1, 1), ("1/4",) * 4)), 4.0)


def test_where_too_much_comes_there_is_no_number():
    with pytest.raises(Unstable):
        solve_counts(counted(W1["least-servers-first"]), 0.7)
    with pytest.raises((Unstable, NotAccurate, TooLarge)):
        solve_counts(counted(W1["max-weight"]), 1.01)


def by_all_pairs(system):
    """The largest rate that some mixture of two packings takes, by looking at all pairs."""
    offered = [c.share * c.duration.mean for c in system.classes]
    needs = [c.need for c in system.classes]
    packings = [
        z
        for z in itertools.product(*(range(system.servers // v + 1) for v in needs))
        if np.dot(z, needs) <= system.servers
    ]
    best = Fraction(0)
    for one, other in itertools.product(packings, repeat=2):
        ends = [Fraction(0), Fraction(1)]
        # the rate is the lesser of two lines in the share of the one packing: best at an end or where they cross
        slopes = [(a - b) / o for a, b, o in zip(one, other, offered, strict=True)]
        starts = [b / o for b, o in zip(other, offered, strict=True)]
        if slopes[0] != slopes[1]:
            ends.append(Fraction(starts[1] - starts[0]) / (slopes[0] - slopes[1]))
        best = max(best, *(min(s + w * d for s, d in zip(starts, slopes, strict=True)) for w in ends if 0 <= w <= 1))
    return best


@pytest.mark.parametrize("shape", [(4, (1, 4)), (7, (2, 3)), (24, (3, 10)), (11, (4, 5)), (30, (7, 9))])
@pytest.mark.parametrize("shares", [("1/2", "1/2"), ("9/10", "1/10")])
def test_max_weight_takes_what_the_best_mixture_of_packings_takes(shape, shares):
    system = cluster("max-weight", *shape, shares=shares)
    assert CountThreshold().saturate(system).stability_threshold == pytest.approx(
        float(by_all_pairs(system)), rel=1e-12
    )


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("most-servers-first", (7, (2, 3))),
        ("least-servers-first", (10, (3, 4))),
        ("least-servers-first, not preemptive", (4, (1, 4))),
        ("inelastic first", (7, (2, 3))),
    ],
)
def test_response_times_grow_as_the_distance_to_the_threshold_falls(name, shape):
    system = cluster(POLICIES[name], *shape)
    threshold = CountThreshold().saturate(system).stability_threshold
    near = [solve_counts(counted(system), threshold * (1 - gap)).mean_present.sum() * gap for gap in (1e-4, 1e-5)]
    assert near[1] == pytest.approx(near[0], rel=0.01)
    with pytest.raises((Unstable, NotAccurate, TooLarge)):
        solve_counts(counted(system), threshold * 1.001)


def test_without_a_threshold_a_rate_is_still_answered():
    best_fit = W1["best-fit"]
    found = msj.analyse(best_fit)
    assert found.find("stability_threshold") is None
    assert found["mean_response_time"] > 0
    assert any("threshold is not known" in note for note in found.notes)
    at_a_load = msj.analyse(best_fit.replace(arrival_rate=None, load=0.5))
    assert at_a_load.outcome is msj.Outcome.BOUNDS_ONLY
    assert "depends on the past" in at_a_load.notes[0]


def test_curve_and_compare_use_it():
    found = msj.curve(W1["max-weight"], loads=[0, 0.5])
    assert [row.kind for _, row in found.along("load", "mean_response_time")] == ["exact", "exact"]
    assert found.at(load=0)["mean_response_time"] == 1.75


@pytest.mark.parametrize("name", ["max-weight", "best-fit"])
def test_simulation_agrees(name):
    # 2.2 half-widths are 4.3 standard errors or more: odds of 1 in 5,000 for each of four comparisons
    exact, run = msj.analyse(W1[name]), msj.simulate(W1[name], jobs=200_000, seed=3)
    for quantity in ("mean_response_time", "waiting_probability"):
        row = run.row(quantity)
        assert abs(row.value - exact[quantity]) <= 2.2 * (row.high - row.low) / 2, quantity
