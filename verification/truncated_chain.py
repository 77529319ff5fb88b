"""E[T] of open MSJ FCFS by brute force: the chain of all sets of jobs and all queues up to a length, solved at once.

Levels by waiting jobs, cut off where hardly anybody gets to: an arrival that finds the longest queue is lost. No mode,
no coefficients, no small system of masses: one sparse matrix for everything, anchored at the empty system, solved by
BiCGStab with an incomplete LU. Slow and large, and nothing of it is in ``markov.sparse_level_*``.

    python -m verification.truncated_chain 256
"""

import resource
import sys
import time

import numpy as np
import scipy.sparse as sparse
from benchmarks.bench_sparse import systems

from msj.fronts.fcfs_waiting import waiting_model
from msj.markov.linear_solver import IterativeSolver

TINY = 1e-11  # share of the longest queue, about


def truncated_mean_stay(system, *, decay, tiny=TINY):
    """Return E[T] and the number of unknowns; ``decay`` is about the ratio of far queues."""
    rate = float(system.arrival_rate)
    model = waiting_model(system)
    chain = model.blocked.chain
    cut = int(np.ceil(np.log(tiny) / np.log(decay)))
    rates, order = _generator(model, rate, cut)
    leaving = np.asarray(rates.sum(axis=1)).ravel()
    jumps = sparse.diags_array(1.0 / leaving) @ rates
    keep = np.arange(1, len(leaving))  # state 0: nobody there
    system_matrix = (sparse.eye_array(len(leaving), format="csr") - jumps.tocsr())[keep][:, keep]
    order = order[order != 0] - 1
    solver = IterativeSolver(system_matrix, order)
    visits = np.append(1.0, solver.solve_left(jumps.tocsr()[[0]].toarray()[0][keep]))
    ground, states = len(model.counts), chain.states
    times = (visits / leaving)[: ground + states * cut]
    queue = np.concatenate([np.zeros(ground), np.repeat(np.arange(1, cut + 1), states)])
    durations = sum(float(c.share) * float(c.duration.mean) for c in system.classes)
    lost = times[-states:].sum() / times.sum()
    return durations + float(times @ queue) / times.sum() / rate, len(leaving), solver.left_residual, lost


def _generator(model, rate, cut):
    """Rates between the ground, levels 1..cut, and the vanishing states of levels 0..cut − 1."""
    chain, ground, states = model.blocked.chain, len(model.counts), model.blocked.chain.states
    leaving = -chain.quiet.diagonal()
    within = (chain.quiet + chain.completing + sparse.diags_array(leaving)).tocsr()
    levels = sparse.eye_array(cut, format="csr")
    up = sparse.diags_array(np.ones(cut - 1), offsets=1, shape=(cut, cut), format="csr")
    down = sparse.diags_array(np.ones(cut - 1), offsets=-1, shape=(cut, cut), format="csr")
    first = sparse.csr_array(([1.0], ([0], [0])), shape=(1, cut))
    share = model.blocked_share[model.place]
    entering = sparse.csr_array((rate * share, (model.place, np.arange(states))), shape=(ground, states))
    landing = sparse.csr_array((np.ones(states), (np.arange(states), model.place)), shape=(states, ground))
    blocks = [
        [rate * model.starts + model.ends, sparse.kron(first, entering), None],
        [
            None,
            sparse.kron(levels, within) + rate * sparse.kron(up, sparse.eye_array(states)),
            sparse.kron(levels, chain.starting),
        ],
        [
            sparse.kron(first.T, landing),
            sparse.kron(down, chain.settling),
            sparse.kron(down, chain.passing),
        ],
    ]
    size = ground + 2 * states * cut
    # Fullest and longest first, each state beside the vanishing one that is numbered like it.
    pairs = ground + np.arange(2 * states * cut).reshape(2, -1)
    order = np.concatenate([np.arange(ground), pairs[::-1].T.ravel()])[::-1]
    assert len(order) == size
    return sparse.block_array(blocks, format="csr"), order


if __name__ == "__main__":
    wanted = sys.argv[1]
    [(name, found)] = [(key, value) for key, value in systems().items() if wanted in key.replace("servers", "").split()]
    started = time.process_time()
    stay, unknowns, residual, lost = truncated_mean_stay(found, decay=0.94 if wanted != "1024" else 0.905)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name}: E[T] = {stay:.12f}, {unknowns:,} unknowns, residual {residual:.1e}, lost {lost:.1e}")
    print(f"    {time.process_time() - started:.0f} s of processor time, {memory:.1f} GB")
