"""Policies, one file each; the folder's listing is their catalogue."""

from msj.policies.base import Policy
from msj.policies.best_fit import BestFit
from msj.policies.best_packing import BestPacking
from msj.policies.conservative_backfilling import ConservativeBackfilling
from msj.policies.divisor_filling import DivisorFilling
from msj.policies.easy_backfilling import EasyBackfilling
from msj.policies.fcfs import Fcfs
from msj.policies.first_fit import FirstFit
from msj.policies.first_fit_srpt import FirstFitSrpt
from msj.policies.greedy_srpt import GreedySrpt
from msj.policies.heterogeneous_servers import HeterogeneousServers
from msj.policies.least_servers_first import LeastServersFirst
from msj.policies.limited_processor_sharing import LimitedProcessorSharing
from msj.policies.max_weight import MaxWeight
from msj.policies.most_servers_first import MostServersFirst
from msj.policies.own_function import OwnFunction
from msj.policies.randomized_timers import RandomizedTimers
from msj.policies.server_filling import ServerFilling
from msj.policies.server_filling_srpt import ServerFillingSrpt
from msj.policies.threshold_parallelism import ThresholdParallelism

__all__ = [
    "BestFit",
    "BestPacking",
    "ConservativeBackfilling",
    "DivisorFilling",
    "EasyBackfilling",
    "Fcfs",
    "FirstFit",
    "FirstFitSrpt",
    "GreedySrpt",
    "HeterogeneousServers",
    "LeastServersFirst",
    "LimitedProcessorSharing",
    "MaxWeight",
    "MostServersFirst",
    "OwnFunction",
    "Policy",
    "RandomizedTimers",
    "ServerFilling",
    "ServerFillingSrpt",
    "ThresholdParallelism",
]
