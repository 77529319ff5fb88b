"""lfms, Figure 6: balanced, p_n = n^-1, mu_1 = 10, mu_n = 1."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure6(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: balanced, mu_1 = 10, mu_n = 1"
    caption: ClassVar[str] = (
        "The ratio of E[Δ(Y_d)] falls through 1 near 10^12 servers, to 0.98, and returns to 1 from below."
    )
    alpha: ClassVar[float] = 1
    rate_small: ClassVar[float] = 10
    rate_large: ClassVar[float] = 1

    def said(self, rows: Rows) -> list[Claim]:
        return [
            self.compared(rows, "completions", "the form of E[Δ(Y_d)] is tighter than in Fig. 3", closer=True),
        ]


VARIANT = Figure6
