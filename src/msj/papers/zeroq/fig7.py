"""Figure 7: set II, the same needs at a heavier load: waiting does not vanish."""

from __future__ import annotations

from typing import Any, ClassVar

from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.zeroq.sets import CHOSEN, LOAD_II, bound_claim, compute_set, draw_classes, estimates, total_jobs


class Figure7(Figure):
    """Queueing probability of each class in set II."""

    title: ClassVar[str] = "Set II: load 1 − n^-0.3, needs 3, log2 n, sqrt n; waiting does not vanish"
    caption: ClassVar[str] = (
        f"{CHOSEN} The lower bound proves what the paper finds unlikely to be otherwise: 2·0.3 + 0.5 > 1, so the bound "
        "tends to 1/2 and the probability cannot vanish."
    )

    def arrivals(self, scale: Scale) -> float:
        return total_jobs(scale, LOAD_II)

    def compute(self, work: Work) -> Rows:
        return compute_set(work, LOAD_II)

    def draw(self, rows: Rows, figure: Any) -> None:
        draw_classes(rows, figure.add_subplot())

    def claims(self, rows: Rows) -> list[Claim]:
        found = []
        for i in (1, 2, 3):
            values = estimates(rows, i)
            least = min(values, key=lambda value: value.value)
            stays = values[-1].high >= least.low
            found.append(
                Claim(
                    claim=f"the queueing probability of class {i} is unlikely to converge to 0",
                    claimed="does not keep falling",
                    found=", ".join(f"{value.value:.3g}" for value in values),
                    difference=f"last {values[-1].value:.3g}, least {least.value:.3g}",
                    passed=stays and values[-1].low > 0.1,
                )
            )
        lower = [row["lower_bound"] for row in rows]
        rising = lower[-1] > min(lower)
        found.append(
            Claim(
                claim="it cannot vanish: the lower bound from infinitely many servers rises again",
                claimed="beyond the paper",
                found=", ".join(f"{value:.3g}" for value in lower),
                difference="rises" if rising else "falls",
                passed=rising,
            )
        )
        found.append(bound_claim(rows))
        return found


VARIANT = Figure7
