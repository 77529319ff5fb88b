"""Fractions and formulas of the saturated system, as a result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from msj.analysis.symbolic import Symbolic
from msj.analysis.symbolic import in_symbols as solve_in_symbols
from msj.answers.question import SystemLike, as_system, question
from msj.results import Quantity, Result, provenance
from msj.symbolic import ExactSaturated, write


@dataclass(frozen=True, kw_only=True)
class SymbolicResult(Result):
    """A result whose rows carry formulas; ``answer`` has them as objects to calculate with."""

    answer: ExactSaturated

    def write(self, style: str = "text") -> str:
        """Return it as ``text``, ``latex`` or ``python``."""
        return write(self.answer, style)


@question
def in_symbols(system: SystemLike, parameters: Sequence[str] = ()) -> SymbolicResult:
    """Solve the saturated system without rounding, with ``parameters`` left as symbols.

    Parameters are ``p1, p2, ...`` (shares) and ``mu1, mu2, ...`` (rates of exponential durations), numbered like the
    classes of the system; without any the answers are fractions. The formulas are texts in the rows and objects in
    ``.answer``.

    Examples
    --------
    >>> import msj
    >>> msj.in_symbols("examples/two_servers.toml").row("stability_threshold").formula
    '9/10'
    >>> msj.in_symbols("examples/two_servers.toml", ["mu1", "mu2"]).answer.threshold
    9*mu1*mu2/(3*mu1 + 4*mu2)
    """
    system = as_system(system)
    answer = solve_in_symbols(system, parameters)

    def row(name: str, entry: object, state: str | None = None) -> Quantity:
        return Quantity(
            name=name,
            value=float(entry) if isinstance(entry, Fraction) else math.nan,
            kind="exact",
            method="exact elimination",
            citation=Symbolic.citation,
            formula=str(entry),
            at={} if state is None else {"state": state},
        )

    rows = [
        row("stability_threshold", answer.threshold),
        row("wasted_servers", answer.wasted_servers),
        row("relative_completions_at_departure", answer.departure_relative_completions),
    ]
    for name, values in (
        ("state_probability", answer.time_average),
        ("state_probability_at_departure", answer.departure_average),
        ("relative_completions", answer.relative_completions),
    ):
        rows += [row(name, value, state) for state, value in zip(answer.state_names, values, strict=True)]
    return SymbolicResult(
        system=system.to_spec(),
        quantities=tuple(rows),
        provenance=provenance(states=len(answer.states), parameters=[str(symbol) for symbol in answer.parameters]),
        answer=answer,
    )
