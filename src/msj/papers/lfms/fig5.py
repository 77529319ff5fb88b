"""lfms, Figure 5: n-server dominated, p_n = n^-0.5, mu_1 = 10, mu_n = 1."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure5(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: n-server dominated, mu_1 = 10, mu_n = 1"
    caption: ClassVar[str] = (
        "n-server jobs that last ten times as long as 1-server jobs slow the convergence of μ; E[Δ(Y_d)] approaches "
        "its form from above."
    )
    alpha: ClassVar[float] = 0.5
    rate_small: ClassVar[float] = 10
    rate_large: ClassVar[float] = 1

    def said(self, rows: Rows) -> list[Claim]:
        return [
            self.compared(rows, "mu", "mu converges more slowly than in Fig. 2", closer=False),
            self.compared(rows, "completions", "E[Δ(Y_d)] converges faster than in Fig. 2", closer=True),
            self.tight(rows, "completions", "the form of E[Δ(Y_d)] is a tight approximation across all n"),
        ]


VARIANT = Figure5
