"""Many points side by side: in order, once each, shared between runs, and gone on with after any end."""

import errno
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import msj
from msj.effort import Effort
from msj.executors.kept import Kept
from msj.executors.points import Points, answered
from msj.executors.workers import BrokenProcessPool as Broken
from msj.executors.workers import Future, Here, Workers
from msj.store import files

RUN = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from msj.executors.points import answered
from msj.effort import Effort
from test_points import logged
if __name__ == "__main__":
    folder, log = Path(sys.argv[1]), sys.argv[2]
    processes, seconds, stop = int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
    points = {{f"c{{x}}": {{"x": x, "log": log, "seconds": seconds}} for x in range(12)}}
    effort = Effort(cancel=lambda: stop and Path(log).exists())
    found = answered(logged, points, folder=folder, processes=processes, effort=effort)
    print(sorted(answer.value for answer in found.values()), flush=True)
"""
WRITE = """
import sys
from pathlib import Path
from msj.executors.kept import Kept
with Kept(Path(sys.argv[1])) as kept:
    for i in range(1_000_000):
        kept.keep(f"{sys.argv[2]}{i}", {"value": i, "text": "x" * 5000})
        print(i, flush=True)
"""


def logged(x, log, seconds=0.0):
    with Path(log).open("a") as file:
        file.write(f"{x} {os.getpid()}\n")
    time.sleep(seconds)
    return x * x


def refuses_two(x, log):
    if x == 2:
        raise ValueError("no two")
    return logged(x, log)


def remembers(x, state):
    before = state.read_text() if state is not None and state.exists() else ""
    if state is not None:
        state.write_text("half way")
    if not before and x == 1:
        raise KeyboardInterrupt
    return before


def lines(log):
    return [int(line.split()[0]) for line in Path(log).read_text().splitlines()] if Path(log).exists() else []


def workers(log):
    return {int(line.split()[1]) for line in Path(log).read_text().splitlines()}


def cells_of(numbers, log):
    return {f"c{x}": {"x": x, "log": str(log)} for x in numbers}


def start_run(tmp_path, processes, seconds=0.05, stop=0):
    script = tmp_path / "run.py"
    script.write_text(RUN.format(tests=str(Path(__file__).parent)))
    arguments = [sys.executable, str(script), str(tmp_path / "store"), str(tmp_path / "log")]
    arguments += [str(processes), str(seconds), str(stop)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def alive(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def ask(function, points, folder=None, effort=None, **options):
    found = answered(function, points, folder=folder, effort=effort or Effort(), **options)
    return {identity: answer.value for identity, answer in found.items()}


def kept(folder):
    with Kept(folder) as found:
        return {identity: answer.value for identity, answer in found.answers.items()}


def only_pieces(folder):
    """Whether nothing is left but whole pieces."""
    return {Path(name).suffix for name in os.listdir(folder)} == {".parquet"}


def test_only_what_is_missing_is_computed(tmp_path):
    log, folder = tmp_path / "log", tmp_path / "new" / "store"
    assert ask(logged, cells_of([0, 1], log), folder) == {"c0": 0, "c1": 1}
    assert ask(logged, cells_of([1, 2], log), folder) == {"c1": 1, "c2": 4}
    assert lines(log) == [0, 1, 2]


def test_an_error_comes_as_it_is_and_what_was_answered_is_kept(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(ValueError, match="no two"):
        ask(refuses_two, cells_of(range(4), log), tmp_path / "store")
    assert kept(tmp_path / "store") == {"c0": 0, "c1": 1}
    assert only_pieces(tmp_path / "store")


def test_an_error_in_another_process_comes_here():
    with pytest.raises(TypeError, match="argument"):
        ask(divmod, {"a": {"x": 1}, "b": {"x": 2}}, processes=2)


def test_what_a_worker_died_over_is_done_by_another_but_not_for_ever(tmp_path):
    class Dying(Here):
        """Every second task comes back as from a pool whose process was killed, every one about c2."""

        begun = 0

        def submit(self, function, /, *given, **more):
            self.begun += 1
            if self.begun % 2 and given[1]["x"] != 2:
                return super().submit(function, *given, **more)
            future = Future()
            future.set_exception(Broken("a process was killed"))
            return future

    points = Points(logged, cells_of([0, 1, 3], tmp_path / "log"), kept=Kept(), effort=Effort())
    points.run(Workers(Dying, lambda: 1))
    assert {identity: answer.value for identity, answer in points.kept.answers.items()} == {"c0": 0, "c1": 1, "c3": 9}
    with pytest.raises(Broken):
        Points(logged, cells_of([2], tmp_path / "log"), kept=Kept(), effort=Effort()).run(Workers(Dying, lambda: 1))


def test_a_state_waits_for_the_next_run_and_goes_with_the_answer(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        ask(remembers, {"a": {"x": 1}}, tmp_path, states="state")
    assert os.listdir(tmp_path) == ["a.state"]
    assert ask(remembers, {"a": {"x": 1}}, tmp_path, states="state") == {"a": "half way"}
    assert only_pieces(tmp_path)
    assert ask(remembers, {"a": {"x": 2}}, states="state") == {"a": ""}


def test_progress_counts_what_was_there(tmp_path):
    seen, log = [], tmp_path / "log"
    ask(logged, cells_of([0], log), tmp_path / "store")
    effort = Effort(progress=lambda now: seen.append((now.done, now.words)))
    ask(logged, cells_of(range(4), log), tmp_path / "store", effort)
    assert seen == [(0.5, "2 of 4 answers"), (0.75, "3 of 4 answers"), (1.0, "4 of 4 answers")]
    seen.clear()
    ask(logged, cells_of([0], log), tmp_path / "one", effort)
    assert seen == [(1.0, "1 of 1 answers")]
    with Kept(None) as kept:
        assert Points(logged, {}, kept=kept, effort=effort).progress() == (0.0, "0 of 0 answers")
    under_way = SimpleNamespace(points=range(8), waiting=[1, 2, 3], tasks=[4])
    assert Points.progress(under_way) == (0.5, "4 of 8 answers")


def test_an_effort_that_is_over_leaves_the_rest(tmp_path):
    log = tmp_path / "log"
    effort = Effort(cancel=lambda: len(lines(log)) == 2)
    assert ask(logged, cells_of(range(4), log), effort=effort) == {"c0": 0, "c1": 1}


def test_cancelling_ends_processes_under_way(tmp_path):
    run = start_run(tmp_path, processes=2, seconds=60.0, stop=1)  # as soon as one has begun
    assert run.communicate(timeout=40)[0] == "[]\n"
    assert lines(tmp_path / "log")
    assert not any(alive(worker) for worker in workers(tmp_path / "log"))
    assert os.listdir(tmp_path / "store") == []


def test_what_another_run_is_at_is_left_to_it_and_then_read(tmp_path):
    log, folder = tmp_path / "log", tmp_path / "store"
    with Kept(folder) as theirs:
        claim = theirs.claim("c1")

        def finish():
            theirs.keep("c1", "theirs")
            claim.__exit__(None, None, None)

        timer = threading.Timer(0.3, finish)
        timer.start()
        assert ask(logged, cells_of(range(3), log), folder) == {"c0": 0, "c1": "theirs", "c2": 4}
        timer.join()
    assert lines(log) == [0, 2]


def test_two_runs_on_one_folder_share_the_work(tmp_path):
    runs = [start_run(tmp_path, processes=1) for _ in range(2)]
    said = [run.communicate(timeout=60)[0] for run in runs]
    assert said == [f"{[x * x for x in range(12)]}\n"] * 2
    assert sorted(lines(tmp_path / "log")) == list(range(12))
    assert not list((tmp_path / "store").rglob("*.lock"))


def test_a_run_killed_at_any_moment_takes_its_processes_along_and_is_gone_on_with(tmp_path):
    log = tmp_path / "log"
    run = start_run(tmp_path, processes=2)
    wait_for(lambda: len(lines(log)) >= 4)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    wait_for(lambda: not any(alive(worker) for worker in workers(log)))
    before = list(kept(tmp_path / "store"))
    assert before
    again = start_run(tmp_path, processes=1)
    assert again.communicate(timeout=60)[0] == f"{[x * x for x in range(12)]}\n"
    for cell in before:
        assert lines(log).count(int(cell[1:])) == 1


def test_no_number_is_no_answer(tmp_path):
    with Kept(tmp_path) as store, pytest.raises(ValueError):
        store.keep("a", math.nan)
    assert os.listdir(tmp_path) == []


def test_one_answer_is_claimed_by_one_run(tmp_path):
    with Kept(tmp_path) as one, Kept(tmp_path) as other:
        with one.claim("a"):
            assert other.claim("a") is None
            other.claim("b").close()
        other.claim("a").close()


def test_two_copies_of_a_folder_merge_by_their_files(tmp_path):
    with Kept(tmp_path / "one") as one, Kept(tmp_path / "other") as other:
        one.keep("a", {"y": (1, 2)}, seconds=2.0)
        one.keep("b", 2)
        other.keep("b", 2)
        other.keep("c", None)
        assert one.answers["a"] == ({"y": [1, 2]}, 2.0)  # as a resumed run would see it
    shutil.copytree(tmp_path / "other", tmp_path / "one", dirs_exist_ok=True)
    assert kept(tmp_path / "one") == {"a": {"y": [1, 2]}, "b": 2, "c": None}


def test_a_full_disk_names_the_file_and_keeps_the_answers_before(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Kept(tmp_path) as store:
        store.keep("a", 1)
        monkeypatch.setattr(files.os, "fsync", full)
        with pytest.raises(msj.InvalidInput, match=r"cannot be written \(No space left"):
            store.keep("b", 2)
        assert "b" not in store.answers
        monkeypatch.undo()
        store.keep("c", 3)
    assert kept(tmp_path) == {"a": 1, "c": 3}
    assert only_pieces(tmp_path)


def test_a_place_that_is_no_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(msj.InvalidInput, match="file' cannot be written"):
        Kept(tmp_path / "file")


def test_two_writers_killed_at_any_moment_lose_nothing_they_had_kept(tmp_path):
    begun = {
        name: subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path), name], stdout=subprocess.PIPE, text=True)
        for name in ("p", "q")
    }
    for writer in begun.values():
        for _ in range(100):  # more than are put together at a time
            writer.stdout.readline()
    said = {}
    for name, writer in begun.items():
        writer.send_signal(signal.SIGKILL)
        said[name] = 100 + len([line for line in writer.communicate()[0].splitlines() if line])
    found = kept(tmp_path)
    for name, count in said.items():
        assert [found[f"{name}{i}"]["value"] for i in range(count)] == list(range(count))
