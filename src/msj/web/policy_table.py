"""The policy table of the page: policies on the same jobs, exact where known, in agreement with the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from msj import answers
from msj.effort import Effort
from msj.errors import InvalidInput, OutOfTime
from msj.model import System
from msj.reports.agreement import agreeing
from msj.reports.contents import PolicySection
from msj.reports.policies import policy_rows
from msj.reports.rows import policy_quantities
from msj.results import Outcome, Quantity, Result


def policy_table(
    system: System,
    policies: Mapping[str, Any],
    effort: Effort,
    *,
    lengths: Sequence[int],
    seed: int,
    reference: Quantity | None,
    percentile_95: Quantity | None = None,
) -> Iterator[Result]:
    """Yield the comparison for more and more jobs.

    ``reference`` and ``percentile_95`` are the mean and the 95th percentile of the response time that the page shows
    for the cluster.
    """
    # Jobs of its own: the run behind the reference has those of the seed itself.
    root = np.random.SeedSequence(seed, spawn_key=(2,))
    for jobs in lengths:
        found = answers.compare(system, list(policies.values()), jobs=jobs, rng=root, effort=effort)
        if found.outcome in (Outcome.INTERRUPTED, Outcome.OUT_OF_TIME):
            raise OutOfTime(
                f"the comparison of {len(policies)} policies on {jobs:,} jobs was not complete in time; use msj compare"
            )
        rates = [row.value for row in found if row.name == "arrival_rate"]
        there = system.replace(arrival_rate=rates[0]) if rates else system
        rows = policy_rows(found, dict(policies))
        if there.arrival_rate is not None:
            rows = agreeing(rows, policies, there, effort, mean=reference, percentile_95=percentile_95)
        yield replace(found, quantities=tuple(policy_quantities(PolicySection(rows=tuple(rows)))))


def as_reference(given: Any, name: str = "mean_response_time", level: float | None = None) -> Quantity | None:
    """Return a number that a page shows, of a table with ``value``, ``kind``, ``low`` and ``high``."""
    if given is None:
        return None
    if not isinstance(given, dict) or not {*given} <= {"value", "kind", "low", "high"}:
        raise InvalidInput("reference must be a table with value, kind, low and high")
    numbers = [given.get(key) for key in ("low", "value", "high")]
    if any(
        isinstance(n, bool) or not isinstance(n, (int, float)) or not math.isfinite(n) for n in numbers if n is not None
    ):
        raise InvalidInput("reference: value, low and high must be numbers")
    low, value, high = numbers
    if value is None or given.get("kind") not in ("exact", "simulated"):
        raise InvalidInput("reference: value must be a number and kind must be exact or simulated")
    if (low is not None and low > value) or (high is not None and high < value):
        raise InvalidInput(f"reference: {value:g} must lie between low and high")
    return Quantity(name=name, value=value, kind=given["kind"], method="", level=level, low=low, high=high)
