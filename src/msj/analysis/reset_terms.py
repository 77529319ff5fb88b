"""What RESET's proof is made of: the constants it leaves open, the at-least-k system, and how often nobody is behind.

**Constants.** E[T] = (1 + Delta(Y_d))/(lambda* − lambda) + d(lambda) with c_l <= d <= c_h at all loads (reset, Theorem
4.3). d is known without a subtraction (``markov.reset_remainder``), and it is analytic on the closed interval: below
lambda* the decay rate of the queue is a simple root, and it stays one at lambda*, where it meets the root 1 of every
load. So d is interpolated at Chebyshev points; c_l and c_h are its extremes, and its value at lambda* is the second
term of E[T] in heavy traffic. How far off that may be the last coefficients say, and d itself at loads that were not
used: a few fixed ones, and those at which the interpolation has its extremes. It is an estimate, no proof.

**At-least-k** (reset, sections 3.3 and 3.6, Appendix F). The system in which a job that leaves an empty back is
replaced at once: an M/M/1 served by the saturated chain (``mmsr``). With Q its back, mean drift gives E[mu; Q = 0] =
lambda* − lambda (F.2); a busy period begins at rate lambda·P(Q = 0), so it lasts P(Q > 0)/(lambda·P(Q = 0)) on average
(Lemma F.1: of order 1/(1 − lambda/lambda*)). In the system itself the back is empty with probability P(N <= front)
(Lemma 6.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from msj.analysis.base import ResponseAnalysis, TermAnalysis
from msj.analysis.exact_response import ExactResponse
from msj.analysis.finite_skip_chain import FiniteSkipChain, front_chain
from msj.analysis.finite_skip_response import FiniteSkipResponse
from msj.analysis.mmsr import open_queue
from msj.analysis.saturated_chain import SaturatedChain, saturate
from msj.errors import MsjError
from msj.fronts.front_of import front_of
from msj.markov.blas import blas_threads
from msj.markov.marked_chain import MarkedChain
from msj.model import System
from msj.results import Quantity

FEW_STATES = 400  # of the service process of the at-least-k system
FEW_OPERATIONS = 1e10  # for all loads together
POINTS = (9, 27)  # the 27 contain the 9
HELD_OUT = (0.11, 0.61, 0.96)  # loads between the points, at which the interpolation is tried
CLOSE = 1e-6  # of the largest value: what the last coefficients, and the misses at other loads, may amount to


@dataclass(frozen=True, kw_only=True)
class ResetConstants:
    """c_l and c_h, the value at lambda*, and what each may be off by."""

    low: float
    high: float
    limit: float
    error: float


class ResetTerms(TermAnalysis):
    """The constants of RESET, and the at-least-k system."""

    name: ClassVar[str] = "reset-terms"
    summary: ClassVar[str] = "what RESET leaves open over all loads, and the at-least-k system, where chains are small"
    citation: ClassVar[str] = "reset, Theorem 4.3"

    def supports(self, system: System) -> str | None:
        able = _response(system)
        return "its chain is not the front of an open system" if able is None else able.supports(system)

    def concerns(self, system: System) -> bool:
        return _response(system) is not None

    def terms(self, system: System, rate: float) -> list[Quantity]:
        rows: list[Quantity] = []
        response = _response(system)
        assert response is not None
        try:
            if len(POINTS) * POINTS[-1] * response.cost(system).operations <= FEW_OPERATIONS:
                rows += _constant_rows(reset_constants(system))
            chain = service_chain(system)
            if chain.states <= FEW_STATES:
                rows += at_least_k_rows(chain, rate)
                back = float(response.jobs_law(system, rate, last=front_size(system)).sum())
                method, citation = "QBD: no more jobs than the front holds", "reset, Lemma 6.2"
                rows.append(_row("empty_back_probability", back, method, citation))
        except MsjError:  # too large or not accurate: nothing is promised here
            return rows
        return rows


def front_size(system: System) -> int:
    """Return how many jobs the front holds at most: k under FCFS."""
    return system.servers if SaturatedChain().supports(system) is None else front_of(system).most_jobs


def service_chain(system: System) -> MarkedChain:
    """Return the saturated chain of a system: the service process of its at-least-k system.

    Examples
    --------
    >>> import msj
    >>> service_chain(msj.read("examples/two_servers.toml")).states
    3
    """
    return saturate(system).built.chain if SaturatedChain().supports(system) is None else front_chain(system)


def reset_constants(system: System) -> ResetConstants | None:
    """Return the constants of reset, Theorem 4.3; None where interpolation does not settle.

    Examples
    --------
    >>> import msj
    >>> found = reset_constants(msj.read("examples/two_servers.toml"))
    >>> round(found.low, 6), round(found.high, 6), round(found.limit, 6)
    (-0.467396, -0.255556, -0.467396)
    """
    response = _response(system)
    assert response is not None
    chain: SaturatedChain | FiniteSkipChain = (
        SaturatedChain() if SaturatedChain().supports(system) is None else FiniteSkipChain()
    )
    threshold = chain.saturate(system).stability_threshold

    def difference(load: float) -> float:
        found = response.at_rate(system, load * threshold, percentiles=False)
        assert found.reset_difference is not None
        return found.reset_difference()

    return extremes(difference, nothing=1e-9 / threshold)


def extremes(difference: Callable[[float], float], nothing: float = 0.0) -> ResetConstants | None:
    """Return the least and largest value of an analytic function on loads from 0 to 1, and that at 1.

    None where interpolation does not settle. Values up to ``nothing`` are rounding, as in M/M/1.

    Examples
    --------
    M/M/2: E[T] − 1/(2 − lambda) = 1/(2 + lambda), from 1/2 down to 1/4.

    >>> found = extremes(lambda load: 1 / (2 + 2 * load))
    >>> round(found.low, 9), round(found.high, 9), round(found.limit, 9)
    (0.25, 0.5, 0.25)
    """
    known: dict[float, float] = {}
    tried = {load: difference(load) for load in HELD_OUT}
    for points in POINTS:
        nodes = np.cos(np.pi * (2 * np.arange(points) + 1) / (2 * points))
        values = []
        for node in nodes:
            load = round((1.0 + float(node)) / 2.0, 15)  # met again among the next points
            if load not in known:
                known[load] = difference(load)
            values.append(known[load])
        series = chebyshev.chebfit(nodes, values, points - 1)
        error, scale = float(np.abs(series[-3:]).sum()), float(np.abs(values).max())
        allowed = max(CLOSE * scale, nothing)
        error = max(error, _worst_miss(series, tried))
        if error <= allowed:
            inner = chebyshev.chebroots(chebyshev.chebder(series))
            inner = inner[(abs(inner.imag) < 1e-9) & (abs(inner.real) < 1)].real
            found = chebyshev.chebval(np.array([-1.0, 1.0, *inner]), series)
            if scale > nothing:  # else all there is is rounding, and so are its extremes
                tried |= {load: difference(load) for load in (0.5 + 0.5 * inner).tolist() if 0.0 < load < 1.0}
            error = max(error, _worst_miss(series, tried))
            if error > allowed:
                continue
            return ResetConstants(low=float(found.min()), high=float(found.max()), limit=float(found[1]), error=error)
    return None


def _worst_miss(series: NDArray[np.floating[Any]], tried: dict[float, float]) -> float:
    """Return how far the interpolation is off at loads that it was not made from."""
    loads = np.array(list(tried))
    return float(np.abs(chebyshev.chebval(2.0 * loads - 1.0, series) - np.array(list(tried.values()))).max())


def at_least_k_rows(chain: MarkedChain, rate: float) -> Iterator[Quantity]:
    """Return what is known of the at-least-k system with this service process."""
    with blas_threads(1):
        law = open_queue(chain, rate)
    empty = law.level_mass(0)
    yield _row("at_least_k_empty_probability", empty, "QBD", "reset, Lemma F.1")
    yield _row("at_least_k_busy_period", (1.0 - empty) / (rate * empty), "QBD, renewal", "reset, Lemma F.1")
    yield _row("at_least_k_mean_back", law.mean_level(), "QBD", "reset, Lemma 3.1")


def _constant_rows(found: ResetConstants | None) -> Iterator[Quantity]:
    if found is None:
        return
    method, vague = "QBD at Chebyshev points of the load", found.error > 1e-9 * max(abs(found.low), abs(found.high))
    for name, value in (
        ("reset_constant_low", found.low),
        ("reset_constant_high", found.high),
        ("reset_constant_limit", found.limit),
    ):
        yield Quantity(
            name=name,
            value=value,
            kind="exact",
            method=method,
            citation="reset, Theorem 4.3",
            low=value - found.error if vague else None,
            high=value + found.error if vague else None,
        )


def _response(system: System) -> ResponseAnalysis | None:
    kinds: tuple[ResponseAnalysis, ...] = (ExactResponse(), FiniteSkipResponse())
    return next((each for each in kinds if each.supports(system) is None), None)


def _row(name: str, value: float, method: str, citation: str) -> Quantity:
    return Quantity(name=name, value=float(value), kind="exact", method=method, citation=citation)


VARIANT = ResetTerms
