"""Numbers as people read them: few digits, percentages, intervals as plus or minus."""

from __future__ import annotations

import math

from msj.errors import MsjError
from msj.model import System
from msj.model.assumptions import assumed, why_not_plain
from msj.results import Kind, Quantity

#: What every answer about a plain cluster rests on; a log's own jobs need none of it.
PLAIN = (
    "Jobs arrive one by one, independently of each other, at a constant mean rate (a Poisson process); how long each "
    "takes is drawn from its class's law, independently of all others. msj replay serves a log's own jobs instead."
)
OTHERWISE = (
    "{law}. How long each takes is drawn from its class's law, independently of all others. msj replay serves a log's "
    "own jobs instead."
)


def what_is_assumed(system: System) -> str:
    """Return what answers about a described cluster rest on.

    Examples
    --------
    >>> import msj
    >>> what_is_assumed(msj.read("examples/two_servers.toml"))[:24]
    'Jobs arrive one by one, '
    """
    if why_not_plain(system) is None:
        return PLAIN
    law = assumed(system)
    return OTHERWISE.format(law=f"{law[0].upper()}{law[1:]}")


NOTABLE = 0.01  # changes below one per cent are no findings
SURE: dict[str, str] = {
    "exact": "exact",
    "asymptotic": "prediction, right near saturation",
    "bound": "bound",
    "simulated": "simulated",
}
BADGE: dict[str, str] = {"exact": "exact", "asymptotic": "prediction", "bound": "bound", "simulated": "simulated"}


def short(value: float | None, digits: int = 4) -> str:
    """Write a number with few significant digits.

    Examples
    --------
    >>> short(11.71230), short(123456.7), short(0.00001234), short(None), short(0.72)
    ('11.71', '123,500', '1.234e-05', '–', '0.72')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value != 0 and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits}g}".replace("-", "−", int(value < 0))
    rounded = float(f"{value:.{digits}g}")
    decimals = max(digits - 1 - math.floor(math.log10(abs(rounded))), 0) if rounded else 0
    text = f"{rounded:,.{decimals}f}".replace("-", "−")
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float | None) -> str:
    """Write a share as a percentage: whole numbers, one digit below ten.

    Examples
    --------
    >>> percent(0.3254), percent(0.0312), percent(0.0004), percent(0), percent(0.9996)
    ('33 %', '3.1 %', '0.04 %', '0 %', '100 %')
    """
    if share is None or not math.isfinite(share):
        return "–"
    value = 100.0 * share
    if abs(value) >= 9.95:
        text = f"{value:,.0f}"
    elif abs(value) >= 0.095 or value == 0:
        text = f"{value:.1f}".removesuffix(".0")
    else:
        text = f"{value:.1g}"
    return text.replace("-", "−", 1) + " %"


def signed_percent(share: float) -> str:
    """Write a change as a percentage with its sign.

    Examples
    --------
    >>> signed_percent(0.031), signed_percent(-0.4), signed_percent(1.9)
    ('+3.1 %', '−40 %', '+190 %')
    """
    text = percent(share)
    return text if text.startswith("−") else f"+{text}"


def measured(row: Quantity | None) -> str:
    """Write a quantity; an interval says how many digits are worth showing.

    Examples
    --------
    >>> measured(Quantity(name="x", value=11.7123, kind="simulated", method="", low=11.5, high=11.92))
    '11.71 ± 0.21'
    >>> measured(Quantity(name="x", value=2.82, kind="simulated", method="", low=2.7, high=2.9))
    '2.7 to 2.9'
    >>> measured(Quantity(name="x", value=169.2, kind="simulated", method="", low=168.9, high=169.3))
    '168.9 to 169.3'
    >>> measured(Quantity(name="x", value=11.7123, kind="exact", method=""))
    '11.71'
    >>> measured(Quantity(name="x", value=11.7123, kind="simulated", method=""))  # nobody knows how sure that is
    '≈ 11.71'
    """
    if row is None or not math.isfinite(row.value):
        return "–"
    if row.interval is None:
        return f"≈ {short(row.value)}" if row.kind == "simulated" and row.value != 0 else short(row.value)
    low, high = row.interval
    below, above = row.value - low, high - row.value
    half = max(below, above)
    if half <= 5e-5 * abs(row.value):
        return short(row.value)
    if abs(below - above) > 0.1 * half:  # not centred: an interval that was cut at 0, or a bracket
        digits = next(d for d in (3, 4, 5, 6, 17) if short(low, d) != short(high, d) or d == 17)
        return f"{short(low, digits)} to {short(high, digits)}"
    decimals = max(1 - math.floor(math.log10(half)), 0)
    if decimals > 6 or half >= 1e6:
        return f"{short(row.value)} ± {short(half, 2)}"
    return f"{row.value:,.{decimals}f} ± {half:,.{decimals}f}".replace("-", "−")


def share_of(change: Quantity, base: Quantity) -> str:
    """Write the size of a difference as a share of what it is a difference from, with its interval.

    Examples
    --------
    >>> base = Quantity(name="x", value=10, kind="simulated", method="")
    >>> share_of(Quantity(name="d", value=-2, kind="simulated", method="", low=-2.5, high=-1.5), base)
    '20 % (15 to 25 %)'
    """
    size = percent(abs(change.value) / base.value)
    if change.interval is None or change.kind == "exact":
        return size
    ends = sorted(abs(end) / base.value for end in change.interval)
    return f"{size} ({between(*ends)})"


def between(low: float, high: float) -> str:
    """Write two shares as one range; digits are added until its ends differ. If four do not do, it is one number.

    Examples
    --------
    >>> between(0.15, 0.25), between(0.991, 0.994), between(0.02, 0.134), between(0.5, 0.5)
    ('15 to 25 %', '99.1 to 99.4 %', '2 to 13 %', '50 %')
    """
    ends = [percent(low), percent(high)]
    if ends[0] == ends[1] and high > low:
        digits = min(max(math.ceil(-math.log10(high - low)) - 2, 1), 4)
        ends = [f"{100 * end:.{digits}f} %" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0].removesuffix(' %')} to {ends[1]}"


def effect(change: Quantity, base: Quantity) -> str:
    """Say by how much something is longer or shorter, or that no difference was seen, and how large it may still be.

    Examples
    --------
    >>> base = Quantity(name="x", value=10, kind="simulated", method="")
    >>> def change(value, low, high):
    ...     return Quantity(name="d", value=value, kind="simulated", method="", low=low, high=high)
    >>> effect(change(2, 1.5, 2.5), base), effect(change(0.1, -0.2, 0.4), base)
    ('20 % (15 to 25 %) longer', 'no different as far as seen (−2 % to +4 %)')
    >>> effect(change(0.08, 0.01, 0.15), base)  # not by chance, but not worth a word either
    'hardly any different (+0.1 % to +1.5 %)'
    """
    if change.kind != "exact":
        if change.interval is None:
            return "not known well enough to be compared"
        low, high = change.interval
        may_be = " to ".join(signed_percent(end / base.value) for end in (low, high))
        if low <= 0 <= high:
            return f"no different as far as seen ({may_be})"
        if abs(change.value) < NOTABLE * base.value:
            return f"hardly any different ({may_be})"
    return f"{share_of(change, base)} {'longer' if change.value > 0 else 'shorter'}"


def count(number: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1, "server"), count(1200, "server"), count(2, "class")
    ('1 server', '1,200 servers', '2 classes')
    """
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def how_sure(row: Quantity) -> str:
    """Say how sure a number is.

    Examples
    --------
    >>> how_sure(Quantity(name="x", value=10, kind="simulated", method="", low=9.8, high=10.2))
    'simulated, 95 % interval 9.8 to 10.2'
    """
    words = SURE[row.kind]
    if row.interval is None:
        return words
    low, high = (short(end, 3) for end in row.interval)
    return f"{words}, {'bracket' if row.bracket else '95 % interval'} {low} to {high}"


def sentence(error: MsjError) -> str:
    """Write what an error says as a sentence."""
    return f"{error.message.rstrip('.')}."


def sure_of(kind: Kind) -> str:
    """Return the word on the badge of a kind."""
    return BADGE[kind]
