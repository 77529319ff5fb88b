"""twoclass, Fig. 7(b): wasted servers against the rate ratio, with one more class-2 job in service."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.twoclass.peaks_figure import PeaksFigure


class Fig7b(PeaksFigure):
    title: ClassVar[str] = "Wasted servers against the rate ratio: 40 servers, needs 1 and 10"
    caption: ClassVar[str] = (
        "Our choice: n_1 = 1, n_2 = 10, n = 40. The text asks for n_2 dividing n and for 60 % of n_2 wasted at equal "
        "rates; it says nothing else of this figure, and other choices (n_2 = 16, n = 112) come close too."
    )
    needs: ClassVar[tuple[int, int]] = (1, 10)
    servers: ClassVar[int] = 40


VARIANT = Fig7b
