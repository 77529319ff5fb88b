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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from msj.answers.question import SystemLike, as_system, question, root_of
from msj.closed_forms.fluid import FluidModel, Vector
from msj.disciplines.fcfs import Fcfs
from msj.effort import within
from msj.errors import InvalidInput, TooLarge
from msj.growth.fluid import fluid_model
from msj.growth.fluid_distance import distance_rows
from msj.growth.queueing_bounds import offered
from msj.model import System
from msj.model.numbers import positive, whole
from msj.results import Progress, Quantity, Result, Watch, provenance
from msj.results.units import said
from msj.simulation import replay_jobs
from msj.workloads import RecordedJobs, Rng, Streams, SystemJobs, seed_record, seed_sequence

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


@question
def fluid(
    system: SystemLike,
    until: float,
    *,
    start: str | Sequence[float] = "empty",
    servers: Sequence[int] = (),
    paths: int = 0,
    tolerance: float = 0.01,
    points: int = GRID,
    rng: Rng = None,
    seed: Rng = None,
    progress: Watch | None = None,
) -> Result:
    """Return the fluid model of a system up to a time, with simulated paths of clusters of several sizes.

    ``fluid_jobs_over_rate``, y_i(t), stands at a ``time``, class by class; ``jobs_over_rate``, X_i(t)/lambda_i on the
    first path of each size, at ``time``, ``servers`` and ``path``; ``mean_distance_to_fluid`` over all paths at
    ``servers``, beside what the distance exceeds with a probability of at most 5 %: ``distance_to_fluid_bound`` (the
    paper's) and ``distance_to_fluid_sharper_bound``. ``distance_exponent`` says how the distance falls with n, where
    there are two sizes or more.

    Parameters
    ----------
    system, start
        See :func:`msj.growth.fluid.fluid_model`; the system may be the file that describes it.
    until
        The time T.
    servers
        Sizes to simulate: the same mix (needs, shares, durations) at the same utilisation on n servers each. The
        system's own size if nothing is said.
    paths
        How many paths of each size; none by default.
    tolerance
        Share of the equilibrium within which it counts as reached.
    points
        Times at which fluid and paths are given.
    seed, rng
        As for :func:`msj.simulate`.
    progress
        Told before each path.

    Examples
    --------
    >>> import msj
    >>> system = msj.System(servers=100, utilisation=0.5, classes=[
    ...     msj.JobClass(name="all", need=2, share=1, duration=msj.Exponential(mean=1))])
    >>> found = msj.fluid(system, 5, servers=[100, 10_000], paths=4, seed=1)
    >>> [(n, round(row.value, 2)) for n, row in found.along("servers", "mean_distance_to_fluid")]
    [(100, 0.43), (10000, 0.04)]
    >>> round(found["time_to_equilibrium"], 4)
    4.6052
    """
    system = as_system(system)
    until = float(positive(until, "until"))
    model = fluid_model(system, start)
    times = np.linspace(0.0, until, whole(points, "points", least=2))
    settled = model.time_to_equilibrium(tolerance)
    recorded = seed_record(root_of(rng, seed))
    clusters: tuple[FluidPaths, ...] = ()
    sizes = list(dict.fromkeys(whole(n, "servers") for n in servers)) or [system.servers]
    if whole(paths, "paths", least=0) > 0:
        clusters = fluid_paths(system, model, times, sizes, paths, seed_sequence(recorded), progress)
    exponent = distance_exponent(clusters)
    return Result(
        system=system.to_spec(),
        quantities=(
            *_fluid_rows(model, times, settled),
            *distance_rows(system, model, until, sizes),
            *_path_rows(model, clusters, exponent),
        ),
        provenance=provenance(until=until, tolerance=float(tolerance), paths=paths, seed=recorded),
        notes=tuple(_notes(model, settled, float(tolerance), exponent, system.time_unit)),
    )


def fluid_paths(
    system: System,
    model: FluidModel,
    times: Vector,
    sizes: Sequence[int],
    paths: int,
    root: np.random.SeedSequence,
    progress: Watch | None = None,
) -> tuple[FluidPaths, ...]:
    """Simulate paths of clusters of several sizes with the same mix of work at the same utilisation."""
    reason = model.why_not_covered()
    if reason is not None:
        raise InvalidInput(reason)
    _, rho = offered(system)
    grown = [system.replace(servers=n, utilisation=rho) for n in sizes]
    found = []
    for done, (each, child) in enumerate(zip(grown, root.spawn(len(sizes)), strict=True)):
        part = within(progress, done / len(sizes), (done + 1) / len(sizes), f"{each.servers} servers")
        found.append(_cluster(each, model, times, paths, child, part))
    return tuple(found)


def distance_exponent(clusters: Sequence[FluidPaths]) -> float | None:
    """Return the power of n by which the distance falls (least squares on logarithms); None below two sizes."""
    if len(clusters) < 2:
        return None
    x = np.log([cluster.servers for cluster in clusters])
    y = np.log([cluster.mean_distance for cluster in clusters])
    return float(np.polyfit(x, y, 1)[0])


def _fluid_rows(model: FluidModel, times: Vector, settled: float) -> Iterator[Quantity]:
    def row(name: str, value: float, job_class: str | None = None, **at: float) -> Quantity:
        return Quantity(
            name=name,
            value=float(value),
            kind="asymptotic",
            method="fluid model",
            citation="zeroq, Theorem 4.3",
            job_class=job_class,
            at=at,
        )

    for name, value in zip(model.classes, model.equilibrium, strict=True):
        yield row("equilibrium_jobs_over_rate", value, name)
    yield row("time_to_equilibrium", settled)
    for time, values in zip(times, model.at(times), strict=True):
        for name, value in zip(model.classes, values, strict=True):
            yield row("fluid_jobs_over_rate", value, name, time=float(time))


def _path_rows(model: FluidModel, clusters: Sequence[FluidPaths], exponent: float | None) -> Iterator[Quantity]:
    def row(name: str, value: float, method: str, **more: Any) -> Quantity:
        return Quantity(name=name, value=float(value), kind="simulated", method=method, **more)

    for cluster in clusters:
        method = f"largest distance on [0, T], mean of {len(cluster.distances)} paths"
        value, half, at = cluster.mean_distance, cluster.half_width, {"servers": cluster.servers}
        ends = {} if math.isnan(half) else {"low": max(value - half, 0.0), "high": value + half}
        yield row("mean_distance_to_fluid", value, method, at=at, **ends)
    if exponent is not None:
        yield row("distance_exponent", exponent, "least squares on logarithms")
    for cluster in clusters:
        for time, values in zip(cluster.times, cluster.values[0], strict=True):
            there = {"time": float(time), "servers": cluster.servers, "path": 1}
            for name, value in zip(model.classes, values, strict=True):
                yield row("jobs_over_rate", value, "simulation", job_class=name, at=there)


def _notes(
    model: FluidModel, settled: float, tolerance: float, exponent: float | None, time_unit: str | None
) -> Iterator[str]:
    yield f"Within {100 * tolerance:g} % of equilibrium from time {said(settled, 'time', time_unit)} on."
    reason = model.why_not_covered()
    if reason is not None:
        yield f"This start is outside the theorem: {reason}."
    if exponent is not None:
        yield f"The distance falls like n^{exponent:.2f} (theory: n^-0.5 where needs do not grow)."


def _cluster(
    system: System, model: FluidModel, times: Vector, paths: int, root: np.random.SeedSequence, progress: Watch
) -> FluidPaths:
    found = []
    for i in range(paths):
        progress(Progress(done=i / paths, words=f"path {i + 1} of {paths}"))
        found.append(_path(system, model, times, Streams(root=root, replication=i)))
    return FluidPaths(
        servers=system.servers,
        times=times,
        values=np.array([value for value, _ in found]),
        distances=np.array([distance for _, distance in found]),
    )


def _path(system: System, model: FluidModel, times: Vector, streams: Streams) -> tuple[Vector, float]:
    """Simulate once; return the path at the times, and its largest distance to the fluid."""
    until = float(times[-1])
    system = system.only_active
    rate, _ = offered(system)
    rates = rate * np.array([float(c.share) for c in system.classes])
    jobs = _jobs(system, rate, np.rint(rates * model.start).astype(np.int64), until, streams)
    done = replay_jobs(jobs, servers=system.servers, policy=Fcfs(), block=BLOCK)
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
    source = SystemJobs(system, arrival_rate=rate, streams=streams)
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
