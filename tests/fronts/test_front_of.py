"""Systems with a model or a sharing policy, from the spec file to the answers: special cases that are known."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from fronts.brute_force import erlang_c
from msj import Erlang, Exponential, Hyperexponential, JobClass, NotSupported, System, Uniform
from msj.analysis.finite_skip_chain import FiniteSkipChain
from msj.fronts import FrontModel, ordered_chain, saturated_chain, simplified_chain
from msj.fronts.front_of import front_of, why_no_front
from msj.registry import ANALYSES, MODELS
from strategies import phase_types, simple, systems

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.toml"))
ROWS = ("stability_threshold", "wasted_servers", "relative_completions_at_departure", "mean_response_time")


def same(system, plain, *, rel=1e-9):
    """All answers of two systems agree, overall and per class."""
    found, expected = (msj.analyse(s, percentiles=False, method="chain") for s in (system, plain))
    for name in ROWS:
        assert found[name] == pytest.approx(expected[name], rel=rel, abs=1e-9), name
    for c in plain.active_classes:
        if len(plain.classes) > 1:
            assert found["mean_response_time", c.name] == pytest.approx(expected["mean_response_time", c.name], rel=rel)


# --- each model without what makes it special is the plain cluster


@settings(max_examples=8)
@given(systems(most_servers=4, most_classes=2, load=0.7))
def test_one_resource_one_group_one_stage_are_fcfs(system):
    same(system.replace(model={"name": "several-resources", "capacity": {}}), system)
    same(system.replace(model={"name": "server-groups", "groups": {"all": system.servers}}), system)
    same(system.replace(model="stages"), system)


def test_resources_that_never_run_out_are_fcfs():
    system = simple(4, (1, 1, "1/2"), (3, 2, "1/2"), load=0.8)
    model = {"name": "several-resources", "capacity": {"memory": 4}}
    same(system.replace(model=model, classes=[c.replace(extra={"resources": {"memory": 1}}) for c in system.classes]),
         system)  # fmt: skip


@settings(max_examples=6)
@given(phase_types(), phase_types())
def test_fork_join_with_one_task_is_fcfs(first, second):
    laws = zip(("a", "b"), ("1/4", "3/4"), (first, second), strict=True)
    classes = [JobClass(name=name, need=1, share=share, duration=law) for name, share, law in laws]
    system = System(servers=3, classes=classes, load=0.8)
    same(system.replace(model="fork-join"), system)


@pytest.mark.parametrize("policy", ["fcfs", "server-filling"])
def test_a_quick_set_up_and_free_preemption_come_close_to_the_plain_model(policy):
    system = simple(4, (1, 1, "1/2"), (2, "1/2", "1/2"), load=0.8, policy=policy)
    expected = msj.analyse(system, percentiles=False, method="chain")
    gaps = []
    for rate in (1e3, 1e4, 1e5):
        key = {"fcfs": "set_up_rate", "server-filling": "overhead_rate"}[policy]
        model = {"name": "set-up" if policy == "fcfs" else "preemption-cost", key: rate}
        found = msj.analyse(system.replace(model=model, arrival_rate=expected["arrival_rate"]))
        gaps.append([abs(found[name] / expected[name] - 1) for name in ("stability_threshold", "mean_response_time")])
    gaps = np.array(gaps)
    assert (gaps[-1] < 1e-4).all()
    assert gaps[:-1] / gaps[1:] == pytest.approx(10, rel=0.02)  # what is left shrinks like the mean set-up or overhead


@pytest.mark.parametrize("policy", ["first-fit", "best-packing"])
def test_a_window_of_one_is_fcfs(policy):
    system = simple(5, (1, 1, "1/3"), (2, 2, "1/3"), (4, 1, "1/3"), load=0.8)
    same(system.replace(policy={"name": policy, "window": 1}), system)


def test_all_servers_is_one_machine():
    law = Hyperexponential(rates=[4, "1/2"], probabilities=["1/2", "1/2"])
    system = System(servers=4, load=0.8, classes=[JobClass(name="all", need=4, share=1, duration=law)])
    wait = 0.8 / 0.2 * law.second_moment / (2 * float(law.mean))  # Pollaczek-Khinchine
    for policy in ("server-filling", "divisor-filling", "threshold-parallelism",
                   {"name": "limited-processor-sharing", "limit": 1}):  # fmt: skip
        result = msj.analyse(system.replace(policy=policy), percentiles=False)
        assert result["mean_response_time"] == pytest.approx(float(law.mean) + wait, rel=1e-9)
        assert result["wasted_servers"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("policy", ["threshold-parallelism", "heterogeneous-servers", "server-filling"])
def test_single_servers_are_m_g_k(policy):
    exponential = simple(4, (1, 2, 1), arrival_rate=7)
    assert msj.analyse(exponential.replace(policy=policy))["mean_response_time"] == pytest.approx(
        erlang_c(4, 0.5, 7.0), rel=1e-10
    )
    same(*(
        System(servers=2, load=0.9, classes=[JobClass(name="all", need=1, share=1, duration=Erlang(stages=2, mean=3))],
               policy=p)
        for p in (policy, "fcfs")
    ))  # fmt: skip


def test_processor_sharing_does_not_see_the_law():
    # 16 share; at load 0.2 more are present with probability 0.2^17 < 1e-11.
    for law in (Erlang(stages=2, mean=3), Hyperexponential(rates=[2, "1/4"], probabilities=["1/2", "1/2"])):
        system = System(servers=16, load=0.2, classes=[JobClass(name="a", need=16, share=1, duration=law)])
        result = msj.analyse(system.replace(policy="limited-processor-sharing"))
        assert result["mean_response_time"] == pytest.approx(float(law.mean) / 0.8, rel=1e-9)


# --- what holds for every model

OTHER_SPEEDS = (
    "modulated",
    "groups_with_speeds",
    "combined",
    "heterogeneous_servers",
)  # there work is not the time it takes


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_solved_and_keeps_littles_law(path):
    system = msj.read(path)
    result = msj.analyse(system)
    saturated_busy = system.servers - result["wasted_servers"]
    if path.stem not in OTHER_SPEEDS:
        assert saturated_busy == pytest.approx(result["stability_threshold"] * system.mean_work, rel=1e-9)
    assert 0 < result["load"] < 1
    each = [result["mean_response_time", c.name] * float(c.share) for c in system.classes]
    assert sum(each) == pytest.approx(result["mean_response_time"], rel=1e-9)
    gap = result["mean_response_time"] / result["predicted_mean_response_time"] - 1
    near = msj.analyse(system.replace(load=0.99), percentiles=False)
    assert abs(near["mean_response_time"] / near["predicted_mean_response_time"] - 1) < max(0.05, abs(gap) / 5)


def test_what_set_up_says_about_energy():
    system = msj.read(next(path for path in EXAMPLES if path.stem == "set_up"))
    result = msj.analyse(system)
    states = [result[f"{state}_servers"] for state in ("busy", "idle", "set_up", "off")]
    assert sum(states) == pytest.approx(4, rel=1e-12)
    assert states[0] == pytest.approx(result["arrival_rate"] * system.mean_work, rel=1e-9)
    assert result["mean_power"] == pytest.approx(np.dot(states, [300, 200, 250, 5]), rel=1e-12)
    single = simple(1, (1, 1, 1), arrival_rate=0.75, model={"name": "set-up", "set_up_rate": 0.5})
    result = msj.analyse(single)  # M/M/1 with set-up: off (1 − rho)·P(idle or on), busy rho
    assert [result[f"{s}_servers"] for s in ("busy", "idle", "set_up", "off")] == pytest.approx([0.75, 0, 0.15, 0.1])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_does_not_know_the_model_says_so(path):
    system = msj.read(path)
    if system.model is None:
        assert why_no_front(system) is None
        assert isinstance(front_of(system), FrontModel)
        return
    known = {"finite-skip-chain", "finite-skip-response", "sparse-fronts-response", "reset-terms", "symbolic"} | (
        {"wcfs-bounds", "wcfs-lemmas"} if system.model.name == "red-and-blue" else set()
    )
    assert {analysis.name for analysis in ANALYSES if analysis().supports(system) is None} == known
    for build in (saturated_chain, simplified_chain, ordered_chain, msj.saturate, msj.open_system):
        with pytest.raises(NotSupported):
            build(system)
    with pytest.raises(NotSupported, match="no closed form applies"):
        msj.analyse(system, method="closed-form")


def test_every_model_is_among_the_examples():
    assert set(MODELS.names()) <= {system.model.name for path in EXAMPLES if (system := msj.read(path)).model}


# --- refusals


def test_reasons():
    system = simple(4, (1, 1, 1), load=0.5)
    assert "goes with policy 'fcfs', not 'first-fit'" in why_no_front(
        system.replace(model="fork-join", policy="first-fit")
    )
    odd = system.replace(servers=3, model={"name": "preemption-cost", "overhead_rate": 1}, policy="server-filling")
    assert "servers = 3 is not a power of two" in why_no_front(odd)
    uniform = System(servers=2, classes=[JobClass(name="a", need=1, share=1, duration=Uniform(low=1, high=2))])
    assert "not phase type" in why_no_front(uniform.replace(model="fork-join"))
    later = JobClass(name="a", need=1, share=1, duration=Exponential(mean=1),
                     extra={"then": [{"need": 1, "duration": {"law": "uniform", "low": 1, "high": 2}}]})  # fmt: skip
    assert "a stage has uniform durations" in why_no_front(System(servers=2, classes=[later], model="stages"))
    elastic = system.replace(policy={"name": "threshold-parallelism", "order": "elastic"})
    assert "may serve any job first" in FiniteSkipChain().supports(elastic)
    assert "can use 1 of 4 servers" in why_no_front(system.replace(policy="limited-processor-sharing"))
    with pytest.raises(NotSupported, match="2 speeds are given for 4 servers"):
        front_of(system.replace(policy={"name": "heterogeneous-servers", "speeds": [1, 2]}))


@given(st.sampled_from(["fastest-first", "slowest-first", "stay"]))
@settings(max_examples=3)
def test_faster_servers_are_shorter_durations(assignment):
    system = simple(3, (1, 1, 1), load=0.8)
    policies = ({"name": "heterogeneous-servers", "speeds": speeds, "assignment": assignment}
                for speeds in ([1, 2, 3], ["1/3", 1, "2/3"]))  # fmt: skip
    fast, slow = (msj.analyse(system.replace(policy=policy)) for policy in policies)
    assert slow["mean_response_time"] == pytest.approx(3 * fast["mean_response_time"], rel=1e-12)
    assert fast["stability_threshold"] == pytest.approx(6, rel=1e-12)
    assert slow["stability_threshold"] == pytest.approx(2, rel=1e-12)
