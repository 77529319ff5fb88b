"""The saturated system of finite-skip policies other than FCFS, and of finite-skip models.

The front model (``fronts.front_model``) gives the saturated chain, hence threshold, waste and RESET prediction (reset,
section 7). How many fronts there are is known only once they have been enumerated, which is the cheaper part; so the
cost is that of the solution.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from msj.analysis.base import A_MOMENT, Saturated, SaturatedAnalysis, without_load
from msj.analysis.chain_cost import chain_cost, in_words
from msj.analysis.counted import looks_at_counts
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.model import policy_of
from msj.effort import Cost
from msj.errors import InvalidInput, NotSupported, TooLarge
from msj.fronts.compiled_fronts import saturated_fronts
from msj.fronts.fcfs_counts import number_of_states
from msj.fronts.front_chain import MOST_FRONTS
from msj.fronts.front_of import front_of, why_no_front
from msj.fronts.job_types import job_types
from msj.markov import LongRun, MarkedChain, solve
from msj.model import System

CITATION = "reset, section 7 and Appendix H.1"


LISTING_EACH = 1e6  # operations to list a front of a model, measured: a fifth of a millisecond
BEYOND_LISTING = float(MOST_FRONTS)  # of what is told of their number before, right to a factor of ten: minutes
AS_LARGE_AS_IT_IS = "yes, unless it is too large, which shows when its fronts are listed"


class FiniteSkipChain(SaturatedAnalysis):
    """The saturated chain of any discipline with a finite front."""

    name: ClassVar[str] = "finite-skip-chain"
    summary: ClassVar[str] = "threshold, waste and RESET of policies and models that pass over finitely many jobs"
    citation: ClassVar[str] = CITATION

    def supports(self, system: System) -> str | None:
        return why_not_a_front(system)

    def concerns(self, system: System) -> bool:
        return not is_fcfs(system) and not looks_at_counts(system)

    def cost(self, system: System) -> Cost:
        return chain_cost(number_of_fronts(system), 2 + len(system.active_classes))  # no line, even of one type

    def how_long(self, system: System) -> str:
        about = about_fronts(system)
        if about is None:
            return "yes" if self.in_a_moment(system) else AS_LARGE_AS_IT_IS
        if about > BEYOND_LISTING:
            return f"no: too large, about {about:.1e} fronts"
        return "yes" if self.in_a_moment(system) else f"yes, about {about:,.0f} fronts, {in_words(about_cost(system))}"

    def in_a_moment(self, system: System) -> bool:
        # How many fronts there are is not known before they are enumerated, only how many there can be at most.
        about = about_fronts(system)
        if about is not None:
            return LISTING_EACH * about <= A_MOMENT
        front = None if system.model is not None else policy_of(system).front_on(system.servers)
        if front is None:
            return False
        types = len(job_types(system))
        return chain_cost(number_of_states(system) * float(types) ** front, types).operations <= A_MOMENT

    def saturate(self, system: System) -> Saturated:
        chain, busy = _chain(without_load(system))
        run = _solved(without_load(system))
        wasted = float(run.time_average @ (system.servers - busy))
        return Saturated(
            stability_threshold=run.throughput,
            wasted_servers=wasted,
            saturated_utilisation=1.0 - wasted / system.servers,
            relative_completions_at_departure=run.relative_completions_at_departure,
            method="saturated chain of the front",
            citation=getattr(system.model, "citation", self.citation),
            facts={"states": chain.states, "solver": run.method, "residual": run.residual},
        )


def about_fronts(system: System) -> float | None:
    """Return about how many fronts there will be, before any is listed; None where nobody knows."""
    return _about_fronts(without_load(system))


def about_cost(system: System) -> Cost:
    """Return about what it will cost to list as many fronts as there may be, and to solve their chain."""
    fronts = about_fronts(system) or 0.0
    return Cost(operations=LISTING_EACH * fronts) + chain_cost(fronts, 2 + len(system.active_classes))


def why_not_a_front(system: System) -> str | None:
    """Return the reason if the chain of the front is not the way to solve a system, else None."""
    if is_fcfs(system):
        return "fcfs has a much smaller chain of its own (saturated-chain, exact-response)"
    return why_no_front(system)


def number_of_fronts(system: System) -> int:
    """Return how many full fronts a system has; they are enumerated for that, and kept."""
    return _chain(without_load(system))[0].states


def front_chain(system: System) -> MarkedChain:
    """Return the saturated chain of a system's front."""
    return _chain(without_load(system))[0]


@lru_cache(maxsize=16)
def _about_fronts(system: System) -> float | None:
    return front_of(system).about_fronts() if system.model is not None else None


def solved_front_chain(system: System) -> LongRun:
    """Return the long run of the saturated chain of a system's front."""
    return _solved(without_load(system))


@lru_cache(maxsize=4)
def _chain(system: System) -> tuple[MarkedChain, NDArray[np.float64]]:
    about = _about_fronts(system)
    if about is not None and about > BEYOND_LISTING:
        raise TooLarge(
            f"there are about {about:.1e} fronts and {MOST_FRONTS:,} can be listed; use fewer servers, classes, phases "
            "or states of the environment, or simulate"
        )
    chain, busy = saturated_fronts(front_of(system))
    if busy is None:
        called = system.policy.name if system.model is None else system.model.name
        raise NotSupported(f"'{called}' does not say how many servers are busy; add busy_servers(front) to its front")
    return chain, busy


@lru_cache(maxsize=4)
def _solved(system: System) -> LongRun:
    try:
        return solve(_chain(system)[0])
    except InvalidInput as error:
        if not policy_of(system).from_outside:
            raise
        raise NotSupported(
            f"the saturated chain of policy '{system.policy.name}' has no long run ({error}): some jobs may never be "
            "served; simulate it"
        ) from None


VARIANT = FiniteSkipChain
