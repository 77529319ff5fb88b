"""The fluid model of a described cluster: its rates, its loads, and where it starts (``closed_forms.fluid``)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from msj.analysis.base import why_not_exponential, why_not_fcfs
from msj.closed_forms.fluid import FluidModel, Vector
from msj.errors import InvalidInput, NotSupported
from msj.growth.queueing_bounds import offered
from msj.model import System
from msj.model.assumptions import why_not_plain
from msj.model.numbers import number

STARTS = ("empty", "equilibrium")


def fluid_model(system: System, start: str | ArrayLike = "empty") -> FluidModel:
    """Return the fluid model of a system.

    Parameters
    ----------
    system
        A cluster under FCFS with exponential durations and a load below 1.
    start
        y_i(0) = X_i(0)/lambda_i for each class that arrives (a time: jobs over jobs per unit of time), or ``empty``
        (0), or ``equilibrium`` (the mean duration).

    Examples
    --------
    >>> import msj
    >>> fluid_model(msj.read("examples/two_servers.toml"), "equilibrium").start.tolist()
    [1.0, 2.0]
    """
    reason = why_not_fcfs(system) or why_not_exponential(system) or why_not_plain(system)
    if reason is not None:
        raise NotSupported(f"the fluid model does not apply: {reason}")
    rate, _ = offered(system)
    classes = system.active_classes
    means = np.array([float(c.duration.mean) for c in classes])
    shares = np.array([float(c.share) for c in classes])
    needs = np.array([float(c.need) for c in classes])
    return FluidModel(
        classes=tuple(c.name for c in classes),
        rates=1.0 / means,
        loads=rate * shares * needs * means / system.servers,
        start=_start(start, means),
    )


def _start(start: str | ArrayLike, means: Vector) -> Vector:
    if isinstance(start, str):
        if start not in STARTS:
            raise InvalidInput(f"start = {start!r} is unknown; use {' or '.join(STARTS)}, or one number per class")
        return np.zeros_like(means) if start == "empty" else means.copy()
    given = [float(number(value, f"start[{index}]")) for index, value in enumerate(np.atleast_1d(np.asarray(start)))]
    if len(given) != len(means):
        raise InvalidInput(f"start has {len(given)} numbers for {len(means)} classes; give one per class")
    for index, value in enumerate(given):
        if value < 0 or not math.isfinite(value):
            raise InvalidInput(f"start[{index}] = {value:g} must be at least 0; give jobs present / arrival rate")
    return np.array(given)
