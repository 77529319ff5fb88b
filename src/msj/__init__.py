"""msj: clusters whose jobs hold several servers at once.

Describe a cluster once, then ask how much it can take, how much it wastes and how long jobs stay:

>>> import msj
>>> system = msj.System(servers=2, load=0.8, classes=[
...     msj.JobClass(name="small", need=1, share="2/3", duration=msj.Exponential(mean=1)),
...     msj.JobClass(name="large", need=2, share="1/3", duration=msj.Exponential(mean=2)),
... ])
>>> round(msj.analyse(system)["stability_threshold"], 12)
0.9

Where a system is wanted, the name of the file that describes it will do; every verb answers with a :class:`Result`.
"""

import sys as _sys

# `python -m msj` puts the current folder first on the path, which may hold a numpy.py beside a downloaded log. It is
# removed before the first import that could find such a file, unless msj itself lies there.
if _sys.argv[:1] == ["-m"] and not _sys.flags.safe_path and _sys.path[0] != __file__[: -len("/msj/__init__.py")]:
    del _sys.path[0]

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from msj.errors import Failure, InvalidInput, MsjError, NotAccurate, NotSupported, TooLarge, Unstable

if _TYPE_CHECKING:
    from msj import mmsr
    from msj.analysis import analyse_model, saturate
    from msj.answers import (
        analyse,
        compare,
        curve,
        decisions,
        design,
        fit,
        in_symbols,
        log,
        open_system,
        region,
        replay,
        simulate,
        waste,
    )
    from msj.ask_again import rerun
    from msj.disciplines import (
        AdaptiveQuickswap,
        BalancedSplitting,
        BestFit,
        BestPacking,
        ConservativeBackfilling,
        DivisorFilling,
        DivisorFillingGittins,
        DivisorFillingSrpt,
        EasyBackfilling,
        Fcfs,
        FirstFit,
        FirstFitSrpt,
        GreedySrpt,
        HeterogeneousServers,
        LeastServersFirst,
        LimitedProcessorSharing,
        Loss,
        MaxWeight,
        MostServersFirst,
        Msfq,
        Msr,
        Nmsr,
        OwnFunction,
        RandomizedTimers,
        ServerFilling,
        ServerFillingGittins,
        ServerFillingSrpt,
        Smash,
        StaticQuickswap,
        ThresholdParallelism,
    )
    from msj.growth import (
        cluster_scaling,
        fluid,
        one_and_n_scaling,
        one_and_n_worst,
        two_needs_scaling,
        zero_queueing,
        zero_queueing_family,
    )
    from msj.logs import Trace, read_log
    from msj.model import JobClass, System, read, write
    from msj.model.durations import (
        Coxian,
        Deterministic,
        Empirical,
        Erlang,
        Exponential,
        Fit,
        Hyperexponential,
        Lognormal,
        Pareto,
        PhaseType,
        Scipy,
        Uniform,
        Weibull,
    )
    from msj.papers import paper
    from msj.planning import plan
    from msj.reports import report, report_log
    from msj.results import Outcome, Progress, Quantity, Result
    from msj.sweeps import read_sweep, sweep
    from msj.workloads import RecordedJobs

__version__ = "0.2.0.dev0"

# NumPy, SciPy and the compiler are loaded when something is first asked for, so that the command line answers at once.
_PLACES = {
    "msj.model": "JobClass System read write",
    "msj.model.durations": (
        "Coxian Deterministic Empirical Erlang Exponential Fit Hyperexponential Lognormal Pareto PhaseType Scipy "
        "Uniform Weibull"
    ),
    "msj.disciplines": (
        "AdaptiveQuickswap BalancedSplitting BestFit BestPacking ConservativeBackfilling DivisorFilling "
        "DivisorFillingGittins DivisorFillingSrpt EasyBackfilling Fcfs FirstFit FirstFitSrpt GreedySrpt "
        "HeterogeneousServers LeastServersFirst LimitedProcessorSharing Loss MaxWeight MostServersFirst Msfq Msr "
        "Nmsr OwnFunction RandomizedTimers ServerFilling ServerFillingGittins ServerFillingSrpt Smash "
        "StaticQuickswap ThresholdParallelism"
    ),
    "msj.results": "Outcome Progress Quantity Result",
    "msj.logs": "Trace read_log",
    "msj.workloads": "RecordedJobs",
    "msj.answers": "analyse compare curve decisions design fit in_symbols log open_system region replay simulate waste",
    "msj.analysis": "analyse_model saturate",
    "msj.growth": (
        "cluster_scaling fluid one_and_n_scaling one_and_n_worst two_needs_scaling zero_queueing zero_queueing_family"
    ),
    "msj.planning": "plan",
    "msj.sweeps": "read_sweep sweep",
    "msj.papers": "paper",
    "msj.reports": "report report_log",
    "msj.ask_again": "rerun",
}
_LATER = {name: place for place, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        return getattr(_importlib.import_module(_LATER[name]), name)
    if name == "mmsr":
        return _importlib.import_module("msj.mmsr")
    raise AttributeError(f"module 'msj' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "__doc__", "__file__", "__name__", "__path__"])


__all__ = [
    "AdaptiveQuickswap",
    "BalancedSplitting",
    "BestFit",
    "BestPacking",
    "ConservativeBackfilling",
    "Coxian",
    "Deterministic",
    "DivisorFilling",
    "DivisorFillingGittins",
    "DivisorFillingSrpt",
    "EasyBackfilling",
    "Empirical",
    "Erlang",
    "Exponential",
    "Failure",
    "Fcfs",
    "FirstFit",
    "FirstFitSrpt",
    "Fit",
    "GreedySrpt",
    "HeterogeneousServers",
    "Hyperexponential",
    "InvalidInput",
    "JobClass",
    "LeastServersFirst",
    "LimitedProcessorSharing",
    "Lognormal",
    "Loss",
    "MaxWeight",
    "MostServersFirst",
    "Msfq",
    "MsjError",
    "Msr",
    "Nmsr",
    "NotAccurate",
    "NotSupported",
    "Outcome",
    "OwnFunction",
    "Pareto",
    "PhaseType",
    "Progress",
    "Quantity",
    "RandomizedTimers",
    "RecordedJobs",
    "Result",
    "Scipy",
    "ServerFilling",
    "ServerFillingGittins",
    "ServerFillingSrpt",
    "Smash",
    "StaticQuickswap",
    "System",
    "ThresholdParallelism",
    "TooLarge",
    "Trace",
    "Uniform",
    "Unstable",
    "Weibull",
    "analyse",
    "analyse_model",
    "cluster_scaling",
    "compare",
    "curve",
    "decisions",
    "design",
    "fit",
    "fluid",
    "in_symbols",
    "log",
    "mmsr",
    "one_and_n_scaling",
    "one_and_n_worst",
    "open_system",
    "paper",
    "plan",
    "read",
    "read_log",
    "read_sweep",
    "region",
    "replay",
    "report",
    "report_log",
    "rerun",
    "saturate",
    "simulate",
    "sweep",
    "two_needs_scaling",
    "waste",
    "write",
    "zero_queueing",
    "zero_queueing_family",
]
