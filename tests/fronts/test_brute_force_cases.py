"""The cases put together from parts: every two parts meet in one, and the brute force says what is kept of them."""

from itertools import combinations

import pytest

from fronts.brute_force_cases import CASES
from fronts.brute_force_parts import chain_of
from fronts.brute_force_values import SERVER_ROWS, computed, kept

PARTS = {
    "groups",
    "spanning",
    "resources",
    "group resources",
    "cap",
    "chain",
    "graph",
    "fork-join",
    "need per phase",
    "set-up",
    "Erlang set-up",
    "staggered",
    "delay",
    "breakdowns one by one",
    "breakdowns together",
    "maintenance",
    "priority work",
    "speeds",
    "transfer",
}


def of_segments(segments):
    roots = sum(not one["after"] for one in segments)
    chain = all(one["after"] == list(range(s))[-1:] for s, one in enumerate(segments))
    yield "need per phase", any(isinstance(one["need"], list) for one in segments)
    yield "fork-join", roots > 1
    yield "chain", chain and len(segments) > 1
    yield "graph", not chain and roots == 1


def of_environment(component, groups):
    kinds = {tuple(taken) for taken in component["taken"]}
    everything = tuple(group[0] for group in groups)
    random = component["hits"] == "any"
    speeds = len(set(component["speed"])) > 1
    yield "speeds", speeds
    yield "breakdowns together", random and everything in kinds and len(kinds) == 2
    yield "breakdowns one by one", random and not (everything in kinds and len(kinds) == 2)
    yield "maintenance", not random and not speeds and len(kinds) == 2
    yield "priority work", not random and not speeds and len(kinds) > 2


def of_all(model):
    yield "groups", len(model["groups"]) > 1
    yield "group resources", any(group[2] for group in model["groups"])
    yield "resources", bool(model["capacity"])
    yield "transfer", bool(model["overhead"] and model["overhead"]["transfer"])
    for one in model["classes"]:
        yield "spanning", one["span"]
        yield "cap", one["at_most"] is not None
        yield from of_segments(one["segments"])
    for component in model["environment"]:
        yield from of_environment(component, model["groups"])
    if model["set_up"]:
        exponential = len(model["set_up"]["law"].as_phase_type().alpha) == 1
        yield "set-up", exponential
        yield "Erlang set-up", not exponential
        yield "staggered", model["set_up"]["staggered"]
        yield "delay", model["set_up"]["delay"] is not None


def test_every_two_parts_meet():
    met = set()
    for model, *_ in CASES.values():
        if model["rule"] is None:
            met |= set(combinations(sorted({name for name, there in of_all(model) if there}), 2))
    assert set(combinations(sorted(PARTS), 2)) - met == {("Erlang set-up", "set-up")}


def test_what_is_kept_is_of_these_cases():
    assert list(kept()) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_the_servers_add_up(name):
    assert sum(kept()[name][row] for row in SERVER_ROWS) == pytest.approx(
        sum(group[0] for group in CASES[name][0]["groups"])
    )


#: Some of the quickest; all of them: verification/test_brute_force_cases.py.
QUICK = [
    "groups, spanning, resources, a cap and set-up",
    "spanning, a chain, staggered set-up and breakdowns one by one",
    "set-up, transfer, priority work, a chain and delay",
    "server-filling, snapshot",
    "server-filling, a class that is not preemptible",
]


@pytest.mark.parametrize("name", QUICK)
def test_what_is_kept_is_what_is_computed(name):
    assert computed(name) == pytest.approx(kept()[name], rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("name", QUICK)
def test_a_settled_state_stays(name):
    model, shares, _, _ = CASES[name]
    chain = chain_of(**model)
    state = chain.empty()
    for step in range(12):  # some path: arrivals and then whatever comes first
        thawed = chain.thawed(state, lambda weights: max(range(len(weights)), key=weights.__getitem__))
        changes = [change for _, change in chain.events(state)]
        thawed.arrive(step % len(shares)) if step % 2 == 0 or not changes else changes[step % len(changes)](thawed)
        thawed.settle()
        state = thawed.frozen()
        thawed.settle()
        assert thawed.frozen() == state
