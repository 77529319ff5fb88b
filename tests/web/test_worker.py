"""What a worker says, line by line; here in this process, with texts in place of pipes."""

import io
import json
import os
import queue
import signal
import threading
import time
from types import SimpleNamespace

import pytest

import msj
from msj.effort import Progress
from msj.errors import Failure, InvalidInput, MsjError
from msj.web import documents, questions, worker
from msj.web.worker import READY, Worker, _refusal

SPEC = msj.read("examples/two_servers.toml").to_spec()


class Outgoing(io.StringIO):
    """Remembers what has left: what was not flushed has not."""

    left = ""

    def flush(self):
        self.left = self.getvalue()


def said_by(number=7, task="answer", request=None, seconds=50, before=None, **options):
    out = Outgoing()
    one = Worker(io.StringIO(), out, **options)
    if before is not None:
        before(one)
    one._answer({"id": number, "task": task, "seconds": seconds, "request": request or {"spec": SPEC}})
    *lines, memory, last = out.left.splitlines()
    assert memory.split()[:3] == [str(number), "memory", "200"]
    assert int(memory.split()[3]) > 10**6
    return [*lines, last]


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = SimpleNamespace(time=0.5)
    monkeypatch.setattr(time, "monotonic", lambda: now.time)
    return now


@pytest.fixture
def answering(monkeypatch):
    """Let a function of effort give the results; return what it was asked."""
    asked = {}

    def put(results):
        def answers_to(name, system, options, effort, **server):
            asked.update(name=name, servers=system.servers, options=options, effort=effort, **server)
            return (SimpleNamespace(to_dict=lambda found=found: found) for found in results(effort))

        monkeypatch.setattr(questions, "answers_to", answers_to)
        return asked

    return put


def test_each_result_is_a_line_and_so_is_the_end(answering, clock):
    asked = answering(lambda _: [{"name": "ä"}, {"value": 2}])
    request = {"spec": SPEC, "question": "analyse", "options": {"exact": True}}
    lines = said_by(request=request, own_policies=["mine"], log="log", seconds=30)
    assert lines == ['7 result 200 {"name": "ä"}', '7 result 200 {"value": 2}', "7 done 200 {}"]
    effort = asked.pop("effort")
    wanted = {"name": "analyse", "servers": 2, "options": {"exact": True}, "own_policies": ("mine",), "log": "log"}
    assert asked == wanted
    assert (effort.until, effort.over) == (30.5, False)
    clock.time = 30.5
    assert effort.over


def test_how_far_it_is_is_said_seldom_unless_people_should_know(answering, clock):
    def results(effort):
        for moment, done, notice in ((0.5, 0.123456, False), (0.69, 0.2, False), (0.71, 0.3, False), (0.72, 0.4, True)):
            clock.time = moment
            effort.progress(Progress(done=done, words=f"{moment} " + "x" * 400, notice=notice))
        clock.time = 0.8
        effort.progress(Progress(done=0.5, words="too soon after the notice"))
        return [{}]

    answering(results)
    *progress, _, last = said_by()
    assert last == "7 done 200 {}"
    assert [line.split(" ", 3)[:3] for line in progress] == [["7", "progress", "200"]] * 3
    found = [json.loads(line.split(" ", 3)[3]) for line in progress]
    assert [each["done"] for each in found] == [0.1235, 0.3, 0.4]
    assert [each["words"].split()[0] for each in found] == ["0.5", "0.71", "0.72"]
    assert {len(each["words"]) for each in found} == {300}


@pytest.mark.parametrize(
    ("number", "cancelled", "goes_on"), [(7, 6, True), (7, 7, False), (7, 9, False), (1, None, True)]
)
def test_what_was_called_off_ends_when_it_next_says_how_far_it_is(answering, number, cancelled, goes_on):
    def results(effort):
        effort.progress(Progress(done=0.5, words="half"))
        return [{}]

    def before(one):
        one.cancelled = one.cancelled if cancelled is None else cancelled

    answering(results)
    lines = said_by(number, before=before)
    if goes_on:
        assert [line.split()[1] for line in lines] == ["progress", "result", "done"]
    else:
        assert lines == [f'{number} error 499 {{"error": "called off", "failure": "interrupted"}}']


def test_a_document_is_one_result(monkeypatch):
    monkeypatch.setattr(documents, "document", lambda system, form, _: {"name": f"ä {system.servers} {form}"})
    lines = said_by(task="document", request={"spec": SPEC, "form": "toml"})
    assert lines == ['7 result 200 {"name": "ä 2 toml"}', "7 done 200 {}"]


def test_what_users_cause_is_said_and_what_we_cause_is_not(answering, capsys):
    assert said_by(request={"spec": 3})[0].startswith('7 error 400 {"error": "spec is missing')
    answering(lambda _: [{"value": float("nan")}])  # no JSON
    [line] = said_by()
    assert line.startswith("7 error 500 ")
    assert json.loads(line.split(" ", 3)[3])["failure"] == "defect"
    assert "Out of range float" in capsys.readouterr().err


TOO_LARGE = "that is too large to compute here; ask about a smaller system"


class Late(MsjError):
    failure = Failure.OUT_OF_TIME


@pytest.mark.parametrize(
    ("error", "status", "failure", "sentence"),
    [
        (InvalidInput("x" * 1999), 400, "invalid-input", "x" * 1999),
        (InvalidInput("x" * 3000), 400, "invalid-input", "x" * 2000),
        (Late("late"), 504, "out-of-time", "late"),
        (MemoryError(), 400, "too-large", TOO_LARGE),
        (RecursionError(), 400, "too-large", TOO_LARGE),
    ],
)
def test_errors_have_a_status_and_a_name(error, status, failure, sentence, capsys):
    found = _refusal(error)
    assert (found.status, found.failure, found.sentence) == (status, failure, sentence)
    assert capsys.readouterr().err == ""


def test_a_defect_is_shown_in_the_terminal_only(capsys):
    found = _refusal(KeyError("secret"))
    assert (found.status, found.failure) == (500, "defect")
    assert "secret" not in found.sentence
    assert "KeyError: 'secret'" in capsys.readouterr().err


def test_it_listens_while_it_works_and_ends_with_its_input(monkeypatch):
    ends = []
    monkeypatch.setattr(os, "_exit", ends.append)
    one = Worker(io.StringIO('{"cancel": 3}\n{"id": 4, "task": "x"}\n{"cancel": 2}\n{"id": 5}\n'), Outgoing())
    assert one.cancelled == 0
    one._listen()
    assert one.cancelled == 3  # they are numbered in order: an older one does not bring it back
    assert [one.asked.get_nowait(), one.asked.get_nowait()] == [{"id": 4, "task": "x"}, {"id": 5}]
    assert ends == [0]


def test_it_says_that_it_is_ready_and_answers_one_after_the_other(monkeypatch):
    class Enough(Exception):
        pass

    class Patient(queue.Queue):
        def get(self):
            return super().get(timeout=5)

    def answer(message):
        answered.append((message["id"], out.left))
        if message["id"] == 5:
            raise Enough

    answered, threads, out = [], [], Outgoing()
    monkeypatch.setattr(os, "_exit", lambda _: threads.append(threading.current_thread()))
    one = Worker(io.StringIO('{"id": 4}\n{"id": 5}\n'), out)
    one.asked = Patient()
    monkeypatch.setattr(one, "_answer", answer)
    with pytest.raises(Enough):
        one.run()
    assert answered == [(4, f"{READY}\n"), (5, f"{READY}\n")]
    for _ in range(500):
        if threads:
            break
        time.sleep(0.01)
    assert threads[0].daemon  # it does not keep the process alive
    assert threads[0] is not threading.current_thread()


def test_standard_output_is_for_answers_only(monkeypatch):
    """Descriptor 1 is put aside for answers before whatever else prints there is sent to the terminal, 2."""
    done = []
    monkeypatch.setattr(signal, "signal", lambda *given: done.append(("signal", *given)))
    monkeypatch.setattr(os, "dup", lambda file: f"copy of {file}")
    monkeypatch.setattr(os, "dup2", lambda *files: done.append(("dup2", *files)))
    monkeypatch.setattr(os, "fdopen", lambda file, mode, encoding: done.append((file, mode, encoding)) or (file, mode))
    monkeypatch.setattr(worker, "warm_up", lambda: done.append("warm"))
    monkeypatch.setattr(worker, "Worker", lambda *given: SimpleNamespace(run=lambda: done.append(given)))
    monkeypatch.setattr(worker, "limit_memory", lambda most: done.append(most))
    worker.main('{"log": "", "policies": ["mine.py:pick"], "memory": 5}')
    assert done == [
        ("signal", signal.SIGINT, signal.SIG_IGN),
        ("copy of 1", "w", "utf-8"),
        ("dup2", 2, 1),
        ("copy of 0", "r", "utf-8"),
        5,
        "warm",
        (("copy of 0", "r"), ("copy of 1", "w"), ["mine.py:pick"], None, 5),
    ]
    log = json.dumps({"file": "jobs.swf", "reading": {"servers": 3}})
    worker.main(json.dumps({"log": log, "policies": [], "memory": 5}))
    log = done[-1][-2]
    assert (str(log.file), log.reading) == ("jobs.swf", {"servers": 3})


def test_an_answer_without_a_single_result_is_out_of_time(answering):
    """W2: it used to be an empty answer with status 200."""
    answering(lambda _: [])
    [line] = said_by()
    assert line.startswith("7 error 504 ")
    assert json.loads(line.split(" ", 3)[3])["failure"] == "out-of-time"


def test_a_computation_that_reaches_its_deadline_is_out_of_time_and_not_called_off(answering, clock):
    def results(effort):
        clock.time = 100.0
        effort.progress(Progress(done=0.5, words="half"))
        return [{}]

    answering(results)
    assert said_by()[0].startswith("7 error 504 ")
