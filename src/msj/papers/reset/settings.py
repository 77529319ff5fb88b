"""The four settings of reset, section 8 (captions of Fig. 2), and how a point of their curves is simulated.

Every setting is solved exactly at every load too (``msj.curve``: one model serves all loads), which the paper
could not do: it has E[T] from simulation only, beside the prediction

    E[T] = (1 + Delta(Y_d)) / (lambda* (1 − lambda/lambda*)) + O(1)      (reset, Theorem 4.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom, norm

from msj.answers import curve
from msj.errors import NotAccurate
from msj.model import System
from msj.papers.figure import Claim, Rows, Scale, Work
from msj.papers.systems import exponential_system
from msj.results import Result

PAPER_ARRIVALS = 100_000_000
WORTH_KEEPING = 5_000_000  # arrivals: a shorter run is repeated sooner than its state is written down
ODDS = 1e-3  # of calling a sound simulation unsound


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One of the paper's systems, with how its points are drawn."""

    name: str
    system: System
    marker: str
    colour: str


def _setting(servers: int, classes: Sequence[tuple[int, str, str]], marker: str, colour: str) -> Setting:
    """Make a setting from (need, share, rate) of each class."""
    system = exponential_system(servers, classes)
    return Setting(name=system.name, system=system, marker=marker, colour=colour)


SETTINGS = {
    setting.name: setting
    for setting in (
        _setting(3, [(1, "1/3", "1/3"), (2, "1/3", "2/3"), (3, "1/3", "1")], "o", "#0b5394"),
        _setting(20, [(1, "1/2", "1"), (20, "1/2", "1/2")], "s", "#a61c00"),
        _setting(4, [(1, "0.42", "1/4"), (4, "0.58", "1")], "o", "#0b5394"),
        _setting(10, [(1, "0.1", "1/10"), (10, "0.9", "1")], "s", "#a61c00"),
    )
}


def arrivals_at(load: float, scale: Scale) -> int:
    """Return how many arrivals are simulated at a load; the nearer to saturation, the slower means settle."""
    if scale == "full":
        return PAPER_ARRIVALS
    steps = ((0.8, 1_000_000), (0.92, 2_000_000), (0.96, 4_000_000), (0.98, 6_000_000), (0.992, 10_000_000))
    return next((jobs for most, jobs in steps if load <= most), 20_000_000)


def simulated(
    *,
    system: System,
    arrival_rate: float,
    jobs: int,
    seed: Sequence[int],
    checkpoint: Path | None,
) -> dict[str, float]:
    """Return the mean response time of a simulation under FCFS, with its 95 % interval."""
    from msj.answers import simulate
    from msj.results import Outcome

    result = simulate(
        system.replace(arrival_rate=arrival_rate),
        jobs=jobs,
        rng=np.random.SeedSequence(list(seed)),
        checkpoint=checkpoint if jobs >= WORTH_KEEPING else None,
    )
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt  # what there was by then is in the checkpoint, and no answer
    found = result.find("mean_response_time")
    if found is None or found.interval is None:  # a queue that grows has no mean
        raise NotAccurate(f"{system.name} at arrival rate {arrival_rate:g}: {result.outcome.value}; simulate more jobs")
    low, high = found.interval
    return {"simulated": float(found.value), "low": low, "high": high}


def simulated_setting(
    *, setting: str, arrival_rate: float, jobs: int, seed: Sequence[int], checkpoint: Path | None
) -> dict[str, float]:
    """Simulate one of the paper's settings."""
    return simulated(
        system=SETTINGS[setting].system,
        arrival_rate=arrival_rate,
        jobs=jobs,
        seed=seed,
        checkpoint=checkpoint,
    )


@lru_cache(maxsize=16)
def exact_curve(setting: str, loads: tuple[float, ...]) -> Result:
    """Return the exact and the predicted mean response time of a setting."""
    return curve(SETTINGS[setting].system, loads=loads)


def curve_rows(work: Work, settings: Sequence[str], loads: Iterable[float], marked: Sequence[float]) -> Rows:
    """Return rows over loads: predicted and exact at all of them, simulated at those marked."""
    grid = tuple(sorted({*loads, *marked}))
    curves = {name: exact_curve(name, grid) for name in settings}
    points = [
        {
            "setting": name,
            "arrival_rate": load * curves[name]["stability_threshold"],
            "jobs": arrivals_at(load, work.scale),
            "seed": [work.seed, SETTINGS[name].system.servers, round(1e6 * load)],
        }
        for name in settings
        for load in marked
    ]
    answers = iter(work.map(simulated_setting, points, checkpoints=True))
    found = {(name, load): next(answers) for name in settings for load in marked}
    rows: Rows = []
    for name, exactly in curves.items():
        for load in grid:
            here = exactly.at(load=load)
            predicted, exact = here["predicted_mean_response_time"], here["mean_response_time"]
            row: dict[str, Any] = {
                "setting": name,
                "load": load,
                "arrival_rate": here.row("mean_response_time").at["arrival_rate"],
                "predicted": predicted,
                "exact": exact,
                "relative_error": predicted / exact - 1.0,
            }
            rows.append(row | found.get((name, load), {}))
    return rows


def of_setting(rows: Rows, setting: str, *, simulated: bool = False) -> Rows:
    """Return the rows of one setting, all of them or those that were simulated."""
    return [row for row in rows if row["setting"] == setting and ("simulated" in row or not simulated)]


def could_be(value: float, row: dict[str, Any]) -> bool:
    """Whether a simulated mean leaves a value possible: at 95 % one comparison in twenty would fail by chance."""
    wider = float(norm.isf(ODDS / 2) / norm.isf(0.025))
    end = row["high"] if value > row["simulated"] else row["low"]
    # Intervals of means are symmetric as factors.
    return bool(abs(math.log(value / row["simulated"])) <= wider * abs(math.log(end / row["simulated"])))


def simulation_is_sound(rows: Rows) -> Claim:
    """Compare the simulated intervals with the exact means: about one in twenty may miss, not many more."""
    points = [row for row in rows if "simulated" in row]
    inside = sum(row["low"] <= row["exact"] <= row["high"] for row in points)
    missed = len(points) - inside
    most = int(binom.isf(ODDS, len(points), 0.05))
    return Claim(
        claim="(not in the paper) the exact E[T] lies in the simulations' 95 % intervals",
        claimed="95 %",
        found=f"{inside} of {len(points)} intervals ({inside / len(points):.0%})",
        difference=f"{missed} missed, {0.05 * len(points):.1f} expected",
        passed=missed <= most,
        because=f"Up to {most} may miss by chance: more have odds below {ODDS:g}.",
    )
