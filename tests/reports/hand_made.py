"""Reports put together by hand, so that each sentence can be checked against numbers nobody computed."""

import msj
from msj.planning import Capacity, WhatIf
from msj.planning.what_if import Change
from msj.reports.contents import (
    Load,
    OutlookRow,
    OutlookSection,
    PolicyRow,
    PolicySection,
    Report,
    ResponseSection,
    WaitingSection,
    WhatIfSection,
)
from msj.reports.findings import findings_of
from msj.results import Outcome, Quantity

CLUSTER = msj.System(
    servers=10,
    classes=[
        msj.JobClass(name="small", need=1, share="3/4", duration=msj.Exponential(mean=2)),
        msj.JobClass(name="large", need=8, share="1/4", duration=msj.Exponential(mean=4)),
    ],
)  # mean time alone 2.5


def row(name, value, kind="exact", low=None, high=None, **more):
    return Quantity(name=name, value=value, kind=kind, method="by hand", low=low, high=high, **more)


def capacity(threshold=0.8, naive=1.0, *, limit=None, blocked=(), kind="exact", low=None, high=None, **more):
    """How much a cluster of ten servers takes; what is lost follows."""
    use = threshold / naive
    ends = {} if low is None else {"low": 10 * (1 - high / naive), "high": 10 * (1 - low / naive)}
    return Capacity(
        stability_threshold=row("stability_threshold", threshold, kind, low, high, **more),
        naive_threshold=row("naive_threshold", naive, "bound"),
        attainable_threshold=None if limit is None else row("attainable_threshold", limit, "bound"),
        wasted_servers=row("wasted_servers", 10 * (1 - use), kind, **ends),
        saturated_utilisation=row("saturated_utilisation", use, kind),
        blocked_servers=tuple(row("blocked_servers", idle, job_class=name) for name, idle in blocked),
    )


def policy(name, *, own=False, asks_for="nothing", stable=True, mean=10.0, difference=None):
    """One policy; the difference as (value, low, high)."""
    gap = (
        None
        if difference is None
        else row("mean_response_time_difference", difference[0], "simulated", *difference[1:])
    )
    stay = row("mean_response_time", mean, "simulated", 0.9 * mean, 1.1 * mean) if stable else None
    return PolicyRow(
        policy=name,
        own=own,
        asks_for=asks_for,
        stable=stable,
        mean_response_time=stay,
        percentile_95=None,
        difference=gap,
    )


def change(words="two more servers", of="servers", *, takes=None, difference=None, stable=True, largest=8):
    """A change; ``takes`` is how much the changed cluster does, the difference as (value, low, high)."""
    small, large = CLUSTER.classes
    system = CLUSTER.replace(classes=[small, large.replace(need=largest)])
    return WhatIf(
        change=Change(of=of, words=words, system=system),
        arrival_rate=0.5,
        capacity=takes,
        stable=stable,
        mean_response_time=None,
        difference=None
        if difference is None
        else row("mean_response_time_difference", difference[0], "simulated", *difference[1:]),
    )


def outlook(*points, kept="load", share=0.7):
    """Shares of jobs that wait, as (servers, value, low, high)."""
    rows = [OutlookRow(servers=k, quantities=(row("waiting_probability", *ends),)) for k, *ends in points]
    return OutlookSection(kept=kept, share=share, rows=tuple(rows))


def report(
    *,
    takes=None,
    stable=True,
    load=0.625,
    utilisation=0.5,
    here=(),
    simulated=(),
    policies=(),
    changes=(),
    remedies=(),
    ahead=None,
    unit=None,
):
    return Report(
        system={} if unit is None else {"time_unit": unit},
        quantities=(),
        outcome=Outcome.SOLVED,
        provenance={},
        cluster=CLUSTER,
        load=Load(arrival_rate=0.5, load=load, utilisation=utilisation, words="as the file says", stable=stable),
        findings=(),
        capacity=capacity() if takes is None else takes,
        response=ResponseSection(here=tuple(here), simulated_here=tuple(simulated)),
        waiting=WaitingSection(),
        policies=PolicySection(rows=tuple(policies)),
        what_if=WhatIfSection(rows=tuple(changes), remedies=tuple(remedies)),
        outlook=OutlookSection() if ahead is None else ahead,
    )


def sentences(*, of=None, **parts):
    """Return the findings of a report, or those of one section."""
    return [f.sentence for f in findings_of(report(**parts)) if of is None or f.section == of]
