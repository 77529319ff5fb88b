"""The small parts of a run, with numbers that can be read off: questions of checkpoints, sketches, hours, windows."""

import math

import numpy as np
import pytest

from msj.engines.completed import Completed
from msj.errors import OutOfTime, TooLarge
from msj.simulation import saturated_window
from msj.simulation.checkpoint import _shown, why_another
from msj.simulation.record import Clock, Record
from msj.simulation.replication import Replication, Stopped
from msj.simulation.saturated_line import SaturatedLine, saturated_line, time_held
from msj.simulation.saturated_window import SaturatedWindows, Window
from msj.simulation.sketch import BINS, Sketch, first_bin
from msj.simulation.state import restored, written
from msj.workloads import Streams, SystemJobs, seed_sequence
from msj.workloads.system_jobs import BLOCK
from strategies import simple

ASKED = {
    "system": {"servers": 2, "policy": "fcfs", "name": "mine"},
    "identity": "i",
    "function": {},
    "code": "c",
    "versions": {"msj": "1"},
    "arrival_rate": 0.5,
    "seed": 1,
    "jobs": 100,
    "stability_threshold": None,
    "weights": None,
}
AGAIN = "ask the same again, or give another name"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"system": ASKED["system"] | {"name": "yours"}}, None),
        ({"jobs": 101}, None),
        ({"jobs": 99}, "jobs = 100, more than 99; ask for at least as many, or give another name"),
        ({"jobs": 101, "seed": 2}, f"seed = 1, not 2; {AGAIN}"),
        ({"system": ASKED["system"] | {"servers": 3}, "code": "d"}, f"system.servers = 2, not 3; {AGAIN}"),
        ({"versions": {"msj": "2"}}, f"versions.msj = 1, not 2; {AGAIN}"),
        ({"code": "d", "identity": "j"}, "another version of msj's code; use that one, or give another name"),
        ({"identity": "j", "weights": [1]}, f"another system: an order or the content of a file differs; {AGAIN}"),
        ({"weights": [1]}, f"weights = None, not [1]; {AGAIN}"),
        ({"more": 5}, f"more = None, not 5; {AGAIN}"),
        ({"function": {"f": "1"}}, None),  # there was none then: the policy itself tells them apart
    ],
)
def test_how_what_is_asked_differs_from_what_was_asked(change, reason):
    assert why_another(ASKED, ASKED | change) == reason


def test_a_question_that_had_more_to_it():
    assert why_another(ASKED | {"old": 3}, ASKED) == f"old = 3, not None; {AGAIN}"
    assert why_another(ASKED, ASKED | {"seed": 2}, any_seed=True) is None


@pytest.mark.parametrize(
    ("changed", "listed"),
    [("a", "a"), ("ba", "a and b"), ("abcd", "a and b and c and d"), ("abcde", "a and b and c and d and more")],
)
def test_what_of_a_function_has_changed(changed, listed):
    then = ASKED | {"function": dict.fromkeys("abcdef", "1")}
    now = {"function": then["function"] | dict.fromkeys(changed, "2")}
    reason = f"another version of policy function 'fcfs': {listed} changed since; undo that, or give another name"
    assert why_another(then, ASKED | now | {"code": "d"}) == reason
    named = now | {"system": {"policy": {"function": "mine"}}}
    assert f"policy function 'mine': {listed} changed" in why_another(then, ASKED | named)
    assert why_another(then, then) is None


def test_long_values_are_cut_in_the_middle():
    assert _shown("x" * 200) == "x" * 200
    assert _shown("a" * 150 + "bcd" + "e" * 48) == "a" * 150 + " ... " + "e" * 40


# Sketches: bin 3,072 begins at 1, and each power of two has 128 of them.


def test_bins_and_their_ends():
    assert [first_bin(each) // 128 - 1023 for each in (0.4, 1.0, 3.0)] == [-26, -24, -23]
    sketch = Sketch(first_bin(1.0), np.array([0]), np.array([1]))
    ends = sketch.edges(np.array([0, 1, 2, 3072, 3072 + 64, 3200])).tolist()
    assert ends == [0.0, 0.0, 2**-24 * (1 + 2 / 128), 1.0, 1.5, 2.0]
    assert sketch.edge(3201) == 2 + 2 / 128


def test_percentiles_within_a_bin():
    """One value in 1 to 1 + 1/128, three in 2 to 2 + 2/128, spread evenly."""
    sketch = Sketch(first_bin(1.0), np.array([3072, 3200]), np.array([1, 3]))
    found = [sketch.percentile(level) for level in (12.5, 25, 50, 100)]
    assert found == pytest.approx([1 + 1 / 256, 1 + 1 / 128, 2 + 2 / 384, 2 + 2 / 128], rel=1e-12)
    assert sketch.sum_of_squares() == pytest.approx((1 + 1 / 256) ** 2 + 3 * (2 + 1 / 128) ** 2, rel=1e-12)


@pytest.mark.parametrize("far", [40, 10**7], ids=["close together", "far apart"])
def test_sketches_add_up(far):
    one, two = Sketch(5, np.array([3, far]), np.array([2, 1])), Sketch(5, np.array([3, 4]), np.array([5, 7]))
    both = Sketch.total([one, two])
    assert (both.lowest, both.bins.tolist(), both.counts.tolist()) == (5, [3, 4, far], [7, 7, 1])
    none = Sketch.total([Sketch(5, np.empty(0, np.int64), np.empty(0, np.int64))])
    assert (none.lowest, len(none.bins)) == (5, 0)


def test_classes_of_a_sketch():
    sketch = Sketch(5, np.array([0, 7, BINS, BINS + 7, 2 * BINS - 1, 2 * BINS]), np.array([1, 2, 3, 4, 5, 6]))
    second = sketch.of_class(1)
    assert (second.lowest, second.bins.tolist(), second.counts.tolist()) == (5, [0, 7, BINS - 1], [3, 4, 5])
    assert sketch.of_all().counts.tolist() == [1 + 3 + 6, 2 + 4, 5]
    more = sketch.of_class(0).with_values(np.array([0, 3, 3, 7, 9]))
    assert (more.lowest, more.bins.tolist(), more.counts.tolist()) == (5, [0, 3, 7, 9], [2, 2, 3, 1])


# Hours.


@pytest.mark.parametrize("preempted", [None, [0, 0, 2, 1, 1]])
def test_jobs_by_the_hour_they_came_in(preempted):
    """Steps of 8 hours; the first job is of the warm-up. Who was stopped waits for all but its duration."""
    record = Record(classes=1, lowest=first_bin(1.0), warm_up=1, piece=3, clock=Clock(24.0, 3))
    done = Completed(
        number=np.arange(5),
        arrival=np.array([1.0, 7.9, 8.0, 49.0, 23.9]),
        job_class=np.zeros(5, np.int64),
        need=np.ones(5, np.int64),
        duration=np.array([1.0, 2.0, 2.0, 2.0, 2.0]),
        start=np.array([2.0, 7.9, 11.0, 50.0, 24.9]),
        finish=np.array([3.0, 9.9, 14.0, 60.0, 26.9]),
        preemptions=None if preempted is None else np.array(preempted),
    )
    record._sort_by_time_of_day(done)
    waits = [0.0, 3.0, 1.0, 1.0] if preempted is None else [0.0, 4.0, 9.0, 1.0]
    first, second = record.by_time_of_day.tolist()
    assert first == [pytest.approx([2, waits[0] + waits[2], 1]), pytest.approx([1, waits[1], 1]), [0, 0, 0]]
    assert second == [[0, 0, 0], [0, 0, 0], pytest.approx([1, waits[3], 1])]


def test_a_record_keeps_nothing_that_nobody_asked_for():
    record = Record(classes=3, lowest=first_bin(1.0), warm_up=1, piece=2)
    assert (record.controls.shape, record.left_out.shape, record.by_time_of_day.shape) == ((2, 0), (0,), (2, 0, 3))
    assert (record.marks.shape, record.ended, record.lost_area) == ((2, 4), -1, 0.0)
    full = Record(classes=3, lowest=first_bin(1.0), warm_up=1, piece=2, controls=5, areas=2, clock=Clock(24.0, 6))
    assert (full.controls.shape, full.left_out.shape, full.by_time_of_day.shape) == ((2, 5), (5,), (2, 6, 3))
    assert full.marks.shape == (2, 6)


# Saturated systems.


def test_thresholds_that_go_with_waste():
    line = SaturatedLine(idle=(0.5, 0.2), idle_by_class=(), servers=6, mean_work=2.5, jobs=1)
    assert line.ends == pytest.approx((0.5, 0.3, 0.7))
    assert line.stability_threshold == pytest.approx(2.2)
    assert line.thresholds == pytest.approx((2.2, 5.3 / 2.5, 5.7 / 2.5))
    assert SaturatedLine(idle=(0.5, 0.8), idle_by_class=(), servers=6, mean_work=2.5, jobs=1).ends[1] == 0.0
    # Works of 3/4 · 2 and 1/4 · 3 · 4 are held for 2 and 4.
    assert time_held(simple(6, (1, "1/2", "3/4"), (3, "1/4", "1/4"))) == pytest.approx((1.5 * 2 + 3 * 4) / 4.5)


def window(threshold, half):
    return Window(oldest=32, threshold=threshold, low=threshold - 2 * half, high=threshold + half, jobs=1)


@pytest.mark.parametrize(
    ("gap", "halves", "alike"),
    [
        (0.5, (0.0, 0.0), True),  # 0.005 of 100
        (0.51, (0.0, 0.0), False),
        (0.99, (0.6, 0.8), True),  # chance: the root of 0.36 + 0.64
        (1.01, (0.6, 0.8), False),
        (1.99, (6.0, 8.0), True),  # but four times 0.005 at most
        (2.01, (6.0, 8.0), False),
    ],
)
def test_windows_that_cannot_be_told_apart(gap, halves, alike):
    for sign in (1, -1):
        assert window(100.0, halves[0]).like(window(100.0 + sign * gap, halves[1])) is alike


def test_the_interval_of_all_windows():
    first, before, last = window(80.0, 1.0), window(100.0, 3.0), window(101.0, 1.0)
    found = SaturatedWindows(windows=(first, before, last), settled=True)
    assert (found.last, found.low, found.high) == (last, 94.0, 103.0 + 1.0)
    less = SaturatedWindows(windows=(first, last, before), settled=True)
    assert less.high == pytest.approx(103.0 + 0.5)
    open_ = SaturatedWindows(windows=(first, before, last), settled=False)
    assert (open_.low, open_.high) == (99.0, math.inf)


def test_how_many_jobs_a_saturated_line_takes(monkeypatch):
    """21 pieces of twenty times what is held at once, 3.33 · 4/3 jobs, or fifty; or as many as are asked for."""
    system = simple(6, (1, "1/2", "3/4"), (3, "1/4", "1/4"))
    seen = []
    assert saturated_line(system, jobs=100, rng=1, watch=lambda: seen.append(1)).jobs == 21 * (1867 // 21)
    assert len(seen) == 21
    assert saturated_line(system, jobs=4200, rng=1).jobs == 4200
    monkeypatch.setattr("msj.simulation.saturated_line.LEAST_JOBS", 2115)
    assert saturated_line(system, rng=1).jobs == 2100
    one = simple(1, (1, 1, 1))
    found = saturated_line(one, jobs=10, most_jobs=1050, rng=1)
    assert (found.jobs, found.idle[0], found.stability_threshold) == (1050, 0.0, 1.0)
    with pytest.raises(TooLarge, match=r"1\.05e"):
        saturated_line(one, jobs=10, most_jobs=1049, rng=1)
    monkeypatch.setattr("msj.simulation.saturated_line.BLOCK", 17)  # in many blocks the same
    assert saturated_line(system, jobs=4200, rng=1).jobs == 4200


@pytest.mark.parametrize(
    ("servers", "thresholds", "oldest", "settled"),
    [
        (6, [80.0, 100.0, 100.1], [32, 64, 128], True),
        (1000, [80.0, 80.1], [128, 256], True),  # a thousand at once: an eighth of them, to the next power of two
        (1100, [80.0, 80.1], [256, 512], True),
        (6, [80.0, 90.0, None], [32, 64, 128], False),
        (6, [10.0 * 2**i for i in range(8)], [32 * 2**i for i in range(8)], False),
    ],
)
def test_windows_are_doubled_until_nothing_moves(monkeypatch, servers, thresholds, oldest, settled):
    asked, given = [], iter(thresholds)

    def one(system, oldest, *, jobs, root, over):
        asked.append((oldest, jobs))
        threshold = next(given)
        return None if threshold is None else window(threshold, 0.0)

    monkeypatch.setattr(saturated_window, "one_window", one)
    found = saturated_window.saturated_windows(simple(servers, (1, 1, 1)), jobs=77, rng=1)
    assert asked == [(each, 77) for each in oldest]
    assert [each.threshold for each in found.windows] == [each for each in thresholds if each is not None]
    assert found.settled is settled


@pytest.mark.parametrize(("jobs", "piece"), [(2100, 100), (100, 80)])
def test_one_window_takes_21_pieces(jobs, piece):
    """Each is a 21st of the jobs and twenty windows at least; every refill brings 8 at most, and some as it begins."""
    system = simple(2, (1, 1, "1/2"), (2, 1, "1/2"), policy="first-fit")
    found = saturated_window.one_window(system, 4, jobs=jobs, root=seed_sequence(1))
    assert 21 * piece <= found.jobs <= 21 * (piece + 8) + 16
    assert 0.9 < found.low < found.threshold < found.high <= 4 / 3
    assert found.oldest == 4
    assert saturated_window.one_window(system, 4, jobs=jobs, root=seed_sequence(1), over=lambda: True) is None


def test_a_window_that_was_never_seen(monkeypatch):
    monkeypatch.setattr(saturated_window, "one_window", lambda *_, jobs, **__: asked.append(jobs))
    asked = []
    with pytest.raises(OutOfTime):
        saturated_window.saturated_windows(simple(6, (1, 1, 1)), rng=1)
    assert asked == [200_000]


def test_a_line_that_is_kept_from_running_out():
    """Half of those that come start at once: 64 wait when 128 have come, and 32 are enough."""
    fed = []

    class Half:
        state = {"present": 0, "running": 0}  # noqa: RUF012

        def advance(self, block):
            fed.append((len(block.arrival), set(block.arrival)))
            self.state["present"] += len(block.arrival)
            self.state["running"] += len(block.arrival) // 2

    source = SystemJobs(simple(6, (1, 1, 1)), arrival_rate=1.0, streams=Streams(root=seed_sequence(1), replication=0))
    line = saturated_window._Line(engine=Half(), source=source, oldest=32)
    line.fill()
    assert (fed, line.waiting, line.fed) == ([(64, {0.0})], 32, 64)
    line.fill()
    assert len(fed) == 1
    line.wait(1.5)
    assert (fed[1:], line.waiting, line.now) == ([(32, {1.5})], 48, 1.5)
    line.engine.state["running"] -= 30
    line.wait(1.0)  # 78 wait: nobody is missing, and still somebody must come
    assert fed[2:] == [(1, {2.5})]
    line.engine.state["running"] += 59
    line.fill()
    assert fed[3:] == [(44, {2.5})]
    line.engine.state["running"] = line.engine.state["present"]
    line.engine.advance = lambda block: fed.append(len(block.arrival))  # everybody starts at once
    line.fill()
    assert fed[4:] == [64] * 40


# States.


def test_states_are_written_and_put_back():
    arrays = {}
    stream, other = np.random.default_rng(1), np.random.default_rng(2)
    kept = np.arange(3.0)
    state = written([np.float64(2.5), "a", kept, (1, None), stream, Sketch(3, np.array([1]), np.array([2]))], arrays)
    assert state["items"][0] == {"plain": 2.5}
    assert (list(arrays), arrays["a0"] is kept) == (["a0", "a1", "a2"], True)
    wanted = stream.random()
    room, longer = np.zeros(3), np.zeros(4)
    found = restored([0.0, "", room, (0, 0), other, None], state, arrays)
    assert found[:2] == [2.5, "a"]
    assert found[2] is room
    assert room.tolist() == [0, 1, 2]
    assert found[3] == (1, None)
    assert found[4] is other
    assert other.random() == wanted
    assert (found[5].lowest, found[5].counts.tolist()) == (3, [2])
    copied = restored(longer, {"array": "a0"}, arrays)
    assert copied is not longer
    assert copied is not kept
    assert copied.tolist() == [0, 1, 2]
    assert restored(np.zeros(3, np.int64), {"array": "a0"}, arrays).dtype == np.float64
    assert restored(None, {"items": [{"plain": 1}, {"plain": 2}]}, arrays) == [1, 2]


# One replication: who arrives, and who is waited for.


class Jobs:
    """Hands over as many jobs as are asked for, up to its last."""

    at_hand, skipped = 10**9, 2.5

    def __init__(self, last=10**9):
        self.left, self.asked = last, []

    def take(self, count):
        self.asked.append(count)
        count = min(count, self.left)
        self.left -= count
        return range(count)


class Served:
    """Finishes nobody before the end."""

    clock, wasted_area, lost_area, areas = 7.0, 3.0, 4.0, {"busy_servers": 11.0, "idle_servers": 12.0}

    def advance(self, block):
        return ("came", len(block))

    def drain(self):
        return ("drained", 0)

    def present(self):
        return 6.0


class Noted:
    """Notes what it is told; ``away`` jobs never leave."""

    def __init__(self, warm_up, piece, ended=-1, away=5):
        self.warm_up, self.piece, self.ended, self.away, self.ends, self.heard = warm_up, piece, ended, away, [], []

    def add(self, done, clock):
        assert clock == 7.0
        self.heard.append(done)

    def end_piece(self, **told):
        self.ended += 1
        self.ends.append(told)

    def left_of(self, pieces):
        return self.away


def replication(record, last=10**9):
    return Replication(source=Jobs(last), kernel=Served(), record=record)


def test_jobs_that_follow_come_in_growing_steps_up_to_so_many():
    one = replication(Noted(0, 10**9, ended=0))
    assert one.follow(3, 1000) == 5
    assert one.source.asked == [64, 128, 256, 512, 40]
    assert one.arrived == 1000
    by_one = replication(Noted(0, 10**9, ended=0))
    by_one.source.at_hand = 1
    by_one.follow(3, 5)
    assert by_one.source.asked == [1] * 5
    many = replication(Noted(0, 10**9, ended=0))
    many.follow(3, 10 * BLOCK)
    assert max(many.source.asked) == BLOCK
    assert many.arrived == 10 * BLOCK
    nobody = replication(Noted(0, 10**9, ended=0, away=0))
    assert nobody.follow(3, 1000) == 0
    assert nobody.source.asked == []
    kept = []
    ended = replication(Noted(0, 10**9, ended=0), last=100)
    ended.follow(3, 1000, keep=kept.append)
    assert kept == ended.record.heard == [("came", 64), ("came", 36), ("drained", 0)]
    stopped = replication(Noted(0, 10**9, ended=0))
    stopped.follow(3, 1000, over=lambda: True)
    assert stopped.source.asked == [64]


def test_pieces_end_when_their_jobs_have_arrived():
    """A warm-up of 10 and pieces of 30: no block goes beyond."""
    one = replication(Noted(10, 30))
    one.begin(4)
    assert (one.arrived, one.record.ended) == (4, -1)
    one.advance(2)
    assert one.source.asked == [4, 6, 30, 30]
    assert (one.arrived, one.record.ended) == (70, 2)
    wanted = {"clock": 7.0, "skipped": 2.5, "wasted_area": 3.0, "lost_area": 4.0, "present": 6.0, "areas": (11.0, 12.0)}
    assert one.record.ends == [wanted] * 3
    at_once = replication(Noted(0, 30))  # without a warm-up the first piece begins before anybody has come
    at_once.advance(1)
    assert (at_once.source.asked, at_once.record.ended) == ([30], 1)
    short = replication(Noted(10, 30), last=25)
    short.advance(2)
    assert (short.arrived, short.record.ended) == (25, 0)
    with pytest.raises(Stopped):
        replication(Noted(10, 30)).advance(2, over=lambda: True)
