"""Simulation: cost per job against drawing its random numbers (two exponentials and a uniform with NumPy).

Drawing and simulating are timed in turns, slice by slice, and the ratio is that of the medians of each: a disturbance
of the machine hits both. Compiling is apart (a short run comes first). Each line is one replication, drawing,
serving and counting included; the last lines show that the cost per job does not grow with the queue.
"""

import statistics
import time

import numpy as np

SLICES = 15
BLOCKS = 20
SIDE_BY_SIDE = 20_000_000  # jobs
TURNS = 15


def systems():
    from msj import Exponential, JobClass, Lognormal, System

    def mix(servers, classes):
        return System(servers=servers, classes=[JobClass(name=str(i), **c) for i, c in enumerate(classes)])

    two = mix(
        4,
        [
            {"need": 1, "share": "1/2", "duration": Exponential(rate="1/2")},
            {"need": 4, "share": "1/2", "duration": Exponential(rate="2/3")},
        ],
    )
    needs, rates = (3, 10, 32), (0.25, 0.5, 1.0)
    weights = np.array(rates) / needs
    shares = weights / weights.sum()
    large = mix(
        1024,
        [
            {"need": n, "share": float(p), "duration": Exponential(rate=r)}
            for n, r, p in zip(needs, rates, shares, strict=True)
        ],
    )
    many = mix(
        128,
        [
            {"need": 1 + (7 * i * i) % 64, "share": 0.05, "duration": Lognormal(mean=1 + i % 5, cv=1 + i % 3)}
            for i in range(20)
        ],
    )
    fcfs, filling, weight, easy = "fcfs", "server-filling", "max-weight", "easy-backfilling"
    return [
        ("W1 FCFS, k=4, 0.8 of lambda*", two, fcfs, 0.8 * 96 / 139, 3),
        ("W2 ServerFilling, k=4, rho 0.9", two, filling, 0.9 * two.naive_threshold, 10),
        ("W3 FCFS, k=1024, load 0.875", large, fcfs, 0.875 * saturated(large), 12),
        ("W4 MaxWeight, k=4, rho 0.9", two, weight, 0.9 * two.naive_threshold, 12),
        ("W5 EASY, k=128, 20 classes, rho 0.7", many, easy, 0.7 * many.naive_threshold, 60),
        ("parts: stages, groups, set-up, breakdowns", parts(), fcfs, 0.8, None),
        *(
            (f"{policy} at rho {rho}", two, policy, rho * two.naive_threshold, None)
            for policy in (filling, "server-filling-srpt", weight, "first-fit")
            for rho in (0.5, 0.9 if policy == "first-fit" else 0.99)
        ),
        *((f"fcfs at {load} of lambda*", two, fcfs, load * 96 / 139, None) for load in (0.5, 0.99)),
    ]


def parts():
    """Stages on two groups whose servers are switched off when idle and break one by one: the engine of parts."""
    from msj import Exponential, JobClass, System
    from msj.disciplines.model import Model
    from msj.disciplines.served_by import ServedBy

    one = Exponential(mean=1)

    def own(*needs):
        segments = [
            {"need": need, "resources": {}, "law": one, "after": [i - 1] if i else []} for i, need in enumerate(needs)
        ]
        return {
            "segments": segments,
            "groups": [0, 1],
            "span": False,
            "at_most": None,
            "preemptible": True,
            "pays": True,
        }

    breaks = {
        "sojourn": [Exponential(mean=20), one], "jump": [[0, 1], [1, 0]], "taken": [[0, 0], [1, 0]],
        "speed": [1.0, 1.0], "hits": "any",
    }  # fmt: skip
    values = {
        "groups": [(4, 1.0, {}), (4, 2.0, {})], "capacity": {}, "classes": [own(1, 2), own(4)], "environment": [breaks],
        "set_up": {"law": one, "staggered": False, "delay": one},
        "overhead": {"snapshot": None, "transfer": Exponential(mean="1/10")},
    }  # fmt: skip

    class Parts(Model):
        name, summary, citation = "parts", "several parts", ""

        def engine(self, system):  # noqa: ARG002
            return ServedBy("msj.engines.parts:PartsEngine", **values)

    classes = [JobClass(name=str(need), need=need, share="1/2", duration=one) for need in (1, 4)]
    return System(servers=8, classes=classes, model=Parts())


def saturated(system):
    from msj import analyse

    return analyse(system)["stability_threshold"]


def measure(system, policy, rate):
    """Return nanoseconds per job: drawing alone, and all of it."""
    from msj.simulation.question import new_replication
    from msj.workloads import Streams, seed_sequence
    from msj.workloads.system_jobs import BLOCK

    streams = Streams(root=seed_sequence(1), replication=0)
    replication = new_replication(system.replace(policy=policy), rate, streams, warm_up=100_000, piece=BLOCKS * BLOCK)
    replication.advance(0)
    rng = np.random.default_rng(1)
    drawing, running = [], []
    for piece in range(SLICES):
        started = time.perf_counter()
        for _ in range(BLOCKS):
            rng.standard_exponential(BLOCK)
            rng.standard_exponential(BLOCK)
            rng.random(BLOCK)
        drawn = time.perf_counter()
        replication.advance(piece + 1)
        drawing.append(drawn - started)
        running.append(time.perf_counter() - drawn)
    jobs = BLOCKS * BLOCK * 1e-9
    return statistics.median(drawing) / jobs, statistics.median(running) / jobs


def side_by_side(system, policy, rate):
    """Return how many times the jobs per second of one worker two have: medians, after a short turn."""
    from msj.simulation import Known, simulate_at_rate
    from msj.workloads import seed_sequence

    seconds = {1: [], 2: []}
    for turn in range(TURNS + 1):
        for workers, taken in seconds.items():
            started = time.perf_counter()
            simulate_at_rate(
                system.replace(policy=policy, arrival_rate=rate),
                root=seed_sequence(1),
                known=Known(),
                jobs=SIDE_BY_SIDE if turn else SIDE_BY_SIDE // 20,
                replications=4,
                workers=workers,
            )
            if turn:
                taken.append(time.perf_counter() - started)
    return statistics.median(seconds[1]) / statistics.median(seconds[2])


def run():
    print("workload                                   draw ns  run ns/job  ratio  at most  M jobs/s")
    for name, system, policy, rate, most in systems():
        drawing, running = measure(system, policy, rate)
        limit = "" if most is None else f"{most} x"
        print(
            f"{name:42s} {drawing:7.1f} {running:11.1f} {running / drawing:6.2f}  {limit:>7s} {1e3 / running:9.2f}",
            flush=True,
        )
    print("two workers against one, 20 million jobs (at least 1.7)")
    for name, system, policy, rate, _ in systems():
        if name.startswith(("W1", "W5")):
            print(f"{name:42s} {side_by_side(system, policy, rate):6.2f}", flush=True)
