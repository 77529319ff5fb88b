"""How well fits predict the part of a log that they were not made from.

A log is cut in two by time. The clusters are fitted to the first part; the jobs of the second are replayed, and so are
jobs drawn from each fit, over as long a time, from an empty machine, with the same policies. What is asked is how long
jobs wait given how much work comes, so the fits are told the utilisation of the second part, and nothing else of it.
Policies that use run times are told the true ones, by all three. A replay is one sample of what might have happened;
drawn jobs are drawn several times, and their mean stands with the smallest and the largest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.disciplines import Policy
from msj.effort import Effort
from msj.errors import InvalidInput
from msj.executors.calls import at_cluster, gathered
from msj.fitting import FitOptions, fitted
from msj.logs import Trace
from msj.model import System
from msj.model.arrivals import DailyArrivals
from msj.model.numbers import positive
from msj.results import Quantity
from msj.simulation import replay_jobs
from msj.workloads import RecordedJobs, Streams
from msj.workloads.system_jobs import SystemJobs

REPLAY, INDEPENDENT, DEPENDENT = "replay", "independent fit", "dependent fit"
LEVEL = 95.0
LEAST_JOBS = 200  # in either part
DRAWN_JOBS, FEWEST, MOST = 400_000, 3, 10  # jobs drawn in all for one fit; draws


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """A log cut in two: what fits are made from, and the jobs they are to predict."""

    first: Trace
    jobs: RecordedJobs
    span: float
    utilisation: float
    scale: float

    @property
    def why_not(self) -> str | None:
        """Why nothing is predicted: one of the parts is too short; None where neither is."""
        fewer = min(len(self.first), len(self.jobs.jobs))
        if fewer >= LEAST_JOBS:
            return None
        return f"a part of the log has {fewer:,} jobs, and {LEAST_JOBS} are needed to say anything of a prediction"


def parts_of(trace: Trace, servers: int, *, share: float, scale_load: Any = 1) -> Parts:
    """Cut the last ``share`` of a log's time off; submissions there come ``scale_load`` times as close."""
    if not 0 < share < 1:
        raise InvalidInput(f"held_out = {share:g} is no part of the log; give a share between 0 and 1, such as 0.5")
    factor = float(positive(scale_load, "scale_load"))
    submit = trace.column("submit")
    cut = submit[-1] - share * (submit[-1] - submit[0])
    later = trace.where(lambda jobs: (jobs.submit >= cut) & (jobs.need <= servers))
    arrival = (later.column("submit") - cut) / factor
    span = float(submit[-1] - cut) / factor
    need, run = later.column("need"), later.column("run")
    return Parts(
        first=trace.between(float(submit[0]), cut),
        jobs=RecordedJobs(arrival=arrival, need=need, duration=run),
        span=span,
        utilisation=float((need * run).sum()) / (servers * span) if span > 0 else float("nan"),
        scale=factor,
    )


def predictions(
    parts: Parts,
    servers: int,
    options: FitOptions,
    *,
    policies: Mapping[str, Policy],
    root: Any,
    draws: int | None = None,
    effort: Effort,
    dask: Any = None,
) -> list[Quantity]:
    """Return mean waits and their 95th percentiles: replayed, and as each fit of the first part predicts them."""
    made = fitted(parts.first, options, servers)
    count = len(parts.jobs.jobs)
    times = draws if draws is not None else min(max(DRAWN_JOBS // max(count, 1), FEWEST), MOST)
    fits = {INDEPENDENT: made.independent, DEPENDENT: made.system}
    rows: list[Quantity] = []
    replayed: dict[str, NDArray[np.float64]] = {}
    for name, policy in policies.items():
        replayed[name] = _waits(parts.jobs, servers, policy, root)
        rows += _rows(replayed[name][None, :], "replayed", f"replay of {count:,} jobs", name, REPLAY)
    length = Length(span=parts.span, utilisation=parts.utilisation, scale=parts.scale)
    calls = [
        (sampled_waits, system, length, root, draw, servers, tuple(policies.values()))
        for system in fits.values()
        for draw in range(times)
    ]
    waits = _all_waits(calls, effort, dask)
    for number, fit in enumerate(fits):
        drawn_waits = np.array(waits[number * times : (number + 1) * times])
        for place, name in enumerate(policies):
            found = drawn_waits[:, place]
            method = f"{times} draws of the {fit}, as long as the part held out"
            rows += _rows(found, "simulated", method, name, fit)
            rows += _ratios(found, replayed[name], method, name, fit)
    return rows


def _all_waits(calls: list[tuple[Any, ...]], effort: Effort, dask: Any) -> list[NDArray[np.float64]]:
    """Return the waits of every sampled workload, served here or on a cluster."""
    with at_cluster(dask) as hands:
        if hands is not None:
            found = gathered(calls, hands, effort)
            assert found is not None  # the effort has no end
            return found
    waits = []
    for place, (function, *arguments) in enumerate(calls):
        effort.tell(place / len(calls), f"{place + 1} of {len(calls)} sampled workloads")
        waits.append(function(*arguments))
    return waits


@dataclass(frozen=True, kw_only=True)
class Length:
    """How long a sampled workload is: its time, the utilisation, and how much closer submissions come."""

    span: float
    utilisation: float
    scale: float


def sampled_waits(
    system: System, length: Length, root: Any, draw: int, servers: int, policies: Sequence[Policy]
) -> NDArray[np.float64]:
    """Return the mean wait and its percentile under each policy, of one sampled workload."""
    jobs = drawn(system, length, root, draw)
    return np.array([_waits(jobs, servers, policy, root) for policy in policies])


def drawn(system: System, parts: Parts | Length, root: Any, draw: int) -> RecordedJobs:
    """Return jobs of a cluster at the utilisation of the part held out, over as long a time."""
    if isinstance(system.arrivals, DailyArrivals):  # where submissions come closer, so do days
        system = system.replace(arrivals=system.arrivals.replace(cycle=float(system.arrivals.cycle) / parts.scale))
    rate = parts.utilisation * system.servers / system.mean_work
    source = SystemJobs(system, arrival_rate=rate, streams=Streams(root=root, replication=draw))
    taken: list[tuple[Any, Any, Any]] = []
    while not taken or taken[-1][0][-1] < parts.span:
        block = source.take(max(int(rate * parts.span / 4), 1000))
        taken.append((block.arrival.copy(), block.need.copy(), block.duration.copy()))
    arrival, need, duration = (np.concatenate(columns) for columns in zip(*taken, strict=True))
    inside = arrival < parts.span
    inside[0] = True
    return RecordedJobs(arrival=arrival[inside], need=need[inside], duration=duration[inside])


def _waits(jobs: RecordedJobs, servers: int, policy: Policy, root: Any) -> NDArray[np.float64]:
    """Return the mean wait and its percentile."""
    done = replay_jobs(jobs, servers=servers, policy=policy, rng=root)
    wait = done.start - done.arrival
    if done.preemptions is not None:  # who was put aside waits then, too
        whole = done.finish - done.arrival - done.duration
        wait = np.where(done.preemptions > 0, np.maximum(whole, wait), wait)
    return np.array([wait.mean(), np.percentile(wait, LEVEL)])


NAMES: Sequence[tuple[str, float | None]] = (("mean_waiting_time", None), ("waiting_time_percentile", LEVEL))


def _rows(found: NDArray[np.float64], kind: Any, method: str, policy: str, workload: str) -> list[Quantity]:
    several = len(found) > 1
    return [
        Quantity(
            name=name,
            level=level,
            value=float(values.mean()),
            low=float(values.min()) if several else None,
            high=float(values.max()) if several else None,
            bracket=several,
            kind=kind,
            method=method,
            at={"policy": policy, "workload": workload},
        )
        for (name, level), values in zip(NAMES, found.T, strict=True)
    ]


def _ratios(
    found: NDArray[np.float64], replayed: NDArray[np.float64], method: str, policy: str, workload: str
) -> list[Quantity]:
    return [
        Quantity(
            name="predicted_over_replayed",
            level=level,
            value=float(value / true),
            kind="simulated",
            method=method,
            at={"quantity": name, "policy": policy, "workload": workload},
        )
        for (name, level), value, true in zip(NAMES, found.mean(axis=0), replayed, strict=True)
        if true > 0
    ]
