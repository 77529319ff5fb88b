"""Workers: this process, threads, processes, or a Dask cluster, each as a ``concurrent.futures.Executor``.

A task is a plain function of values that can be sent elsewhere, and its answer a value that can be sent back.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from typing import Any

from msj.effort import Effort
from msj.errors import InvalidInput
from msj.executors.dask_pool import DaskPool
from msj.executors.packing import pack, run_packed, unpacked
from msj.executors.safe_path import safe_children
from msj.store.user_files import msj_path_folders

CONNECT = 10.0  # seconds to wait for a Dask scheduler that does not answer


class Workers:
    """An executor, how many tasks it does at a time, and a new one if it breaks."""

    def __init__(self, make: Callable[[], Executor], slots: Callable[[], int]) -> None:
        self._make, self._slots = make, slots
        self.executor = make()
        self.given_up = False
        self.notes: list[str] = []  # sentences about workers, for the result

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

    def value(self, future: Future[Any]) -> Any:
        """Return the value of a task that has ended, or raise its error."""
        return future.result()

    def look(self, effort: Effort) -> None:
        """Look after the workers; called while tasks are under way, at least every second."""

    def give_up(self, futures: Iterable[Future[Any]]) -> None:
        """Wait for none of these any more."""
        for future in futures:
            future.cancel()
            self.given_up = True

    def renew(self) -> None:
        """Take a new executor in place of one that broke."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._make()


class PackedWorkers(Workers):
    """Workers in other processes: every task carries the identity of its code and the user's files (``packing``)."""

    def __init__(self, make: Callable[[], Executor], slots: Callable[[], int]) -> None:
        super().__init__(make, slots)
        self.folders = msj_path_folders()

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Begin a task."""
        return super().submit(run_packed, *pack(task, arguments, folders=self.folders))

    def value(self, future: Future[Any]) -> Any:
        """Return the value of a task that has ended, or raise its error."""
        return unpacked(future.result())


class DaskWorkers(Workers):
    """The workers of a Dask cluster, as they come and go."""

    def __init__(self, client: Any) -> None:
        pool = DaskPool(client)
        super().__init__(lambda: pool, lambda: pool.slots)
        self.pool = pool

    def look(self, effort: Effort) -> None:
        """Send tasks elsewhere where that is necessary, and say so."""

        def tell(sentence: str) -> None:
            self.notes.append(sentence[0].upper() + sentence[1:] + ".")
            effort.tell(0.0, sentence, notice=True)

        self.pool.look(tell)


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
    dask: Any = None,
    executor: Executor | None = None,
) -> Iterator[Workers]:
    """Provide workers; what was started here ends with them, and what was given stays.

    Parameters
    ----------
    processes, threads, executor
        So many processes or threads, or any executor.
    dask
        A Dask cluster: the address of its scheduler, or a ``distributed.Client``.

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
        kind = Workers if isinstance(executor, (Here, ThreadPoolExecutor)) else PackedWorkers
        yield kind(lambda: executor, lambda: slots)
        return
    if dask is not None:
        with dask_workers(dask) as found:
            yield found
        return
    while_open = ExitStack()
    if threads is not None and threads > 1:
        pool = Workers(lambda: ThreadPoolExecutor(threads, thread_name_prefix="msj"), lambda: threads)
    elif processes > 1:
        # Spawned, not forked: a fork of a process with threads (BLAS, numba) may hang.
        context = multiprocessing.get_context("spawn")
        while_open.enter_context(safe_children())
        pool = PackedWorkers(lambda: ProcessPoolExecutor(processes, context, obey), lambda: processes)
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
def dask_workers(cluster: Any) -> Iterator[DaskWorkers]:
    """Provide the workers of a Dask cluster, given by the address of its scheduler or by a client of it."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InvalidInput("Dask is not installed; pip install 'msj[dask]'") from None
    if not isinstance(cluster, str):
        with _used(cluster) as found:
            yield found
        return
    _check_address(cluster)
    try:
        client = distributed.Client(cluster, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidInput(f"no Dask scheduler answers at '{cluster}' ({error}); start one: dask scheduler") from None
    try:
        with _used(client) as found:
            yield found
    finally:
        client.close(timeout=2)


def _check_address(address: str) -> None:
    """Raise an error for what is no address; a client that is made of it would hang when it is given up."""
    comm: Any = importlib.import_module("distributed.comm")
    try:
        scheme, place = comm.parse_address(address)
        comm.registry.get_backend(scheme)
        if scheme in ("tcp", "tls"):
            comm.parse_host_port(place)
    except ValueError as error:
        raise InvalidInput(
            f"dask = '{address}' is no address of a scheduler ({error}); write tcp://HOST:8786, or the address that "
            "dask scheduler prints"
        ) from None


@contextmanager
def _used(client: Any) -> Iterator[DaskWorkers]:
    if not hasattr(client, "scheduler_info") or getattr(client, "asynchronous", False):
        raise InvalidInput(f"dask = {client!r} is no cluster; give an address or a distributed.Client (synchronous)")
    found = DaskWorkers(client)
    try:
        found.pool.wait_for_workers()
        yield found
    finally:
        found.executor.shutdown(wait=False)
