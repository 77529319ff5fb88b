"""Exact response times of open MSJ FCFS at any load below the threshold, as rows.

The computation is ``open_fcfs`` (means) and ``waiting_law`` (percentiles); this file decides whether it fits and is
worth the wait, and writes the answers down.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import Analysis, why_not_fcfs
from msj.analysis.open_fcfs import MEMORY_LIMIT, OpenSystem, solve_open
from msj.analysis.percentile_row import CITATION, PERCENTILES, percentile_row
from msj.analysis.reset import require_stable
from msj.analysis.saturated import solve_saturated
from msj.analysis.waiting_law import WaitingLaw
from msj.errors import InvalidInput, TooLarge
from msj.fronts.fcfs_open import open_fcfs, open_level_sizes
from msj.fronts.job_types import why_not_phase_type
from msj.fronts.open_model import OpenModel
from msj.markov.blas import blas_threads
from msj.markov.level_process import estimate_memory, possible_segments
from msj.model import System
from msj.model.spec_file import SystemLike, as_system
from msj.results import Quantity


class ExactResponse(Analysis):
    """Level-structured (QBD) solution of the open system."""

    name: ClassVar[str] = "exact-response"
    summary: ClassVar[str] = "response and waiting times of FCFS at any load, phase-type durations: means, percentiles"
    citation: ClassVar[str] = CITATION

    def supports(self, system: System) -> str | None:
        """See :meth:`Analysis.supports`."""
        return why_not_fcfs(system) or why_not_phase_type(system)


def open_system(system: SystemLike, *, memory_limit: float = MEMORY_LIMIT) -> OpenSystem:
    """Solve the open system, or that of the file that describes it, at the load it gives.

    Examples
    --------
    >>> import msj
    >>> solved = msj.open_system("examples/two_servers.toml")
    >>> round(solved.mean_jobs_in_system / solved.arrival_rate, 6)
    7.517772
    >>> solved.law.level_masses(last=2).round(6).tolist()
    [0.169337, 0.151854, 0.108602]
    """
    system = arriving(as_system(system))
    threshold = solve_saturated(system)[0].stability_threshold
    rate = system.arrival_rate_at(threshold)
    if rate is None:
        raise InvalidInput("no load is given; set arrival_rate, load or utilisation")
    require_stable(rate, threshold)
    model = open_model(system, memory_limit=memory_limit)
    with blas_threads(1):
        return solve_open(system, model, rate, memory_limit=memory_limit)


def arriving(system: System) -> System:
    """Return the system without the classes that never arrive: nothing is known, or asked, of them."""
    return system.replace(classes=system.active_classes)


def open_model(system: System, *, memory_limit: float = MEMORY_LIMIT) -> OpenModel:
    """Return the open model of a system, checked to fit into memory before it is built; the last ones are kept."""
    ExactResponse().require(system)
    return _open_model(system.replace(arrival_rate=None, load=None, utilisation=None, name=""), memory_limit)


@lru_cache(maxsize=2)
def _open_model(system: System, memory_limit: float) -> OpenModel:
    sizes = open_level_sizes(system)
    needed = _memory(sizes)
    if needed > memory_limit:
        raise TooLarge(
            f"the exact response time needs {len(sizes)} levels of up to {max(sizes):,} phases, {needed / 1e9:.1f} GB, "
            f"and {memory_limit / 1e9:.1f} GB are allowed; use the RESET prediction (msj analyse), or simulate"
        )
    return open_fcfs(system)


def _memory(sizes: tuple[int, ...]) -> float:
    one_block = 8.0 * float(max(sizes)) ** 2
    if one_block > 1e12:
        return one_block  # hopeless, and trying out how to cut a million levels would take long to say so
    return min(estimate_memory(sizes, segment=segment) for segment in possible_segments(len(sizes) - 1))


def estimated_seconds(system: System) -> tuple[float, float]:
    """Return rough times for the means and for the percentiles, to decide whether to go ahead unasked."""
    try:
        sizes = open_level_sizes(system)
    except TooLarge:
        return np.inf, np.inf
    phases, levels = float(max(sizes)), len(sizes)
    nodes = 53.0 * (24 + 25 * (len(system.classes) + 1))
    return 2e-10 * phases**3 * (levels + 15), 1e-8 * nodes * (phases**2 / 8 + 12 * sum(sizes))


def mean_rows(solved: OpenSystem) -> Iterator[Quantity]:
    """Rows of the means, overall and per class."""
    shares, rate = solved.shares, solved.arrival_rate
    yield from _both(
        solved,
        "mean_response_time",
        solved.mean_jobs_in_system / rate,
        solved.mean_waiting_time + solved.mean_durations,
    )
    waiting = solved.mean_waiting
    yield from _both(solved, "mean_waiting_time", waiting.sum() / rate, solved.mean_waiting_time)
    yield from _both(
        solved, "mean_jobs_in_system", solved.mean_jobs_in_system, waiting + rate * shares * solved.mean_durations
    )
    yield from _both(solved, "mean_jobs_waiting", waiting.sum(), waiting)
    yield from _both(
        solved, "waiting_probability", float(shares @ solved.waiting_probability), solved.waiting_probability
    )
    yield _row("tail_decay_rate", solved.law.decay_rate)


def difference_row(difference: float) -> Quantity:
    """Row of exact minus predicted mean response time: how large the term is that RESET leaves open."""
    return Quantity(
        name="reset_difference", value=difference, kind="exact", method="QBD minus RESET", citation="reset, Theorem 4.2"
    )


def percentile_rows(solved: OpenSystem) -> Iterator[Quantity]:
    """Rows of the percentiles of waiting and response time, overall and per class."""
    with blas_threads(1):
        law = WaitingLaw(solved)
        found = {
            "waiting_time_percentile": law.waiting.percentiles(np.array(PERCENTILES)),
            "response_time_percentile": law.response.percentiles(np.array(PERCENTILES)),
        }
    names = [*(c.name for c in solved.system.classes), None]
    for name, (values, errors) in found.items():
        for level, row, off in zip(PERCENTILES, values, errors, strict=True):
            for value, error, job_class in sorted(zip(row, off, names, strict=True), key=lambda x: x[2] is not None):
                yield percentile_row(name, level, value, error, job_class)


def _both(solved: OpenSystem, name: str, overall: float, per_class: NDArray[np.float64]) -> Iterator[Quantity]:
    yield _row(name, overall)
    for c, value in zip(solved.system.classes, per_class, strict=True):
        yield _row(name, value, job_class=c.name)


def _row(name: str, value: float, *, job_class: str | None = None) -> Quantity:
    return Quantity(name=name, value=float(value), kind="exact", method="QBD", citation=CITATION, job_class=job_class)


VARIANT = ExactResponse
