"""The share of jobs that need all servers at which the queue is longest, as clusters grow.

lfms (sections 4 and 10) puts the peak of E[Delta(Y_d)] into the balanced regime, p_n = c/n, with theta(n). It lies on
the border 1/(n ln n) of the 1-server dominated regime and is n ln n/8 (``closed_forms.one_and_n_terms``), once the
cluster is so large that this exceeds mu_n/(4 mu_1): what a few long small jobs among short large ones do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msj.answers.question import question
from msj.closed_forms.one_and_n_terms import WorstShare, worst_share
from msj.effort import Effort
from msj.errors import InvalidInput
from msj.model.numbers import whole
from msj.results import Quantity, Result, Watch, provenance

LEMMAS = "lfms, Lemmas 5.1-5.5"
BORDER = "the border 1/(n ln n)"


@question
def one_and_n_worst(
    servers: Iterable[int], *, rate_small: float = 1.0, rate_large: float = 1.0, progress: Watch | None = None
) -> Result:
    """Return the share of large jobs at which E[Delta(Y_d)] is largest, for each number of servers.

    Exact rows stand at ``servers``, what the border promises at ``servers`` and ``form`` = ``refined``; the verdict on
    the paper's claim is a note.

    Examples
    --------
    >>> import msj
    >>> found = msj.one_and_n_worst([10**6])
    >>> [round(row.value) for row in found if row.name == "worst_relative_completions"], "border" in found.notes[0]
    ([1809878, 1726939], True)
    """
    sizes = list(dict.fromkeys(whole(n, "servers", least=2) for n in servers))
    if not sizes:
        raise InvalidInput("no numbers of servers are given; give at least one, such as 1000")
    effort = Effort(progress=progress)
    found = []
    for done, n in enumerate(sizes):
        effort.tell(done / len(sizes), f"{n} servers")
        found.append(worst_share(servers=n, rate_small=rate_small, rate_large=rate_large))
    return Result(
        system={},
        quantities=tuple(row for each in found for row in _rows(each)),
        provenance=provenance(rate_small=rate_small, rate_large=rate_large),
        notes=(_verdict(found[-1]),),
    )


def _rows(found: WorstShare) -> Iterator[Quantity]:
    at = {"servers": found.servers}
    for name, value, promised in (
        ("worst_share_large", found.share_large, found.border_share),
        ("worst_relative_completions", found.completions, found.border_completions),
    ):
        yield Quantity(
            name=name, value=value, kind="exact", method="largest of the 1-and-n sums", citation=LEMMAS, at=at
        )
        yield Quantity(
            name=name, value=promised, kind="asymptotic", method=BORDER, citation="derived from lfms, equation (36)",
            at={**at, "form": "refined"},
        )  # fmt: skip


def _verdict(found: WorstShare) -> str:
    times = found.completions / found.balanced_completions
    said = (
        f"At {found.servers} servers the worst share is {found.share_large:.4g}, and relative completions are "
        f"{times:.3g} times those of the balanced share 1/n. "
    )
    if found.share_large > 0.5:
        return said + (
            "Small jobs are so long here that a few of them among large ones are the worst; the border 1/(n ln n), "
            "where relative completions grow like n ln n/8, is so only on larger clusters."
        )
    return said + (
        "Not the balanced regime is the worst, as lfms, section 10 says, but the border 1/(n ln n): there they grow "
        "like n ln n/8, in the balanced regime like n/2."
    )
