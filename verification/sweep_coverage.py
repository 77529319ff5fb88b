"""Does the interval of a sweep's cell hold the exact value 95 % of the time? ``python -m verification.sweep_coverage``.

A cell ends where its own rule says so: at the first look whose interval is narrow enough if the look before promised as
much. Whoever stops when an interval looks narrow stops too early on average, so that what the rule costs is measured
where it acts: every cell is a system at a load with a precision it reaches after a few looks, run as a sweep runs it
(``simulation.blocks``, ``simulation.looks``) with many seeds. *blind* cells are told nothing of the threshold, so that
their warm-ups are guessed and early blocks may not count. Blocks are as short as ten memories, where a sweep's have at
least 8,000 jobs: that is cheaper, and harder for the intervals.

Systems and exact values are those of ``verification.coverage``. The target: no quantity of any cell surely below 92 %,
and the mean response times of all cells together not surely outside 94 to 96.5 %; surely is one in a thousand.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from scipy.stats import binom

from msj.results import Outcome
from msj.simulation import Known, blocks
from msj.simulation.blocks import Stream
from msj.simulation.known import NOTHING
from msj.simulation.looks import Looks
from verification.coverage import LEVELS, LOWEST, MEAN, SYSTEMS, exact, held, threshold

MOST_JOBS = 100_000_000
PIECE = 100  # jobs, at least
CHANCE = 0.001
#: Seeds for each cell, by how long it may take.
SEEDS = {"hour": 2000, "ten-minutes": 400, "minute": 20}


@dataclass(frozen=True)
class Case:
    """A system at a load (a share of its threshold), to be known to a precision."""

    system: str
    load: float
    precision: float
    blind: bool = False

    def stream(self, seed: int) -> Stream:
        """Return what is simulated, with seeds that no other case has."""
        limit = threshold(self.system)
        return Stream(
            system=SYSTEMS[self.system]().replace(arrival_rate=self.load * limit),
            known=NOTHING if self.blind else Known(stability_threshold=limit),
            seed=1000 * seed + CASES.index(self),
        )


#: Precisions that take three to six looks, so that the rule has something to decide.
CASES = (
    Case("fcfs", 0.5, 0.013),
    Case("fcfs", 0.8, 0.035),
    Case("fcfs", 0.95, 0.04),
    Case("untuned, fcfs", 0.5, 0.025),
    Case("untuned, fcfs", 0.8, 0.055),
    Case("untuned, fcfs", 0.95, 0.05),
    Case("first-fit, window 2", 0.8, 0.03),
    Case("fcfs", 0.5, 0.015, blind=True),
    Case("untuned, fcfs", 0.8, 0.08, blind=True),
)


def measure(case: Case, seeds: int) -> tuple[dict[tuple[str, float | None], list[bool | None]], Counter[int]]:
    """Return, for each quantity and seed, whether the interval holds the exact value, and how many looks it took."""
    blocks.LEAST_PIECE = PIECE
    truth = exact(case.system, case.load * threshold(case.system))
    found: dict[tuple[str, float | None], list[bool | None]] = defaultdict(list)
    taken: Counter[int] = Counter()
    for seed in range(seeds):
        looks = Looks(case.stream(seed))
        while (outcome := looks.outcome(precision=case.precision, jobs=MOST_JOBS)) is None:
            looks.add(looks.stream.run(looks.through))
        assert outcome is Outcome.CONVERGED, outcome
        taken[len(looks.standings)] += 1
        rows = {(row.name, row.level): row for row in looks.rows(LEVELS) if row.job_class is None}
        for key, value in truth.items():
            found[key].append(held(rows.get(key), value))
    return found, taken


def run(seeds: int, workers: int, cases: tuple[Case, ...] = CASES) -> list[str]:
    """Print the table; return what is wrong, in words."""
    table = []
    print(f"{'system':26} {'load':>5} {'precision':>9}  {'quantity':30} {'given':>5} {'cover':>6}", flush=True)
    with ProcessPoolExecutor(workers) as pool:
        for case, future in [(case, pool.submit(measure, case, seeds)) for case in cases]:
            found, taken = future.result()
            for (name, level), hits in found.items():
                given = [hit for hit in hits if hit is not None]
                share = sum(given) / max(len(given), 1)
                label = name if level is None else f"{name} {level:g}"
                place = f"{case.system + ', blind' * case.blind:26} {case.load:5} {case.precision:9}"
                print(f"{place}  {label:30} {len(given) / len(hits):5.2f} {share:6.3f}", flush=True)
                table.append((case, name, level, len(hits), len(given), share))
            print(f"  looks: {', '.join(f'{count} x {looks}' for looks, count in sorted(taken.items()))}", flush=True)
    return verdict(table)


def verdict(table: list[tuple[Case, str, float | None, int, int, float]]) -> list[str]:
    """Return what is wrong with a table, in words; nothing if all is well."""
    wrong = []
    means, runs = 0, 0
    for case, name, level, asked, given, share in table:
        hits = round(share * given)
        if 2 * given >= asked and binom.cdf(hits, given, LOWEST) < CHANCE:
            wrong.append(f"{case} {name} {level}: {share:.3f} of {given}, surely below {LOWEST}")
        if name == "mean_response_time":
            means, runs = means + hits, runs + given
    print(f"mean response times: {means / runs:.4f} of {runs:,} intervals hold the exact value")
    if binom.cdf(means, runs, MEAN[0]) < CHANCE or binom.sf(means - 1, runs, MEAN[1]) < CHANCE:
        wrong.append(f"mean response times: {means / runs:.4f} of {runs:,}, surely outside {MEAN}")
    return wrong


def main() -> None:
    """Measure as long as is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", choices=SEEDS, default="ten-minutes")
    parser.add_argument("--seeds", type=int, help="in place of --time")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cases", default=",".join(map(str, range(len(CASES)))), help="numbers from 0, by commas")
    given = parser.parse_args()
    started = time.perf_counter()
    chosen = tuple(CASES[int(number)] for number in given.cases.split(","))
    wrong = run(given.seeds or SEEDS[given.time], given.workers, chosen)
    print(f"{time.perf_counter() - started:.0f} seconds")
    print("\n".join(wrong) or "all is well")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
