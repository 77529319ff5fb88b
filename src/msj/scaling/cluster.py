"""What a planner reads off: the same work mix on other numbers of servers, or with the largest need capped.

The mix (shares, needs, durations) stays. What else stays is a choice, made from what the file says of its own cluster:

- ``load``: the share lambda/lambda* of each cluster's own stability threshold;
- ``rate``: the arrival rate lambda, so that more servers mean less load;
- ``utilisation``: lambda·E[need × duration]/servers, the share of busy servers if all jobs are served.

A cap on the largest need keeps each job's work, and so the utilisation at a given rate (``model.changes``).

Threshold, waste, P(wait) and mean times are exact where that takes seconds and simulated with 95 % intervals elsewhere
(:mod:`msj.scaling.cluster_answers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from msj.errors import InvalidInput, NotSupported, TooLarge
from msj.finite_skip.models.stages import StagesModel
from msj.model import JobClass, System
from msj.model.changes import with_largest_need, with_servers
from msj.model.numbers import whole
from msj.results import Quantity
from msj.scaling.cluster_answers import (
    Effort,
    answer_at_load,
    load_rows,
    saturated_answer,
    saturated_rows,
    threshold_of,
)
from msj.simulation.saturated_line import SaturatedLine
from msj.workloads import Rng, seed_sequence

Keep: TypeAlias = Literal["load", "rate", "utilisation"]
#: Called with (rows done, rows in all, what is being done).
Watch: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class ClusterPoint:
    """One size of the cluster: its quantities, or why there are none."""

    servers: int
    largest_need: int
    capped: bool
    verdict: str  #: ``solved``, ``simulated``, or a sentence such as ``unstable: ...``
    quantities: tuple[Quantity, ...]

    def get(self, name: str) -> Quantity | None:
        """Return a quantity, None where it is not known."""
        return next((row for row in self.quantities if row.name == name), None)

    @property
    def unstable(self) -> bool:
        """Whether more arrives than this size can take."""
        return self.verdict.startswith("unstable")

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat row per quantity."""
        first: dict[str, Any] = {"servers": self.servers, "largest_need": self.largest_need, "capped": self.capped}
        first["verdict"] = self.verdict
        keys = ("name", "value", "low", "high", "kind", "method", "citation")
        found = [first | {key: row.to_dict()[key] for key in keys} for row in self.quantities]
        return found or [first | dict.fromkeys(keys)]


@dataclass(frozen=True, kw_only=True)
class ClusterScaling:
    """One cluster at several sizes, in the order of size and then cap."""

    system: System
    keep: Keep
    kept: float
    points: tuple[ClusterPoint, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat row per size and quantity."""
        return [row for point in self.points for row in point.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"system": self.system.to_spec(), "keep": self.keep, "kept": self.kept, "rows": self.rows()}


def cluster_scaling(
    system: System,
    servers: Iterable[int] | None = None,
    *,
    keep: Keep = "load",
    largest_needs: Sequence[int] = (),
    rng: Rng = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    message: Callable[[str], None] | None = None,
) -> ClusterScaling:
    """Return how P(wait), E[T] and waste change with the number of servers and a cap on the largest need.

    Parameters
    ----------
    system
        The cluster, with a load of any kind.
    servers
        Numbers of servers; by default the cluster's own.
    keep
        What stays: ``load`` (of each size's own threshold), ``rate`` (arrivals) or ``utilisation``.
    largest_needs
        Caps on the needs; each size is answered without a cap and with each of these.
    rng
        See :func:`msj.simulate`; every size has its own stream.
    jobs
        Jobs of each simulation; by default as many as the cluster's memory asks for.
    watch
        Called with (rows done, rows in all, what is being done).
    message
        Called with a sentence before something takes unusually long.

    Examples
    --------
    >>> import msj
    >>> found = cluster_scaling(msj.read("examples/two_servers.toml"), [2, 4, 8])
    >>> for point in found.points:
    ...     waits, waste = point.get("waiting_probability"), point.get("wasted_servers")
    ...     print(point.servers, round(waits.value, 4), waits.kind, round(waste.value, 4), waste.kind)
    2 0.7693 exact 0.2 exact
    4 0.6741 exact 0.2642 exact
    8 0.5544 exact 0.2792 exact
    """
    if keep not in get_args(Keep):
        raise InvalidInput(f"keep = {keep!r} is unknown; use one of {', '.join(get_args(Keep))}")
    sizes = sorted({whole(k, "servers") for k in (servers if servers is not None else [system.servers])})
    if not sizes:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    caps = [None, *(whole(cap, "largest need") for cap in largest_needs)]
    if all(getattr(system, key) is None for key in ("arrival_rate", "load", "utilisation")):
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    # Every size is made before anything is computed: a need that does not fit is said at once. Where a cap makes it
    # fit, the cluster as it is, which does not exist at that size, is left out.
    changed = []
    for k in sizes:
        fits = [cap for cap in caps if cap is not None or len(caps) == 1 or max(c.need for c in system.classes) <= k]
        changed += [_changed(system, k, cap) for cap in fits]
    roots = iter(seed_sequence(rng).spawn(len(changed) + 1))
    effort = Effort(jobs=None if jobs is None else whole(jobs, "jobs"), message=message)
    kept = _kept(system, keep, next(roots))
    points = []
    for done, ((cap, other), root) in enumerate(zip(changed, roots, strict=True)):
        if watch is not None:
            watch(done, len(changed), f"{other.servers} servers" + (f", needs up to {cap}" if cap else ""))
        try:
            points.append(_point(other, cap is not None, keep, kept, root, effort))
        except TooLarge as error:
            points.append(_nothing(other, cap is not None, f"too large: {error.message}"))
    return ClusterScaling(system=system, keep=keep, kept=kept, points=tuple(points))


def _changed(system: System, servers: int, cap: int | None) -> tuple[int | None, System]:
    capped = system if cap is None else with_largest_need(system, cap)
    return cap, with_servers(capped, servers)


def _kept(system: System, keep: Keep, root: np.random.SeedSequence) -> float:
    """Return the number that stays, as the file's own cluster has it."""
    given = system.arrival_rate if keep == "rate" else getattr(system, keep)
    if given is not None:
        return float(given)
    if keep == "utilisation" and system.arrival_rate is not None:
        return float(system.arrival_rate) / system.naive_threshold
    if keep == "rate" and system.utilisation is not None:
        return float(system.utilisation) * system.naive_threshold
    threshold = threshold_of(saturated_answer(system, root))
    if threshold is None:
        raise NotSupported(
            f"keep '{keep}' needs the stability threshold, which is not known for policy '{system.policy.name}'; "
            "give arrival_rate or utilisation in the file and keep that"
        )
    rate = system.arrival_rate_at(threshold)
    assert rate is not None  # checked by the caller
    return rate if keep == "rate" else rate / threshold if keep == "load" else rate / system.naive_threshold


def _nothing(system: System, capped: bool, verdict: str) -> ClusterPoint:
    needs = [need for c in system.active_classes for need in _needs_of(system, c)]
    return ClusterPoint(servers=system.servers, largest_need=max(needs), capped=capped, verdict=verdict, quantities=())


def _needs_of(system: System, job_class: JobClass) -> list[int]:
    """Return what a job needs over its life: several needs only where it goes through stages."""
    model = system.model
    stages = model.stages_of(job_class) if isinstance(model, StagesModel) else (job_class,)
    return [stage.need for stage in stages]


def _point(
    system: System, capped: bool, keep: Keep, kept: float, root: np.random.SeedSequence, effort: Effort
) -> ClusterPoint:
    for_threshold, for_run = root.spawn(2)
    saturated = saturated_answer(system, for_threshold)
    rows, threshold = saturated_rows(system, saturated), threshold_of(saturated)

    def found(verdict: str, more: Iterable[Quantity] = ()) -> ClusterPoint:
        return replace(_nothing(system, capped, verdict), quantities=(*rows, *more))

    if keep == "load":
        if threshold is None:
            return found("the stability threshold is not known, so a load says nothing; keep utilisation or rate")
        rate = kept * threshold
    else:
        rate = kept * (1.0 if keep == "rate" else system.naive_threshold)
    rows += load_rows(system, rate, saturated)
    limit, known = (threshold, "lambda*") if threshold is not None else (system.naive_threshold, "the naive threshold")
    if rate >= limit:
        return found(f"unstable: the arrival rate {rate:.6g} is not below {known} = {limit:.6g}")
    if keep != "load" and isinstance(saturated, SaturatedLine) and rate > saturated.thresholds[1]:
        return found(f"too close to lambda* = {limit:.6g} (simulated) to say whether {rate:.6g} is below it")
    verdict, more = answer_at_load(system.replace(arrival_rate=rate), rate, threshold, for_run, effort)
    return found(verdict, more)
