"""Choosing how to solve the saturated system: a closed form where one applies, the chain elsewhere.

Closed forms are faster than any chain and reach sizes no chain can. Most give no relative completions; those come from
the chain if it is small enough to be worth the wait, and the notes say so if it is not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from msj.analysis.base import Saturated, SaturatedAnalysis
from msj.analysis.finite_skip_chain import FiniteSkipChain
from msj.analysis.saturated_chain import SaturatedChain
from msj.disciplines.fcfs import is_fcfs
from msj.errors import InvalidInput, NotSupported
from msj.fronts.fcfs_counts import MOST_STATES, number_of_states
from msj.model import System
from msj.registry import ANALYSES

Method: TypeAlias = Literal["auto", "chain", "closed-form"]

WORTH_THE_WAIT = 100_000  # states: some seconds, except for two exponential classes, whose chain is a mere line


def saturated_analyses() -> list[SaturatedAnalysis]:
    """Every analysis of the saturated system, the cheapest first."""
    found = [variant() for variant in ANALYSES if issubclass(variant, SaturatedAnalysis)]
    return sorted(found, key=lambda analysis: analysis.preference)


def solve_saturated(system: System, method: Method = "auto") -> tuple[Saturated, list[str]]:
    """Return the facts about the saturated system, and notes on how they were chosen."""
    if method not in get_args(Method):
        raise InvalidInput(f"method = {method!r} is unknown; use one of {', '.join(get_args(Method))}")
    reasons = {analysis: analysis.supports(system) for analysis in saturated_analyses()}
    closed = [analysis for analysis, reason in reasons.items() if analysis.closed_form and reason is None]
    chain: SaturatedAnalysis = SaturatedChain() if is_fcfs(system) else FiniteSkipChain()
    if method == "chain" or (method == "auto" and not closed):
        chain.require(system)
        return chain.saturate(system), []
    if not closed:
        listed = "; ".join(f"{a.name}: {reason}" for a, reason in reasons.items() if a.closed_form)
        raise NotSupported(f"no closed form applies ({listed}); use the chain")
    found = closed[0].saturate(system)
    if found.relative_completions_at_departure is not None:
        return found, []
    if method == "closed-form":
        note = f"The {closed[0].name} form gives no relative completions, so no response time is predicted."
        return found, [note]
    states = number_of_states(system)
    if states > (MOST_STATES if len(system.active_classes) == 2 else WORTH_THE_WAIT):
        note = (
            f"Relative completions and the RESET prediction are left out: they need the chain of {states:,.0f} states; "
            "ask with method 'chain'."
        )
        return found, [note]
    solved = chain.saturate(system)
    gap = abs(solved.stability_threshold / found.stability_threshold - 1.0)
    return replace(
        found,
        relative_completions_at_departure=solved.relative_completions_at_departure,
        completions_method=solved.method,
        completions_citation=solved.citation,
        facts={**solved.facts, "closed_form_vs_chain": gap},
    ), []
