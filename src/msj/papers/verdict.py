"""What was found of a paper's claims, as a result: how many there are and how many were found again, by figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msj.answers.question import question
from msj.effort import within
from msj.papers.catalogue import figures_named, paper_named
from msj.papers.figure import Scale
from msj.papers.reproduce import Reproduction, reproduce
from msj.results import Outcome, Quantity, Result, Watch, provenance


@dataclass(frozen=True, kw_only=True)
class Verdict(Result):
    """Counts as rows; the claims themselves, in words, as ``reproductions``."""

    reproductions: tuple[Reproduction, ...]

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        return ", ".join(f"{found.paper} {found.name}" for found in self.reproductions)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON writes it."""
        return super().to_dict() | {"figures": [found.verdict() for found in self.reproductions]}


@question
def paper(
    name: str,
    figure: str | None = None,
    *,
    scale: Scale = "quick",
    seed: int = 1,
    out: str | Path | None = None,
    processes: int = 1,
    dask: Any = None,
    each: Callable[[Reproduction], None] | None = None,
    progress: Watch | None = None,
) -> Verdict:
    """Recompute figures of a paper from scratch, and say which of its claims were found again.

    Parameters
    ----------
    name
        Short name of the paper, as citations have it: ``reset``, ``twoclass``, ``lfms``, ``wcfs``, ``zeroq``.
    figure
        Name of a figure, or of several (``fig2`` is ``fig2a`` and ``fig2b``); all of the paper if not given.
    scale
        ``"quick"`` takes a minute or two a figure, ``"full"`` is as long as the paper's own runs.
    seed
        Of the simulations.
    out
        A folder for data, pictures and verdicts; an interrupted run goes on from what is there.
    processes
        How many points are computed side by side; the answer does not depend on it.
    dask
        A Dask cluster in place of processes: the address of its scheduler, or a ``distributed.Client``.
    each
        Told of each figure as soon as it is done.
    progress
        Told how far it is.

    Examples
    --------
    >>> import msj
    >>> found = msj.paper("reset", "section-4-1")
    >>> found.outcome.label, found["claims_reproduced"] == found["claims"]
    ('solved', True)
    """
    chosen = paper_named(name)
    figures = figures_named(chosen, figure)
    found = []
    for i, (known, one) in enumerate(figures.items()):
        part = within(progress, i / len(figures), (i + 1) / len(figures))
        how: dict[str, Any] = {"scale": scale, "seed": seed, "processes": processes, "dask": dask}
        found.append(reproduce(chosen, known, one, out=out, progress=part, **how))
        if each is not None:
            each(found[-1])
    return verdict_of(found, seed)


def verdict_of(found: Sequence[Reproduction], seed: int) -> Verdict:
    """Return what was found of the claims of these figures."""
    rows = []
    for one in found:
        for name, value in (
            ("claims", len(one.claims)),
            ("claims_reproduced", sum(claim.verdict == "yes" for claim in one.claims)),
            ("claims_by_our_reading", sum(claim.verdict == "our reading" for claim in one.claims)),
        ):
            rows.append(
                Quantity(
                    name=name,
                    value=float(value),
                    kind="exact",
                    method="counting what the paper says",
                    at={"paper": one.paper, "figure": one.name},
                )
            )
    failed = [
        f"{one.paper} {one.name}: not reproduced: {claim.claim} (paper {claim.claimed}, found {claim.found})"
        for one in found
        for claim in one.claims
        if claim.verdict == "no"
    ]
    return Verdict(
        system={},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if all(one.passed for one in found) else Outcome.NOT_REPRODUCED,
        provenance=provenance(seconds=round(sum(float(one.provenance["seconds"]) for one in found), 3), seed=seed),
        notes=tuple(failed),
        reproductions=tuple(found),
    )
