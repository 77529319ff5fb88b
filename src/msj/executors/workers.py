"""Who computes: this process, threads, processes, or a Dask cluster, each as a ``concurrent.futures.Executor``.

A task is a plain function of values that can be sent elsewhere, and its answer a value that can be sent back.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from typing import Any

from msj.errors import InvalidInput
from msj.executors.safe_path import safe_children
from msj.store import code_identity


class Workers:
    """An executor, how many tasks it does at a time, and a new one if it breaks."""

    def __init__(self, make: Callable[[], Executor], slots: Callable[[], int]) -> None:
        self._make, self._slots = make, slots
        self.executor = make()
        self.given_up = False

    @property
    def slots(self) -> int:
        """How many tasks are done at a time."""
        return max(self._slots(), 1)

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Begin a task."""
        try:
            return self.executor.submit(task, *arguments)
        except BrokenProcessPool:
            self.renew()
            return self.executor.submit(task, *arguments)

    def give_up(self, futures: Iterable[Future[Any]]) -> None:
        """Wait for none of these any more."""
        for future in futures:
            future.cancel()
            self.given_up = True

    def renew(self) -> None:
        """Take a new executor in place of one that broke."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._make()


class Here(Executor):
    """One process is this process: nothing is started."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        """Do it now."""
        future: Future[Any] = Future()
        future.set_result(function(*args, **more))
        return future


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def workers(
    *,
    processes: int = 1,
    threads: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    rooms: Sequence[str] = (),
) -> Iterator[Workers]:
    """Provide who computes; what was started ends with it, and what was not stays.

    Parameters
    ----------
    processes, threads, dask, executor
        So many processes or threads, the Dask cluster at an address, or any executor.
    rooms
        Rooms of the package whose code must be the same on the workers of a Dask cluster.

    Examples
    --------
    >>> with workers(threads=2) as hands:
    ...     hands.submit(max, 1, 2).result()
    2
    """
    if sum(given is not None for given in (threads, dask, executor)) > 1:
        raise InvalidInput("threads, dask and executor are several ways to compute; give one of them")
    if executor is not None:
        slots = int(getattr(executor, "_max_workers", 0) or cores())
        yield Workers(lambda: executor, lambda: slots)
        return
    if dask is not None:
        with _dask(dask, rooms) as found:
            yield found
        return
    while_open = ExitStack()
    if threads is not None and threads > 1:
        pool = Workers(lambda: ThreadPoolExecutor(threads, thread_name_prefix="msj"), lambda: threads)
    elif processes > 1:
        # Spawned, not forked: a fork of a process with threads (BLAS, numba) may hang.
        context = multiprocessing.get_context("spawn")
        while_open.enter_context(safe_children())
        pool = Workers(lambda: ProcessPoolExecutor(processes, context, obey), lambda: processes)
    else:
        pool = Workers(Here, lambda: 1)
    before = set(multiprocessing.active_children())
    try:
        yield pool
    except BaseException:
        pool.given_up = True
        raise
    finally:
        pool.executor.shutdown(wait=not pool.given_up, cancel_futures=True)
        for started in set(multiprocessing.active_children()) - before if pool.given_up else ():
            started.terminate()
        while_open.close()


def obey() -> None:
    """Leave Ctrl-C to the process that asked, and end with it; what a process that computes does first."""
    # Ctrl-C reaches every process; the one that asked ends the others. If it is killed, they end by themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_one_who_asked, daemon=True).start()


def _end_with_the_one_who_asked() -> None:
    asking = multiprocessing.parent_process()
    if asking is not None:
        asking.join()
        os._exit(1)


@contextmanager
def _dask(address: str, rooms: Sequence[str]) -> Iterator[Workers]:
    """Provide the workers of a Dask cluster, which must have the same msj."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InvalidInput("Dask is not installed; pip install 'msj[dask]'") from None
    try:
        client = distributed.Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidInput(f"no Dask scheduler answers at '{address}' ({error}); start one: dask scheduler") from None
    try:
        mine = code_identity(rooms)
        others = {where for where, theirs in client.run(code_identity, rooms).items() if theirs != mine}
        if others:
            raise InvalidInput(
                f"Dask worker '{sorted(others)[0]}' has another version of msj's code; install the same one there"
            )
        executor = client.get_executor(pure=False)
        try:
            yield Workers(lambda: executor, lambda: sum(client.nthreads().values()))
        finally:
            executor.shutdown(wait=False)
    finally:
        client.close()
