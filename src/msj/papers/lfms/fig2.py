"""lfms, Figure 2: n-server dominated, p_n = n^-0.5, mu_1 = 1, mu_n = 1."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure2(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: n-server dominated, mu_1 = 1, mu_n = 1"
    caption: ClassVar[str] = (
        "The gap to the asymptotic form closes like 1/ln n: the next term of E[Δ(Y_d)] is −1/(p_n ln(1/p_n)), "
        "whatever the rates."
    )
    alpha: ClassVar[float] = 0.5
    rate_small: ClassVar[float] = 1
    rate_large: ClassVar[float] = 1

    def said(self, rows: Rows) -> list[Claim]:  # noqa: ARG002
        return []


VARIANT = Figure2
