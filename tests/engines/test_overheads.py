"""Overheads of preemption under policies with a front: job by job against a twin that was written from the rules."""

from types import SimpleNamespace

import naive_overheads
import numpy as np
import pytest
from cases import label
from one_by_one import assert_same, in_blocks
from parts_cases import Draw, again, common_numbers, jobs_for, on, plain_class

from msj.decision_functions import decision_arguments
from msj.decision_functions.compiled import NEEDS, RUNNING, compile_decision
from msj.engines.parts import PartsEngine
from msj.engines.parts_policy import LOADING, WAITING, _show
from msj.registry import POLICIES

RULES = [
    POLICIES.get(name).from_options(options)
    for name, options in [
        ("server-filling", {}),
        ("divisor-filling", {}),
        ("first-fit", {"preemptive": True}),
        ("first-fit", {"preemptive": True, "window": 3}),
        ("best-packing", {"preemptive": True, "window": 4}),
    ]
]


def random_case(seed):
    draw = Draw(seed)
    classes = [
        plain_class(need, preemptible=draw.chance(0.7), pays=draw.chance(0.7)) for need in (1, 2, 4) if draw.chance(0.8)
    ] or [plain_class(2)]
    values = {"groups": [(4, 1.0, {})], "capacity": {}, "classes": classes}
    laws = {part: draw.law(0.3) if draw.chance(0.7) else None for part in ("snapshot", "transfer")}
    values["overhead"] = laws if any(laws.values()) else None
    if draw.chance(0.5):
        values["environment"] = [
            {"sojourn": [draw.law(5.0), draw.law(0.5)], "jump": [[0, 1], [1, 0]], "taken": [[0], [4]],
             "speed": [1.0, 1.0], "hits": "idle first"},
            {"sojourn": [draw.law(2.0), draw.law(1.0), draw.law(0.5)], "jump": [[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]],
             "taken": [[0], [0], [0]], "speed": [1.0, 0.5, 0.0], "hits": "idle first"},
        ]  # fmt: skip
    return values


class Fickle:
    """A rule that turns round when a job that may not be stopped takes an odd number of servers."""

    name, preemptive = "fickle", True

    def front_on(self, servers):
        del servers

    def compiled(self, form):
        return compile_decision(self.serve, decision_arguments(self.serve, self.name), form, "")

    @staticmethod
    def serve(needs, running, remaining, servers, chosen):
        free = servers
        for i in range(len(needs)):
            j = i if servers % 2 == 0 else len(needs) - 1 - i
            if needs[j] <= free:
                chosen[j] = True
                free -= needs[j]


@pytest.mark.parametrize("seed", range(12))
def test_a_job_that_started_in_vain_goes_back(seed):
    compare(Fickle(), random_case(seed), seed)


@pytest.mark.parametrize("rule", RULES, ids=label)
@pytest.mark.parametrize("seed", range(12))
def test_overheads_job_by_job(rule, seed):
    compare(rule, random_case(seed), seed)


def compare(rule, values, seed):
    block = jobs_for(values, seed, gap=0.7)
    twin = naive_overheads.Cluster(again(values), rule.serve, common_numbers()[0])
    jobs = twin.run(block)
    engine = PartsEngine(on(values), **again(values), rule=rule)
    done = in_blocks(engine, block)
    assert_same(done, [job.start for job in jobs], [job.finish for job in jobs])
    assert np.array_equal(done.preemptions, [job.stops for job in jobs])
    assert engine.farm.whole[0]["serving"] == 0  # all have left: else each look at the front goes on to the last job
    assert engine.wasted_area == pytest.approx(twin.wasted, rel=1e-9, abs=1e-9)
    for state, area in twin.areas.items():
        assert engine.areas.get(f"{state}_servers", 0.0) == pytest.approx(area, rel=1e-9, abs=1e-9), state


def test_jobs_in_service_are_shown_however_many_wait_before_them():
    """A front of one: of two that wait the first is shown, and behind them the one that is loading."""
    doing = [WAITING, WAITING, LOADING, WAITING]
    jobs = [
        SimpleNamespace(
            doing=what,
            job_class=0,
            need=i + 1,
            remaining=0.5 * i,
            duration=1.0,
            arrival=0.0,
            next=i + 1 if i < 3 else -1,
        )
        for i, what in enumerate(doing)
    ]
    model = SimpleNamespace(front=1, classes=[SimpleNamespace(preemptible=True)])
    servers = SimpleNamespace(groups=[SimpleNamespace(up=5)], whole=[SimpleNamespace(serving=1)])
    shown = SimpleNamespace(slots=np.zeros(4), whole=np.zeros((2, 4)), flags=np.zeros((2, 4)), reals=np.zeros((4, 4)))
    present = SimpleNamespace(jobs=jobs, state=[SimpleNamespace(first=0, now=0.0)])
    assert _show.py_func(model, present, servers, shown) == (2, 5)
    assert shown.slots[:2].tolist() == [0, 2]
    assert (shown.whole[NEEDS, :2].tolist(), shown.flags[RUNNING, :2].tolist()) == ([1, 3], [0, 1])
    model.classes[0].preemptible = False
    assert _show.py_func(model, present, servers, shown) == (1, 2)  # it stays, so only two servers are left
