"""A cell's first step: its exact answer, or all that is known before it is simulated.

One rule, that of the answerer: the threshold exactly where an analysis is allowed, response times exactly where all of
the means are; else a :class:`Stream` with what the exact side knows. A load is a share of the threshold under the
cluster's own policy, as in ``compare``, so that policies are compared at the same arrival rate. A policy that does not
apply (``disciplines.applicable``) is the reason why its cell has no answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from msj.analysis.base import without_load
from msj.answers.analyse import load_rows
from msj.answers.known import known_of
from msj.answers.response import MEANS, beside_prediction, exact_response, not_below, predicted
from msj.answers.threshold import UNANSWERED, Threshold, conserves_work, exact_threshold, exceeded, find_threshold
from msj.disciplines.applicable import why_policy_does_not_apply
from msj.disciplines.model import policy_of
from msj.effort import Effort
from msj.errors import NotSupported
from msj.model import System
from msj.results import Outcome, Quantity
from msj.simulation import Known
from msj.simulation.blocks import Stream
from msj.store import computing_code, digest
from msj.sweeps.cell import FORMAT, Cell


@dataclass(frozen=True, kw_only=True)
class Opened:
    """What is known of a cell after its first step; with a ``plan`` it goes on in blocks, else it is answered.

    ``plan`` is all of a stream that the cell does not say itself, as plain data.
    """

    rows: tuple[Quantity, ...]
    outcome: Outcome = Outcome.SOLVED
    message: str = ""
    plan: dict[str, Any] | None = None


def open_cell(cell: Cell) -> Opened:
    """Answer a cell, or plan its simulation.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> opened = open_cell(Cell(own=system, policy=system.policy, seed=1))
    >>> opened.plan, [round(row.value, 6) for row in opened.rows if row.name == "mean_response_time"][0]
    (None, 7.517772)
    """
    why_not = why_policy_does_not_apply(cell.served, policy_of(cell.served))
    if why_not is not None:
        raise NotSupported(f"policy '{cell.policy.label()}' does not apply: {why_not}")
    effort = Effort()
    rate, load = _rate(cell)
    served = cell.served if rate is None else cell.served.replace(arrival_rate=rate)
    threshold = _threshold(without_load(served), cell.seed, simulated=rate is None)
    rows = [] if threshold is None else threshold.rows
    if rate is None:
        return Opened(rows=tuple(rows), outcome=Outcome.NO_LOAD_GIVEN)
    rows += _loads(served, threshold, rate, load)
    if threshold is not None and rate >= threshold.highest:
        return Opened(
            rows=tuple(rows), outcome=Outcome.UNSTABLE, message=not_below(rate, threshold.value, served.time_unit)
        )
    if not cell.asked.simulate:
        try:
            found = exact_response(served, rate, effort)
        except UNANSWERED:
            found = None
        if found is not None and all(found.find(name) is not None for name in MEANS):
            if threshold is not None:
                rows += beside_prediction(found, predicted(served, rate, threshold))
            else:
                rows += found.rows
            return Opened(rows=_once(rows), message=" ".join(found.notes))
    known = known_of(served, exceeded(served) if threshold is None else threshold.value)
    if known.forbids(rate):
        message = not_below(rate, known.stability_threshold or math.nan, served.time_unit)
        return Opened(rows=tuple(rows), outcome=Outcome.UNSTABLE, message=message)
    plan = {"arrival_rate": rate, "stability_threshold": known.stability_threshold, "weights": known.weights}
    return Opened(rows=_once(rows), plan=plan)


def stream_of(cell: Cell, plan: dict[str, Any]) -> Stream:
    """Return the stream that a plan stands for."""
    weights = plan["weights"]
    return Stream(
        system=cell.served.replace(arrival_rate=plan["arrival_rate"]),
        known=Known(
            stability_threshold=plan["stability_threshold"], weights=None if weights is None else tuple(weights)
        ),
        seed=cell.seed,
        controls=cell.asked.controls,
    )


def stream_id(stream: Stream) -> str:
    """Return what the blocks of a stream are filed under.

    NumPy keeps the numbers of a generator within a feature release (NEP 19), so that is part of it.
    """
    known = [stream.known.stability_threshold, stream.known.weights, stream.controls]
    numpy = np.__version__.split(".")[:2]
    return digest("stream", FORMAT, stream.system.identity(), known, stream.seed, numpy, computing_code())


def _rate(cell: Cell) -> tuple[float | None, Quantity | None]:
    """Return lambda, and the load where it is given: as sure as the threshold it is a share of."""
    own = cell.own
    if own.load is None:
        return own.arrival_rate_at(math.nan), None
    threshold = _threshold(without_load(own), cell.seed, simulated=True)
    assert threshold is not None
    rate = float(own.load) * threshold.value
    return rate, load_rows(own, threshold, rate)[1]


@lru_cache(maxsize=64)
def _threshold(system: System, seed: int, *, simulated: bool) -> Threshold | None:
    """Return what is known of the threshold; None if only a simulation could tell and none is wanted."""
    effort = Effort()
    try:
        return exact_threshold(system, effort)
    except UNANSWERED:
        if not simulated and not conserves_work(system):
            return None
    root = np.random.SeedSequence(seed)
    return find_threshold(system, effort, root, bracket=True)


def _loads(served: System, threshold: Threshold | None, rate: float, load: Quantity | None) -> list[Quantity]:
    found = [
        Quantity(name="arrival_rate", value=rate, kind="exact", method="definition"),
        Quantity(name="utilisation", value=rate / served.naive_threshold, kind="exact", method="definition"),
    ]
    if load is None and threshold is not None:
        load = load_rows(served, threshold, rate)[1]
    return [*found[:1], *([] if load is None else [load]), *found[1:]]


def _once(rows: list[Quantity]) -> tuple[Quantity, ...]:
    """Return each row once; an exact analysis tells the load again."""
    found: dict[Any, Quantity] = {}
    for row in rows:
        found.setdefault((row.name, row.job_class, row.level, row.at), row)
    return tuple(found.values())
