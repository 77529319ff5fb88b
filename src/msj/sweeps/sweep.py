"""The verb: many questions at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msj.effort import Effort
from msj.errors import BadFunction, Failure, InvalidInput, MsjError, NotSupported
from msj.executors.packing import SchedulerLost
from msj.executors.workers import Workers, workers
from msj.model.trials import try_laws
from msj.options import SweepOptions, takes
from msj.results import Missing, Outcome, Result, provenance
from msj.sweeps.cell import Cell
from msj.sweeps.folder import Folder
from msj.sweeps.manifest import write_manifest
from msj.sweeps.question import WHOLE, Question
from msj.sweeps.reading import result_of
from msj.sweeps.scheduler import Scheduler


@dataclass(frozen=True)
class SweepQuestion(SweepOptions):
    """The question of :func:`msj.sweep`."""

    systems: Any = field(default=None, metadata={"help": "A cluster or several: systems, files, or their documents."})


@takes(SweepQuestion)
def sweep(asked: SweepQuestion) -> Result:
    """Answer every combination of clusters, values and policies: exactly where possible, else simulated.

    Rows stand at what differs between the cells. A cell that has no answer is in ``missing``, with the reason: its
    policy does not apply to its cluster, for example. If no cell of the grid has an answer, that is an error.

    Examples
    --------
    >>> import msj
    >>> found = msj.sweep("examples/two_servers.toml", vary={"load": [0.5, 0.8], "servers": [2, 4]})
    >>> round(found.at(load=0.8, servers=2)["mean_response_time"], 6)
    7.517772
    """
    question = Question.from_file(
        asked.grid,
        systems=asked.systems,
        vary=asked.vary,
        policies=asked.policies,
        precision=asked.precision,
        jobs=asked.jobs,
        levels=asked.levels,
        seed=asked.seed,
        simulate=asked.simulate,
        controls=asked.controls,
        shard=asked.shard,
    )
    told: dict[str, Any] = {"progress": asked.progress}
    effort = Effort(**told) if asked.seconds is None else Effort.lasting(asked.seconds, **told)
    processes = 1 if asked.processes is None else asked.processes
    hands = workers(processes=processes, threads=asked.threads, dask=asked.dask, executor=asked.executor)
    return answer(question, Folder(None if asked.out is None else Path(asked.out)), hands, effort)


def answer(question: Question, folder: Folder, hands: AbstractContextManager[Workers], effort: Effort) -> Result:
    """Answer a question with what a folder knows and, where that is not enough, by workers."""
    started = time.perf_counter()
    cells = list(question.grid.cells(shard=question.shard))
    wanted = {cell.id: cell for cell in cells}
    folder.refresh()
    folder.ask(wanted.values(), question.id)
    if folder.path is not None:
        write_manifest(folder.path, question, cells=len(cells), code=folder.code)
    able = [cell for cell in wanted.values() if isinstance(cell, Cell)]
    scheduler = Scheduler(folder, able, precision=question.precision, jobs=question.jobs, effort=effort)
    outcome, notes = None, []
    try:
        if scheduler.open:
            with hands as found:
                notes = found.notes
                scheduler.run(found)
    except KeyboardInterrupt:
        outcome = Outcome.INTERRUPTED
    except SchedulerLost as lost:
        outcome = Outcome.INTERRUPTED
        notes.append(f"{str(lost)[0].upper()}{str(lost)[1:]}.")
        effort.tell(1.0, str(lost), notice=True)
    scheduler.keep_unfinished()
    folder.close()
    facts = provenance(
        seed=question.grid.seed,
        cells=len(cells),
        seconds=round(time.perf_counter() - started, 6),
        question={"verb": "sweep", "options": question.plain()},
    )
    missing = [
        Missing(name="answer", failure=Failure.NOT_SUPPORTED, reason=failed.reason, at=wanted[cell].at)
        for cell, failed in scheduler.failed.items()
        if not failed.lasting
    ]
    clusters = question.grid.clusters.values()
    result = result_of(
        folder,
        cells={name: cell.at for name, cell in wanted.items()},
        outcome=outcome or (Outcome.OUT_OF_TIME if scheduler.open else None),
        precision=question.precision,
        system=next(iter(clusters)).to_spec() if len(clusters) == 1 else {},
        provenance=facts,
        missing=missing,
        notes=notes,
    )
    if question.shard == WHOLE and not result.quantities and not scheduler.open and outcome is None:
        _require_answer(result.missing)
    about_laws = (note for system in clusters for note in try_laws(system))
    return replace(result, notes=tuple(dict.fromkeys((*result.notes, *about_laws))))


def _require_answer(gaps: Sequence[Missing]) -> None:
    """Raise an error with the reasons if every cell was refused: none is a cluster whose policy applies."""
    failures = {gap.failure for gap in gaps}
    if failures and failures <= REFUSED.keys():
        worst = next(kind for failure, kind in REFUSED.items() if failure in failures)
        raise worst("; ".join(dict.fromkeys(gap.reason for gap in gaps)))


#: The failures of cells that were refused, and the errors they are if all cells were; the first that occurs counts.
REFUSED: dict[Failure, type[MsjError]] = {
    Failure.BAD_FUNCTION: BadFunction,
    Failure.INVALID_INPUT: InvalidInput,
    Failure.NOT_SUPPORTED: NotSupported,
}
