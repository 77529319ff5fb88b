"""The front model of a system: of its ``model``, of a policy that shares speed, or of the policy's own function.

Three ways lead from a spec file to a :class:`FrontModel`:

- a ``model`` (``fronts.models``) says itself what its front is;
- the policies that share speed (``disciplines.sharing``) have fronts of their own in ``fronts.models``. There sizes
  are times on one server of speed 1; in a system a duration is the time on ``need`` servers, so sizes are scaled;
- any other policy is asked by its plain function (``policy_front``).
"""

from __future__ import annotations

from typing import Any

from msj.disciplines.heterogeneous_servers import HeterogeneousServers
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.sharing import Sharing
from msj.disciplines.threshold_parallelism import ThresholdParallelism
from msj.errors import NotSupported
from msj.fronts.front_model import FrontModel
from msj.fronts.job_types import why_not_phase_type
from msj.fronts.models import heterogeneous, limited_processor_sharing, threshold_parallelism
from msj.fronts.models.phased_model import ModelClass
from msj.fronts.models.system_model import SystemModel
from msj.fronts.policy_front import policy_front, why_not_finite
from msj.model import System


def why_no_front(system: System) -> str | None:
    """Return the reason if the system has no finite front, else None."""
    if system.model is not None:
        if not isinstance(system.model, SystemModel):
            return f"{system.model!r} is not one of msj's models"
        return system.model.supports(system)
    policy = system.policy
    if isinstance(policy, ThresholdParallelism) and policy.order != "fcfs":
        return f"threshold parallelism with order '{policy.order}' may serve any job first; simulate it"
    if isinstance(policy, Sharing):
        return policy.supports(system) or why_not_phase_type(system)
    return why_not_finite(system) or why_not_phase_type(system)


def front_of(system: System) -> FrontModel[Any, Any]:
    """Return the front model of a system; what has none is refused with the reason.

    Examples
    --------
    >>> import msj
    >>> jobs = msj.JobClass(name="jobs", need=2, share=1, duration=msj.Exponential(mean=1))
    >>> front_of(msj.System(servers=4, classes=[jobs], model="fork-join")).most_jobs
    5
    """
    reason = why_no_front(system)
    if reason is not None:
        raise NotSupported(reason)
    if isinstance(system.model, SystemModel):
        return system.model.front(system)
    return _sharing_front(system, system.policy) if isinstance(system.policy, Sharing) else policy_front(system)


def _sharing_front(system: System, policy: Sharing) -> FrontModel[Any, Any]:
    k = system.servers
    if isinstance(policy, LimitedProcessorSharing):  # one machine as fast as all servers, sizes in server-time
        classes = [ModelClass(name=c.name, share=c.share, duration=c.duration.scaled(k)) for c in system.classes]
        return limited_processor_sharing.LimitedProcessorSharing(level=policy.limit_on(k), duration=classes, speed=k)
    if isinstance(policy, HeterogeneousServers):
        classes = [ModelClass(name=c.name, share=c.share, duration=c.duration) for c in system.classes]
        speeds = policy.relative_speeds(k)
        return heterogeneous.Heterogeneous(speeds=speeds, duration=classes, assignment=policy.assignment)
    if isinstance(policy, ThresholdParallelism):
        parallel = [
            threshold_parallelism.ParallelClass(
                name=c.name, share=c.share, threshold=c.need, duration=c.duration.scaled(c.need)
            )
            for c in system.classes
        ]
        return threshold_parallelism.ThresholdParallelism(servers=k, classes=parallel)
    raise NotSupported(f"policy '{policy.name}' shares servers in a way that has no chain here; simulate it")
