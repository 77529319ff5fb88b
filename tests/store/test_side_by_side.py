"""Many answers side by side: in order, once each, shared between runs, and gone on with after any end."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from msj.effort import Effort
from msj.store import Answers
from msj.store.side_by_side import answer_all

RUN = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from msj.store import Answers
from msj.store.side_by_side import answer_all
from msj.effort import Effort
from test_side_by_side import logged
if __name__ == "__main__":
    folder, log = Path(sys.argv[1]), sys.argv[2]
    processes, seconds, stop = int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
    cells = {{f"c{{x}}": {{"x": x, "log": log, "seconds": seconds}} for x in range(12)}}
    with Answers(folder) as answers:
        effort = Effort(cancel=lambda: stop and Path(log).exists())
        answer_all(answers, logged, cells, processes=processes, effort=effort)
        print(sorted(answers[cell].value for cell in cells if cell in answers), flush=True)
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


def test_only_what_is_missing_is_computed(tmp_path):
    log = tmp_path / "log"
    with Answers(tmp_path / "store") as answers:
        answer_all(answers, logged, cells_of([0, 1], log))
        answer_all(answers, logged, cells_of([1, 2], log))
        assert [answers[f"c{x}"].value for x in range(3)] == [0, 1, 4]
    assert lines(log) == [0, 1, 2]


def test_an_error_comes_as_it_is_and_what_was_answered_is_kept(tmp_path):
    log = tmp_path / "log"
    with Answers(tmp_path / "store") as answers, pytest.raises(ValueError, match="no two"):
        answer_all(answers, refuses_two, cells_of(range(4), log))
    with Answers(tmp_path / "store") as answers:
        assert list(answers) == ["c0", "c1"]
    assert os.listdir(tmp_path / "store") == ["answers-1.jsonl"]


def test_an_error_in_another_process_comes_here(tmp_path):
    with Answers() as answers, pytest.raises(TypeError, match="argument"):
        answer_all(answers, divmod, {"a": {"x": 1}, "b": {"x": 2}}, processes=2)


def test_a_state_waits_for_the_next_run_and_goes_with_the_answer(tmp_path):
    with Answers(tmp_path) as answers, pytest.raises(KeyboardInterrupt):
        answer_all(answers, remembers, {"a": {"x": 1}}, states="state")
    assert os.listdir(tmp_path) == ["a.state"]
    with Answers(tmp_path) as answers:
        answer_all(answers, remembers, {"a": {"x": 1}}, states="state")
        assert answers["a"].value == "half way"
    assert os.listdir(tmp_path) == ["answers-1.jsonl"]
    memory = Answers()
    answer_all(memory, remembers, {"a": {"x": 2}}, states="state")
    assert memory["a"].value == ""


def test_progress_counts_what_was_there(tmp_path):
    seen, log = [], tmp_path / "log"
    answers = Answers()
    answers.keep("c0", 0)
    effort = Effort(progress=lambda now: seen.append((now.done, now.words)))
    answer_all(answers, logged, cells_of(range(4), log), effort=effort)
    assert seen == [(0.5, "2 of 4 answers"), (0.75, "3 of 4 answers"), (1.0, "4 of 4 answers")]


def test_an_effort_that_is_over_leaves_the_rest(tmp_path):
    answers, log = Answers(), tmp_path / "log"
    effort = Effort(cancel=lambda: len(answers) == 2)
    answer_all(answers, logged, cells_of(range(4), log), effort=effort)
    assert list(answers) == ["c0", "c1"]


def test_cancelling_ends_processes_under_way(tmp_path):
    run = start_run(tmp_path, processes=2, seconds=60.0, stop=1)  # as soon as one has begun
    assert run.communicate(timeout=40)[0] == "[]\n"
    assert lines(tmp_path / "log")
    assert not any(alive(worker) for worker in workers(tmp_path / "log"))
    assert os.listdir(tmp_path / "store") == []


def test_what_another_run_is_at_is_left_to_it_and_then_read(tmp_path):
    log = tmp_path / "log"
    with Answers(tmp_path) as ours, Answers(tmp_path) as theirs:
        claim = theirs.claim("c1")
        claim.__enter__()

        def finish():
            theirs.keep("c1", "theirs")
            claim.__exit__(None, None, None)

        timer = threading.Timer(0.3, finish)
        timer.start()
        answer_all(ours, logged, cells_of(range(3), log))
        timer.join()
        assert [ours[f"c{x}"].value for x in range(3)] == [0, "theirs", 4]
    assert lines(log) == [0, 2]


def test_two_runs_on_one_folder_share_the_work(tmp_path):
    runs = [start_run(tmp_path, processes=1) for _ in range(2)]
    said = [run.communicate(timeout=60)[0] for run in runs]
    assert said == [f"{[x * x for x in range(12)]}\n"] * 2
    assert sorted(lines(tmp_path / "log")) == list(range(12))
    assert not [file for file in os.listdir(tmp_path / "store") if file.endswith(".lock")]


def test_a_run_killed_at_any_moment_takes_its_processes_along_and_is_gone_on_with(tmp_path):
    log = tmp_path / "log"
    run = start_run(tmp_path, processes=2)
    wait_for(lambda: len(lines(log)) >= 4)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    wait_for(lambda: not any(alive(worker) for worker in workers(log)))
    with Answers(tmp_path / "store") as answers:
        before = list(answers)
    assert before
    again = start_run(tmp_path, processes=1)
    assert again.communicate(timeout=60)[0] == f"{[x * x for x in range(12)]}\n"
    for cell in before:
        assert lines(log).count(int(cell[1:])) == 1
