"""Packings and time shares for policies that let packings take turns (MSR, nMSR): the best there are.

Find packings u^j and shares alpha_j of the time with sum_j alpha_j·u^j_i >= lambda·b_i for every need i and the largest
lambda: the linear programme of what any policy could take (``closed_forms.packing_programme``), whose solution names
the packings. At that lambda nothing is left; at a lower one every need has the same relative slack.
"""

from __future__ import annotations

from msj.answers.question import SystemLike, as_system, question
from msj.closed_forms.packing_programme import packing_programme
from msj.errors import NotSupported
from msj.model import System
from msj.results import Outcome, Quantity, Result, provenance

METHOD, CITATION = "linear programme over packings", "Maguluri, Srikant & Ying 2012"
NEGLIGIBLE = 1e-9  # a share of the time


@question
def design(system: SystemLike) -> Result:
    """Return the packings that together take most, the share of the time of each, and the policy that uses them.

    Rows ``time_share`` stand at the ``state`` that a packing is, jobs by need; the note has the policy as a spec file
    says it.

    Parameters
    ----------
    system
        The cluster, or the file that describes it; its own policy and load do not matter.

    Examples
    --------
    >>> import msj
    >>> found = msj.design("examples/two_servers.toml")
    >>> [(state, round(row.value, 6)) for state, row in found.along("state", "time_share")]
    [('2 of need 1', 0.333333), ('1 of need 2', 0.666667)]
    >>> round(found["stability_threshold"], 9)
    1.0
    """
    system = as_system(system)
    if system.model is not None:
        raise NotSupported(f"the model is '{system.model.name}' and packings are those of plain clusters; leave it out")
    needs, packings, shares, taken, most = designed(system)
    rows = [
        Quantity(name="stability_threshold", value=taken, kind="exact", method=METHOD, citation=CITATION),
        Quantity(name="attainable_threshold", value=most, kind="bound", method=METHOD, citation=CITATION),
    ]
    for packing, share in zip(packings, shares, strict=True):
        state = ", ".join(f"{count} of need {need}" for need, count in zip(needs, packing, strict=True) if count)
        at = {"state": state}
        rows.append(Quantity(name="time_share", value=share, kind="exact", method=METHOD, citation=CITATION, at=at))
    written = ", ".join(f"{share:.9g}" for share in shares)
    line = f'policy = {{ name = "msr", packings = {[list(row) for row in packings]}, shares = [{written}] }}'
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=Outcome.SOLVED,
        provenance=provenance(),
        notes=(f"In a spec file: {line}", 'Without preemption: name = "nmsr". A longer cycle makes jobs wait longer.'),
    )


def designed(system: System) -> tuple[list[int], list[tuple[int, ...]], list[float], float, float]:
    """Return the needs, the packings by need and their shares of the time, what they take, and what any could."""
    classes = system.active_classes
    needs = sorted({c.need for c in classes})
    work = [sum(float(c.share) * float(c.duration.mean) for c in classes if c.need == need) for need in needs]
    found = packing_programme(servers=system.servers, needs=needs, in_service=work)
    used = [j for j, share in enumerate(found.shares) if share > NEGLIGIBLE]
    packings = [tuple(int(n) for n in found.packings[j]) for j in used]
    return needs, packings, [float(found.shares[j]) for j in used], found.attained, found.threshold
