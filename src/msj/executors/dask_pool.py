"""A Dask cluster as an executor whose workers come and go.

Every task carries the identity of the code that must compute it (``packing``). A worker with other code is named and
gets no more work; its tasks run elsewhere. A worker that has not been heard of for some seconds is named too, and its
tasks are computed by others as well: a task is deterministic, so whichever copy comes back first is the answer. If the
scheduler is lost, the tasks wait for it for some seconds.

Replies arrive on the thread of Dask's event loop. Everything else happens in :meth:`DaskPool.look`, on the thread that
hands out tasks.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msj.errors import InvalidInput
from msj.executors.dask_roster import Roster
from msj.executors.packing import REFUSED, SchedulerLost, WorkerDied, pack, run_packed, unpacked
from msj.store import worker_identity
from msj.store.user_files import msj_path_folders

LOST = 15.0  # seconds without a scheduler, before the work ends
RETRIES = 4  # attempts of a task that fail outside of it, before it is given up
WATCH = 0.5  # seconds between two looks at the cluster
OFTEN = 0.1  # seconds between two looks at the tasks
PATIENCE = 3.0  # seconds to wait for the first worker before tasks are handed out
Tell = Callable[[str], None]


@dataclass(kw_only=True, eq=False)
class Pending:
    """A task without a reply."""

    call: tuple[Any, ...]
    future: Future[Any]
    attempts: list[Attempt] = field(default_factory=list)
    failures: int = 0


@dataclass(kw_only=True, eq=False)
class Attempt:
    """A copy of a task at the cluster; ``allowed`` are the workers it may run on, None means any."""

    future: Any
    allowed: frozenset[str] | None
    sent: float


class DaskPool(Executor):
    """Runs tasks on the workers of a Dask client.

    Parameters
    ----------
    client
        A ``distributed.Client``, not asynchronous.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)
        self.roster = Roster(worker_identity())
        self.pending: set[Pending] = set()
        self.again: deque[Pending] = deque()  # to be sent once more
        self.folders = msj_path_folders()
        self.lost_since: float | None = None
        self.looked = 0.0
        self.closed = False
        self._lock = threading.Lock()
        client.loop.add_callback(self._watch)

    @property
    def slots(self) -> int:
        """Tasks that are done at a time."""
        return self.roster.threads

    def wait_for_workers(self) -> None:
        """Wait for the first worker with the same code, but not for long."""
        until = time.monotonic() + PATIENCE
        while not self.roster.usable and not self.roster.all_refused and time.monotonic() < until:
            self.roster.look(self._greet)
            time.sleep(0.02)

    def submit(self, function: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        """Begin a task; without a worker that may do it, it waits here."""
        assert not more
        call = pack(function, args, folders=self.folders, by_value=True)
        task = Pending(call=call, future=Future())
        task.future.add_done_callback(lambda _: self._forget(task))
        with self._lock:
            self.pending.add(task)
        self._send(task)
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Wait for nothing any more; the cluster stays as it is."""
        self.closed = True
        for task in list(self.pending):
            task.future.cancel()

    def look(self, tell: Tell) -> None:
        """Do what has become necessary: send tasks again, name workers that are refused or silent."""
        if time.monotonic() - self.looked < OFTEN and not self.again:
            return
        self.looked = time.monotonic()
        self._find_scheduler(tell)
        if self.lost_since is not None:
            return
        self.roster.look(self._greet)
        for sentence in self.roster.news():
            tell(sentence)
        if self.roster.all_refused:
            raise InvalidInput(self.roster.all_refused)
        while self.again:
            self._send(self.again.popleft())
        usable = self.roster.usable
        for task in list(self.pending):
            if not task.attempts or (usable and all(self._stuck(each, usable) for each in task.attempts)):
                self._send(task)

    def _stuck(self, attempt: Attempt, usable: frozenset[str]) -> bool:
        """Return whether no worker that answers is at an attempt."""
        if attempt.allowed is not None and not attempt.allowed & usable:
            return True
        at_work = self.roster.at_work
        waited = time.monotonic() - attempt.sent
        return at_work is not None and waited > 2 * WATCH + self.roster.silence and attempt.future.key not in at_work

    def _find_scheduler(self, tell: Tell) -> None:
        status = self.client.status
        if status == "running":
            if self.lost_since is not None:
                tell(f"the Dask scheduler at {self.address} answers again")
                self.lost_since = None
            return
        if self.lost_since is None:
            self.lost_since = time.monotonic()
            tell(f"the Dask scheduler at {self.address} does not answer; trying again for {LOST:.0f} seconds")
        if status == "closed" or time.monotonic() - self.lost_since > LOST:
            raise SchedulerLost(
                f"the Dask scheduler at {self.address} was lost; start it and its workers, and run the same command "
                "again: what was kept (--out, --checkpoint) is not computed again"
            )

    def _send(self, task: Pending) -> None:
        if task.future.done():
            return
        allowed = self.roster.allowed
        if allowed is not None and not allowed:
            return  # no worker may do it yet
        options = {} if allowed is None else {"workers": sorted(allowed), "allow_other_workers": False}
        try:
            future = self.client.submit(run_packed, *task.call, pure=False, **options)
        except Exception:  # the connection was lost a moment ago
            if self.client.status == "running":
                raise
            return
        attempt = Attempt(future=future, allowed=allowed, sent=time.monotonic())
        task.attempts.append(attempt)
        self.client.loop.add_callback(self._receive, task, attempt)

    def _forget(self, task: Pending) -> None:
        with self._lock:
            self.pending.discard(task)
        attempts, task.attempts = task.attempts, []
        for attempt in attempts:
            if not attempt.future.done() and self.client.status == "running":
                with suppress(Exception):
                    self.client.loop.add_callback(attempt.future.release)

    async def _receive(self, task: Pending, attempt: Attempt) -> None:
        """Wait for an attempt, on the thread of the event loop."""
        try:
            reply = await attempt.future
        except BaseException as error:  # whatever happened outside of the task
            self._failed(task, attempt, error)
            return
        if reply[0] == REFUSED:
            self.roster.refuse(reply[1], reply[2])
            self._drop(task, attempt)
            return
        with suppress(InvalidStateError):  # another copy was faster, or nobody waits any more
            try:
                task.future.set_result(unpacked(reply))
            except InvalidStateError:
                raise
            except Exception as error:
                task.future.set_exception(error)

    def _failed(self, task: Pending, attempt: Attempt, error: BaseException) -> None:
        self._drop(task, attempt)
        if isinstance(error, (CancelledError, asyncio.CancelledError)) or self.client.status != "running":
            return
        task.failures += 1
        if type(error).__name__ == "KilledWorker" or task.failures >= RETRIES:
            with suppress(InvalidStateError):
                task.future.set_exception(WorkerDied(f"{type(error).__name__}: {error}"))

    def _drop(self, task: Pending, attempt: Attempt) -> None:
        with suppress(ValueError):
            task.attempts.remove(attempt)
        if not task.attempts and not task.future.done():
            self.again.append(task)

    def _greet(self, worker: str) -> None:
        """Ask a worker that is new for the identity of its code."""
        options = {"workers": [worker], "allow_other_workers": False, "pure": False, "priority": 10}
        future = self.client.submit(worker_identity, **options)

        async def hear() -> None:
            try:
                self.roster.hear(worker, await future)
            except (CancelledError, asyncio.CancelledError):
                return  # it has gone, or the connection has
            except Exception as error:
                self.roster.refuse(worker, f"{type(error).__name__}: {error}")

        self.client.loop.add_callback(hear)

    async def _watch(self) -> None:
        """Keep up with the workers there are, on the thread of the event loop."""
        while not self.closed and self.client.status != "closed":
            try:
                found = await self.client.scheduler.identity()
                processing = await self.client.scheduler.processing() if self.roster.silent else None
                self.roster.see(found["workers"], processing)
            except Exception:  # no scheduler at the moment
                self.roster.unseen()
            await asyncio.sleep(WATCH)
