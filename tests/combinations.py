"""Twenty spec documents in which models, environments and caps meet; loads are shares of the threshold."""

SHORT, LONG = {"law": "exponential", "mean": 1}, {"law": "erlang", "stages": 2, "mean": 2}
QUICK, WILD = (
    {"law": "exponential", "mean": 0.5},
    {"law": "hyperexponential", "probabilities": [0.8, 0.2], "rates": [2, 0.4]},
)

GROUPS = {"name": "server-groups", "groups": {"old": 2, "new": {"servers": 2, "speed": 1.5}}}
GPUS = {"name": "server-groups", "groups": {"old": 2, "new": {"servers": 2, "speed": 2, "resources": {"gpus": 1}}}}
MEMORY = {"name": "several-resources", "capacity": {"memory": 3}}
SET_UP = {
    "name": "set-up",
    "set_up_rate": 1,
    "power": {"busy": 3, "idle": 2, "set_up": 3},
    "cost": {"off": 1, "busy": 2},
}
ERLANG = {"name": "set-up", "set_up": {"law": "erlang", "stages": 2, "mean": 1}, "delay": SHORT}
STAGGERED = {"name": "set-up", "set_up": SHORT, "staggered": True, "delay": LONG, "power": {"broken": 1, "busy": 2}}
TRANSFER = {"name": "preemption-cost", "transfer": {"law": "erlang", "stages": 2, "mean": 0.5}}
BOTH = {"name": "preemption-cost", "snapshot": QUICK, "transfer": QUICK}

BREAKDOWNS = {"name": "breakdowns", "rate": 0.05, "repair": SHORT}
TOGETHER = {"name": "breakdowns", "rate": 0.1, "repair": LONG, "together": True}
WINDOWS = {"name": "maintenance", "every": {"law": "erlang", "stages": 2, "mean": 8}, "lasts": SHORT, "servers": 2}
ABOVE = {"name": "priority-work", "arrival_rate": 0.2, "duration": SHORT, "need": 1, "most": 2}
MODULATED = {"name": "modulated", "generator": [[-0.5, 0.5], [1, -1]], "speed": [1, 0.5], "servers": [4, 3]}
SPEEDS = {"name": "modulated", "generator": [[-0.5, 0.5], [1, -1]], "speed": [1, 0.25]}

GRAPH = {
    "then": [
        {"name": "left", "need": 1, "duration": QUICK},
        {"name": "right", "need": 2, "duration": SHORT, "after": ["start"]},
        {"need": 1, "duration": QUICK, "after": ["left", "right"]},
    ]
}
GROWING = {
    "then": [{"need": 3, "duration": SHORT}, {"need": [2, 1], "duration": {"law": "erlang", "stages": 2, "mean": 1}}]
}


def two(first=None, second=None, **more):
    return {
        "servers": 4,
        "classes": [
            {"name": "a", "share": "2/3", "need": 1, "duration": SHORT} | (first or {}),
            {"name": "b", "share": "1/3", "need": 2, "duration": LONG} | (second or {}),
        ],
    } | more


COMBINATIONS = {
    "a cap": two({"at_most": 2}),
    "groups with speeds, spanning": two({"groups": ["new", "old"]}, {"span": True}, model=GROUPS),
    "groups, set-up": two({"groups": ["new", "old"]}, {}, model=[GROUPS, SET_UP]),
    "groups with gpus, memory, a cap": two(
        {"resources": {"gpus": 1, "memory": 1}}, {"resources": {"memory": 2}, "at_most": 2}, model=[GPUS, MEMORY]
    ),
    "a graph": two(GRAPH, {}, model="stages"),
    "a graph, Erlang set-up, delay": two(GRAPH, {"duration": SHORT}, model=["stages", ERLANG]),
    "stages with a need per phase, breakdowns": two(GROWING, {}, model="stages", environment=BREAKDOWNS),
    "forked stages, memory": two(
        {"need": 2, "then": [{"need": 3, "duration": QUICK}], "resources": {"memory": 1}},
        {},
        model=["fork-join", "stages", MEMORY],
    ),
    "fork-join, groups": two({"need": 3}, {}, model=["fork-join", GROUPS]),
    "staggered set-up, delay, breakdowns": two({}, {"duration": SHORT}, model=STAGGERED, environment=BREAKDOWNS),
    "plain, breakdowns one by one, one repairer": two(environment=BREAKDOWNS | {"repairers": 1}),
    "plain, breakdowns together": two({"duration": WILD}, {}, environment=TOGETHER),
    "plain, maintenance and work above": two(environment=[WINDOWS, ABOVE]),
    "plain, modulated": two(environment=MODULATED),
    "transfer, breakdowns": two(environment=BREAKDOWNS, model=TRANSFER),
    "transfer for one class, groups, maintenance": two(
        {"overhead": False}, {}, model=[TRANSFER, GROUPS], environment=WINDOWS | {"group": "new"}
    ),
    "fork-join, set-up, work above": two(
        {"need": 2}, {"duration": SHORT}, model=["fork-join", SET_UP], environment=ABOVE
    ),
    "server-filling, snapshot and transfer": two({}, {"need": 4}, policy="server-filling", model=BOTH),
    "server-filling, not preemptible, together, speeds": two(
        {"preemptible": False}, {"need": 4, "duration": SHORT}, policy="server-filling", model=TRANSFER,
        environment=[TOGETHER, SPEEDS],
    ),
    "preemptive first-fit, transfer, a free class": two(
        {"overhead": False}, {"need": 3, "duration": SHORT}, model={"name": "preemption-cost", "overhead_rate": 2},
        policy={"name": "first-fit", "window": 2, "preemptive": True},
    ),
}  # fmt: skip
