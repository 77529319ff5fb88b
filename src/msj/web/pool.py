"""The processes that compute: a question gets a free one, or waits; one that nobody waits for is stopped.

Whoever asks holds a worker only while he listens. If he leaves before the answer is complete, the worker is told so and
has a moment to end by itself (a simulation looks up between two pieces); a chain that is being solved does not look
up, so its process is ended and another one started in its place.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from msj.web.errors import Refused, busy, defect, out_of_time
from msj.web.free import Free, kin_of
from msj.web.limits import Limits

LONGEST_LINE = 2**26  # bytes; a report is some two million


@dataclass(frozen=True, kw_only=True)
class Message:
    """One line of a worker."""

    kind: str
    status: int
    payload: bytes

    @property
    def last(self) -> bool:
        """Whether nothing follows."""
        return self.kind in ("done", "error")


class Process:
    """A worker seen from outside."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.number = 0  # of the question it works on
        self.kin = ""  # the cluster it knows
        self.finished = True

    def send(self, message: dict[str, Any]) -> None:
        """Tell it something; one that has just died is found out when it is listened to."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def hear(self) -> Message:
        """Return its next line; what belongs to an earlier question is passed over."""
        assert self.process.stdout is not None
        while True:
            line = await self.process.stdout.readline()
            if not line.endswith(b"\n"):
                raise defect("a computation ended without an answer, perhaps for want of memory")
            number, kind, status, payload = line.rstrip(b"\n").split(b" ", 3)
            if int(number) == self.number:
                found = Message(kind=kind.decode(), status=int(status), payload=payload)
                self.finished = found.last
                return found

    async def end(self) -> None:
        """End it, now."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


class Pool:
    """So many workers, and those who wait for one."""

    def __init__(self, limits: Limits, own_policies: Sequence[str] = (), log: str = "") -> None:
        self.limits, self.own_policies, self.log = limits, tuple(own_policies), log
        self.free: Free[Process] = Free()
        self.waiting = 0
        self.under_way = 0
        self.numbers = itertools.count(1)
        self.all: set[Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def open(self) -> None:
        """Start the workers; questions wait until the first is ready."""
        self._later(self._start_all())

    async def close(self) -> None:
        """End all of them."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        for process in tuple(self.all):
            await process.end()

    async def ask(self, task: str, request: dict[str, Any], seconds: float) -> AsyncIterator[Message]:
        """Give the messages of an answer, the last included; a time limit and a full house are refusals."""
        until = asyncio.get_running_loop().time() + seconds
        async with self._worker(kin_of(request), until, seconds) as process:
            left = max(until - asyncio.get_running_loop().time(), 0.1)
            # Computations are asked to end a little sooner, so that what they have by then still arrives.
            process.send({"id": process.number, "task": task, "seconds": 0.95 * left, "request": request})
            while True:
                try:
                    async with asyncio.timeout_at(until):
                        message = await process.hear()
                except TimeoutError:
                    raise out_of_time(seconds) from None
                yield message
                if message.last:
                    return

    @asynccontextmanager
    async def _worker(self, kin: str, until: float, seconds: float) -> AsyncIterator[Process]:
        if self.waiting >= self.limits.waiting:
            raise busy()
        self.waiting += 1
        try:
            async with asyncio.timeout_at(until):
                process = await self.free.get(kin)
        except TimeoutError:
            raise out_of_time(seconds) from None
        finally:
            self.waiting -= 1
        process.number, process.finished = next(self.numbers), False
        self.under_way += 1
        try:
            yield process
        finally:
            self.under_way -= 1
            if process.finished:
                self.free.put(process)
            else:
                self._later(self._recover(process))

    async def _recover(self, process: Process) -> None:
        """Stop what nobody waits for, and have the worker, or another one, free again."""
        try:
            process.send({"cancel": process.number})
            async with asyncio.timeout(self.limits.grace):
                while not process.finished:
                    await process.hear()
        except (TimeoutError, Refused, OSError):
            self.all.discard(process)
            await process.end()
            await self._start()
        else:
            self.free.put(process)

    async def _start_all(self) -> None:
        """Start one after the other: the first is what the page waits for, and loading is work for a whole core."""
        for _ in range(self.limits.workers):
            await self._start()

    async def _start(self) -> None:
        if self._closed:
            return
        process = Process(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "msj.web.worker",
                self.log,
                *self.own_policies,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
        )
        self.all.add(process)
        await process.hear()  # that it is ready
        self.free.put(process)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
