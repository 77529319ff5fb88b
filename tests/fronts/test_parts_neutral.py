"""Every part with its neutral value gives the plain cluster, and what is known in closed form comes out."""

import pytest

import msj
from msj import mmsr
from msj.model.spec_file import from_document

SHORT, LONG = {"law": "exponential", "mean": 1}, {"law": "erlang", "stages": 2, "mean": 2}
NEVER = {"law": "exponential", "mean": 1e14}
AT_ONCE = {"law": "exponential", "mean": 1e-14}
SAME = {"name": "modulated", "generator": [[-1, 1], [2, -2]], "speed": [1, 1], "servers": [4, 4]}


def document(*extras, **more):
    a, b = extras or ({}, {})
    return {
        "servers": 4,
        "arrival_rate": 0.4,
        "classes": [
            {"name": "a", "share": "1/2", "need": 1, "duration": SHORT} | a,
            {"name": "b", "share": "1/2", "need": 3, "duration": LONG} | b,
        ],
    } | more


PLAIN = document()
STAGES = {"then": [{"need": 2, "duration": SHORT}]}

#: A part that changes nothing, and the file without it.
NEUTRAL = {
    "one group of speed 1": (
        document(model={"name": "server-groups", "groups": {"all": {"servers": 4, "speed": 1}}}), PLAIN
    ),
    "two groups that all span": (
        document({"span": True}, {"span": True}, model={"name": "server-groups", "groups": {"x": 1, "y": 3}}),
        PLAIN,
    ),
    "resources for all": (
        document({"resources": {"gpus": 1}}, {"resources": {"gpus": 3}},
                 model={"name": "several-resources", "capacity": {"gpus": 4}}),
        PLAIN,
    ),
    "resources of the group": (
        document({"resources": {"gpus": 1}}, {},
                 model={"name": "server-groups", "groups": {"x": {"servers": 4, "resources": {"gpus": 4}}}}),
        PLAIN,
    ),
    "a cap of all servers": (document({"at_most": 4}, {"at_most": 4}), PLAIN),
    "one stage": (document(model="stages"), PLAIN),
    "stages after nobody else": (
        document({"then": [{"need": 2, "duration": SHORT, "after": ["start"]}]}, {}, model="stages"),
        document(STAGES, {}, model="stages"),
    ),
    "the same need in every phase": (
        document({"then": [{"need": [2, 2], "duration": LONG}]}, {}, model="stages"),
        document({"then": [{"need": 2, "duration": LONG}]}, {}, model="stages"),
    ),
    "tasks of one": (document({}, {"need": 1}, model="fork-join"), document({}, {"need": 1})),
    "set-up in no time": (document(model={"name": "set-up", "set_up": AT_ONCE}), PLAIN),
    "servers that never go off": (document(model={"name": "set-up", "set_up": AT_ONCE, "delay": NEVER}), PLAIN),
    "no breakdowns": (document(environment={"name": "breakdowns", "rate": 0, "repair": SHORT}), PLAIN),
    "repaired in no time": (
        document(environment={"name": "breakdowns", "rate": 1e-14, "repair": AT_ONCE, "together": True}), PLAIN
    ),
    "maintenance of no server": (
        document(environment={"name": "maintenance", "every": LONG, "lasts": SHORT, "servers": 0}), PLAIN
    ),
    "no work above": (
        document(environment={"name": "priority-work", "arrival_rate": 0, "duration": SHORT, "need": 1, "most": 2}),
        PLAIN,
    ),
    "always the same servers and speed": (document(environment=SAME), PLAIN),
    "a transfer in no time": (
        document(model={"name": "preemption-cost", "transfer": AT_ONCE},
                 environment={"name": "breakdowns", "rate": 0.1, "repair": SHORT}),
        document(environment={"name": "breakdowns", "rate": 0.1, "repair": SHORT}),
    ),
}  # fmt: skip


def same(one, other, rel=1e-10):
    one, other = (msj.analyse(from_document(spec), percentiles=False) for spec in (one, other))
    for name in ("stability_threshold", "mean_response_time", "relative_completions_at_departure"):
        assert one[name] == pytest.approx(other[name], rel=rel), name
    for name in ("a", "b"):
        assert one["mean_response_time", name] == pytest.approx(other["mean_response_time", name], rel=rel)


@pytest.mark.parametrize("name", NEUTRAL)
def test_a_part_that_changes_nothing(name):
    same(*NEUTRAL[name])


@pytest.mark.parametrize("policy", ["server-filling", {"name": "first-fit", "window": 2, "preemptive": True}])
@pytest.mark.parametrize(
    "model",
    [
        {"name": "preemption-cost", "snapshot": AT_ONCE, "transfer": AT_ONCE},
        {"name": "preemption-cost", "transfer": AT_ONCE},
    ],
)
def test_preemption_that_costs_nothing(policy, model):
    free = document({}, {"need": 2}, policy=policy)
    same(free | {"model": model}, free)
    all_free = document({"overhead": False}, {"need": 2, "overhead": False}, policy=policy)
    same(all_free | {"model": {"name": "preemption-cost", "overhead_rate": 1}}, free)
    same(free | {"environment": SAME}, free)


def test_nobody_preemptible_is_not_preemptive():
    never = {"preemptible": False}
    model = {"name": "preemption-cost", "overhead_rate": 1}
    one = document(
        never, never | {"need": 2}, policy={"name": "first-fit", "window": 1, "preemptive": True}, model=model
    )
    same(one, document({}, {"need": 2}))


def test_fork_join_is_roots_side_by_side():
    roots = {"need": 1, "then": [{"need": 1, "duration": SHORT, "after": []}]}
    longer = {"need": 1, "then": [{"need": 1, "duration": LONG, "after": []}]}
    same(document(roots, longer, model="stages"), document({"need": 2}, {"need": 2}, model="fork-join"))


@pytest.mark.parametrize("load", [0.5, 0.9])
def test_a_modulated_server_is_an_mmsr_queue(load):
    generator, speed = [[-0.3, 0.2, 0.1], [0.5, -0.5, 0], [0, 1, -1]], [2, 0.5, 0]
    file = {
        "servers": 1,
        "load": load,
        "environment": {"name": "modulated", "generator": generator, "speed": speed},
        "classes": [{"name": "all", "share": 1, "need": 1, "duration": SHORT}],
    }
    found = msj.analyse(from_document(file))
    rates = [[value - (i == j) * speed[i] for j, value in enumerate(row)] for i, row in enumerate(generator)]
    service = mmsr.from_matrices(rates, [[(i == j) * speed[i] for j in range(3)] for i in range(3)])
    expected = mmsr.analyse(service, load=load)
    for name in ("stability_threshold", "relative_completions_at_departure", "mean_response_time"):
        assert found[name] == pytest.approx(expected[name], rel=1e-10), name


def test_a_pool_that_breaks_down_is_an_mmsr_queue_of_its_servers():
    # With jobs of need 1 a saturated pool serves at the rate of the servers that are up.
    pool = mmsr.breakdowns(servers=3, rate=1.0, failure_rate=0.01, repair_rate=0.2)
    file = {
        "servers": 3,
        "environment": {"name": "breakdowns", "rate": 0.01, "repair": {"law": "exponential", "rate": 0.2}},
        "classes": [{"name": "all", "share": 1, "need": 1, "duration": SHORT}],
    }
    found = msj.analyse(from_document(file))
    assert found["stability_threshold"] == pytest.approx(mmsr.analyse(pool)["stability_threshold"], rel=1e-12)


def test_speeds_of_groups_are_those_of_shorter_durations():
    fast = {"name": "server-groups", "groups": {"x": {"servers": 4, "speed": 2}}}
    half = [{"duration": {"law": "exponential", "mean": 0.5}}, {"duration": {"law": "erlang", "stages": 2, "mean": 1}}]
    same(document(model=fast), document(*half))
