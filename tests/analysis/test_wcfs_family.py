"""The WCFS models of the paper, each from its spec: exact response times inside the bounds, and one limit for all.

wcfs, Theorem 2: E[T] = rho/(1−rho)·E[S²]/(2E[S]) + c with c bounded, so E[T]·(1−rho) − E[S²]/(2E[S]) shrinks like
1 − rho.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj import Coxian, Erlang, Exponential, Hyperexponential, InvalidInput, JobClass, System
from msj.analysis.wcfs_bounds import wcfs_bounds
from msj.analysis.wcfs_verdict import explain
from strategies import phase_types, simple

LOADS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
LAWS = {
    "exponential": Exponential(mean=1),
    "erlang": Erlang(stages=2, mean=2),
    "hyperexponential": Hyperexponential(rates=[2, "1/2"], probabilities=["1/2", "1/2"]),
}


def system(servers, needs, law, policy="fcfs", model=None, extra=({}, {})):
    """Classes of one need each; where there are two, the second lasts twice as long."""
    classes = [
        JobClass(name=f"class {i}", need=need, share=1 / len(needs), duration=law.scaled(i + 1), extra=extra[i])
        for i, need in enumerate(needs)
    ]
    return System(servers=servers, classes=classes, policy=policy, model=model)


def sharing(name, **options):
    return {"name": name, **options}


COLOURS = ({"colour": "red"}, {"colour": "blue"})
#: name: servers, needs, policy, model, extra keys, and (n, b_inf) as the paper has them.
FAMILY = {
    "M/G/1": (1, [1], "fcfs", None, ({},), (1, 1)),
    "M/G/k": (3, [1, 1], "fcfs", None, ({}, {}), (3, 1 / 3)),
    "heterogeneous": (3, [1, 1], sharing("heterogeneous-servers", speeds=[3, 2, 1]), None, ({}, {}), (3, 1 / 2)),
    "heterogeneous, staying": (2, [1, 1], sharing("heterogeneous-servers", speeds=[3, 1], assignment="stay"), None,
                               ({}, {}), (2, 1 / 4)),
    "heterogeneous, slowest first": (2, [1, 1], sharing("heterogeneous-servers", speeds=[3, 1],
                                                        assignment="slowest-first"), None, ({}, {}), (2, 1 / 4)),
    "limited processor sharing": (2, [2, 2], sharing("limited-processor-sharing", limit=3), None, ({}, {}), (3, 1)),
    "threshold parallelism": (4, [1, 3], "threshold-parallelism", None, ({}, {}), (4, 1 / 4)),
    "server-filling": (4, [1, 4], "server-filling", None, ({}, {}), (4, 1 / 4)),
    "divisor-filling": (3, [1, 3], "divisor-filling", None, ({}, {}), (3, 1 / 3)),
    "red and blue": (2, [1, 1], "fcfs", "red-and-blue", COLOURS, (3, 1 / 2)),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("name", FAMILY)
def test_exact_response_times_are_inside_the_bounds_and_approach_the_common_limit(name, law):
    servers, needs, policy, model, extra, (front, least_busy) = FAMILY[name]
    found = system(servers, needs, law, policy, model, extra)
    verdict = explain(found)
    assert verdict.is_wcfs
    assert (verdict.front, verdict.b_inf) == (front, pytest.approx(least_busy))
    # S = need × duration / capacity, by hand.
    capacity = sum(policy["speeds"]) if name.startswith("heterogeneous") else servers
    means = [need / capacity * float(law.mean) * (i + 1) for i, need in enumerate(needs)]
    squares = [(need / capacity * (i + 1)) ** 2 * law.second_moment for i, need in enumerate(needs)]
    limit = sum(squares) / (2 * sum(means))
    apart = {}
    for rho in (*LOADS, 0.999):
        exact = msj.analyse(found.replace(utilisation=rho), percentiles=False)["mean_response_time"]
        bounds = wcfs_bounds(found, rho / (sum(means) / len(means)))
        assert bounds.rho == pytest.approx(rho, rel=1e-12)
        assert bounds.heavy_traffic_limit == pytest.approx(limit, rel=1e-12)
        assert bounds.lower * (1 - 1e-9) <= exact <= bounds.upper * (1 + 1e-9)
        apart[rho] = (exact * (1 - rho) - limit) / (1 - rho)
    # The distance from the limit over 1 − rho converges, and what is left of that is again a tenth each time.
    steps = abs(apart[0.99] - apart[0.9]), abs(apart[0.999] - apart[0.99])
    assert steps[1] < 0.2 * steps[0] + 1e-6 * limit
    assert abs(apart[0.999]) * 0.001 < 0.005 * limit


@settings(max_examples=12)
@given(phase_types(), st.sampled_from(sorted(set(FAMILY) - {"M/G/1"})), st.sampled_from(LOADS))
def test_random_laws_are_inside_the_bounds(law, name, rho):
    servers, needs, policy, model, extra, _ = FAMILY[name]
    found = system(servers, needs, law, policy, model, extra).replace(utilisation=rho)
    bounds = wcfs_bounds(found)
    exact = msj.analyse(found, percentiles=False)["mean_response_time"]
    assert bounds.lower * (1 - 1e-9) <= exact <= bounds.upper * (1 + 1e-9)


def test_bounds_are_among_the_rows():
    result = msj.analyse(system(2, [1, 1], LAWS["erlang"], "fcfs", "red-and-blue", COLOURS).replace(load=0.9))
    assert result["response_time_lower_bound"] < result["mean_response_time"] < result["response_time_upper_bound"]
    assert result["heavy_traffic_limit"] > 0


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("fork-join", "fewer servers than it has tasks are free"),
        ("stages", "at its start or between two stages"),
        ({"name": "set-up", "set_up_rate": 1}, "servers are off or in set-up while jobs wait"),
        ({"name": "several-resources", "capacity": {}}, "wait for another resource"),
        ({"name": "server-groups", "groups": {"all": 4}}, "servers of another stand idle"),
        ({"name": "preemption-cost", "overhead_rate": 1}, "hold servers without progress"),
    ],
)
def test_models_that_are_not_work_conserving_say_why(model, words):
    policy = "server-filling" if "preemption" in str(model) else "fcfs"
    verdict = explain(simple(4, (1, 1, "1/2"), (2, 1, "1/2"), model=model, policy=policy))
    assert verdict.finite_skip
    assert not verdict.work_conserving
    assert words in verdict.why_not


def test_a_model_under_the_wrong_policy_is_not_bounded():
    assert not explain(simple(4, (1, 1, 1), model="fork-join", policy="first-fit")).finite_skip
    red = JobClass(name="a", need=1, share=1, duration=Exponential(mean=1), extra={"colour": "red"})
    verdict = explain(System(servers=2, classes=[red], model="red-and-blue", policy="server-filling"))
    assert "goes with policy 'fcfs'" in verdict.why_not


@pytest.mark.parametrize(("window", "fills"), [(1, False), (3, False), (4, True), (6, True)])
def test_a_preemptive_window_must_be_able_to_fill_the_servers(window, fills):
    policy = {"name": "best-packing", "window": window, "preemptive": True}
    packed = simple(4, (1, 1, 1), policy=policy)
    assert explain(packed).is_wcfs == fills
    threshold = msj.analyse(packed)["stability_threshold"]
    assert threshold == pytest.approx(min(window, 4))
    assert explain(simple(4, (1, 1, 1), policy={"name": "best-packing", "window": 1})).is_wcfs


def test_speeds_are_checked():
    with pytest.raises(InvalidInput, match="assignment = 'fastest' is unknown; did you mean 'fastest-first'"):
        simple(2, (1, 1, 1), policy={"name": "heterogeneous-servers", "assignment": "fastest"})
    coxian = system(2, [1, 1], Coxian(rates=[1, 2], continues=["1/2"]), "heterogeneous-servers")
    assert explain(coxian).b_inf == pytest.approx(1 / 2)  # without speeds all are alike


def test_what_loses_its_work_is_neither_of_the_three(monkeypatch):
    monkeypatch.setattr("msj.analysis.wcfs_verdict.why_not_resumed", lambda _: "jobs begin again")
    found = explain(simple(2, (1, 1, 1)))
    assert (found.finite_skip, found.work_conserving, found.non_idling, found.is_wcfs) == (False,) * 4
    assert (found.front, found.b_inf) == (None, None)
    assert found.why_not == "the system is not finite-skip: jobs begin again"
