"""Make the example logs of this folder: ``python examples/logs/make_logs.py``. The same jobs in three formats.

Real logs belong to those who gave them; these are drawn. Users come by day, submit a few jobs that are alike, and ask
for round times; a cluster of 32 servers serves them by EASY backfilling. Some rows are no jobs, as in every log.
"""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

import msj
from msj.simulation import replay_jobs

FOLDER = Path(__file__).parent
SERVERS, JOBS = 32, 2000
BEGIN = datetime(2024, 3, 4)  # a Monday
HOURS = np.array([1, 1, 1, 1, 1, 1, 2, 4, 8, 10, 10, 9, 8, 9, 10, 10, 9, 7, 5, 4, 3, 2, 2, 1], dtype=float)
ROUND = np.array([600, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600])


def drawn(seed=22):
    """Return submit times, needs, run times, requested times and users of the jobs, in order of submission."""
    rng = np.random.default_rng(seed)
    weights = np.concatenate([HOURS * (0.35 if day % 7 > 4 else 1.0) for day in range(28)])
    rows = []
    while len(rows) < JOBS:
        hour = rng.choice(len(weights), p=weights / weights.sum())
        begin = 3600.0 * (hour + rng.random())
        user, need = int(rng.integers(1, 25)), int(rng.choice([1, 1, 1, 2, 2, 3, 4, 4, 8, 8, 16, 32]))
        typical = np.exp(rng.normal(7.6, 1.4)) / need**0.25
        for _ in range(min(1 + rng.geometric(0.3), JOBS - len(rows))):
            run = max(float(np.round(typical * np.exp(rng.normal(0, 0.4)))), 1.0)
            asked = ROUND[np.searchsorted(ROUND, min(run * rng.uniform(1.0, 6.0), 250_000))]
            rows.append((np.floor(begin), need, run, float(asked), user))
            begin += rng.exponential(120.0)
    return [np.array(column) for column in zip(*sorted(rows), strict=True)]


def main():
    """Write the files."""
    submit, need, run, asked, user = drawn()
    jobs = msj.RecordedJobs(arrival=submit, need=need, duration=run, estimate=asked)
    start = replay_jobs(jobs, servers=SERVERS, policy=msj.EasyBackfilling()).start
    write_swf(FOLDER / "small_cluster.swf", submit, need, run, asked, user, start)
    write_sacct(FOLDER / "small_cluster_sacct.txt", submit, need, run, asked, user, start)
    write_csv(FOLDER / "small_cluster.csv", submit, need, run)


def write_swf(path, submit, need, run, asked, user, start):
    """Standard Workload Format, with six rows that are no jobs."""
    lines = [
        "; Version: 2.2", "; Computer: none: drawn by examples/logs/make_logs.py of msj",
        f"; UnixStartTime: {int((BEGIN - datetime(1970, 1, 1)).total_seconds())}", "; TimeZone: 0",
        f"; MaxProcs: {SERVERS}", "; Note: served by EASY backfilling", ";",
    ]  # fmt: skip
    unused = {300: "0 4 0", 700: "0 1 -1", 1100: "0 2 0", 1300: "5 48 600", 1301: "5 64 600"}
    number = 0
    for i in range(len(submit)):
        number += 1
        lines.append(
            f"{number:5d} {submit[i]:8.0f} {start[i] - submit[i]:6.0f} {run[i]:6.0f} {need[i]:3d} -1 -1 {need[i]:3d} "
            f"{asked[i]:6.0f} -1 1 {user[i]:3d} -1 -1 {1 + (need[i] > 8)} -1 -1 -1"
        )
        if i in unused:
            number += 1
            wait, servers, ran = unused[i].split()
            lines.append(
                f"{number:5d} {submit[i]:8.0f} {wait} {ran} {servers} -1 -1 {servers} 600 -1 5 1 -1 -1 1 -1 -1 -1"
            )
    lines.insert(1500, "this line is damaged")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_sacct(path, submit, need, run, asked, user, start):
    """What Slurm's ``sacct -P`` prints, with the steps of the jobs."""

    def date(second):
        return f"{BEGIN + timedelta(seconds=float(second)):%Y-%m-%dT%H:%M:%S}"

    def clock(seconds):
        days, rest = divmod(int(seconds), 86400)
        return (f"{days}-" if days else "") + f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"

    lines = ["JobID|User|Partition|Submit|Eligible|Start|End|Elapsed|Timelimit|State|NNodes|AllocCPUS"]
    for i in range(400):
        times = f"{date(start[i])}|{date(start[i] + run[i])}|{clock(run[i])}"
        held = f"{-(-need[i] // 8)}|{need[i]}"
        queue = "large" if need[i] > 8 else "small"
        came = f"{date(submit[i])}|{date(submit[i])}"
        lines.append(f"{1000 + i}|u{user[i]:02d}|{queue}|{came}|{times}|{clock(asked[i])}|COMPLETED|{held}")
        lines.append(f"{1000 + i}.batch|||{date(start[i])}|{date(start[i])}|{times}||COMPLETED|{held}")
    lines.append(
        f"1400|u01|small|{date(submit[400])}|{date(submit[400])}|Unknown|Unknown|00:00:00|01:00:00|PENDING|1|0"
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_csv(path, submit, need, run):
    """A table with times in minutes since the beginning."""
    lines = ["queued_at,gpus,minutes"]
    lines += [f"{submit[i] / 60:.2f},{need[i]},{run[i] / 60:.3f}" for i in range(400)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
