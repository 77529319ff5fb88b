"""twoclass, Fig. 3: two systems of one naive threshold, with very different real ones and response times.

Both have n = 10, n_1 = 1, n_2 = 10, mu_1 = 2 mu_2 and E[S] = 1 (server-seconds per job), so lambda_naive = 10. The
paper does not say how its curves of E[T] were made; here they are exact (analysis of the open system).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from msj.answers import curve
from msj.closed_forms import two_class
from msj.papers.figure import Claim, Figure, Rows, Work
from msj.papers.systems import exponential_system

SERVERS, NEEDS = 10, (1, 10)
SYSTEMS = {"blue": (0.2, 16.2, 8.1), "red": (0.6, 8.6, 4.3)}  # p_1, mu_1, mu_2
COLOURS = {"blue": "#0b5394", "red": "#a61c00"}
DASHES: dict[str, Any] = {"blue": "-", "red": (0, (7, 2))}
NAIVE = 10.0
LOADS = (0.0, *np.round(1.0 - np.geomspace(0.97, 0.004, 60), 5).tolist())
TOP = 4.0  # of the picture


class Fig3(Figure):
    title: ClassVar[str] = "Mean response time and stability threshold of two systems with the same naive threshold"
    caption: ClassVar[str] = (
        "Blue: p_1 = 0.2, mu_1 = 16.2, mu_2 = 8.1. Red: p_1 = 0.6, mu_1 = 8.6, mu_2 = 4.3. As E[S] = 1, the gap "
        "between naive and real threshold is the number of wasted servers."
    )

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        rows: Rows = []
        for name, (share, *rates) in SYSTEMS.items():
            classes = list(zip(NEEDS, (share, 1.0 - share), rates, strict=True))
            system = exponential_system(SERVERS, classes)
            closed = two_class(servers=SERVERS, needs=NEEDS, shares=(share, 1.0 - share), rates=rates)
            facts = {
                "system": name,
                "what": "thresholds",
                "mean_work": system.mean_work,
                "naive_threshold": system.naive_threshold,
                "stability_threshold": closed.stability_threshold,
                "wasted_servers": closed.wasted_servers,
            }
            rows.append(facts)
            rows += [
                {"system": name, "what": "curve", **row.at, "mean_response_time": row.value}
                for _, row in curve(system, loads=LOADS).along("load", "mean_response_time")
            ]
        return rows

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        for name in SYSTEMS:
            curve = [row for row in rows if row["system"] == name and row["what"] == "curve"]
            facts = _facts(rows, name)
            axes.plot(
                [row["arrival_rate"] for row in curve], [row["mean_response_time"] for row in curve],
                linestyle=DASHES[name], color=COLOURS[name], linewidth=1.8, label=f"{name} system, E[T] exact",
            )  # fmt: skip
            threshold = facts["stability_threshold"]
            axes.axvline(threshold, color=COLOURS[name], linewidth=1.4, linestyle=":")
            words = f"λ* = {threshold:.2f}: {facts['wasted_servers']:.2f} servers wasted"
            axes.text(threshold + 0.07, 0.97 * TOP, words, color=COLOURS[name], fontsize=9, va="top", rotation=90)
        axes.axvline(NAIVE, color="black", linewidth=1.4)
        axes.text(NAIVE + 0.07, 0.97 * TOP, "λ naive = 10: no server wasted", fontsize=9, va="top", rotation=90)
        axes.set(xlabel="arrival rate λ", ylabel="mean response time E[T]", xlim=(0.0, 10.5), ylim=(0.0, TOP))
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="upper left")

    def claims(self, rows: Rows) -> list[Claim]:
        found = []
        for name in SYSTEMS:
            facts = _facts(rows, name)
            found.append(_equal(f"{name}: E[S]", 1.0, facts["mean_work"], 0.001))
            found.append(_equal(f"{name}: λ naive", NAIVE, facts["naive_threshold"], 0.01))
            gap = (facts["naive_threshold"] - facts["stability_threshold"]) * facts["mean_work"]
            found.append(_equal(f"{name}: (λ naive − λ*)·E[S] is the wastage", facts["wasted_servers"], gap, 1e-9))
        return [*found, _very_different(rows)]


def _facts(rows: Rows, name: str) -> dict[str, Any]:
    return next(row for row in rows if row["system"] == name and row["what"] == "thresholds")


def _equal(what: str, claimed: float, found: float, within: float) -> Claim:
    return Claim(
        claim=what,
        claimed=f"{claimed:.6g}",
        found=f"{found:.6g}",
        difference=f"{found - claimed:+.1e}",
        passed=abs(found - claimed) <= within,
    )


def _very_different(rows: Rows) -> Claim:
    blue, red = (_facts(rows, name) for name in SYSTEMS)
    ratio = blue["stability_threshold"] / red["stability_threshold"]
    return Claim(
        claim="the two systems have very different wastage, λ* and E[T]",
        claimed="very different (a factor of 1.2 or more)",
        found=f"λ* = {blue['stability_threshold']:.3f} and {red['stability_threshold']:.3f}, wasting "
        f"{blue['wasted_servers']:.3f} and {red['wasted_servers']:.3f}",
        difference=f"a factor of {ratio:.2f} in λ*, {red['wasted_servers'] / blue['wasted_servers']:.2f} in wastage",
        passed=ratio >= 1.2 and red["wasted_servers"] >= 1.2 * blue["wasted_servers"],
        because="The paper prints no numbers here.",
        our_reading=True,
    )


VARIANT = Fig3
