"""Policies and models, one file each: options, rule, traits, and what serves them. The listing is their catalogue."""

from msj.disciplines.adaptive_quickswap import AdaptiveQuickswap
from msj.disciplines.balanced_splitting import BalancedSplitting
from msj.disciplines.base import Policy
from msj.disciplines.best_fit import BestFit
from msj.disciplines.best_packing import BestPacking
from msj.disciplines.conservative_backfilling import ConservativeBackfilling
from msj.disciplines.divisor_filling import DivisorFilling
from msj.disciplines.divisor_filling_gittins import DivisorFillingGittins
from msj.disciplines.divisor_filling_srpt import DivisorFillingSrpt
from msj.disciplines.easy_backfilling import EasyBackfilling
from msj.disciplines.fcfs import Fcfs
from msj.disciplines.first_fit import FirstFit
from msj.disciplines.first_fit_srpt import FirstFitSrpt
from msj.disciplines.fork_join import ForkJoin
from msj.disciplines.greedy_srpt import GreedySrpt
from msj.disciplines.heterogeneous_servers import HeterogeneousServers
from msj.disciplines.least_servers_first import LeastServersFirst
from msj.disciplines.limited_processor_sharing import LimitedProcessorSharing
from msj.disciplines.loss import Loss
from msj.disciplines.max_weight import MaxWeight
from msj.disciplines.model import Model
from msj.disciplines.most_servers_first import MostServersFirst
from msj.disciplines.msfq import Msfq
from msj.disciplines.msr import Msr
from msj.disciplines.nmsr import Nmsr
from msj.disciplines.own_function import OwnFunction
from msj.disciplines.preemption_cost import PreemptionCost
from msj.disciplines.randomized_timers import RandomizedTimers
from msj.disciplines.red_and_blue import RedAndBlue
from msj.disciplines.served_by import ServedBy
from msj.disciplines.server_filling import ServerFilling
from msj.disciplines.server_filling_gittins import ServerFillingGittins
from msj.disciplines.server_filling_srpt import ServerFillingSrpt
from msj.disciplines.server_groups import ServerGroups
from msj.disciplines.set_up import SetUp
from msj.disciplines.several_resources import SeveralResources
from msj.disciplines.smash import Smash
from msj.disciplines.stages import Stage, Stages
from msj.disciplines.static_quickswap import StaticQuickswap
from msj.disciplines.threshold_parallelism import ThresholdParallelism

__all__ = [
    "AdaptiveQuickswap",
    "BalancedSplitting",
    "BestFit",
    "BestPacking",
    "ConservativeBackfilling",
    "DivisorFilling",
    "DivisorFillingGittins",
    "DivisorFillingSrpt",
    "EasyBackfilling",
    "Fcfs",
    "FirstFit",
    "FirstFitSrpt",
    "ForkJoin",
    "GreedySrpt",
    "HeterogeneousServers",
    "LeastServersFirst",
    "LimitedProcessorSharing",
    "Loss",
    "MaxWeight",
    "Model",
    "MostServersFirst",
    "Msfq",
    "Msr",
    "Nmsr",
    "OwnFunction",
    "Policy",
    "PreemptionCost",
    "RandomizedTimers",
    "RedAndBlue",
    "ServedBy",
    "ServerFilling",
    "ServerFillingGittins",
    "ServerFillingSrpt",
    "ServerGroups",
    "SetUp",
    "SeveralResources",
    "Smash",
    "Stage",
    "Stages",
    "StaticQuickswap",
    "ThresholdParallelism",
]
