"""Simulated sample paths over the fluid model, and how far they are from it.

X_i(t) counts arrivals minus departures; both come from the FCFS kernel, which gives every job its start. A start y(0)
becomes round(lambda_i·y_i(0)) jobs at time 0 in random order with fresh durations, which for exponential ones is no
restriction. Between jumps the path is constant and the fluid monotone, so the largest distance

    sup over [0, T] of sum_i |X_i(t)/lambda_i − y_i(t)|        (zeroq, Theorem 4.3)

is looked for just before and just after every jump. X_i is a sum of about lambda_i independent things, so the distance
falls like 1/sqrt(lambda_i), that is like n^-1/2 where needs do not grow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from msj.errors import InvalidInput, TooLarge
from msj.model import System
from msj.model.numbers import positive, whole
from msj.policies.fcfs import Fcfs
from msj.scaling.fluid import FluidModel, Vector, fluid_model
from msj.scaling.queueing_bounds import offered
from msj.simulation import replay
from msj.workloads import PoissonJobs, RecordedJobs, Rng, Streams, seed_sequence

MOST_JOBS = 50_000_000  # in one path: some gigabytes
BLOCK = 65536
GRID = 201  # times at which a path is kept for drawing


@dataclass(frozen=True, kw_only=True, eq=False)
class FluidPaths:
    """Paths of one cluster: ``values[path, time, class]`` is X_i(t)/lambda_i."""

    servers: int
    times: Vector
    values: Vector
    distances: Vector  # one per path

    @property
    def mean_distance(self) -> float:
        """Mean over the paths of the largest distance to the fluid."""
        return float(self.distances.mean())

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of the mean distance; nan for a single path."""
        count = len(self.distances)
        if count < 2:
            return math.nan
        return float(stdtrit(count - 1, 0.975) * self.distances.std(ddof=1) / math.sqrt(count))


@dataclass(frozen=True, kw_only=True, eq=False)
class FluidAnswer:
    """The fluid of one mix of work, and clusters of several sizes beside it."""

    model: FluidModel
    system: System
    until: float
    times: Vector
    fluid: Vector  # y_i at these times
    clusters: tuple[FluidPaths, ...]

    @property
    def slope(self) -> float | None:
        """Exponent at which the distance falls with n (least squares on logarithms); None for fewer than two sizes."""
        sizes = {cluster.servers for cluster in self.clusters}
        if len(sizes) < 2:
            return None
        x = np.log([cluster.servers for cluster in self.clusters])
        y = np.log([cluster.mean_distance for cluster in self.clusters])
        return float(np.polyfit(x, y, 1)[0])

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat row per time: the fluid, and the first path of every cluster."""
        found = []
        for k, t in enumerate(self.times):
            row: dict[str, Any] = {"time": float(t)}
            for i, name in enumerate(self.model.classes):
                row[f"fluid:{name}"] = float(self.fluid[k, i])
                for cluster in self.clusters:
                    row[f"path:{name}:{cluster.servers}"] = float(cluster.values[0, k, i])
            found.append(row)
        return found


def fluid(
    system: System,
    until: float,
    *,
    start: str | Sequence[float] = "empty",
    servers: Sequence[int] = (),
    paths: int = 0,
    rng: Rng = None,
    points: int = GRID,
    progress: Callable[[int, int], None] | None = None,
) -> FluidAnswer:
    """Return the fluid model of a system up to a time, with simulated paths of clusters of several sizes.

    Parameters
    ----------
    system, start
        See :func:`msj.scaling.fluid.fluid_model`.
    until
        The time T.
    servers
        Sizes to simulate: the same mix (needs, shares, durations) at the same utilisation on n servers each. The
        system's own size if nothing is said.
    paths
        How many paths of each size; none by default.
    rng
        Seed, ``SeedSequence``, ``Generator``, or None for a fresh seed.
    points
        Times at which paths are kept.
    progress
        Called with (clusters done, clusters in all) before each.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=100, utilisation=0.5, classes=[
    ...     msj.JobClass(name="all", need=2, share=1, duration=msj.Exponential(mean=1))])
    >>> answer = fluid(system, 5, servers=[100, 10_000], paths=4, rng=1)
    >>> [round(cluster.mean_distance, 2) for cluster in answer.clusters]
    [0.43, 0.04]
    """
    until = float(positive(until, "until"))
    model = fluid_model(system, start)
    times = np.linspace(0.0, until, whole(points, "points", least=2))
    clusters: list[FluidPaths] = []
    if whole(paths, "paths", least=0) > 0:
        reason = model.why_not_covered()
        if reason is not None:
            raise InvalidInput(reason)
        sizes = [whole(n, "servers") for n in servers] or [system.servers]
        _, rho = offered(system)
        grown = [system.replace(servers=n, utilisation=rho) for n in sizes]
        for index, (each, child) in enumerate(zip(grown, seed_sequence(rng).spawn(len(sizes)), strict=True)):
            if progress is not None:
                progress(index, len(sizes))
            clusters.append(_cluster(each, model, times, paths, child))
    return FluidAnswer(
        model=model, system=system, until=until, times=times, fluid=model.at(times), clusters=tuple(clusters)
    )


def _cluster(system: System, model: FluidModel, times: Vector, paths: int, root: np.random.SeedSequence) -> FluidPaths:
    found = [_path(system, model, times, Streams(root=root, replication=i)) for i in range(paths)]
    return FluidPaths(
        servers=system.servers,
        times=times,
        values=np.array([value for value, _ in found]),
        distances=np.array([distance for _, distance in found]),
    )


def _path(system: System, model: FluidModel, times: Vector, streams: Streams) -> tuple[Vector, float]:
    """Simulate once; return the path at the times, and its largest distance to the fluid."""
    until = float(times[-1])
    system = system.replace(classes=system.active_classes)
    rate, _ = offered(system)
    rates = rate * np.array([float(c.share) for c in system.classes])
    jobs = _jobs(system, rate, np.rint(rates * model.start).astype(np.int64), until, streams)
    done = replay(jobs, servers=system.servers, policy=Fcfs(), block=BLOCK)
    values = np.empty((len(times), len(rates)))
    events = np.unique(np.concatenate((done.arrival, done.finish[done.finish <= until], times)))
    before, after = (np.zeros(len(events)) for _ in range(2))
    at = model.at(events)
    for i, each in enumerate(rates):
        here = done.job_class == i
        arrivals, departures = np.sort(done.arrival[here]), np.sort(done.finish[here])
        count = np.searchsorted(arrivals, events, "right") - np.searchsorted(departures, events, "right")
        earlier = np.concatenate((count[:1], count[:-1]))
        after += np.abs(count / each - at[:, i])
        before += np.abs(earlier / each - at[:, i])
        values[:, i] = count[np.searchsorted(events, times)] / each
    return values, float(max(after.max(), before.max()))


def _jobs(system: System, rate: float, present: Any, until: float, streams: Streams) -> RecordedJobs:
    """Return the jobs there at the beginning, shuffled, and those that arrive until the end."""
    expected = float(present.sum()) + rate * until
    if expected > MOST_JOBS:
        raise TooLarge(
            f"a path to time {until:g} on {system.servers} servers has {expected:.3g} jobs, and {MOST_JOBS:.0e} are "
            "allowed; take a shorter time or fewer servers"
        )
    lots = streams.generator("policy")  # FCFS draws no lots; the stream serves the jobs there at the beginning
    first = lots.permutation(np.repeat(np.arange(len(system.classes)), present))
    means = np.array([float(c.duration.mean) for c in system.classes])
    arrival, job_class = [np.zeros(len(first))], [first]
    duration = [lots.standard_exponential(len(first)) * means[first]]
    source = PoissonJobs(system, arrival_rate=rate, streams=streams)
    while source.clock <= until:
        block = source.take(BLOCK)
        inside = block.arrival <= until
        arrival.append(block.arrival[inside])
        job_class.append(block.job_class[inside])
        duration.append(block.duration[inside])
    chosen = np.concatenate(job_class)
    needs = np.array([c.need for c in system.classes])
    return RecordedJobs(
        arrival=np.concatenate(arrival), need=needs[chosen], duration=np.concatenate(duration), job_class=chosen
    )
