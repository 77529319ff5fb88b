"""Finite-skip models, one file each: the WCFS family (wcfs, section 3) and the extensions of MSJ (reset, Appendix H).

Those that a spec file can choose (``model = ...``) end in ``VARIANT = ...``; those that are policies (sharing, speeds,
thresholds) do not. Each is a :class:`~msj.fronts.front_model.FrontModel`, so ``msj.analyse_model`` gives its
stability threshold, RESET prediction and exact response time.
"""

from msj.fronts.models.fork_join import ForkJoin, ForkJoinClass
from msj.fronts.models.heterogeneous import Heterogeneous
from msj.fronts.models.limited_processor_sharing import LimitedProcessorSharing
from msj.fronts.models.preemption_cost import PreemptionCost
from msj.fronts.models.red_and_blue import ColouredClass, RedAndBlue
from msj.fronts.models.server_groups import GroupedClass, ServerGroups
from msj.fronts.models.set_up import ServerStates, SetUp
from msj.fronts.models.several_resources import ResourceClass, SeveralResources
from msj.fronts.models.stages import Stage, StagedClass, Stages
from msj.fronts.models.threshold_parallelism import ParallelClass, ThresholdParallelism

__all__ = [
    "ColouredClass",
    "ForkJoin",
    "ForkJoinClass",
    "GroupedClass",
    "Heterogeneous",
    "LimitedProcessorSharing",
    "ParallelClass",
    "PreemptionCost",
    "RedAndBlue",
    "ResourceClass",
    "ServerGroups",
    "ServerStates",
    "SetUp",
    "SeveralResources",
    "Stage",
    "StagedClass",
    "Stages",
    "ThresholdParallelism",
]
