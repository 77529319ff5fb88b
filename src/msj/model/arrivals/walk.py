"""Compiled walks through Markov chains, from one arrival to the next; the compiler is loaded when jobs are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@njit(cache=True, nogil=True)
def walk_to_arrivals(
    rng: Any, phase: Whole, leaving: Floats, cumulative: Floats, gaps: Floats, classes: Whole, marks: bool
) -> None:
    """Fill gaps (and classes, if the walk says who comes); row i of ``cumulative`` is where phase i leads."""
    phases, now = len(leaving), phase[0]
    for n in range(len(gaps)):
        gap = 0.0
        while True:
            gap += rng.standard_exponential() / leaving[now]
            to = np.searchsorted(cumulative[now], rng.random(), side="right")
            now = to % phases
            if to >= phases:
                break
        gaps[n] = gap
        if marks:
            classes[n] = to // phases - 1
    phase[0] = now


@njit(cache=True, nogil=True)
def walk_through_states(chosen: Floats, state: Whole, cumulative: Floats, states: int, classes: Whole) -> None:
    """Fill the classes of successive jobs; row h of ``cumulative`` runs over (class, next state)."""
    now = state[0]
    for n in range(len(chosen)):
        to = np.searchsorted(cumulative[now], chosen[n], side="right")
        now = to % states
        classes[n] = to // states
    state[0] = now
