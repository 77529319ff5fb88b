"""How well fits predict real logs: ``python -m verification.fit_table FOLDER`` prints the table of docs/fit.md.

Each log is cut in two by time. Of the second half, two loads are predicted from the first: the log's own, and for each
policy the smallest of 0.2, 0.25, ... 1.5 times it at which the replayed mean wait is above an hour.
"""

import sys
from pathlib import Path

import numpy as np

import msj
from msj.answers.held_out import parts_of
from msj.answers.replay import policies_of
from msj.simulation import replay_jobs

LOGS = {
    "KTH": "KTH-SP2-1996-2.1-cln.swf.gz",
    "CTC": "CTC-SP2-1996-3.1-cln.swf.gz",
    "HPC2N": "HPC2N-2002-2.2-cln.swf.gz",
    "lublin": "lublin_256.swf.gz",
}
POLICIES = ("fcfs", "easy-backfilling")
FACTORS = np.round(np.arange(0.2, 1.51, 0.05), 2)
HOUR = 3600.0


def factor_for(trace, policy):
    """Return the smallest factor at which jobs of the second half wait an hour on average."""
    [rule] = policies_of(policy, None).values()
    for factor in FACTORS:
        parts = parts_of(trace, trace.servers, share=0.5, scale_load=float(factor))
        done = replay_jobs(parts.jobs, servers=trace.servers, policy=rule)
        if (done.start - done.arrival).mean() > HOUR:
            return float(factor)
    raise ValueError(f"jobs of {trace.source} never wait an hour under {policy}")


def cells(trace, policy, factor, seed=1):
    """Return for the mean and the 95th percentile: replayed, and predicted by either fit, in hours."""
    found = msj.fit(trace, policies=[policy], scale_load=factor, seed=seed)
    rows = {}
    for name, level in (("mean_waiting_time", None), ("waiting_time_percentile", 95.0)):
        rows[name] = tuple(
            found.at(policy=policy, workload=workload)[name, None, level] / HOUR
            for workload in ("replay", "independent fit", "dependent fit")
        )
    return rows, parts_of(trace, trace.servers, share=0.5, scale_load=factor).utilisation


def nearer(true, independent, dependent):
    """Return whether the dependent fit is nearer, by the factor between prediction and replay."""
    far = [abs(np.log(max(found, 1e-9) / true)) for found in (independent, dependent)]
    return far[1] < far[0]


def main(folder, names):
    """Print the table."""
    won, all_cells = 0, 0
    for name in names:
        trace = msj.read_log(folder / LOGS[name])
        for policy in POLICIES:
            for factor in (1.0, factor_for(trace, policy)):
                rows, utilisation = cells(trace, policy, factor)
                for quantity, (true, independent, dependent) in rows.items():
                    better = nearer(true, independent, dependent)
                    won, all_cells = won + better, all_cells + 1
                    what = "mean" if quantity.startswith("mean") else "95 %"
                    cell = [f"{found:.2f} (x {found / true:.2g})" for found in (independent, dependent)]
                    word = "dependent" if better else "independent"
                    where = f"{name} | {policy} | {factor:g} ({utilisation:.2f}) | {what}"
                    print(f"| {where} | {true:.2f} | {cell[0]} | {cell[1]} | {word} |", flush=True)
    print(f"dependent nearer in {won} of {all_cells}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(LOGS))
