"""reset, Fig. I.4: does a large Delta(Y_d) mean a poor prediction? 5 servers, needs 1 and 5, load 0.8.

Two families of systems: the share p_1 of need-1 jobs from 1 % to 99 % (their durations Exp(1/5)), and the rate mu_1 of
need-1 jobs from 0.01 to 100 (shares one half each). Jobs of need 5 are Exp(1). R² is the squared correlation between
Delta(Y_d) and the relative error (E[T_pred] − E[T])/E[T].
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.stats import linregress

from msj.analysis import saturate
from msj.answers import curve
from msj.papers.figure import Claim, Figure, Rows, Scale, Work
from msj.papers.reset.settings import PAPER_ARRIVALS, simulated, simulation_is_sound
from msj.papers.systems import exponential_system
from msj.papers.verdicts import printed_number

SERVERS, LOAD = 5, 0.8
FAMILIES: dict[str, tuple[tuple[float, float], ...]] = {  # (p_1, mu_1)
    "mu_1": tuple((0.5, float(rate)) for rate in np.geomspace(0.01, 100.0, 100)),
    "p_1": tuple((percent / 100, 0.2) for percent in range(1, 100)),
}
CLAIMED = {"mu_1": "0.526", "p_1": "0.005"}
SIGNIFICANT = 0.05
STYLES = {"mu_1": ("o", "#0b5394", "μ₁ from 0.01 to 100"), "p_1": ("x", "#a61c00", "p₁ from 1 % to 99 %")}


class FigI4(Figure):
    title: ClassVar[str] = "Relative completions and the error of the prediction in two families of systems"
    caption: ClassVar[str] = (
        "Markers: simulated, with 95 % intervals; lines: exact. The paper's R² come from simulation; ours from the "
        "exact E[T], which has no noise, with the simulated ones beside them."
    )
    width: ClassVar[float] = 9.0

    def arrivals(self, scale: Scale) -> float:
        return float(_jobs(scale) * sum(map(len, FAMILIES.values())))

    def compute(self, work: Work) -> Rows:
        given = [(family, i, *pair) for family, pairs in FAMILIES.items() for i, pair in enumerate(pairs)]
        rows = work.map(exact_point, [{"share": share, "rate": rate} for _, _, share, rate in given])
        points = [
            {
                "share": share,
                "rate": rate,
                "arrival_rate": row["arrival_rate"],
                "jobs": _jobs(work.scale),
                "seed": [work.seed, list(FAMILIES).index(family), i],
            }
            for (family, i, share, rate), row in zip(given, rows, strict=True)
        ]
        answers = work.map(simulated_point, points, checkpoints=True)
        return [
            {"family": family, **row, **answer, "simulated_error": row["predicted"] / answer["simulated"] - 1.0}
            for (family, *_), row, answer in zip(given, rows, answers, strict=True)
        ]

    def draw(self, rows: Rows, figure: Any) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (family, (marker, colour, words)) in zip(panels, STYLES.items(), strict=True):
            mine = [row for row in rows if row["family"] == family]
            delta = [row["delta"] for row in mine]
            error = np.array([row["simulated_error"] for row in mine])
            low, high = (np.array([row["predicted"] / row[end] - 1.0 for row in mine]) for end in ("high", "low"))
            axes.axhline(0.0, color="0.6", linewidth=0.8)
            axes.errorbar(
                delta, 100 * error, yerr=100 * np.array([error - low, high - error]), fmt=marker, color=colour,
                markersize=4.5, markerfacecolor="white", elinewidth=0.6, label="simulated, 95 % interval",
            )  # fmt: skip
            axes.plot(
                delta, [100 * row["relative_error"] for row in mine], "-", color="0.2", linewidth=1.3, label="exact"
            )
            axes.set_title(f"{words}: R² = {r_squared(mine):.4f} exact", fontsize=10)
            axes.set(xlabel="relative completions Δ(Y_d)", xlim=(0.08, 1.02))
            axes.grid(visible=True, color="#e4e4e4", linewidth=0.7)
            axes.set_axisbelow(True)
        panels[0].set_ylabel("relative error of the prediction (%)")
        panels[0].legend(frameon=False, fontsize=9, loc="lower right")

    def claims(self, rows: Rows) -> list[Claim]:
        found = []
        for family, claimed in CLAIMED.items():
            mine = [row for row in rows if row["family"] == family]
            simulated = r_squared(mine, "simulated_error")
            found.append(
                printed_number(
                    f"R² where {family} varies",
                    claimed,
                    r_squared(mine),
                    units_off=1.0,
                    because=f"Exact E[T]; from our simulations R² = {simulated:.4f}. The paper's, simulated too, "
                    "may be off or cut off in its last digit: one unit is allowed.",
                )
            )
        return [*found, _significance(rows, "mu_1", True), _significance(rows, "p_1", False), simulation_is_sound(rows)]


def exact_point(*, share: float, rate: float) -> dict[str, float]:
    """Return Delta(Y_d), the prediction and the exact mean response time of one system."""
    system = _system(share, rate)
    found = curve(system, loads=[LOAD]).at(load=LOAD)
    predicted, exact = found["predicted_mean_response_time"], found["mean_response_time"]
    return {
        "p_1": share,
        "mu_1": rate,
        "arrival_rate": float(found.row("mean_response_time").at["arrival_rate"]),
        "delta": float(saturate(system).long_run.relative_completions_at_departure),
        "predicted": predicted,
        "exact": exact,
        "relative_error": predicted / exact - 1.0,
    }


def simulated_point(
    *, share: float, rate: float, arrival_rate: float, jobs: int, seed: Sequence[int], checkpoint: Path | None
) -> dict[str, float]:
    """Simulate one system."""
    system = _system(share, rate)
    return simulated(system=system, arrival_rate=arrival_rate, jobs=jobs, seed=seed, checkpoint=checkpoint)


def r_squared(rows: Rows, error: str = "relative_error") -> float:
    """Return the squared correlation between Delta(Y_d) and an error."""
    return float(linregress([row["delta"] for row in rows], [row[error] for row in rows]).rvalue ** 2)


def _system(share: float, rate: float) -> Any:
    return exponential_system(SERVERS, [(1, share, rate), (SERVERS, 1.0 - share, 1.0)])


def _jobs(scale: Scale) -> int:
    return PAPER_ARRIVALS if scale == "full" else 1_000_000


def _significance(rows: Rows, family: str, expected: bool) -> Claim:
    mine = [row for row in rows if row["family"] == family]
    odds = float(linregress([row["delta"] for row in mine], [row["relative_error"] for row in mine]).pvalue)
    return Claim(
        claim=f"where {family} varies, the correlation is {'significant' if expected else 'not significant'}",
        claimed=f"p {'<' if expected else '>='} {SIGNIFICANT:g}",
        found=f"p = {odds:.2g}",
        difference=f"p is {odds / SIGNIFICANT:.2g} times {SIGNIFICANT:g}",
        passed=(odds < SIGNIFICANT) == expected,
        because="The usual t test of a correlation, as if the systems were a sample.",
    )


VARIANT = FigI4
