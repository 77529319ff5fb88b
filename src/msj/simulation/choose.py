"""Which kernel runs which policy.

A policy listed here has a kernel of its own, found by its exact type: a subclass may have another rule, and a function
of a user's own may have any name. Every other one is run by the generic kernel from its plain function, which is also
the twin the fast kernels are tested against.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msj.disciplines import Fcfs, Policy
from msj.disciplines.best_fit import BestFit
from msj.disciplines.divisor_filling import DivisorFilling
from msj.disciplines.easy_backfilling import EasyBackfilling
from msj.disciplines.first_fit import FirstFit
from msj.disciplines.first_fit_srpt import FirstFitSrpt
from msj.disciplines.greedy_srpt import GreedySrpt
from msj.disciplines.heterogeneous_servers import HeterogeneousServers
from msj.disciplines.least_servers_first import LeastServersFirst
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.max_weight import TIES, MaxWeight
from msj.disciplines.most_servers_first import MostServersFirst
from msj.disciplines.randomized_timers import RandomizedTimers
from msj.disciplines.server_filling import ServerFilling
from msj.disciplines.server_filling_srpt import ServerFillingSrpt
from msj.disciplines.threshold_parallelism import ThresholdParallelism
from msj.engines import by_need, by_size
from msj.engines.completed import Kernel
from msj.engines.easy import EasyKernel
from msj.engines.fcfs import FcfsKernel
from msj.engines.sharing import SharingKernel
from msj.engines.timers import TimersKernel
from msj.errors import NotSupported
from msj.model import System
from msj.simulation.model_kernels import model_kernel
from msj.workloads import Streams

Needs = NDArray[np.int64]


def kernel_for(system: System, policy: Policy, streams: Streams) -> Kernel:
    """Return the kernel that runs ``policy`` for the system; refuse what the policy does not support."""
    if system.model is not None:
        return model_kernel(system, policy, streams)
    reason = policy.supports(system)
    if reason is not None:
        raise NotSupported(f"policy '{policy.name}' does not apply: {reason}")
    return make_kernel(
        policy, servers=system.servers, needs=np.array([c.need for c in system.classes]), streams=streams
    )


def make_kernel(policy: Policy, *, servers: int, needs: Needs, streams: Streams, generic: bool = False) -> Kernel:
    """Return the kernel for jobs with these needs; ``generic`` asks for the one that runs any plain function."""
    special = None if generic else SPECIAL.get(type(policy))
    kernel = None if special is None else special(policy, servers, needs, streams)
    if kernel is not None:
        return kernel
    from msj.engines.generic import GenericKernel

    return GenericKernel(servers=servers, policy=policy)


def _fcfs(policy: Policy, servers: int, needs: Needs, streams: Streams) -> Kernel:  # noqa: ARG001
    return FcfsKernel(servers=servers)


def _by_need(rule: int, front: int = by_need.EVERYONE) -> Callable[[Policy, int, Needs, Streams], Kernel]:
    def make(policy: Policy, servers: int, needs: Needs, streams: Streams) -> Kernel:  # noqa: ARG001
        return by_need.ByNeedKernel(
            servers=servers, name=policy.name, needs=needs, rule=rule, front=front, preemptive=policy.preemptive
        )

    return make


def _first_fit(policy: Any, servers: int, needs: Needs, streams: Streams) -> Kernel | None:
    if policy.window is not None:
        return None  # the window counts jobs passed over, whatever their need
    return _by_need(by_need.FIRST_FIT)(policy, servers, needs, streams)


def _max_weight(policy: Any, servers: int, needs: Needs, streams: Streams) -> Kernel:
    chosen: MaxWeight = policy
    return by_need.ByNeedKernel(
        servers=servers,
        name=policy.name,
        needs=needs,
        rule=by_need.HEAVIEST_PRESENT if chosen.limited else by_need.HEAVIEST,
        ties=TIES.index(chosen.ties),
        streams=streams,
    )


def _by_size(rule: int) -> Callable[[Policy, int, Needs, Streams], Kernel]:
    def make(policy: Policy, servers: int, needs: Needs, streams: Streams) -> Kernel:  # noqa: ARG001
        return by_size.BySizeKernel(servers=servers, name=policy.name, needs=needs, rule=rule)

    return make


def _easy(policy: Any, servers: int, needs: Needs, streams: Streams) -> Kernel:  # noqa: ARG001
    return EasyKernel(servers=servers, policy=policy)


def _timers(policy: Any, servers: int, needs: Needs, streams: Streams) -> Kernel:
    return TimersKernel(servers=servers, policy=policy, needs=needs, streams=streams)


def _sharing(policy: Any, servers: int, needs: Needs, streams: Streams) -> Kernel:  # noqa: ARG001
    return SharingKernel(servers=servers, policy=policy, needs=needs)


SPECIAL: dict[type[Policy], Callable[[Any, int, Needs, Streams], Kernel | None]] = {
    Fcfs: _fcfs,
    FirstFit: _first_fit,
    BestFit: _by_need(by_need.MOST_FIRST),
    LeastServersFirst: _by_need(by_need.LEAST_FIRST),
    MostServersFirst: _by_need(by_need.MOST_FIRST),
    ServerFilling: _by_need(by_need.MOST_FIRST, by_need.PREFIX),
    DivisorFilling: _by_need(by_need.EXACTLY, by_need.OLDEST),
    MaxWeight: _max_weight,
    EasyBackfilling: _easy,
    RandomizedTimers: _timers,
    ServerFillingSrpt: _by_size(by_size.SERVER_FILLING),
    FirstFitSrpt: _by_size(by_size.FIRST_FIT),
    GreedySrpt: _by_size(by_size.GREEDY),
    LimitedProcessorSharing: _sharing,
    HeterogeneousServers: _sharing,
    ThresholdParallelism: _sharing,
}
