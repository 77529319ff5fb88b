"""Figure 1: scaled mean response time of six WCFS models, all of which go to that of M/G/1 (wcfs, Theorem 1)."""

from __future__ import annotations

from typing import Any, ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.wcfs.curves import draw_curves, finish, legend, limit_line
from msj.papers.wcfs.models import WCFS, models
from msj.papers.wcfs.points import OverLoad, agreement, at_saturation, labelled, values

LARGEST_ERROR = 1e-3  # of the limit, extrapolated linearly from loads 0.995 and 0.999


class Fig1(OverLoad):
    """E[T](1 − rho) of the four motivating models, M/G/4 and M/G/1."""

    title: ClassVar[str] = "Scaled mean response time of six WCFS models: one limit"
    caption: ClassVar[str] = (
        "Lines are exact (the chain of the front), markers simulated with 95 % intervals. The paper simulates up to "
        "load 0.96; exact values need not stop there, so the lines go on to 0.999."
    )
    names: ClassVar[tuple[str, ...]] = WCFS

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        draw_curves(axes, rows, self.names, "scaled")
        limit_line(axes, models()["mg1"].excess, r"$E[S^2]\,/\,2E[S]$ = 1.25", 0.12)
        finish(axes, r"scaled mean response time $E[T](1-\rho)$", "Six WCFS models: one limit")
        axes.set_ylim(0.8, 4.1)
        legend(axes, self.names, loc="upper right")

    def claims(self, rows: Rows) -> list[Claim]:
        return [*(_limit(rows, name) for name in self.names), agreement(rows)]


def _limit(rows: Rows, name: str) -> Claim:
    limit, scaled = models()[name].excess, values(rows, name, "scaled")
    found = at_saturation(scaled)
    return Claim(
        claim=f"{labelled(name)}: E[T](1 − rho) goes to E[S²]/(2E[S])",
        claimed=f"{limit:.6g}",
        found=f"{found:.6f} (extrapolated; {scaled[0.96]:.4f} at 0.96, {scaled[0.999]:.4f} at 0.999)",
        difference=f"{found - limit:+.1e}",
        passed=abs(found - limit) < LARGEST_ERROR,
    )


VARIANT = Fig1
