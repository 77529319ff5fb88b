"""What may stand in an exact model: rational numbers and rational functions of symbols.

The saturated chain of MSJ FCFS (reset, Appendix C) needs only the four operations of arithmetic, so it can be
built and solved over any field. Two are used here: the rational numbers, and the rational functions of whatever
symbols occur in the shares and rates. Nothing is rounded on the way in: a float is read as the decimal it prints
as (0.1 is 1/10), and a share of two thirds has to be written ``Fraction(2, 3)`` or ``"2/3"``.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

from msj.errors import InvalidInput

Entry: TypeAlias = Any
"""An element of the field: a Fraction, a sympy expression, or an element of a sympy domain."""

Phases: TypeAlias = tuple[tuple[Entry, ...], tuple[tuple[Entry, ...], ...]]
"""A phase-type duration: the law of the first phase, and the generator among the phases."""


def exponential(rate: Entry) -> Phases:
    """The exponential duration of the given rate, as a phase type with one phase.

    Examples
    --------
    >>> from msj.symbolic import exponential
    >>> exponential(2)
    ((1,), ((-2,),))
    """
    return ((1,), ((-rate,),))


def exact(value: Entry, what: str) -> Entry:
    """Read a number without rounding it, or let an expression with symbols through.

    Examples
    --------
    >>> import sympy
    >>> from msj.symbolic.entries import exact
    >>> exact(0.1, "a share"), exact("2/3", "a share"), exact(sympy.Symbol("p1"), "a share")
    (Fraction(1, 10), Fraction(2, 3), p1)
    """
    if isinstance(value, sympy.Expr):
        if value.is_Rational:
            return Fraction(int(value.p), int(value.q))
        if value.free_symbols:
            return value
    elif isinstance(value, bool):
        pass
    elif isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, float | Decimal):
        if math.isfinite(value):
            return Fraction(repr(float(value)) if isinstance(value, float) else value)
    elif isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            pass
    raise InvalidInput(f"{what} is {value!r}, which is not a rational number; write it like 3, '2/3' or 0.25")


def exact_phases(phases: Sequence[Any], what: str) -> Phases:
    """Read every entry of a phase type with :func:`exact`."""
    try:
        initial, generator = phases
        return (
            tuple(exact(entry, f"the initial law of {what}") for entry in initial),
            tuple(tuple(exact(entry, f"the generator of {what}") for entry in row) for row in generator),
        )
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            f"the phases of {what} are {phases!r}; give a pair (initial law, generator matrix)"
        ) from None


def is_zero(value: Entry) -> bool:
    """Whether a field element is zero; an expression is brought to lowest terms first."""
    return bool((sympy.cancel(value) if isinstance(value, sympy.Expr) else value) == 0)


def is_negative(value: Entry) -> bool:
    """Whether a number is negative; an expression with symbols gets the benefit of the doubt."""
    return isinstance(value, numbers.Real) and value < 0


def check_model(*, servers: int, needs: Sequence[int], shares: Sequence[Entry], phases: Sequence[Phases]) -> None:
    """Refuse what is not an MSJ model, with the sentence that says why."""
    if not _is_count(servers):
        raise InvalidInput(f"servers is {servers!r}; give a whole number of at least 1")
    if not needs:
        raise InvalidInput("there are 0 classes; give at least one class of jobs")
    if not len(needs) == len(shares) == len(phases):
        raise InvalidInput(
            f"there are {len(needs)} needs, {len(shares)} shares and {len(phases)} durations; "
            "give one of each per class"
        )
    for position, need in enumerate(needs, start=1):
        if not _is_count(need):
            raise InvalidInput(f"the need of class {position} is {need!r}; give a whole number of at least 1")
        if need > servers:
            raise InvalidInput(f"class {position} needs {need} of {servers} servers; raise servers or lower the need")
    for position, share in enumerate(shares, start=1):
        if is_negative(share) or is_zero(share):
            raise InvalidInput(
                f"the share of class {position} is {share}; shares must be positive, so leave the class out"
            )
    total = sum(shares)
    if not is_zero(total - 1):
        raise InvalidInput(
            f"the shares sum to {total}, not 1; write them as fractions such as '2/3' that sum to exactly 1"
        )
    for position, duration in enumerate(phases, start=1):
        _check_phases(duration, f"class {position}")


def _is_count(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1


def _check_phases(duration: Phases, what: str) -> None:
    initial, generator = duration
    size = len(initial)
    if not size or len(generator) != size or any(len(row) != size for row in generator):
        raise InvalidInput(
            f"the initial law of {what} has {size} phases but its generator is {len(generator)} by "
            f"{'/'.join(str(n) for n in sorted({len(row) for row in generator}))}; give a square one of that size"
        )
    if any(is_negative(chance) for chance in initial) or not is_zero(sum(initial) - 1):
        raise InvalidInput(
            f"the initial law of {what} is {_listed(initial)}; give chances of at least 0 that sum to exactly 1"
        )
    exits = [-sum(row) for row in generator]
    for a, row in enumerate(generator):
        if any(is_negative(rate) for b, rate in enumerate(row) if b != a) or is_negative(exits[a]):
            raise InvalidInput(
                f"row {a + 1} of the generator of {what} is {_listed(row)}; give rates of at least 0 off the "
                "diagonal and a diagonal that makes the row sum 0 or less"
            )
    finishing = {a for a in range(size) if not is_zero(exits[a])}
    while grown := {
        a for a in range(size) if a not in finishing and any(not is_zero(generator[a][b]) for b in finishing)
    }:
        finishing |= grown
    if len(finishing) < size:
        stuck = min(set(range(size)) - finishing) + 1
        raise InvalidInput(
            f"a job of {what} in phase {stuck} never finishes; give every phase a positive rate on a way out"
        )


def _listed(entries: Sequence[Entry]) -> str:
    return "(" + ", ".join(str(entry) for entry in entries) + ")"
