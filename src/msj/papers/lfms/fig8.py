"""lfms, Figure 8: n-server dominated, p_n = n^-0.5, mu_1 = 1, mu_n = 10."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure8(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: n-server dominated, mu_1 = 1, mu_n = 10"
    caption: ClassVar[str] = "n-server jobs that last a tenth of 1-server jobs hardly matter to μ."
    alpha: ClassVar[float] = 0.5
    rate_small: ClassVar[float] = 1
    rate_large: ClassVar[float] = 10

    def said(self, rows: Rows) -> list[Claim]:
        return [
            self.together(rows, "mu", "the form of mu is very tight"),
            self.compared(rows, "mu", "longer 1-server jobs make the form of mu more accurate", closer=True),
        ]


VARIANT = Figure8
