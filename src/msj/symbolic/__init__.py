"""Exact answers for small saturated systems: rational numbers and formulas.

Nothing here is rounded. Plain numbers go in and Fractions come out, or chosen quantities stay symbols and
formulas come out, as in reset, Section 4.1 and Appendix C.
"""

from __future__ import annotations

from msj.symbolic.answer import ExactSaturated
from msj.symbolic.chain import SaturatedChain, count_states, saturated_chain
from msj.symbolic.entries import exponential
from msj.symbolic.solve import solve_exactly, solve_symbolically
from msj.symbolic.write import write

__all__ = [
    "ExactSaturated",
    "SaturatedChain",
    "count_states",
    "exponential",
    "saturated_chain",
    "solve_exactly",
    "solve_symbolically",
    "write",
]
