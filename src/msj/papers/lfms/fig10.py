"""lfms, Figure 10: 1-server dominated, p_n = n^-2, mu_1 = 1, mu_n = 10."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure10(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: 1-server dominated, mu_1 = 1, mu_n = 10"
    caption: ClassVar[str] = (
        "Here the terms beyond the leading one nearly cancel, which is why the curves are so close."
    )
    alpha: ClassVar[float] = 2
    rate_small: ClassVar[float] = 1
    rate_large: ClassVar[float] = 10

    def said(self, rows: Rows) -> list[Claim]:
        return [
            self.together(rows, "mu", "the form of mu is very tight"),
            self.together(rows, "completions", "the green and purple curves of E[Δ(Y_d)] are very close"),
        ]


VARIANT = Figure10
