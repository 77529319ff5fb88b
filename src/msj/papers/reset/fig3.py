"""reset, Fig. 3: relative error of the predicted E[T] in the four settings, from an empty system to load 0.997."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np

from msj.analysis import saturate
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.reset.settings import SETTINGS, arrivals_at, curve_rows, of_setting, simulation_is_sound

LOADS = tuple(np.round([*np.linspace(0.0, 0.98, 50), 0.985, 0.99, 0.9925, 0.995, 0.997], 4).tolist())
MARKED = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.997)
SMALL = 0.002  # what converged means at load 0.997


class Fig3(Figure):
    title: ClassVar[str] = "Relative error of the predicted mean response time over loads from 0 to 0.997"
    caption: ClassVar[str] = (
        "Error = (predicted − E[T]) / E[T]: markers with E[T] simulated, lines with E[T] exact (not in the paper). "
        "Near saturation even 10^8 arrivals leave several per cent of noise, "
        "and only the exact curve shows how small the error is."
    )
    height: ClassVar[float] = 5.2

    def arrivals(self, scale: Scale) -> float:
        return float(len(SETTINGS) * sum(arrivals_at(load, scale) for load in MARKED))

    def compute(self, work: Work) -> Rows:
        rows = curve_rows(work, tuple(SETTINGS), LOADS, MARKED)
        for row in rows:
            if "simulated" in row:
                row["simulated_error"] = row["predicted"] / row["simulated"] - 1.0
                row["error_low"] = row["predicted"] / row["high"] - 1.0
                row["error_high"] = row["predicted"] / row["low"] - 1.0
        return rows

    def draw(self, rows: Rows, figure: Any) -> None:
        # One scale for all: how much slower one setting converges than another is what the paper's figure shows.
        for axes, name in zip(figure.subplots(2, 2, sharex=True, sharey=True).flat, SETTINGS, strict=True):
            _panel(axes, rows, name)
        exact = 100.0 * np.array([row["relative_error"] for name in SETTINGS for row in of_setting(rows, name)])
        room = 0.2 * (exact.max() - exact.min())
        axes.set_ylim(min(exact.min(), 0.0) - room, max(exact.max(), 0.0) + room)
        figure.supxlabel("load λ/λ*", fontsize=10)
        figure.supylabel("relative error of the prediction (%)", fontsize=10)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, fontsize=9)

    def claims(self, rows: Rows) -> list[Claim]:
        return [*(_converges(rows, name) for name in SETTINGS), _slowest(rows), simulation_is_sound(rows)]


def _panel(axes: Any, rows: Rows, name: str) -> None:
    setting, curve, points = SETTINGS[name], of_setting(rows, name), of_setting(rows, name, simulated=True)
    exact = 100.0 * np.array([row["relative_error"] for row in curve])
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    axes.plot([row["load"] for row in curve], exact, "-", color="0.3", linewidth=1.2, label="exact E[T]")
    error = 100.0 * np.array([row["simulated_error"] for row in points])
    axes.errorbar(
        [row["load"] for row in points],
        error,
        yerr=[
            error - 100.0 * np.array([row["error_low"] for row in points]),
            100.0 * np.array([row["error_high"] for row in points]) - error,
        ],
        fmt="o",
        markersize=4.5,
        color="#0b5394",
        markerfacecolor="white",
        elinewidth=1.0,
        capsize=2.5,
        label="simulated E[T], 95 % interval",
    )
    axes.set_title(setting.name, fontsize=10)
    axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)


def _converges(rows: Rows, name: str) -> Claim:
    curve = of_setting(rows, name)
    last, late = curve[-1], [abs(row["relative_error"]) for row in curve if row["load"] >= 0.9]
    shrinking = all(later < earlier for earlier, later in itertools.pairwise(late))
    simulated = of_setting(rows, name, simulated=True)[-1]
    return Claim(
        claim=f"{name}: the relative error converges to 0 as λ approaches λ*",
        claimed="0",
        found=f"{late[0]:.2%} at load 0.9, {late[-1]:.3%} at {last['load']:g} exactly; simulated there "
        f"{simulated['simulated_error']:+.1%} [{simulated['error_low']:+.1%}, {simulated['error_high']:+.1%}]",
        difference=f"{last['relative_error']:+.3%}",
        passed=shrinking and late[-1] <= SMALL,
        because=f"Judged by the exact error: falling from load 0.9 on, and at most {SMALL:.1%} at the end.",
    )


def _slowest(rows: Rows) -> Claim:
    deltas = {
        name: saturate(setting.system).long_run.relative_completions_at_departure for name, setting in SETTINGS.items()
    }
    errors = {name: abs(of_setting(rows, name)[-1]["relative_error"]) for name in SETTINGS}
    slowest, largest = max(errors, key=errors.__getitem__), max(deltas, key=deltas.__getitem__)
    second = sorted(errors.values())[-2]
    return Claim(
        claim="convergence is slowest for k = 10, which also has the largest Δ(Y_d)",
        claimed="k = 10, k = 10",
        found=f"{slowest} ({errors[slowest]:.3%}), {largest} ({deltas[largest]:.3f})",
        difference=f"next slowest {second:.3%} at the same load",
        passed=slowest == largest == "k = 10",
    )


VARIANT = Fig3
