"""Policies, one file each; the folder's listing is their catalogue."""

from msj.disciplines.base import Policy
from msj.disciplines.best_fit import BestFit
from msj.disciplines.best_packing import BestPacking
from msj.disciplines.conservative_backfilling import ConservativeBackfilling
from msj.disciplines.divisor_filling import DivisorFilling
from msj.disciplines.easy_backfilling import EasyBackfilling
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.first_fit import FirstFit
from msj.disciplines.first_fit_srpt import FirstFitSrpt
from msj.disciplines.greedy_srpt import GreedySrpt
from msj.disciplines.heterogeneous_servers import HeterogeneousServers
from msj.disciplines.least_servers_first import LeastServersFirst
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.max_weight import MaxWeight
from msj.disciplines.most_servers_first import MostServersFirst
from msj.disciplines.own_function import OwnFunction
from msj.disciplines.randomized_timers import RandomizedTimers
from msj.disciplines.server_filling import ServerFilling
from msj.disciplines.server_filling_srpt import ServerFillingSrpt
from msj.disciplines.threshold_parallelism import ThresholdParallelism

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
