"""twoclass, Fig. 7(a): wasted servers against the rate ratio, n/n_2 = 3, moderate peaks."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.twoclass.peaks_figure import PeaksFigure


class Fig7a(PeaksFigure):
    title: ClassVar[str] = "Wasted servers against the rate ratio: 30 servers, needs 1 and 10"
    caption: ClassVar[str] = (
        "Our choice: n_1 = 1, n_2 = 10, n = 30. The text asks for n/n_2 = 3, moderate peaks, and 60 % of n_2 wasted at "
        "equal rates; with n_1 = 1 and n = 3 n_2, n_2 = 10 is what gives 60 %."
    )
    needs: ClassVar[tuple[int, int]] = (1, 10)
    servers: ClassVar[int] = 30


VARIANT = Fig7a
