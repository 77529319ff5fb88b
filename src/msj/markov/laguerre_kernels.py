"""Compiled loops over sparse levels in Laguerre coordinates (:mod:`msj.markov.laguerre`).

An array is states × coefficients, so that each coupling of two states is one pass over neighbouring numbers, for all
levels at once; a step of one level up or down is a recurrence along the coefficients. Matrices come as columns (the
rows of their transpose): ``pointers``, ``states``, ``values``, of the arrays' own precision.
"""

from __future__ import annotations

import numpy as np
from numba import njit

CONTRACT = {"contract"}  # fused multiply and add: half the latency of a recurrence


@njit(cache=True, fastmath=CONTRACT)
def add_products(columns, x, sources, row):  # type: ignore[no-untyped-def]
    """Add to a row what comes into x, from a matrix given by its columns."""
    pointers, states, values = columns
    for p in range(pointers[x], pointers[x + 1]):
        rate, source = values[p], sources[states[p]]
        for n in range(len(row)):
            row[n] += rate * source[n]


@njit(cache=True, fastmath=CONTRACT)
def one_down(a, row):  # type: ignore[no-untyped-def]
    """Replace a sequence by the one without its first term: y_n + a·y_(n+1) = x_(n+1) + a·x_n."""
    last = len(row) - 1
    for n in range(last):
        row[n] = a * row[n] + row[n + 1]
    row[last] = a * row[last]
    carried = row[last]
    for n in range(last - 1, -1, -1):
        carried = row[n] - a * carried
        row[n] = carried


@njit(cache=True, fastmath=CONTRACT)
def one_up(a, row):  # type: ignore[no-untyped-def]
    """Replace a sequence by the one with a zero put first: y_n + a·y_(n−1) = x_(n−1) + a·x_n."""
    for n in range(len(row) - 1, 0, -1):
        row[n] = a * row[n] + row[n - 1]
    row[0] = a * row[0]
    carried = row[0]
    for n in range(1, len(row)):
        carried = row[n] - a * carried
        row[n] = carried


@njit(cache=True, fastmath=CONTRACT)
def down_with_first(a, ratio, at_zero, row):  # type: ignore[no-untyped-def]
    """Go one level down in differences: one down, and ``ratio`` times the first term put first. Return that term."""
    first = row.dtype.type(0)
    for n in range(len(row)):
        first += row[n] * at_zero[n]
    one_down(a, row)
    more = ratio * first
    for n in range(len(row)):
        row[n] += more * at_zero[n]
    return first


@njit(cache=True, fastmath=CONTRACT)
def fall(starting, passing, basis, levels, falling, first):  # type: ignore[no-untyped-def]
    """Flow into the vanishing states: ``falling`` v_1, v_2, ... as a sequence, and ``first``, v_0."""
    a, ratio, at_zero, _ = basis
    for v in range(len(falling)):
        row = falling[v]
        row[:] = 0
        add_products(starting, v, levels, row)
        add_products(passing, v, falling, row)
        first[v] = down_with_first(a, ratio, at_zero, row)


@njit(cache=True, fastmath=CONTRACT)
def balance(local, up, settling, leaving, basis, entering, levels, falling, out):  # type: ignore[no-untyped-def]
    """Flow into each state of each level minus the flow out of it."""
    a, _, _, source = basis
    for x in range(len(levels)):
        row, here = out[x], levels[x]
        row[:] = 0
        add_products(up, x, levels, row)
        one_up(a, row)
        rate, first = leaving[x], entering[x]
        for n in range(len(row)):
            row[n] += first * source[n] - rate * here[n]
        add_products(local, x, levels, row)
        add_products(settling, x, falling, row)


@njit(cache=True, fastmath=CONTRACT)
def sweep(earlier_local, earlier_once, lines, basis, entering, given, out):  # type: ignore[no-untyped-def]
    """One Gauss-Seidel pass, states descending; each state's own levels, a line of births and deaths, are solved.

    o·u_q = lambda·u_(q−1) + d·u_(q+1) + g_q factors as e·(1 − (d/e)·down)·(1 − (lambda/e)·up), e² − o·e + lambda·d = 0;
    ``lines`` holds 1/e, d/e and lambda/e of each state. In differences ``down`` has a term of rank one more, which
    adds a multiple of the solution for (1, 0, 0, ...), that is (lambda/e)^q/e.
    """
    a, ratio, at_zero, source = basis
    count = given.shape[1]
    below = np.empty_like(out[0])
    one = out.dtype.type(1)
    for x in range(len(out) - 1, -1, -1):
        row = out[x]
        first, scale, fall_share, rise_share = entering[x], lines[0, x], lines[1, x], lines[2, x]
        for n in range(count):
            row[n] = given[x, n] + first * source[n]
        add_products(earlier_local, x, out, row)
        pointers = earlier_once[0]
        if pointers[x + 1] > pointers[x]:
            below[:] = 0
            add_products(earlier_once, x, out, below)
            down_with_first(a, ratio, at_zero, below)
            for n in range(count):
                row[n] += below[n]
        if fall_share > 0:
            solve_downwards(a, fall_share, row)
        for n in range(count):
            row[n] *= scale
        solve_upwards(a, rise_share, row)
        if fall_share > 0:
            first = row.dtype.type(0)
            for n in range(count):
                first += row[n] * at_zero[n]
            add_geometric(a, rise_share, first * ratio * fall_share / (one - ratio * fall_share), at_zero[0], row)


@njit(cache=True, fastmath=CONTRACT)
def solve_downwards(a, share, row):  # type: ignore[no-untyped-def]
    """Replace g by y with y = g + share·(y one down).

    With t the part that is carried on and c = (share − a)/(1 − a·share): t_n = (1 + a·c)·g_n + c·t_(n+1),
    y_n = g_n + share·(t_(n+1) + a·g_n)/(1 − a·share).
    """
    one = row.dtype.type(1)
    inverse = one / (one - a * share)
    c, b = (share - a) * inverse, share * inverse
    weight, here = one + a * c, one + a * b
    carried = row.dtype.type(0)
    for n in range(len(row) - 1, -1, -1):
        g = row[n]
        row[n] = here * g + b * carried
        carried = weight * g + c * carried


@njit(cache=True, fastmath=CONTRACT)
def solve_upwards(a, share, row):  # type: ignore[no-untyped-def]
    """Replace g by y with y = g + share·(y one up)."""
    one = row.dtype.type(1)
    inverse = one / (one - a * share)
    c, b = (share - a) * inverse, share * inverse
    weight, here = one + a * c, one + a * b
    carried = row.dtype.type(0)
    for n in range(len(row)):
        g = row[n]
        row[n] = here * g + b * carried
        carried = weight * g + c * carried


@njit(cache=True, fastmath=CONTRACT)
def add_geometric(a, share, weight, norm, row):  # type: ignore[no-untyped-def]
    """Add ``weight`` times the sequence share^j; ``norm`` is sqrt(1 − a²)."""
    one = row.dtype.type(1)
    inverse = one / (one - a * share)
    factor, term = (share - a) * inverse, weight * norm * inverse
    for n in range(len(row)):
        row[n] += term
        term *= factor


@njit(cache=True, fastmath=CONTRACT)
def net_flow(levels, out_rates, up_rates, falling, settling_rates, given, out, upwards):  # type: ignore[no-untyped-def]
    """Add up over the states what :func:`balance` and ``given`` hold, but for what comes up or enters, into ``out``.

    ``upwards`` receives the flow up from each level.
    """
    out[:] = 0
    upwards[:] = 0
    for x in range(len(levels)):
        row, more, leave, rise = levels[x], given[x], out_rates[x], up_rates[x]
        for n in range(len(out)):
            out[n] += more[n] - leave * row[n]
            upwards[n] += rise * row[n]
    for v in range(len(falling)):
        row, settle = falling[v], settling_rates[v]
        if settle > 0:
            for n in range(len(out)):
                out[n] += settle * row[n]


@njit(cache=True, fastmath=CONTRACT)
def add_outer(shape, weights, out):  # type: ignore[no-untyped-def]
    """Add shape ⊗ weights."""
    for x in range(len(shape)):
        row, share = out[x], shape[x]
        for n in range(len(weights)):
            row[n] += share * weights[n]
