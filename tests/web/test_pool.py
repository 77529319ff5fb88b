"""Who gets a worker, who waits, who is refused, and what becomes of a worker nobody listens to; workers are made up."""

import asyncio
import json
import sys
from types import SimpleNamespace

import pytest

from msj.web import pool as pools
from msj.web.errors import Refused
from msj.web.limits import Limits
from msj.web.pool import Pool
from msj.web.process import BOOT, Message, Process, WorkerLost

REQUEST = {"spec": {"servers": 2}}


class Machine:
    """A process as asyncio has it: what it is told, and the lines it says when it is told something."""

    def __init__(self, *lines, cancelled=()):
        self.told, self.ended, self.returncode = [], [], None
        self.lines, self.cancelled = list(lines), list(cancelled)
        self.stdin, self.stdout = SimpleNamespace(write=self.write), SimpleNamespace(readline=self.readline)

    def write(self, line):
        assert line.endswith(b"\n")
        self.told.append(json.loads(line))
        if "cancel" in self.told[-1]:
            self.lines += self.cancelled

    async def readline(self):
        while not self.lines:
            await asyncio.sleep(0.001)
        return self.lines.pop(0)

    def kill(self):
        self.ended.append("killed")

    async def wait(self):
        self.ended.append("waited for")
        return 3


def pool_of(*machines, **limits):
    pool = Pool(Limits(**limits))
    for machine in machines:
        process = Process(machine)
        pool.all.add(process)
        pool.free.put(process)
    return pool


async def all_of(messages):
    return [(message.kind, message.status, message.payload) async for message in messages]


async def refusal_of(messages):
    with pytest.raises(Refused) as refused:
        await all_of(messages)
    return refused.value.status, refused.value.sentence


def run(work):
    async def limited():
        async with asyncio.timeout(20):
            return await work()

    return asyncio.run(limited())


def test_a_worker_is_told_and_heard():
    async def work():
        machine = Machine(b"6 result 200 {}\n", b'7 result 200 {"a": "b c"}\n', b"7 error 504 late\n", b"7 done")
        process = Process(machine)
        assert (process.number, process.affinity, process.finished) == (0, "", True)
        process.number = 7
        process.send({"cancel": 3})
        assert machine.told == [{"cancel": 3}]
        assert await process.hear() == Message(kind="result", status=200, payload=b'{"a": "b c"}')
        assert process.finished is False
        assert await process.hear() == Message(kind="error", status=504, payload=b"late")
        assert process.finished is True
        with pytest.raises(WorkerLost, match="exit code 3"):  # a line without its end
            await process.hear()
        await process.end()
        machine.returncode = 1
        await process.end()
        assert machine.ended == ["waited for", "killed", "waited for", "waited for"]

    run(work)
    assert [Message(kind=kind, status=200, payload=b"").last for kind in ("done", "error", "result", "progress")] == [
        True,
        True,
        False,
        False,
    ]


def test_an_answer_goes_on_to_its_last_line_and_the_worker_is_free_again():
    async def work():
        machine = Machine(b"1 progress 200 {}\n", b"1 result 200 {}\n", b"1 done 200 {}\n", b"2 done 200 {}\n")
        pool = pool_of(machine)
        assert (pool.waiting, pool.under_way, len(pool.free)) == (0, 0, 1)
        seen = []
        async for message in pool.ask("answer", REQUEST, 100.0):
            seen.append((message.kind, pool.waiting, pool.under_way, len(pool.free)))
        assert seen == [("progress", 0, 1, 0), ("result", 0, 1, 0), ("done", 0, 1, 0)]
        assert (pool.waiting, pool.under_way, len(pool.free)) == (0, 0, 1)
        assert await all_of(pool.ask("document", REQUEST, 100.0)) == [("done", 200, b"{}")]
        seconds = [message.pop("seconds") for message in machine.told]
        # A twentieth sooner, so that what there is by then still arrives.
        assert seconds == pytest.approx([95.0, 95.0], abs=5.0)
        assert max(seconds) <= 95.0
        assert machine.told == [
            {"id": 1, "task": "answer", "request": REQUEST},
            {"id": 2, "task": "document", "request": REQUEST},
        ]

    run(work)


def test_an_answer_that_takes_too_long_is_refused_and_called_off():
    async def work():
        machine = Machine(cancelled=[b"1 result 200 {}\n", b"1 error 499 {}\n"])
        pool = pool_of(machine)
        status, sentence = await refusal_of(pool.ask("answer", REQUEST, 0.05))
        assert (status, "no answer within 0.05 seconds" in sentence, pool.under_way) == (504, True, 0)
        assert len(pool.free) == 0  # not before it has said that it has ended
        [recovering] = pool._tasks
        await recovering
        assert machine.told[0]["seconds"] == pytest.approx(0.095)  # a tenth of a second at least, less a twentieth
        assert machine.told[1:] == [{"cancel": 1}]
        assert (len(pool.free), machine.ended) == (1, [])
        await asyncio.sleep(0)
        assert pool._tasks == set()

    run(work)


def test_a_worker_that_does_not_look_up_is_ended_and_another_started(monkeypatch):
    async def work():
        machine, started = Machine(), []

        async def start():
            started.append(1)

        pool = pool_of(machine, grace=0.02)
        monkeypatch.setattr(pool, "_start", start)
        await refusal_of(pool.ask("answer", REQUEST, 0.01))
        await asyncio.gather(*pool._tasks)
        assert (machine.ended, started, pool.all, len(pool.free)) == (["killed", "waited for"], [1], set(), 0)

    run(work)


def test_those_who_wait_are_counted_and_too_many_are_refused():
    async def work():
        pool = pool_of(waiting=2)
        waiting = [asyncio.ensure_future(all_of(pool.ask("answer", REQUEST, 60.0))) for _ in range(2)]
        await asyncio.sleep(0.01)
        assert (pool.waiting, pool.under_way) == (2, 0)
        status, sentence = await refusal_of(pool.ask("answer", REQUEST, 60.0))
        assert (status, sentence) == (503, "too many questions are waiting; ask again in a moment")
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert (pool.waiting, pool.under_way) == (0, 0)
        one = pool_of(waiting=1)
        status, _ = await refusal_of(one.ask("answer", REQUEST, 0.01))
        assert status == 504  # it may wait, and nobody comes

    run(work)


def test_all_workers_are_started_and_all_are_ended(monkeypatch):
    made = []

    async def started(*command, **how):
        machine = Machine(b"0 done 200 {}\n")
        made.append((machine, command, how))
        return machine

    async def work():
        pool = Pool(Limits(workers=3, memory=10), ["mine.py:pick"], "log")
        assert pool.all == set()
        await pool.open()
        await asyncio.gather(*pool._tasks)
        assert (len(made), len(pool.all), len(pool.free)) == (3, 3, 3)
        _, command, how = made[0]
        assert command[:4] == (sys.executable, "-P", "-c", BOOT)  # -P: not from the current folder
        assert json.loads(command[5]) == {"log": "log", "policies": ["mine.py:pick"], "memory": 10}
        assert (how["env"]["OPENBLAS_NUM_THREADS"], how["env"]["PYTHONSAFEPATH"]) == ("1", "1")
        pool._later(asyncio.sleep(60))
        [waiting] = pool._tasks
        await pool.close()
        assert [machine.ended for machine, _, _ in made] == [["killed", "waited for"]] * 3
        await asyncio.wait([waiting], timeout=1)
        assert waiting.cancelled()
        await pool._start()
        assert len(made) == 3  # nobody is started any more

    monkeypatch.setattr(asyncio, "create_subprocess_exec", started)
    run(work)


def test_a_worker_that_does_not_start_is_started_again_and_the_reason_is_given_at_once(monkeypatch):
    """W1: one failure used to leave the server without workers, and every question waited for 60 seconds."""
    first = [[b"0 failed 500 ImportError no numpy\n"], [b""], [b"0 done 200 {}\n", b"3 done 200 {}\n"]]
    made = []

    async def started(*command, **how):
        made.append(Machine(*first[len(made)]))
        return made[-1]

    async def work():
        pool = Pool(Limits(workers=1))
        waiting = asyncio.ensure_future(refusal_of(pool.ask("answer", REQUEST, 60.0)))
        await asyncio.sleep(0)
        await pool.open()
        status, sentence = await waiting  # it was asked before the failure was known
        assert (status, "ImportError no numpy" in sentence) == (503, True)
        status, sentence = await refusal_of(pool.ask("answer", REQUEST, 60.0))
        assert (status, "no worker process starts" in sentence) == (503, True)
        while len(pool.free) == 0:
            await asyncio.sleep(0.001)
        assert (len(made), pool.trouble, made[0].ended) == (3, "", ["killed", "waited for"])
        pool.numbers = iter([3])
        assert await all_of(pool.ask("answer", REQUEST, 60.0)) == [("done", 200, b"{}")]
        await pool.close()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", started)
    monkeypatch.setattr(pools, "FIRST_PAUSE", 0.02)
    run(work)


def test_the_question_of_a_worker_that_died_is_asked_once_more(monkeypatch):
    """W8: it used to be answered with "this is a defect of msj"."""

    async def work():
        dying, healthy = Machine(b"1 progress 200 {}\n", b""), Machine(b"2 result 200 {}\n", b"2 done 200 {}\n")
        pool = pool_of(dying, healthy, grace=0.02)
        monkeypatch.setattr(pool, "_start", lambda: asyncio.sleep(0))
        found = await all_of(pool.ask("answer", REQUEST, 60.0))
        assert [kind for kind, _, _ in found] == ["progress", "result", "done"]
        assert healthy.told[0]["request"] == dying.told[0]["request"] == REQUEST
        await asyncio.gather(*pool._tasks)
        assert [each.process for each in pool.all] == [healthy]

        pool = pool_of(Machine(b""), Machine(b""), grace=0.02)
        monkeypatch.setattr(pool, "_start", lambda: asyncio.sleep(0))
        status, sentence = await refusal_of(pool.ask("answer", REQUEST, 60.0))
        assert (status, "started twice" in sentence, "exit code 3" in sentence) == (500, True, True)

    run(work)


def test_a_worker_that_keeps_too_much_memory_is_replaced(monkeypatch):
    async def work():
        small = Machine(b"0 memory 200 700\n", b"1 done 200 {}\n")
        large = Machine(b"2 memory 200 701\n", b"2 error 400 {}\n")
        pool, started = pool_of(small, retire=700), []

        async def start():
            started.append(1)

        monkeypatch.setattr(pool, "_start", start)
        await all_of(pool.ask("answer", REQUEST, 60.0))
        assert (len(pool.free), started) == (1, [])
        pool = pool_of(large, retire=700)
        pool.numbers = iter([2])
        monkeypatch.setattr(pool, "_start", start)
        await all_of(pool.ask("answer", REQUEST, 60.0))
        await asyncio.gather(*pool._tasks)
        assert (len(pool.free), started, large.ended) == (0, [1], ["killed", "waited for"])

    run(work)
