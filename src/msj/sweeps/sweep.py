"""The verb: many questions at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from msj.answers.question import as_option
from msj.effort import Effort
from msj.errors import Failure, InvalidInput
from msj.executors.workers import workers
from msj.model.numbers import positive, whole
from msj.results import Missing, Outcome, Result, Watch, provenance
from msj.simulation import LEVELS
from msj.simulation.question import checked_levels
from msj.sweeps.cell import COMPUTES, Asked, Cell
from msj.sweeps.folder import Folder
from msj.sweeps.grid import Grid, read_grid
from msj.sweeps.reading import result_of
from msj.sweeps.scheduler import Scheduler

PRECISION = 0.01
MOST_JOBS = 1_000_000_000


def sweep(
    systems: Any = None,
    *,
    vary: Any = None,
    policies: Iterable[Any] | None = None,
    grid: str | os.PathLike[str] | None = None,
    precision: float | None = None,
    jobs: int | None = None,
    levels: Sequence[float] | None = None,
    seed: int | None = None,
    simulate: bool | None = None,
    controls: bool | None = None,
    out: str | os.PathLike[str] | None = None,
    shard: str | tuple[int, int] | None = None,
    processes: int = 1,
    threads: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    seconds: float | None = None,
    progress: Watch | None = None,
) -> Result:
    """Answer every combination of clusters, values and policies: exactly where possible, else simulated.

    Rows stand at what differs between the cells. A cell that has no answer is in ``missing``, with the reason.

    Parameters
    ----------
    systems
        A cluster or several: systems, files, or their documents.
    vary
        What differs: texts such as ``"load=0.5..0.98/9"``, or a table of names and values.
    policies
        Policies to serve by; each cluster's own if nothing is said. A load is a share of the threshold under the
        cluster's own policy, so that all policies get the same jobs.
    grid
        A TOML file that says any of this; what is given beside it counts more.
    precision
        Half-width of a simulated mean response time's interval over the mean at which a cell is done; 0.01 if nothing
        is said.
    jobs
        The most jobs of a cell, 1e9 if nothing is said.
    levels
        Percentiles to give where a cell is simulated.
    seed
        Of what is simulated, 1 if nothing is said; vary ``seed`` for several.
    simulate
        Simulate even what has an exact answer.
    controls
        Whether exactly solved single servers take noise off simulated means.
    out
        The folder that keeps answers and blocks; an interrupted sweep goes on there, and other sweeps may share it.
    shard
        ``"3/200"``: the third of 200 parts of the grid, for job arrays.
    processes, threads, dask, executor
        Who computes: so many processes or threads, the Dask cluster at an address, or any executor. The answers do not
        depend on it.
    seconds
        Stop after so long, with what there is.
    progress
        Told how far it is.

    Examples
    --------
    >>> import msj
    >>> found = msj.sweep("examples/two_servers.toml", vary={"load": [0.5, 0.8], "servers": [2, 4]})
    >>> round(found.at(load=0.8, servers=2)["mean_response_time"], 6)
    7.517772
    """
    given = {"vary": vary, "policies": policies, "precision": precision, "jobs": jobs, "levels": levels}
    given |= {"seed": seed, "simulate": simulate, "controls": controls, "systems": systems}
    asked = {} if grid is None else read_grid(grid)
    asked |= {key: value for key, value in given.items() if value is not None}
    question = _Question(**asked)
    cells = list(question.grid.cells(shard=shard_of(shard)))
    effort = Effort(progress=progress) if seconds is None else Effort.lasting(seconds, progress=progress)
    started = time.perf_counter()
    folder = Folder(None if out is None else Path(out))
    wanted = {cell.id: cell for cell in cells}
    outcome = None
    folder.ask(wanted.values())
    able = [cell for cell in wanted.values() if isinstance(cell, Cell)]
    scheduler = Scheduler(folder, able, precision=question.precision, jobs=question.jobs, effort=effort)
    try:
        if scheduler.open:
            with workers(processes=processes, threads=threads, dask=dask, executor=executor, rooms=COMPUTES) as hands:
                scheduler.run(hands)
    except KeyboardInterrupt:
        outcome = Outcome.INTERRUPTED
    folder.close()
    facts = provenance(
        seed=question.seed,
        cells=len(cells),
        seconds=round(time.perf_counter() - started, 6),
        question={"verb": "sweep", "options": question.plain(shard)},
    )
    missing = [
        Missing(name="answer", failure=Failure.NOT_SUPPORTED, reason=failed.reason, at=wanted[cell].at)
        for cell, failed in scheduler.failed.items()
        if not failed.lasting
    ]
    clusters = question.grid.clusters.values()
    return result_of(
        folder,
        cells=set(wanted),
        outcome=outcome or (Outcome.OUT_OF_TIME if scheduler.open else None),
        system=next(iter(clusters)).to_spec() if len(clusters) == 1 else {},
        provenance=facts,
        missing=missing,
    )


class _Question:
    """What was asked, checked."""

    def __init__(
        self,
        systems: Any = None,
        vary: Any = None,
        policies: Iterable[Any] | None = None,
        precision: float = PRECISION,
        jobs: int = MOST_JOBS,
        levels: Sequence[float] = LEVELS,
        seed: int = 1,
        simulate: bool = False,
        controls: bool = True,
    ) -> None:
        if systems is None:
            raise InvalidInput("no cluster is given; give at least one file, or a System")
        chosen = None if policies is None else list(policies)
        self.precision = float(positive(precision, "precision"))
        self.jobs = whole(jobs, "jobs")
        self.seed = whole(seed, "seed", least=0)
        self.asked = Asked(levels=checked_levels(levels), simulate=bool(simulate), controls=bool(controls))
        self.grid = Grid.of(systems, vary=vary, policies=chosen, seed=self.seed, asked=self.asked)

    def plain(self, shard: Any) -> dict[str, Any]:
        """Return it as plain data, from which it can be asked again."""
        grid = self.grid
        found: dict[str, Any] = {
            "systems": [system.replace(name=label).to_spec() for label, system in grid.clusters.items()],
            "vary": {axis.key: [as_option(value) for value in axis.values] for axis in grid.axes},
            "policies": [as_option(policy) for policy in grid.policies.values()] or None,
            "precision": self.precision,
            "jobs": self.jobs,
            "levels": list(self.asked.levels),
            "simulate": self.asked.simulate,
            "controls": self.asked.controls,
            "shard": shard,
        }
        return {key: value for key, value in found.items() if value is not None}


def shard_of(given: str | tuple[int, int] | None) -> tuple[int, int]:
    """Return which part of how many.

    Examples
    --------
    >>> shard_of("3/200"), shard_of(None)
    ((3, 200), (1, 1))
    """
    if given is None:
        return 1, 1
    parts = given.split("/") if isinstance(given, str) else list(given)
    how = "write 3/200, for the third of 200 parts"
    if len(parts) != 2:
        raise InvalidInput(f"shard = {given!r} is no part of a whole; {how}")
    part, of = (whole(number, "shard") for number in parts)
    if part > of:
        raise InvalidInput(f"shard = {part}/{of} is beyond the last part; {how}")
    return part, of
