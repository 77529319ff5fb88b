"""most-queue: its ``MsjSim`` serves multiserver jobs first come, first served, with exponential durations.

It returns means only, so its interval is that of independent replications, each with a warm-up of its own. It has no
backfilling and takes no recorded jobs.
"""

import time

from benchmarks.peers.peer import BATCHES, Peer, from_batches

WARM_UP = 0.2  # share of the counted jobs that are served before them


class MostQueue(Peer):
    """Queueing systems by formulas and by simulation."""

    name = "most-queue"
    module = "most_queue"
    why_no_replay = "it has neither EASY backfilling nor recorded jobs: its multiserver jobs are FCFS, exponential"

    def simulate(self, system, jobs, seed):
        from most_queue.sim.msj import MsjClass, MsjSim

        rate = float(system.arrival_rate)
        classes = [
            MsjClass(arrival_rate=rate * float(c.share), servers=c.need, mu=1 / float(c.duration.mean))
            for c in system.active_classes
        ]
        each = jobs // BATCHES
        started = time.perf_counter()
        means = [
            MsjSim(system.servers, classes, seed=BATCHES * seed + i).run(each, warmup_fraction=WARM_UP).v[0]
            for i in range(BATCHES)
        ]
        seconds = time.perf_counter() - started
        simulated = BATCHES * (each + int(WARM_UP * each))
        return from_batches(means, counted=BATCHES * each, simulated=simulated, seconds=seconds)


PEER = MostQueue
