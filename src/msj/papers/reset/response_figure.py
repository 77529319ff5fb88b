"""What Fig. 2a and 2b of reset share: E[T] against load, simulated, predicted, and exact."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from msj.papers.figure import Figure, Rows, Scale, Work
from msj.papers.reset.settings import SETTINGS, arrivals_at, curve_rows, of_setting

LOADS = tuple(np.round(1.0 - np.geomspace(0.5, 0.01, 50), 4).tolist())
MARKED = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99)


class ResponseFigure(Figure):
    """Two settings in one picture."""

    settings: ClassVar[tuple[str, ...]]
    apart: ClassVar[bool] = False  # a panel for each setting

    def arrivals(self, scale: Scale) -> float:
        return float(len(self.settings) * sum(arrivals_at(load, scale) for load in MARKED))

    def compute(self, work: Work) -> Rows:
        return curve_rows(work, self.settings, LOADS, MARKED)

    def draw(self, rows: Rows, figure: Any) -> None:
        panels = figure.subplots(1, 2 if self.apart else 1, sharey=True, squeeze=False)[0]
        for i, name in enumerate(self.settings):
            _draw_setting(panels[i % len(panels)], rows, name, first=self.apart or i == 0)
        panels[0].set_ylabel("mean response time E[T]")
        for axes in panels:
            axes.set_yscale("log")
            axes.set_xlim(0.48, 1.0)
            axes.set_xlabel("load λ/λ*")
            axes.grid(visible=True, color="#dddddd", linewidth=0.7)
            axes.set_axisbelow(True)
            axes.legend(frameon=False, fontsize=9, loc="upper left")


def _draw_setting(axes: Any, rows: Rows, name: str, *, first: bool) -> None:
    setting, curve, points = SETTINGS[name], of_setting(rows, name), of_setting(rows, name, simulated=True)
    load = [row["load"] for row in curve]
    axes.errorbar(
        [row["load"] for row in points],
        [row["simulated"] for row in points],
        yerr=np.array([[row["simulated"] - row["low"], row["high"] - row["simulated"]] for row in points]).T,
        fmt=setting.marker,
        markersize=5.5,
        markerfacecolor="white",
        color=setting.colour,
        elinewidth=1.0,
        capsize=2.5,
        label=f"{name}, simulated",
    )
    dashed = {"color": setting.colour, "linestyle": (0, (5, 3)), "linewidth": 1.8}
    axes.plot(load, [row["predicted"] for row in curve], **dashed, label=f"{name}, predicted")
    exact = "exact" if first else None  # one style, one line of the legend
    axes.plot(load, [row["exact"] for row in curve], "-", color="0.3", linewidth=0.9, label=exact, zorder=1)
