"""The policy table agrees with the rest of the report: one value per fact, exact where it is known.

The row of the cluster's own policy has the numbers that the report shows for the cluster. Other policies are exact
where an analysis applies. The rest is simulated, and means and differences are made to agree (``answers.reconcile``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from msj.answers.reconcile import reconcile
from msj.answers.response import exact_response
from msj.answers.threshold import UNANSWERED
from msj.disciplines import Policy
from msj.effort import Effort
from msj.model import System
from msj.reports.contents import PolicyRow
from msj.results import Quantity

OPERATIONS = 5e9  # of an exact method for one policy: about a second
CHEAP = 1e8  # the same once the time is over: hardly any time


def agreeing(
    rows: Sequence[PolicyRow],
    policies: Mapping[str, Policy],
    system: System,
    effort: Effort,
    *,
    mean: Quantity | None = None,
    percentile_95: Quantity | None = None,
) -> list[PolicyRow]:
    """Return the rows in agreement with what is shown for the cluster.

    Parameters
    ----------
    rows
        The policies as they were compared on the same jobs.
    policies
        The policies by the names in the rows.
    system
        The cluster, with its arrival rate.
    effort
        For exact methods.
    mean, percentile_95
        Mean and 95th percentile of the response time as they are shown for the cluster, where they are known.
    """
    found = []
    for row in rows:
        if row.own:
            if row.stable or mean is not None:
                row = replace(row, mean_response_time=mean or row.mean_response_time, stable=True)
                row = replace(row, percentile_95=percentile_95 or row.percentile_95)
                row = replace(row, why_no_mean="" if row.mean_response_time is not None else row.why_no_mean)
        elif row.stable:
            exact = _exact(system.replace(policy=policies[row.policy]), effort)
            known, difference = reconcile(mean, exact or row.mean_response_time, row.difference)
            why = "" if known is not None else row.why_no_mean
            row = replace(row, mean_response_time=known, difference=difference, why_no_mean=why)
        found.append(row)
    return found


def _exact(system: System, effort: Effort) -> Quantity | None:
    """Return the exact mean response time where it is known at little cost."""
    with suppress(*UNANSWERED):
        limited = effort.replace(operations=min(effort.operations, CHEAP if effort.over else OPERATIONS))
        rate = float(system.arrival_rate)  # type: ignore[arg-type]
        return exact_response(system, rate, limited, percentiles=False).find("mean_response_time")
    return None
