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
def fall(starting, passing, a, levels, falling, first, at_zero):  # type: ignore[no-untyped-def]
    """Flow into the vanishing states: ``falling`` v_1, v_2, ... as a sequence, and ``first``, v_0."""
    for v in range(len(falling)):
        row = falling[v]
        row[:] = 0
        add_products(starting, v, levels, row)
        add_products(passing, v, falling, row)
        total = 0.0
        for n in range(len(row)):
            total += row[n] * at_zero[n]
        first[v] = total
        one_down(a, row)


@njit(cache=True, fastmath=CONTRACT)
def balance(local, up, settling, leaving, a, at_zero, entering, levels, falling, out):  # type: ignore[no-untyped-def]
    """Flow into each state of each level minus the flow out of it."""
    for x in range(len(levels)):
        row, here = out[x], levels[x]
        row[:] = 0
        add_products(up, x, levels, row)
        one_up(a, row)
        rate, first = leaving[x], entering[x]
        for n in range(len(row)):
            row[n] += first * at_zero[n] - rate * here[n]
        add_products(local, x, levels, row)
        add_products(settling, x, falling, row)


@njit(cache=True, fastmath=CONTRACT)
def sweep(earlier_local, earlier_once, lines, a, at_zero, entering, given, out):  # type: ignore[no-untyped-def]
    """One Gauss-Seidel pass, states descending; each state's own levels, a line of births and deaths, are solved.

    o·u_q = lambda·u_(q−1) + d·u_(q+1) + g_q factors as e·(1 − (d/e)·down)·(1 − (lambda/e)·up), e² − o·e + lambda·d = 0;
    ``lines`` holds 1/e, d/e and lambda/e of each state. With y = (1 − b·down)^(−1)·g, and t the carried part of y,
    t_n = (1 + a·c)·g_n + c·t_(n+1), y_n = g_n + b·(t_(n+1) + a·g_n)/(1 − a·b), c = (b − a)/(1 − a·b).
    """
    count = given.shape[1]
    below = np.empty_like(out[0])
    one = at_zero.dtype.type(1.0)
    for x in range(len(out) - 1, -1, -1):
        row = out[x]
        first, scale, fall_share, rise_share = entering[x], lines[0, x], lines[1, x], lines[2, x]
        for n in range(count):
            row[n] = given[x, n] + first * at_zero[n]
        add_products(earlier_local, x, out, row)
        pointers = earlier_once[0]
        if pointers[x + 1] > pointers[x]:
            below[:] = 0
            add_products(earlier_once, x, out, below)
            one_down(a, below)
            for n in range(count):
                row[n] += below[n]
        if fall_share > 0:
            inverse = one / (one - a * fall_share)
            c = (fall_share - a) * inverse
            weight, b = one + a * c, fall_share * inverse
            carried = below[0] * 0
            for n in range(count - 1, -1, -1):
                g = row[n]
                row[n] = g + b * (carried + a * g)
                carried = weight * g + c * carried
        inverse = one / (one - a * rise_share)
        c = (rise_share - a) * inverse
        weight, b = one + a * c, rise_share * inverse
        carried = below[0] * 0
        for n in range(count):
            g = row[n] * scale
            row[n] = g + b * (carried + a * g)
            carried = weight * g + c * carried


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
