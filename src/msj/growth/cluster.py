"""What a planner reads off: the same work mix on other numbers of servers, or with the largest need capped.

The mix (shares, needs, durations) stays. What else stays is a choice, made from what the file says of its own cluster:

- ``load``: the share lambda/lambda* of each cluster's own stability threshold;
- ``rate``: the arrival rate lambda, so that more servers mean less load;
- ``utilisation``: lambda·E[need × duration]/servers, the share of busy servers if all jobs are served.

A cap on the largest need keeps each job's work, and so the utilisation at a given rate (``model.changes``).

Threshold, waste, P(wait) and mean times are exact where that takes seconds and simulated with 95 % intervals elsewhere
(``answers``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from msj.answers.analyse import load_rows
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.response import response
from msj.answers.threshold import Threshold, find_threshold
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.stages import Stages
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, NotSupported, TooLarge, Unstable
from msj.growth.waste_limit import limiting_waste
from msj.model import JobClass, System
from msj.model.changes import with_largest_need, with_servers
from msj.model.numbers import whole
from msj.results import Missing, Outcome, Quantity, Result, Watch, provenance
from msj.workloads import Rng, seed_record, seed_sequence

Keep: TypeAlias = Literal["load", "rate", "utilisation"]
IN_WORDS = {"load": "load", "rate": "arrival rate", "utilisation": "utilisation"}
AT_LOAD = ("waiting_probability", "mean_waiting_time", "mean_response_time")


@question
def cluster_scaling(
    system: SystemLike,
    servers: Iterable[int] | None = None,
    *,
    keep: Keep = "load",
    largest_needs: Sequence[int] = (),
    jobs: int | None = None,
    rng: Rng = None,
    seed: Rng = None,
    progress: Watch | None = None,
) -> Result:
    """Return how P(wait), E[T] and waste change with the number of servers and a cap on the largest need.

    Rows stand at a number of ``servers`` and a ``largest_need``. A size that has no response times (unstable, too
    large, too close to its threshold to say) is listed in ``missing``; if no size can take its arrivals, the outcome
    is unstable.

    Parameters
    ----------
    system
        The cluster, with a load of any kind, or the file that describes it.
    servers
        Numbers of servers; by default the cluster's own.
    keep
        What stays: ``load`` (of each size's own threshold), ``rate`` (arrivals) or ``utilisation``.
    largest_needs
        Caps on the needs; each size is answered without a cap and with each of these.
    jobs
        Jobs of each simulation; by default as many as the cluster's memory asks for.
    seed, rng
        As for :func:`msj.simulate`; every size has its own stream.
    progress
        Told before each size and during its simulation.

    Examples
    --------
    >>> import msj
    >>> found = msj.cluster_scaling("examples/two_servers.toml", [2, 4, 8])
    >>> [(k, round(row.value, 4), row.kind) for k, row in found.along("servers", "waiting_probability")]
    [(2, 0.7693, 'exact'), (4, 0.6741, 'exact'), (8, 0.5544, 'exact')]
    >>> round(found.at(servers=8)["wasted_servers"], 4)
    0.2792
    """
    system = as_system(system)
    if keep not in get_args(Keep):
        raise InvalidInput(f"keep = {keep!r} is unknown; use one of {', '.join(get_args(Keep))}")
    changed = _changed(system, servers, largest_needs)
    if system.arrival_rate_at(system.naive_threshold) is None:
        raise InvalidInput("no load is given; add arrival_rate, load or utilisation")
    jobs = None if jobs is None else whole(jobs, "jobs")
    recorded = seed_record(root_of(rng, seed))
    first, *roots = seed_sequence(recorded).spawn(len(changed) + 1)  # a sequence given twice gives the same twice
    effort = Effort(jobs=jobs, progress=progress)
    kept = _kept(system, keep, effort, first)
    sizes = []
    for done, ((at, other), stream) in enumerate(zip(changed.items(), roots, strict=True)):
        words = f"{at[0]} servers, needs up to {at[1]}"
        part = effort.part(done / len(changed), (done + 1) / len(changed), words)
        part.tell(0.0)
        sizes.append(at_size(other, keep, kept, stream, part, largest_need=at[1]))
    rows = tuple(row for size in sizes for row in size.quantities)
    return Result(
        system=system.to_spec(),
        quantities=rows,
        outcome=_outcome(sizes, rows),
        provenance=provenance(keep=keep, kept=kept, seed=recorded),
        notes=(f"What stays is the {IN_WORDS[keep]}: {kept:.6g}.", *(note for size in sizes for note in size.notes)),
        missing=tuple(gap for size in sizes for gap in size.missing),
    )


At: TypeAlias = tuple[int, int]  # servers, largest need


@dataclass(frozen=True, kw_only=True)
class Size:
    """What is known of one size of the cluster."""

    quantities: tuple[Quantity, ...]
    missing: tuple[Missing, ...] = ()
    notes: tuple[str, ...] = ()


def _outcome(sizes: Sequence[Size], rows: Sequence[Quantity]) -> Outcome:
    if all(any(gap.failure is Failure.UNSTABLE for gap in size.missing) for size in sizes):
        return Outcome.UNSTABLE
    return Outcome.SOLVED if rows else Outcome.NOT_KNOWN


def _changed(system: System, servers: Iterable[int] | None, largest_needs: Sequence[int]) -> dict[At, System]:
    """Return the cluster at each size and cap; a cap that changes nothing is left out.

    Every one is made before anything is computed: a need that does not fit is said at once. Where a cap makes it fit,
    the cluster as it is, which does not exist at that size, is left out.
    """
    sizes = sorted({whole(k, "servers") for k in (servers if servers is not None else [system.servers])})
    if not sizes:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    caps = [whole(cap, "largest need") for cap in largest_needs]
    found: dict[At, System] = {}
    for k in sizes:
        fits = not caps or max(c.need for c in system.classes) <= k
        for capped in (*([system] if fits else []), *(with_largest_need(system, cap) for cap in caps)):
            other = with_servers(capped, k)
            found.setdefault((k, largest_need_of(other)), other)
    return found


def largest_need_of(system: System) -> int:
    """Return the most servers that any job of a cluster needs at any time."""
    return max(need for c in system.active_classes for need in _needs_of(system, c))


def _needs_of(system: System, job_class: JobClass) -> list[int]:
    """Return what a job needs over its life: several needs only where it goes through stages."""
    parts: tuple[Any, ...] = () if system.model is None else system.model.parts
    stages = next((part.stages_of(job_class) for part in parts if isinstance(part, Stages)), (job_class,))
    needs = [stage.need for stage in stages]
    return [most for need in needs for most in ([need] if isinstance(need, int) else need)]


def _kept(system: System, keep: Keep, effort: Effort, root: np.random.SeedSequence) -> float:
    """Return the number that stays, as the file's own cluster has it."""
    given = system.arrival_rate if keep == "rate" else getattr(system, keep)
    if given is not None:
        return float(given)
    if keep == "utilisation" and system.arrival_rate is not None:
        return float(system.arrival_rate) / system.naive_threshold
    if keep == "rate" and system.utilisation is not None:
        return float(system.utilisation) * system.naive_threshold
    threshold = _threshold(system, effort, root)
    if threshold is None:
        raise NotSupported(
            f"keep '{keep}' needs the stability threshold, which is not known for policy '{system.policy.name}'; "
            "give arrival_rate or utilisation in the file and keep that"
        )
    rate = system.arrival_rate_at(threshold.value)
    assert rate is not None  # checked by the caller
    return rate if keep == "rate" else rate / threshold.value if keep == "load" else rate / system.naive_threshold


def at_size(
    system: System, keep: Keep, kept: float, root: np.random.SeedSequence, effort: Effort, *, largest_need: int
) -> Size:
    """Return what is known of a cluster of one size at what is kept."""
    rows: list[Quantity] = []
    notes: list[str] = []
    for_threshold, for_run = root.spawn(2)
    try:
        threshold = _threshold(system, effort, for_threshold)
        rows += saturated_rows(system, threshold)
        rate = _rate(system, keep, kept, threshold)
        if rate is not None:
            rows += _load_rows(system, threshold, rate)
        why = _why_not(system, keep, rate, threshold)
        if why is None and rate is not None:
            found = response(system.replace(arrival_rate=rate), threshold, effort, for_run, wants=AT_LOAD)
            rows += [row for name in AT_LOAD if (row := found.find(name)) is not None]
            if found.failure is Failure.UNSTABLE:
                why = found.failure, "the simulated queue keeps growing"
            elif found.failure is not None and found.find("mean_response_time") is None:
                why = found.failure, " ".join(found.notes) or found.failure.value
            else:
                notes += [f"{system.servers:,} servers, needs up to {largest_need:,}: {note}" for note in found.notes]
    except (TooLarge, Unstable) as error:
        why = error.failure, error.message
    place = {"servers": system.servers, "largest_need": largest_need}
    return Size(
        quantities=tuple(row.put(**place) for row in rows),
        missing=() if why is None else (Missing(name="response times", failure=why[0], reason=why[1], at=place),),
        notes=tuple(notes),
    )


def _threshold(system: System, effort: Effort, root: np.random.SeedSequence) -> Threshold | None:
    """Return what is known of the threshold; a bracket is too vague to choose a load by."""
    try:
        return find_threshold(system, effort.replace(jobs=None), root, completions=False, bracket=False)
    except NotSupported:
        return None


def saturated_rows(system: System, threshold: Threshold | None) -> list[Quantity]:
    """Return threshold and waste as rows, and what the waste tends to as clusters grow."""
    rows = []
    if threshold is not None:
        waste = threshold.wasted_servers
        k = system.servers
        low, high = (None if end is None else end / k for end in (waste.low, waste.high))
        share = waste.replace(name="wasted_share", value=waste.value / k, low=low, high=high)
        rows += [threshold.stability_threshold, waste, share]
        if is_fcfs(system):
            value, method = limiting_waste(system), "renewal process of the needs"
            rows.append(Quantity(name="limiting_wasted_servers", value=value, kind="asymptotic", method=method))
    return rows


def _load_rows(system: System, threshold: Threshold | None, rate: float) -> list[Quantity]:
    if threshold is not None:
        return load_rows(system, threshold, rate)
    given = {"arrival_rate": rate, "utilisation": rate / system.naive_threshold}
    return [Quantity(name=name, value=value, kind="exact", method="definition") for name, value in given.items()]


def _rate(system: System, keep: Keep, kept: float, threshold: Threshold | None) -> float | None:
    """Return how much arrives at a size; None where that is a share of an unknown threshold."""
    if keep == "load":
        return None if threshold is None else kept * threshold.value
    return kept * (1.0 if keep == "rate" else system.naive_threshold)


def _why_not(system: System, keep: Keep, rate: float | None, threshold: Threshold | None) -> tuple[Failure, str] | None:
    """Return why nothing can be said of response times at this rate, None if something can."""
    if rate is None:
        said = "the stability threshold is not known, so a load says nothing; keep utilisation or rate"
        return Failure.NOT_SUPPORTED, said
    limit, name = system.naive_threshold, "the naive threshold"
    if threshold is not None:
        limit, name = threshold.value, "lambda*"
    if rate >= limit:
        return Failure.UNSTABLE, f"the arrival rate {rate:.6g} is not below {name} = {limit:.6g}"
    if keep != "load" and threshold is not None and rate > threshold.lowest:
        said = f"too close to lambda* = {limit:.6g} (simulated) to say whether {rate:.6g} is below it"
        return Failure.UNDECIDED, said
    return None
