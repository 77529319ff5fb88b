"""E[Delta(Y_d)] of clusters that grow, term by term, as rows (``closed_forms.one_and_n_terms``)."""

from __future__ import annotations

from collections.abc import Iterator

from msj.closed_forms.load_focused import Regime
from msj.closed_forms.one_and_n import one_and_n
from msj.closed_forms.one_and_n_terms import completions_terms, promised_terms
from msj.growth.load_focused import LoadFocusedScaling, OneAndNPoint
from msj.results import Kind, Quantity

#: Where the terms are listed, and what p_n·E[Delta(Y_d)] tends to there.
THEOREMS = {
    Regime.N_SERVER: ("lfms, Theorem 6.1", 0.5),
    Regime.BALANCED: ("lfms, Theorem 7.1", 0.5),
    Regime.ONE_SERVER: ("lfms, Theorem 8.1", 0.0),
}


def term_rows(family: LoadFocusedScaling, point: OneAndNPoint) -> Iterator[Quantity]:
    """Return the five terms at one number of servers, and the share times their sum."""

    def row(name: str, value: float, kind: Kind, method: str, citation: str, **form: str) -> Quantity:
        at: dict[str, int | str] = {"servers": point.servers, **form}
        return Quantity(name=name, value=value, kind=kind, method=method, citation=citation, at=at)

    n, p = point.servers, point.share_large
    system = one_and_n(servers=n, share_large=p, rate_small=family.rate_small, rate_large=family.rate_large)
    for i, value in enumerate(completions_terms(system), start=1):
        yield row(f"completions_term_{i}", value, "exact", "1-and-n sums", "lfms, Lemma 5.5")
    citation, limit = THEOREMS.get(family.regime, ("", None))
    for form, values in promised_terms(n, p, family.rate_small / family.rate_large, family.regime).items():
        for i, promised in enumerate(values, start=1):
            if promised is not None:
                yield row(f"completions_term_{i}", promised, "asymptotic", "item of the theorem", citation, form=form)
    scaled = p * system.relative_completions_at_departure
    yield row("scaled_completions", scaled, "exact", "1-and-n sums", "lfms, Lemma 5.5")
    if limit is not None:
        where = "lfms, Lemma 8.2" if family.regime is Regime.ONE_SERVER else citation
        yield row("scaled_completions", limit, "asymptotic", "limit", where, form="paper")
