"""Which cell goes on: the loop of a sweep.

Cells are opened first, in the order of the grid; then the next blocks go to the stream with the widest relative
interval, until all have reached the precision. What a stream's answer is made of its own rule decides
(``simulation.looks``); the loop decides only what is computed when. It looks at the folder now and then for what other
sweeps have added, and leaves alone what they are at.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any

from msj.effort import Effort
from msj.results import Quantity
from msj.simulation.blocks import Block, Stream, stage_of
from msj.simulation.looks import Looks
from msj.store import digest
from msj.sweeps.cell import Cell
from msj.sweeps.folder import Folder
from msj.sweeps.line import Line
from msj.sweeps.opening import Opened, stream_id, stream_of
from msj.sweeps.workers import SECONDS, Failed, Workers, open_cells, run_blocks

CHUNK = 32  # cells of a task, at most
LARGEST = 8  # blocks of a task, at most
TELL = 0.2  # seconds between two words about how far it is
AHEAD = 2  # tasks for every worker: one at work and one waiting
PAUSE = 0.5  # seconds between two looks at the clock, or at what other sweeps have done
STRIKES = 4  # workers that may die over a task


@dataclass(kw_only=True)
class Running:
    """A stream under way, with the cells it answers."""

    id: str
    stream: Stream
    cells: list[tuple[Cell, tuple[Quantity, ...]]]
    looks: Looks
    ready: dict[int, Block] = field(default_factory=dict)  # blocks that came before their turn
    under_way: set[int] = field(default_factory=set)
    seconds: float = 0.0  # spent here
    pace: float = 0.0  # seconds for a block of the first length, as last seen

    @property
    def width(self) -> float:
        """How wide the interval is, over the value."""
        return self.looks.standings[-1].width if self.looks.standings else math.inf

    def missing(self, precision: float) -> list[int]:
        """Return the blocks it needs next and nobody is at."""
        wanted = range(self.looks.through, self.looks.expected(precision))
        return [index for index in wanted if index not in self.ready and index not in self.under_way]


@dataclass(kw_only=True)
class Task:
    """Something under way."""

    claims: AbstractContextManager[Any]
    cells: Sequence[Cell] = ()
    running: Running | None = None
    indices: Sequence[int] = ()

    @property
    def key(self) -> str:
        """What it is about."""
        return self.cells[0].id if self.running is None else f"{self.running.id}.{self.indices[0]}"


class Scheduler:
    """Answers cells and keeps the answers in a folder.

    Parameters
    ----------
    folder
        What is known already, and where answers go.
    cells
        What is asked.
    precision, jobs
        When a simulated cell is sharp enough, and the most jobs of one.
    effort
        Its deadline and its cancel are asked for between tasks; its progress is told after each.
    """

    def __init__(self, folder: Folder, cells: Sequence[Cell], *, precision: float, jobs: int, effort: Effort) -> None:
        self.folder, self.precision, self.jobs, self.effort = folder, precision, jobs, effort
        self.cells = {cell.id: cell for cell in cells}
        self.done: set[str] = set()  # cells that have ended, with an answer or without
        self.failed: dict[str, Failed] = {}  # cells without an answer this time
        self.streams: dict[str, Running] = {}
        self.ended: dict[str, tuple[list[Quantity], dict[str, Any]]] = {}  # streams: rows, and how they ended
        self.line: Line[Running] = Line()  # streams that may want blocks
        self.elsewhere: list[Running] = []  # streams whose next blocks others are at
        self.chunks: deque[list[Cell]] = deque()
        self.tasks: dict[Future[Any], Task] = {}
        self.strikes: Counter[str] = Counter()
        self.looked = self.begun = self.told = time.monotonic()
        self._begin()
        self.at_first = self._share_done()

    def _begin(self) -> None:
        self.folder.refresh()
        self.done = {cell for cell in self.cells if self._answered(cell)}
        every = list(self.cells.values())
        waiting: list[Cell] = []
        for start in range(0, len(every), CHUNK):  # the same cells make the same chunks in every sweep of a grid
            chunk = [cell for cell in every[start : start + CHUNK] if not self._answered(cell.id)]
            planned = [cell for cell in chunk if cell.id in self.folder.plans]
            waiting += planned
            if len(planned) < len(chunk):
                self.chunks.append([cell for cell in chunk if cell.id not in self.folder.plans])
        for cell in waiting:
            _, plan, rows = self.folder.plans[cell.id]
            self._simulate(cell, Opened(rows=rows, plan=plan))

    def _answered(self, cell: str) -> bool:
        known = self.folder.answers.get(cell)
        return known is not None and known.does_for(self.precision, self.jobs)

    @property
    def open(self) -> int:
        """Cells without the answer asked for."""
        return len(self.cells) - len(self.done)

    def _keep(self, answers: Sequence[Any]) -> None:
        self.folder.keep_answers(answers)
        self.done.update(cell for cell, *_ in answers if self._answered(cell))

    def run(self, workers: Workers) -> None:
        """Go on until every cell has ended, or the effort has."""
        try:
            while (self.chunks or self.streams or self.tasks) and not self.effort.over:
                self._submit(workers)
                if self.tasks:
                    done = wait(self.tasks, timeout=PAUSE, return_when=FIRST_COMPLETED).done
                    self._take(done)
                elif self.chunks or self.streams:
                    time.sleep(PAUSE)  # others are at all that is left
                if time.monotonic() - self.looked > PAUSE:
                    self._look_around()
                if time.monotonic() - self.told > TELL:
                    self.told = time.monotonic()
                    self.effort.tell(*self._progress())
        finally:
            for task in self.tasks.values():
                task.claims.__exit__(None, None, None)

    def _submit(self, workers: Workers) -> None:
        slots = workers.slots
        most = 1 if slots == 1 else AHEAD * slots
        while len(self.tasks) < most and not self.effort.over:
            task = self._next(slots)
            if task is None:
                return
            if task.running is None:
                future = workers.submit(open_cells, task.cells)
            else:
                future = workers.submit(run_blocks, task.running.stream, task.indices)
            self.tasks[future] = task

    def _next(self, slots: int) -> Task | None:
        for _ in range(len(self.chunks)):
            # Few cells and many workers: smaller tasks, so that all have something to do.
            few = len(self.chunks) <= 2 * slots
            size = max(min(CHUNK, sum(map(len, self.chunks)) // (2 * slots)), 1) if few else CHUNK
            chunk = self.chunks.popleft()
            claim = self.folder.claim(f"cells-{digest([cell.id for cell in chunk[:size]])}")
            if claim is None:
                self.chunks.append(chunk)
                continue
            if chunk[size:]:
                self.chunks.appendleft(chunk[size:])
            return Task(claims=claim, cells=chunk[:size])
        return self._next_blocks()

    def _next_blocks(self) -> Task | None:
        while (running := self.line.next()) is not None:
            missing = running.missing(self.precision) if running.id in self.streams else []
            if not missing:
                continue  # it enters again with what it is waiting for
            claims = ExitStack()
            indices: list[int] = []
            for index in missing:
                expected = running.pace * sum(2 ** stage_of(i) for i in [*indices, index])
                if indices and (expected > SECONDS or len(indices) == LARGEST):
                    break
                claim = self.folder.claim(f"{running.id}-{index}")
                if claim is not None:
                    claims.push(claim)
                    indices.append(index)
            if indices:
                running.under_way.update(indices)
                self._enter(running)  # it may want more
                return Task(claims=claims, running=running, indices=indices)
            self.elsewhere.append(running)
        return None

    def _enter(self, running: Running) -> None:
        """Let a stream wait for its turn."""
        if running.id in self.streams:
            self.line.enter(running.id, running, running.width)

    def _take(self, done: Iterable[Future[Any]]) -> None:
        """Keep what tasks have found; what is written is written before anybody else may begin it."""
        with ExitStack() as claims:
            answers: list[Any] = []
            plans: list[Any] = []
            blocks: list[Any] = []
            touched: list[Running] = []
            for future in done:
                task = self.tasks.pop(future)
                claims.push(task.claims)
                try:
                    found = future.result()
                except (KeyboardInterrupt, MemoryError):
                    raise
                except BaseException as error:  # the worker died, or the pool it was in
                    self._again(task, error)
                    continue
                if task.running is None:
                    self._opened(task, found, answers, plans)
                else:
                    blocks += self._ran(task, found, answers)
                    touched.append(task.running)
            self.folder.keep_blocks(blocks)
            self.folder.keep_plans(plans)
            for running in touched:
                answers += self._advance(running)
            self._keep(answers)

    def _again(self, task: Task, error: BaseException) -> None:
        """Begin a task once more whose worker died; but not for ever."""
        if not isinstance(error, CancelledError):
            self.strikes[task.key] += 1
        died = Failed(
            failure="not-known",
            reason=f"{STRIKES} workers died over it ({type(error).__name__}); give each more memory, or use fewer",
            lasting=False,
        )
        given_up = self.strikes[task.key] >= STRIKES
        if task.running is None:
            if given_up:
                self._fail(task.cells[0], died, 0.0)
            rest = list(task.cells[1:] if given_up else task.cells)
            # One by one from now on: whoever kills workers is found out.
            self.chunks.extend([cell] for cell in rest)
        else:
            task.running.under_way -= set(task.indices)
            if given_up:
                self._give_up(task.running, died)
            self._enter(task.running)

    def _opened(self, task: Task, found: Sequence[Any], answers: list[Any], plans: list[Any]) -> None:
        for cell, (_, opened, seconds) in zip(task.cells, found, strict=False):
            if isinstance(opened, Failed):
                answers += self._fail(cell, opened, seconds)
            elif opened.plan is not None:
                running = self._simulate(cell, opened)
                plans.append((cell.id, running, opened.plan, opened.rows))
            else:
                facts = {"outcome": opened.outcome.label, "message": opened.message or None, "seconds": seconds}
                answers.append((cell.id, cell.at, opened.rows, facts))
        rest = list(task.cells[len(found) :])
        if rest:
            self.chunks.append(rest)

    def _simulate(self, cell: Cell, opened: Opened) -> str:
        """Let a stream answer a cell; return the stream's id."""
        assert opened.plan is not None
        stream = stream_of(cell, opened.plan)
        name = stream_id(stream)
        if name in self.ended:  # a load and an arrival rate may mean the same
            self._keep([self._answer(name, cell, opened.rows)])
            return name
        if name not in self.streams:
            running = Running(id=name, stream=stream, cells=[], looks=Looks(stream))
            running.ready = self.folder.blocks(name)
            self.streams[name] = running
        self.streams[name].cells.append((cell, opened.rows))
        self._keep(self._advance(self.streams[name]))
        return name

    def _ran(self, task: Task, found: Sequence[Any], answers: list[Any]) -> list[Any]:
        running = task.running
        assert running is not None
        running.under_way -= set(task.indices)
        kept = []
        for index, block, seconds in found:
            running.seconds += seconds
            if isinstance(block, Failed):
                answers += self._give_up(running, block)
                break
            running.pace = seconds / 2 ** stage_of(index)
            running.ready[index] = block
            kept.append((running.id, index, block, seconds))
        return kept

    def _advance(self, running: Running) -> list[Any]:
        """Add blocks in their order until the stream has ended or one is missing; return answers, if it has."""
        looks = running.looks
        if running.id in self.ended or self.streams.get(running.id) is not running:
            return []  # a block that was under way when it ended
        while (outcome := looks.outcome(precision=self.precision, jobs=self.jobs)) is None:
            block = running.ready.pop(looks.through, None)
            if block is None:
                self._enter(running)
                return []
            looks.add(block)
        self.streams.pop(running.id, None)
        last = looks.standings[-1] if looks.standings else None
        facts = {
            "outcome": outcome.label,
            "message": looks.sentence(),
            "stream": running.id,
            "precision": self.precision,
            "job_limit": self.jobs,
            "width": last.width if last is not None and math.isfinite(last.width) else None,
            "blocks": 0 if last is None else last.blocks,
            "jobs": 0 if last is None else last.jobs,
            "seconds": running.seconds,
        }
        self.ended[running.id] = looks.rows(running.cells[0][0].asked.levels), facts
        running.ready.clear()
        return [self._answer(running.id, cell, known) for cell, known in running.cells]

    def _answer(self, stream: str, cell: Cell, known: tuple[Quantity, ...]) -> Any:
        """Return a cell's answer, from the stream that has ended and what was known before."""
        rows, facts = self.ended[stream]
        method = f"simulation of {cell.served.policy.name}, {facts['jobs']:,} jobs in {facts['blocks']} blocks"
        taken = {(row.name, row.job_class, row.level) for row in known}
        own = [row.replace(method=method) for row in rows if (row.name, row.job_class, row.level) not in taken]
        return cell.id, cell.at, [*known, *own], facts

    def _fail(self, cell: Cell, failed: Failed, seconds: float) -> list[Any]:
        self.failed[cell.id] = failed
        self.done.add(cell.id)
        if not failed.lasting:
            return []
        facts = {"outcome": failed.failure, "message": failed.reason, "seconds": seconds}
        return [(cell.id, cell.at, (), facts)]

    def _give_up(self, running: Running, failed: Failed) -> list[Any]:
        self.streams.pop(running.id, None)
        return [answer for cell, _ in running.cells for answer in self._fail(cell, failed, running.seconds)]

    def _look_around(self) -> None:
        """Take in what other sweeps have found."""
        self.looked = time.monotonic()
        for running in self.elsewhere:
            self._enter(running)
        self.elsewhere.clear()
        if not self.folder.refresh():
            return
        self.done |= {cell for cell in self.cells if self._answered(cell)}
        for number, chunk in enumerate(self.chunks):
            self.chunks[number] = [cell for cell in chunk if not self._answered(cell.id)]
            for cell in [cell for cell in self.chunks[number] if cell.id in self.folder.plans]:
                self.chunks[number].remove(cell)
                _, plan, rows = self.folder.plans[cell.id]
                self._simulate(cell, Opened(rows=rows, plan=plan))
        self.chunks = deque(chunk for chunk in self.chunks if chunk)
        for running in list(self.streams.values()):
            known = {*range(running.looks.through), *running.ready}
            if self.folder.places.get(running.id, {}).keys() - known:
                running.ready |= self.folder.blocks(running.id, known)
                self._keep(self._advance(running))

    def _share_done(self) -> float:
        under_way = sum(
            len(each.cells) * min((self.precision / each.width) ** 2, 1.0) for each in self.streams.values()
        )
        return min((len(self.cells) - self.open + under_way) / max(len(self.cells), 1), 1.0)

    def _progress(self) -> tuple[float, str]:
        """Say how many cells are answered, how wide the widest interval is, and how long it may take yet."""
        cells, done = len(self.cells), self._share_done()
        words = f"{cells - self.open:,} of {cells:,} cells"
        widths = [each.width for each in self.streams.values() if math.isfinite(each.width)]
        words += f", widest ± {max(widths):.2%}" if widths else ""
        spent, since = time.monotonic() - self.begun, done - self.at_first
        if spent > 2.0 and since > 0.01:
            words += f", about {spent * (1.0 - done) / since:,.0f} s left"
        return done, words
