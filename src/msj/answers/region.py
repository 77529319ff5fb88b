"""The stability region of two classes: which pairs of arrival rates a cluster takes.

Three borders in the plane of the two rates, the outer ones first: what counting server-time promises (a line), what
any policy could take (a polygon, :mod:`msj.closed_forms.packing_programme`), and what the cluster's own policy takes
(twoclass, section 1). A point of a border is a mix of the two classes and the threshold at that mix, so each is a row
at a ``class_share``: the rates are that share and the rest of it.

Mixes are spread evenly over the share of the first class in the work, and the polygon's corners are among them: the
corners of the convex hull of all packings of two needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.threshold import Threshold, find_threshold
from msj.effort import Effort
from msj.errors import InvalidInput, MsjError, NotSupported
from msj.model import JobClass, System
from msj.model.changes import require_free_shares
from msj.model.numbers import whole
from msj.results import Missing, Quantity, Result, Watch, provenance
from msj.results.coordinates import Place
from msj.workloads import Rng
from msj.workloads.streams import seed_record

POINTS = 41
FEWER = 11  # where each has to be simulated
JOBS = 100_000  # of each of these
MOST_CORNERS_OF = 1_000_000  # jobs of the first class that fit at once


@question
def region(
    system: SystemLike,
    *,
    classes: Sequence[str] | None = None,
    points: int | None = None,
    jobs: int | None = None,
    rng: Rng = None,
    seed: Rng = None,
    progress: Watch | None = None,
) -> Result:
    """Return the borders of the stability region in the plane of two classes' arrival rates.

    Rows ``stability_threshold`` (the policy's own), ``attainable_threshold`` (any policy's) and ``naive_threshold``
    stand at the ``class_share`` of the first class.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; how much arrives does not matter.
    classes
        Names of two classes; by default those there are, if there are two. The others do not arrive.
    points
        About how many mixes to look at; by default 41, or 11 where each has to be simulated.
    jobs
        Jobs of each simulation, where there is one.
    seed, rng
        Two names of the seed of what is simulated, as for :func:`msj.simulate`.
    progress
        Told before each mix.

    Examples
    --------
    >>> import msj
    >>> found = msj.region("examples/two_servers.toml", points=5)
    >>> [(round(share, 3), round(row.value, 3)) for share, row in found.along("class_share", "stability_threshold")]
    [(0.0, 0.5), (0.571, 0.79), (0.8, 1.136), (0.923, 1.536), (1.0, 2.0)]
    """
    system = as_system(system)
    if system.model is not None:
        raise NotSupported(f"the region is that of plain clusters and the model is '{system.model.name}'; remove model")
    first, second = two_classes(system, classes)
    require_free_shares(system)
    root = root_of(rng, seed)
    effort = Effort(progress=progress, jobs=JOBS if jobs is None else whole(jobs, "jobs"))
    even = mixed(system, first, second, 0.5)
    exact = _threshold(even, effort, root).stability_threshold.kind == "exact"
    count = whole(points, "points", least=2) if points is not None else POINTS if exact else FEWER
    corners = corner_shares(system.servers, first, second) if points is None else []
    spread = [share_of(at, first, second) for at in np.linspace(0, 1, count).tolist()]
    shares = sorted({round(share, 12) for share in (*spread, *corners)})
    rows: list[Quantity] = []
    missing: list[Missing] = []
    for done, (share, stream) in enumerate(zip(shares, root.spawn(len(shares)), strict=True)):
        place: dict[str, Place] = {"of_class": first.name, "class_share": share}
        effort.tell(done / len(shares), f"{100 * share:.3g} % '{first.name}'")
        try:
            found = _threshold(mixed(system, first, second, share), effort, stream)
        except MsjError as error:
            missing.append(Missing(name="stability_threshold", failure=error.failure, reason=error.message, at=place))
            continue
        limits = (found.stability_threshold, found.attainable_threshold, found.naive_threshold)
        rows += [row.put(**place) for row in limits if row is not None]
    others = [f"'{c.name}'" for c in system.active_classes if c not in (first, second)]
    notes = [f"Only '{first.name}' and '{second.name}' arrive; without {', '.join(others)}."] if others else []
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        provenance=provenance(seed=seed_record(root)),
        notes=tuple(notes),
        missing=tuple(missing),
    )


def _threshold(system: System, effort: Effort, root: np.random.SeedSequence) -> Threshold:
    return find_threshold(system, effort, root, completions=False)


def two_classes(system: System, names: Sequence[str] | None) -> tuple[JobClass, JobClass]:
    """Return the two classes that are meant."""
    known = {c.name: c for c in system.active_classes}
    listed = ", ".join([*known][:8]) + (", ..." if len(known) > 8 else "")
    if names is None:
        if len(known) != 2:
            raise InvalidInput(f"there are {len(known)} classes ({listed}); name two of them with classes (--classes)")
        names = list(known)
    if len(names) != 2 or names[0] == names[1]:
        raise InvalidInput(f"classes = {list(names)} must be two different ones; there are: {listed}")
    for name in names:
        if name not in known:
            raise InvalidInput(f"no class that arrives is called '{name}'; there are: {listed}")
    return known[names[0]], known[names[1]]


def mixed(system: System, first: JobClass, second: JobClass, share: float) -> System:
    """Return the cluster with two classes only, the first having this share of the jobs."""
    classes = [c.replace(share=p) for c, p in ((first, share), (second, 1.0 - share)) if p > 0]
    return system.replace(classes=classes, arrival_rate=None, load=None, utilisation=None)


def share_of(work: float, first: JobClass, second: JobClass) -> float:
    """Return the share of jobs that goes with a share of the work."""
    one, two = first.work, second.work
    return work * two / (one * (1.0 - work) + work * two)


def corner_shares(servers: int, first: JobClass, second: JobClass) -> list[float]:
    """Return the shares of the first class at the corners of what any policy could take."""
    if servers // first.need > MOST_CORNERS_OF:
        return []
    times = float(first.duration.mean), float(second.duration.mean)
    corners = [(a / times[0], b / times[1]) for a, b in hull(servers, first.need, second.need)]
    return [a / (a + b) for a, b in corners]


def hull(servers: int, first: int, second: int) -> list[tuple[int, int]]:
    """Return the corners of the convex hull of all packings of two needs, along its outer border.

    Examples
    --------
    >>> hull(10, 3, 4)
    [(0, 2), (2, 1), (3, 0)]
    """
    found: list[tuple[int, int]] = []
    for point in _fullest(servers, first, second):
        while len(found) > 1 and _turn(found[-2], found[-1], point) >= 0:
            found.pop()
        found.append(point)
    return found


def _fullest(servers: int, first: int, second: int) -> Iterator[tuple[int, int]]:
    return ((count, (servers - first * count) // second) for count in range(servers // first + 1))


def _turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
