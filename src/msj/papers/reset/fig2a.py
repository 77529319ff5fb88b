"""reset, Fig. 2(a): simulated and predicted E[T] for 3 servers (needs 1, 2, 3) and for 20 (needs 1 and 20)."""

from __future__ import annotations

from typing import ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.reset.response_figure import ResponseFigure
from msj.papers.reset.settings import of_setting, simulation_is_sound

NEGLIGIBLE = 0.05
INVISIBLE = 0.01


class Fig2a(ResponseFigure):
    title: ClassVar[str] = "Mean response time, simulated, predicted and exact: k = 3 and k = 20"
    caption: ClassVar[str] = (
        "(1) k = 3, needs 1, 2, 3 equally likely, durations Exp(1/3), Exp(2/3), Exp(1). "
        "(2) k = 20, needs 1 and 20 equally likely, Exp(1) and Exp(1/2). The paper has simulation and prediction; the "
        "exact curve is new. The vertical axis is logarithmic, so that low loads can be seen too, and the settings, "
        "nearly equal here, have a panel each."
    )
    settings: ClassVar[tuple[str, ...]] = ("k = 3", "k = 20")
    apart: ClassVar[bool] = True

    def claims(self, rows: Rows) -> list[Claim]:
        return [
            *(_excellent_match(rows, name) for name in self.settings),
            *(_negligible_rest(rows, name) for name in self.settings),
            simulation_is_sound(rows),
        ]


def _excellent_match(rows: Rows, name: str) -> Claim:
    curve = of_setting(rows, name)
    highest = max(row["exact"] for row in curve)
    gap = max(abs(row["predicted"] - row["exact"]) for row in curve) / highest
    return Claim(
        claim=f"{name}: the predictions are an excellent match for the empirical behaviour",
        claimed=f"within {INVISIBLE:.0%} of the picture's height",
        found=f"{gap:.2%} of the picture's height",
        difference=f"{gap * highest:.3f} units of time at most",
        passed=gap <= INVISIBLE,
        because="Our reading: the two lines cannot be told apart on a linear axis over these loads.",
        our_reading=True,
    )


def _negligible_rest(rows: Rows, name: str) -> Claim:
    curve = of_setting(rows, name)
    worst = max(curve, key=lambda row: abs(row["relative_error"]))
    beyond = min(row["load"] for row in curve if abs(row["relative_error"]) <= NEGLIGIBLE)
    return Claim(
        claim=f"{name}: the O(1) term is negligible",
        claimed=f"at most {NEGLIGIBLE:.0%} of E[T] at every load shown",
        found=f"{worst['exact'] - worst['predicted']:+.3f}, or {abs(worst['relative_error']):.1%} of E[T], "
        f"at load {worst['load']:g}",
        difference=f"{100 * (abs(worst['relative_error']) - NEGLIGIBLE):+.1f} percentage points",
        passed=abs(worst["relative_error"]) <= NEGLIGIBLE,
        because=f"Our reading of negligible: {NEGLIGIBLE:.0%}. It holds from load {beyond:g} on. "
        "The paper prints these very errors in Figure 3.",
        our_reading=True,
    )


VARIANT = Fig2a
