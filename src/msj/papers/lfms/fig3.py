"""lfms, Figure 3: balanced, p_n = n^-1, mu_1 = 1, mu_n = 1."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.lfms.curves import LoadFocusedFigure


class Figure3(LoadFocusedFigure):
    title: ClassVar[str] = "mu and E[Δ(Y_d)], exact and asymptotic: balanced, mu_1 = 1, mu_n = 1"
    caption: ClassVar[str] = "As in Figure 2 the gap closes like 1/ln n."
    alpha: ClassVar[float] = 1
    rate_small: ClassVar[float] = 1
    rate_large: ClassVar[float] = 1

    def said(self, rows: Rows) -> list[Claim]:  # noqa: ARG002
        return []


VARIANT = Figure3
