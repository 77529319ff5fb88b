"""Exact rational and symbolic answers for a small system (``msj.symbolic``).

Shares and rates enter as the numbers the user wrote: "1/3" is a third and 0.1 a tenth. FCFS has a chain of its own, for
phase-type durations; every other finite-skip policy and model is solved on its fronts, for exponential ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from msj.analysis.base import Analysis, why_not_exponential, why_not_fcfs
from msj.analysis.exact_front import ReadFront
from msj.errors import NotSupported
from msj.fronts.fcfs_counts import number_of_states
from msj.fronts.front_of import why_no_front
from msj.fronts.job_types import why_not_phase_type
from msj.model import System
from msj.model.numbers import exact
from msj.symbolic import ExactSaturated, solve_exactly, solve_symbolically
from msj.symbolic.chain import RATIONAL_STATES


class Symbolic(Analysis):
    """Fractions and formulas."""

    name: ClassVar[str] = "symbolic"
    summary: ClassVar[str] = "the saturated system in fractions or formulas, small systems only (msj symbolic)"
    citation: ClassVar[str] = "reset, Appendix C"

    def supports(self, system: System) -> str | None:
        if why_not_fcfs(system) is None:
            return why_not_phase_type(system)
        return why_no_front(system) or why_not_exponential(system)

    def how_long(self, system: System) -> str:
        if why_not_fcfs(system) is not None:  # how many fronts there are is known once they have been visited
            return f"yes, up to {RATIONAL_STATES:,} full fronts"
        states = number_of_states(system)
        return "yes" if states <= RATIONAL_STATES else f"no: it stops at {RATIONAL_STATES:,} states, and there are more"


def in_symbols(system: System, parameters: Sequence[str] = ()) -> ExactSaturated:
    """Solve the saturated system without rounding, with ``parameters`` left as symbols.

    Parameters are ``p1, p2, ...`` (shares) and ``mu1, mu2, ...`` (rates of exponential durations), numbered like the
    classes of the system; without any the answers are fractions.

    Examples
    --------
    >>> import msj
    >>> system = msj.read("examples/two_servers.toml")
    >>> in_symbols(system).threshold
    Fraction(9, 10)
    >>> in_symbols(system, ["mu1", "mu2"]).threshold
    9*mu1*mu2/(3*mu1 + 4*mu2)
    """
    Symbolic().require(system)
    active = system.active_classes
    needs = [c.need for c in active]
    shares = [exact(c.share) for c in active]
    front = None if why_not_fcfs(system) is None else ReadFront(system)
    if parameters:
        reason = why_not_exponential(system)
        if reason is not None:
            raise NotSupported(f"formulas need exponential durations: {reason}")
        if len(active) < len(system.classes):
            never = next(c.name for c in system.classes if c.share == 0)
            raise NotSupported(f"class '{never}' never arrives (share 0), so symbols cannot be numbered; remove it")
    if parameters or front is not None:
        rates = [exact(c.duration.rate) for c in active]  # type: ignore[attr-defined]
        model: Any = {"servers": system.servers, "needs": needs, "shares": shares, "rates": rates}
        if front is not None:
            model |= {"front": front, "served": _served(system)}
        return solve_symbolically(parameters=list(parameters), **model) if parameters else solve_exactly(**model)
    phases = []
    for c in active:
        law = c.duration.as_phase_type()
        assert law is not None
        initial = [exact(chance) for chance in law.initial]
        total = sum(initial)  # 1 but for the rounding of a fitted law
        generator = [[exact(rate) for rate in row] for row in law.generator]
        phases.append(([chance / total for chance in initial], generator))
    return solve_exactly(servers=system.servers, needs=needs, shares=shares, phases=phases)


def _served(system: System) -> str:
    """Return what a system is called by what serves it."""
    if system.model is not None:
        return f"model '{system.model.name}'"
    spec = system.policy.to_spec()
    options = {} if isinstance(spec, str) else {key: value for key, value in spec.items() if key != "name"}
    chosen = ", ".join(f"{key} = {value}" for key, value in options.items())
    return f"policy '{system.policy.name}'" + (f" ({chosen})" if chosen else "")


VARIANT = Symbolic
