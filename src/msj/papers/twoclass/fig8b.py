"""twoclass, Fig. 8(b): n_1 and n_2 closer still, and the waste is monotonic in the rate ratio."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.twoclass.ratio_figure import HIGH, LOW, RatioFigure, deepest_dip, inner


class Fig8b(RatioFigure):
    title: ClassVar[str] = "Wasted servers against the rate ratio: 30 servers, needs 3 and 10"
    caption: ClassVar[str] = (
        "Our choice: n_1 = 3, n_2 = 10, n = 30, the paper's running example; the text asks for n_1 closer to n_2 than "
        "in Fig. 7(a), with n_1/p_2 on the order of n_2."
    )
    needs: ClassVar[tuple[int, int]] = (3, 10)
    servers: ClassVar[int] = 30

    def claims(self, rows: Rows) -> list[Claim]:
        dip = deepest_dip(rows)
        return [
            self.few_at_small_ratios(rows),
            Claim(
                claim="where n_2 is not much larger than n_1, the waste is fully monotonic in μ₂/μ₁",
                claimed="no local optimum or pessimum",
                found=f"{len(inner(rows))} between {LOW:g} and {HIGH:g}",
                difference=f"largest fall {dip:.1e} servers",
                passed=not inner(rows) and dip < 1e-9,
            ),
        ]


VARIANT = Fig8b
