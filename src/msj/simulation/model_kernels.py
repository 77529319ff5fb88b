"""Which kernel runs which of the models a spec file can choose (``model = ...``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from msj.disciplines import Policy
from msj.disciplines.base import told_apart
from msj.disciplines.server_filling import why_not_powers_of_two
from msj.engines.completed import Kernel
from msj.engines.fork_join import ForkJoinKernel
from msj.engines.pools import PoolsKernel
from msj.engines.preemption_cost import PreemptionCostKernel
from msj.engines.red_and_blue import RedAndBlueKernel
from msj.engines.set_up import SetUpKernel
from msj.engines.stages import StagesKernel
from msj.errors import NotSupported
from msj.fronts.models.fork_join import ForkJoinModel
from msj.fronts.models.preemption_cost import PreemptionCostModel
from msj.fronts.models.red_and_blue import RedAndBlueModel
from msj.fronts.models.server_groups import ServerGroupsModel
from msj.fronts.models.set_up import SetUpModel
from msj.fronts.models.several_resources import SeveralResourcesModel
from msj.fronts.models.stages import StagesModel
from msj.fronts.models.system_model import SystemModel
from msj.model import System
from msj.workloads import Streams


def model_kernel(system: System, policy: Policy, streams: Streams) -> Kernel:
    """Return the kernel for a system with a model; refuse a policy the model does not go with."""
    model: Any = system.model
    make = MODEL_KERNELS.get(type(model))
    if make is None:
        raise NotSupported(f"model '{model.name}' has no simulation; msj analyse gives exact answers")
    if type(policy) is not model.goes_with:
        raise NotSupported(
            f"model '{model.name}' goes with policy '{model.policy}' only and the policy is "
            f"{told_apart(policy, model.goes_with)}; set policy = '{model.policy}'"
        )
    return make(system, model, streams)


def _several_resources(system: System, model: Any, streams: Streams) -> Kernel:  # noqa: ARG001
    pools = ["servers", *model.capacity]
    ways = [[[model.amounts(c).get(name, 0) for name in pools]] for c in system.classes]
    return PoolsKernel(
        capacity=np.array([system.servers, *model.capacity.values()]),
        ways=np.array(ways),
        servers=np.array([name == "servers" for name in pools]),
    )


def _server_groups(system: System, model: Any, streams: Streams) -> Kernel:  # noqa: ARG001
    names = list(model.groups)
    most = max(len(model.groups_of(c)) for c in system.classes)
    ways = np.full((len(system.classes), most, len(names)), -1, dtype=np.int64)
    for i, c in enumerate(system.classes):
        for w, name in enumerate(model.groups_of(c)):
            ways[i, w] = 0
            ways[i, w, names.index(name)] = c.need
    servers = np.ones(len(names), dtype=np.bool_)
    return PoolsKernel(capacity=np.array(list(model.groups.values())), ways=ways, servers=servers)


def _fork_join(system: System, model: Any, streams: Streams) -> Kernel:  # noqa: ARG001
    return ForkJoinKernel(system=system, streams=streams)


def _stages(system: System, model: Any, streams: Streams) -> Kernel:
    stages = [model.stages_of(c) for c in system.classes]
    return StagesKernel(
        servers=system.servers,
        needs=[[stage.need for stage in own] for own in stages],
        laws=[[stage.duration for stage in own] for own in stages],
        streams=streams,
    )


def _set_up(system: System, model: Any, streams: Streams) -> Kernel:
    return SetUpKernel(
        servers=system.servers, set_up_rate=float(model.set_up_rate), staggered=model.staggered, streams=streams
    )


def _red_and_blue(system: System, model: Any, streams: Streams) -> Kernel:  # noqa: ARG001
    blue = np.array([c.extra["colour"] == "blue" for c in system.classes])
    return RedAndBlueKernel(servers=system.servers, blue=blue)


def _preemption_cost(system: System, model: Any, streams: Streams) -> Kernel:
    reason = why_not_powers_of_two(system)
    if reason is not None:
        raise NotSupported(reason)
    return PreemptionCostKernel(servers=system.servers, overhead_rate=float(model.overhead_rate), streams=streams)


MODEL_KERNELS: dict[type[SystemModel], Callable[[System, Any, Streams], Kernel]] = {
    ForkJoinModel: _fork_join,
    PreemptionCostModel: _preemption_cost,
    RedAndBlueModel: _red_and_blue,
    ServerGroupsModel: _server_groups,
    SetUpModel: _set_up,
    SeveralResourcesModel: _several_resources,
    StagesModel: _stages,
}
