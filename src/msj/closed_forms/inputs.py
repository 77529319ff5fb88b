"""Checks shared by the closed forms: plain numbers in, one-sentence errors out.

The closed forms take numbers rather than a described cluster, so each of them has to refuse what does
not make sense by itself. Every check returns the value in the type the formulas want.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real

from msj.errors import InvalidInput

#: How far the shares may sum from one before they are called a mistake rather than rounding.
SHARE_SUM_TOLERANCE = 1e-9

#: Rates further apart than this would overflow when squared or multiplied by a number of servers.
WIDEST_RATE_RATIO = 1e120


def whole_number(value: object, *, name: str, least: int) -> int:
    """Return ``value`` as an int of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidInput(f"{name} is {value!r} but must be a whole number; round it")
    if value < least:
        raise InvalidInput(f"{name} is {value} but must be at least {least}; raise it")
    return int(value)


def real_number(value: object, *, name: str) -> float:
    """Return ``value`` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidInput(f"{name} is {value!r} but must be a finite number; give one")
    return float(value)


def positive_rate(value: object, *, name: str) -> float:
    """Return ``value`` as a rate: finite and above zero."""
    rate = real_number(value, name=name)
    if rate <= 0:
        raise InvalidInput(f"{name} is {rate} but a rate (one over the mean duration) must be above 0; raise it")
    return rate


def comparable_rates(rates: Mapping[str, object]) -> tuple[float, ...]:
    """Return the named rates, none more than ``WIDEST_RATE_RATIO`` times another."""
    checked = tuple(positive_rate(rate, name=name) for name, rate in rates.items())
    if max(checked) / WIDEST_RATE_RATIO > min(checked):
        raise InvalidInput(
            f"{' and '.join(rates)} are {' and '.join(map(str, checked))}, further apart than a factor "
            f"{WIDEST_RATE_RATIO:g}; bring them closer"
        )
    return checked


def share_inside(value: object, *, name: str) -> float:
    """Return ``value`` as a share strictly between zero and one."""
    share = real_number(value, name=name)
    if not 0 < share < 1:
        raise InvalidInput(f"{name} is {share} but a share must lie strictly between 0 and 1; change it")
    return share


def fitting_needs(needs: Sequence[int], *, servers: int) -> tuple[int, ...]:
    """Return the server needs, each at least one and at most ``servers``."""
    checked = tuple(whole_number(need, name=f"needs[{i}]", least=1) for i, need in enumerate(needs))
    for i, need in enumerate(checked):
        if need > servers:
            raise InvalidInput(f"needs[{i}] is {need} of {servers} servers; raise servers or lower the need")
    return checked


def shares_of_one(shares: Sequence[float], *, classes: int) -> tuple[float, ...]:
    """Return the arrival shares, one per class, all above zero and scaled to sum to one.

    A share may be so small that the others round to one: ``(1.0, 1e-20)`` is a fair pair.
    """
    if len(shares) != classes:
        raise InvalidInput(f"{len(shares)} shares given for {classes} needs; give one share per class")
    checked = tuple(real_number(share, name=f"shares[{i}]") for i, share in enumerate(shares))
    for i, share in enumerate(checked):
        if share <= 0:
            raise InvalidInput(f"shares[{i}] is {share} but must be above 0; drop the class or raise its share")
    total = math.fsum(checked)
    if abs(total - 1) > SHARE_SUM_TOLERANCE:
        raise InvalidInput(f"shares sum to {total} but must sum to 1; divide each by {total}")
    return tuple(share / total for share in checked)
