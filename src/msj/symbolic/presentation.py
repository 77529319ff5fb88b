"""Writing polynomials and their fractions so that they can be read.

A polynomial is split into irreducible factors; a factor with rates and shares in it is sorted by powers of the
rates, as in reset, Appendix C.2, and the coefficients, polynomials in the shares, are factored again. Where all
shares are symbols p_1 + ... + p_m = 1 leaves many ways to write the same thing: each factor in the shares is
written without the share whose absence makes it shortest, so that 1 - p_1 comes out as p_2 and
2 p_1 - p_1^2 as p_1 (1 + p_2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush
from operator import add
from typing import Any, TypeAlias

import sympy

Polynomial: TypeAlias = Any
"""An element of a sympy polynomial ring over the integers."""

FACTORED_TERMS = 40
"""Longer numerators are not factored: it would take longer than solving, and nobody would read the answer."""


@dataclass(frozen=True, kw_only=True)
class Factors:
    """A polynomial as an integer times powers of irreducible polynomials."""

    constant: int
    irreducible: Mapping[Polynomial, int]


@lru_cache(maxsize=256)
def factors_of(polynomial: Polynomial) -> Factors:
    """Factor a polynomial over the integers."""
    constant, factors = polynomial.factor_list()
    return Factors(constant=int(constant), irreducible=dict(factors))


def divided(polynomial: Polynomial, factor: Polynomial) -> Polynomial | None:
    """Return the quotient if the factor divides the polynomial, else None.

    A factor that does not divide is found out by the values at one point, as a rule. The division goes through
    the terms in lexicographic order with a heap: looking for the leading term again each time, as the ring's own
    division does, takes most of the time of a large problem.
    """
    point = [101 + 6 * i for i in range(polynomial.ring.ngens)]
    divisor = _value(factor, point)
    if divisor and _value(polynomial, point) % divisor:
        return None
    lead = max(factor.itermonoms())
    lower = [(exponents, c) for exponents, c in factor.iterterms() if exponents != lead]
    left = dict(polynomial.iterterms())
    queue = [tuple(-e for e in exponents) for exponents in left]
    heapify(queue)
    quotient = {}
    while queue:
        coefficient = left.pop(top := tuple(-e for e in heappop(queue)))
        if not coefficient:
            continue
        shift = tuple(e - f for e, f in zip(top, lead, strict=True))
        times, remainder = divmod(coefficient, factor[lead])
        if remainder or min(shift) < 0:
            return None
        quotient[shift] = times
        for exponents, c in lower:
            target = tuple(map(add, exponents, shift))
            if target not in left:
                left[target] = 0
                heappush(queue, tuple(-e for e in target))
            left[target] -= times * c
    return polynomial.ring.from_dict(quotient)


def _value(polynomial: Polynomial, point: list[int]) -> int:
    value = 0
    for exponents, coefficient in polynomial.iterterms():
        term = int(coefficient)
        for base, exponent in zip(point, exponents, strict=True):
            if exponent:
                term *= base**exponent
        value += term
    return value


class Presentation:
    """How the polynomials of one ring are written.

    Parameters
    ----------
    ring
        The ring; its generators are the symbols.
    shares
        The symbols that are shares; all others count as rates.
    likely
        Irreducible polynomials that may well divide a numerator, besides the symbols.
    dependent
        The share that equals 1 minus the others, if every share is a symbol.
    """

    def __init__(
        self,
        ring: Any,
        *,
        shares: tuple[sympy.Symbol, ...],
        likely: Iterable[Polynomial] = (),
        dependent: sympy.Symbol | None = None,
    ) -> None:
        self.ring = ring
        self._likely = list(dict.fromkeys([*ring.gens, *(f for f in likely if len(f) > 1)]))
        self._known: dict[Polynomial, sympy.Expr] = {}
        self._rates = [i for i, symbol in enumerate(ring.symbols) if symbol not in shares]
        self._rewritings: list[tuple[Polynomial, Polynomial]] = []
        if dependent is not None:
            generators = [ring.gens[ring.symbols.index(share)] for share in shares]
            whole = sum(generators, ring.zero)
            self._rewritings = [
                (generator, 1 - whole + generator)
                for generator in generators
                if generator != ring.gens[ring.symbols.index(dependent)]
            ]

    def fraction(self, numerator: Polynomial, denominator: Factors) -> sympy.Expr:
        """Write a fraction in lowest terms."""
        above = self._split(numerator, len(numerator))
        constant = sympy.Rational(above.constant, denominator.constant)
        pieces = []
        awkward = []  # factors of the numerator whose sign is free to choose
        for factor, power in above.irreducible.items():
            if power % 2 and len(factor) > 1 and self._has_rates(factor):
                awkward.append(factor)
            else:
                constant *= self._sign(factor) ** power
                pieces.append(self._positive(factor) ** power)
        for factor, power in denominator.irreducible.items():
            constant *= self._sign(factor) ** power
            pieces.append(self._positive(factor) ** -power)
        for factor in awkward:
            flip = -1 if constant < 0 else 1
            constant *= flip
            pieces.append(self._written(factor * flip) ** above.irreducible[factor])
        return sympy.Mul(constant, *pieces)

    def _split(self, polynomial: Polynomial, terms: int) -> Factors:
        """Factor a polynomial from an expression of so many terms, or take out what is likely to be there."""
        if terms <= FACTORED_TERMS:
            return factors_of(polynomial)
        constant = int(polynomial.content())
        rest, powers = polynomial.quo_ground(constant), dict[Polynomial, int]()
        for factor in self._likely:
            while (quotient := divided(rest, factor)) is not None:
                rest, powers[factor] = quotient, powers.get(factor, 0) + 1
        return Factors(constant=constant, irreducible={**powers, rest: 1})

    def _has_rates(self, polynomial: Polynomial) -> bool:
        return any(exponents[i] for exponents in polynomial.itermonoms() for i in self._rates)

    def _sign(self, polynomial: Polynomial) -> int:
        """Return the sign where all symbols are small and equal: there every share is positive."""
        degree = max(sum(exponents) for exponents in polynomial.itermonoms())
        value = sum(int(c) * 1009 ** (degree - sum(e)) for e, c in polynomial.iterterms())
        return -1 if value < 0 else 1

    def _positive(self, polynomial: Polynomial) -> sympy.Expr:
        return self._written(polynomial * self._sign(polynomial))

    def _written(self, polynomial: Polynomial) -> sympy.Expr:
        """Sort by powers of the rates and factor the coefficients; denominators come up again and again."""
        if polynomial not in self._known:
            self._known[polynomial] = self._sorted_by_rates(polynomial)
        return self._known[polynomial]

    def _sorted_by_rates(self, polynomial: Polynomial) -> sympy.Expr:
        by_rates: dict[tuple[int, ...], Polynomial] = {}
        for exponents, coefficient in polynomial.iterterms():
            key = tuple(exponents[i] for i in self._rates)
            rest = tuple(0 if i in self._rates else e for i, e in enumerate(exponents))
            by_rates[key] = by_rates.get(key, self.ring.zero) + self.ring.term_new(rest, coefficient)
        if len(by_rates) == 1:
            return self._shortest(polynomial).as_expr()
        return sympy.Add(*self._terms(by_rates, len(polynomial)))

    def _terms(self, by_rates: Mapping[tuple[int, ...], Polynomial], length: int) -> list[sympy.Expr]:
        terms = []
        for key, coefficient in by_rates.items():
            factors = self._split(coefficient, length)
            constant = factors.constant
            pieces = [self.ring.symbols[i] ** e for i, e in zip(self._rates, key, strict=True)]
            for factor, power in factors.irreducible.items():
                sign = self._sign(factor)
                constant *= sign**power
                pieces.append(self._shortest(factor * sign).as_expr() ** power)
            terms.append(sympy.Mul(constant, *pieces))
        return terms

    def _shortest(self, polynomial: Polynomial) -> Polynomial:
        """Use the sum of the shares to write a polynomial with few terms, few minus signs, small numbers."""
        ways = [polynomial]
        ways += [polynomial.compose(share, one_minus_others) for share, one_minus_others in self._rewritings]
        return min(ways, key=_length)


def _length(polynomial: Polynomial) -> tuple[int, int, int]:
    coefficients = [int(coefficient) for coefficient in polynomial.itercoeffs()]
    return len(coefficients), sum(c < 0 for c in coefficients), sum(map(abs, coefficients))
