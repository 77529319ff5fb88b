"""Replayed jobs as files of other tools: SWF with the policy's waits, the ``jobs.csv`` of Batsim and evalys, Parquet.

Which servers a job got is not part of a policy; the CSV gives each job the lowest that are free, in order of its start.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.errors import InvalidInput, NotSupported
from msj.logs.allocation import lowest_free

FORMATS = (".parquet", ".csv", ".swf")
BATSIM = (
    "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,starting_time,"
    "execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Served:
    """Jobs as a policy served them; ``counted`` are those of which the result speaks."""

    policy: str
    job: NDArray[Any]
    submit: NDArray[np.float64]
    need: NDArray[np.int64]
    run: NDArray[np.float64]
    estimate: NDArray[np.float64] | None
    start: NDArray[np.float64]
    finish: NDArray[np.float64]
    counted: NDArray[np.bool_]
    preemptive: bool = False


def check_path(path: Path, preemptive: Sequence[bool]) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"jobs_file '{path}' has an unknown ending; write it as {', '.join(FORMATS)}")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"jobs_file '{path}' is in a folder that does not exist; make it first")
    if path.suffix.lower() == ".csv" and any(preemptive):
        raise NotSupported(
            "the CSV of Batsim has one stretch of service per job, and this policy may stop jobs; use .parquet"
        )


def write_jobs(path: Path, served: Served, *, only: bool, servers: int) -> Path:
    """Write the jobs of one policy; where there are several policies, each name gets into that of its file."""
    if not only:
        name = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in served.policy)
        path = path.with_name(f"{path.stem}_{name}{path.suffix}")
    write: Callable[[Path, Served, int], None] = {".swf": _swf, ".csv": _batsim, ".parquet": _parquet}[
        path.suffix.lower()
    ]
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        write(part, served, servers)
        os.replace(part, path)
    except OSError as error:
        raise InvalidInput(
            f"jobs_file '{path}' cannot be written ({error.strerror or error}); make room for it"
        ) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return path


def _swf(path: Path, served: Served, servers: int) -> None:
    import pandas

    count = len(served.job)
    numbers = served.job if served.job.dtype != object else np.arange(1, count + 1)
    unknown = np.full(count, -1)
    estimate = unknown if served.estimate is None else served.estimate
    waited = np.round(np.maximum(served.finish - served.submit - served.run, 0.0), 6)
    fields = [
        numbers, served.submit, waited, served.run, served.need, unknown, unknown, served.need, estimate, unknown,
        np.ones(count, dtype=np.int64), *([unknown] * 7),
    ]  # fmt: skip
    frame = pandas.DataFrame({str(i): _whole(field) for i, field in enumerate(fields)})
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"; Version: 2.2\n; Computer: replay by msj\n; Note: policy {served.policy}\n")
        file.write(f"; MaxJobs: {count}\n; MaxRecords: {count}\n; MaxProcs: {servers}\n; MaxNodes: {servers}\n;\n")
        frame.to_csv(file, sep=" ", header=False, index=False, lineterminator="\n")


def _whole(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers without a decimal point, which some readers do not understand."""
    values = np.asarray(values)
    if values.dtype.kind == "f" and (values == np.floor(values)).all() and (np.abs(values) < 2**53).all():
        return values.astype(np.int64)
    return values


def _batsim(path: Path, served: Served, servers: int) -> None:
    import pandas

    wait, response = served.start - served.submit, served.finish - served.submit
    frame = pandas.DataFrame(
        {
            "job_id": served.job,
            "workload_name": "msj",
            "submission_time": served.submit,
            "requested_number_of_resources": served.need,
            "requested_time": served.run if served.estimate is None else served.estimate,
            "success": 1,
            "starting_time": served.start,
            "execution_time": served.run,
            "finish_time": served.finish,
            "waiting_time": wait,
            "turnaround_time": response,
            "stretch": response / np.where(served.run > 0, served.run, np.nan),
            "allocated_resources": lowest_free(served.start, served.finish, served.need, servers),
        }
    )
    assert ",".join(frame.columns) == BATSIM
    frame.to_csv(path, index=False, lineterminator="\n")


def _parquet(path: Path, served: Served, _: int) -> None:
    import pyarrow
    import pyarrow.parquet

    columns: dict[str, Any] = {
        "job": pyarrow.array(served.job.astype(str) if served.job.dtype == object else served.job),
        "policy": pyarrow.array([served.policy] * len(served.job)).dictionary_encode(),
        "submit": served.submit,
        "need": served.need,
        "run": served.run,
        "estimate": served.run if served.estimate is None else served.estimate,
        "start": served.start,
        "finish": served.finish,
        "wait": np.maximum(served.finish - served.submit - served.run, 0.0),
        "counted": served.counted,
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
