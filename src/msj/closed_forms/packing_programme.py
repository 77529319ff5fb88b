"""What any policy could take: the linear programme over packings.

Whatever the policy, preemptive or not, the jobs in service at any moment are a packing: z_i jobs of need n_i with
sum n_i z_i <= servers. In the steady state lambda·b_i jobs of need n_i are in service on average, b_i the share of such
jobs times their mean duration (Little's law), and averages of packings are convex combinations of them. So no policy is
stable above

    lambda° = max { lambda : sum_z pi_z z_i >= lambda·b_i for all i, pi >= 0, sum_z pi_z = 1 },

and below it some policies are: MaxWeight, and without preemption randomised timers (Maguluri, Srikant & Ying 2012;
Psychas & Ghaderi 2018). lambda° is at most servers/sum n_i b_i, what counting server-time promises, and less where the
needs do not fit together.

Packings are too many to list, so they are generated: the dual of the programme asks for weights w_i >= 0 with sum w_i
b_i = 1 that make the most valuable packing, max_z sum w_i z_i, as cheap as possible. Given the packings so far, HiGHS
finds the best mixture of them and its weights; the most valuable packing for these weights (a knapsack,
:mod:`msj.closed_forms.knapsack`) is added, until none is worth more than the mixture gives. Any weights bound lambda°
from above and any mixture from below: both ends are computed from the definition, not taken from the solver.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from msj.closed_forms.inputs import fitting_needs, real_number, whole_number
from msj.closed_forms.knapsack import best_packing
from msj.errors import InvalidInput, NotAccurate

Vector = NDArray[np.float64]
ACCURATE = 1e-9  # relative distance of the two ends
MOST_ROUNDS = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class PackingProgramme:
    """The best mixture of packings, and how far it is from a bound that holds for all.

    Attributes
    ----------
    threshold
        lambda°, from above: no policy takes more.
    attained
        What the mixture takes; within a relative 1e-9 of ``threshold``.
    packings
        Jobs of each class, a row for each packing that is used; of classes of equal need the first stands for all.
    shares
        Share of the time each packing is in service.
    weights
        w_i, the price of a job of each class: the most valuable packing is worth ``threshold``.
    """

    threshold: float
    attained: float
    packings: NDArray[np.int64]
    shares: Vector
    weights: Vector


def packing_programme(*, servers: int, needs: Sequence[int], in_service: Sequence[float]) -> PackingProgramme:
    """Return the greatest arrival rate that any policy can take.

    Parameters
    ----------
    servers
        How many there are.
    needs
        Servers a job of each class takes.
    in_service
        Share of the class times its mean duration: jobs of it in service, on average, for each job that arrives per
        unit of time.

    Examples
    --------
    Three servers and jobs that need two: one server is never used, whoever schedules.

    >>> round(packing_programme(servers=3, needs=[2], in_service=[1.0]).threshold, 9)
    1.0

    With as many jobs of need 1, two servers' worth of need 2 leaves room for one of them:

    >>> found = packing_programme(servers=3, needs=[1, 2], in_service=[0.5, 0.5])
    >>> round(found.threshold, 9), found.packings.tolist()
    (2.0, [[1, 1]])
    """
    k = whole_number(servers, name="servers", least=1)
    fitting = fitting_needs(needs, servers=k)
    if len(fitting) != len(in_service) or not fitting:
        raise InvalidInput(f"{len(fitting)} needs and {len(in_service)} classes are given; give as many, at least one")
    given = [real_number(value, name=f"in_service[{i}]") for i, value in enumerate(in_service)]
    if min(given) <= 0:
        raise InvalidInput(f"in_service is {given}; leave out classes that do not arrive")
    distinct = sorted(set(fitting))
    jobs = np.array([sum(b for b, need in zip(given, fitting, strict=True) if need == n) for n in distinct])
    divisor = reduce(math.gcd, distinct)
    found = _generate(k // divisor, [n // divisor for n in distinct], jobs)
    used = found.shares > 0
    first = [fitting.index(n) for n in distinct]
    packings = np.zeros((int(used.sum()), len(fitting)), dtype=np.int64)
    packings[:, first] = found.packings[used]
    return PackingProgramme(
        threshold=found.threshold,
        attained=found.attained,
        packings=packings,
        shares=found.shares[used],
        weights=np.array([found.weights[distinct.index(n)] for n in fitting]),
    )


def _generate(servers: int, needs: Sequence[int], jobs: Vector) -> PackingProgramme:
    """Add packings until none is worth more than the mixture of those there are."""
    sizes = np.array(needs, dtype=float)
    weights = sizes / float(sizes @ jobs)  # counting server-time: the first bound
    threshold, best_weights = servers / float(sizes @ jobs), weights
    packings = np.array([_greedy(servers, needs, first) for first in range(len(needs))], dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        shares, weights, attained = _mixture(packings, jobs)
        found = best_packing(weights.tolist(), needs, servers)
        if found.at_most < threshold:
            threshold, best_weights = found.at_most, weights
        known = bool((packings == found.counts).all(axis=1).any())
        if threshold - attained <= ACCURATE * threshold or known:
            break
        packings = np.vstack([packings, found.counts])
    if not threshold - attained <= 1e-6 * threshold:
        raise NotAccurate(
            f"what any policy could take lies between {attained:.9g} and {threshold:.9g}, and rounding keeps the "
            "linear programme from saying more; bring shares and durations closer together"
        )
    return PackingProgramme(
        threshold=threshold, attained=attained, packings=packings, shares=shares, weights=best_weights
    )


def _greedy(servers: int, needs: Sequence[int], first: int) -> list[int]:
    """As many jobs of one need as fit, then the largest that still do."""
    counts, left = [0] * len(needs), servers
    for i in [first, *reversed(range(len(needs)))]:
        counts[i] += left // needs[i]
        left %= needs[i]
    return counts


def _mixture(packings: NDArray[np.int64], jobs: Vector) -> tuple[Vector, Vector, float]:
    """Return the best mixture of packings, the weights of its dual, and what the mixture takes."""
    # Rows are divided by b_i and the whole by the largest rate of a row, so that all numbers are near 1.
    rates = packings.T / jobs[:, None]
    scale = float(rates.max(axis=1).min())  # no mixture takes more
    rows = np.hstack([-rates / scale, np.ones((len(jobs), 1))])
    answer = linprog(
        c=np.append(np.zeros(len(packings)), -1.0),
        A_ub=rows,
        b_ub=np.zeros(len(jobs)),
        A_eq=np.append(np.ones(len(packings)), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    if not answer.success:
        raise NotAccurate(f"the linear programme over {len(packings)} packings was not solved: {answer.message}")
    shares = np.maximum(answer.x[:-1], 0.0)
    shares /= shares.sum()
    weights = np.maximum(-answer.ineqlin.marginals, 0.0) / jobs
    weights /= float(weights @ jobs)
    return shares, weights, float((rates @ shares).min())
