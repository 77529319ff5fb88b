"""Who computes: this process, threads, processes, or a Dask cluster, each as a ``concurrent.futures.Executor``.

A task is a plain function of values that can be sent elsewhere, and its answer a value that can be sent back. Tasks
take many small steps (cells, blocks) for about half a second, so that what it costs to send them does not matter, and a
kill loses no more than that, or the one step that takes longer.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from msj.errors import InvalidInput, MsjError
from msj.plugins import mistake_in_a_file
from msj.simulation.blocks import Block, Stream
from msj.store import code_identity
from msj.store.side_by_side import obey
from msj.sweeps.cell import COMPUTES, Cell
from msj.sweeps.opening import Opened, open_cell

SECONDS = 0.5  # after which a task returns with what it has


@dataclass(frozen=True, kw_only=True)
class Failed:
    """Why a step has no answer; ``lasting`` if it would have none the next time either."""

    failure: str  # a name for programs
    reason: str
    lasting: bool


def open_cells(cells: Sequence[Cell], seconds: float = SECONDS) -> list[tuple[str, Opened | Failed, float]]:
    """Open cells for so long, at least one; return the id of each, what was found, and the seconds it took."""
    found: list[tuple[str, Opened | Failed, float]] = []
    begun = time.perf_counter()
    for cell in cells:
        started = time.perf_counter()
        opened = _tried(open_cell, cell)
        found.append((cell.id, opened, time.perf_counter() - started))
        if time.perf_counter() - begun > seconds:
            break
    return found


def run_blocks(
    stream: Stream, indices: Sequence[int], seconds: float = SECONDS
) -> list[tuple[int, Block | Failed, float]]:
    """Run blocks for so long, at least one; return the number of each, what it saw, and the seconds it took."""
    found: list[tuple[int, Block | Failed, float]] = []
    begun = time.perf_counter()
    for index in indices:
        started = time.perf_counter()
        found.append((index, _tried(stream.run, index), time.perf_counter() - started))
        if time.perf_counter() - begun > seconds:
            break
    return found


def _tried(step: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return step(*arguments)
    except MsjError as error:
        return Failed(failure=error.failure.label, reason=str(error), lasting=True)
    except MemoryError:
        return Failed(failure="too-large", reason="the memory of the machine was not enough", lasting=False)
    except Exception as error:
        said = mistake_in_a_file(error) or f"a defect of msj, please report it: {type(error).__name__}: {error}"
        return Failed(failure="not-supported", reason=said, lasting=False)


class Workers:
    """An executor, how many tasks it does at a time, and a new one if it breaks."""

    def __init__(self, make: Callable[[], Executor], slots: Callable[[], int]) -> None:
        self._make, self._slots = make, slots
        self.executor = make()

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
    *, processes: int = 1, threads: int | None = None, dask: str | None = None, executor: Executor | None = None
) -> Iterator[Workers]:
    """Provide who computes; what was started ends with it, and what was not stays."""
    if sum(given is not None for given in (threads, dask, executor)) > 1:
        raise InvalidInput("threads, dask and executor are several ways to compute; give one of them")
    if executor is not None:
        slots = int(getattr(executor, "_max_workers", 0) or cores())
        yield Workers(lambda: executor, lambda: slots)
        return
    if dask is not None:
        with _dask(dask) as found:
            yield found
        return
    if threads is not None and threads > 1:
        pool = Workers(lambda: ThreadPoolExecutor(threads, thread_name_prefix="msj"), lambda: threads)
    elif processes > 1:
        # Spawned, not forked: a fork of a process with threads (BLAS, numba) may hang.
        context = multiprocessing.get_context("spawn")
        pool = Workers(lambda: ProcessPoolExecutor(processes, context, obey), lambda: processes)
    else:
        pool = Workers(Here, lambda: 1)
    before = set(multiprocessing.active_children())
    try:
        yield pool
    except BaseException:
        pool.executor.shutdown(wait=False, cancel_futures=True)
        for started in set(multiprocessing.active_children()) - before:
            started.terminate()
        raise
    pool.executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _dask(address: str) -> Iterator[Workers]:
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
        mine = code_identity(COMPUTES)
        others = {where for where, theirs in client.run(code_identity, COMPUTES).items() if theirs != mine}
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
