"""Exact response times of finite-skip policies other than FCFS, and of finite-skip models.

The levels of the open system give the exact law of the number of jobs. Per class: the front says how many of each it
holds, and the jobs behind it are i.i.d., so E[N_i] = E[in front, of class i] + p_i·E[behind]; E[T_i] =
E[N_i]/(lambda·p_i) by Little's law.

The laws of waiting and response times come from those ahead of a job where these are all that matters to it
(``front_waiting``), else from following the job itself (``tagged_law``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import AtRate, ResponseAnalysis, without_load
from msj.analysis.chain_cost import descent_cost, in_words, level_cost
from msj.analysis.counted import looks_at_counts
from msj.analysis.finite_skip_chain import (
    AS_LARGE_AS_IT_IS,
    FiniteSkipChain,
    about_cost,
    about_fronts,
    number_of_fronts,
    why_not_a_front,
)
from msj.analysis.front_waiting import FrontWaitingLaw, knows_service, waiting_rows, why_no_percentiles
from msj.analysis.percentile_row import PERCENTILES, percentile_row
from msj.analysis.tagged_law import TaggedLaws, starts_at_once, tagged_cost
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Cost
from msj.errors import NotAccurate, NotSupported, TooLarge
from msj.fronts.decided_front import decided
from msj.fronts.front_chain import FrontLevels, open_front
from msj.fronts.front_model import FrontModel
from msj.fronts.front_of import front_of
from msj.fronts.front_waiting import FrontWaiting
from msj.fronts.tagged_front import TaggedFront, TaggedLevels, tagged_levels
from msj.markov.blas import blas_threads
from msj.markov.level_process import LevelLaw
from msj.markov.level_process import solve as solve_levels
from msj.markov.reset_remainder import reset_remainder
from msj.model import System
from msj.results import Quantity

Vector = NDArray[np.float64]
MOST_PHASES = 2_000
FOLLOWED_UNASKED = 2.5e9  # operations, half a second: then mean waiting times come with the other means
QBD = "Latouche & Ramaswami 1999 (QBD)"


class FiniteSkipResponse(ResponseAnalysis):
    """Level-structured (QBD) solution of the open system of any discipline with a finite front."""

    name: ClassVar[str] = "finite-skip-response"
    summary: ClassVar[str] = "exact response times of policies and models that pass over finitely many jobs"
    citation: ClassVar[str] = QBD
    method: ClassVar[str] = "QBD of the front"

    def supports(self, system: System) -> str | None:
        return why_not_a_front(system)

    def concerns(self, system: System) -> bool:
        return not is_fcfs(system) and not looks_at_counts(system)

    def cost(self, system: System) -> Cost:
        fronts, levels = number_of_fronts(system), front_of(system).most_jobs + 1
        if fronts > MOST_PHASES:
            return Cost(operations=np.inf, bytes=8.0 * fronts**2 * (levels + 8))
        return level_cost([fronts] * levels, 8.0 * fronts**2 * (levels + 8))

    def how_long(self, system: System) -> str:
        fronts, levels = about_fronts(system), front_of(system).most_jobs + 1
        if FiniteSkipChain().in_a_moment(system):
            return "yes"
        if fronts is None:
            return AS_LARGE_AS_IT_IS
        if fronts > MOST_PHASES:
            return f"yes up to {MOST_PHASES:,} fronts a level; there are about {fronts:,.0f}"
        cost = about_cost(system) + level_cost([round(fronts)] * levels, 0.0)
        return f"yes, levels of about {fronts:,.0f} fronts, {in_words(cost)}"

    def why_no_percentiles(self, system: System) -> str | None:
        return None if why_no_percentiles(front_of(system)) is None else _why_not_followed(without_load(system))

    def percentile_cost(self, system: System) -> Cost:
        model, levels = front_of(system), _levels(without_load(system))
        ahead = descent_cost(levels.level_sizes, len(system.classes) + 1)
        if knows_service(model):
            return ahead
        threshold = _threshold(system)
        rate = system.arrival_rate_at(threshold)
        followed = tagged_cost(levels, threshold, 0.9 * threshold if rate is None else rate)
        return ahead + followed if why_no_percentiles(model) is None else followed

    def at_rate(self, system: System, rate: float, *, percentiles: bool) -> AtRate:
        names = [c.name if c.share > 0 else "" for c in system.classes]
        model, levels = front_of(system), _levels(without_load(system))
        law = _solved(levels, rate)
        rows, notes = list(_rows(model, levels, law, rate, names)), []
        if in_order := why_no_percentiles(model) is None:
            rows += waiting_rows(FrontWaitingLaw(model, levels, law, rate), names, percentiles=percentiles)
        elif _why_not_followed(without_load(system)) is None:
            starts = sum(mass @ now for mass, now in zip(law.boundary, _starts(without_load(system)), strict=True))
            rows += rows_by_class("waiting_probability", 1.0 - np.append(starts, shares_of(model) @ starts), names)
        if mean := not in_order and model.one_speed:
            rows += mean_wait_rows(system, rows, names)
        cheap = not (in_order or mean) and tagged_cost(levels, _threshold(system), rate).operations <= FOLLOWED_UNASKED
        if ((percentiles and not knows_service(model)) or cheap) and _why_not_followed(without_load(system)) is None:
            try:
                ahead = _decided_levels(without_load(system)) if model.settles else levels
                seen = _solved(ahead, rate) if model.settles else law
                laws = TaggedLaws(ahead, _tagged(without_load(system)), seen, rate, shares_of(model))
                wanted = Wanted(percentiles=percentiles, waiting=not in_order, mean=not (in_order or mean))
                rows += list(tagged_rows(laws, names, wanted))
            except (TooLarge, NotAccurate) as error:
                notes += [f"Some percentiles are left out: {error}."] if percentiles else []
        elif percentiles and in_order and not knows_service(model):
            notes.append("Percentiles of response times are not known: others may affect a job that has started.")
        return _answer(levels, law, rate, rows, notes)

    def jobs_law(self, system: System, rate: float, last: int) -> NDArray[np.float64]:
        with blas_threads(1):
            return solve_levels(_levels(without_load(system)).at(rate)).level_masses(last=last)


def front_levels(system: System) -> FrontLevels:
    """Return the levels of a system's front, whatever arrives; the last ones are kept."""
    return _levels(without_load(system))


def chances_to_start(system: System) -> tuple[Vector, ...] | None:
    """Return, for the fronts of each level below L, the chance that an arrival of each class is served at once.

    None where a job cannot be followed through the front.
    """
    return None if _why_not_followed(without_load(system)) is not None else _starts(without_load(system))


def followed_front(system: System) -> TaggedFront | None:
    """Return the front with one job followed; None where a job cannot be followed through it."""
    return None if _why_not_followed(without_load(system)) is not None else _tagged_front(without_load(system))


@lru_cache(maxsize=4)
def _levels(system: System) -> FrontLevels:
    require_room(number_of_fronts(system))  # known before any level is made
    return open_front(front_of(system))


@lru_cache(maxsize=2)
def _decided_levels(system: System) -> FrontLevels:
    """Return the levels of what a job sees ahead of it, where some decisions wait for those who join."""
    return open_front(decided(front_of(system)))


@lru_cache(maxsize=4)
def _tagged_front(system: System) -> TaggedFront:
    return TaggedFront(system)


@lru_cache(maxsize=4)
def _why_not_followed(system: System) -> str | None:
    try:
        _tagged_front(system)
    except NotSupported as error:
        return f"percentiles are not known: {error.message}"
    return None


@lru_cache(maxsize=4)
def _starts(system: System) -> tuple[Vector, ...]:
    return tuple(starts_at_once(_tagged_front(system), _levels(system)))


@lru_cache(maxsize=2)
def _tagged(system: System) -> TaggedLevels:
    settles = front_of(system).settles
    return tagged_levels(_tagged_front(system), _decided_levels(system) if settles else _levels(system))


def require_room(fronts: int) -> None:
    """Refuse levels too large for dense blocks."""
    if fronts > MOST_PHASES:
        raise TooLarge(
            f"the open system has levels of {fronts:,} fronts and at most {MOST_PHASES:,} can be solved; "
            "use the RESET prediction, or simulate"
        )


def front_at_rate(
    model: FrontModel[Any, Any], levels: FrontLevels, rate: float, names: Sequence[str], *, percentiles: bool
) -> AtRate:
    """Return what a front of somebody's own says at an arrival rate; ``names`` of the classes ("" leaves one out)."""
    law = _solved(levels, rate)
    rows, notes = list(_rows(model, levels, law, rate, names)), []
    if why_no_percentiles(model) is None:
        waiting = FrontWaitingLaw(model, levels, law, rate)
        rows += waiting_rows(waiting, names, percentiles=percentiles)
        if percentiles and waiting.service is None:
            notes.append("Percentiles of response times are not known: others may affect a job that has started.")
    return _answer(levels, law, rate, rows, notes)


def _answer(levels: FrontLevels, law: LevelLaw, rate: float, rows: Sequence[Quantity], notes: Sequence[str]) -> AtRate:
    return AtRate(
        rows=tuple(rows),
        facts={"exact_residual": law.residual},
        notes=tuple(notes),
        reset_difference=lambda: reset_remainder(levels.at(rate), law, rate),
    )


def _solved(levels: FrontLevels, rate: float) -> LevelLaw:
    require_room(max(levels.level_sizes))
    with blas_threads(1):
        return solve_levels(levels.at(rate))


def shares_of(model: FrontModel[Any, Any]) -> Vector:
    """Return the shares of the classes, as the front knows them."""
    shares = np.zeros(len(model.class_names))
    for job, chance in model.fresh():
        shares[model.class_of(job)] += chance
    return shares


def rows_by_class(name: str, values: Vector, names: Sequence[str]) -> Iterator[Quantity]:
    """Rows of all jobs together, the last of the values, and of every class that has a name."""
    yield _row(name, float(values[-1]))
    yield from (_row(name, value, job_class) for value, job_class in zip(values, names, strict=False) if job_class)


def mean_wait_rows(system: System, rows: Sequence[Quantity], names: Sequence[str]) -> Iterator[Quantity]:
    """Rows of E[W] = E[T] − E[duration]."""
    stays = {row.job_class: row.value for row in rows if row.name == "mean_response_time"}
    shares = [float(c.share) for c in system.classes]
    waits = [stays.get(c.name, 0.0) - float(c.duration.mean) for c in system.classes]
    yield from rows_by_class("mean_waiting_time", np.append(waits, np.dot(shares, waits) / sum(shares)), names)


class Wanted(NamedTuple):
    """What following a job shall tell: percentiles, anything of waiting, and its mean."""

    percentiles: bool
    waiting: bool
    mean: bool


def tagged_rows(laws: TaggedLaws, names: Sequence[str], wanted: Wanted) -> Iterator[Quantity]:
    """Rows from following a job."""
    curves = []
    with blas_threads(1):
        if wanted.waiting:
            # The mean is a sum over all events, to ten digits; percentiles need fewer.
            waiting = laws.waiting(until=1e-11) if wanted.mean else laws.waiting()
            curves.append(("waiting_time_percentile", waiting))
            if wanted.mean:
                yield from rows_by_class("mean_waiting_time", waiting.mean(), names)
        if wanted.percentiles:
            curves.append(("response_time_percentile", laws.response()))
    columns = [(len(names), None), *((i, name) for i, name in enumerate(names) if name)]
    for key, curve in curves if wanted.percentiles else ():
        found, errors = curve.percentiles(np.array(PERCENTILES))
        for level, row, off in zip(PERCENTILES, found, errors, strict=True):
            for i, name in columns:
                yield percentile_row(key, level, row[i], off[i], name, method="QBD of the front, uniformisation")


def _threshold(system: System) -> float:
    return FiniteSkipChain().saturate(system).stability_threshold


def _rows(
    model: FrontModel[Any, Any], levels: FrontLevels, law: LevelLaw, rate: float, names: Sequence[str]
) -> Iterator[Quantity]:
    found = FrontMasses(masses=(*law.boundary, law.repeating_mass), mean=law.mean_level(), decay=law.decay_rate)
    yield from front_rows(model, levels, found, rate, names)


class FrontMasses(NamedTuple):
    """Shares of time of the fronts of each level (the last one for all from L on), the mean level, and its decay."""

    masses: tuple[Vector, ...]
    mean: float
    decay: float


def front_rows(
    model: FrontModel[Any, Any],
    levels: FrontLevels | FrontWaiting,
    found: FrontMasses,
    rate: float,
    names: Sequence[str],
) -> Iterator[Quantity]:
    """Rows that follow from shares of time: those behind the front are a number, whenever they came."""
    shares = shares_of(model)
    mean, masses = found.mean, found.masses
    in_front = np.asarray(sum(mass @ levels.class_counts[n] for n, mass in enumerate(masses)), dtype=float)
    per_class = in_front + shares * (mean - in_front.sum())
    for key, overall, by_class in (
        ("mean_response_time", mean / rate, per_class / np.where(shares > 0, rate * shares, 1.0)),
        ("mean_jobs_in_system", mean, per_class),
    ):
        yield _row(key, overall)
        yield from (_row(key, value, name) for value, name in zip(by_class, names, strict=True) if name)
    yield _row("tail_decay_rate", found.decay)
    for key in model.measures(levels.fronts[0][0]):  # time averages of what the model says about its fronts
        values = (np.array([model.measures(front)[key] for front in fronts]) for fronts in levels.fronts)
        yield _row(key, sum(float(mass @ value) for mass, value in zip(masses, values, strict=True)))


def _row(name: str, value: float, job_class: str | None = None) -> Quantity:
    return Quantity(
        name=name, value=float(value), kind="exact", method="QBD of the front", citation=QBD, job_class=job_class
    )


VARIANT = FiniteSkipResponse
