"""The clusters whose reports ``verification.report_check`` holds against long runs.

Five come from files beside the project that are no part of it (a Slurm partition, a GPU cluster, the job classes of two
cells of Google's 2019 trace as exponential classes); where they are absent they are left out in words. Three are
written here: unlike those in size, number of classes, law, policy and arrivals.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path

import msj
from msj.model.arrivals import MmppArrivals
from msj.model.durations import Exponential, Hyperexponential, Lognormal, Pareto, Uniform

SHARED = Path(__file__).parents[2] / "shared"
FILES = {"slurm": "cases/slurm.toml", "gpu": "cases/gpu.toml"}
CELLS = {"A": 3072, "B": 2048}
TABLE = "data/borg/borg2019_cell{cell}_classes_N{servers}.txt"
UTILISATION = 0.7  # of the Borg cells, whose tables give none


def clusters(folder: Path = SHARED) -> Iterator[tuple[str, msj.System | str]]:
    """Yield the clusters by name, or the reason why one is not here."""
    for name, path in FILES.items():
        yield name, msj.read(folder / path) if (folder / path).exists() else f"{folder / path} is not here"
    for cell, servers in CELLS.items():
        path = folder / TABLE.format(cell=cell, servers=servers)
        for policy in ("fcfs", "easy-backfilling"):
            there = path.exists()
            yield f"Borg {cell}, {policy}", _borg(path, cell, servers, policy) if there else f"{path} is not here"
    yield "10,000 servers", ten_thousand()
    yield "30 classes", thirty()
    yield "bursts", bursts()


def _borg(path: Path, cell: str, servers: int, policy: str) -> msj.System:
    rows = [ast.literal_eval(line.strip().rstrip(",")) for line in path.read_text().splitlines() if line.strip()]
    total = sum(share for _, share, _ in rows)
    classes = [
        msj.JobClass(name=f"{need}", need=need, share=share / total, duration=Exponential(mean=mean))
        for need, share, mean in rows
    ]
    return msj.System(
        name=f"Borg cell {cell}", servers=servers, classes=classes, policy=policy, utilisation=UTILISATION
    )


def ten_thousand() -> msj.System:
    """Return 10,000 servers under conservative backfilling, with Pareto durations."""
    mix = (
        (1, 50, 2.5, 0.2),
        (8, 25, 2.5, 0.5),
        (64, 15, 2.2, 1),
        (256, 7, 2.5, 1),
        (1024, 2.5, 2.6, 1),
        (2000, 0.5, 2.6, 2),
    )
    return msj.System(
        name="ten thousand servers",
        servers=10_000,
        classes=[
            msj.JobClass(
                name=f"{need} cores", need=need, share=percent / 100, duration=Pareto(shape=shape, minimum=least)
            )
            for need, percent, shape, least in mix
        ],
        policy="conservative-backfilling",
        utilisation=0.8,
        time_unit="hours",
    )


def thirty() -> msj.System:
    """Return 1,000 servers with 30 lognormal classes, first fit."""
    rng = random.Random(7)
    needs = sorted(rng.sample(range(1, 65), 20) + rng.sample(range(65, 500), 10))
    counts = [max(1, round(2000 / need**0.8)) for need in needs]
    return msj.System(
        name="thirty queues",
        servers=1000,
        classes=[
            msj.JobClass(
                name=f"q{need}",
                need=need,
                share=count / sum(counts),
                duration=Lognormal(mean=rng.choice((10, 30, 60, 240)), cv=rng.choice((1, 1.5, 2.5))),
            )
            for need, count in zip(needs, counts, strict=True)
        ],
        policy="first-fit",
        utilisation=0.75,
        time_unit="minutes",
    )


def bursts() -> msj.System:
    """Return 64 servers under EASY, to which jobs come in bursts."""
    return msj.System(
        name="bursty lab cluster",
        servers=64,
        classes=[
            msj.JobClass(
                name="one GPU",
                need=1,
                share=0.6,
                duration=Hyperexponential(rates=[1, 0.05], probabilities=[0.9, 0.1]),
            ),
            msj.JobClass(name="one node", need=8, share=0.3, duration=Lognormal(mean=6, cv=2)),
            msj.JobClass(name="half the lab", need=32, share=0.1, duration=Uniform(low=1, high=12)),
        ],
        policy="easy-backfilling",
        arrivals=MmppArrivals(rates=[1, 6], switching=[[0, 0.05], [0.2, 0]]),
        utilisation=0.6,
        time_unit="hours",
    )
