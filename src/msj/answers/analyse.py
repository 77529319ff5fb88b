"""All that is known about a system without simulating it, in one call.

Where no exact method applies, or none fits, there is still something to say: what counting server-time promises, what
any policy could take, bounds, limits of large clusters. Then the answer is ``bounds-only`` and says how to go on;
``or_simulate`` goes on at once.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from msj.analysis.base import BEYOND, ResponseAnalysis
from msj.analysis.chain_cost import in_words
from msj.analysis.saturated_chain import completions_ahead, saturate
from msj.answers.in_use import with_servers_in_use
from msj.answers.question import SystemLike, as_system, question, root_of
from msj.answers.response import (
    Response,
    beside_prediction,
    exact_response,
    not_below,
    predicted,
    response,
    terms,
)
from msj.answers.response import bounds as known_bounds
from msj.answers.saturated import Method, analyses, cheapest_cost, that_apply, why_none
from msj.answers.threshold import (
    UNANSWERED,
    Threshold,
    attainable_row,
    conserves_work,
    exact_threshold,
    find_threshold,
    naive_row,
    turns_away,
)
from msj.closed_forms.waste_limit import limiting_waste
from msj.disciplines.fcfs import is_fcfs
from msj.disciplines.model import discipline_of
from msj.effort import Effort
from msj.errors import Failure, InvalidInput, NotSupported
from msj.model import System
from msj.model.assumptions import assumed, why_not_independent, why_not_plain
from msj.model.numbers import positive, whole
from msj.results import Kind, Missing, Outcome, Quantity, Result, Watch, provenance
from msj.results.units import said
from msj.workloads import Rng

SMALL = 20  # times the largest need: a cluster to which the limit of large ones may be applied
TIMES = 21  # at which completions are followed
A_WHILE = 2e10  # operations of a chain before which people are told: some seconds


@question
def analyse(
    system: SystemLike,
    *,
    method: Method = "auto",
    exact: bool | None = None,
    percentiles: bool | None = None,
    states: int = 0,
    until: float | None = None,
    law: int | None = None,
    bounds: bool = False,
    or_simulate: bool = False,
    rng: Rng = None,
    seed: Rng = None,
    progress: Watch | None = None,
) -> Result:
    """Return threshold and waste and, if a load is given, response times: exact and predicted.

    Where no exact method applies: bounds and limits, and with ``or_simulate`` simulated answers.

    Parameters
    ----------
    system
        The cluster, or the file that describes it.
    method
        ``"auto"`` uses a closed form where one applies and the chain elsewhere; ``"chain"`` and ``"closed-form"``
        force either.
    exact, percentiles
        Whether to solve the open system for exact response times, and for their percentiles. None does so where it
        takes seconds.
    states
        How many of the likeliest saturated states to list, with their probabilities and relative completions.
    until
        With ``states``: also the completions each is ahead of the usual number, at times up to this one.
    law
        List P(0), ..., P(law jobs in the system) too.
    bounds
        List what bounds and limits are made of, term by term, with exact values beside them, too.
    or_simulate
        Simulate what has no exact answer.
    seed, rng
        Two names of the seed of what is simulated, as for :func:`msj.simulate`: the same seed gives the same answer.
    progress
        Told before something takes unusually long.

    Examples
    --------
    >>> import msj
    >>> result = msj.analyse("examples/two_servers.toml")
    >>> round(result["stability_threshold"], 12), round(result["wasted_servers"], 12)
    (0.9, 0.2)
    >>> round(result["mean_response_time"], 6), round(result["predicted_mean_response_time"], 6)
    (7.517772, 7.944444)
    """
    system = as_system(system)
    if turns_away(system):
        return _lost(system, exact=exact, percentiles=percentiles, law=law)
    effort = Effort(progress=progress)
    # The threshold is what was asked for: it may take what it takes, if it fits.
    asked = effort.replace(operations=math.inf, bytes=math.inf)
    root = root_of(rng, seed) if or_simulate else None
    warn_of_waiting(system, effort)
    why_no_chain = ""
    try:
        threshold = exact_threshold(system, asked, method=method)
    except UNANSWERED as error:
        if method != "auto" or states or discipline_of(system).supports(system) is not None:
            raise
        why_no_chain = str(error).rstrip(".")
        if conserves_work(system) or root is not None:
            threshold = find_threshold(system, effort, root)
        elif _solved_at_its_rate(system) and exact is not False:
            return _without_threshold(system, effort, str(error), exact=exact, percentiles=percentiles, law=law)
        elif law is not None:
            raise
        else:
            return bounds_only(system, str(error))
    rows, notes, facts = threshold.rows, list(threshold.notes), dict(threshold.facts)
    missing: list[Missing] = []
    rate = system.arrival_rate_at(threshold.value)
    outcome = Outcome.SOLVED
    if rate is None:
        outcome = Outcome.NO_LOAD_GIVEN
    else:
        rows += load_rows(system, threshold, rate)
        if rate >= threshold.highest:
            outcome = Outcome.UNSTABLE
            notes.append(not_below(rate, threshold.value, system.time_unit))
        else:
            prediction = predicted(system, rate, threshold)
            found = Response()
            if root is not None:
                there = system.replace(arrival_rate=rate)
                found = response(there, threshold, effort, root, percentiles=percentiles)
                outcome = Outcome.UNSTABLE if found.failure is Failure.UNSTABLE else outcome
            elif exact is not False:
                found = exact_response(system, rate, effort, exact=exact, percentiles=percentiles)
            known = {row.name for row in rows} | {"offered_utilisation"}
            found = replace(found, rows=tuple(row for row in found.rows if row.name not in known))
            rows += [*known_bounds(system, rate), *beside_prediction(found, prediction)]
            rows += terms(system, rate) if bounds else []
            notes += [*prediction.notes, *found.notes]
            if not found.rows and found.failure is Failure.NOT_SUPPORTED:
                reason = why_no_chain or why_none(analyses(ResponseAnalysis), system) or "no exact method applies"
                notes.append(f"Response times have no exact answer: {reason}. They {GO_ON}")
                missing.append(no_response_times(Failure.NOT_SUPPORTED, reason, SIMULATE))
            elif found.find("mean_response_time") is None and found.failure is not None:
                reason = " ".join(found.notes) or found.failure.value
                large = found.failure is Failure.TOO_LARGE
                missing.append(no_response_times(found.failure, reason, EXACT if large else SIMULATE))
            elif root is None and exact is False:
                pass  # not asked for
            elif no_percentiles := _no_percentiles(found, percentiles):
                missing.append(no_percentiles)
            facts |= found.facts
    if why_not_plain(system) is not None:
        notes.append(f"Assumed: {assumed(system)}.")
    if states:
        rows += _state_rows(system, whole(states, "states"), until)
    elif until is not None:
        raise InvalidInput(f"until = {until:g} goes with states: say how many states to follow")
    if law is not None and outcome is not Outcome.UNSTABLE:
        rows += _law_rows(system, rate, whole(law, "law", least=0))
    return Result(
        system=system.to_spec(),
        quantities=tuple(with_servers_in_use(system, rows)),
        outcome=outcome,
        provenance=provenance(**facts),
        notes=tuple(notes),
        missing=tuple(missing),
    )


SIMULATE, EXACT, ON = "msj simulate FILE", "msj analyse FILE --exact", "msj analyse FILE --or-simulate"


def no_response_times(failure: Failure, reason: str, command: str) -> Missing:
    """Return the gap that response times leave, with the command that would fill it."""
    return Missing(name="mean_response_time", failure=failure, reason=reason, command=command)


def _no_percentiles(found: Response, percentiles: bool | None) -> Missing | None:
    """Return the gap that percentiles leave where means are there; None where they were not wanted."""
    if percentiles is False or not found.rows or any(row.level is not None for row in found.rows):
        return None
    left_out = next((note for note in found.notes if note.startswith("Percentiles are left out")), None)
    return Missing(
        name="waiting_time_percentile",
        failure=Failure.TOO_LARGE if left_out else Failure.NOT_SUPPORTED,
        reason=left_out or "the exact method that applies gives means only",
        command="msj analyse FILE --percentiles" if left_out else SIMULATE,
    )


GO_ON = "have to be simulated: msj simulate FILE, or msj analyse FILE --or-simulate."


def _lost(system: System, *, exact: bool | None, percentiles: bool | None, law: int | None) -> Result:
    """Return what is known where nobody waits: how many are lost, at a rate that may be as high as it likes."""
    if system.load is not None:
        raise NotSupported(
            f"load = {float(system.load):g} is a share of the stability threshold, and policy "
            f"'{system.policy.name}' has none: it turns jobs away; give utilisation or arrival_rate instead"
        )
    rate = system.arrival_rate_at(math.nan)
    rows, found = [naive_row(system)], Response()
    if rate is not None:
        found = exact_response(system, rate, Effort(), exact=exact, percentiles=percentiles)
        rows += [
            Quantity(name="arrival_rate", value=rate, kind="exact", method="definition"),
            Quantity(
                name="offered_utilisation", value=rate / system.naive_threshold, kind="exact", method="definition"
            ),
            *found.rows,
        ]
    if law is not None:
        rows += _law_rows(system, rate, whole(law, "law", least=0))
    notes = ["Jobs that do not fit are lost and nobody waits, so every load is stable.", *found.notes]
    outcome = Outcome.NO_LOAD_GIVEN if rate is None else Outcome.SOLVED if found.rows else Outcome.BOUNDS_ONLY
    gaps: tuple[Missing, ...] = ()
    if outcome is Outcome.BOUNDS_ONLY:  # the product form is for Poisson arrivals
        notes.append("How many are lost has to be simulated: msj simulate FILE.")
        why = why_none(analyses(ResponseAnalysis), system) or "no exact method applies"
        gaps = (Missing(name="loss_probability", failure=Failure.NOT_SUPPORTED, reason=why, command=SIMULATE),)
    return Result(
        system=system.to_spec(),
        quantities=tuple(rows),
        outcome=outcome,
        provenance=provenance(**found.facts),
        notes=tuple(notes),
        missing=gaps,
    )


def bounds_only(system: System, reason: str) -> Result:
    """Return what is known where no exact method applies: it is never nothing."""
    limit, naive = attainable_row(system), naive_row(system)
    rows = [naive, *([] if limit is None else [limit])]
    needs, shares = zip(*((c.need, float(c.share)) for c in system.active_classes), strict=True)
    if is_fcfs(system) and why_not_independent(system) is None and SMALL * max(needs) <= system.servers:
        value = limiting_waste(servers=system.servers, needs=needs, shares=shares)
        method = "renewal process of the needs, right for large clusters"
        rows.append(Quantity(name="limiting_wasted_servers", value=value, kind="asymptotic", method=method))
    notes = [f"There is no exact threshold: {reason.rstrip('.')}."]
    rate, outcome = None, Outcome.BOUNDS_ONLY
    if system.load is not None:
        notes.append("A load is a share of the threshold, which is not known: give arrival_rate or utilisation.")
    else:
        rate = system.arrival_rate_at(naive.value)
    if rate is not None:
        rows += [
            Quantity(name="arrival_rate", value=rate, kind="exact", method="definition"),
            Quantity(name="utilisation", value=rate / naive.value, kind="exact", method="definition"),
        ]
        most = naive if limit is None else limit
        if rate >= most.value:
            outcome = Outcome.UNSTABLE
            limit_said = said(most.value, "1/time", system.time_unit)
            notes.append(f"The arrival rate {rate:.6g} is not below {limit_said}, which no policy can exceed.")
        else:
            rows += known_bounds(system, rate)
    why = reason.rstrip(".")
    missing = [Missing(name="stability_threshold", failure=Failure.NOT_SUPPORTED, reason=why, command=ON)]
    if outcome is not Outcome.UNSTABLE:
        notes.append(f"Threshold and response times {GO_ON}")
        if rate is not None:
            missing.append(no_response_times(Failure.NOT_SUPPORTED, why, SIMULATE))
    return Result(
        system=system.to_spec(),
        quantities=tuple(with_servers_in_use(system, rows)),
        outcome=outcome,
        provenance=provenance(),
        notes=tuple(notes),
        missing=tuple(missing),
    )


def warn_of_waiting(system: System, effort: Effort) -> None:
    """Say so before a chain that takes a while."""
    cost = cheapest_cost(system)
    if cost is not None and A_WHILE < cost.operations < BEYOND:
        effort.tell(0.0, f"a large chain: this may take {in_words(cost)}", notice=True)


def load_rows(system: System, threshold: Threshold, rate: float) -> list[Quantity]:
    """Return the load in the three ways it can be said; as a share of the threshold it is as sure as that is."""
    row = threshold.stability_threshold
    low, high = (None if end is None or end <= 0 else rate / end for end in (row.high, row.low))
    kind: Kind = "exact" if low is None else "simulated"
    return [
        Quantity(name="arrival_rate", value=rate, kind="exact", method="definition"),
        Quantity(name="load", value=rate / row.value, kind=kind, method="definition", low=low, high=high),
        Quantity(name="utilisation", value=rate / system.naive_threshold, kind="exact", method="definition"),
    ]


def _state_rows(system: System, most: int, until: float | None = None) -> list[Quantity]:
    """The likeliest states of the saturated system."""
    solved = saturate(system)
    times = [] if until is None else np.linspace(0.0, float(positive(until, "until")), TIMES).tolist()
    ahead = completions_ahead(solved.built.chain, solved.relative_completions, times)
    columns = {
        "state_probability": solved.time_average,
        "state_probability_at_departure": solved.departure_average,
        "relative_completions": solved.relative_completions,
    }
    rows = []
    for s in solved.time_average.argsort()[::-1][:most]:
        state = ", ".join(
            f"{count} {label}" for label, count in zip(solved.labels, solved.counts[s], strict=True) if count
        )
        if why_not_independent(system) is not None:  # the same jobs may run after different last ones
            state += f"; order state {solved.built.order_state[s] + 1}"
        rows += [
            Quantity(
                name=name,
                value=float(values[s]),
                kind="exact",
                method="saturated chain",
                citation="reset, sections 3.5-3.11",
                at={"state": state},
            )
            for name, values in columns.items()
        ]
        rows += [
            Quantity(
                name="completions_ahead",
                value=float(values[s]),
                kind="exact",
                method="exponential of the saturated chain",
                citation="reset, equation (1)",
                at={"state": state, "time": t},
            )
            for t, values in zip(times, ahead, strict=True)
        ]
    return rows


def _solved_at_its_rate(system: System) -> bool:
    """Return whether response times are exact although the threshold is not known; a load is a share of that."""
    rate = system.arrival_rate_at(math.nan)
    return rate is not None and not math.isnan(rate) and bool(that_apply(ResponseAnalysis, system))


def _without_threshold(
    system: System, effort: Effort, why: str, *, exact: bool | None, percentiles: bool | None, law: int | None
) -> Result:
    """Return response times that are exact although the threshold is not."""
    rate = float(system.arrival_rate_at(math.nan) or 0.0)
    found = exact_response(system, rate, effort, exact=exact, percentiles=percentiles)
    limit = attainable_row(system)
    rows = [
        naive_row(system),
        *([] if limit is None else [limit]),
        Quantity(name="arrival_rate", value=rate, kind="exact", method="definition"),
        Quantity(name="utilisation", value=rate / system.naive_threshold, kind="exact", method="definition"),
        *found.rows,
    ]
    if law is not None:
        rows += _law_rows(system, rate, whole(law, "law", least=0))
    return Result(
        system=system.to_spec(),
        quantities=tuple(with_servers_in_use(system, rows)),
        outcome=Outcome.SOLVED,
        provenance=provenance(**found.facts),
        notes=(f"The stability threshold is not known: {why.rstrip('.')}.", *found.notes),
        missing=(
            Missing(name="stability_threshold", failure=Failure.NOT_SUPPORTED, reason=why.rstrip("."), command=ON),
        ),
    )


def _law_rows(system: System, rate: float | None, last: int) -> list[Quantity]:
    """P(n jobs in the system) for n up to ``last``."""
    if rate is None:
        raise InvalidInput("no load is given; set arrival_rate, load or utilisation")
    able = that_apply(ResponseAnalysis, system)
    if not able:
        raise NotSupported(why_none(analyses(ResponseAnalysis), system))
    analysis = min(able, key=lambda a: a.cost(system).operations)
    return [
        Quantity(
            name="jobs_in_system_probability",
            value=mass,
            kind="exact",
            method=analysis.method,
            citation=analysis.citation,
            at={"jobs": n},
        )
        for n, mass in enumerate(analysis.jobs_law(system, rate, last).tolist())
    ]
