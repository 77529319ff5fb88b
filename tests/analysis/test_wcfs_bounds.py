"""Bounds of work-conserving finite-skip systems around exact response times; who is one, and why not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj import Erlang, Exponential, Hyperexponential, InvalidInput, JobClass, NotSupported, System, Unstable
from msj.analysis.wcfs_bounds import ResponseTimeBounds, bound_rows, wcfs_bounds
from msj.analysis.wcfs_verdict import explain
from msj.disciplines.heterogeneous_servers import HeterogeneousServers
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.own_function import OwnFunction
from msj.disciplines.threshold_parallelism import ThresholdParallelism
from msj.fronts import FrontModel
from msj.model.durations import Coxian, Deterministic, Lognormal, Pareto, Uniform, Weibull
from msj.registry import POLICIES
from strategies import phase_types, simple

LAWS = {
    "exponential": Exponential(mean=1),
    "erlang": Erlang(stages=2, mean=1),
    "hyperexponential": Hyperexponential(rates=[2, "2/3"], probabilities=[0.5, 0.5]),
}
LOADS = (0.1, 0.4, 0.7, 0.9, 0.99)


def cluster(servers, needs, law, policy="fcfs", **fields):
    classes = [JobClass(name=f"need {v}", need=v, share=1 / len(needs), duration=law) for v in needs]
    return System(servers=servers, classes=classes, policy=policy, **fields)


SYSTEMS = [
    (1, [1], "fcfs"),
    (3, [1], "fcfs"),
    (4, [2], "fcfs"),
    (3, [3], "fcfs"),
    (2, [1], {"name": "first-fit", "window": 2}),
    (4, [1, 4], "server-filling"),
    (4, [2, 4], "server-filling"),
    (4, [4], "server-filling"),
    (3, [1, 3], "divisor-filling"),
    (4, [2, 4], "divisor-filling"),
]


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize(("servers", "needs", "policy"), SYSTEMS)
def test_exact_response_times_are_inside_and_approach_the_limit(servers, needs, policy, law):
    gaps = []
    for load in (*LOADS, 0.999):
        system = cluster(servers, needs, law, policy, utilisation=load)
        exact = msj.analyse(system, percentiles=False)["mean_response_time"]
        bounds = wcfs_bounds(system)
        assert bounds.lower * (1 - 1e-9) <= exact <= bounds.upper * (1 + 1e-9)
        assert bounds.rho == pytest.approx(load, rel=1e-12)
        if load >= 0.9:
            gaps.append(abs(exact * (1 - load) / bounds.heavy_traffic_limit - 1))
    if max(needs) == min(needs) == servers and law.law == "exponential":
        assert max(gaps) < 1e-9  # M/M/1 is at its limit at every load
    else:
        assert gaps == sorted(gaps, reverse=True)
        assert 0 < gaps[-1] < 0.15 * gaps[-2]  # from 0.99 to 0.999 a tenth of it remains
        assert gaps[-1] < 0.005


@settings(max_examples=15)
@given(phase_types(), phase_types(), st.sampled_from([0.1, 0.5, 0.9, 0.99]), st.integers(1, 9))
def test_random_laws_on_filled_servers(first, second, load, weight):
    classes = [
        JobClass(name="one", need=1, share=weight / 10, duration=first),
        JobClass(name="two", need=2, share=1 - weight / 10, duration=second),
    ]
    for policy in ("server-filling", "divisor-filling"):
        system = System(servers=2, classes=classes, policy=policy, utilisation=load)
        exact, bounds = msj.analyse(system, percentiles=False)["mean_response_time"], wcfs_bounds(system)
        assert bounds.lower * (1 - 1e-9) <= exact <= bounds.upper * (1 + 1e-9)


@settings(max_examples=20)
@given(phase_types(), st.floats(0.05, 0.99), st.sampled_from(["fcfs", "server-filling", "divisor-filling"]))
def test_one_job_at_a_time_has_bounds_that_meet(law, load, policy):
    system = cluster(2, [2], law, policy, utilisation=load)
    bounds = wcfs_bounds(system)
    exact = msj.analyse(system, percentiles=False)["mean_response_time"]
    assert bounds.front == 1
    assert bounds.lower == pytest.approx(exact, rel=1e-8)
    assert bounds.upper == pytest.approx(exact, rel=1e-8)
    assert bounds.mg1_mean_response_time == pytest.approx(exact, rel=1e-8)


def test_the_numbers_of_theorem_2_by_hand():
    # S: Exp(2) or Exp(2/3) equally; E[S] = 1, E[S²] = 2.5, rem_sup = 1.5, n = 4, b_inf = 1/4.
    system = simple(4, (1, "1/2", "1/2"), (4, "2/3", "1/2"), policy="server-filling", utilisation=0.9)
    bounds = wcfs_bounds(system)
    assert (bounds.front, bounds.b_inf, bounds.rem_sup) == (4, 0.25, 1.5)
    assert bounds.heavy_traffic_limit == pytest.approx(1.25)
    assert (bounds.c_lower, bounds.c_upper) == (pytest.approx(-3.5), pytest.approx(20.5))
    assert bounds.lower == pytest.approx(9 * 1.25 - 3.5)
    assert bounds.upper == pytest.approx(9 * 1.25 + 20.5)
    assert bounds.mg1_mean_response_time == pytest.approx(12.25)
    assert bounds.lower < 14.118319133 < bounds.upper  # exact
    # At a low load the theorem's lower bound is negative, and a job still takes as long as it takes.
    assert wcfs_bounds(system, 0.1).lower == pytest.approx((2 + 1.5) / 2)
    assert wcfs_bounds(system, 0.1) == wcfs_bounds(system.replace(arrival_rate=0.1))


@pytest.mark.parametrize("law", [Deterministic(value=1), Uniform(low=1, high=3), Weibull(shape=2, mean=1)])
def test_laws_without_a_chain_have_bounds_too(law):
    bounds = wcfs_bounds(cluster(4, [1], law, utilisation=0.9))
    mean, second = float(law.mean) / 4, law.second_moment / 16
    wait = 9 * second / (2 * mean)
    assert bounds.rem_sup == pytest.approx(mean)
    assert (bounds.lower, bounds.upper) == (
        pytest.approx(max(wait - 2 * mean, 4 * mean)),
        pytest.approx(wait + 19 * mean),
    )


class LimitedSharing(FrontModel):
    """The ``limit`` oldest jobs share one server equally; phases as jobs."""

    most_jobs = 0

    def __init__(self, law, limit):
        self.law, self.most_jobs = law.as_phase_type(), limit

    def fresh(self):
        return enumerate(self.law.alpha.tolist())

    def steps(self, front):
        for i, phase in enumerate(front):
            for other in range(len(self.law.alpha)):
                if other != phase and self.law.subgenerator[phase, other]:
                    rate = self.law.subgenerator[phase, other] / len(front)
                    yield rate, (*front[:i], other, *front[i + 1 :]), False
            if self.law.exit_rates[phase]:
                yield self.law.exit_rates[phase] / len(front), front[:i] + front[i + 1 :], True


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("limit", [1, 3])
def test_limited_processor_sharing(law, limit):
    system = cluster(1, [1], law, LimitedProcessorSharing(limit=limit))
    for load in (*LOADS, 0.999):
        exact = msj.analyse_model(LimitedSharing(law, limit), load=load)["mean_response_time"]
        bounds = wcfs_bounds(system, load)
        assert (bounds.front, bounds.b_inf) == (limit, 1.0)
        assert bounds.lower * (1 - 1e-9) <= exact <= bounds.upper * (1 + 1e-9)
    assert exact * 0.001 == pytest.approx(bounds.heavy_traffic_limit, rel=0.005)


class FastestFirst(FrontModel):
    """Exponential jobs, the oldest on the fastest server."""

    most_jobs = 0

    def __init__(self, speeds):
        self.speeds, self.most_jobs = speeds, len(speeds)

    def fresh(self):
        yield 0, 1.0

    def steps(self, front):
        for i in range(len(front)):
            yield self.speeds[i], front[:i] + front[i + 1 :], True


def test_servers_of_different_speed():
    speeds = (1.6, 1.2, 0.8, 0.4)  # wcfs, section 3.1, in units of the mean speed
    system = cluster(4, [1], Exponential(mean=1), HeterogeneousServers(speeds=speeds))
    for load in LOADS:
        exact = msj.analyse_model(FastestFirst(speeds), load=load)["mean_response_time"]
        bounds = wcfs_bounds(system, 4 * load)
        assert bounds.b_inf == pytest.approx(0.4)
        assert bounds.lower <= exact <= bounds.upper
    # A job alone runs on the fastest: less than the mean duration.
    assert wcfs_bounds(system, 0.001).lower == pytest.approx(1 / 1.6)


def test_threshold_parallelism_oldest_first_only():
    classes = (4, [1, 3], Exponential(mean=1))
    verdict = explain(cluster(*classes, ThresholdParallelism()))
    assert verdict.is_wcfs  # 3 does not divide 4, but the last job takes what remains
    assert (verdict.front, verdict.b_inf) == (4, 0.25)
    assert explain(cluster(4, [3], Exponential(mean=1), ThresholdParallelism())).front == 2
    assert not explain(cluster(*classes, ThresholdParallelism(order="elastic"))).finite_skip


@pytest.mark.parametrize("name", [policy.name for policy in POLICIES if policy.fills.keeps_order])
@settings(max_examples=15)
@given(
    slots=st.integers(1, 4),
    power=st.integers(0, 2),
    jobs=st.integers(0, 14),
    lasting=st.randoms(use_true_random=False),
)
def test_policies_that_serve_in_order_when_needs_are_equal(name, slots, power, jobs, lasting):
    need = 2**power
    servers = need * (slots if name != "server-filling" else 2 ** (slots - 1))
    at_once = servers // need
    needs = np.full(jobs, need)
    remaining = np.array([lasting.uniform(0.1, 9) for _ in range(jobs)])
    for started in range(min(jobs, at_once) + 1):  # those that run are the oldest
        chosen = np.zeros(jobs, dtype=bool)
        POLICIES.get(name)().serve(needs, np.arange(jobs) < started, remaining, servers, chosen)
        assert chosen.tolist() == [i < at_once for i in range(jobs)]


@pytest.mark.parametrize(("servers", "needs", "policy"), SYSTEMS)
def test_a_full_front_keeps_all_servers_busy_and_nobody_behind_it_is_served(servers, needs, policy):
    system = cluster(servers, needs, Exponential(mean=1), policy)
    verdict = explain(system)
    assert verdict.is_wcfs
    rng = np.random.default_rng(5)
    for _ in range(200):
        present = rng.choice(needs, size=rng.integers(1, 2 * servers + 3))
        chosen = np.zeros(len(present), dtype=bool)
        system.policy.serve(present, np.zeros_like(chosen), np.ones(len(present)), servers, chosen)
        busy = present[chosen].sum()
        assert not chosen[verdict.front :].any()
        assert busy >= verdict.b_inf * servers
        assert busy == servers or len(present) < verdict.front


@pytest.mark.parametrize(
    ("servers", "needs", "policy", "sentence"),
    [
        (
            4,
            [1, 4],
            "fcfs",
            "a job of 'need 1' followed by jobs of 'need 4' leaves 3 of 4 servers idle; policy 'server-f",
        ),
        (
            6,
            [2, 3],
            "fcfs",
            "a job of 'need 2' followed by jobs of 'need 3' leaves 1 of 6 servers idle; policy 'divisor",
        ),
        (8, [1, 3], "fcfs", "class 'need 3' needs 3 servers, which does not divide 8: such jobs alone leave 2 idle"),
        (8, [3, 5], "divisor-filling", "class 'need 3' .* leave 2 idle and class 'need 5' .* leave 3 idle"),
        (5, [2], "fcfs", "leave 1 idle under any policy; with servers = 4 they are served just the same"),
        (6, [1, 2], "server-filling", "servers = 6 is not a power of two; divisor-filling applies instead"),
        (6, [1, 2], {"name": "first-fit", "window": 3}, "followed by jobs of 'need 2' leaves 1 of 6 servers idle"),
    ],
)
def test_needs_that_break_work_conservation(servers, needs, policy, sentence):
    system = cluster(servers, needs, Exponential(mean=1), policy, arrival_rate=0.1)
    verdict = explain(system)
    assert verdict.finite_skip
    assert not verdict.work_conserving
    assert verdict.non_idling
    with pytest.raises(
        NotSupported, match=f"wcfs-bounds does not apply: the system is not work-conserving: .*{sentence}"
    ):
        wcfs_bounds(system)
    with pytest.raises(NotSupported):
        bound_rows(system)


@pytest.mark.parametrize(("servers", "needs"), [(4, [1, 4]), (6, [2, 3]), (6, [1, 2, 6])])
def test_the_order_that_breaks_fcfs_does_leave_so_many_servers_idle(servers, needs):
    order = np.array([min(needs)] + [max(needs)] * (servers + 1))
    chosen = np.zeros(len(order), dtype=bool)
    POLICIES.get("fcfs")().serve(order, np.zeros_like(chosen), np.ones(len(order)), servers, chosen)
    idle = servers - order[chosen].sum()
    assert f"leaves {idle} of {servers} servers idle" in explain(cluster(servers, needs, LAWS["erlang"])).why_not


def test_policies_that_are_not_finite_skip():
    for policy in ("max-weight", "most-servers-first", "greedy-srpt", "server-filling-srpt", "randomized-timers"):
        verdict = explain(cluster(4, [1, 4], Exponential(mean=1), policy))
        assert not verdict.finite_skip
        assert "any number of older ones" in verdict.why_not
        assert verdict.non_idling == (policy != "randomized-timers")
    assert not explain(cluster(4, [1], Exponential(mean=1), "greedy-srpt")).finite_skip
    assert explain(cluster(4, [2], Exponential(mean=1), "most-servers-first")).is_wcfs


def test_a_function_of_ones_own_is_not_presumed_to_fill():
    def oldest(needs, running, remaining, servers, chosen):
        if len(needs):
            chosen[0] = True

    verdict = explain(cluster(4, [1, 4], Exponential(mean=1), OwnFunction(function=oldest, front=1)))
    assert verdict.finite_skip
    assert "nothing is known about which servers policy" in verdict.why_not


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Pareto(shape=3, minimum=1), "a pareto duration (shape 3, minimum 1) can be expected to last the longer"),
        (Pareto(shape="3/2", minimum=1), "infinite variance, so E[S²] is infinite"),
        (Lognormal(mean=1, cv=1), "a lognormal duration"),
        (Weibull(shape="1/2", mean=1), "a weibull duration (shape 1/2, mean 1)"),
    ],
)
def test_heavy_tails_have_no_bound_and_say_why(law, words):
    system = cluster(4, [1], law, utilisation=0.5)
    bounds = wcfs_bounds(system)
    assert (bounds.lower, bounds.upper, bounds.heavy_traffic_limit) == (None, None, None)
    assert words in bounds.reason
    assert ResponseTimeBounds().supports(system) == bounds.reason
    assert bounds.rem_sup == math.inf
    names = [row.name for row in bound_rows(system)]
    assert names == (["mg1_mean_response_time"] if math.isfinite(law.second_moment) else [])


def test_one_job_at_a_time_needs_no_bounded_remaining_size():
    law = Pareto(shape=3, minimum=1)
    bounds = wcfs_bounds(cluster(4, [4], law, utilisation=0.5))
    expected = law.second_moment / (2 * law.mean) + law.mean
    assert bounds.reason is None
    assert bounds.lower == bounds.upper == bounds.mg1_mean_response_time == pytest.approx(expected)
    assert "infinite" in wcfs_bounds(cluster(4, [4], Pareto(shape=2, minimum=1), utilisation=0.5)).reason


def test_rows():
    system = cluster(2, [1], Exponential(mean=2))
    rows = {row.name: row for row in bound_rows(system, 0.9)}
    assert {name: (row.kind, row.citation) for name, row in rows.items()} == {
        "response_time_lower_bound": ("bound", "wcfs, Theorem 2"),
        "response_time_upper_bound": ("bound", "wcfs, Theorem 2"),
        "response_time_sharper_lower_bound": ("bound", "wcfs, section 5.1"),
        "response_time_sharper_upper_bound": ("bound", "wcfs, section 5.1"),
        "heavy_traffic_limit": ("asymptotic", "wcfs, Theorem 1"),
        "mg1_mean_response_time": ("exact", "wcfs, section 6"),
    }
    assert rows["mg1_mean_response_time"].value == pytest.approx(10.0)
    assert [row.name for row in bound_rows(system)] == ["heavy_traffic_limit"]  # no load is given
    assert wcfs_bounds(system).rho is None


def test_bad_loads_are_refused():
    system = cluster(2, [1], Exponential(mean=2))
    with pytest.raises(Unstable, match="lambda = 1 is not below the stability threshold lambda\\* = 1"):
        wcfs_bounds(system, 1.0)
    for rate in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidInput, match=r"arrival_rate = .* must be a positive"):
            wcfs_bounds(system, rate)


def test_a_class_that_never_arrives_changes_nothing():
    alone = cluster(4, [2], Coxian(rates=[1, 2], continues=["1/2"]), utilisation=0.8)
    odd = JobClass(name="odd", need=3, share=0, duration=Pareto(shape=3, minimum=1))
    assert wcfs_bounds(alone.replace(classes=(*alone.classes, odd))) == wcfs_bounds(alone)
