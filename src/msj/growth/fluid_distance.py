"""How far paths of clusters of several sizes may stray from the fluid, as rows (``closed_forms.fluid_bound``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from msj.closed_forms.fluid import FluidModel
from msj.closed_forms.fluid_bound import paper_distance, sharper_distance
from msj.growth.queueing_bounds import offered
from msj.model import System
from msj.results import Quantity

LEVEL = 95.0  # per cent of the paths


def distance_rows(system: System, model: FluidModel, until: float, sizes: Sequence[int]) -> Iterator[Quantity]:
    """Return what 95 % of the paths stay within, at each size; nothing where no bound says anything."""
    if model.why_not_covered() is not None:
        return
    rate, _ = offered(system)
    shares = np.array([float(c.share) for c in system.active_classes])
    for n in sizes:
        rates = rate * shares * n / system.servers  # the same utilisation
        paper, sharper = (
            find(model, until=until, level=LEVEL / 100.0, arrival_rates=rates)
            for find in (paper_distance, sharper_distance)
        )
        for name, value, method, citation in (
            ("distance_to_fluid_bound", paper, "Gronwall", "zeroq, equations (24) to (28)"),
            (
                "distance_to_fluid_sharper_bound",
                sharper,
                "martingales on pieces of [0, T]",
                "after zeroq, Theorem 4.3",
            ),
        ):
            if value is not None:
                yield Quantity(
                    name=name,
                    value=value,
                    kind="bound",
                    method=method,
                    citation=citation,
                    level=LEVEL,
                    at={"servers": n},
                )
