"""lfms, Figure 4: 1-server dominated, p_n = n^-2, mu_1 = 1, mu_n = 1."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure4(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: 1-server dominated, mu_1 = 1, mu_n = 1"
    caption: ClassVar[str] = (
        "The exact μ and nμ₁ differ by ln n + γ servers' worth here; the form of E[Δ(Y_d)] is 7 % low at 10^8 servers."
    )
    alpha: ClassVar[float] = 2
    rate_small: ClassVar[float] = 1
    rate_large: ClassVar[float] = 1

    def said(self, rows: Rows) -> list[Claim]:
        return [
            self.together(rows, "mu", "nearly no perceptible separation of mu and its form"),
            self.together(rows, "completions", "nearly no perceptible separation of E[Δ(Y_d)] and its form"),
            self.tight(rows, "mu", "the form of mu is a tight multiplicative approximation across all n"),
            self.tight(
                rows, "completions", "the form of E[Δ(Y_d)] is a tight multiplicative approximation across all n"
            ),
        ]


VARIANT = Figure4
