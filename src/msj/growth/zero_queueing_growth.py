"""Does waiting vanish as clusters grow? A family at several sizes, as a result (zeroq, Figure 3 and section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msj.answers.question import question, root_of
from msj.errors import Failure, InvalidInput
from msj.growth.expressions import Expression
from msj.growth.waiting import EXACT_SECONDS
from msj.growth.zero_queueing import missing_bound, waiting_rows
from msj.growth.zero_queueing_corner import corner_rows
from msj.growth.zero_queueing_family import FamilyPoint, SharesOf, ZeroQueueingFamily, family_points
from msj.model.numbers import Number, whole
from msj.results import Missing, Quantity, Result, Watch, provenance
from msj.workloads import Rng, seed_record


@question
def zero_queueing_family(
    needs: Sequence[Expression | str],
    servers: Sequence[int],
    *,
    alpha: Number | str = 0,
    beta: Number | str = 0.25,
    means: Sequence[Number | str] = (),
    shares: Sequence[Number | str] = (),
    shares_of: SharesOf = "load",
    simulation: bool = True,
    jobs: int | None = None,
    rng: Rng = None,
    seed: Rng = None,
    exact_seconds: float = EXACT_SECONDS,
    progress: Watch | None = None,
) -> Result:
    """Return bounds, simulated and (where the chain is small) exact probabilities of waiting of clusters that grow.

    The load of n servers is 1 − beta·n^-alpha. Rows have the names of :func:`msj.zero_queueing`, and ``need``, and
    stand at a number of ``servers``. Whether waiting vanishes as n grows is a note, and in the provenance.

    Parameters
    ----------
    needs
        Need of each class, an expression in n; rounded down to whole servers, but at least 1.
    servers
        The numbers of servers to look at.
    alpha, beta
        The load is 1 − beta·n^-alpha.
    means
        Mean duration of each class (exponential); 1 where nothing is said.
    shares, shares_of
        Shares of the ``load`` or of the ``arrivals``, one per class; equal where nothing is said.
    simulation, jobs, rng, seed, exact_seconds
        As for :func:`msj.zero_queueing`; by default the jobs grow with n.
    progress
        Told before each n and during its simulation.

    Examples
    --------
    >>> import msj
    >>> found = msj.zero_queueing_family(["1", "sqrt(n)"], [36, 64], alpha=0.1, simulation=False)
    >>> found.provenance["verdict"], found.provenance["region"]
    ('vanishes', 4)
    >>> [(n, round(row.value, 4)) for n, row in found.along("servers", "waiting_probability")]
    [(36, 0.5092), (64, 0.4501)]
    """
    fields: dict[str, Any] = {
        "needs": needs if isinstance(needs, (str, Expression)) else tuple(needs),
        "alpha": alpha,
        "beta": beta,
        "means": tuple(means),
        "shares": tuple(shares),
        "shares_of": shares_of,
    }
    family = ZeroQueueingFamily(**fields)
    sizes = list(dict.fromkeys(whole(n, "servers") for n in servers))
    if not sizes:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    said = family.in_words()  # a need whose growth cannot be judged is refused before anything is simulated
    recorded = seed_record(root_of(rng, seed))
    points = family_points(
        family, sizes, simulation=simulation, jobs=jobs, rng=recorded, exact_seconds=exact_seconds, progress=progress
    )
    return Result(
        system={},
        quantities=(*(row for point in points for row in _rows(family, point)), *corner_rows(family)),
        provenance=provenance(**_facts(family), seed=recorded),
        notes=(said, *_notes(points)),
        missing=tuple(gap for point in points for gap in _missing(point)),
    )


def _facts(family: ZeroQueueingFamily) -> dict[str, object]:
    return {
        "needs": [str(each) for each in family.needs],
        "alpha": float(family.alpha),
        "beta": float(family.beta),
        "region": family.region,
        "gamma": float(family.gamma),
        "gamma_estimated": family.growth.estimated,
        "two_alpha_plus_gamma": float(family.border),
        "verdict": family.verdict,
    }


def _rows(family: ZeroQueueingFamily, point: FamilyPoint) -> Iterator[Quantity]:
    for name, need in zip(family.class_names, point.needs, strict=True):
        method = "rounding the expression down"
        yield Quantity(
            name="need", value=need, kind="exact", method=method, job_class=name, at={"servers": point.servers}
        )
    for row in waiting_rows(point.bounds, point.waiting):
        yield row.put(servers=point.servers)


def _notes(points: Sequence[FamilyPoint]) -> Iterator[str]:
    if any((point.bounds.bound or 0.0) >= 1.0 for point in points):
        yield "A bound above 1 says nothing."
    for point in points:
        for note in point.waiting.notes:
            yield f"n = {point.servers}: {note[0].lower()}{note[1:]}"


def _missing(point: FamilyPoint) -> Iterator[Missing]:
    at = {"servers": point.servers}
    yield from missing_bound(point.bounds, at)
    if point.waiting.stable is False:
        unstable = Failure.UNSTABLE
        yield Missing(name="waiting_probability", failure=unstable, reason=unstable.value, at=at)
