"""What was found of a paper's claims, as a result: how many there are and how many were found again, by figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msj.papers.reproduce import Reproduction
from msj.results import Outcome, Quantity, Result, provenance


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


def verdict_of(found: Sequence[Reproduction]) -> Verdict:
    """Return what was found of the claims of these figures."""
    rows = []
    for one in found:
        for name, value in (
            ("claims", len(one.claims)),
            ("claims_reproduced", sum(claim.passed for claim in one.claims)),
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
        if not claim.passed
    ]
    return Verdict(
        system={},
        quantities=tuple(rows),
        outcome=Outcome.SOLVED if all(one.passed for one in found) else Outcome.NOT_REPRODUCED,
        provenance=provenance(seconds=round(sum(float(one.provenance["seconds"]) for one in found), 3)),
        notes=tuple(failed),
        reproductions=tuple(found),
    )
