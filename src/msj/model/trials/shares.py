"""Shares of the classes that an arrival law marks, against counts.

With p the share of a class, the number of its jobs among n arrivals has the mean n·p and the variance

    n·(p·(1 − p) + 2·sum over j ≥ 1 of Cov(x_0, x_j)),    x_j = 1 where the j-th arrival is of the class.

The covariances are those of the order of classes that the law declares (``order_chain``). Where it declares none, they
are taken to last for the relaxation time: at most 8·p·(1 − p)·rate·T, and 0 where that is 0. The median of the shares
of K replications is compared with p (``limits``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from msj.model.orders.order_chain import OrderChain
from msj.model.trials.limits import deviation_factor
from msj.model.trials.trial import SURE, Trial

Vector = NDArray[np.float64]

CORRELATED = 8.0  # bound on the summed correlations, in relaxation times


def compare_shares(
    trial: Trial, names: Sequence[str], tallies: Vector, counts: Vector, memory: float, alpha: float
) -> None:
    """Refuse a law whose arrivals have other shares of the classes than it declares.

    Parameters
    ----------
    trial
        The trial of the law.
    names
        The classes.
    tallies, counts
        Arrivals by replication and class, and by replication.
    memory
        Relaxation time in arrivals.
    alpha
        Probability of a false alarm, for each class.
    """
    shares = trial.declared("shares", tuple(names))
    if shares is None or len(shares) != len(names):
        raise trial.refusal(
            f"marks classes and declares the shares {shares!r}; it must declare one share for each of "
            f"{', '.join(names)}; correct shares"
        )
    chain = _chain(trial, names)
    arrivals = max(float(counts.min()), 1.0)
    for i, name in enumerate(names):
        share = float(shares[i])
        found = float(np.median(tallies[:, i] / np.maximum(counts, 1.0)))
        alone = share * (1.0 - share)
        if chain is None:
            variance, bias = alone * (1.0 + CORRELATED * memory), memory
        else:
            one = (np.arange(len(names)) == i).astype(float)
            variance, bias = alone + max(chain.covariances(one), 0.0), memory + chain.memory
        limit = (1.0 + bias) / arrivals + deviation_factor(alpha) * math.sqrt(variance / arrivals)
        trial.require(
            f"share of {name}",
            abs(found - share),
            limit,
            f"declares the share {share:.4g} of class '{name}', and {found:.4g} of its arrivals are of it; they may "
            f"differ by {limit:.2g} ({SURE}); correct shares or draw, or declare order_chain",
        )


def _chain(trial: Trial, names: Sequence[str]) -> OrderChain | None:
    chain = trial.declared("order_chain", tuple(names))
    if chain is None or isinstance(chain, OrderChain):
        return chain
    raise trial.refusal(
        f"returns a {type(chain).__name__} from order_chain; it must return an OrderChain or None; correct order_chain"
    )
