"""Logs: reading and replaying against what pandas needs to split the same text into columns.

The yardstick is ``pandas.read_csv(sep=r"\\s+", comment=";")`` on the same uncompressed file, which neither checks nor
sorts nor groups anything. It and what is measured take turns in one run; the ratio is that of the medians. The log is
drawn (200,000 jobs, 240 servers, load 0.7, users come and go), or the file named by ``MSJ_LOG``. Compiling is apart.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

JOBS, LARGE, SERVERS, TURNS = 200_000, 5_000_000, 240, 5


def drawn(jobs, path, seed=1):
    """Write a log: sessions of like jobs, round requests, a daily cycle."""
    rng = np.random.default_rng(seed)
    sessions = jobs // 4 + 1
    size = 1 + rng.geometric(0.25, sessions)
    user = np.repeat(rng.integers(1, 300, sessions), size)[:jobs]
    need = np.repeat(rng.choice([1, 1, 2, 4, 8, 16, 24, 32, 64, 128], sessions), size)[:jobs]
    typical = np.repeat(np.exp(rng.normal(7.0, 1.5, sessions)), size)[:jobs]
    run = np.maximum(np.round(typical * rng.lognormal(0, 0.5, jobs)), 1).astype(np.int64)
    asked = np.array([600, 3600, 14400, 43200, 86400, 604800, 10**7])
    request = asked[np.searchsorted(asked, run * rng.uniform(1, 5, jobs)).clip(max=6)]
    gap = rng.exponential(1.0, jobs) * np.where(np.arange(jobs) % 1000 < 500, 0.5, 1.5)
    submit = np.cumsum(gap)
    submit = (submit / submit[-1] * (need * run).sum() / (0.7 * SERVERS)).astype(np.int64)
    import pyarrow
    import pyarrow.csv

    unknown = np.full(jobs, -1)
    fields = [np.arange(1, jobs + 1), submit, unknown, run, need, unknown, unknown, need, request, unknown,
              np.ones(jobs, dtype=int), user, unknown, unknown, unknown, unknown, unknown, unknown]  # fmt: skip
    with open(path, "wb") as file:
        file.write(f"; Version: 2.2\n; MaxProcs: {SERVERS}\n".encode())
        options = pyarrow.csv.WriteOptions(include_header=False, delimiter=" ")
        pyarrow.csv.write_csv(pyarrow.table({str(i): f for i, f in enumerate(fields)}), file, options)


def in_turns(*tasks):
    """Return the median seconds of each task, run in turns; the first round does not count."""
    seconds = [[] for _ in tasks]
    for turn in range(TURNS + 1):
        for task, found in zip(tasks, seconds, strict=True):
            started = time.perf_counter()
            task()
            if turn:
                found.append(time.perf_counter() - started)
    return [statistics.median(found) for found in seconds]


def classed(path):
    """Read, check and group a log."""
    from msj import read_log
    from msj.logs.groups import by_need

    trace = read_log(path)
    return trace, by_need(trace.column("need"))


def peak_of(path):
    """Return the peak memory, in GB, of a program that reads a log, groups it and replays it under FCFS."""
    code = (
        "import sys, msj\n"
        "trace = msj.read_log(sys.argv[1])\n"
        "print(len(trace), trace.replay(policies=['fcfs'], shakes=0).at(policy='fcfs')['mean_waiting_time'])\n"
    )
    started = time.perf_counter()
    said = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True).stdout
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    return peak, time.perf_counter() - started, said.split()[0]


def run():
    import pandas

    from msj.disciplines import ConservativeBackfilling, EasyBackfilling, Fcfs
    from msj.simulation import replay_jobs

    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("MSJ_LOG", Path(folder) / "log.swf"))
        if "MSJ_LOG" not in os.environ:
            drawn(JOBS, path)
        trace = classed(path)[0]
        estimate = trace.column("estimate")
        jobs = trace.jobs(estimates=np.where(np.isfinite(estimate), estimate, trace.column("run")))

        def replay(policy):
            return lambda: replay_jobs(jobs, servers=trace.servers, policy=policy)

        pandas_alone, reading, easy, fcfs = in_turns(
            lambda: pandas.read_csv(path, sep=r"\s+", comment=";", header=None),
            lambda: classed(path),
            replay(EasyBackfilling()),
            replay(Fcfs()),
        )
        print(f"{len(trace):,} jobs, {trace.servers} servers; pandas.read_csv alone {pandas_alone:.3f} s")
        for name, seconds, most in (
            ("read, checked and classed", reading, 2.0), ("EASY replay", easy, 1.0), ("FCFS replay", fcfs, 0.2),
        ):  # fmt: skip
            print(f"{name:28s} {seconds:7.3f} s  {seconds / pandas_alone:5.2f} x  (at most {most:g} x)", flush=True)
        started = time.perf_counter()
        replay(ConservativeBackfilling())()
        print(f"conservative replay          {time.perf_counter() - started:7.1f} s  (at most 60 s)", flush=True)
        drawn(LARGE, Path(folder) / "large.swf")
        peak, seconds, count = peak_of(Path(folder) / "large.swf")
        print(f"{int(count):,} jobs read and replayed under FCFS: peak {peak:.2f} GB (at most 4), {seconds:.0f} s")
