"""The saturated system, exactly: which analysis answers.

Surest first: closed forms before chains, whose solutions have residuals; among them what gives relative completions
too, then what costs least. Most closed forms give no relative completions; those come from the cheapest chain if the
effort allows it, and the notes say so if it does not. A new file in ``analysis/`` is asked like the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from msj.analysis.base import Analysis, LimitAnalysis, ResponseAnalysis, Saturated, SaturatedAnalysis
from msj.analysis.chain_cost import in_words
from msj.answers.applicable import Some, analyses, supporting
from msj.answers.cross_check import MAX_OPERATIONS, require_agreement, require_threshold
from msj.effort import Cost, Effort
from msj.errors import InvalidInput, MsjError, NotSupported, TooLarge
from msj.model import System
from msj.model.trials import try_laws
from msj.results import Quantity

Method: TypeAlias = Literal["auto", "chain", "closed-form"]
__all__ = ["Method", "analyses", "cheapest_cost", "limits", "solve_saturated", "that_apply", "why_none"]
UNLIMITED = Effort(operations=float("inf"), bytes=float("inf"))


def that_apply(kind: type[Some], system: System) -> list[Some]:
    """Return the analyses of one kind that apply to a system; code from outside that contradicts them is refused."""
    try_laws(system)
    if issubclass(kind, (SaturatedAnalysis, ResponseAnalysis)):
        require_agreement(system)
    return supporting(kind, system)


def limits(system: System) -> list[Quantity]:
    """Return what no policy can exceed, as far as that is known in a moment."""
    rows: list[Quantity] = []
    for analysis in that_apply(LimitAnalysis, system):
        if analysis.in_a_moment(system):
            with suppress(MsjError):
                rows += analysis.limits(system)
    return rows


def why_none(asked: Iterable[Analysis], system: System) -> str:
    """Say why none of these applies: the reasons of those that are made for such a system, whatever they are called."""
    reasons = [a.supports(system) for a in asked if a.concerns(system)]
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason is not None))


def cheapest_cost(system: System) -> Cost | None:
    """Return what the saturated system would cost by the cheapest analysis that applies; None if none does."""
    costs = [a.cost(system) for a in that_apply(SaturatedAnalysis, system) if a.closed_form] or [
        a.cost(system) for a in that_apply(SaturatedAnalysis, system)
    ]
    return min(costs, key=lambda cost: cost.operations, default=None)


def solve_saturated(
    system: System, method: Method = "auto", *, effort: Effort = UNLIMITED, completions: bool = True
) -> tuple[Saturated, list[str]]:
    """Return the facts about the saturated system, and notes on what was left out.

    Parameters
    ----------
    system
        The cluster; how much arrives does not matter.
    method
        ``"auto"``, or force ``"chain"`` or ``"closed-form"``.
    effort
        What costs more is refused.
    completions
        Whether relative completions are wanted where they cost more than the threshold.
    """
    if method not in get_args(Method):
        raise InvalidInput(f"method = {method!r} is unknown; use one of {', '.join(get_args(Method))}")
    able = that_apply(SaturatedAnalysis, system)
    closed = sorted(
        (a for a in able if a.closed_form), key=lambda a: (not a.gives_completions, a.cost(system).operations)
    )
    if method == "closed-form" and not closed:
        forms = [a for a in analyses(SaturatedAnalysis) if a.closed_form]
        listed = "; ".join(f"{a.name}: {a.supports(system)}" for a in forms)
        raise NotSupported(f"no closed form applies ({listed}); use the chain")
    if method == "chain" or not closed:
        known = any(a.gives_completions for a in able if not a.closed_form)
        chain, cost = _cheapest_chain(able, system, completions=known)
        if not effort.allows(cost):
            raise TooLarge(
                f"the exact chain of this system would take {in_words(cost)}; msj analyse solves it if it fits"
            )
        solved = chain.saturate(system)
        if cost.operations > MAX_OPERATIONS:
            require_threshold(system, solved.stability_threshold)
        return solved, []
    found = closed[0].saturate(system)
    if found.relative_completions_at_departure is not None or not completions:
        return found, []
    if method == "closed-form":
        note = f"The {closed[0].name} form gives no relative completions, so no response time is predicted."
        return found, [note]
    try:
        chain, cost = _cheapest_chain(able, system, completions=True)
    except NotSupported as error:
        return found, [f"Relative completions and the RESET prediction are left out: {error.message}."]
    if not effort.replace(operations=min(effort.operations, Effort.operations)).allows(cost):
        note = (
            f"Relative completions and the RESET prediction are left out: they need a chain that would take "
            f"{in_words(cost)}; ask with method 'chain'."
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


def _cheapest_chain(
    able: list[SaturatedAnalysis], system: System, *, completions: bool
) -> tuple[SaturatedAnalysis, Cost]:
    chains = [(a.cost(system), a) for a in able if not a.closed_form]
    if completions:
        chains = [(cost, a) for cost, a in chains if a.gives_completions]
    if not chains:
        chains_there_are = [a for a in analyses(SaturatedAnalysis) if not a.closed_form]
        raise NotSupported(why_none(chains_there_are, system))
    cost, chain = min(chains, key=lambda pair: pair[0].operations)
    return chain, cost
