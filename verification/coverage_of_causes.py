"""Do intervals hold where something slow or rare makes jobs wait? ``python -m verification.coverage_of_causes``.

The second part of :mod:`verification.coverage`, with the same rule. Systems are drawn by ``--draw``: environments (slow
modulation, breakdowns, maintenance), turns, rare large classes (one job in a thousand to one in a million), slow
arrivals, orders of classes that stick, models that go together, and lognormal and bounded Pareto durations under
first-fit and EASY with estimates. Each at loads .5, .8 and .95 of its threshold, in runs of 10 thousand, 100 thousand
and a million jobs: means of all jobs and of each class, slowdowns, the probability of waiting, and where the policy is
FCFS the difference of first-fit's mean from it.

The truth is exact where there is an exact answer; else it is that of a run of 16 million jobs. Errors of the two runs
are independent: an interval counts as right if the two means differ by no more than the root of the sum of squares of
both half-widths, and only where the long run's is at most a third of its own.

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
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msj
from msj.errors import MsjError
from msj.simulation.known import Known
from msj.simulation.plan import Pace
from msj.store.code import code_identity
from verification.coverage import EXACT, ROOMS, verdict
from verification.slow_and_rare import system_of

LOADS = (0.5, 0.8, 0.95)
JOBS = (10_000, 100_000, 1_000_000)
SEEDS = {
    "half-night": {10_000: 1000, 100_000: 300, 1_000_000: 300},
    "hour": {10_000: 300, 100_000: 300, 1_000_000: 20},
    "ten-minutes": {10_000: 40, 100_000: 16, 1_000_000: 0},
    "minute": {10_000: 8, 100_000: 0, 1_000_000: 0},
}
CHUNK = 20
REFERENCE = 16_000_000  # jobs
ROUGH = 1 / 3  # half-width of the long run over that of an interval, from which nothing is counted
NAMES = ("mean_response_time", "waiting_probability", "mean_slowdown")
DIFFERENCE = "mean_response_time_difference"
GIVEN, SPEAKING = 0.95, 0.8

Truth = dict[str, tuple[float, float]]  # by quantity: its value, and by how much it may be off


@lru_cache
def threshold_of(draw: int, number: int) -> tuple[float, bool]:
    """Return the threshold, and whether it is exact; the naive one stands in where nobody knows it."""
    _, system = system_of(draw, number)
    try:
        return float(msj.analyse(system)["stability_threshold"]), True
    except (MsjError, KeyError):
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

    @property
    def compared(self) -> bool:
        """Whether first-fit is compared with its policy."""
        kind, system = system_of(self.draw, self.number)
        return system.policy.name == "fcfs" and kind in ("rare class", "slow arrivals", "sticky order")

    @property
    def speaks(self) -> bool:
        """Whether the run's rules are met by expectation."""
        system = self.system
        known = Known(stability_threshold=self.known.get("stability_threshold"))
        return Pace.of(system, float(system.arrival_rate or 0.0), known).enough <= self.jobs

    def run(self, jobs: int, seed: int) -> dict[str, msj.Quantity]:
        """Simulate so many jobs, and return the rows that are judged."""
        return self.means(jobs, seed) | self.difference(jobs, seed)

    def means(self, jobs: int, seed: int) -> dict[str, msj.Quantity]:
        """Simulate the system alone."""
        run = msj.simulate(self.system, jobs=jobs, seed=self._place(jobs, seed), levels=(), **self.known)
        return {_key(row): row for row in run if row.name in NAMES}

    def difference(self, jobs: int, seed: int) -> dict[str, msj.Quantity]:
        """Compare first-fit with FCFS, where that is asked."""
        if not self.compared:
            return {}
        run = msj.compare(self.system, ["fcfs", "first-fit"], jobs=jobs, seed=self._place(jobs, seed), levels=())
        return {row.name: row for row in run if row.name == DIFFERENCE and row.job_class is None}

    def _place(self, jobs: int, seed: int) -> list[int]:
        return [self.draw, self.number, round(1000 * self.load), jobs, seed]

    def __str__(self) -> str:
        kind, system = system_of(self.draw, self.number)
        return f"{self.number:2d} {kind}, {system.servers} servers, load {self.load}, {self.jobs:,} jobs"


def _key(row: msj.Quantity) -> str:
    return row.name if row.job_class is None else f"{row.name} of {row.job_class}"


def truth_of(cell: Cell) -> Truth:
    """Return the exact values, and those of a long run with their half-widths for the others."""
    try:
        exact = [
            row for row in msj.analyse(cell.system, percentiles=False) if row.name in NAMES and row.kind == "exact"
        ]
    except MsjError:
        exact = []
    found = {row.name if row.job_class is None else f"{row.name} of {row.job_class}": (row.value, 0.0) for row in exact}
    long = cell.difference(REFERENCE, 0)
    if "mean_response_time" not in found:
        long |= cell.means(REFERENCE, 0)
    given = {name: row.interval for name, row in long.items() if row.interval is not None}
    return {name: (long[name].value, (ends[1] - ends[0]) / 2) for name, ends in given.items()} | found


def measure(cell: Cell, truth: Truth, first: int, seeds: int) -> dict[str, list[bool | None]]:
    """Return, for each quantity and seed, whether the interval holds the truth; None where there is none."""
    found: dict[str, list[bool | None]] = defaultdict(list)
    for seed in range(first, first + seeds):
        rows = cell.run(cell.jobs, seed)
        for name, (value, off) in truth.items():
            found[name].append(_held(rows.get(name), value, off))
    return found


def _held(row: msj.Quantity | None, value: float, off: float) -> bool | None:
    if row is None or row.low is None or row.high is None:
        return None
    half = (row.high - row.low) / 2
    if half <= EXACT * abs(value) or off > ROUGH * half:
        return None
    return row.low - value <= math.hypot(half, off) - half and value - row.high <= math.hypot(half, off) - half


class Kept:
    """What has been counted, in a file if one is named: lines of other code do not count."""

    def __init__(self, file: Path | None) -> None:
        self.truths: dict[tuple[int, int, float], Truth] = {}
        self.counted: dict[tuple[Cell, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.done: set[tuple[Cell, int]] = set()
        self._file, self._by = file, code_identity(ROOMS)
        lines = [] if file is None or not file.exists() else file.read_text().splitlines()
        for line in map(json.loads, lines):
            if line["by"] == self._by:
                self._add(line)

    def add(self, cell: Cell, **found: Any) -> None:
        """Count what a task has found."""
        line = {"by": self._by, "cell": asdict(cell), **found}
        if self._file is not None:
            with self._file.open("a") as file:
                file.write(json.dumps(line) + "\n")
        self._add(line)

    def _add(self, line: dict[str, Any]) -> None:
        cell = Cell(**line["cell"])
        if "truth" in line:
            self.truths[cell.draw, cell.number, cell.load] = {name: tuple(pair) for name, pair in line["truth"].items()}
            return
        self.done.add((cell, line["first"]))
        for name, *numbers in line["rows"]:
            self.counted[cell, name] = [a + b for a, b in zip(self.counted[cell, name], numbers, strict=True)]

    def table(self) -> list[Any]:
        """Return rows as ``verdict`` reads them."""
        return [
            (cell, name, None, runs, given, held / (given or math.nan))
            for (cell, name), (runs, given, held) in sorted(self.counted.items(), key=lambda item: str(item[0]))
        ]


def run(draw: int, systems: Iterable[int], which: str, *, workers: int, keep: Path | None, seconds: float) -> list[Any]:
    """Measure all cells, the first seeds of each first; return rows as ``verdict`` reads them."""
    kept, until = Kept(keep), time.monotonic() + seconds
    cells = [Cell(draw, number, load, jobs) for jobs in JOBS for number in systems for load in LOADS]
    with ProcessPoolExecutor(workers) as pool:
        try:
            todo = [c for c in cells if c.jobs == JOBS[0] and (c.draw, c.number, c.load) not in kept.truths]
            truths = {pool.submit(truth_of, cell): cell for cell in todo}
            for cell, truth in _finished(truths, until, "references"):
                kept.add(cell, truth=truth)
            tasks = {}
            for first in range(0, max(SEEDS[which].values()), CHUNK):
                for cell in cells:
                    known = kept.truths.get((cell.draw, cell.number, cell.load))
                    count = min(CHUNK, SEEDS[which][cell.jobs] - first)
                    if count > 0 and known and (cell, first) not in kept.done:
                        tasks[pool.submit(measure, cell, known, first, count)] = (cell, first)
            for (cell, first), found in _finished(tasks, until, "tasks"):
                rows = [
                    [name, len(hits), sum(hit is not None for hit in hits), hits.count(True)]
                    for name, hits in found.items()
                ]
                kept.add(cell, first=first, rows=rows)
        except KeyboardInterrupt:
            print("interrupted; what is known so far:")
        finally:
            pool.shutdown(cancel_futures=True)
    return kept.table()


def _finished(futures: dict[Future[Any], Any], until: float, what: str) -> Iterator[tuple[Any, Any]]:
    for number, future in enumerate(as_completed(futures), 1):
        yield futures[future], future.result()
        print(f"{number} of {len(futures)} {what}", end="\r", flush=True)
        if time.monotonic() > until:
            for each in futures:
                each.cancel()
            return


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
    parser.add_argument("--systems", type=int, default=50)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of systems")
    parser.add_argument("--time", choices=SEEDS, default="half-night")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long, with what is known")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a file for what has been counted, to go on from")
    given = parser.parse_args()
    numbers = given.only or range(given.systems)
    table = run(given.draw, numbers, given.time, workers=given.workers, keep=given.keep, seconds=given.seconds)
    for cell, name, _, runs, said, share in table:
        print(f"{cell!s:62} {name:36} {runs:5} {said / runs:6.2f} {share:6.3f}")
    wrong = verdict(table) + silent(table)
    print("\n".join(wrong) or "all is well")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
