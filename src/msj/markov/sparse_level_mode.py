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
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve_triangular

from msj.errors import NotAccurate
from msj.markov.linear_solver import make_solver
from msj.markov.marked_chain import Sparse
from msj.markov.sparse_levels import SparseLevels, Vector

MOST_TRIES = 40
INVERSE_STEPS = 6
RARE = 0.1  # of the state the mode is most in: an anchor visited less often is changed
CLOSE = 1e-14  # what crosses, relatively
SOLVED = 1e-9  # residual
ROUNDING = 1e-10  # below, a try that is no better than the last is the end


@dataclass(frozen=True, kw_only=True, eq=False)
class LeadingMode:
    """pi_(q+j) = ratio^j·shape, shape adding up to 1; falling: v at the level of ``shape``."""

    ratio: float
    shape: Vector
    falling: Vector


def leading_mode(process: SparseLevels, *, anchor: int, guess: float) -> LeadingMode:
    """Find the mode by a secant on what crosses; ``anchor`` is a state often visited, ``guess`` about the ratio."""
    ratio = 1.0 - 0.8 * (1.0 - min(max(guess, 1e-3), 1.0 - 1e-12))  # from above: below the ratio solving is slow
    anchor = _often_visited(process, ratio, anchor)  # one that the mode hardly knows makes the search slow, and vague
    top, above = 1.0, crossing(process, 1.0, anchor)[0]
    if above is None or not above > 0.0:
        raise NotAccurate("more comes up than goes down; the arrival rate is not below the threshold")
    low, best = 0.0, np.inf
    found: LeadingMode | None = None
    for _ in range(MOST_TRIES):
        gap, mode = crossing(process, ratio, anchor)
        if gap is None or mode is None:
            low = ratio
            ratio = 0.5 * (ratio + top)
            continue
        if mode.shape[anchor] < RARE * mode.shape.max():  # then what crosses says little about the ratio
            anchor, best = int(np.argmax(mode.shape)), np.inf
            top = ratio + 0.03 * (1.0 - ratio)
            above = crossing(process, top, anchor)[0]
            if above is None:
                top, above = 1.0, 1.0
            continue
        if abs(gap) >= best and best <= ROUNDING:
            break
        if abs(gap) < best:
            best, found = abs(gap), mode
        if best <= CLOSE:
            break
        following = ratio - gap * (top - ratio) / (above - gap) if above != gap else ratio
        if gap > 0.0:
            top, above = ratio, gap
        else:
            low = max(low, ratio)
        ratio = following if low < following < 1.0 else 0.5 * (low + top)
    if found is None or not best <= ROUNDING:
        raise NotAccurate(f"the decay of far levels, near {ratio:.6g}, is not found; simulate this system")
    return found


def crossing(process: SparseLevels, ratio: float, anchor: int) -> tuple[float | None, LeadingMode | None]:
    """Return what goes down beyond what comes up, relatively, if far levels fall by this ratio; None: it is too low."""
    jumps, staying = _jumps(process, ratio)
    if not staying.min() > 0.0:
        return None, None
    size, total = process.states, jumps.shape[0]
    keep = np.flatnonzero(np.arange(total) != anchor)
    from_anchor = jumps[[anchor]].toarray()[0]
    reduced = (sparse.eye_array(total, format="csr") - jumps)[keep][:, keep]
    order = _order(process)
    order = order[order != anchor]
    solver = make_solver(reduced, order=order - (order > anchor), dimension=None, insists=False)
    visits = np.ones(total)
    visits[keep] = solver.solve_left(from_anchor[keep])
    if solver.left_residual > SOLVED:  # below the ratio there is no solution that could be a law
        return None, None
    visits[keep] += solver.solve_left(from_anchor[keep] - visits[keep] @ reduced)  # the last digits count
    if not visits.min() > -1e-9 * visits.max():
        return None, None
    visits = np.maximum(visits, 0.0)
    shape = visits[:size] / staying
    mode = LeadingMode(ratio=ratio, shape=shape / shape.sum(), falling=visits[size:] / shape.sum())
    eye = sparse.eye_array(total - size, format="csr")
    levels = ratio * spsolve_triangular((eye - ratio * process.passing).tocsr(), np.ones(total - size), lower=False)
    upwards = float(mode.shape @ process.up_rates)
    return float(mode.shape @ (process.starting @ levels)) / upwards - 1.0, mode


def _often_visited(process: SparseLevels, ratio: float, anchor: int) -> int:
    """Return a state that the mode often visits, by a few steps of inverse iteration at a ratio above its own."""
    jumps, staying = _jumps(process, ratio)
    if not staying.min() > 0.0:
        return anchor
    solver = make_solver(
        sparse.eye_array(jumps.shape[0], format="csr") - jumps, order=_order(process), dimension=None, insists=False
    )
    visits = np.ones(jumps.shape[0])
    for _ in range(INVERSE_STEPS):
        visits = np.abs(solver.solve_left(visits))
        visits /= visits.sum()
    return int(np.argmax(visits[: process.states] / staying))


def _jumps(process: SparseLevels, ratio: float) -> tuple[Sparse, Vector]:
    """Return the jump matrix of levels that fall by a ratio, vanishing states last, and the rates of staying."""
    staying = process.leaving - process.up.diagonal() / ratio
    sideways = process.local + (process.up - sparse.diags_array(process.up.diagonal())) / ratio
    scale = sparse.diags_array(1.0 / staying)
    blocks = [[scale @ sideways, ratio * (scale @ process.starting)], [process.settling, ratio * process.passing]]
    return sparse.block_array(blocks, format="csr"), staying


def _order(process: SparseLevels) -> NDArray[np.intp]:
    """Order for incomplete elimination: the fullest first, each state next to its vanishing twin if it has one."""
    order = np.arange(process.states + process.passing.shape[0])
    return order.reshape(2, -1)[::-1].T.ravel()[::-1] if len(order) == 2 * process.states else order
