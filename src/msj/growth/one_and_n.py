"""Jobs that need one server or all of them, at many sizes: the regime, exact values and asymptotics, as a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msj.answers.question import question
from msj.closed_forms.load_focused import Regime
from msj.errors import Failure
from msj.growth.expressions import Expression
from msj.growth.load_focused import LoadFocusedScaling, OneAndNPoint, load_focused_scaling
from msj.growth.one_and_n_terms import term_rows
from msj.growth.regime import Decision
from msj.results import Kind, Missing, Quantity, Result, Watch, provenance

LEMMAS = "lfms, Lemmas 5.1-5.5"
#: Name in a result -> field of a point.
FIELDS = {
    "stability_threshold": "threshold",
    "lost_throughput": "lost",
    "relative_completions_at_departure": "completions",
}

FORMS = ("paper", "corrected", "refined")


@question
def one_and_n_scaling(
    share: Expression | str,
    servers: Iterable[int],
    *,
    rate_small: float = 1.0,
    rate_large: float = 1.0,
    terms: bool = False,
    progress: Watch | None = None,
) -> Result:
    """Return how a cluster scales in which a share ``p_n`` of the jobs needs all ``n`` servers, the others one.

    Exact rows stand at a number of ``servers``, asymptotic ones at ``servers`` and a ``form``: ``paper``,
    ``corrected`` (Theorem 4.3 with the Euler constant it loses) or ``refined`` (derived here, much closer). Which
    regime the family is in is a note, and in the provenance.

    Parameters
    ----------
    share
        ``p_n`` as an expression in ``n``.
    servers
        Numbers of servers, 2 to 2^53.
    rate_small, rate_large
        Rates ``mu_1`` and ``mu_n`` of the exponential durations.
    terms
        Whether to give the five terms of E[Delta(Y_d)] too, and p_n·E[Delta(Y_d)], exact and by the theorems.
    progress
        Told before each number of servers.

    Examples
    --------
    >>> import msj
    >>> found = msj.one_and_n_scaling("n^-2", [10**4, 10**8])
    >>> found.provenance["regime"]
    '1-server dominated'
    >>> [(n, round(row.value, 4)) for n, row in found.along("servers", "lost_throughput") if "form" not in row.at]
    [(10000, 9.7779), (100000000, 18.9979)]
    >>> round(found.at(servers=10**8, form="corrected")["lost_throughput"], 4)
    18.9979
    """
    family = load_focused_scaling(share, servers, rate_small=rate_small, rate_large=rate_large, progress=progress)
    decision = family.decision
    return Result(
        system={},
        quantities=tuple(
            row
            for point in family.points
            for row in (*_rows(family, point), *(term_rows(family, point) if terms else ()))
        ),
        provenance=provenance(
            share=str(family.share),
            rate_small=family.rate_small,
            rate_large=family.rate_large,
            regime=family.regime.value,
            decided="not" if family.regime is Regime.UNDECIDED else "exactly",
            reason=decision.reason,
            limit=decision.limit,
            citation=family.regime.citation,
        ),
        notes=(_in_words(family.share, decision),),
        missing=tuple(gap for point in family.points for gap in _gaps(point)),
    )


def _in_words(share: Expression, decision: Decision) -> str:
    cited = f" ({decision.regime.citation})" if decision.regime.citation else ""
    return f"p_n = {share}: {decision.regime.value}. {decision.reason}{cited}."


def _beyond_all(point: OneAndNPoint) -> list[str]:
    """Return the forms by which more throughput would be lost than there is: far from their limit, they say nothing."""
    values = {form: getattr(point, f"threshold_{form}", None) for form in FORMS}
    return [form for form, value in values.items() if value is not None and value <= 0]


def _gaps(point: OneAndNPoint) -> Iterator[Missing]:
    for form in _beyond_all(point):
        yield Missing(
            name="stability_threshold",
            failure=Failure.NOT_ACCURATE,
            reason="its leading terms are negative at this size: the cluster is far too small for the limit",
            at={"servers": point.servers, "form": form},
        )


def _rows(family: LoadFocusedScaling, point: OneAndNPoint) -> Iterator[Quantity]:
    at: dict[str, int | str] = {"servers": point.servers}

    def row(name: str, value: float, kind: Kind, method: str, citation: str, **more: str) -> Quantity:
        return Quantity(name=name, value=value, kind=kind, method=method, citation=citation, at={**at, **more})

    yield row("share_large", point.share_large, "exact", "evaluating the expression", "")
    for name, field in FIELDS.items():
        yield row(name, getattr(point, field), "exact", "1-and-n sums", LEMMAS)
        for form, method, citation in (
            ("paper", "leading terms of the regime", family.regime.citation),
            ("corrected", "leading terms of the regime, with Euler's constant", family.regime.citation),
            ("refined", "sums as integrals", "derived from lfms, Lemmas 5.3 and 5.5"),
        ):
            value = getattr(point, f"{field}_{form}", None)
            if value is not None and (field == "completions" or form not in _beyond_all(point)):
                yield row(name, value, "asymptotic", method, citation, form=form)
