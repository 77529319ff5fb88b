"""Random models put together from parts, with laws that a twin can draw from once more."""

import numpy as np
from one_by_one import streams

from msj import PhaseType
from msj.engines.cluster import Cluster
from msj.workloads import JobBlock

SEED = 7


class Repeatable:
    """Uniform around a mean, or exponential; whoever makes it again from the same numbers draws the same values."""

    def __init__(self, seed, mean, exponential=True):
        self.made_from = seed, mean, exponential
        self.rng, self.mean, self.exponential = np.random.default_rng(seed), mean, exponential

    def sample(self, rng, size):
        del rng
        low, high = 0.5 * self.mean, 1.5 * self.mean
        return self.rng.exponential(self.mean, size) if self.exponential else self.rng.uniform(low, high, size)

    def one(self):
        return float(self.sample(None, 1)[0])


def again(values):
    """The same model with laws that begin anew."""
    if isinstance(values, Repeatable):
        return Repeatable(*values.made_from)
    if isinstance(values, dict):
        return {key: again(value) for key, value in values.items()}
    return type(values)(again(value) for value in values) if isinstance(values, (list, tuple)) else values


def plain_class(need, **more):
    """A class of jobs of one segment."""
    segment = {"need": need, "resources": {}, "law": Repeatable(99, 1.0), "after": []}
    return {
        "segments": [segment],
        "groups": [0],
        "span": False,
        "at_most": None,
        "preemptible": True,
        "pays": True,
    } | more


class Draw:
    """Random choices for one case."""

    def __init__(self, seed):
        self.rng, self.laws = np.random.default_rng(seed), 0

    def chance(self, p):
        return self.rng.random() < p

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def law(self, mean):
        self.laws += 1
        return Repeatable(1000 + self.laws, mean, exponential=self.chance(0.6))


def random_values(seed, *, parts=("groups", "segments", "resources", "caps", "environment", "set_up", "overhead")):
    """Plain values of a model with some of the parts, on which every unit fits while nothing is taken."""
    draw = Draw(seed)
    has = {part: part in parts and draw.chance(0.6) for part in parts}
    count = draw.whole(2, 3) if has.get("groups") else 1
    capacity = {"disk": 7} if has.get("resources") else {}
    groups = [
        (6 if has.get("segments") else draw.whole(3, 5), [1.0, 1.5, 0.5][g] if count > 1 else 1.0,
         {"gpus": 2} if has.get("resources") and draw.chance(0.5) else {})
        for g in range(count)
    ]  # fmt: skip
    values = {"groups": groups, "capacity": capacity}
    values["classes"] = [_class(draw, has, groups, capacity) for _ in range(draw.whole(1, 3))]
    if has.get("environment"):
        values["environment"] = [_component(draw, groups) for _ in range(draw.whole(1, 2))]
    if has.get("set_up"):
        delay = draw.law(0.5) if draw.chance(0.5) else None
        values["set_up"] = {"law": draw.law(1.0), "staggered": draw.chance(0.4), "delay": delay}
    if has.get("overhead"):
        values["overhead"] = {"snapshot": None, "transfer": draw.law(0.3)}
    return values


def _class(draw, has, groups, capacity):
    order = [int(g) for g in draw.rng.permutation(len(groups))][: draw.whole(1, len(groups))]
    span = len(order) > 1 and draw.chance(0.4)
    count = draw.whole(1, 5) if has.get("segments") else 1
    segments = [_segment(draw, groups, capacity, order, span) for _ in range(count)]
    for i, segment in enumerate(segments):
        # A chain of two may need much; of more segments any may be ready together, and must fit together.
        segment["after"] = [j for j in range(i) if count == 2 or draw.chance(0.5)]
        segment["need"] = draw.whole(1, 3) if count < 3 else 1
        if count > 1 and draw.chance(0.3):
            law = PhaseType(initial=["1/2", "1/2"], generator=[[-3, 1], [2, -4]])
            segment |= {"need": [draw.whole(1, 3), draw.whole(1, 3)] if count < 3 else [1, 1], "law": law}
        if count > 2:
            segment["resources"].pop("gpus", None)
            if draw.chance(0.5):  # what follows the first, several segments at once, takes over its place
                segments[0] |= {"need": 3, "law": Repeatable(5, 0.5), "resources": dict.fromkeys(capacity, 3)}
                segment["after"] = sorted({0, *segment["after"]} - {i})
    most = 6 if has.get("caps") and draw.chance(0.5) else None
    return {"segments": segments, "groups": order, "span": span, "at_most": most, "preemptible": True,
            "pays": draw.chance(0.7)}  # fmt: skip


def _segment(draw, groups, capacity, order, span):
    resources = {}
    if capacity and draw.chance(0.4):
        resources["disk"] = 1
    if not span and draw.chance(0.4) and all("gpus" in groups[g][2] for g in order):
        resources["gpus"] = 1
    return {"resources": resources, "law": draw.law(0.5)}


def _component(draw, groups):
    kind = draw.whole(0, 2)
    if kind == 0:  # one by one
        g, most = draw.whole(0, len(groups) - 1), 2
        taken = [[n if other == g else 0 for other in range(len(groups))] for n in range(most + 1)]
        jump = [[0, 1, 0], [0.6, 0, 0.4], [0, 1, 0]]
        return {"sojourn": [draw.law(mean) for mean in (3.0, 1.0, 0.6)], "jump": jump, "taken": taken,
                "speed": [1.0, 1.0, 1.0], "hits": "any"}  # fmt: skip
    if kind == 1:  # all at once, or many
        taken = [[0] * len(groups), [draw.whole(1, servers) for servers, _, _ in groups]]
        return {"sojourn": [draw.law(6.0), draw.law(1.0)], "jump": [[0, 1], [1, 0]], "taken": taken,
                "speed": [1.0, 1.0], "hits": "idle first"}  # fmt: skip
    first = draw.whole(0, 1)
    taken = [[first] * len(groups), [0] * len(groups), [1] * len(groups)]
    return {"sojourn": [draw.law(2.0) for _ in range(3)], "jump": [[0, 0.5, 0.5], [0.5, 0, 0.5], [1, 0, 0]],
            "taken": taken, "speed": [1.0, 0.5, 0.0], "hits": "idle first"}  # fmt: skip


def jobs_for(values, seed, count=120, gap=0.9):
    """So many jobs of the classes."""
    rng = np.random.default_rng(seed)
    job_class = rng.integers(0, len(values["classes"]), count)
    need = np.array([_first_need(values["classes"][c]) for c in job_class], dtype=np.int64)
    return JobBlock(
        arrival=np.cumsum(rng.exponential(gap, count)), job_class=job_class, need=need,
        duration=rng.exponential(0.7, count),
    )  # fmt: skip


def _first_need(own):
    need = own["segments"][0]["need"]
    return need[0] if isinstance(need, list) else need


def on(values):
    """What an engine is told of the cluster."""
    servers = sum(count for count, _, _ in values["groups"])
    return Cluster(servers=servers, needs=np.arange(1, servers + 1), streams=streams(SEED))


def common_numbers():
    """The uniform and exponential numbers that the engine takes for jumps and phases, one by one."""
    uniform, exponential = streams(SEED).generator("tasks").spawn(2)
    return uniform.random, exponential.standard_exponential
