"""The engine that serves a system, or given jobs: the one its discipline names (``disciplines.served_by``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from msj.disciplines import Policy
from msj.disciplines.model import Model, discipline_of, model_of, policy_of
from msj.engines.cluster import Cluster
from msj.engines.completed import Engine
from msj.errors import NotSupported
from msj.model import System
from msj.workloads import Streams


def engine_of(system: System, streams: Streams) -> Engine:
    """Return the engine for a system; what its discipline does not support is refused with the reason."""
    discipline = discipline_of(system)
    reason = discipline.supports(system)
    if reason is not None:
        raise NotSupported(f"{discipline.kind} '{discipline.name}' does not apply: {reason}")
    model = model_of(system)
    served_by = policy_of(system).on(system).engine(system.servers) if model is None else model.engine(system)
    if served_by is None:
        raise NotSupported(f"model '{discipline.name}' has no simulation; msj analyse gives exact answers")
    engine: Engine = served_by.made(cluster_of(system, streams))
    return engine


def cluster_of(system: System, streams: Streams) -> Cluster:
    """Return the cluster of a system, as engines know it."""
    return _cluster(discipline_of(system), system.servers, np.array([c.need for c in system.classes]), streams)


def engine_for(
    policy: Policy, *, servers: int, needs: NDArray[np.int64], streams: Streams, generic: bool = False
) -> Engine:
    """Return the engine for jobs with these needs; ``generic`` asks for the one that runs any plain function."""
    served_by = Policy.engine(policy, servers) if generic else policy.engine(servers)
    policy.try_on(servers, needs.tolist(), classes=False)
    engine: Engine = served_by.made(_cluster(policy, servers, needs, streams))
    return engine


def _cluster(discipline: Policy | Model, servers: int, needs: NDArray[np.int64], streams: Streams) -> Cluster:
    restart = isinstance(discipline, Policy) and discipline.restart
    return Cluster(servers=servers, needs=needs, streams=streams, name=discipline.name, restart=restart)
