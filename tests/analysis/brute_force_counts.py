"""Policies that look at counts, solved by brute force: every state of a large box, one sparse linear system.

Who is served is asked of the policy's plain function, job by job; only what functions cannot say (random ties, shared
speed) is written down here again.
"""

from functools import cache
from itertools import product

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve


def decisions(policy, servers, needs):
    """Return the function from (present, running) to a list of (chance, served per class, running afterwards)."""

    @cache
    def by_function(present, running):
        jobs = [v for v, n in zip(needs, present, strict=True) for _ in range(n)]
        runs = [j < r for r, n in zip(running, present, strict=True) for j in range(n)]
        chosen = np.zeros(len(jobs), dtype=np.bool_)
        policy.serve(
            np.array(jobs, dtype=np.int64), np.array(runs, dtype=np.bool_), np.ones(len(jobs)), servers, chosen
        )
        return tuple(int(chosen[np.array(jobs) == v].sum()) if jobs else 0 for v in needs)

    @cache
    def decide(present, running):
        if getattr(policy, "order", None) in ("elastic", "inelastic"):
            order = sorted(range(len(needs)), key=lambda i: needs[i], reverse=policy.order == "elastic")
            left, served = float(servers), [0.0] * len(needs)
            for i in order:
                for _ in range(present[i]):
                    share = min(left, needs[i])
                    served[i] += share / needs[i]
                    left -= share
            return [(1.0, tuple(served), None)]
        if getattr(policy, "ties", None) == "random":
            packings = [
                z
                for z in product(*(range(servers // v + 1) for v in needs))
                if servers - np.dot(z, needs) >= 0 and (policy.limited or servers - np.dot(z, needs) < min(needs))
            ]
            if policy.limited:
                packings = [z for z in packings if all(a <= n for a, n in zip(z, present, strict=True))]
            weights = [np.dot(z, present) for z in packings]
            best = [z for z, w in zip(packings, weights, strict=True) if w == max(weights)]
            if policy.limited:  # need by need: in two needs the number of the first decides, unless it is absent
                assert len(needs) == 2
            served = [tuple(min(a, n) for a, n in zip(z, present, strict=True)) for z in best]
            return [(1.0 / len(best), s, None) for s in served]
        running = running or (0,) * len(needs)
        if not hasattr(policy, "ties"):  # who weighs nothing and is behind as many as there are servers does not matter
            present = tuple(min(n, r + servers) for n, r in zip(present, running, strict=True))
        served = by_function(present, running)
        return [(1.0, served, None if policy.preemptive else served)]

    return decide


def solve_counts_by_force(system, rate, most):
    """Return E[N_i], P(wait_i) and the law of the number of jobs, with up to ``most`` jobs of each class let in."""
    classes = system.active_classes
    needs = [c.need for c in classes]
    decide = decisions(system.policy, system.servers, needs)
    arriving = [rate * float(c.share) for c in classes]
    service = [1.0 / float(c.duration.mean) for c in classes]
    nobody = (0,) * len(needs)
    states, number, moves = [], {}, []

    def enter(present, running):
        """Law of the state (present, served, running) entered."""
        return [((present, served, after), chance) for chance, served, after in decide(present, running)]

    def index(state):
        if state not in number:
            number[state] = len(states)
            states.append(state)
        return number[state]

    index(enter(nobody, None)[0][0])
    for state in states:  # the list grows while it is read
        present, served, running = state
        here = number[state]
        for i in range(len(needs)):
            if present[i] < most[i]:
                joined = tuple(n + (j == i) for j, n in enumerate(present))
                moves += [(here, index(s), arriving[i] * chance) for s, chance in enter(joined, running)]
            if served[i]:
                left = tuple(n - (j == i) for j, n in enumerate(present))
                rest = None if running is None else tuple(n - (j == i) for j, n in enumerate(running))
                moves += [(here, index(s), served[i] * service[i] * chance) for s, chance in enter(left, rest)]
    source, target, rates = map(np.array, zip(*moves, strict=True))
    size = len(states)
    generator = sparse.coo_array((rates, (target, source)), shape=(size, size)).tolil()
    generator.setdiag(generator.diagonal() - np.bincount(source, weights=rates, minlength=size))
    generator[0, :] = 1.0
    law = spsolve(generator.tocsc(), np.eye(1, size)[0])
    counts = np.array([present for present, _, _ in states])
    waits = np.zeros(len(needs))
    for probability, (present, _, running) in zip(law, states, strict=True):
        for i in range(len(needs)):
            joined = tuple(n + (j == i) for j, n in enumerate(present))
            waits[i] += probability * sum(c for c, served, _ in decide(joined, running) if served[i] <= present[i])
    return law @ counts, waits, np.bincount(counts.sum(axis=1), weights=law)
