"""The saturated chain solved over the rational functions of some symbols.

Elimination works on fractions of polynomials directly. What follows it would not: adding fractions means a
greatest common divisor of large polynomials each time. So the rest is written with polynomials over
denominators known beforehand. Let y_s = N_s / W be the stationary law, c_s = C_s / F the completion rates,
M = N D1 F, A = M 1 (so lambda* = A / (W F) and Y_d = M / A), and let H_s / L and G_s / L be the mean number of
completions and the mean time from s until a fixed state is reached. Then

    Delta(s)   = (W^2 F H_s - A W G_s - W F N.H + A N.G) / (W^2 F L),
    Delta(Y_d) = (W^2 F M.H - A W M.G - A W F N.H + A^2 N.G) / (A W^2 F L),

and only the irreducible factors of W, A, F and L can cancel: each is tried by division.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

import sympy

from msj.symbolic.chain import SaturatedChain
from msj.symbolic.elimination import gain_until_last, stationary_weights, total
from msj.symbolic.entries import Entry
from msj.symbolic.front_chain import FrontChain
from msj.symbolic.presentation import Factors, Polynomial, Presentation, divided, factors_of
from msj.symbolic.quantities import Quantities, eliminate_chain


def symbolic_quantities(chain: SaturatedChain | FrontChain, field: Entry, presentation: Presentation) -> Quantities:
    """Solve a chain whose entries belong to a sympy fraction field over the integers.

    Parameters
    ----------
    chain
        The chain, with entries in `field`.
    field
        The domain ``ZZ.frac_field(...)``.
    presentation
        How polynomials are written as expressions.
    """
    everyone = range(len(chain.states))
    taken = eliminate_chain(chain)
    N, _ = _over_one_denominator([field.convert(weight) for weight in stationary_weights(taken)])
    N = _without_common_factors(N)
    W = total(N)
    completing = [field.convert(sum(row.values())) for row in chain.with_completion]
    HG, L = _over_one_denominator(
        [
            field.convert(gain)
            for gains in (completing, [field.one for _ in everyone])
            for gain in gain_until_last(taken, gains)
        ]
    )
    H, G = HG[: len(everyone)], HG[len(everyone) :]
    flat, F = _over_one_denominator([rate for row in chain.with_completion for rate in row.values()])
    M = [W * 0 for _ in everyone]
    numerators = iter(flat)
    for i in everyone:
        for j in chain.with_completion[i]:
            M[j] = M[j] + N[i] * next(numerators)
    A = total(M)

    def ratio(numerator: Polynomial, *denominators: Polynomial) -> sympy.Expr:
        return _ratio(numerator, denominators, presentation)

    NH, NG, MH, MG = (_dot(v, h) for v in (N, M) for h in (H, G))
    W2F, AW, offset = W * W * F, A * W, A * NG - W * F * NH
    used = [Fraction(chain.busy(state)) for state in chain.states]
    parts = lcm(*(servers.denominator for servers in used))  # where speeds are shared, servers may be busy in part
    busy = total(n * int(servers * parts) for n, servers in zip(N, used, strict=True))
    return Quantities(
        threshold=ratio(A, W, F),
        time_average=tuple(ratio(n, W) for n in N),
        departure_average=tuple(ratio(m, A) for m in M),
        relative_completions=tuple(ratio(W2F * h - AW * g + offset, W, W, F, L) for h, g in zip(H, G, strict=True)),
        departure_relative_completions=ratio(W2F * MH - AW * MG + A * offset, A, W, W, F, L),
        wasted_servers=ratio(chain.servers * parts * W - busy, W * parts),
    )


def _over_one_denominator(values: Sequence[Entry]) -> tuple[list[Polynomial], Polynomial]:
    """Write fractions with the least common denominator."""
    denominator = values[0].denom
    for value in values[1:]:
        denominator = denominator.lcm(value.denom)
    return [value.numer * denominator.exquo(value.denom) for value in values], denominator


def _without_common_factors(polynomials: list[Polynomial]) -> list[Polynomial]:
    """Divide polynomials by every irreducible factor they share."""
    for factor, power in factors_of(total(polynomials)).irreducible.items():
        for _ in range(power):
            quotients = [divided(polynomial, factor) for polynomial in polynomials]
            if None in quotients:
                break
            polynomials = quotients
    content = gcd(*(int(polynomial.content()) for polynomial in polynomials))
    return [polynomial.quo_ground(content) for polynomial in polynomials]


def _dot(left: Sequence[Polynomial], right: Sequence[Polynomial]) -> Polynomial:
    return total(a * b for a, b in zip(left, right, strict=True))


def _ratio(numerator: Polynomial, denominators: Sequence[Polynomial], presentation: Presentation) -> sympy.Expr:
    """Cancel the known factors of the denominators and write the fraction."""
    if not numerator:
        return sympy.Integer(0)
    constant, powers = 1, dict[Polynomial, int]()
    for denominator in denominators:
        known = factors_of(denominator)
        constant *= known.constant
        for factor, power in known.irreducible.items():
            powers[factor] = powers.get(factor, 0) + power
    left: dict[Polynomial, int] = {}
    for factor, power in powers.items():
        while power and (quotient := divided(numerator, factor)) is not None:
            numerator, power = quotient, power - 1
        if power:
            left[factor] = power
    shared = gcd(constant, int(numerator.content()))
    return presentation.fraction(numerator.quo_ground(shared), Factors(constant=constant // shared, irreducible=left))
