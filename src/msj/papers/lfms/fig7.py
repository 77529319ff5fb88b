"""lfms, Figure 7: 1-server dominated, p_n = n^-2, mu_1 = 10, mu_n = 1."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure7(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: 1-server dominated, mu_1 = 10, mu_n = 1"
    caption: ClassVar[str] = (
        "The next term, (γ + μ₁/μₙ − 1) n^(2−α) ln n, is as large as the leading one for all n of practical interest: "
        "exact and asymptotic are a factor 2.6 apart at 10^8 servers. (Where the text says that the green and orange "
        "curves converge, it means green and purple.)"
    )
    alpha: ClassVar[float] = 2
    rate_small: ClassVar[float] = 10
    rate_large: ClassVar[float] = 1

    def said(self, rows: Rows) -> list[Claim]:
        return [
            self.compared(rows, "completions", "the form of E[Δ(Y_d)] is looser than in Fig. 4", closer=False),
        ]


VARIANT = Figure7
