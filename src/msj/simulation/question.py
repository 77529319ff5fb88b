"""What a run answers: the system, how much arrives, for how long, and all that its numbers depend on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from msj.disciplines import Policy
from msj.disciplines.model import mean_speed, policy_of
from msj.disciplines.own_function import OwnFunction
from msj.effort import Effort
from msj.errors import InvalidInput, TooLarge
from msj.model import System
from msj.model.arrivals import DailyArrivals
from msj.model.numbers import number, positive, whole
from msj.options import LEVELS
from msj.results import version_of
from msj.simulation.controls import Controls, ControlServers, why_no_controls
from msj.simulation.engine_of import engine_of
from msj.simulation.estimates import Estimates, relative_half_width
from msj.simulation.known import NOTHING, Known
from msj.simulation.memory import why_no_variance
from msj.simulation.plan import Pace, Plan
from msj.simulation.reading import Reading, read
from msj.simulation.record import SPARSE, Clock, Record
from msj.simulation.replication import Replication
from msj.simulation.run import Run
from msj.simulation.sketch import BINS, first_bin
from msj.simulation.tally import Tally
from msj.store import computing_code
from msj.workloads import Streams, SystemJobs, seed_record

JOBS = 1_000_000  # if nothing is said, or a precision is that no run can reach
MOST_JOBS = 1_000_000_000
MOST_SERVERS = 1_000_000_000  # FCFS keeps an entry for each
FIRST_LOOK = 100_000  # jobs after which a run with a precision to reach is first looked at, at least
LOOK_MEMORIES = 50.0  # ... and memories
UNUSUAL = 1e9  # bytes that a run says it will need before it starts


@dataclass(frozen=True, kw_only=True)
class Question:
    """One system at one arrival rate, to be simulated; see :func:`msj.simulate` for the options."""

    system: System
    rate: float
    root: np.random.SeedSequence
    known: Known = NOTHING
    jobs: int
    precision: float | None = None
    replications: int | None = None
    warm_up: float | None = None
    levels: tuple[float, ...] = LEVELS
    controls: Controls | None = None  # what goes along with the run and takes off its noise
    why_plain: str | None = None  # why nothing does, though it was wanted

    @classmethod
    def of(
        cls,
        system: System,
        *,
        root: np.random.SeedSequence,
        known: Known = NOTHING,
        jobs: int | None = None,
        time: float | None = None,
        precision: float | None = None,
        replications: int | None = None,
        warm_up: float | None = None,
        levels: Sequence[float] = LEVELS,
        controls: bool = True,
    ) -> Question:
        """Check the options."""
        if system.servers > MOST_SERVERS:
            raise TooLarge(
                f"{system.servers:.3g} servers are more than a simulation keeps track of (at most {MOST_SERVERS:,}); "
                "use fewer, or a closed form (msj analyse)"
            )
        rate = arrival_rate_of(system)
        if jobs is not None and time is not None:
            raise InvalidInput("jobs and time are both given; say how long to simulate in one way only")
        if time is not None:
            jobs = max(round(float(positive(time, "time")) * rate), 1)
        if precision is not None:
            precision = float(positive(precision, "precision"))
        if warm_up is not None and not 0 <= warm_up < 1:
            raise InvalidInput(f"warm_up = {warm_up} must be at least 0 and below 1; give the share to leave out")
        reachable = precision is not None and why_no_variance(system, rate, known.stability_threshold) is None
        most = whole(jobs, "jobs") if jobs is not None else MOST_JOBS if reachable else JOBS
        if not isinstance(system.policy, Policy):
            raise InvalidInput(f"policy {system.policy!r} cannot be simulated; give a name such as 'fcfs'")
        return cls(
            system=system,
            rate=rate,
            root=root,
            known=known,
            jobs=most,
            precision=precision,
            replications=None if replications is None else whole(replications, "replications"),
            warm_up=warm_up,
            levels=checked_levels(levels),
            controls=_controls(system, rate, known, most) if controls else None,
            why_plain=why_no_controls(system) if controls else None,
        )

    @property
    def pace(self) -> Pace:
        """What the system asks of a run."""
        return Pace.of(self.system, self.rate, self.known)

    def plan(self, pace: Pace | None = None) -> Plan:
        """Return how the run is laid out; with a precision to reach, its first look."""
        pace = self.pace if pace is None else pace
        jobs = self.jobs
        if self.precision is not None:
            jobs = math.ceil(min(jobs, max(FIRST_LOOK, 1.1 * (LOOK_MEMORIES * pace.memory + pace.settling))))
        return Plan.of(jobs, pace, replications=self.replications, warm_up=self.warm_up)

    def asked(self) -> dict[str, Any]:
        """Return all that the answer depends on."""
        policy = self.system.policy
        return {
            "system": self.system.to_spec(),
            "identity": self.system.identity(),
            "function": policy.parts() if isinstance(policy, OwnFunction) else {},
            "code": computing_code(),
            "versions": {name: version_of(name) for name in ("msj", "numpy", "numba")},
            "arrival_rate": self.rate,
            "stability_threshold": self.known.stability_threshold,
            "seed": seed_record(self.root),
            "jobs": self.jobs,
            "precision": self.precision,
            "replications": self.replications,
            "warm_up": self.warm_up,
            "controls": self.controls is not None,
            "weights": self.known.weights,
        }

    def new_run(self, plan: Plan, root: np.random.SeedSequence | None = None) -> Run:
        """Make the run; nothing has arrived yet."""
        root = self.root if root is None else root
        streams = [Streams(root=root, replication=i) for i in range(plan.replications)]
        return Run(
            plan=plan,
            pace=self.pace,
            replications=[
                new_replication(
                    self.system, self.rate, each, warm_up=plan.warm_up, piece=plan.piece, controls=self.controls
                )
                for each in streams
            ],
            most_jobs=self.jobs,
            precision=self.precision,
            stable=self.known.stability_threshold is not None,
            in_service=self.system.servers // min(c.need for c in self.system.active_classes),
            relative_half_width=self.relative_half_width,
        )

    def reading(self, run: Run, pieces: Sequence[Sequence[Tally]]) -> Reading:
        """Return what pieces of a run are worth."""
        return read(
            self.system,
            self.rate,
            run.pace,
            pieces,
            warm_up=run.plan.warm_up,
            threshold=self.known.stability_threshold,
            insisted=self.warm_up is not None,
        )

    def estimates(self, reading: Reading, method: str = "") -> Estimates:
        """Return the rows that a reading stands for."""
        policy: Any = self.system.policy
        return Estimates(
            self.system,
            self.rate,
            reading,
            controls=self.controls,
            areas=self.areas if reading.pieces[0].areas.size else (),
            method=method,
            citation=policy.citation,
        )

    @cached_property
    def areas(self) -> tuple[str, ...]:
        """The rows that are time averages of what the engine adds up."""
        return tuple(engine_of(self.system, Streams(root=self.root, replication=0)).areas)

    def relative_half_width(self, run: Run) -> float:
        """Return half the width of the interval that precision is about over its value; infinite without one."""
        return relative_half_width(self.estimates(self.reading(run, run.pieces)).mean_response_time())

    def tell_cost(self, plan: Plan, effort: Effort) -> None:
        """Say what the run will need, if that is unusual."""
        needed = plan.replications * 8.0 * min(len(self.system.classes) * BINS, SPARSE * plan.piece)
        if needed > UNUSUAL:
            effort.tell(
                0.0, f"{len(self.system.classes):,} classes: about {needed / 1e9:.1f} GB of memory", notice=True
            )


def _controls(system: System, rate: float, known: Known, jobs: int) -> Controls | None:
    if why_no_controls(system) is not None:
        return None
    return Controls.of(system, rate, threshold=known.stability_threshold, weights=known.weights, jobs=jobs)


def new_replication(
    system: System,
    rate: float,
    streams: Streams,
    *,
    warm_up: int = 0,
    piece: int = 2**62,
    controls: Controls | None = None,
) -> Replication:
    """Make one replication from its streams."""
    typical = min(float(c.duration.mean) for c in system.active_classes) / mean_speed(system)
    share, _ = policy_of(system).least_busy(system.servers, min(c.need for c in system.active_classes))
    engine = engine_of(system, streams)
    # An engine that adds up what servers do must see all of the time: no gap is cut then.
    busy = 0.0 if share is None or engine.areas else share * system.servers * mean_speed(system)
    return Replication(
        source=SystemJobs(system, arrival_rate=rate, streams=streams, least_busy=busy),
        kernel=engine,
        record=Record(
            classes=len(system.classes),
            lowest=first_bin(typical),
            warm_up=warm_up,
            piece=piece,
            controls=0 if controls is None else controls.columns,
            areas=len(engine.areas),
            clock=clock_of(system),
        ),
        controls=None if controls is None else ControlServers(controls),
    )


def clock_of(system: System) -> Clock | None:
    """Return the cycle that arrivals go by, if they do."""
    law = system.arrivals
    return Clock(float(law.cycle), law.steps) if isinstance(law, DailyArrivals) else None


def arrival_rate_of(system: System) -> float:
    """Return lambda, or say what is missing."""
    if system.load is not None:
        raise InvalidInput("load is a share of the stability threshold, which a simulation does not know")
    rate = system.arrival_rate_at(math.nan)
    if rate is None:
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    return rate


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Return the percentiles asked for, each once, in order.

    Examples
    --------
    >>> checked_levels([99, 50, 99.9, 50])
    (50.0, 99.0, 99.9)
    """
    found = sorted({float(number(level, "level")) for level in levels})
    for level in found:
        if not 0 < level < 100:
            raise InvalidInput(f"level = {level:g} is no percentile; give numbers between 0 and 100, such as 99.9")
    return tuple(found)
