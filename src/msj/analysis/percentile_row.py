"""How a percentile is written down, and which ones are asked for."""

from __future__ import annotations

from msj.results import Quantity

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
CITATION = "Latouche & Ramaswami 1999 (QBD); reset, section 3.1"


def percentile_row(
    name: str,
    level: float,
    value: float,
    error: float,
    job_class: str | None,
    *,
    method: str = "QBD, Laplace inversion",
) -> Quantity:
    """Return the row of a percentile, with an interval where it is known to less than six digits."""
    vague = error > 1e-6 * value
    return Quantity(
        name=name,
        value=float(value),
        kind="exact",
        method=method,
        citation=CITATION,
        job_class=job_class,
        level=level,
        low=float(max(value - error, 0.0)) if vague else None,
        high=float(value + error) if vague else None,
    )
