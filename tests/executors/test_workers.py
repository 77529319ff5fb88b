"""Who computes, the loop that keeps them busy, and what is given back; executors are made up, nothing is started."""

import importlib
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from types import SimpleNamespace

import pytest

from msj.effort import Effort
from msj.errors import InvalidInput
from msj.executors import loop as looping
from msj.executors import packing
from msj.executors import workers as working
from msj.executors.kept import Kept, claimed, unclaimed
from msj.executors.loop import Loop
from msj.executors.points import STRIKES, Points, _timed, answered
from msj.executors.workers import BrokenProcessPool, Here, PackedWorkers, Workers, cores, obey, workers


class Made(Executor):
    """Remembers what it was told; breaks once if it is to."""

    def __init__(self, broken=False):
        self.broken, self.shut = broken, []

    def submit(self, function, /, *given):
        if self.broken:
            raise BrokenProcessPool("a process was killed")
        return Here().submit(function, *given)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.shut.append((wait, cancel_futures))


def test_an_executor_that_broke_is_replaced_and_the_task_begun_again():
    made = [Made(broken=True), Made()]
    hands = Workers(lambda: made.pop(0), lambda: 3)
    first = hands.executor
    assert (hands.slots, hands.given_up) == (3, False)
    assert hands.submit(max, 1, 2).result() == 2
    assert first.shut == [(False, True)]  # nobody waits for what it had begun
    assert made == []
    assert Workers(Made, lambda: 0).slots == 1


def test_what_is_given_up_is_called_off():
    hands, futures = Workers(Made, lambda: 1), [Future(), Future()]
    hands.give_up([])
    assert hands.given_up is False
    hands.give_up(futures)
    assert (hands.given_up, [future.cancelled() for future in futures]) == (True, [True, True])


def test_as_many_cores_as_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, 7} if process == 0 else set(), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert cores() == 12
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


def test_there_is_one_way_to_compute():
    for ways in ({"threads": 2, "dask": "here"}, {"executor": Made(), "threads": 1}):
        with pytest.raises(InvalidInput, match="give one of them"), workers(**ways):
            pass


def test_an_executor_of_ones_own_is_used_and_left_as_it_is(monkeypatch):
    monkeypatch.setattr(working, "cores", lambda: 6)
    for said, slots in (({}, 6), ({"_max_workers": None}, 6), ({"_max_workers": 0}, 6), ({"_max_workers": 4}, 4)):
        own = Made()
        vars(own).update(said)
        with workers(executor=own) as hands:
            assert (hands.executor, hands.slots) == (own, slots)
        assert own.shut == []


def test_one_computes_here_and_several_in_threads_or_processes(monkeypatch):
    made = []

    def making(name):
        def make(*given, **how):
            made.append((name, given[0], how, Made()))
            return made[-1][-1]

        return make

    monkeypatch.setattr(working, "ThreadPoolExecutor", making("threads"))
    monkeypatch.setattr(working, "ProcessPoolExecutor", making("processes"))
    for how in ({}, {"processes": 1}, {"threads": 1}):
        with workers(**how) as hands:
            assert isinstance(hands.executor, Here)
            assert hands.slots == 1
    assert made == []
    for how, name in (
        ({"threads": 2}, "threads"),
        ({"processes": 2}, "processes"),
        ({"threads": 1, "processes": 3}, "processes"),
    ):
        with workers(**how) as hands:
            assert hands.slots == max(how.values())
        assert made[-1][:2] == (name, max(how.values()))
        assert made[-1][-1].shut == [(True, True)]  # what was begun is waited for


def test_processes_that_were_given_up_are_ended_and_no_others(monkeypatch):
    ended = []

    class Child:
        def terminate(self):
            ended.append(self)

    old, new = Child(), Child()
    for fails in (False, True):
        children = [[old], [old, new]]
        monkeypatch.setattr(multiprocessing, "active_children", lambda children=children: children.pop(0))
        pool = Made()
        monkeypatch.setattr(working, "ProcessPoolExecutor", lambda *_, pool=pool: pool)
        with pytest.raises(KeyError) if fails else nullcontext(), workers(processes=2):
            if fails:
                raise KeyError
        assert pool.shut == [(not fails, True)]
        assert ended == ([new] if fails else [])


def test_a_process_that_computes_leaves_ctrl_c_alone_and_ends_with_the_one_who_asked(monkeypatch):
    seen, joined = [], threading.Event()
    asking = SimpleNamespace(join=lambda: seen.append("joined"))
    monkeypatch.setattr(signal, "signal", lambda *given: seen.append(given))
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: asking)
    monkeypatch.setattr(
        os, "_exit", lambda code: (seen.append((code, threading.current_thread().daemon)), joined.set())
    )
    obey()
    assert joined.wait(10)
    assert seen == [(signal.SIGINT, signal.SIG_IGN), "joined", (1, True)]
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    working._end_with_the_one_who_asked()
    assert len(seen) == 3


def test_tasks_for_other_processes_carry_the_identity_of_their_code(monkeypatch):
    with workers(executor=Made()) as hands:  # any executor but threads may be in other processes
        assert isinstance(hands, PackedWorkers)
        assert hands.value(hands.submit(max, 1, 2)) == 2
        with pytest.raises(ZeroDivisionError):
            hands.value(hands.submit(divmod, 1, 0))
        monkeypatch.setattr(packing, "worker_identity", iter(["a", "a", "a", "b"]).__next__)
        assert hands.value(hands.submit(max, 1, 2)) == 2
        with pytest.raises(packing.OtherCode, match="the code of msj was changed while it ran"):
            hands.value(hands.submit(max, 1, 2))
    with workers(executor=ThreadPoolExecutor(1)) as hands:
        assert not isinstance(hands, PackedWorkers)


class Unloadable:
    """Cannot be unpickled where it arrives."""

    def __reduce__(self):
        return importlib.import_module, ("a_module_of_another_machine",)


def test_what_cannot_be_unpickled_is_a_sentence():
    with workers(executor=Made()) as hands, pytest.raises(packing.NotLoaded, match="No module named 'a_module_of"):
        hands.value(hands.submit(id, Unloadable()))


def test_an_error_that_cannot_be_sent_comes_as_its_words():
    class Local(Exception):
        pass

    assert str(packing._portable(Local("here only"))) == "Local: here only"  # other processes only send errors
    assert isinstance(packing._portable(KeyError("x")), KeyError)


class Marks:
    """Claims that remember whether they were given back."""

    def __init__(self):
        self.back = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.back += 1


class Counting(Loop):
    """Hands out numbers; a number that is an error is lost."""

    def __init__(self, effort, numbers, *, ahead=1, refused=0):
        super().__init__(effort)
        self.numbers, self.refused = list(numbers), refused
        self.done, self.gone, self.around, self.made, self.most = [], [], 0, [], 0
        self.__class__.ahead = ahead

    @property
    def more(self):
        return bool(self.numbers)

    def next_task(self, slots):
        self.slots = slots
        if not self.numbers or self.refused:
            self.refused = max(self.refused - 1, 0)
            return None
        task = SimpleNamespace(claims=Marks(), number=self.numbers.pop(0))
        task.call = (self.begin, task.number)
        self.made.append(task)
        return task

    def begin(self, number):
        self.most = max(self.most, len(self.tasks) + 1)
        return number

    def take(self, found):
        self.done += [(task.number, value, task.claims.back) for task, value in found]

    def lost(self, task, error):
        self.gone.append((task.number, type(error)))

    def look_around(self):
        self.around += 1

    def progress(self):
        return 0.5, "half"


def test_each_task_is_done_once_and_its_mark_given_back_afterwards():
    said = []
    one = Counting(Effort(progress=lambda now: said.append((now.done, now.words))), range(5))
    one.run(Workers(Here, lambda: 1))
    assert sorted(one.done) == [(n, n, 0) for n in range(5)]  # kept before the mark is gone
    assert [task.claims.back for task in one.made] == [1] * 5
    assert (one.slots, one.most) == (1, 1)  # one after the other: another may still change what comes next
    assert said == [(0.5, "half")] * len(said) != []


@pytest.mark.parametrize(("slots", "ahead", "most"), [(1, 2, 1), (3, 1, 3), (3, 2, 6)])
def test_so_many_tasks_are_under_way(slots, ahead, most):
    one = Counting(Effort(), range(20), ahead=ahead)
    one.run(Workers(Here, lambda: slots))
    assert (one.most, one.slots, len(one.done)) == (most, slots, 20)


class Deaf(Here):
    """Begins tasks that never end, or end with an error."""

    def __init__(self, error=None):
        self.error = error

    def submit(self, function, /, *given):
        future = Future()
        if self.error is not None:
            future.set_exception(self.error)
        return future


def test_what_is_under_way_when_the_effort_is_over_is_given_back(monkeypatch):
    monkeypatch.setattr(looping, "PAUSE", 0.005)
    asked = iter([False] * 6)
    one = Counting(Effort(cancel=lambda: next(asked, True)), range(3))
    hands = Workers(Deaf, lambda: 2)
    one.run(hands)
    assert (one.done, hands.given_up) == ([], True)
    assert [task.claims.back for task in one.made] == [1, 1]
    assert one.around > 0


def test_a_task_whose_worker_died_is_lost_and_an_interrupt_ends_it_all():
    one = Counting(Effort(), [7])
    one.run(Workers(lambda: Deaf(BrokenProcessPool()), lambda: 1))
    assert (one.gone, one.done, one.made[0].claims.back) == ([(7, BrokenProcessPool)], [], 1)
    for error in (KeyboardInterrupt, MemoryError):
        one = Counting(Effort(), [7])
        with pytest.raises(error):
            one.run(Workers(lambda error=error: Deaf(error()), lambda: 1))
        assert (one.gone, one.made[0].claims.back) == ([], 1)


def test_where_others_are_at_all_that_is_left_it_waits_and_looks_around(monkeypatch):
    slept = []
    monkeypatch.setattr(looping, "PAUSE", 0.01)
    monkeypatch.setattr(time, "sleep", lambda seconds: slept.append(seconds))
    one = Counting(Effort(), [7], refused=2)
    one.looked -= 1.0
    one.run(Workers(Here, lambda: 1))
    assert slept == [0.01, 0.01]
    assert one.around == 1  # the rest took less than a pause
    assert one.done == [(7, 7, 0)]


def test_how_far_it_is_is_not_said_too_often(monkeypatch):
    said = []
    monkeypatch.setattr(Counting, "tell_after", 60.0)
    Counting(Effort(progress=said.append), range(3)).run(Workers(Here, lambda: 1))
    assert said == []
    late = Counting(Effort(progress=said.append), range(3))
    late.told -= 61.0
    late.run(Workers(Here, lambda: 1))
    assert len(said) == 1


def test_an_answer_is_whole_with_its_seconds_and_those_that_fail_leave_pieces_as_they_are(tmp_path):
    kept = Kept(tmp_path)
    kept.keep("a", 1, seconds=2.5)
    kept.keep("b", 2)
    kept.__exit__(KeyError, None, None)
    assert len(list(tmp_path.glob("*.parquet"))) == 2  # a disk that is full has no room for one more
    with Kept(tmp_path) as again:
        assert {name: tuple(answer) for name, answer in again.answers.items()} == {"a": (1, 2.5), "b": (2, 0.0)}
        (tmp_path / "c.state").write_text("half way")
        again.keep("c", 3)
        assert not (tmp_path / "c.state").exists()
        again.keep("d", 4)
        assert again.state_of("x") == tmp_path / "x.state"
    assert len(list(tmp_path.glob("*.parquet"))) == 3
    assert Kept().state_of("x") is None


def test_marks_are_given_back_and_their_place_goes_with_the_last(tmp_path):
    assert isinstance(claimed(None, "a"), ExitStack)
    held = claimed(tmp_path, "a")
    assert claimed(tmp_path, "a") is None
    other = claimed(tmp_path, "b")
    other.close()
    unclaimed(tmp_path)
    assert (tmp_path / "claims").exists()  # somebody is at work
    held.close()
    unclaimed(tmp_path)
    assert not (tmp_path / "claims").exists()
    unclaimed(tmp_path)
    unclaimed(None)
    (tmp_path / "claims").write_text("")  # no place for locks: at worst it is computed twice
    assert isinstance(claimed(tmp_path, "a"), ExitStack)


def test_a_point_that_others_are_at_goes_to_the_end_of_the_line(monkeypatch):
    kept = Kept()
    points = Points(dict, {name: {"x": name} for name in "abc"}, kept=kept, effort=Effort())
    taken, marks = {"a"}, {name: Marks() for name in "abc"}
    monkeypatch.setattr(kept, "claim", lambda name: None if name in taken else marks[name])
    assert points.next_task(1).identity == "b"
    assert list(points.waiting) == ["c", "a"]
    kept.keep("c", 1)  # another run has answered it meanwhile
    assert points.next_task(1) is None
    assert (list(points.waiting), marks["c"].back, points.more) == (["a"], 1, True)
    taken.clear()
    task = points.next_task(1)
    assert (task.identity, task.call[2], points.more) == ("a", {"x": "a"}, False)


def test_workers_may_die_over_a_point_so_often():
    points = Points(dict, {"a": {}}, kept=Kept(), effort=Effort())
    task = SimpleNamespace(identity="a")
    points.waiting.clear()
    for died in range(1, STRIKES):
        points.lost(task, CancelledError())  # nobody died
        points.lost(task, BrokenProcessPool())
        assert (points.strikes["a"], len(points.waiting)) == (died, 2 * died)
    with pytest.raises(BrokenProcessPool):
        points.lost(task, BrokenProcessPool())
    with pytest.raises(ZeroDivisionError):
        Points(dict, {"a": {}}, kept=Kept(), effort=Effort()).lost(task, ZeroDivisionError())


def test_no_more_workers_than_points_and_the_seconds_of_each(monkeypatch):
    asked = []

    def noted(*, processes, dask):
        assert dask is None
        asked.append(processes)
        return workers()

    monkeypatch.setattr("msj.executors.points.workers", noted)
    for processes in (1, 2, 5):
        answered(dict, {"a": {"x": 1}, "b": {"x": 2}}, processes=processes, effort=Effort())
    assert asked == [1, 2, 2]
    now = iter([10.0, 12.5])
    monkeypatch.setattr(time, "perf_counter", lambda: next(now))
    assert _timed(dict, {"x": 1}) == ({"x": 1}, 2.5)
