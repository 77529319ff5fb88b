"""Jobs that find too few servers free are lost: the product form (Kaufman 1981, Roberts 1981; Erlang B for need 1).

With a_i = lambda_i·E[D_i] the numbers in service have P(n) proportional to the product of a_i^n_i/n_i! over the sets
that fit, whatever the laws of the durations are. So j servers are busy with probability proportional to g(j),

    g(0) = 1,   j·g(j) = sum_i a_i·v_i·g(j − v_i),

and a job of need v is lost if fewer than v are free: P = (g(k − v + 1) + ... + g(k))/(g(0) + ... + g(k)). All terms are
positive, and the numbers are rescaled on the way, so that large clusters and small probabilities keep their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msj.closed_forms.inputs import fitting_needs, real_number, whole_number
from msj.errors import InvalidInput

LARGE = 1e200  # where the recursion is scaled down


@dataclass(frozen=True, kw_only=True, eq=False)
class Loss:
    """How many are lost of each class, and the law of the servers in use.

    Attributes
    ----------
    probabilities
        P(a job of the class is lost).
    busy_servers
        P(j servers are in use), j = 0..servers.
    """

    probabilities: NDArray[np.float64]
    busy_servers: NDArray[np.float64]

    @property
    def mean_busy_servers(self) -> float:
        """Servers in use on average."""
        return float(np.arange(len(self.busy_servers)) @ self.busy_servers)


def loss(*, servers: int, needs: Sequence[int], offered: Sequence[float]) -> Loss:
    """Return what is lost where nobody waits.

    Parameters
    ----------
    servers
        How many there are.
    needs
        Servers a job of each class takes.
    offered
        lambda_i·E[D_i] of each class.

    Examples
    --------
    Erlang's B: five servers, three of them asked for on average.

    >>> round(float(loss(servers=5, needs=[1], offered=[3.0]).probabilities[0]), 6)
    0.110054
    """
    k = whole_number(servers, name="servers", least=1)
    fitting = fitting_needs(needs, servers=k)
    given = [real_number(value, name=f"offered[{i}]") for i, value in enumerate(offered)]
    if len(fitting) != len(given) or not fitting or min(given) < 0:
        raise InvalidInput(f"needs are {fitting} and offered is {given}; give as many of both, none below 0")
    work: dict[int, float] = {}
    for need, jobs in zip(fitting, given, strict=True):
        work[need] = work.get(need, 0.0) + need * jobs
    weights = np.zeros(k + 1)
    weights[0] = 1.0
    for j in range(1, k + 1):
        weights[j] = sum(w * weights[j - need] for need, w in work.items() if need <= j) / j
        if weights[j] > LARGE:
            weights[: j + 1] /= LARGE
    busy = weights / weights[::-1].sum()
    return Loss(probabilities=np.array([busy[k - need + 1 :].sum() for need in fitting]), busy_servers=busy)
