"""What stands beside the loops: tables they are given, numbers drawn for them, words, and jobs put together again."""

from types import SimpleNamespace

import numpy as np
import pytest

from msj import Exponential, Hyperexponential
from msj.engines.completed import Completed
from msj.engines.event import EventEngine
from msj.engines.in_order import InOrderEngine
from msj.engines.law_draws import AT_ONCE, DrawnLaws, ExponentialNumbers, UniformNumbers, draw
from msj.engines.parts_state import BY_PHASES, OWN_DURATION, STATES
from msj.engines.parts_tables import (
    NO_CAP,
    NumberedLaws,
    _cumulative,
    _stacked,
    environment_of,
    graph_of,
    rules_of,
    servers_of,
)
from msj.engines.plainly import why_not_compiled
from msj.engines.server_areas import declared_areas
from msj.engines.state import FINISHED, STOPPED_A_JOB, TOO_MANY_SERVERS

A, B, C, D = (Exponential(mean=mean) for mean in (1, 2, 3, 4))


def segment(need, law, after=(), **more):
    return {"need": need, "law": law, "after": list(after), **more}


# Two classes: three segments, the last after both others; and one whose need changes with its phase, then another.
PHASES = Hyperexponential(rates=[2, 5], probabilities=["1/4", "3/4"])
CLASSES = [
    {
        "segments": [segment(2, A), segment(1, B, resources={"gpu": 3}), segment(4, C, (0, 1), resources={"disk": 7})],
        "groups": [1, 0],
        "at_most": 5,
    },
    {
        "segments": [segment([3, 2], PHASES), segment(1, D, (0,))],
        "groups": [1],
        "span": True,
        "pays": False,
        "preemptible": False,
    },
]
GROUPS = [(6, 1.0, {"disk": 9}), (4, 2.0, {"disk": 8, "gpu": 5})]  # servers, speed, resources of their own
CAPACITY = {"gpu": 11}


def test_segments_of_all_classes_one_after_the_other():
    laws = NumberedLaws()
    found = graph_of(GROUPS, CAPACITY, CLASSES, laws)
    # Class, need, law, first phase, phases, first of those after it, how many, how many before it.
    assert found.kinds.tolist() == [
        (0, 2, OWN_DURATION, 0, 0, 0, 1, 0),
        (0, 1, 2, 0, 0, 1, 1, 0),
        (0, 4, 3, 0, 0, 2, 0, 2),
        (1, 0, BY_PHASES, 0, 2, 2, 1, 0),
        (1, 1, 4, 2, 0, 3, 0, 1),
    ]
    assert laws.laws[2:] == [B, C, D]
    assert found.successors.tolist() == [2, 2, 4]
    assert found.resources.tolist() == [[0, 0], [0, 3], [7, 0], [0, 0], [0, 0]]  # disk, gpu
    # First segment, segments, groups; whether it spans them, pays, may be stopped.
    assert found.classes.tolist() == [(0, 3, 2, 0, 1, 1), (3, 2, 1, 1, 0, 0)]
    assert found.groups.tolist() == [[1, 0], [1, 0]]
    # Pools: disk of each group, then the gpus of all, then those of the second group.
    assert found.pool_of.tolist() == [[0, 2], [1, 3], [-1, 2]]
    assert found.phase_needs.tolist() == [3, 2]
    assert found.phase_rates.tolist() == [2.0, 5.0]
    assert found.phase_jumps.tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]  # each ends the segment
    assert found.phase_starts.tolist() == [[1, 1], [1, 1], [1, 1], [0.25, 1], [1, 1]]


@pytest.mark.parametrize("off", [False, True])
def test_servers_at_the_beginning(off):
    found = servers_of(GROUPS, CAPACITY, CLASSES, off=off)
    on = [0, 0] if off else [6, 4]
    assert found.groups.tolist() == [(6, 1.0, 6, on[0], 0, 0), (4, 2.0, 4, on[1], 0, 0)]
    for room in (found.room, found.thought):
        assert [each.tolist() for each in room] == [on, [9, 8, 11, 5], [5, NO_CAP]]
    assert found.thought[0] is not found.room[0]
    assert found.set_ups.shape == found.delays.shape == (2, 6 if off else 0)
    assert found.counts.tolist() == [10 if state == ("off" if off else "idle") else 0 for state in STATES]
    whole = found.whole[0]
    assert [float(whole[key]) for key in ("next_switch", "next_change", "speed")] == [np.inf, np.inf, 1.0]
    assert [int(whole[key]) for key in ("free_row", "first_running", "last_running", "asking")] == [-1, -1, -1, 0]


def test_laws_of_set_up_and_overheads_are_numbered_as_they_come():
    found = rules_of({"law": A, "staggered": True}, {"transfer": B}, NumberedLaws())
    assert found[:2] == (0, 1)
    assert (found.set_up, found.delay, found.snapshot, found.transfer, found.staggered) == (2, -1, -1, 3, True)
    assert rules_of(None, None, NumberedLaws()).staggered is False


def test_components_of_an_environment():
    """One of two states and one of three; tables are as wide as the largest, and 1 or 0 beyond."""
    laws = NumberedLaws()
    components = [
        {"sojourn": [A, B], "jump": [[0, 1], [1, 0]], "taken": [[0, 0], [2, 1]], "speed": [1.0, 0.5], "hits": "idle"},
        {
            "sojourn": [A, B, C],
            "jump": [[0, 1, 3], [1, 0, 0], [2, 2, 0]],
            "taken": [[0, 0], [0, 3], [1, 0]],
            "speed": [1.0, 0.25, 0.75],
            "hits": "any",
        },
    ]
    found = environment_of(components, 2, laws)
    assert found.state.tolist() == [0, 0]
    assert found.until.tolist() == [np.inf, np.inf]
    assert found.laws.tolist() == [[2, 3, 0], [4, 5, 6]]
    assert found.jumps.tolist() == [[[0, 1, 1], [1, 1, 1], [1, 1, 1]], [[0, 0.25, 1], [1, 1, 1], [0.5, 1, 1]]]
    assert found.taken.tolist() == [[[0, 0], [2, 1], [0, 0]], [[0, 0], [0, 3], [1, 0]]]
    assert found.speeds.tolist() == [[1, 0.5, 1], [1, 0.25, 0.75]]
    assert found.any_server.tolist() == [False, True]
    assert environment_of([], 2, NumberedLaws()).laws.shape == (0, 1)


def test_running_sums_end_at_one():
    assert _cumulative([1, 2, 1, 0]).tolist() == [[0.25, 0.75, 1.0, 1.0]]
    thirds = _cumulative([[0.1] * 3, [1, 0, 0]])
    assert thirds[:, -1].tolist() == [1.0, 1.0]
    assert thirds[1].tolist() == [1.0, 1.0, 1.0]
    assert _stacked([np.array([[0.5]]), np.empty((0, 1)), np.array([[0.1, 0.2], [0.3, 0.4]])], 3).tolist() == [
        [0.5, 1, 1],
        [0.1, 0.2, 1],
        [0.3, 0.4, 1],
    ]


def test_numbers_of_laws_are_those_of_their_streams_in_order():
    """Whatever is used up of one law, each has the numbers of its own stream, none twice and none left out."""
    laws = (UniformNumbers(), ExponentialNumbers(), B)
    made = DrawnLaws(laws, [np.random.default_rng(i) for i in range(3)], least=3)
    assert made.draws.values.shape == (3, AT_ONCE + 3)
    assert made.draws.short[0] == 0
    taken = {0: [], 2: []}
    for count in (AT_ONCE, 1, 2, AT_ONCE + 1, 7):
        for law, own in taken.items():
            own += [draw.py_func(made.draws, law) for _ in range(count)]
        assert made.draws.short[0] == (made.draws.used[0] > AT_ONCE)
        if made.draws.short[0]:
            made.draw_more()
            assert made.draws.short[0] == 0
            assert made.draws.used.tolist() == [0, 0, 0]
    total = len(taken[0])
    wanted = np.random.default_rng(0)
    assert taken[0][: AT_ONCE + 3] == wanted.random(AT_ONCE + 3).tolist()
    assert taken[0] == np.random.default_rng(0).random(total).tolist()
    assert taken[2][: AT_ONCE + 3] == B.sample(np.random.default_rng(2), AT_ONCE + 3).tolist()
    assert made.draws.values[1, 0] == np.random.default_rng(1).standard_exponential()


def jobs(numbers, preemptions=None):
    numbers = np.array(numbers)
    return Completed(
        number=numbers,
        arrival=numbers + 0.5,
        job_class=numbers % 2,
        need=numbers + 1,
        duration=numbers + 2.0,
        start=numbers + 3.0,
        finish=numbers + 4.0,
        preemptions=None if preemptions is None else np.array(preemptions),
    )


def test_jobs_are_put_together_in_order_of_arrival():
    both = Completed.join([jobs([2, 0]), jobs([3, 1], [7, 5])])
    assert both.number.tolist() == [0, 1, 2, 3]
    assert both.finish.tolist() == [4, 5, 6, 7]
    assert both.preemptions.tolist() == [0, 5, 0, 7]
    assert Completed.join([jobs([1]), jobs([0])]).preemptions is None
    assert len(Completed.none()) == 0
    copied = (one := jobs([1], [4])).copy()
    assert copied.preemptions is not one.preemptions
    assert copied.preemptions.tolist() == [4]


def test_words_about_functions_that_are_not_compiled():
    said = 'Failed\nFile "a.py", line 3:\n  x\nFile "b.py", line 12:\n    y = set(z)\n    ^^^\nmore'
    assert why_not_compiled(ValueError(said), "mine") == (
        "Policy function 'mine' runs as plain Python, which is slower: the compiler does not take line 12 "
        "(y = set(z)). Loops over the arrays are compiled."
    )
    assert "does not take it. Loops" in why_not_compiled(ValueError("no"), "mine")


def test_what_servers_take_by_their_state():
    by_state = {"busy": 6.0, "paying": 3.0, "idle": 5.0, "off": 2.0}
    found = declared_areas(by_state, power={"busy": 300, "idle": 100}, cost=None)
    assert found == {"busy_servers": 6, "paying_servers": 3, "idle_servers": 5, "off_servers": 2, "mean_power": 3200}


class Given(InOrderEngine):
    """Starts are given."""

    def _run(self, block, times):
        times.start[:] = times.finish[:] = block.starts
        self.state["head"] = block.starts[-1] if len(block.starts) else self.state["head"]
        return block.duration


class Blocks(SimpleNamespace):
    def __len__(self):
        return len(self.arrival)


def test_jobs_that_wait_where_they_are_served_in_order():
    """Five jobs have started by 10, and the last came at 6: it waits 4, in which 4 · 5/10 come."""

    def arrive(arrival, starts):
        columns = dict.fromkeys(("job_class", "need", "duration"), np.zeros(len(arrival)))
        return engine.advance(Blocks(arrival=np.array(arrival), starts=np.array(starts), **columns))

    engine = Given(most_ends=1)
    assert engine.present() == 0.0
    assert arrive([1.0, 2.0], [1.0, 2.0]).number.tolist() == [0, 1]
    assert engine.present() == 0.0
    assert arrive([3.0, 4.0], [3.0, 4.0]).number.tolist() == [2, 3]
    assert arrive([6.0], [10.0]).number.tolist() == [4]
    assert (engine.clock, engine.number, engine.lost_area) == (6.0, 5, 0.0)
    assert engine.present() == pytest.approx(2.0)
    assert arrive([], []).number.tolist() == []
    assert engine.clock == 6.0


class Silent(EventEngine):
    def _run(self, block, arriving):
        return self.status


def test_room_for_jobs_grows_and_free_rows_are_linked():
    streams = SimpleNamespace(generator=lambda name: np.random.default_rng(3))
    engine = Silent(SimpleNamespace(servers=4, name="mine", restart=False, streams=streams), draws="random", least=5)
    engine._make_room(3)
    table = engine.present_jobs.jobs
    assert (len(table), int(engine.state["free_slot"])) == (3, 0)
    assert table["next"].tolist() == [1, 2, -1]
    engine.state["free_slot"] = 2  # the first two are taken
    engine._make_room(3)
    assert engine.present_jobs.jobs is table
    engine._make_room(4)
    assert engine.present_jobs.jobs["next"].tolist()[3:] == [4, 5, 2]  # then what was free before
    assert int(engine.state["free_slot"]) == 3
    values = engine.draws.values.copy()
    assert len(values) == 4096 + 5
    engine.draws.used[0] = 4000
    engine._draw_more()
    assert engine.draws.values[:101].tolist() == values[4000:].tolist()
    both = np.random.default_rng(3).random(4101 + 4000)
    assert engine.draws.values.tolist() == both[4000:].tolist()
    assert engine.draws.used[0] == 0
    for engine.status, words in (
        (TOO_MANY_SERVERS, "chose jobs that need more"),
        (STOPPED_A_JOB, "stopped a running job"),
    ):
        with pytest.raises(ValueError, match=f"policy 'mine' {words}"):
            engine.drain()
    engine.status = FINISHED
    assert len(engine.drain()) == 0
