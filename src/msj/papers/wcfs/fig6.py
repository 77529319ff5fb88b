"""Figure 6: the gap to M/G/1 of seven models that are not WCFS grows or falls without bound (wcfs, section 6).

A gap that behaves as c/(1 − rho) has (1 − rho)·gap -> c: the sign of that limit is its direction. The two models that
become unstable before load 1 have a gap that goes to infinity there. Section 6 lists "Multiserver-Job ServerFilling"
among those that fall, which cannot be (it is WCFS, Figure 5); the next sentence but one says the same of MaxWeight.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from msj.papers.figure import Claim, Rows
from msj.papers.wcfs.curves import draw_curves, finish, legend
from msj.papers.wcfs.fig2 import CHOICES
from msj.papers.wcfs.models import OTHERS, models
from msj.papers.wcfs.points import OverLoad, agreement, at_saturation, labelled, values

BOTTOM, TOP = -30.0, 40.0
LEAST = 0.1  # of |(1 − rho)·gap| at load 1, for a gap to count as unbounded
WORDS = {1: "grows without bound", -1: "falls without bound"}


class Fig6(OverLoad):
    """Delta = E[T] − E[wait in M/G/1] of the alternatives."""

    title: ClassVar[str] = "Gap to M/G/1 of seven models that are not WCFS: unbounded"
    caption: ClassVar[str] = (
        f"{CHOICES} Where the paper's list of gaps that fall says ServerFilling, MaxWeight is meant. The gap of "
        "MaxWeight rises first and turns only near load 0.9, which is why the paper had to simulate it ten times as "
        "long; exact values show it to load 0.98, simulated ones to 0.99."
    )
    names: ClassVar[tuple[str, ...]] = OTHERS
    width: ClassVar[float] = 8.6

    def draw(self, rows: Rows, figure: Any) -> None:
        axes = figure.add_subplot()
        draw_curves(axes, [row for row in rows if -2 * TOP < row["gap"] < 2 * TOP], self.names, "gap")
        axes.axhline(0, color="0.35", linewidth=0.9, zorder=1)
        finish(axes, r"gap to M/G/1, $E[T]-E[T_Q^{M/G/1}]$", "Seven models that are not WCFS: the gap is unbounded")
        axes.set_ylim(BOTTOM, TOP)
        legend(axes, self.names, loc="upper left")

    def claims(self, rows: Rows) -> list[Claim]:
        stable = [name for name in self.names if models()[name].limit == 1 and models()[name].exact is not None]
        unstable = [name for name in self.names if models()[name].limit < 1]
        return [
            *(_to_infinity(rows, name) for name in unstable),
            *(_direction(rows, name) for name in stable),
            _srpt(rows),
            agreement(rows),
        ]


def _to_infinity(rows: Rows, name: str) -> Claim:
    model, gaps = models()[name], sorted(values(rows, name, "gap").items())
    (_, first), (rho, last) = gaps[0], gaps[-1]
    distance = 1 - rho / model.limit
    return Claim(
        claim=f"{labelled(name)}: the gap {WORDS[model.direction]}",
        claimed=WORDS[model.direction],
        found=f"from {first:.2f} to {last:.0f} at rho = {rho:g}, {distance:.1%} below the end {model.limit:.6f}",
        difference="",
        passed=model.direction > 0 and last > 100 * first,
    )


def _direction(rows: Rows, name: str) -> Claim:
    gaps, direction = values(rows, name, "gap"), models()[name].direction
    found = at_saturation({rho: gap * (1 - rho) for rho, gap in gaps.items()})
    rho = max(gaps)
    return Claim(
        claim=f"{labelled(name)}: the gap {WORDS[direction]}",
        claimed=WORDS[direction],
        found=f"gap as {found:+.3f}/(1 − rho); " + ", ".join(f"{gaps[at]:+.2f} at {at:g}" for at in (0.9, 0.96, rho)),
        difference="",
        passed=direction * found > LEAST,
    )


def _srpt(rows: Rows) -> Claim:
    mine = sorted((row for row in rows if row["model"] == "srpt" and row["rho"] >= 0.8), key=lambda row: row["rho"])
    falling = all(after["gap_high"] < before["gap_low"] for before, after in pairwise(mine))
    listed = (f"{row['gap']:.2f} [{row['gap_low']:.2f}, {row['gap_high']:.2f}] at {row['rho']:g}" for row in mine)
    return Claim(
        claim=f"M/G/4/SRPT: the gap {WORDS[-1]}",
        claimed=WORDS[-1],
        found=", ".join(listed),
        difference="",
        passed=falling and mine[-1]["gap_high"] < 0,
        because="simulated only: falling by more than the intervals from each load to the next",
    )


VARIANT = Fig6
