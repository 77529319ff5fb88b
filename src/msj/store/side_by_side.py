"""Many independent questions answered side by side in processes, each answer kept as soon as it is known.

A run that was interrupted goes on where it was: what is answered is skipped, and what was under way finds its state.
Several runs on one folder share the work: each locks the questions it is at and leaves the others' alone, and what
another run has answered meanwhile is read, not computed. A run that is killed loses its locks and its processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from typing import Any

from msj.effort import Effort
from msj.store.answers import Answers
from msj.store.files import Locked

PAUSE = 0.5  # seconds between two looks at the clock, or at what other runs have done


def answer_all(
    answers: Answers,
    function: Callable[..., Any],
    cells: Mapping[str, Mapping[str, Any]],
    *,
    processes: int = 1,
    effort: Effort | None = None,
    states: str | None = None,
) -> None:
    """Compute ``function(**arguments)`` for each cell that has no answer yet, and keep it.

    Parameters
    ----------
    answers
        Where answers are looked up and kept. Cells that are not there afterwards are those the effort did not allow.
    function
        A function of a module (it is sent to other processes) whose answers are plain data.
    cells
        The arguments, plain data, by the identity of their answer.
    processes
        How many at a time; one computes in this process.
    effort
        Its deadline and its cancel are asked for between answers and twice a second; its progress is told after each.
    states
        The name of one more argument: a path where a long computation may keep its state, None if nothing is kept.

    Examples
    --------
    >>> answers = Answers()
    >>> answer_all(answers, dict, {"a1": {"x": 1}, "a2": {"x": 2}})
    >>> answers["a2"].value
    {'x': 2}
    """
    effort = Effort() if effort is None else effort
    waiting = deque(identity for identity in cells if identity not in answers)
    running: dict[Future[tuple[Any, float]], tuple[str, ExitStack]] = {}

    def start(identity: str) -> None:
        with ExitStack() as claim:
            claim.enter_context(answers.claim(identity))
            answers.refresh()
            if identity not in answers:  # nor has another run answered it meanwhile
                state = {} if states is None else {states: answers.state_of(identity)}
                future = pool.submit(_timed, function, {**cells[identity], **state})
                running[future] = identity, claim.pop_all()

    with _workers(min(processes, len(waiting)), running) as pool:
        while (waiting or running) and not effort.over:
            for _ in range(len(waiting)):
                if len(running) == processes:
                    break
                try:
                    start(waiting[0])
                    waiting.popleft()
                except Locked:
                    waiting.rotate(-1)  # another run is at it, and may yet leave it to us
            if waiting and not running:
                time.sleep(PAUSE)
            for future in wait(running, timeout=PAUSE, return_when=FIRST_COMPLETED).done:
                value, seconds = future.result()
                identity, claim = running.pop(future)
                with claim:
                    answers.keep(identity, value, seconds=seconds)
                known = len(cells) - len(waiting) - len(running)
                effort.tell(known / len(cells), f"{known} of {len(cells)} answers")


class _Here(Executor):
    """One process is this process: nothing is started, and errors come as they are."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*args, **more))
        return future


@contextmanager
def _workers(processes: int, running: Mapping[Future[Any], tuple[str, ExitStack]]) -> Iterator[Executor]:
    others = set(multiprocessing.active_children())
    # Spawned, not forked: a fork of a process with threads (BLAS, numba) may hang.
    context = multiprocessing.get_context("spawn")
    alone = processes <= 1
    with ExitStack() as claims, _Here() if alone else ProcessPoolExecutor(processes, context, obey) as pool:
        try:
            yield pool
        finally:
            for _, claim in running.values():
                claims.push(claim)
            if running:  # given up at once: what they had done is in their states
                pool.shutdown(wait=False, cancel_futures=True)
                for worker in set(multiprocessing.active_children()) - others:
                    worker.terminate()


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


def _timed(function: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    value = function(**arguments)
    return value, time.perf_counter() - started
