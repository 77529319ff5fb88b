"""The leading geometric mode of sparse levels: z and phi with pi_(q+j) ~ z^j·phi far out.

phi·(leaving − U/z − A) = v·W, v = z·phi·B + z·v·S is an eigenproblem of the size of one level. z = 1 with the law of
the levels without a ground always solves it; near saturation the z that is looked for is a neighbour of 1. So it is
not told by the equation itself but by what crosses between two levels, in which that solution is divided out: all
that comes up goes down,

    phi·U·1 = phi·B·g,   g = z·(1 + S·g),

as a fall of d levels from level q + i crosses one border for each i = 1..d, with weight z^i. For a z that is tried,
phi is solved for relative to one anchor state (as in ``markov.solution``), whose own equation is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import spsolve_triangular

from msj.errors import NotAccurate
from msj.markov.linear_solver import make_solver
from msj.markov.sparse_levels import SparseLevels, Vector

MOST_TRIES = 40
CLOSE = 1e-14  # of the crossing, relatively
STILL = 1e-13  # of 1 − z, relatively: a step that no longer matters


@dataclass(frozen=True, kw_only=True, eq=False)
class LeadingMode:
    """pi_(q+j) = ratio^j·shape, shape adding up to 1; falling: v at the level of ``shape``."""

    ratio: float
    shape: Vector
    falling: Vector


def leading_mode(process: SparseLevels, *, anchor: int, guess: float) -> LeadingMode:
    """Find the mode by a secant on what crosses; ``anchor`` is a state often visited, ``guess`` about the ratio."""
    top, above = 1.0, crossing(process, 1.0, anchor)[0]
    if not above > 0.0:
        raise NotAccurate("more comes up than goes down; the arrival rate is not below the threshold")
    low = 0.0
    ratio = min(max(guess, 1e-3), 1.0 - 1e-9)
    for _ in range(MOST_TRIES):
        gap, mode = crossing(process, ratio, anchor)
        if mode is None or gap is None:
            low = ratio
            ratio = 0.5 * (ratio + top)
            continue
        following = ratio - gap * (top - ratio) / (above - gap) if above != gap else ratio
        if abs(gap) <= CLOSE or abs(following - ratio) <= STILL * (1.0 - ratio):
            return mode
        if gap > 0.0:
            top, above = ratio, gap
        else:
            low = max(low, ratio)
        if not low < following < 1.0:
            following = 0.5 * (low + top)
        ratio = following
    raise NotAccurate(f"the decay of far levels, near {ratio:.6g}, is not found; simulate this system")


def crossing(process: SparseLevels, ratio: float, anchor: int) -> tuple[float | None, LeadingMode | None]:
    """Return what goes down beyond what comes up, relatively, if far levels fall by this ratio; None: it is too low."""
    staying = process.leaving - process.up.diagonal() / ratio
    if not staying.min() > 0.0:
        return None, None
    size, vanishing = process.states, process.passing.shape[0]
    sideways = process.local + (process.up - sparse.diags_array(process.up.diagonal())) / ratio
    scale = sparse.diags_array(1.0 / staying)
    jumps = sparse.block_array(
        [[scale @ sideways, ratio * (scale @ process.starting)], [process.settling, ratio * process.passing]],
        format="csr",
    )
    total = size + vanishing
    keep = np.flatnonzero(np.arange(total) != anchor)
    from_anchor = jumps[[anchor]].toarray()[0]
    reduced = (sparse.eye_array(total, format="csr") - jumps)[keep][:, keep]
    order = np.arange(total)
    if size == vanishing:
        order = order.reshape(2, -1)[::-1].T.ravel()[::-1]
    order = order[order != anchor]
    solver = make_solver(reduced, order=order - (order > anchor), dimension=None)
    visits = np.ones(total)
    visits[keep] = solver.solve_left(from_anchor[keep])
    if not visits.min() > -1e-9 * visits.max():
        return None, None
    visits = np.maximum(visits, 0.0)
    shape = visits[:size] / staying
    mass = shape.sum()
    mode = LeadingMode(ratio=ratio, shape=shape / mass, falling=visits[size:] / mass)
    eye = sparse.eye_array(vanishing, format="csr")
    levels = ratio * spsolve_triangular((eye - ratio * process.passing).tocsr(), np.ones(vanishing), lower=False)
    upwards = float(mode.shape @ process.up_rates)
    return float(mode.shape @ (process.starting @ levels)) / upwards - 1.0, mode
