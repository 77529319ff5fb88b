"""Targets: what people want of a cluster, as "p95 wait[class=large] <= 2 h".

Every target is a bound on a mean over jobs. Let X be a job's wait, response time or slowdown.

- ``mean wait <= t``: E[X] <= t.
- ``p95 wait <= t`` says that 95 % of the jobs wait at most t. That is P(X > t) <= 0.05: the mean of an indicator, which
  is easier to decide than where a percentile lies.
- ``P(wait > t) <= q`` is the same in other words: the percentile 100·(1 − q) is at most t.
- ``share waiting <= q`` is P(wait > 0) <= q, and ``utilisation <= u`` bounds lambda·E[need × duration]/servers.

Slowdown is response time over duration; bounded, durations below 10 seconds count as 10 and no job has less than 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal

from msj.errors import InvalidInput
from msj.model.numbers import number
from msj.model.written_units import plain_time
from msj.registry import nearest
from msj.results.units import unit_of

Statistic = Literal["mean", "percentile", "probability", "utilisation"]


class Measure(Enum):
    """What is measured of a job. Value: how targets call it."""

    WAIT = "wait"
    RESPONSE = "response"
    SLOWDOWN = "slowdown"
    BOUNDED_SLOWDOWN = "bounded slowdown"

    @property
    def dimension(self) -> str:
        """Its dimension."""
        return "time" if self in (Measure.WAIT, Measure.RESPONSE) else "1"

    @property
    def mean_name(self) -> str:
        """The quantity that its mean is."""
        return {
            Measure.WAIT: "mean_waiting_time",
            Measure.RESPONSE: "mean_response_time",
            Measure.SLOWDOWN: "mean_slowdown",
            Measure.BOUNDED_SLOWDOWN: "mean_bounded_slowdown",
        }[self]

    @property
    def percentile_name(self) -> str:
        """The quantity that a percentile of it is."""
        return {
            Measure.WAIT: "waiting_time_percentile",
            Measure.RESPONSE: "response_time_percentile",
            Measure.SLOWDOWN: "slowdown_percentile",
            Measure.BOUNDED_SLOWDOWN: "bounded_slowdown_percentile",
        }[self]


WORDS = {
    "wait": Measure.WAIT,
    "waiting time": Measure.WAIT,
    "response": Measure.RESPONSE,
    "response time": Measure.RESPONSE,
    "slowdown": Measure.SLOWDOWN,
    "bounded slowdown": Measure.BOUNDED_SLOWDOWN,
    "bounded-slowdown": Measure.BOUNDED_SLOWDOWN,
}
FORM = 'write it like "p95 wait <= 2 h", "mean response[class=large] <= 8 h" or "P(wait > 30 min) <= 5 %"'
_SIDES = re.compile(r"\s*(.+?)\s*(<=|<|≤|>=|≥|=)\s*([^<>=≤≥]+?)\s*")
_PROBABILITY = re.compile(r"p\s*\((.+?)>\s*([^)]+?)\)", re.IGNORECASE)
_STATISTIC = re.compile(r"(mean|average|median|p\s?\d+(?:\.\d+)?)\s+(.+)", re.IGNORECASE)
_GROUP = re.compile(r"(.+?)\s*\[\s*(\w+)\s*=\s*(.+?)\s*\]")


@dataclass(frozen=True, kw_only=True)
class Target:
    """One target.

    Parameters
    ----------
    statistic
        Mean, percentile, probability of more than ``beyond``, or utilisation.
    measure
        What is measured of a job; None for utilisation.
    limit
        What it may be at most, in the cluster's unit of time.
    level
        For a percentile: which one, in percent.
    beyond
        For a probability: of being more than this.
    job_class, need
        Of these jobs only.
    """

    statistic: Statistic
    measure: Measure | None = None
    limit: float
    level: float | None = None
    beyond: float | None = None
    job_class: str | None = None
    need: int | None = None

    @property
    def bound(self) -> float:
        """The x of P(X > x): what each job is compared with; the limit itself for a mean."""
        return self.limit if self.beyond is None else self.beyond

    @property
    def allowed(self) -> float:
        """What the mean over jobs may be at most: of an indicator where the target is no mean."""
        if self.statistic == "percentile":
            assert self.level is not None
            return (100.0 - self.level) / 100.0
        return self.limit

    @property
    def counts(self) -> bool:
        """Whether jobs beyond a bound are counted, instead of a mean being taken."""
        return self.statistic in ("percentile", "probability")

    @property
    def everybody(self) -> bool:
        """Whether it is about all jobs."""
        return self.job_class is None and self.need is None

    @property
    def name(self) -> str:
        """The quantity it is about."""
        if self.measure is None:
            return "utilisation"
        if self.statistic == "mean":
            return self.measure.mean_name
        if self.statistic == "percentile":
            return self.measure.percentile_name
        return "waiting_probability" if self.waits_at_all else "exceedance_probability"

    @property
    def waits_at_all(self) -> bool:
        """Whether it is about the share of jobs that wait."""
        return self.statistic == "probability" and self.measure is Measure.WAIT and self.beyond == 0

    @property
    def group(self) -> str:
        """The jobs it is about as a row names them; empty for all."""
        return self.job_class or (f"need {self.need}" if self.need is not None else "")

    def words(self, time_unit: str | None) -> str:
        """Return it as people write it.

        Examples
        --------
        >>> read_target("P(wait[need=4] > 90 min) <= 5 %", "hours").words("hours")
        'P(wait[need=4] > 1.5 hours) <= 0.05'
        """
        return f"{self.what(time_unit)} <= {self._said(self.limit, time_unit)}"

    def what(self, time_unit: str | None) -> str:
        """Return what is bounded, without the bound."""
        if self.measure is None:
            return "utilisation"
        of = self.measure.value
        if self.job_class is not None:
            of += f"[class={self.job_class}]"
        elif self.need is not None:
            of += f"[need={self.need}]"
        if self.statistic == "probability":
            assert self.beyond is not None
            unit = "" if time_unit is None or self.measure.dimension != "time" else f" {unit_of('time', time_unit)}"
            return f"P({of} > {self.beyond:.6g}{unit})"
        return f"mean {of}" if self.statistic == "mean" else f"p{self.level:g} {of}"

    def _said(self, value: float, time_unit: str | None) -> str:
        timed = self.statistic in ("mean", "percentile") and self.measure is not None
        if timed and self.measure is not None and self.measure.dimension == "time" and time_unit is not None:
            return f"{value:.6g} {unit_of('time', time_unit)}"
        return f"{value:.6g}"

    def replace(self, **changes: Any) -> Target:
        """Return a copy with some fields changed."""
        return replace(self, **changes)


def read_target(text: str, time_unit: str | None = None) -> Target:
    """Read a target; times may have any unit if the cluster has one.

    Examples
    --------
    >>> found = read_target("p95 wait <= 2 h", "minutes")
    >>> found.name, found.level, found.limit
    ('waiting_time_percentile', 95.0, 120.0)
    >>> read_target("p95 wait > 2")
    Traceback (most recent call last):
        ...
    msj.errors.InvalidInput: target 'p95 wait > 2' has no '<='; write it like "p95 wait <= 2 h", "mean response[class=large] <= 8 h" or "P(wait > 30 min) <= 5 %"
    """  # noqa: E501
    if not isinstance(text, str):
        raise InvalidInput(f"target {text!r} is no text; {FORM}")
    sides = _SIDES.fullmatch(text)
    if sides is None:
        raise InvalidInput(f"target {text!r} has no '<='; {FORM}")
    what, sign, limit = sides.groups()
    if sign in (">=", "≥", "="):
        raise InvalidInput(f"target {text!r}: '{sign}' cannot be planned for; say what it may be at most, with '<='")
    if what.lower() in ("utilisation", "utilization"):
        return Target(statistic="utilisation", limit=_share(limit, text))
    if found := _PROBABILITY.fullmatch(what):
        measure, group = _measure(found[1].strip(), text)
        return Target(
            statistic="probability",
            measure=measure,
            beyond=_amount(found[2], measure, time_unit, text, least=0.0),
            limit=_share(limit, text),
            **group,
        )
    if whose := _share_waiting(what, text):
        return Target(statistic="probability", measure=Measure.WAIT, beyond=0.0, limit=_share(limit, text), **whose[0])
    found = _STATISTIC.fullmatch(what)
    if found is None:
        raise InvalidInput(f"target {text!r}: '{what}' does not say what of it: mean, p95 or P(... > t); {FORM}")
    measure, of = _measure(found[2], text)
    bound = _amount(limit, measure, time_unit, text)
    word = found[1].lower().replace(" ", "")
    if word in ("mean", "average"):
        return Target(statistic="mean", measure=measure, limit=bound, **of)
    level = 50.0 if word == "median" else float(word[1:])
    if not 0 < level < 100:
        raise InvalidInput(f"target {text!r}: {level:g} is no percentile; give a number between 0 and 100, such as p95")
    return Target(statistic="percentile", measure=measure, level=level, limit=bound, **of)


def read_targets(
    texts: Iterable[str | Target],
    time_unit: str | None,
    *,
    classes: Collection[str] = (),
    needs: Collection[int] = (),
) -> tuple[Target, ...]:
    """Read several targets about a cluster with these classes and needs."""
    found = tuple(one if isinstance(one, Target) else read_target(one, time_unit) for one in texts)
    if not found:
        raise InvalidInput(f"no target is given; {FORM}")
    for target in found:
        if target.job_class is not None and target.job_class not in classes:
            there = nearest(target.job_class, sorted(classes)) if classes else "a log has none: use [need=N]"
            raise InvalidInput(f"target '{target.words(time_unit)}': no class is called '{target.job_class}'; {there}")
        if target.need is not None and target.need not in needs:
            few = sorted(needs)
            there = ", ".join(map(str, few[:12])) + (", ..." if len(few) > 12 else "")
            raise InvalidInput(
                f"target '{target.words(time_unit)}': no job needs {target.need} servers; there are {there}"
            )
        if target.measure is Measure.BOUNDED_SLOWDOWN and time_unit is None:
            raise InvalidInput(
                f"target '{target.words(time_unit)}': a bounded slowdown counts durations below 10 seconds as 10, and "
                "the cluster has no unit of time; add time_unit = 'seconds' (or what it is), or use slowdown"
            )
    if len(set(found)) < len(found):
        twice = next(target for target in found if found.count(target) > 1)
        raise InvalidInput(f"target '{twice.words(time_unit)}' is given twice; give it once")
    return found


def _share_waiting(what: str, text: str) -> tuple[dict[str, Any]] | None:
    """Return whose share of waiting jobs is meant; None if none is."""
    inner = re.fullmatch(r"(?:share\s+)?waiting(\s*\[.+\])?", what, re.IGNORECASE)
    if inner is None:
        return None
    return (_measure("wait" + (inner[1] or ""), text)[1],)


def _measure(words: str, text: str) -> tuple[Measure, dict[str, Any]]:
    group: dict[str, Any] = {}
    if found := _GROUP.fullmatch(words.strip()):
        words, key, value = found.groups()
        value = value.strip("'\"")
        if key not in ("class", "need"):
            raise InvalidInput(f"target {text!r}: '{key}' is no way to choose jobs; write [class=NAME] or [need=N]")
        if key == "need" and not value.isdigit():
            raise InvalidInput(f"target {text!r}: need = {value!r} is no number of servers; write [need=64]")
        group = {"job_class": value} if key == "class" else {"need": int(value)}
    word = " ".join(words.lower().split())
    if word not in WORDS:
        raise InvalidInput(
            f"target {text!r}: '{words.strip()}' is nothing that can be planned for; {nearest(word, list(WORDS))}"
        )
    return WORDS[word], group


def _amount(limit: str, measure: Measure, time_unit: str | None, text: str, *, least: float | None = None) -> float:
    """Return a time in the cluster's unit, or a plain number."""
    value = plain_time(limit, f"target {text!r}: limit", time_unit) if measure.dimension == "time" else limit
    try:
        found = float(number(value, "limit"))
    except InvalidInput:
        kind = "time, such as 2 h or 1.5" if measure.dimension == "time" else "plain number, such as 10"
        raise InvalidInput(f"target {text!r}: '{limit}' is no {kind}") from None
    if found < 0 or (found == 0 and least is None):
        raise InvalidInput(
            f"target {text!r}: {found:g} must be above 0; for nobody to wait ask for 'share waiting <= 1 %'"
        )
    return found


def _share(limit: str, text: str) -> float:
    value, per_cent = (limit[:-1].strip(), 100.0) if limit.endswith("%") else (limit, 1.0)
    try:
        found = float(number(value, "limit")) / per_cent
    except InvalidInput:
        raise InvalidInput(f"target {text!r}: '{limit}' is no share; write 5 % or 0.05") from None
    if not 0 < found < 1:
        raise InvalidInput(f"target {text!r}: {limit} must lie between 0 and 1 (100 %), both excluded")
    return found
