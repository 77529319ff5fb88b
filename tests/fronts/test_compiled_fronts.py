"""The compiled enumeration against the plain one, and fronts sorted by need against fronts in order of arrival."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msj
from msj import Erlang, JobClass, System, TooLarge
from msj.disciplines.divisor_filling import DivisorFilling
from msj.disciplines.own_function import OwnFunction
from msj.disciplines.server_filling import ServerFilling
from msj.fronts import FrontModel, open_front, policy_front, saturated_front
from msj.fronts.compiled_fronts import compiled_fronts, saturated_fronts, why_not_compiled
from msj.fronts.policy_front import PreemptiveFront
from msj.markov import solve
from msj.markov.level_process import solve as solve_levels
from strategies import phase_types, simple, systems

POLICIES = [
    "fcfs",
    *({"name": "first-fit", "window": window, "preemptive": stops} for window in (1, 3) for stops in (False, True)),
]


def filled(servers, needs, laws, policy):
    """A system for the filling policies: equal shares, one law each."""
    classes = [
        JobClass(name=f"{i}: {need}", need=need, share=f"1/{len(needs)}", duration=law)
        for i, (need, law) in enumerate(zip(needs, laws, strict=True))
    ]
    return System(servers=servers, classes=classes, policy=policy)


def same_chain(system):
    model = policy_front(system)
    fronts, plain = saturated_front(model)
    found = compiled_fronts(model)
    assert found.chain.states <= plain.states  # the plain one begins with all fronts a first filling may give
    expected, run = solve(plain), solve(found.chain)
    assert run.throughput == pytest.approx(expected.throughput, rel=1e-11)
    delta = expected.relative_completions_at_departure
    assert run.relative_completions_at_departure == pytest.approx(delta, rel=1e-9, abs=1e-11)
    busy = expected.time_average @ [model.busy_servers(front) for front in fronts]
    assert run.time_average @ found.busy_servers == pytest.approx(busy, rel=1e-11)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@settings(max_examples=12)
@given(systems(most_servers=4, most_classes=2))
def test_compiled_is_plain(policy, system):
    same_chain(system.replace(policy=policy))


@pytest.mark.parametrize("policy", ["server-filling", "divisor-filling"])
@settings(max_examples=8)
@given(st.lists(st.sampled_from([1, 2, 4]), min_size=1, max_size=3), st.data())
def test_compiled_filling_is_plain(policy, needs, data):
    same_chain(filled(4, needs, [data.draw(phase_types()) for _ in needs], policy))


@dataclass(frozen=True, kw_only=True)
class ServerFillingByAge(ServerFilling):
    order_within_need: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class DivisorFillingByAge(DivisorFilling):
    order_within_need: ClassVar[bool] = False


@pytest.mark.parametrize("by_age", [ServerFillingByAge(), DivisorFillingByAge()], ids=lambda policy: policy.name)
@settings(max_examples=8)
@given(st.lists(st.sampled_from([1, 2, 4]), min_size=2, max_size=3), st.data())
def test_fronts_sorted_by_need_are_enough(by_age, needs, data):
    laws = [data.draw(st.sampled_from([msj.Exponential(rate=2), msj.Exponential(rate=1), Erlang(stages=2, mean=1)]))]
    laws += [msj.Exponential(rate=0.5)] * (len(needs) - 1)
    system = filled(4, needs, laws, by_age.name)
    in_order, by_need = PreemptiveFront(system, by_age, 4), policy_front(system)
    assert compiled_fronts(by_need).chain.states <= compiled_fronts(in_order).chain.states
    expected, run = (solve(compiled_fronts(model).chain) for model in (in_order, by_need))
    assert run.throughput == pytest.approx(expected.throughput, rel=1e-11)
    delta = expected.relative_completions_at_departure
    assert run.relative_completions_at_departure == pytest.approx(delta, rel=1e-9, abs=1e-11)
    rate = 0.7 * run.throughput
    means = [solve_levels(open_front(model).at(rate)).mean_level() for model in (in_order, by_need)]
    assert means[1] == pytest.approx(means[0], rel=1e-9)


def test_sorting_makes_large_fronts_small():
    system = simple(64, (1, 1, "1/2"), (2, "1/2", "1/4"), (4, 1, "1/8"), (8, 1, "1/8"), policy="server-filling")
    found = compiled_fronts(policy_front(system))
    assert found.chain.states < 10_000  # in order of arrival: more than 10^14
    run = solve(found.chain)
    assert run.throughput == pytest.approx(system.naive_threshold, rel=1e-10)
    assert np.allclose(found.busy_servers, 64)


def test_large_chains_are_compiled_and_small_ones_are_not():
    system = simple(12, (1, 1, "1/2"), (2, "1/2", "1/4"), (5, 1, "1/4"), policy={"name": "first-fit", "window": 5})
    model = policy_front(system)
    chain, busy = saturated_fronts(model)
    _, plain = saturated_front(model)
    assert chain.states > 2_000
    assert solve(chain).throughput == pytest.approx(solve(plain).throughput, rel=1e-11)
    result = msj.analyse(system)
    assert result.provenance["states"] == chain.states
    expected = system.servers - float(solve(chain).time_average @ busy)
    assert result["wasted_servers"] == pytest.approx(expected, rel=1e-9)


def plain_only(needs, running, remaining, servers, chosen):
    """First come first served, written in a way no compiler takes."""
    free = {"servers": servers - sum(int(n) for n, r in zip(needs, running, strict=True) if r), 1: None}
    for i, need in enumerate(needs):
        if not running[i] and need > free["servers"]:
            break
        free["servers"] -= 0 if running[i] else need
        chosen[i] = True


def test_what_cannot_be_compiled_is_enumerated_plainly():
    policy = OwnFunction(function=plain_only, preemptive=False, front=1)
    system = simple(40, (1, 1, "1/4"), (2, "1/2", "1/4"), (5, 2, "1/2"), policy="fcfs")
    model = policy_front(system.replace(policy=policy))
    assert "cannot be compiled" in why_not_compiled(model)
    assert why_not_compiled(policy_front(system)) is None
    expected = msj.analyse(system)["stability_threshold"]
    assert solve(saturated_fronts(model)[0]).throughput == pytest.approx(expected, rel=1e-10)


def test_too_large_says_how_large():
    system = simple(16, (1, 1, "1/2"), (2, 1, "1/4"), (3, 1, "1/4"), policy={"name": "first-fit", "window": 7})
    with pytest.raises(TooLarge, match=r"'first-fit' has more than 3,000 fronts, of up to 23 jobs of 3 types"):
        compiled_fronts(policy_front(system), most_fronts=3_000)


class SlowStart(FrontModel):
    """One job at a time; it makes room for a second, without completing, at rate 1 (then both end at rate 1)."""

    most_jobs = 2

    def fresh(self):
        yield "new", 1.0

    def full(self, front):
        return len(front) == 2 or front == ("new",)

    def steps(self, front):
        if front == ("new",):
            yield 1.0, ("open",), False
        else:
            yield 1.0, front[1:] if len(front) > 1 else (), True


def test_room_made_without_a_completion():
    # ("new",) -1-> ("open", "new") -1-> ("new",): one completion in every two steps of mean 1.
    fronts, chain = saturated_front(SlowStart())
    assert fronts == [("new",), ("open", "new")]
    assert solve(chain).throughput == pytest.approx(0.5, rel=1e-12)


def test_as_many_fronts_as_are_allowed_and_no_more():
    model = policy_front(simple(4, (1, 1, "1/2"), (2, 1, "1/2"), policy={"name": "first-fit", "window": 3}))
    chain = compiled_fronts(model).chain
    total = chain.states + chain.vanishing
    assert compiled_fronts(model, most_fronts=total).chain.states == chain.states
    with pytest.raises(TooLarge, match=f"more than {total - 1} fronts"):
        compiled_fronts(model, most_fronts=total - 1)
