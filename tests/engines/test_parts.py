"""Models that combine: job by job against a twin written from the rules, against other engines and formulas."""

import pickle

import naive_parts
import numpy as np
import pytest
from one_by_one import assert_same, in_blocks, streams
from parts_cases import again, common_numbers, jobs_for, on, plain_class, random_values

from msj import Deterministic, Erlang, Exponential, JobClass, System
from msj.engines.fcfs import FcfsEngine
from msj.engines.parts import PartsEngine
from msj.engines.parts_state import STATES
from msj.workloads import SystemJobs

ONE = Exponential(mean=1)


def compared(values, block):
    """Serve the same jobs by the twin and by the engine."""
    twin = naive_parts.Cluster(again(values), *common_numbers())
    start, finish = twin.run(block.arrival, block.job_class.tolist(), block.duration)
    engine = PartsEngine(on(values), **again(values))
    done = in_blocks(engine, block)
    assert_same(done, start, finish)
    assert np.array_equal(done.preemptions, [twin.hits.get(i, 0) for i in range(len(start))])
    return engine, twin


@pytest.mark.parametrize("seed", range(60))
def test_all_parts_at_random_job_by_job(seed):
    values = random_values(seed)
    engine, twin = compared(values, jobs_for(values, seed))
    assert engine.wasted_area == pytest.approx(twin.wasted, rel=1e-9, abs=1e-9)
    for state, area in twin.areas.items():
        assert engine.areas.get(f"{state}_servers", 0.0) == pytest.approx(area, rel=1e-9, abs=1e-9), state


NEUTRAL = {
    "nothing": {},
    "a cap and resources nobody reaches": {
        "classes": [plain_class(need, at_most=4) for need in (1, 2, 4)], "capacity": {"disk": 9},
    },
    "one spanning group": {"classes": [plain_class(need, span=True) for need in (1, 2, 4)]},
    "an environment that takes nothing": {
        "environment": [{"sojourn": [Exponential(mean=1)] * 2, "jump": [[0, 1], [1, 0]], "taken": [[0], [0]],
                         "speed": [1.0, 1.0], "hits": "any"}],
    },
    "set-up at once": {"set_up": {"law": Deterministic(value=1e-90), "staggered": False, "delay": None}},
    "overheads that nobody pays": {"overhead": {"snapshot": None, "transfer": Exponential(mean=1)}},
}  # fmt: skip


@pytest.mark.parametrize("part", NEUTRAL)
def test_a_part_with_its_neutral_value_changes_nothing(part):
    """The very same starts and finishes as first come first served."""
    values = {"groups": [(4, 1.0, {})], "capacity": {}, "classes": [plain_class(need) for need in (1, 2, 4)]}
    block = jobs_for(values, 3, count=2000, gap=1.6)
    plain = in_blocks(FcfsEngine(on(values)), block)
    engine = PartsEngine(on(values), **again(values | NEUTRAL[part]))
    found = in_blocks(engine, block)
    for column in ("start", "finish", "duration", "job_class", "need"):
        assert np.array_equal(getattr(found, column), getattr(plain, column)), column
    assert np.count_nonzero(found.start > found.arrival) > 300


def test_a_copy_goes_on_as_the_engine_would_have():
    values = random_values(8) | {"set_up": {"law": Erlang(stages=2, mean=1), "staggered": True, "delay": None}}
    block = jobs_for(values, 1, count=300)
    one, other = (PartsEngine(on(values), **again(values)) for _ in range(2))
    first = one.advance(block).finish.copy()
    second = other.advance(block).finish.copy()
    assert np.array_equal(first, second)
    other = pickle.loads(pickle.dumps(other))
    assert np.array_equal(one.drain().finish, other.drain().finish)
    assert one.areas == other.areas


def simulated(values, laws, rate, pieces=40, jobs=5000):
    """Return means over pieces of the response times and of what the engine declares."""
    servers = sum(count for count, _, _ in values["groups"])
    shares = [f"1/{len(laws)}"] * len(laws)
    needs = [own["segments"][0]["need"] for own in values["classes"]]
    classes = [
        JobClass(name=str(i), need=need, share=share, duration=law)
        for i, (need, share, law) in enumerate(zip(needs, shares, laws, strict=True))
    ]
    source = SystemJobs(System(servers=servers, classes=classes), arrival_rate=rate, streams=streams(9))
    engine = PartsEngine(on(values), **values)
    engine.advance(source.take(jobs))
    rows = []
    for _ in range(pieces):
        before, clock = engine.areas, engine.clock
        done = engine.advance(source.take(jobs))
        stay = (done.finish - done.arrival).mean()
        rows.append([stay, *((engine.areas[k] - before[k]) / (engine.clock - clock) for k in before)])
    found = np.array(rows)
    errors = found.std(axis=0, ddof=1) / np.sqrt(pieces)
    names = ("response", *engine.areas)
    return dict(zip(names, zip(found.mean(axis=0), errors, strict=True), strict=True))


@pytest.mark.parametrize(
    ("set_up", "state"), [(None, "idle"), ({"law": ONE, "staggered": False, "delay": None}, "off")]
)
def test_servers_may_be_out_of_order_to_begin_with(set_up, state):
    """Five of six servers, and all three of the other group, until the first change: one is left, or is off."""
    breaks = {"sojourn": [ONE, ONE], "jump": [[0, 1], [1, 0]], "taken": [[5, 3], [0, 0]], "speed": [0.5, 1.0],
              "hits": "any"}  # fmt: skip
    values = {"groups": [(6, 1.0, {}), (3, 1.0, {})], "capacity": {}, "classes": [plain_class(1) | {"groups": [0, 1]}],
              "environment": [breaks]} | ({} if set_up is None else {"set_up": set_up})  # fmt: skip
    engine = PartsEngine(on(values), **values)
    assert engine.farm.groups["up"].tolist() == [1, 0]
    counts = dict(zip(STATES, engine.farm.counts.tolist(), strict=False))
    assert (counts["broken"], counts[state], engine.farm.whole[0]["speed"]) == (8, 1, 0.5)


def test_one_server_with_any_set_up_law():
    """Welch 1964: E[W] of M/G/1 and (2 E[D] + lambda E[D²]) / (2 (1 + lambda E[D])); z below 4."""
    rate, law, set_up = 0.6, Erlang(stages=2, mean=1), Erlang(stages=3, mean=2)
    values = {"groups": [(1, 1.0, {})], "capacity": {}, "classes": [plain_class(1)],
              "set_up": {"law": set_up, "staggered": False, "delay": None}}  # fmt: skip
    found = simulated(values, [law], rate)
    mean, second = float(set_up.mean), set_up.second_moment
    waits = rate * law.second_moment / (2 * (1 - rate)) + (2 * mean + rate * second) / (2 * (1 + rate * mean))
    value, error = found["response"]
    assert abs(value - waits - 1) < 4 * error < 0.2
    value, error = found["set_up_servers"]  # a cycle is idle, set-up and busy: 1/lambda + E[D] is its share 1 - rho
    assert abs(value - (1 - rate) * mean / (mean + 1 / rate)) < 4 * error < 0.05


def test_two_servers_that_break_one_by_one():
    """N and the servers that are up are a chain: solved here up to 150 jobs; z below 4."""
    rate, breaks, repair, most = 0.9, 0.2, 0.6, 150
    sojourn = [Exponential(rate=2 * breaks), Exponential(rate=breaks + repair), Exponential(rate=2 * repair)]
    share = breaks / (breaks + repair)
    component = {"sojourn": sojourn, "jump": [[0, 1, 0], [1 - share, 0, share], [0, 1, 0]], "taken": [[0], [1], [2]],
                 "speed": [1.0] * 3, "hits": "any"}  # fmt: skip
    values = {"groups": [(2, 1.0, {})], "capacity": {}, "classes": [plain_class(1)], "environment": [component]}
    found = simulated(values, [Exponential(mean=1)], rate)
    generator = np.zeros((3 * (most + 1),) * 2)
    for n in range(most + 1):
        for up in range(3):
            here = 3 * n + up
            for there, speed in [(here + 3, rate * (n < most)), (here - 3, float(min(n, up))),
                                 (here - 1, up * breaks), (here + 1, (2 - up) * repair)]:  # fmt: skip
                if speed:
                    generator[here, there] += speed
    np.fill_diagonal(generator, -generator.sum(axis=1))
    equations = generator.T.copy()
    equations[0] = 1.0
    law = np.linalg.solve(equations, np.eye(len(equations))[0])
    exact = {"response": law @ (np.arange(len(law)) // 3) / rate, "broken_servers": 2 * share,
             "busy_servers": law @ np.minimum(np.arange(len(law)) // 3, np.arange(len(law)) % 3)}  # fmt: skip
    for name, truth in exact.items():
        value, error = found[name]
        assert abs(value - truth) < 4 * error < 0.1 * truth, name
