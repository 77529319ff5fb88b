"""Measure everybody and print the table; exit code 1 if a mean is not the one that was asked for."""

import os
import statistics
import sys
from pathlib import Path

import numpy as np

from benchmarks.bench_simulation import systems
from benchmarks.peers import msj_itself
from benchmarks.peers.most_queue_models import MostQueue
from benchmarks.peers.simpy_models import SimPy

PEERS = (SimPy, MostQueue)
JOBS = 200_000
SEED = 1
TURNS = 3
LOG = Path(__file__).parents[2] / "examples" / "logs" / "small_cluster.swf"
TOO_FAR = 2.0  # half-widths: by chance once in some 2,000 runs
SAME_REPLAY = 0.01  # of the mean wait: events of one second may be taken in another order


def open_clusters():
    """Return W1 and W3 by name."""
    return {
        name: system.replace(policy=policy, arrival_rate=rate)
        for name, system, policy, rate, _ in systems()
        if name.startswith(("W1", "W3"))
    }


def reference(system, simulated):
    """Return the mean response time, exactly where that is known, and how far off it may be."""
    import msj

    for row in msj.analyse(system).quantities:
        if row.name == "mean_response_time" and row.kind == "exact":
            return row.value, 0.0, "exact"
    return simulated.mean, simulated.half_width, "msj, simulated"


def steady_state(name, system, peers):
    """Print the lines of one cluster and return whether all means agree."""
    plain = msj_itself.simulate(system, controls=False)
    controlled = msj_itself.simulate(system, controls=True)
    mean, uncertain, how = reference(system, controlled)
    print(f"\n{name}: mean response time {mean:.5g} ({how})")
    print("                        jobs/s     mean   95 % ±  jobs to 1 %  s to 1 %   x msj")
    measured = [("msj", controlled), ("msj, controls off", plain)]
    measured += [(peer.name, peer.simulate(system, JOBS, SEED)) for peer in peers]
    agree = True
    for who, found in measured:
        away = abs(found.mean - mean) / np.hypot(found.half_width, uncertain)
        verdict = "" if away <= TOO_FAR else f"  DISAGREES: {away:.1f} half-widths away"
        agree &= not verdict
        times = found.seconds_to_precision / controlled.seconds_to_precision
        print(
            f"{who:18s} {found.jobs_per_second:11,.0f} {found.mean:8.4g} {found.half_width:8.2g} "
            f"{found.jobs_to_precision:12,.0f} {found.seconds_to_precision:9.3g} {times:7.3g}{verdict}",
            flush=True,
        )
    return agree


def log_under_easy(path, peers):
    """Print the lines of one log and return whether all mean waits agree."""
    import msj

    trace = msj.read_log(path)
    estimate = trace.column("estimate")
    jobs = trace.jobs(estimates=np.where(np.isfinite(estimate), estimate, trace.column("run")))
    able = [peer for peer in peers if peer.why_no_replay is None]
    msj_itself.replay(jobs, trace.servers)  # compiles
    found = {"msj": []} | {peer.name: [] for peer in able}
    for _ in range(TURNS):
        found["msj"].append(msj_itself.replay(jobs, trace.servers))
        for peer in able:
            found[peer.name].append(peer.replay(jobs.jobs, trace.servers))
    waits = found["msj"][0].waits
    fastest = statistics.median(turn.seconds for turn in found["msj"])
    print(f"\n{Path(path).name} under EASY, estimates as requested: {len(jobs.jobs):,} jobs, {trace.servers} servers")
    print("                        jobs/s  mean wait      other waits   seconds   x msj")
    agree = True
    for who, turns in found.items():
        seconds = statistics.median(turn.seconds for turn in turns)
        mean, others = turns[0].waits.mean(), int((turns[0].waits != waits).sum())
        verdict = "" if abs(mean - waits.mean()) <= SAME_REPLAY * waits.mean() else "  DISAGREES"
        agree &= not verdict
        print(
            f"{who:18s} {len(waits) / seconds:11,.0f} {mean:10.7g} {others:16,d} {seconds:9.3g} "
            f"{seconds / fastest:7.3g}{verdict}",
            flush=True,
        )
    for peer in peers:
        if peer.why_no_replay is not None:
            print(f"{peer.name}: {peer.why_no_replay}.")
    print("A replay has no sampling error: its seconds are those of the whole log.")
    return agree


def installed(peers=PEERS):
    """Return the peers that are there; say of the others that they are left out."""
    found = []
    for peer in peers:
        reason = peer.why_left_out()
        print(f"{peer.name} {peer.version()}" if reason is None else reason, flush=True)
        if reason is None:
            found.append(peer())
    return found


def main():
    peers = installed()
    agree = [steady_state(name, system, peers) for name, system in open_clusters().items()]
    agree.append(log_under_easy(os.environ.get("MSJ_LOG", LOG), peers))
    if not all(agree):
        sys.exit(1)


if __name__ == "__main__":
    main()
