"""Which cell goes on: what a sweep does next.

Cells are opened first, in the order of the grid; then a stream that only has to confirm its precision is finished, so
that its cells are answered; then the next blocks go to the stream with the widest relative interval, until all have
reached the precision. A sweep that ends before that writes what its streams know by then.

The stopping rule of a stream decides which blocks its answer is made of (``simulation.looks``); decided here is only
what is computed when. What other sweeps have added to the folder is taken in now and then, and what they compute is
left alone.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from typing import Any, ClassVar

from msj.effort import Effort
from msj.executors.loop import Loop
from msj.executors.packing import NotLoaded
from msj.results import Outcome, Quantity
from msj.simulation.blocks import stage_of
from msj.simulation.looks import Looks
from msj.store import digest
from msj.sweeps.cell import Cell
from msj.sweeps.folder import Answer, Folder
from msj.sweeps.line import Line
from msj.sweeps.opening import Opened, stream_id, stream_of
from msj.sweeps.remaining import lengths, seconds_left
from msj.sweeps.running import Running, Task
from msj.sweeps.steps import SECONDS, Failed

CHUNK = 32  # cells of a task, at most
LARGEST = 8  # blocks of a task, at most
STRIKES = 4  # workers that may die over a task


class Scheduler(Loop[Task]):
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
        Its deadline and its cancel are asked for between tasks; its progress is told.
    """

    ahead: ClassVar[int] = 2
    tell_after: ClassVar[float] = 0.2

    def __init__(self, folder: Folder, cells: Sequence[Cell], *, precision: float, jobs: int, effort: Effort) -> None:
        super().__init__(effort)
        self.folder, self.precision, self.jobs = folder, precision, jobs
        self.cells = {cell.id: cell for cell in cells}
        self.done: set[str] = set()  # cells that have ended, with an answer or without
        self.failed: dict[str, Failed] = {}  # cells without an answer this time
        self.streams: dict[str, Running] = {}
        self.ended: dict[str, tuple[list[Quantity], dict[str, Any]]] = {}  # streams: rows, and how they ended
        self.line: Line[Running] = Line()  # streams that may want blocks
        self.elsewhere: list[Running] = []  # streams whose next blocks others are at
        self.chunks: deque[list[Cell]] = deque()
        self.strikes: Counter[str] = Counter()
        self.begun = time.monotonic()
        self.spent = 0.0  # seconds that workers have computed for this sweep
        self._begin()
        self.known_before = len(self.done)  # cells that were answered before it began

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
        """Write answers that count; their cells have ended, also where the folder has had sharper answers before."""
        self.folder.keep_answers([each for each in answers if self._counts(each)])
        self.done.update(cell for cell, *_ in answers)

    def _counts(self, answer: tuple[str, Any, Any, dict[str, Any]]) -> bool:
        cell, _, _, facts = answer
        known = self.folder.answers.get(cell)
        new = Answer(outcome=facts["outcome"], blocks=facts.get("blocks", 0))
        return known is None or new.sharpness > known.sharpness

    @property
    def more(self) -> bool:
        """Whether a cell waits to be opened, or a stream for blocks."""
        return bool(self.chunks or self.streams)

    def next_task(self, slots: int) -> Task | None:
        """Return cells to open, else blocks of the stream with the widest interval."""
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
            self.line.enter(running.id, running, running.urgency(self.precision))

    def take(self, found: Sequence[tuple[Task, Any]]) -> None:
        """Keep answers, plans and blocks."""
        answers: list[Any] = []
        plans: list[Any] = []
        blocks: list[Any] = []
        touched: list[Running] = []
        for task, value in found:
            if task.running is None:
                self._opened(task, value, answers, plans)
            else:
                blocks += self._ran(task, value, answers)
                touched.append(task.running)
        self.folder.keep_blocks(blocks)
        self.folder.keep_plans(plans)
        for running in touched:
            answers += self._advance(running)
        self._keep(answers)

    def lost(self, task: Task, error: BaseException) -> None:
        """Begin a task once more whose worker died; but not for ever."""
        if isinstance(error, NotLoaded):
            self._not_loaded(task, error)
            return
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

    def _not_loaded(self, task: Task, error: NotLoaded) -> None:
        """Give up the cell whose policy or law a worker does not have; those that were sent with it go alone."""
        failed = Failed(failure=error.failure.label, reason=str(error), lasting=False)
        if task.running is not None:
            self._give_up(task.running, failed)
        elif len(task.cells) == 1:
            self._fail(task.cells[0], failed, 0.0)
        else:
            self.chunks.extend([cell] for cell in task.cells)

    def _opened(self, task: Task, found: Sequence[Any], answers: list[Any], plans: list[Any]) -> None:
        for cell, (_, opened, seconds) in zip(task.cells, found, strict=False):
            self.spent += seconds
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
            self.spent += seconds
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
        running.ready.clear()
        return self._answers(running, outcome)

    def _answers(self, running: Running, outcome: Outcome) -> list[Any]:
        """Return the answers that a stream gives its cells now."""
        looks = running.looks
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
        return [self._answer(running.id, cell, known) for cell, known in running.cells]

    def keep_unfinished(self) -> None:
        """Write what streams under way know: their intervals are wider than asked for, and more effort narrows them."""
        answers: list[Any] = []
        for running in self.streams.values():
            if math.isfinite(running.width):
                answers += self._answers(running, Outcome.INTERRUPTED)
        self.folder.keep_answers([each for each in answers if self._counts(each)])

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

    def look_around(self) -> None:
        """Take in what other sweeps have found."""
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

    def _seconds_left(self) -> float:
        """Return the seconds of work that are left, all workers together."""
        unopened = sum(map(len, self.chunks)) + sum(len(task.cells) for task in self.tasks.values())
        most = [(each, self._most_lengths(each)) for each in self.streams.values()]
        return seconds_left(
            most,
            precision=self.precision,
            unopened=unopened,
            opened=len(self.cells) - unopened - self.known_before,
            seconds=self.spent,
        )

    def _most_lengths(self, running: Running) -> float:
        """Return the length that the jobs allowed make possible, in first lengths."""
        standings = running.looks.standings
        return self.jobs / standings[0].jobs * lengths(standings[0].blocks) if standings else math.inf

    def progress(self) -> tuple[float, str]:
        """Say how many cells are answered, how wide the widest interval is, and how long it may take yet."""
        cells, left = len(self.cells), self._seconds_left()
        # Before anything was computed of a stream its work is not known: then the answers are counted.
        done = self.spent / (self.spent + left) if self.open and left else (cells - self.open) / max(cells, 1)
        words = f"{cells - self.open:,} of {cells:,} cells"
        widths = [each.width for each in self.streams.values() if math.isfinite(each.width)]
        words += f", widest ± {max(widths):.2%}" if widths else ""
        elapsed = time.monotonic() - self.begun
        if elapsed > 2.0 and left and self.spent:
            words += f", about {left * elapsed / self.spent:,.0f} s left"
        return done, words
