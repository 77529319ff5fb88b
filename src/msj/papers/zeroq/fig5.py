"""Figure 5: set I, the probability of waiting falls as the cluster grows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.zeroq.sets import CHOSEN, LOAD_I, bound_claim, compute_set, draw_classes, estimates, total_jobs


class Figure5(Figure):
    """Queueing probability of each class in set I."""

    title: ClassVar[str] = "Set I: load 1 − n^-0.1/4, needs 3, log2 n, sqrt n; waiting vanishes"
    caption: ClassVar[str] = CHOSEN

    def arrivals(self, scale: Scale) -> float:
        return total_jobs(scale, LOAD_I)

    def compute(self, work: Work) -> Rows:
        return compute_set(work, LOAD_I)

    def draw(self, rows: Rows, figure: Any) -> None:
        draw_classes(rows, figure.add_subplot())

    def claims(self, rows: Rows) -> list[Claim]:
        found = []
        for i in (1, 2, 3):
            values = estimates(rows, i)
            falling = all(later.high < earlier.low for earlier, later in pairwise(values))
            found.append(
                Claim(
                    claim=f"the queueing probability of class {i} falls as n grows",
                    claimed="falls at every step",
                    found=" > ".join(f"{value.value:.3g}" for value in values),
                    difference="intervals apart at every step" if falling else "intervals overlap",
                    passed=falling,
                )
            )
        found.append(bound_claim(rows))
        return found


VARIANT = Figure5
