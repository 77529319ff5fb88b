"""Does waiting vanish as clusters grow? A family at several sizes, as a result (zeroq, Figure 3 and section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from msj.answers.question import question, root_of
from msj.errors import Failure, InvalidInput
from msj.growth.expressions import Expression
from msj.growth.waiting import EXACT_SECONDS
from msj.growth.zero_queueing import missing_bound, waiting_rows
from msj.growth.zero_queueing_corner import corner_rows
from msj.growth.zero_queueing_family import FamilyPoint, SharesOf, ZeroQueueingFamily, family_points
from msj.model.numbers import Number, whole
from msj.options import SeedOptions, argument, takes
from msj.results import Missing, Quantity, Result, Watch, provenance
from msj.workloads import seed_record


@dataclass(frozen=True)
class FamilyQuestion(SeedOptions):
    """The question of :func:`msj.zero_queueing_family`."""

    needs: Sequence[Expression | str] = field(
        metadata={"help": "Need of each class, an expression in n; rounded down to whole servers, but at least 1."}
    )
    servers: Sequence[int] = field(metadata={"help": "Numbers of servers."})
    _: KW_ONLY
    alpha: Number | str = argument(0, "The load is 1 - beta n^-alpha.")
    beta: Number | str = argument(0.25, "The load is 1 - beta n^-alpha.")
    means: Sequence[Number | str] = argument((), "Mean duration of each class (exponential); 1 if not given.")
    shares: Sequence[Number | str] = argument((), "Shares, one per class; equal if not given.")
    shares_of: SharesOf = argument("load", "What shares are shares of: 'load' or 'arrivals'.")
    simulation: bool = argument(True, "Whether to simulate.")
    jobs: int | None = argument(None, "Number of jobs to simulate at each n; grows with n if None.")
    exact_seconds: float = argument(EXACT_SECONDS, "Leave out exact values that take longer.")
    progress: Watch | None = argument(None, "Called with a Progress before each n and during its simulation.")


@question
@takes(FamilyQuestion)
def zero_queueing_family(asked: FamilyQuestion) -> Result:
    """Return bounds, simulated and (where the chain is small) exact probabilities of waiting of clusters that grow.

    The load of n servers is 1 − beta·n^-alpha. Rows have the names of :func:`msj.zero_queueing`, and ``need``, and
    stand at a number of ``servers``. Whether waiting vanishes as n grows is a note, and in the provenance.

    Examples
    --------
    >>> import msj
    >>> found = msj.zero_queueing_family(["1", "sqrt(n)"], [36, 64], alpha=0.1, simulation=False)
    >>> found.provenance["verdict"], found.provenance["region"]
    ('vanishes', 4)
    >>> [(n, round(row.value, 4)) for n, row in found.along("servers", "waiting_probability")]
    [(36, 0.5092), (64, 0.4501)]
    """
    terms: dict[str, Any] = {
        "needs": asked.needs if isinstance(asked.needs, (str, Expression)) else tuple(asked.needs),
        "alpha": asked.alpha,
        "beta": asked.beta,
        "means": tuple(asked.means),
        "shares": tuple(asked.shares),
        "shares_of": asked.shares_of,
    }
    family = ZeroQueueingFamily(**terms)
    sizes = list(dict.fromkeys(whole(n, "servers") for n in asked.servers))
    if not sizes:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    said = family.in_words()  # a need whose growth cannot be judged is refused before anything is simulated
    recorded = seed_record(root_of(asked.rng, asked.seed))
    points = family_points(
        family,
        sizes,
        simulation=asked.simulation,
        jobs=asked.jobs,
        rng=recorded,
        exact_seconds=asked.exact_seconds,
        progress=asked.progress,
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
