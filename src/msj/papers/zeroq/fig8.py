"""Figure 8: set III, the smaller the largest need, the faster waiting vanishes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.zeroq.sets import CHOSEN, LARGEST_NEEDS, LOAD_I, SIZES, compute_set, estimates, total_jobs
from msj.plots.estimates import draw_estimates, server_axis

FAMILIES = tuple({"largest": need, **LOAD_I} for need in LARGEST_NEEDS)


class Figure8(Figure):
    """Queueing probability of class 3 for three largest needs."""

    title: ClassVar[str] = "Set III: load 1 − n^-0.1/4, the queueing probability of class 3 for three largest needs"
    caption: ClassVar[str] = (
        f"{CHOSEN} An arrow marks a size at which no job of class 3 waited, at the upper end of its interval; the "
        "dotted lines are lower bounds from infinitely many servers."
    )

    def arrivals(self, scale: Scale) -> float:
        return total_jobs(scale, *FAMILIES)

    def compute(self, work: Work) -> Rows:
        return compute_set(work, *FAMILIES)

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        for rank, (need, marker) in enumerate(zip(LARGEST_NEEDS, "osD", strict=True)):
            here = [row for row in rows if row["largest_need"] == need]
            sizes = [row["servers"] * 2.0 ** (0.1 * (rank - 1)) for row in here]
            draw_estimates(axes, sizes, estimates(here, 3), marker=marker, label=f"largest need {need}")
            axes.plot(sizes, [row["lower_bound_3"] for row in here], ":", color=f"C{rank}", linewidth=1.1)
        axes.plot([], [], "k:", linewidth=1.1, label="lower bounds")
        server_axis(axes, SIZES)
        axes.set_yscale("log")
        axes.set_ylim(1e-7, 1.2)
        axes.set_ylabel("probability that a class-3 job waits")
        axes.legend(fontsize=9, frameon=False, loc="lower left")

    def claims(self, rows: Rows) -> list[Claim]:
        by_need = [estimates([row for row in rows if row["largest_need"] == need], 3) for need in LARGEST_NEEDS]
        found = []
        for index, n in enumerate(SIZES[1:], start=1):
            values = [each[index] for each in by_need]
            # Where nobody waited, 0 is below what was seen; two such cannot be told apart.
            ordered = all(b.value < a.value or a.value == b.value == 0 for a, b in pairwise(values))
            found.append(
                Claim(
                    claim=f"at n = {n} it falls with the largest need (sqrt n, 3 n^1/4, log2 n + 2)",
                    claimed="falls",
                    found=" > ".join(f"{value.value:.3g}" for value in values),
                    difference="in order" if ordered else "not in order",
                    passed=ordered,
                )
            )
        start = [each[0] for each in by_need]
        together = max(value.low for value in start) <= min(value.high for value in start)
        found.append(
            Claim(
                claim="at n = 64 all three begin together (needs 8, 8.49 and 8)",
                claimed="equal",
                found=", ".join(f"{value.value:.3g}" for value in start),
                difference=f"{max(v.value for v in start) - min(v.value for v in start):.2g}",
                passed=together,
                because="3·64^(1/4) = 8.49 is rounded down to 8 servers",
            )
        )
        return found


VARIANT = Figure8
