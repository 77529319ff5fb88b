"""The long run of a marked chain: its law, its throughput, and what each state is worth in completions.

With stationary law Y of D0 + D1 (theory: reset, section 3 and Appendix C.1):

- throughput X = Y·D1·1; departure-average law Y_d = Y·D1/X;
- relative completions (D0 + D1)·Delta = X·1 − D1·1, normalised by Y·Delta = 0 (Corollary D.1);
- Delta(Y_d) = Y_d·Delta, the one number MARC needs.

Both systems are solved relative to one anchor state s. With P the jump matrix without s, y(I − P) = (jumps out of s)
counts visits between two visits to s, and (I − P)·d = (D1·1 − X)/rates gives Delta up to a constant. I − P is a
diagonally dominant M-matrix: everything in the first system is positive and nothing cancels. The equation of row s,
used in neither solve, tells how far X is from the truth: the error estimate costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from msj.errors import NotAccurate
from msj.markov.gth import closed_class_laws
from msj.markov.linear_solver import make_solver
from msj.markov.marked_chain import MarkedChain, Sparse, Vector

ACCURATE = 1e-9  # relative error of the throughput, and scaled residuals, beyond which there is no answer
ELIMINATE_UP_TO = 500  # states, when looking for an anchor
RARE = 1e-6  # an anchor visited this much less often than the busiest state costs accuracy: anchor anew


@dataclass(frozen=True, kw_only=True, eq=False)
class LongRun:
    """Stationary quantities of a marked chain, with how accurately they were found."""

    throughput: float
    time_average: Vector
    departure_average: Vector
    relative_completions: Vector
    relative_completions_at_departure: float
    residual: float
    throughput_error: float
    anchor: int
    method: str


def solve(chain: MarkedChain) -> LongRun:
    """Solve a marked chain; an answer that is not accurate enough raises :class:`NotAccurate`.

    Examples
    --------
    >>> on_off = MarkedChain.from_matrices([[-3, 1], [2, -2]], [[2, 0], [0, 0]])
    >>> run = solve(on_off)
    >>> round(run.throughput, 12), run.departure_average.round(12).tolist()
    (1.333333333333, [1.0, 0.0])
    """
    small = chain.states + chain.vanishing <= ELIMINATE_UP_TO
    guess = chain.likely_state if chain.likely_state is not None or small else often_visited(chain)
    found = _guessed(chain, guess) if not small and guess is not None else None
    if found is None or not _error(found) <= ACCURATE:  # no guess, or a state hardly ever visited
        found = _solve_from(chain, _likely_state(chain))
    visits = found.time_average * -(chain.quiet + chain.completing).diagonal()
    if visits[found.anchor] < RARE * visits.max():
        found = _solve_from(chain, int(np.argmax(visits)))
    worst = _error(found)
    if not worst <= ACCURATE:  # catches NaN too
        raise NotAccurate(
            f"the chain of {chain.states:,} states was solved ({found.method}) to a relative error of {worst:.1e}, "
            f"above the {ACCURATE:.0e} required; simulate this system, or bring its rates closer together"
        )
    return found


def _guessed(chain: MarkedChain, anchor: int) -> LongRun | None:
    """Solve from a state that was guessed; None where it is never returned to, or so rarely that it rounds to never."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        try:
            return _solve_from(chain, anchor)
        except RuntimeError:  # SuperLU: the factor is exactly singular
            return None


def _error(found: LongRun) -> float:
    return max(found.residual, found.throughput_error)


def _solve_from(chain: MarkedChain, anchor: int) -> LongRun:
    states = chain.states
    rates, jumps = _jump_chain(chain)
    total = jumps.shape[0]
    keep = np.flatnonzero(np.arange(total) != anchor)
    from_anchor = jumps[[anchor]].toarray()[0]
    reduced = (sparse.eye_array(total, format="csr") - jumps)[keep][:, keep]
    del jumps  # a large chain has no room for two copies
    solver = make_solver(reduced, order=_sweep_order(chain, anchor), dimension=chain.dimension)
    del reduced

    visits = np.ones(total)
    visits[keep] = np.maximum(solver.solve_left(from_anchor[keep]), 0.0)
    times = visits[:states] / rates
    cycle = times.sum()
    time_average = times / cycle
    completion_rates = chain.completion_rates
    throughput = float(time_average @ completion_rates)
    departures = time_average @ chain.completing + (visits[states:] / cycle) @ chain.settling

    gains = np.concatenate([(completion_rates - throughput) / rates, np.zeros(chain.vanishing)])
    worth = np.zeros(total)
    worth[keep] = solver.solve_right(gains[keep])
    anchor_gap = gains[anchor] + float(from_anchor @ worth)
    delta = worth[:states] - float(time_average @ worth[:states])
    departure_average = departures / departures.sum()
    return LongRun(
        throughput=throughput,
        time_average=time_average,
        departure_average=departure_average,
        relative_completions=delta,
        relative_completions_at_departure=float(departure_average @ delta),
        residual=max(solver.left_residual, solver.right_residual),
        throughput_error=abs(anchor_gap) / (cycle * throughput),
        anchor=anchor,
        method=solver.method,
    )


def _likely_state(chain: MarkedChain) -> int:
    """Find a state the chain is often in.

    Anchored at a state it hardly ever visits, the equations would be all but singular. A small chain's law is found by
    elimination without subtractions; a large one is restarted at random now and then, which makes any chain easy.
    """
    generator = chain.augmented()
    if generator.shape[0] <= ELIMINATE_UP_TO:
        [(states, law)] = closed_class_laws(generator)
        ordinary = states < chain.states
        leaving = np.maximum(-generator.diagonal()[states], np.finfo(float).tiny)
        return int(states[ordinary][np.argmax((law * leaving)[ordinary])])
    _, jumps = _jump_chain(chain)
    restart = 0.1 / jumps.shape[0]
    eye = sparse.eye_array(jumps.shape[0], format="csr")
    solver = make_solver(eye - (1.0 - restart) * jumps, order=np.arange(jumps.shape[0]), dimension=None)
    visits = solver.solve_left(np.full(jumps.shape[0], restart))
    return int(np.argmax(visits[: chain.states]))


def often_visited(chain: MarkedChain, *, steps: int = 100) -> int:
    """Return an ordinary state the chain is often in, judged by the mean visits in its first steps from state 0.

    A guess that costs ``steps`` products with a vector; :func:`solve` mends a bad one.

    Examples
    --------
    >>> often_visited(MarkedChain.from_matrices([[-3, 1, 0], [0, -2, 2], [1, 1, -2]], [[2, 0, 0]] + [[0, 0, 0]] * 2))
    1
    """
    _, jumps = _jump_chain(chain)
    backwards = jumps.T.tocsr()
    law = np.zeros(jumps.shape[0])
    law[0] = 1.0
    visits = np.zeros_like(law)
    for step in range(steps):
        law = backwards @ law
        if step >= steps // 2:
            visits += law
    return int(np.argmax(visits[: chain.states]))


def _jump_chain(chain: MarkedChain) -> tuple[Vector, Sparse]:
    """Rates of leaving each ordinary state (self-loops apart), and the jump matrix of the augmented chain."""
    generator = chain.augmented()
    leaving = -generator.diagonal()
    leaving[leaving <= 0] = 1.0  # a state that only completes into itself: one state in all
    jumps = generator - sparse.diags_array(generator.diagonal(), format="csr")
    jumps.eliminate_zeros()
    jumps = sparse.diags_array(1.0 / leaving, format="csr") @ jumps
    return leaving[: chain.states], jumps.tocsr()


def _sweep_order(chain: MarkedChain, anchor: int) -> NDArray[np.intp]:
    """Order for incomplete elimination.

    Chains on counts: each state next to its vanishing twin, the fullest states first. Others: as they were met, which
    keeps the factors of front chains a hundred times smaller than the opposite does.
    """
    order = np.arange(chain.states + chain.vanishing)
    if chain.vanishing == chain.states:
        order = order.reshape(2, -1)[::-1].T.ravel()[::-1]
    order = order[order != anchor]
    return np.asarray(order - (order > anchor))
