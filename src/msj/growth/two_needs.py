"""Two classes whose needs, shares and number of servers grow together: n_1(n), n_2(n) and p(n).

lfms has needs 1 and n. For other needs the two-class product form (twoclass, Theorems 4.1 to 4.3) gives threshold,
waste and E[Delta(Y_d)] at any size (``closed_forms.two_class_completions``); where both needs become equal there is no
such form, and the saturated chain gives them as long as it is not too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msj.analysis.base import rows_of
from msj.answers.question import question
from msj.answers.saturated import solve_saturated
from msj.closed_forms.two_class import two_class
from msj.effort import Effort
from msj.errors import InvalidInput, MsjError
from msj.growth.expressions import Expression
from msj.model import JobClass, System
from msj.model.durations import Exponential
from msj.model.numbers import whole
from msj.results import Quantity, Result, Watch, provenance

CHAIN_OPERATIONS = 2e10  # some seconds


@question
def two_needs_scaling(
    needs: Sequence[Expression | str],
    share: Expression | str,
    servers: Iterable[int],
    *,
    rate_small: float = 1.0,
    rate_large: float = 1.0,
    progress: Watch | None = None,
) -> Result:
    """Return threshold, waste and relative completions of clusters of two classes that grow.

    Parameters
    ----------
    needs
        Needs of the two classes, expressions in n; rounded down to whole servers, but at least 1.
    share
        Share of the arrivals that are of the second class, an expression in n.
    servers
        Numbers of servers.
    rate_small, rate_large
        Rates of the exponential durations of the first and the second class.
    progress
        Told before each number of servers.

    Examples
    --------
    >>> import msj
    >>> found = msj.two_needs_scaling(["1", "n/2"], "1/n", [8, 64])
    >>> [(n, round(row.value, 4)) for n, row in found.along("servers", "relative_completions_at_departure")]
    [(8, 0.7378), (64, 10.4418)]
    """
    if isinstance(needs, (str, Expression)) or len(needs) != 2:
        raise InvalidInput(f"needs = {needs!r} must be two expressions in n; write ['1', 'n/2']")
    written = [each if isinstance(each, Expression) else Expression(str(each)) for each in needs]
    share = share if isinstance(share, Expression) else Expression(str(share))
    sizes = list(dict.fromkeys(whole(n, "servers") for n in servers))
    if not sizes:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 64")
    effort = Effort(progress=progress)
    rows: list[Quantity] = []
    for done, n in enumerate(sizes):
        effort.tell(done / len(sizes), f"{n} servers")
        sizes_of = [each.need_at(n, name=f"needs[{i}]") for i, each in enumerate(written)]
        p = float(share(n))
        if not 0 < p < 1:
            raise InvalidInput(f"the share {share} is {p:.6g} at n = {n}; give one between 0 and 1")
        rows += [row.put(servers=n) for row in _rows(n, sizes_of, p, (rate_small, rate_large))]
    return Result(
        system={},
        quantities=tuple(rows),
        provenance=provenance(
            needs=[str(each) for each in written], share=str(share), rate_small=rate_small, rate_large=rate_large
        ),
    )


def _rows(n: int, needs: Sequence[int], p: float, rates: tuple[float, float]) -> Iterator[Quantity]:
    for name, need in zip(("first", "second"), needs, strict=True):
        yield Quantity(name="need", value=need, kind="exact", method="rounding the expression down", job_class=name)
    yield Quantity(name="share_large", value=p, kind="exact", method="evaluating the expression")
    if needs[0] != needs[1]:
        found = two_class(servers=n, needs=(needs[0], needs[1]), shares=(1 - p, p), rates=rates)
        method, citation = "product form", "twoclass, Theorems 4.1-4.3"
        for name, value in (
            ("stability_threshold", found.stability_threshold),
            ("wasted_servers", found.wasted_servers),
            ("relative_completions_at_departure", found.relative_completions_at_departure),
        ):
            yield Quantity(name=name, value=value, kind="exact", method=method, citation=citation)
        return
    classes = [
        JobClass(name=name, need=need, share=each, duration=Exponential(rate=rate))
        for name, need, each, rate in zip(("first", "second"), needs, (1 - p, p), rates, strict=True)
    ]
    try:
        solved, _ = solve_saturated(
            System(servers=n, classes=tuple(classes)), "chain", effort=Effort(operations=CHAIN_OPERATIONS)
        )
    except MsjError:  # the chain is too large
        return
    yield from (row for row in rows_of(solved) if row.name != "saturated_utilisation")
