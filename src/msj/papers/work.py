"""The work behind a figure: many independent points, done side by side, each kept as soon as it is known.

A point's answer is filed under everything it depends on (function, point, scale, seed, version, code), so that a run
that was interrupted goes on where it was, and a changed parameter is never answered with an old number.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msj.papers.figure import Scale
from msj.results import Progress, Watch
from msj.store import code_identity, digest, file_digests, known_rooms, write_text

SHOWS = ("cli", "papers", "plots", "reports")  # rooms in which no number is computed
Point = Mapping[str, Any]


@dataclass(kw_only=True)
class Work:
    """How a figure is to be computed: at which scale, from which seed, by how many processes, kept where.

    Examples
    --------
    >>> Work().map(_double, [{"x": 1}, {"x": 2}])
    [{'y': 2}, {'y': 4}]
    """

    scale: Scale = "quick"
    seed: int = 1
    processes: int = 1
    folder: Path | None = None  # where answers are kept; None keeps nothing
    progress: Watch | None = None
    seconds: float = field(default=0.0, init=False)  # spent on points so far, all processes together

    @property
    def quick(self) -> bool:
        """Whether a minute or two is all there is."""
        return self.scale == "quick"

    def map(self, function: Callable[..., Any], points: Sequence[Point], *, checkpoints: bool = False) -> list[Any]:
        """Return ``function(**point)`` for each point, in order; the answers must be plain data (JSON).

        Parameters
        ----------
        function
            A function of a module (it is sent to other processes).
        points
            Its keyword arguments, plain data.
        checkpoints
            Pass ``checkpoint=path`` too, a file in which a long simulation may keep its state; None where nothing
            is kept.
        """
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
        answers: dict[int, Any] = {}
        for i, point in enumerate(points):
            known = self._recall(function, point)
            if known is not None:
                answers[i] = known[0]
        todo = [i for i in range(len(points)) if i not in answers]

        def keep(i: int, answer: Any, seconds: float) -> None:
            self.seconds += seconds
            answers[i] = self._keep(function, points[i], answer, seconds)
            if self.progress is not None:
                share = len(answers) / len(points)
                self.progress(Progress(done=share, words=f"{len(answers)} of {len(points)} points"))

        def arguments(i: int) -> dict[str, Any]:
            place = self._place(function, points[i])
            return dict(points[i]) | (
                {"checkpoint": place.with_suffix(".state") if place else None} if checkpoints else {}
            )

        if self.processes == 1 or len(todo) < 2:
            for i in todo:
                keep(i, *_timed(function, arguments(i)))
        else:
            self._side_by_side(function, {i: arguments(i) for i in todo}, keep)
        return [answers[i] for i in range(len(points))]

    def _side_by_side(
        self, function: Callable[..., Any], arguments: Mapping[int, Any], keep: Callable[[int, Any, float], None]
    ) -> None:
        others = set(multiprocessing.active_children())
        # Spawned, not forked: a fork of a process with threads (BLAS, numba) may hang.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.processes, mp_context=context, initializer=_leave_interrupts_alone) as pool:
            running: dict[Future[tuple[Any, float]], int] = {
                pool.submit(_timed, function, arguments[i]): i for i in arguments
            }
            try:
                while running:
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        keep(running.pop(future), *future.result())
            except BaseException:
                # Points under way are given up at once: what they had done is in their checkpoints.
                pool.shutdown(wait=False, cancel_futures=True)
                for worker in set(multiprocessing.active_children()) - others:
                    worker.terminate()
                raise

    def _place(self, function: Callable[..., Any], point: Point) -> Path | None:
        if self.folder is None:
            return None
        name = f"{function.__module__}.{function.__qualname__}"
        task = digest(name, dict(point), self.scale, self.seed, version("msj"), _code_of(function.__module__))
        return self.folder / f"{task}.json"

    def _recall(self, function: Callable[..., Any], point: Point) -> list[Any] | None:
        place = self._place(function, point)
        if place is None or not place.exists():
            return None
        try:
            kept = json.loads(place.read_text(encoding="utf-8"))
        except ValueError:
            return None  # cut off while it was written by another program; computed anew
        self.seconds += float(kept["seconds"])
        return [kept["answer"]]

    def _keep(self, function: Callable[..., Any], point: Point, answer: Any, seconds: float) -> Any:
        place = self._place(function, point)
        text = json.dumps({"answer": answer, "seconds": seconds}, allow_nan=False)
        if place is not None:
            write_text(place, text)
            place.with_suffix(".state").unlink(missing_ok=True)
        return json.loads(text)["answer"]  # what a resumed run would see, no more


def _timed(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    answer = function(**arguments)
    return answer, time.perf_counter() - started


def _leave_interrupts_alone() -> None:
    # Ctrl-C reaches every process; the one that asked ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@cache
def _code_of(module: str) -> str:
    """Return a digest of the figure's code and of all it may call: after an edit nothing is answered from a file."""
    own = getattr(sys.modules.get(module), "__file__", None)
    folder = None if own is None else Path(own).parent
    beside = [] if folder is None else file_digests(folder.glob("*.py"), folder)
    here = Path(__file__).parent
    shared = file_digests([here / "systems.py"], here)
    return digest(beside, shared, code_identity([room for room in known_rooms() if room not in SHOWS]))


def _double(x: int) -> dict[str, int]:
    """Serve the example."""
    return {"y": 2 * x}
