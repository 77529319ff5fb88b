"""Plain-language findings, the most important first: a sentence, its number, how sure it is, and where it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from msj.analysis.base import mean_time_alone
from msj.answers.threshold import turns_away
from msj.disciplines import Fcfs
from msj.planning import Capacity, WhatIf
from msj.reports.contents import Finding, Load, PolicyRow, Report
from msj.reports.loss import loss_findings
from msj.reports.policies import policy_name
from msj.reports.wording import NOTABLE, count, effect, measured, percent, share_of, short
from msj.results import Kind, Quantity
from msj.results.units import TIME_UNITS, rate_words


def findings_of(report: Report) -> tuple[Finding, ...]:
    """Return the findings of a report whose sections are filled."""
    if report.load is not None and turns_away(report.cluster):
        return tuple(loss_findings(report))
    if report.capacity is None or report.load is None:
        return ()
    found: list[Finding] = []
    if not report.load.stable:
        found += _overload(report, report.capacity, report.load)
    found += _capacity(report, report.capacity)
    if report.load.stable:
        found += _stay(report, report.load)
    found += _policies(report)
    found += _changes(report, report.capacity)
    found += _outlook(report)
    found += _check(report)
    return tuple(found)


def _time(report: Report, text: str) -> str:
    """Return a time with its unit behind, where that is known."""
    if report.time_unit is None:
        return text
    return f"{text} {TIME_UNITS[report.time_unit].one if text == '1' else report.time_unit}"


def _overload(report: Report, capacity: Capacity, load: Load) -> Iterator[Finding]:
    threshold = capacity.stability_threshold
    policy, per = policy_name(report.cluster.policy), rate_words(report.time_unit)
    if load.load < 1:
        yield Finding(
            sentence="More arrives than it takes, as far as a simulation can tell: at "
            f"{short(load.arrival_rate)} {per} the queue keeps growing under {policy}.",
            quantity=replace(threshold, kind="simulated"),
            section="capacity",
        )
    else:
        yield Finding(
            sentence=f"More arrives than it takes: {short(load.arrival_rate)} {per} arrive and {policy} "
            f"takes at most {measured(threshold)}, so the queue grows without bound.",
            quantity=threshold,
            section="capacity",
        )
    if load.utilisation >= 1:
        yield Finding(
            sentence=f"No policy can help: the jobs bring {short(load.utilisation * report.cluster.servers)} servers' "
            f"worth of work and there {'is' if report.cluster.servers == 1 else 'are'} {report.cluster.servers:,}; "
            f"at least {math.floor(load.utilisation * report.cluster.servers) + 1:,} are needed.",
            quantity=capacity.naive_threshold,
            section="capacity",
        )
    cures = [remedy.words for remedy in report.what_if.remedies]
    stable = [row for row in report.policies.rows if row.stable and not row.own and row.mean_response_time is not None]
    if cures:
        kind: Kind = "exact" if all(remedy.kind == "exact" for remedy in report.what_if.remedies) else "simulated"
        yield Finding(
            sentence=f"It would be stable with {_listed(cures)}.",
            quantity=replace(threshold, name="arrival_rate", value=load.arrival_rate, kind=kind, low=None, high=None),
            section="what_if",
        )
    if stable:
        best = min(stable, key=_mean)
        assert best.mean_response_time is not None
        names = _listed([row.policy for row in sorted(stable, key=_mean)][:4])
        yield Finding(
            sentence=f"The same jobs are served without a growing queue by {names}; jobs stay "
            f"{_time(report, measured(best.mean_response_time))} under {best.policy}.",
            quantity=best.mean_response_time,
            section="policies",
        )


def _capacity(report: Report, capacity: Capacity) -> Iterator[Finding]:
    threshold, naive = capacity.stability_threshold, capacity.naive_threshold
    policy, per = policy_name(report.cluster.policy), rate_words(report.time_unit)
    k = report.cluster.servers
    limit = capacity.attainable_threshold
    best = naive if limit is None else limit
    if threshold.kind == "bound":
        yield Finding(
            sentence=f"How much the cluster takes under {policy} is not known; no policy takes more than "
            f"{short(best.value)} {per}.",
            quantity=best,
            section="capacity",
        )
        return
    if capacity.bracketed:
        assert threshold.low is not None
        least = math.floor(1000.0 * threshold.low / naive.value) / 1000.0  # "at least" is never rounded up
        yield Finding(
            sentence=f"Under {policy} the cluster takes at least {short(threshold.low, 3)} {per}, "
            f"{100 * least:.3g} % of what counting server-time promises ({short(naive.value)}), as far as simulation "
            "can tell: no theorem gives its limit." + _best(report, capacity),
            quantity=threshold,
            section="capacity",
        )
        return
    takes = f"Under {policy} the cluster takes at most {measured(threshold)} {per}"
    if capacity.lost_share < 1e-6:
        yield Finding(
            sentence=f"{takes}, all that {count(k, 'server')} can serve: nothing is lost to blocking.",
            quantity=threshold,
            section="capacity",
        )
        return
    whose = "the servers" if capacity.all_present else "the server-time there is"
    yield Finding(
        sentence=f"{takes}, {percent(threshold.value / naive.value)} of what counting server-time promises "
        f"({short(naive.value)}): {percent(capacity.lost_share)} of {whose} {'are' if capacity.all_present else 'is'} "
        f"lost{_lost_to(report, capacity)}." + _best(report, capacity),
        quantity=capacity.lost,
        section="capacity",
    )
    yield from _blame(report, capacity)


def _lost_to(report: Report, capacity: Capacity) -> str:
    """Say what the servers are lost to: blocking, a model's own reason, needs that no policy packs, or the policy."""
    idles: str | None = getattr(report.cluster.model, "idles", None)  # a model says itself where its servers go
    if idles is not None:
        return f": {idles}"
    if type(report.cluster.policy) is Fcfs:
        return " to head-of-line blocking"
    limit = capacity.attainable_threshold
    if limit is not None and capacity.highest >= (1 - NOTABLE) * limit.value:
        return " to jobs that do not fit together"
    return ": the policy leaves them idle while jobs wait"


def _best(report: Report, capacity: Capacity) -> str:
    """Say what the best of all policies could take, where it is less than what server-time promises."""
    limit, naive = capacity.attainable_threshold, capacity.naive_threshold
    if limit is None or len(report.cluster.active_classes) < 2 or limit.value >= (1 - NOTABLE) * naive.value:
        return ""
    return f" No policy could take more than {short(limit.value)}, as the needs do not fit together."


def _blame(report: Report, capacity: Capacity) -> Iterator[Finding]:
    total = sum(row.value for row in capacity.blocked_servers)
    if len(report.cluster.active_classes) < 2 or total <= 0:
        return
    worst = max(capacity.blocked_servers, key=lambda row: row.value)
    blamed = next(c for c in report.cluster.classes if c.name == worst.job_class)
    yield Finding(
        sentence=f"{percent(worst.value / total)} of that loss is servers held empty for a '{blamed.name}' job at the "
        f"head of the line, although these are only {percent(float(blamed.share))} of the jobs."
        if float(blamed.share) < 0.5
        else f"{percent(worst.value / total)} of that loss is servers held empty for a '{blamed.name}' job at the head "
        "of the line.",
        quantity=worst,
        section="capacity",
    )


def _stay(report: Report, load: Load) -> Iterator[Finding]:
    stay = report.response.find("mean_response_time")
    if stay is None:
        return
    alone = mean_time_alone(report.cluster)
    wait = report.response.find("mean_waiting_time")
    known = report.capacity is not None and report.capacity.proved
    where = f"{percent(load.load)} of that limit" if known else f"a utilisation of {percent(load.utilisation)}"
    sentence = f"At {where} a job stays {_time(report, measured(stay))} on average"
    if alone is not None:
        sentence += f"; alone it would take {_time(report, short(alone))}"
    if stay.kind == "simulated" and stay.low is None:
        sentence += ". How sure that is cannot be said: the notes of the section tell why"
        ninety = report.response.find("waiting_time_percentile", None, 90.0)
        if ninety is not None and ninety.low is not None and ninety.value > 0:
            sentence += f". One job in ten waits longer than {_time(report, measured(ninety))}"
        yield Finding(sentence=sentence + ".", quantity=stay, section="response")
        return
    ninety = report.response.find("waiting_time_percentile", None, 90.0)
    if ninety is not None and ninety.value > 0 and ninety.kind == stay.kind:
        sentence += f". One job in ten waits longer than {_time(report, short(ninety.value, 3))}"
    elif wait is not None:
        sentence += f" ({_time(report, measured(wait))} is waiting)"
    yield Finding(sentence=sentence + ".", quantity=stay, section="response")


def _mean(row: PolicyRow) -> float:
    assert row.mean_response_time is not None
    return row.mean_response_time.value


def _policies(report: Report) -> Iterator[Finding]:
    own = next((row for row in report.policies.rows if row.own), None)
    if own is None or own.mean_response_time is None or not report.load or not report.load.stable:
        return
    base = own.mean_response_time
    others = [
        row
        for row in report.policies.rows
        if row.difference is not None and (row.difference.kind == "exact" or row.difference.low is not None)
    ]
    simple = [row for row in others if "preemption" not in row.asks_for and "durations" not in row.asks_for]
    picked: list[PolicyRow] = []
    for pool in (simple, others):
        better = [row for row in pool if row.difference is not None and row.difference.ends[1] < 0]
        if better and (best := min(better, key=_gap)) not in picked:
            picked.append(best)
    for row in picked:
        assert row.difference is not None
        if -row.difference.value / base.value < NOTABLE:
            continue
        asks = f"; it asks for {row.asks_for.replace(', ', ' and ')}" if row.asks_for != "nothing" else ""
        yield Finding(
            sentence=f"With {row.policy} the mean response time of the same jobs would fall by "
            f"{share_of(row.difference, base)}{asks}.",
            quantity=row.difference,
            section="policies",
        )
    if others and not picked:
        closest = min(others, key=_gap)
        assert closest.difference is not None
        yield Finding(
            sentence=f"No other policy tried ({len(others)}) is faster than {own.policy} here; the nearest is "
            f"{closest.policy}, {effect(closest.difference, base)}.",
            quantity=closest.difference,
            section="policies",
        )
    growing = [row.policy for row in report.policies.rows if not row.stable]
    if growing:
        yield Finding(
            sentence=f"Under {_listed(growing)} the queue would keep growing at this load.",
            quantity=replace(base, name="queue_growth", value=float(len(growing)), low=None, high=None),
            section="policies",
        )


def _gap(row: PolicyRow) -> float:
    assert row.difference is not None
    return row.difference.value


def _changes(report: Report, capacity: Capacity) -> Iterator[Finding]:
    best: dict[str, WhatIf] = {}
    for row in report.what_if.rows:
        if row.change.of != "mix":
            key = row.change.of if row.change.of == "largest need" else row.change.words
            if key not in best or _worth(row, capacity) > _worth(best[key], capacity):
                best[key] = row
    servers_first = sorted(best.values(), key=lambda row: row.change.of == "largest need")
    for row in servers_first[-3:]:
        loads, stays = list(_effect_on_load(row, capacity)), list(_effect_on_stay(report, row))
        if loads:
            words = ", and ".join(words for words, _ in (*loads, *stays))
            yield Finding(sentence=f"{_subject(row)} {words}.", quantity=loads[0][1], section="what_if")
        elif stays:
            yield Finding(sentence=f"{_with(row)} {stays[0][0]}.", quantity=stays[0][1], section="what_if")


def _subject(row: WhatIf) -> str:
    if row.change.of != "largest need":
        return row.change.words[0].upper() + row.change.words[1:]
    return f"Capping jobs at {count(_largest(row), 'server')} (same work, longer runs)"


def _with(row: WhatIf) -> str:
    if row.change.of != "largest need":
        return f"With {row.change.words}"
    return f"With jobs capped at {count(_largest(row), 'server')} (same work, longer runs)"


def _largest(row: WhatIf) -> int:
    return max(c.need for c in row.change.system.active_classes)


def _worth(row: WhatIf, capacity: Capacity) -> float:
    """What a change is good for: the arrival rate it takes, where that is known, else how much shorter jobs stay."""
    if row.capacity is not None:
        return row.capacity.stability_threshold.value / capacity.stability_threshold.value - 1.0
    return 0.0 if row.difference is None else -row.difference.value


def _effect_on_load(row: WhatIf, capacity: Capacity) -> Iterator[tuple[str, Quantity]]:
    """Say how much more is taken, if the intervals of the two thresholds do not meet."""
    if row.capacity is None or not capacity.proved or not row.capacity.proved:
        return
    before, after = capacity, row.capacity
    gain = after.value / before.value - 1.0
    quantity = replace(after.stability_threshold, name="stability_threshold_change", value=gain, low=None, high=None)
    apart = after.lowest > before.highest or after.highest < before.lowest
    if not apart or abs(gain) < NOTABLE:
        yield "would hardly change how much it can take", quantity
    elif row.change.of == "largest need" and gain > 0:
        back = before.lost_share - after.lost_share
        yield f"would recover {percent(back)} of the servers: it takes {percent(gain)} more", quantity
    else:
        yield f"would {'raise' if gain > 0 else 'lower'} the arrival rate it takes by {percent(abs(gain))}", quantity


def _effect_on_stay(report: Report, row: WhatIf) -> Iterator[tuple[str, Quantity]]:
    """Say how much longer or shorter jobs stay, or that no difference was seen, with how little could have been."""
    before = report.response.find("mean_response_time")
    if before is None or not report.stable:
        return
    if not row.stable:
        yield "the queue would grow without bound at this load", before
        return
    if row.difference is None or (row.difference.kind == "simulated" and row.difference.low is None):
        return
    small = abs(row.difference.value) < NOTABLE * before.value
    if row.difference.kind == "exact":
        if not small:
            yield f"the mean stay would be {effect(row.difference, before)}", row.difference
        return
    yield f"the mean stay would be {effect(row.difference, before)}", row.difference


def _outlook(report: Report) -> Iterator[Finding]:
    rows = report.outlook.rows
    if len(rows) < 2:
        return
    first, last = rows[0], rows[-1]
    for name, words in (("waiting_probability", "the share of jobs that wait"),):
        before, after = first.find(name), last.find(name)
        if before is None or after is None:
            continue
        if not _apart(before, after):
            continue
        times = last.servers // first.servers
        same = "the same" if report.stable else "a lower"
        yield Finding(
            sentence=f"With {times} times the servers at {same} {report.outlook.kept} "
            f"({percent(report.outlook.share)}), {words} would go from "
            f"{percent(before.value)} to {percent(after.value)}.",
            quantity=after,
            section="outlook",
        )


def _apart(one: Quantity, other: Quantity) -> bool:
    """Return whether two numbers differ by more than chance could do: their intervals do not meet."""
    if any(row.kind == "simulated" and row.low is None for row in (one, other)):
        return False  # nobody knows how sure those are
    return one.ends[1] < other.ends[0] or other.ends[1] < one.ends[0]


def _check(report: Report) -> Iterator[Finding]:
    """Say whether simulation and exact values agree, which they should: 95 of 100 intervals hold the exact value."""
    exact = {row.name: row for row in report.response.here if row.job_class is None and row.kind == "exact"}
    row = next((row for row in report.response.simulated_here if row.name == "mean_response_time"), None)
    known = exact.get("mean_response_time")
    if row is None or known is None or row.interval is None:
        return
    half = row.interval[1] - row.value
    agree = abs(known.value - row.value) <= 2.0 * half
    yield Finding(
        sentence=f"A simulation that shares no code with the exact answer gives {_time(report, measured(row))} "
        "for the mean stay: "
        + ("they agree." if agree else f"they DISAGREE with the exact {short(known.value)}; please report this."),
        quantity=row,
        section="response",
    )


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
