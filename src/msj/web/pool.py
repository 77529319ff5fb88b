"""Worker processes: a question gets an idle one, or waits; one whose client has left is cancelled.

A request holds a worker only while its client listens. If the client leaves before the answer is complete, the worker
gets a cancel message and has a moment to stop by itself (a simulation checks between two batches). The solution of a
chain does not check, so its process is ended and replaced. A worker that dies is replaced, and its question is asked
once more. A worker that does not start is started again, with growing pauses; until one is ready, questions are
refused with the reason.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from msj.web.errors import Refused, busy, no_worker, out_of_time, worker_lost
from msj.web.idle_workers import IdleWorkers, affinity_of
from msj.web.limits import Limits
from msj.web.process import Message, Process, WorkerLost

FIRST_PAUSE, MAX_PAUSE = 0.5, 30.0  # seconds between two attempts to start a worker


class Pool:
    """The worker processes, and the requests that wait for one."""

    def __init__(self, limits: Limits, own_policies: Sequence[str] = (), log: str = "") -> None:
        self.limits = limits
        self.settings = json.dumps({"log": log, "policies": list(own_policies), "memory": limits.memory})
        self.free: IdleWorkers[Process] = IdleWorkers()
        self.waiting = 0
        self.under_way = 0
        self.trouble = ""  # why the last attempt to start a worker failed
        self.numbers = itertools.count(1)
        self.all: set[Process] = set()  # those that are ready or work
        self._starting: set[Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def open(self) -> None:
        """Start the workers; questions wait until the first is ready."""
        self._later(self._start_all())

    async def close(self) -> None:
        """End all workers."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        for process in (*self.all, *self._starting):
            await process.end()

    async def ask(self, task: str, request: dict[str, Any], seconds: float) -> AsyncGenerator[Message, None]:
        """Yield the messages of an answer, the last included; raise Refused when time or places run out."""
        until = asyncio.get_running_loop().time() + seconds
        for attempt in (1, 2):
            try:
                async with aclosing(self._ask(task, request, until, seconds)) as messages:
                    async for message in messages:
                        yield message
            except WorkerLost as error:
                if attempt == 2:
                    raise worker_lost(str(error)) from None
            else:
                return

    async def _ask(
        self, task: str, request: dict[str, Any], until: float, seconds: float
    ) -> AsyncGenerator[Message, None]:
        async with self._worker(affinity_of(request), until, seconds) as process:
            left = max(until - asyncio.get_running_loop().time(), 0.1)
            # Computations are asked to end a little sooner, so that their last results still arrive.
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
    async def _worker(self, affinity: str, until: float, seconds: float) -> AsyncIterator[Process]:
        if self.trouble and not self.all:
            raise no_worker(self.trouble)
        if self.waiting >= self.limits.waiting:
            raise busy()
        self.waiting += 1
        try:
            async with asyncio.timeout_at(until):
                process = await self.free.get(affinity)
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
            if process.finished and process.memory <= self.limits.retire:
                self.free.put(process)
            elif process.finished:
                self._later(self._replace(process))
            else:
                self._later(self._recover(process))

    async def _recover(self, process: Process) -> None:
        """Cancel a question nobody waits for, and have the worker, or another one, idle again."""
        try:
            process.send({"cancel": process.number})
            async with asyncio.timeout(self.limits.grace):
                while not process.finished:
                    await process.hear()
        except (TimeoutError, Refused, WorkerLost, OSError):
            await self._replace(process)
        else:
            self.free.put(process)

    async def _replace(self, process: Process) -> None:
        """End a worker and start another one."""
        self.all.discard(process)
        await process.end()
        await self._start()

    async def _start_all(self) -> None:
        """Start one worker after the other: the page waits for the first, and loading takes a whole core."""
        for _ in range(self.limits.workers):
            await self._start()

    async def _start(self) -> None:
        """Start a worker, again and again until one is ready."""
        pause = FIRST_PAUSE
        while not self._closed:
            try:
                await self._start_once()
            except WorkerLost as error:
                self.trouble = str(error)
                if not self.all:
                    self.free.refuse(no_worker(self.trouble))
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_PAUSE)
            else:
                self.trouble = ""
                return

    async def _start_once(self) -> None:
        process = await Process.create(self.settings)
        self._starting.add(process)
        try:
            await process.ready(self.limits.start)
        except WorkerLost:
            await process.end()
            raise
        finally:
            self._starting.discard(process)
        self.all.add(process)
        self.free.put(process)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
