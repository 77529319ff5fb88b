"""Environments and caps in spec files: round trips, units, sentences for what is wrong, and who refuses what."""

import json
import tomllib

import pytest

import msj
from combinations import COMBINATIONS
from msj import InvalidInput, NotSupported
from msj.fronts import front_of
from msj.model.changes import with_largest_need
from msj.model.spec_file import from_document, to_json, to_toml
from msj.registry import ANALYSES, ENVIRONMENTS

ONE = {"law": "exponential", "mean": 1}
ERLANG = {"law": "erlang", "stages": 2, "mean": 1}
EXAMPLES = {
    "breakdowns": {"name": "breakdowns", "rate": 0.1, "repair": ONE, "repairers": 1},
    "maintenance": {"name": "maintenance", "every": ERLANG, "lasts": ONE, "servers": 1},
    "priority-work": {"name": "priority-work", "arrival_rate": 0.1, "duration": ONE, "need": 1, "most": 2},
    "modulated": {"name": "modulated", "generator": [[-1, 1], [2, -2]], "speed": [1, 0.5], "servers": [4, 2]},
}
GROUPS = {"name": "server-groups", "groups": {"old": 2, "new": 2}}


def document(**more):
    return {"servers": 4, "load": 0.5, "classes": [{"name": "a", "need": 2, "share": 1, "duration": ONE}]} | more


@pytest.mark.parametrize("name", ENVIRONMENTS.names())
def test_every_environment_has_an_example_and_says_what_it_is(name):
    system = from_document(document(environment=EXAMPLES[name]))
    (one,) = system.environment
    assert isinstance(one, ENVIRONMENTS.get(name))
    assert one.summary
    assert one.citation
    for component in one.components({"old": 2, "new": 2}):
        states = len(component.sojourn)
        assert {len(part) for part in (component.jump, component.taken, component.speed)} == {states}
        assert all(sum(row) == pytest.approx(1) and row[i] == 0 for i, row in enumerate(component.jump))
        assert all(len(taken) == 2 for taken in component.taken)


@pytest.mark.parametrize("name", COMBINATIONS)
def test_round_trips_and_units(name):
    system = from_document({**COMBINATIONS[name], "load": 0.5, "time_unit": "hours"})
    for other in (system, system.in_unit("minutes")):
        assert from_document(tomllib.loads(to_toml(other))) == other
        assert from_document(json.loads(to_json(other))) == other
    assert system.in_unit("minutes").in_unit("hours") == system
    assert system.identity() != system.in_unit("minutes").identity()
    assert system.identity() != system.replace(servers=system.servers, environment=None).identity() or (
        not system.environment
    )


@pytest.mark.parametrize("name", ["groups, set-up", "server-filling, snapshot and transfer"])
def test_answers_are_the_same_in_every_unit(name):
    hours = from_document({**COMBINATIONS[name], "load": 0.5, "time_unit": "hours"})
    found = [msj.analyse(system, percentiles=False)["mean_response_time"] for system in (hours, hours.in_unit("min"))]
    assert found[1] == pytest.approx(60 * found[0])


@pytest.mark.parametrize(
    "more", [{"environment": EXAMPLES["breakdowns"]}, {"classes": [{**document()["classes"][0], "at_most": 2}]}]
)
def test_who_knows_only_plain_clusters_refuses(more):
    system = from_document(document(**more))
    assert [a.name for a in ANALYSES if a().supports(system) is None] == [
        "finite-skip-chain", "finite-skip-response", "reset-terms", "sparse-fronts-response", "symbolic",
    ]  # fmt: skip
    for ask in (msj.region, lambda given: with_largest_need(given, 1)):
        with pytest.raises(NotSupported, match="plain clusters"):
            ask(system)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"environment": "breakdown"}, "environment: unknown environment 'breakdown'; did you mean 'breakdowns'"),
        ({"environment": {"name": "breakdowns", "rate": 1}}, "environment 'breakdowns' has no repair; add repair ="),
        ({"environment": EXAMPLES["breakdowns"] | {"rate": -1}}, "environment: rate = -1 must be at least 0"),
        ({"environment": EXAMPLES["breakdowns"] | {"repair": ERLANG}}, "one by one have exponential repairs"),
        ({"environment": EXAMPLES["breakdowns"] | {"together": True}}, "repairers = 1 and together = true"),
        ({"environment": EXAMPLES["breakdowns"] | {"group": "old"}}, "environment: group 'old' does not exist"),
        (
            {"environment": [EXAMPLES["maintenance"] | {"servers": 9}] * 2},
            r"environment\[0\]: servers = 9 is more than",
        ),
        ({"environment": EXAMPLES["priority-work"] | {"need": 3}}, "need x most = 6 is more than the 4 servers"),
        ({"environment": EXAMPLES["priority-work"] | {"duration": ERLANG}}, "work of higher priority is exponential"),
        ({"environment": EXAMPLES["modulated"] | {"generator": [[-1, 1], [0, 0]]}}, "row 1 of generator"),
        ({"environment": EXAMPLES["modulated"] | {"speed": [1]}}, "speed has 1 entries and generator 2 states"),
        ({"environment": EXAMPLES["modulated"] | {"servers": [1, 1]}}, "find no room even in the empty cluster"),
        ({"model": [GROUPS, GROUPS]}, "model: model 'server-groups' is named twice"),
        ({"model": [GROUPS, "red-and-blue"]}, "model 'red-and-blue' stands alone"),
        ({"model": "red-and-blue", "environment": EXAMPLES["breakdowns"]}, "model 'red-and-blue' stands alone"),
        ({"model": [GROUPS, "set-up"]}, r"model\[1\]: model 'set-up' has no set_up_rate"),
        ({"model": {"name": "server-groups", "groups": {"a": {"server": 4}}}}, "unknown key 'server'; did you mean"),
        ({"model": {"name": "set-up", "set_up_rate": 1, "set_up": ONE}}, "set_up_rate and set_up are both given"),
        ({"model": {"name": "preemption-cost"}}, "model 'preemption-cost' has no overhead_rate"),
    ],
)
def test_bad_parts_get_a_sentence(more, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        from_document(document(**more))


@pytest.mark.parametrize(
    ("keys", "model", "sentence"),
    [
        ({"at_most": 1}, None, r"classes\[0\]: class 'a' needs 2 servers at once and at_most = 1; raise at_most"),
        ({"at_most": 0}, None, "at_most = 0 must be at least 1"),
        ({"span": 1}, GROUPS, "span = 1 must be true or false"),
        ({"need": 3}, GROUPS, "needs 3 servers of one group and no group has as many"),
        ({"resources": {"gpus": 1}}, GROUPS, "resource 'gpus' does not exist"),
        (
            {"then": [{"need": 1, "duration": ONE, "after": ["b"]}]},
            "stages",
            r"then\[0\]: after names stage 'b', which",
        ),
        (
            {"then": [{"name": "start", "need": 1, "duration": ONE}]},
            "stages",
            "name = 'start' is taken by a stage before",
        ),
        ({"then": [{"need": [1, 2], "duration": ONE}]}, "stages", "need has 2 entries and its duration"),
        ({"then": [{"need": 3, "duration": ONE, "after": []}]}, "stages", "2 segments of class 'a' start together"),
        (
            {"then": [{"need": [1, 2], "duration": ERLANG}]},
            ["fork-join", "stages"],
            r"then\[0\]: need = \[1, 2\] is one",
        ),
        ({"preemptible": 0}, {"name": "preemption-cost", "overhead_rate": 1}, "preemptible = 0 must be true or false"),
    ],
)
def test_bad_keys_of_classes_get_a_sentence(keys, model, sentence):
    classes = [{**document()["classes"][0], **keys}]
    with pytest.raises(InvalidInput, match=sentence):
        from_document(document(classes=classes) | ({} if model is None else {"model": model}))


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"environment": EXAMPLES["breakdowns"], "policy": "first-fit"}, "or another that stops jobs"),
        (
            {"environment": EXAMPLES["breakdowns"], "policy": "server-filling"},
            "takes some of the servers, which goes with",
        ),
        ({"model": GROUPS, "policy": "server-filling"}, "goes with policy 'fcfs', not 'server-filling'"),
        ({"model": [GROUPS, {"name": "preemption-cost", "overhead_rate": 1}]}, "only by an environment; add one"),
        ({"model": {"name": "preemption-cost", "overhead_rate": 1}}, "'fcfs' stops none unless an environment takes"),
        (
            {"environment": EXAMPLES["maintenance"] | {"lasts": {"law": "deterministic", "value": 1}}},
            "the environment has",
        ),
        ({"model": {"name": "set-up", "set_up": {"law": "deterministic", "value": 1}}}, "set_up has deterministic"),
    ],
)
def test_what_does_not_go_together_is_refused_in_words(more, sentence):
    with pytest.raises(NotSupported, match=sentence):
        front_of(from_document(document(**more)))


def test_without_its_parts_a_cluster_is_plain_again():
    system = from_document(document(environment=EXAMPLES["breakdowns"]))
    assert system.model is not None
    assert system.replace(environment=None) == from_document(document())
    both = from_document(document(model=[GROUPS, {"name": "set-up", "set_up_rate": 1}]))
    assert both.replace(model=[GROUPS]).model == from_document(document(model=GROUPS)).model


def test_the_naive_threshold_knows_speeds_and_servers_that_are_taken():
    fast = {"name": "server-groups", "groups": {"old": 2, "new": {"servers": 2, "speed": 3}}}
    assert from_document(document(model=fast)).naive_threshold == pytest.approx((2 + 6) / 2)
    half = EXAMPLES["modulated"] | {"servers": [4, 4]}  # a third of the time at speed 1/2
    assert from_document(document(environment=half)).naive_threshold == pytest.approx(4 * (2 / 3 + 1 / 6) / 2)


def test_too_large_is_said_before_anything_is_listed():
    classes = [{"name": c, "need": n, "share": "1/2", "duration": ERLANG} for c, n in (("a", 1), ("b", 3))]
    system = from_document(document(servers=30, classes=classes, environment=EXAMPLES["breakdowns"]))
    assert ANALYSES.get("finite-skip-chain")().how_long(system).startswith("no: too large, about ")


def test_sizes_and_times_are_told_before_anything_is_listed(monkeypatch):
    monkeypatch.setattr("msj.analysis.finite_skip_chain.saturated_fronts", None)  # whoever listed them would fail
    system = from_document({**COMBINATIONS["transfer for one class, groups, maintenance"], "load": 0.5})
    told = {name: ANALYSES.get(name)().how_long(system) for name in ("finite-skip-chain", "finite-skip-response")}
    assert told == {
        "finite-skip-chain": "yes, about 1,251 fronts, about a second",
        "finite-skip-response": "yes, levels of about 1,251 fronts, about 8 seconds",
    }
