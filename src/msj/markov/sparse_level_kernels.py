"""Compiled loops over the levels of :mod:`msj.markov.sparse_levels`.

An array is states × levels with the levels side by side, so that each coupling of two states is one pass over
neighbouring numbers, for all levels at once. Matrices come as columns (the rows of their transpose): ``pointers``,
``states``, ``values``. Passing raises a state's number, everything within a level should lower it: one pass over the
states in ascending order follows all starts, one in descending order all that happens between them.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def fall(starting, passing, levels, above, out):  # type: ignore[no-untyped-def]
    """Flow into the vanishing states: out[x, q] from levels[., q] (one level higher) and from passing on at q + 1."""
    b_pointers, b_states, b_values = starting
    s_pointers, s_states, s_values = passing
    size, count = levels.shape
    for x in range(size):
        row = out[x]
        row[:] = 0.0
        for p in range(b_pointers[x], b_pointers[x + 1]):
            rate, source = b_values[p], levels[b_states[p]]
            for q in range(count):
                row[q] += rate * source[q]
        for p in range(s_pointers[x], s_pointers[x + 1]):
            rate, source = s_values[p], out[s_states[p]]
            for q in range(count - 1):
                row[q] += rate * source[q + 1]
            row[count - 1] += rate * above[s_states[p]]


@njit(cache=True)
def balance(local, leaving, settling, arrival_rate, entering, levels, falling, above, out):  # type: ignore[no-untyped-def]
    """Flow into each state of each level minus the flow out of it."""
    pointers, states, values = local
    size, count = levels.shape
    for x in range(size):
        row, here, fallen = out[x], levels[x], falling[x]
        rate, share = leaving[x], settling[x]
        for q in range(count - 1):
            row[q] = share * fallen[q + 1] - rate * here[q]
        row[count - 1] = share * above[x] - rate * here[count - 1]
        row[0] += entering[x]
        for q in range(1, count):
            row[q] += arrival_rate * here[q - 1]
        for p in range(pointers[x], pointers[x + 1]):
            rate, source = values[p], levels[states[p]]
            for q in range(count):
                row[q] += rate * source[q]


@njit(cache=True)
def sweep(local, starting, leaving, settling, returning, arrival_rate, entering, given, out):  # type: ignore[no-untyped-def]
    """One Gauss-Seidel pass, states descending; each state's own levels, a line of births and deaths, are solved.

    o·u_q = lambda·u_(q−1) + d·u_(q+1) + g_q factors as e·(1 − (lambda/e)·up)·(1 − (d/e)·down), e² − o·e + lambda·d = 0.
    """
    a_pointers, a_states, a_values = local
    b_pointers, b_states, b_values = starting
    size, count = given.shape
    for x in range(size - 1, -1, -1):
        row = out[x]
        row[:] = given[x]
        row[0] += entering[x]
        for p in range(a_pointers[x], a_pointers[x + 1]):
            if a_states[p] > x:
                rate, source = a_values[p], out[a_states[p]]
                for q in range(count):
                    row[q] += rate * source[q]
        for p in range(b_pointers[x], b_pointers[x + 1]):
            if b_states[p] > x:
                rate, source = b_values[p] * settling[x], out[b_states[p]]
                for q in range(count - 1):
                    row[q] += rate * source[q + 1]
        pivot = 0.5 * (leaving[x] + np.sqrt(leaving[x] ** 2 - 4.0 * arrival_rate * returning[x]))
        down, up, scale = returning[x] / pivot, arrival_rate / pivot, 1.0 / pivot
        for q in range(count - 2, -1, -1):
            row[q] += down * row[q + 1]
        row[0] *= scale
        for q in range(1, count):
            row[q] = scale * row[q] + up * row[q - 1]


@njit(cache=True)
def fall_from_above(starting, passing, top, ratio, out):  # type: ignore[no-untyped-def]
    """Flow out of the levels above the highest one, top, if each is ``ratio`` times the one below it."""
    b_pointers, b_states, b_values = starting
    s_pointers, s_states, s_values = passing
    for x in range(len(top)):
        total = 0.0
        for p in range(b_pointers[x], b_pointers[x + 1]):
            total += b_values[p] * top[b_states[p]]
        for p in range(s_pointers[x], s_pointers[x + 1]):
            total += s_values[p] * out[s_states[p]]
        out[x] = ratio * total
