"""Compiled loops over the levels of :mod:`msj.markov.sparse_levels`, one by one up to a cut.

An array is states × levels with the levels side by side, so that each coupling of two states is one pass over
neighbouring numbers, for all levels at once. Matrices come as columns (the rows of their transpose): ``pointers``,
``states``, ``values``. Passing raises the number of a vanishing state.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def fall(starting, passing, levels, above, out):  # type: ignore[no-untyped-def]
    """Flow into the vanishing states: out[v, q] from levels[., q] (one level higher) and from passing on at q + 1."""
    b_pointers, b_states, b_values = starting
    s_pointers, s_states, s_values = passing
    count = levels.shape[1]
    for v in range(len(out)):
        row = out[v]
        row[:] = 0.0
        for p in range(b_pointers[v], b_pointers[v + 1]):
            rate, source = b_values[p], levels[b_states[p]]
            for q in range(count):
                row[q] += rate * source[q]
        for p in range(s_pointers[v], s_pointers[v + 1]):
            rate, source = s_values[p], out[s_states[p]]
            for q in range(count - 1):
                row[q] += rate * source[q + 1]
            row[count - 1] += rate * above[s_states[p]]


@njit(cache=True)
def balance(local, up, settling, leaving, entering, levels, falling, above, out):  # type: ignore[no-untyped-def]
    """Flow into each state of each level minus the flow out of it."""
    a_pointers, a_states, a_values = local
    u_pointers, u_states, u_values = up
    w_pointers, w_states, w_values = settling
    size, count = levels.shape
    for x in range(size):
        row, here, rate = out[x], levels[x], leaving[x]
        for q in range(count):
            row[q] = -rate * here[q]
        row[0] += entering[x]
        for p in range(u_pointers[x], u_pointers[x + 1]):
            rate, source = u_values[p], levels[u_states[p]]
            for q in range(1, count):
                row[q] += rate * source[q - 1]
        for p in range(w_pointers[x], w_pointers[x + 1]):
            share, source = w_values[p], falling[w_states[p]]
            for q in range(count - 1):
                row[q] += share * source[q + 1]
            row[count - 1] += share * above[w_states[p]]
        for p in range(a_pointers[x], a_pointers[x + 1]):
            rate, source = a_values[p], levels[a_states[p]]
            for q in range(count):
                row[q] += rate * source[q]


@njit(cache=True)
def fall_from_above(starting, passing, top, ratio, out):  # type: ignore[no-untyped-def]
    """Flow out of the levels above the highest one, top, if each is ``ratio`` times the one below it."""
    b_pointers, b_states, b_values = starting
    s_pointers, s_states, s_values = passing
    for v in range(len(out)):
        total = 0.0
        for p in range(b_pointers[v], b_pointers[v + 1]):
            total += b_values[p] * top[b_states[p]]
        for p in range(s_pointers[v], s_pointers[v + 1]):
            total += s_values[p] * out[s_states[p]]
        out[v] = ratio * total
