"""A log as a value: the jobs that are used, in order of submission, and what became of the other rows.

Times are seconds. The frame has one row per job: ``submit``, ``wait`` and ``estimate`` (nan where unknown), ``run``,
``need``, and where they are recorded ``job``, ``user``, ``group``, ``queue``, ``partition`` and ``status``; ``line`` is
where in the file it stands.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput
from msj.logs.reason import Reason
from msj.model.numbers import whole
from msj.results import Result
from msj.store import digest
from msj.workloads import RecordedJobs

if TYPE_CHECKING:
    import pandas

COLUMNS = ("submit", "wait", "run", "need", "estimate")


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace:
    """The jobs of a log.

    Parameters
    ----------
    frame
        One row per job (pandas), in order of submission; not to be changed.
    servers
        The machine's size; None where it is not known.
    source
        The file it was read from.
    format
        The format of that file.
    rows
        How many rows the file has.
    left_out
        For each reason, how many rows it left out, and the lines of the first of them.
    begins
        The local time at second 0, in seconds since 1970; None where it is not known.
    notes
        What was guessed while reading, and what must be known.

    Examples
    --------
    >>> import msj
    >>> trace = msj.read_log("examples/logs/small_cluster.swf")
    >>> len(trace), trace.servers, trace.rows - len(trace)
    (2000, 32, 6)
    >>> len(trace.where(lambda jobs: jobs.need > 8).between(0, 86400))
    14
    """

    frame: pandas.DataFrame
    servers: int | None = None
    source: str = ""
    format: str = ""
    rows: int = 0
    left_out: Mapping[Reason, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    begins: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lacking = [name for name in COLUMNS if name not in self.frame]
        if lacking:
            raise InvalidInput(
                f"the frame of a trace has no column {', '.join(lacking)}; it needs {', '.join(COLUMNS)}"
            )
        if self.servers is not None:
            object.__setattr__(self, "servers", whole(self.servers, "servers"))
        if (np.diff(self.column("submit")) < 0).any():
            raise InvalidInput("the jobs of a trace are not in order of submission; sort the frame by submit")

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        size = "servers unknown" if self.servers is None else f"{self.servers:,} servers"
        return f"Trace({self.source or 'no file'}: {len(self):,} jobs of {self.rows:,} rows, {size})"

    def column(self, name: str) -> NDArray[Any]:
        """Return one column as an array."""
        return np.asarray(self.frame[name])

    @cached_property
    def has_waits(self) -> bool:
        """Whether the log says how long jobs waited."""
        return len(self) > 0 and bool(np.isfinite(self.column("wait")).mean() > 0.5)

    @cached_property
    def has_estimates(self) -> bool:
        """Whether the log says how long jobs were thought to take."""
        return len(self) > 0 and bool(np.isfinite(self.column("estimate")).mean() > 0.5)

    def replace(self, **changes: Any) -> Trace:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def between(self, first: float, last: float) -> Trace:
        """Return the jobs submitted from second ``first`` on and before second ``last``."""
        submit = self.column("submit")
        return self._part((submit >= first) & (submit < last))

    def where(self, condition: Callable[[pandas.DataFrame], Any] | None = None, **equal: Any) -> Trace:
        """Return the jobs for which a function of the frame is true, and whose columns equal the values given.

        ``trace.where(lambda jobs: jobs.need > 8)``, ``trace.where(queue="gpu")``.
        """
        chosen = np.ones(len(self), dtype=bool)
        for name, value in equal.items():
            if name not in self.frame:
                raise InvalidInput(f"the log has no column '{name}'; it has {', '.join(self.frame.columns)}")
            chosen &= np.asarray(self.frame[name] == value)
        if condition is not None:
            answer = np.asarray(condition(self.frame))
            if answer.shape != (len(self),) or answer.dtype != bool:
                raise InvalidInput("the condition gives no truth value for each job; write lambda jobs: jobs.need > 8")
            chosen &= answer
        return self._part(chosen)

    def _part(self, chosen: NDArray[np.bool_]) -> Trace:
        return replace(
            self, frame=self.frame[chosen], notes=(*self.notes, f"Only {int(chosen.sum()):,} jobs were chosen.")
        )

    def jobs(self, *, estimates: NDArray[np.float64] | None = None) -> RecordedJobs:
        """Return the jobs as a workload; ``estimates`` are what the scheduler is told, by default how long they ran."""
        return RecordedJobs(
            arrival=self.column("submit"), need=self.column("need"), duration=self.column("run"), estimate=estimates
        )

    def replay(self, **options: Any) -> Result:
        """Serve the jobs by other policies: :func:`msj.replay` of this trace, with its options."""
        # Named, not imported: answers stand above whatever they are about.
        found: Result = importlib.import_module("msj.answers").replay(self, **options)
        return found

    def to_spec(self) -> dict[str, Any]:
        """Return where the jobs are from and a hash of them: enough to tell whether others are the same."""
        columns = {name: self.column(name) for name in COLUMNS}
        known = {name: np.nan_to_num(values, nan=-1.0) for name, values in columns.items()}
        return {"log": self.source, "jobs": len(self), "servers": self.servers, "identity": digest(known)}
