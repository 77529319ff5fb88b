"""How each part of a fit was found, in words: the comments of the spec file, and what must be known of it."""

from __future__ import annotations

import math

from msj.fitting.fitted import Fitted
from msj.model.arrivals import DailyArrivals, MmppArrivals
from msj.model.durations import Duration

DAY = 86400.0
FAR = 0.25  # a distance of log dispersions that is worth a warning


def remarks_of(found: Fitted, scale: float, unit: str) -> dict[str, str]:
    """Return the comment above each key, and above each class; times are ``scale`` of a second each."""
    submit = found.trace.column("submit")
    days = float(submit[-1] - submit[0]) / DAY
    remarks = {
        "name": f"Fitted by msj to {len(found.trace):,} jobs of {days:.3g} days. msj fit says how well it predicts.",
        "policy": "A log does not say its policy: choose one.",
        "arrival_rate": "Jobs over the time from the first submission to the last.",
        "arrivals": arrivals_words(found),
        "order": order_words(found),
    }
    for name, law, members, need, count in zip(
        found.classes.names,
        found.durations,
        found.classes.members,
        found.classes.needs,
        found.classes.counts(),
        strict=True,
    ):
        merged = "" if len(members) == 1 else f" Needs {_listed(members)} were merged into {need}."
        remarks[name] = (
            f"{count:,} jobs; run times have mean {law.mean * scale:.4g} {unit} and cv {law.cv:.3g}.{merged}\n"
            f"{law.duration.law}: {law.how}; distance {law.distance:.3f}, {law.word}."
        )
    return remarks


def arrivals_words(found: Fitted) -> str:
    """Say which arrivals were chosen, and why."""
    fit = found.arrivals
    what = {
        MmppArrivals: "Arrivals come in bursts (MMPP of two states, by moments of counts)",
        DailyArrivals: "Arrivals go by the clock",
    }.get(type(fit.arrivals), "Arrivals are Poisson")
    if fit.by_work:
        why = " Work arrives less unevenly than jobs do, so bursts are as strong as those of work."
        return f"{what}: {fit.how}.{why}"
    return f"{what}: {fit.how}."


def order_words(found: Fitted) -> str:
    """Say which order was chosen, and why."""
    fit = found.order
    alike = f"{100 * fit.alike:.3g} % of the jobs are of the class of the one before"
    chance = f"by chance {100 * fit.alike_if_independent:.3g} % would be"
    return f"Order of jobs, {fit.order.law}: {alike}, {chance} ({fit.how})."


def notes_of(found: Fitted) -> list[str]:
    """Return what the fit cannot tell, and what it got wrong."""
    said = []
    inexact = [n for n, law in zip(found.classes.names, found.durations, strict=True) if _only_simulated(law.duration)]
    if inexact:
        which = "All classes have" if len(inexact) == len(found.classes) else f"{_words(inexact)} have"
        said.append(
            f"{which} run times that only simulation understands; durations = phase-type (--durations phase-type) "
            "gives exact answers where the cluster is small enough."
        )
    poor = [n for n, law in zip(found.classes.names, found.durations, strict=True) if law.word == "poor"]
    if poor:
        said.append(f"The run times of {_words(poor)} are described poorly.")
    chosen = found.arrivals.distances.get(found.arrivals.arrivals.law)
    if chosen is not None and chosen > FAR:
        said.append(
            f"The arrivals' dispersions differ from the log's by a factor of {math.exp(chosen):.2f} on average over "
            "windows: no process of two rates, and no daily cycle alone, is like it."
        )
    said.append("A fit has no users: who waits long may send less, and who waits less, more.")
    return said


def _only_simulated(law: Duration) -> bool:
    return law.as_phase_type() is None


def _listed(members: tuple[int, ...]) -> str:
    if len(members) <= 4:
        return ", ".join(map(str, members[:-1])) + f" and {members[-1]}"
    return f"{members[0]} to {members[-1]} ({len(members)} of them)"


def _words(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return ", ".join(shown[:-1]) + f" and {shown[-1]}"
