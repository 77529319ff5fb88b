"""All numbers of a report as the rows of one result, each at its section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msj.errors import Failure
from msj.planning import Capacity
from msj.reports.contents import OutlookSection, PolicySection, ResponseSection, WhatIfSection
from msj.results import Missing, Quantity


def all_rows(
    capacity: Capacity | None,
    response: ResponseSection,
    policies: PolicySection,
    what_if: WhatIfSection,
    outlook: OutlookSection,
) -> tuple[Quantity, ...]:
    """Return every number of these sections; ``result.at(section="response")`` selects one of them."""
    return (
        *_at("capacity", _capacity(capacity)),
        *_at("response", response.here),
        *_at("simulation", response.simulated_here),
        *_at("curve", _curves(response)),
        *_at("policies", policy_quantities(policies)),
        *_at("what_if", _changes(what_if)),
        *_at("outlook", (row.put(servers=line.servers) for line in outlook.rows for row in line.quantities)),
    )


def left_out(policies: PolicySection) -> tuple[Missing, ...]:
    """Return the policies that take no part, with the reason."""
    return tuple(
        Missing(name="comparison", failure=Failure.NOT_SUPPORTED, reason=reason, at={"policy": name})
        for name, reason in policies.left_out
    )


def _at(section: str, rows: Iterable[Quantity]) -> Iterator[Quantity]:
    return (row.put(section=section) for row in rows)


def _capacity(capacity: Capacity | None) -> Iterator[Quantity]:
    if capacity is not None:
        if capacity.stability_threshold.kind != "bound":
            yield capacity.stability_threshold
        yield capacity.naive_threshold
        if capacity.attainable_threshold is not None:
            yield capacity.attainable_threshold
        yield capacity.wasted_servers
        yield capacity.saturated_utilisation
        yield from capacity.blocked_servers


def _curves(response: ResponseSection) -> Iterator[Quantity]:
    for curve in response.curves:
        for point in curve.points:
            yield point.mean_response_time.put(
                form=curve.name, arrival_rate=point.arrival_rate, utilisation=point.utilisation
            )


def policy_quantities(policies: PolicySection) -> Iterator[Quantity]:
    """Return the numbers of the policy table, each at its policy."""
    for line in policies.rows:
        for row in (line.mean_response_time, line.percentile_95, line.difference):
            if row is not None:
                yield row.put(policy=line.policy)


def _changes(what_if: WhatIfSection) -> Iterator[Quantity]:
    for line in what_if.rows:
        for row in (*_capacity(line.capacity), line.mean_response_time, line.difference):
            if row is not None:
                yield row.put(change=line.change.words)
