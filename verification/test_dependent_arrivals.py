"""Twelve systems with other arrivals or orders, exact and simulated: z-scores, and whether intervals hold.

``python -m verification.test_dependent_arrivals`` prints them.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import msj
from msj.analysis.dependent_response import dependent_at
from msj.model.spec_file import from_document

EXP: dict[str, Any] = {"law": "exponential", "mean": 1}
ERLANG = {"law": "erlang", "stages": 3, "mean": 2}
HYPER = {"law": "hyperexponential", "rates": [3, 0.4], "probabilities": [0.7, 0.3]}
MMPP = {"law": "mmpp", "rates": [1, 6], "switching": [[0, 0.2], [0.5, 0]]}
IPP = {"law": "mmpp", "rates": [3, 0], "switching": [[0, 1], [1, 0]]}
MAP = {"law": "map", "D0": [[-5, 1], [0.5, -2]], "D1": [[3, 1], [0.5, 1]]}
STICKY = {"law": "sticky", "probability": 0.8}
MARKOV = {"law": "markov", "matrix": [[0.1, 0.9], [0.6, 0.4]]}
HIDDEN = {"law": "hidden-markov", "matrix": [[0.95, 0.05], [0.1, 0.9]], "classes": [[0.9, 0.1], [0.2, 0.8]]}
JOBS = 1_000_000
#: servers, needs, durations, what else, load
SYSTEMS: dict[str, tuple[int, tuple[int, ...], list[dict[str, Any]], dict[str, Any], float]] = {
    "sticky 1, 4 on 4": (4, (1, 4), [EXP, EXP], {"order": STICKY}, 0.7),
    "sticky 2, 3 on 5": (5, (2, 3), [EXP, EXP], {"order": STICKY}, 0.8),
    "sticky phase types": (4, (1, 3), [ERLANG, HYPER], {"order": STICKY}, 0.7),
    "markov": (5, (2, 3), [EXP, HYPER], {"order": MARKOV}, 0.8),
    "hidden": (6, (1, 4), [EXP, EXP], {"order": HIDDEN}, 0.7),
    "three classes": (8, (1, 2, 8), [EXP, EXP, ERLANG], {"order": STICKY}, 0.6),
    "mmpp": (4, (1, 4), [EXP, EXP], {"arrivals": MMPP}, 0.6),
    "ipp, phase types": (4, (1, 3), [HYPER, EXP], {"arrivals": IPP}, 0.7),
    "map and sticky": (4, (1, 4), [EXP, EXP], {"arrivals": MAP, "order": STICKY}, 0.7),
    "regular gaps": (4, (1, 4), [EXP, EXP], {"arrivals": {"law": "renewal", "gap": ERLANG}}, 0.8),
    "wild gaps": (4, (1, 4), [EXP, EXP], {"arrivals": {"law": "renewal", "gap": HYPER}, "order": MARKOV}, 0.7),
    "batches": (4, (1, 3), [EXP, EXP], {"arrivals": {"law": "batch", "size": {"law": "exponential", "mean": 2}}}, 0.6),
}


def system_of(name: str) -> msj.System:
    """Return a system with the arrival rate of its load."""
    servers, needs, durations, more, load = SYSTEMS[name]
    told = more.get("order", STICKY)["law"] != "sticky"
    classes = [
        {"name": f"need {v}", "need": v, "duration": law, **({} if told else {"share": 1 / len(needs)})}
        for v, law in zip(needs, durations, strict=True)
    ]
    system = from_document({"servers": servers, "classes": classes, **more})
    return system.replace(arrival_rate=load * msj.analyse(system)["stability_threshold"])


def scores(name: str, *, jobs: int = JOBS) -> dict[tuple[str, str | None, float | None], float]:
    """Return the z-scores of a run: how many standard deviations it is off, by its own intervals."""
    system = system_of(name)
    seed = 100 + list(SYSTEMS).index(name)  # one each: with one for all they would have the same durations
    exact, run = msj.analyse(system, percentiles=True), msj.simulate(system, jobs=jobs, seed=seed)
    found = {}
    for row in run:
        key = (row.name, row.job_class, row.level)
        about = row.name in ("mean_response_time", "waiting_probability") or (
            row.name == "waiting_time_percentile" and row.level in (90.0, 99.0)
        )
        if about and row.low is not None and row.high is not None and row.high > row.low:
            truth = exact.row(*key).value
            found[key] = (row.value - truth) / ((row.high - row.low) / 2 / 1.96)
    return found


@pytest.mark.parametrize("name", SYSTEMS)
def test_simulation_and_exact_answer_agree(name: str) -> None:
    found = scores(name)
    assert len(found) >= 8
    # Some dozen dependent scores a system: beyond 4.5 in one of all twelve is one chance in a thousand.
    assert max(map(abs, found.values())) < 4.5, found


@pytest.mark.parametrize("name", ["sticky 1, 4 on 4", "mmpp", "map and sticky", "batches"])
def test_intervals_hold_the_exact_value(name: str) -> None:
    """95 % intervals of E[T]: of 150 runs fewer than 130 (87 %) hold it by chance once in ten thousand."""
    system = system_of(name)
    solved = dependent_at(system, float(system.arrival_rate or 0.0))
    truth = solved.mean_jobs_in_system / solved.arrival_rate
    held, given = 0, 0
    for seed in range(150):
        row = msj.simulate(system, jobs=100_000, seed=seed, levels=[50]).row("mean_response_time")
        given += row.low is not None
        held += row.low is not None and row.high is not None and row.low <= truth <= row.high
    print(f"{name}: {held} of {given} intervals hold {truth:.6g}")
    assert held >= 0.87 * given
    assert given > 100


if __name__ == "__main__":
    squares: list[float] = []
    for each in SYSTEMS:
        z = scores(each)
        squares += [value**2 for value in z.values()]
        worst = max(z, key=lambda key: abs(z[key]))
        stay = z["mean_response_time", None, None]
        print(f"{each:22s} z of E[T] {stay:+.2f}, worst of {len(z)} {z[worst]:+.2f} ({worst})")
    print(f"root mean square of {len(squares)} scores: {math.sqrt(sum(squares) / len(squares)):.2f}")
