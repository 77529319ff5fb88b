"""Are the reports' intervals right? ``python -m verification.report_check``.

Every cluster of ``verification.report_clusters`` gets its report, and a long run with another seed: the mean response
time, the 95th percentile of waiting and the threshold, for all jobs and for each class. Counted is how many long-run
values lie inside the report's intervals. Nine of ten are wanted: a long run errs, too, and a bracket of evidence is no
95 % interval.

The threshold's long run is the saturated line (FCFS), or the saturated system with four times as many waiting jobs in
sight as its last window (other policies). ``--runs FILE`` keeps the long runs, so that changed reports can be held
against them again; ``--seconds`` and ``--run-seconds`` say how long a report and a run take, the latter in seconds of
one core, and with ``--core-seconds`` the former, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

if "--core-seconds" in sys.argv:
    # On a machine that others use, too, a report of a minute would be cut after the few seconds it was given. Before
    # anything else is imported, since some keep the clock they find.
    time.monotonic = time.perf_counter = time.process_time  # type: ignore[assignment]

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

import msj
from msj.answers.threshold import exact_threshold
from msj.disciplines.fcfs import is_fcfs
from msj.effort import Effort
from msj.errors import MsjError
from msj.reports import Report, write_page, write_text
from msj.results import Quantity
from msj.simulation.saturated_line import saturated_line
from msj.simulation.saturated_window import one_window, saturated_windows
from verification.report_clusters import SHARED, clusters

TRIAL = 200_000  # jobs by which the speed of a run is told
MOST = 10**10
LONGER = 4  # times the window of the report
LEVEL = 95.0
Key = str  # "mean", "p95" or "threshold", a class behind it where there is one
Found = dict[Key, list[float | None]]  # value, low, high


def long_run(system: msj.System, seconds: float, seed: int) -> Found:
    """Return mean and percentile of a run of about so many seconds of one core; nothing where it is unstable."""
    for jobs in (TRIAL // 10, TRIAL):  # the first loads the compiled loop
        started = time.process_time()
        msj.simulate(system, jobs=jobs, seed=seed)
    speed = TRIAL / (time.process_time() - started)
    return values_of(msj.simulate(system, jobs=int(speed * seconds), seed=seed))


def values_of(rows: Iterable[Quantity]) -> Found:
    """Return what is compared of a run: means and percentiles, of all jobs and of each class."""
    names = {"mean_response_time": "mean", "waiting_time_percentile": "p95"}
    return {
        names[row.name] + (f" {row.job_class}" if row.job_class else ""): [row.value, row.low, row.high]
        for row in rows
        if row.kind == "simulated" and row.name in names and row.level in (None, LEVEL)
    }


def long_threshold(system: msj.System, seconds: float, seed: int) -> list[float | None]:
    """Return the threshold as a long run of the saturated system tells it."""
    root = np.random.SeedSequence(seed)
    if is_fcfs(system):
        started = time.process_time()
        line = saturated_line(system, jobs=TRIAL, most_jobs=MOST, rng=root)
        jobs = int(line.jobs * seconds / (time.process_time() - started))
        return list(saturated_line(system, jobs=jobs, most_jobs=MOST, rng=root).thresholds)
    found = saturated_windows(system, jobs=TRIAL, rng=root)
    oldest = LONGER * found.last.oldest
    started = time.process_time()
    one_window(system, oldest, jobs=TRIAL, root=root)
    jobs = int(TRIAL * seconds / (time.process_time() - started))
    window = one_window(system, oldest, jobs=jobs, root=root)
    assert window is not None
    return [window.threshold, window.low, window.high]


def runs(system: msj.System, seconds: float, seed: int) -> Found:
    """Return the long-run values of a cluster."""
    found = long_run(system, seconds, seed)
    try:
        exact = exact_threshold(system, Effort(), completions=False).value
        return {**found, "threshold": [exact, exact, exact]}
    except MsjError:
        return {**found, "threshold": long_threshold(system, seconds / 3, seed)}


def report_values(report: Report) -> Found:
    """Return the same values as a report gives them: those at its own load, and the threshold."""
    found = values_of(report.response.simulated_here)
    if report.capacity is not None and report.capacity.stability_threshold.kind != "bound":
        row = report.capacity.stability_threshold
        found["threshold"] = [row.value, row.low, row.high]
    return found


def verdicts(report: Found, long: Found) -> Iterator[tuple[Key, bool]]:
    """Say of every value that has an interval in the report whether the long run is inside."""
    for key, (value, low, high) in report.items():
        if key in long and low is not None and high is not None:
            truth = long[key][0]
            assert value is not None
            assert truth is not None
            slack = 1e-9 * abs(value)
            yield key, low - slack <= truth <= high + slack


def shown(found: Found, key: Key) -> str:
    """Return a value with its interval for the table."""
    if key not in found:
        return "–"
    value, low, high = found[key]
    return f"{value:.4g}" if low is None else f"{low:.4g} to {high:.4g}"


def check(args: argparse.Namespace) -> list[tuple[Key, bool]]:
    """Go through the clusters, print a row for each, and return all verdicts."""
    kept: dict[str, Found] = json.loads(args.runs.read_text()) if args.runs and args.runs.exists() else {}
    total: list[tuple[Key, bool]] = []
    print("| cluster | mean: report | long run | p95 wait: report | long run | threshold: report | long run | inside |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name, system in clusters(args.shared):
        if not any(each in name for each in args.only.split(";")):
            continue
        if isinstance(system, str):
            print(f"| {name} | left out: {system} |")
            continue
        if name not in kept:
            kept[name] = runs(system, args.run_seconds, args.seed + 1000)
            if args.runs:
                args.runs.write_text(json.dumps(kept, indent=1))
        if args.seconds <= 0:
            continue
        used = time.process_time()
        report = msj.report(system, seconds=args.seconds, seed=args.seed)
        used = time.process_time() - used
        if args.out:
            args.out.mkdir(exist_ok=True, parents=True)
            stem = name.replace(" ", "_").replace(",", "")
            (args.out / f"{stem}.html").write_text(write_page(report))
            (args.out / f"{stem}.txt").write_text(f"{write_text(report)}\n{used:.0f} s of one core\n")
        found, long = report_values(report), kept[name]
        judged = list(verdicts(found, long))
        total += judged
        cells = [shown(each, key) for key in ("mean", "p95", "threshold") for each in (found, long)]
        print(f"| {name} | {' | '.join(cells)} | {sum(ok for _, ok in judged)} of {len(judged)} |", flush=True)
        for key, ok in judged:
            if not ok:
                print(f"  outside: {name}, {key}: {shown(found, key)}, long run {shown(long, key)}", flush=True)
    return total


def main() -> None:
    """Print the table and the share that lies inside."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="of each report; 0: only the long runs")
    parser.add_argument("--run-seconds", type=float, default=600, help="of each long run, on one core")
    parser.add_argument("--core-seconds", action="store_true", help="count seconds of one core, on a busy machine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="clusters whose name holds one of these, separated by ';'")
    parser.add_argument("--runs", type=Path, help="where long runs are kept")
    parser.add_argument("--out", type=Path, help="folder for the reports")
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with cases/ and data/")
    total = check(parser.parse_args())
    overall = [ok for key, ok in total if " " not in key]
    for words, judged in (("all jobs", overall), ("with each class", [ok for _, ok in total])):
        if judged:
            print(f"{words}: {sum(judged)} of {len(judged)} long-run values inside ({sum(judged) / len(judged):.0%})")


if __name__ == "__main__":
    main()
