"""Do intervals hold where something slow or rare makes jobs wait? ``python -m verification.coverage_of_causes``.

The second part of :mod:`verification.coverage`, with the same rule. Systems are drawn by ``--draw``: environments (slow
modulation, breakdowns, maintenance), turns, rare large classes (one job in a thousand to one in a million), slow
arrivals, orders of classes that stick, models that go together, and lognormal and bounded Pareto durations under
first-fit and EASY with estimates. Each at loads .5, .8 and .95 of its threshold, in runs of 10 thousand, 100 thousand
and a million jobs: means of all jobs and of each class, slowdowns, the probability of waiting, and differences from
FCFS.

The truth is exact where there is an exact answer; else it is that of a long run, and an interval counts as right if it
comes within the half-width of that run's own.

It must not be right by silence: of the cells of a million jobs whose rules are met by expectation 80 % must give an
interval in 95 % of their runs.

``--keep FILE`` keeps what has been counted; it may be interrupted at any time, and says what is known so far.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import msj
from msj.errors import MsjError
from msj.simulation.known import Known
from msj.simulation.plan import Pace
from msj.store.code import code_identity
from verification.coverage import EXACT, ROOMS, verdict

LOADS = (0.5, 0.8, 0.95)
JOBS = (10_000, 100_000, 1_000_000)
SEEDS = {
    "half-night": {10_000: 1000, 100_000: 300, 1_000_000: 300},
    "ten-minutes": {10_000: 40, 100_000: 16, 1_000_000: 0},
    "minute": {10_000: 8, 100_000: 0, 1_000_000: 0},
}
CHUNK = 20
REFERENCE = 40_000_000
NAMES = ("mean_response_time", "waiting_probability", "mean_slowdown")
GIVEN, SPEAKING = 0.95, 0.8

Rng = np.random.Generator
Truth = dict[tuple[str, str | None], tuple[float, float]]  # value, and by how much it may be off


def _classes(rng: Rng, servers: int, law: Callable[[float], Any] | None = None) -> list[msj.JobClass]:
    needs = sorted({int(rng.integers(1, servers + 1)) for _ in range(int(rng.integers(2, 4)))} | {1})
    shares = [Fraction(int(n), 100) for n in rng.multinomial(100 - len(needs), np.full(len(needs), 1 / len(needs))) + 1]
    shares[0] += 1 - sum(shares)
    made = law or (lambda mean: msj.Exponential(mean=mean))
    return [
        msj.JobClass(name=f"need {n}", need=n, share=p, duration=made(round(float(rng.uniform(0.5, 2)), 2)))
        for n, p in zip(needs, shares, strict=True)
    ]


def _law(name: str, mean: float, **more: Any) -> dict[str, Any]:
    return {"law": name, "mean": round(mean, 3), **more}


def _modulated(rng: Rng) -> msj.System:
    servers, stay = int(rng.integers(3, 7)), 10 ** rng.uniform(1, 3)
    rates = [1 / stay, 1 / (stay * rng.uniform(0.1, 1))]
    around = {
        "name": "modulated",
        "generator": [[-rates[0], rates[0]], [rates[1], -rates[1]]],
        "speed": [1, round(float(rng.uniform(0.3, 0.9)), 2)],
    }
    return msj.System(servers=servers, classes=_classes(rng, servers), environment=around)


def _breakdowns(rng: Rng) -> msj.System:
    servers, together = int(rng.integers(3, 7)), bool(rng.random() < 0.5)
    around = {
        "name": "breakdowns",
        "rate": round(float(10 ** rng.uniform(-3.5, -1.5)), 6),
        "repair": _law("exponential", 10 ** rng.uniform(0, 1.7)),
        "together": together,
    }
    return msj.System(servers=servers, classes=_classes(rng, servers), environment=around)


def _maintenance(rng: Rng) -> msj.System:
    servers = int(rng.integers(3, 7))
    every = _law("erlang", 10 ** rng.uniform(1.5, 3), stages=int(rng.integers(1, 4)))
    around = {"name": "maintenance", "every": every, "lasts": _law("exponential", 10 ** rng.uniform(0, 1.5))}
    return msj.System(servers=servers, classes=_classes(rng, servers), environment=around)


def _turns(rng: Rng) -> msj.System:
    share = Fraction(int(rng.integers(20, 80)), 100)
    jobs = [
        msj.JobClass(name=f"need {n}", need=n, share=p, duration=msj.Exponential(mean=1))
        for n, p in ((1, 1 - share), (4, share))
    ]
    policy = {"name": "msr", "cycle": round(float(10 ** rng.uniform(0.5, 2.5)), 2)}
    return msj.System(servers=4, classes=jobs, policy=policy)


def _rare_class(rng: Rng) -> msj.System:
    servers, share = int(2 ** rng.integers(3, 7)), Fraction(round(10 ** rng.uniform(0, 3)), 10**6)
    large = int(rng.integers(servers // 2, servers + 1))
    jobs = [(1, 1 - share), (large, share)]
    return msj.System(
        servers=servers,
        classes=[msj.JobClass(name=f"need {n}", need=n, share=p, duration=msj.Exponential(mean=1)) for n, p in jobs],
    )


def _slow_arrivals(rng: Rng) -> msj.System:
    servers, stay = int(rng.integers(2, 6)), 10 ** rng.uniform(1, 2.5)
    arrivals = {"law": "mmpp", "rates": [1, round(float(rng.uniform(1.2, 3)), 2)]}
    arrivals["switching"] = [[0, 1 / stay], [1 / stay, 0]]
    return msj.System(servers=servers, classes=_classes(rng, servers), arrivals=arrivals)


def _sticky_order(rng: Rng) -> msj.System:
    servers = int(rng.integers(2, 6))
    order = {"law": "sticky", "probability": round(float(rng.uniform(0.5, 0.97)), 2)}
    return msj.System(servers=servers, classes=_classes(rng, servers), order=order)


def _combined(rng: Rng) -> msj.System:
    made = _breakdowns(rng)
    return made.replace(model={"name": "set-up", "set_up_rate": round(float(10 ** rng.uniform(-1, 1)), 3)})


def _heavy(rng: Rng) -> msj.System:
    servers = int(2 ** rng.integers(3, 7))
    cv = round(float(rng.uniform(3, 6)), 2)
    law: Callable[[float], Any] = lambda mean: msj.Lognormal(mean=mean, cv=cv)  # noqa: E731
    policy: Any = "first-fit" if rng.random() < 0.5 else {"name": "easy-backfilling", "factor": 2}
    classes = [each for each in _classes(rng, servers // 4, law) if each.need <= servers]
    return msj.System(servers=servers, classes=classes, policy=policy)


KINDS: dict[str, Callable[[Rng], msj.System]] = {
    "modulated": _modulated,
    "breakdowns": _breakdowns,
    "maintenance": _maintenance,
    "turns": _turns,
    "rare class": _rare_class,
    "slow arrivals": _slow_arrivals,
    "sticky order": _sticky_order,
    "combined": _combined,
    "lognormal": _heavy,
}


@lru_cache
def system_of(draw: int, number: int) -> tuple[str, msj.System]:
    """Return the system of a number: its kind, and itself."""
    kind = list(KINDS)[number % len(KINDS)]
    return kind, KINDS[kind](np.random.default_rng([draw, number]))


@lru_cache
def threshold_of(draw: int, number: int) -> tuple[float, bool]:
    """Return the threshold, and whether it is exact; the naive one stands in where nobody knows it."""
    _, system = system_of(draw, number)
    try:
        return float(msj.analyse(system)["stability_threshold"]), True
    except MsjError:
        return float(system.naive_threshold), False


@dataclass(frozen=True)
class Cell:
    """One system at one load, simulated for so long."""

    draw: int
    number: int
    load: float
    jobs: int

    @property
    def system(self) -> msj.System:
        """The system at its load."""
        _, system = system_of(self.draw, self.number)
        return system.replace(arrival_rate=self.load * threshold_of(self.draw, self.number)[0])

    @property
    def known(self) -> dict[str, float]:
        """What a run is told."""
        value, exact = threshold_of(self.draw, self.number)
        return {"stability_threshold": value} if exact else {}

    def __str__(self) -> str:
        kind, system = system_of(self.draw, self.number)
        return f"{self.number:2d} {kind}, {system.servers} servers, load {self.load}, {self.jobs:,} jobs"

    @property
    def speaks(self) -> bool:
        """Whether the run's rules are met by expectation."""
        system = self.system
        known = Known(stability_threshold=self.known.get("stability_threshold"))
        return Pace.of(system, float(system.arrival_rate or 0.0), known).enough <= self.jobs


@lru_cache
def truth_of(draw: int, number: int, load: float) -> Truth:
    """Return the exact values, or those of a long run with their half-widths."""
    cell = Cell(draw, number, load, REFERENCE)
    try:
        exact = msj.analyse(cell.system, percentiles=False)
        found: Truth = {
            (row.name, row.job_class): (row.value, 0.0) for row in exact if row.name in NAMES and row.kind == "exact"
        }
        if ("mean_response_time", None) in found:
            return found
    except MsjError:
        pass
    run = msj.simulate(cell.system, jobs=REFERENCE, seed=[draw, number, 99], levels=(), **cell.known)
    rows = [row for row in run if row.name in NAMES and row.low is not None and row.high is not None]
    return {(row.name, row.job_class): (row.value, (row.high - row.low) / 2) for row in rows}


def measure(cell: Cell, first: int, seeds: int) -> dict[str, list[bool | None]]:
    """Return, for each quantity and seed, whether the interval holds the truth; None where there is none."""
    truth = truth_of(cell.draw, cell.number, cell.load)
    found: dict[str, list[bool | None]] = defaultdict(list)
    for seed in range(first, first + seeds):
        place = [cell.draw, cell.number, round(1000 * cell.load), cell.jobs, seed]
        run = msj.simulate(cell.system, jobs=cell.jobs, seed=place, levels=(), **cell.known)
        rows = {(row.name, row.job_class): row for row in run}
        for (name, job_class), (value, off) in truth.items():
            row = rows.get((name, job_class))
            hit: bool | None = None
            if row is not None and row.low is not None and row.high is not None and row.high - row.low > EXACT * value:
                hit = row.low - off <= value <= row.high + off
            found[name if job_class is None else f"{name} of {job_class}"].append(hit)
    return found


def run(draw: int, systems: int, which: str, *, workers: int, keep: Path | None, seconds: float) -> list[Any]:
    """Measure all cells, the first seeds of each first; return rows as ``verdict`` reads them."""
    by = code_identity(ROOMS)
    counted: dict[tuple[Cell, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    done: set[tuple[Cell, int]] = set()

    def add(line: dict[str, Any]) -> None:
        cell = Cell(**line["cell"])
        done.add((cell, line["first"]))
        for name, *numbers in line["rows"]:
            counted[cell, name] = [a + b for a, b in zip(counted[cell, name], numbers, strict=True)]

    if keep is not None and keep.exists():
        for line in map(json.loads, keep.read_text().splitlines()):
            if line["by"] == by:
                add(line)
    todo = [
        (Cell(draw, number, load, jobs), first)
        for first in range(0, max(SEEDS[which].values()), CHUNK)
        for jobs in JOBS
        for number in range(systems)
        for load in LOADS
        if first < SEEDS[which][jobs]
    ]
    todo = [task for task in todo if task not in done]
    until = time.monotonic() + seconds
    with ProcessPoolExecutor(workers) as pool:
        futures = {
            pool.submit(measure, cell, first, min(CHUNK, SEEDS[which][cell.jobs] - first)): (cell, first)
            for cell, first in todo
        }
        try:
            for number, future in enumerate(as_completed(futures), 1):
                cell, first = futures[future]
                rows = [
                    [name, len(hits), sum(hit is not None for hit in hits), hits.count(True)]
                    for name, hits in future.result().items()
                ]
                line = {"by": by, "cell": asdict(cell), "first": first, "rows": rows}
                add(line)
                if keep is not None:
                    with keep.open("a") as file:
                        file.write(json.dumps(line) + "\n")
                print(f"{number} of {len(todo)} tasks", end="\r", flush=True)
                if time.monotonic() > until:
                    break
        except KeyboardInterrupt:
            print("interrupted; what is known so far:")
        finally:
            pool.shutdown(cancel_futures=True)
    return [
        (cell, name, None, runs, given, held / (given or math.nan))
        for (cell, name), (runs, given, held) in sorted(counted.items(), key=lambda item: str(item[0]))
    ]


def silent(table: list[Any]) -> list[str]:
    """Return what is wrong if too many cells of long runs say nothing although their rules are met."""
    cells: dict[Cell, float] = {}
    for cell, name, _, runs, given, _ in table:
        if name == "mean_response_time" and cell.jobs == max(JOBS) and cell.speaks:
            cells[cell] = given / runs
    speaking = sum(share >= GIVEN for share in cells.values())
    print(f"{speaking} of {len(cells)} cells of {max(JOBS):,} jobs whose rules are met give intervals")
    return [f"only {speaking} of {len(cells)} cells give intervals"] if speaking < SPEAKING * len(cells) else []


def main() -> None:
    """Print the table and the verdict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, default=1, help="seed of the systems")
    parser.add_argument("--systems", type=int, default=45)
    parser.add_argument("--time", choices=SEEDS, default="half-night")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long, with what is known")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a file for what has been counted, to go on from")
    given = parser.parse_args()
    table = run(given.draw, given.systems, given.time, workers=given.workers, keep=given.keep, seconds=given.seconds)
    for cell, name, _, runs, said, share in table:
        print(f"{cell!s:62} {name:36} {runs:5} {said / runs:6.2f} {share:6.3f}")
    wrong = verdict(table) + silent(table)
    print("\n".join(wrong) or "all is well")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
