"""reset, section 4.1: the running example with 2 servers, worked out without rounding.

Need 1, Exp(1), two thirds of the jobs; need 2, Exp(1/2), one third. The simplified saturated system has the states
[1,1], [1,2] and [2]. All numbers here are fractions; the exact mean response time of the open system, which the paper
does not have, is drawn beside the prediction.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from msj.answers import curve
from msj.papers.figure import Claim, Figure, Rows, Work
from msj.papers.systems import exponential_system
from msj.papers.verdicts import exactly
from msj.symbolic import saturated_chain, solve_exactly

SERVERS, NEEDS, SHARES, RATES = 2, (1, 2), ("2/3", "1/3"), ("1", "1/2")
STATES = ("[1,1]", "[1,2]", "[2]")
CLAIMED = {  # the paper's order of states
    "time_average": ("1/5", "1/5", "3/5"),
    "departure_average": ("4/9", "2/9", "1/3"),
    "relative_completions": ("1.38", "-0.27", "-0.37"),
}
CLAIMED_RATES = {
    ("[1,1]", "[1,1]"): "4/3",
    ("[1,1]", "[1,2]"): "2/3",
    ("[1,2]", "[2]"): "1",
    ("[2]", "[1,1]"): "2/9",
    ("[2]", "[1,2]"): "1/9",
    ("[2]", "[2]"): "1/6",
}
CLAIMED_THRESHOLD, CLAIMED_DELTA = "9/10", "0.43"
LOADS = tuple(np.round(np.linspace(0.0, 0.95, 39), 4).tolist())
DELTA = "relative_completions_at_departure"
WORDS = {"time_average": "Y", "departure_average": "Y_d", "relative_completions": "Δ"}


class Section41(Figure):
    title: ClassVar[str] = "The worked example with two servers: saturated chain, relative completions, prediction"
    caption: ClassVar[str] = (
        "Left: the simplified saturated system with its completion rates. Right: the prediction "
        "(10/9)·1.43/(1 − λ/0.9) and the exact mean response time."
    )
    width: ClassVar[float] = 9.0

    def compute(self, work: Work) -> Rows:  # noqa: ARG002
        return [*_saturated_rows(), *_response_rows()]

    def draw(self, rows: Rows, figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
        _draw_chain(left, rows)
        curve = [row for row in rows if row["what"] == "response"]
        rate = [row["arrival_rate"] for row in curve]
        right.plot(rate, [row["exact"] for row in curve], "-", color="0.25", linewidth=1.4, label="exact")
        right.plot(rate, [row["predicted"] for row in curve], "--", color="#a61c00", linewidth=1.6, label="predicted")
        right.axvline(float(Fraction(CLAIMED_THRESHOLD)), color="0.5", linewidth=1.0, linestyle=":")
        right.text(0.89, 1.05, "λ* = 9/10", rotation=90, ha="right", va="bottom", fontsize=9, color="0.3")
        right.set(xlabel="arrival rate λ", ylabel="mean response time E[T]", yscale="log", xlim=(0.0, 0.95))
        right.set_ylim(bottom=1.0)
        right.grid(visible=True, color="#e4e4e4", linewidth=0.7)
        right.legend(frameon=False, loc="upper left")

    def claims(self, rows: Rows) -> list[Claim]:
        values = {(row["what"], row.get("state"), row.get("to")): row["value"] for row in rows if "value" in row}
        found = [
            exactly(f"rate from {state} to {to}", rate, values["rate", state, to])
            for (state, to), rate in CLAIMED_RATES.items()
        ]
        known = sum(1 for key in values if key[0] == "rate")
        found.append(exactly("number of transitions of the chain", str(len(CLAIMED_RATES)), str(known)))
        for what, claimed in CLAIMED.items():
            for state, text in zip(STATES, claimed, strict=True):
                claim = exactly(f"{WORDS[what]}({state})", str(Fraction(text)), values[what, state, None])
                found.append(claim)
        found.append(exactly("λ*", CLAIMED_THRESHOLD, values["threshold", None, None]))
        found.append(exactly("Δ(Y_d)", str(Fraction(CLAIMED_DELTA)), values[DELTA, None, None]))
        return [*found, _bounded_rest(rows)]


def _saturated_rows() -> Rows:
    answer = solve_exactly(servers=SERVERS, needs=NEEDS, shares=SHARES, rates=RATES)
    chain = saturated_chain(servers=SERVERS, needs=NEEDS, shares=answer.shares, phases=answer.phases)
    names = chain.names()
    rows: Rows = [
        {"what": "rate", "state": name, "to": names[j], "value": str(rate)}
        for name, reached in zip(names, chain.with_completion, strict=True)
        for j, rate in reached.items()
    ]
    for what in CLAIMED:
        for name, value in zip(answer.state_names, getattr(answer, what), strict=True):
            rows.append({"what": what, "state": name, "value": str(value)})
    rows.append({"what": "threshold", "value": str(answer.threshold)})
    rows.append({"what": DELTA, "value": str(answer.departure_relative_completions)})
    return rows


def _response_rows() -> Rows:
    system = exponential_system(SERVERS, zip(NEEDS, SHARES, RATES, strict=True))
    found = curve(system, loads=LOADS)
    pairs = zip(
        found.along("load", "mean_response_time"), found.along("load", "predicted_mean_response_time"), strict=True
    )
    return [
        {"what": "response", **exact.at, "exact": exact.value, "predicted": predicted.value}
        for (_, exact), (_, predicted) in pairs
    ]


def _bounded_rest(rows: Rows) -> Claim:
    curve = [row for row in rows if row["what"] == "response"]
    formula = [(10 / 9) * 1.43 / (1 - row["arrival_rate"] / 0.9) for row in curve]
    rest = [row["exact"] - value for row, value in zip(curve, formula, strict=True)]
    return Claim(
        claim="E[T] = (10/9)·1.43/(1 − λ/(9/10)) + O(1)",
        claimed="a rest bounded in λ",
        found=f"between {min(rest):+.3f} and {max(rest):+.3f} up to load {curve[-1]['load']:g}",
        difference=f"{max(map(abs, rest)):.3f} at most, where E[T] reaches {curve[-1]['exact']:.1f}",
        passed=max(map(abs, rest)) < 1.0 and abs(rest[-1] - rest[-2]) < 0.01,
        because="Judged by the exact E[T]: below one unit of time everywhere, and level at the end.",
    )


PLACES = {"[1,1]": (0.2, 0.7), "[1,2]": (0.8, 0.7), "[2]": (0.5, 0.25)}
LOOPS = {"[1,1]": 1.0, "[2]": -1.0}  # above or below
BOX = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "0.25"}
ARROW: dict[str, Any] = {"arrowstyle": "-|>", "color": "0.25", "mutation_scale": 13, "linewidth": 1.2}


def _draw_chain(axes: Any, rows: Rows) -> None:
    """Draw the three states, the rates between them, and what each state is worth."""
    axes.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    axes.axis("off")
    values = {(row["what"], row["state"]): row["value"] for row in rows if "state" in row and "to" not in row}
    for state, (x, y) in PLACES.items():
        delta = float(Fraction(values["relative_completions", state]))
        text = f"{state}\nY = {values['time_average', state]}\nΔ = {delta:g}".replace("-", "−")
        axes.text(x, y, text, ha="center", va="center", fontsize=10, bbox=BOX, zorder=3, linespacing=1.4)
    for row in rows:
        if row["what"] == "rate":
            _draw_rate(axes, row["state"], row["to"], row["value"])


def _draw_rate(axes: Any, state: str, to: str, rate: str) -> None:
    (x, y), (u, v) = PLACES[state], PLACES[to]
    if state == to:
        side = LOOPS[state]
        loop = ARROW | {"connectionstyle": f"arc3,rad={-1.3 * side}", "shrinkA": 0, "shrinkB": 0}
        foot = y + 0.115 * side
        axes.annotate("", (x + 0.06, foot), (x - 0.06, foot), arrowprops=loop, zorder=1)
        axes.text(x, y + 0.25 * side, rate, ha="center", va="center", fontsize=10)
        return
    both = {state, to} == {"[2]", "[1,2]"}  # the one pair with arrows both ways
    bent = ARROW | {"connectionstyle": f"arc3,rad={0.3 if both else 0.0}", "shrinkA": 34, "shrinkB": 37}
    axes.annotate("", (u, v), (x, y), arrowprops=bent)
    across = np.array([v - y, x - u]) / np.hypot(u - x, v - y)  # to the right of the arrow
    at = np.array([x + u, y + v]) / 2.0 + (0.14 if both else -0.05) * across
    axes.text(*at, rate, ha="center", va="center", fontsize=10)


VARIANT = Section41
