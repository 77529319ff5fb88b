"""msj: clusters whose jobs hold several servers at once.

Describe a cluster once, then ask how much load it takes, how much it wastes and how long jobs stay:

>>> import msj
>>> system = msj.System(servers=2, load=0.8, classes=[
...     msj.JobClass(name="small", need=1, share="2/3", duration=msj.Exponential(mean=1)),
...     msj.JobClass(name="large", need=2, share="1/3", duration=msj.Exponential(mean=2)),
... ])
>>> round(msj.analyse(system)["stability_threshold"], 12)
0.9
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from msj.errors import InvalidInput, MsjError, NotAccurate, NotSupported, TooLarge, Unstable

if TYPE_CHECKING:
    from msj.analysis import analyse, analyse_model, in_symbols, open_system, response_curve, saturate
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
        Uniform,
        Weibull,
    )
    from msj.questions import compare, simulate

__version__ = "0.1.0"

# NumPy, SciPy and the compiler are loaded when something is first asked for, so that the command line answers at once.
_PLACES = {
    "msj.model": ("JobClass", "System", "read", "write"),
    "msj.model.durations": (
        "Coxian",
        "Deterministic",
        "Empirical",
        "Erlang",
        "Exponential",
        "Fit",
        "Hyperexponential",
        "Lognormal",
        "Pareto",
        "PhaseType",
        "Uniform",
        "Weibull",
    ),
    "msj.analysis": ("analyse", "analyse_model", "in_symbols", "open_system", "response_curve", "saturate"),
    "msj.questions": ("compare", "simulate"),
}
_LATER = {name: place for place, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    if not name.startswith("_") and importlib.util.find_spec(f"msj.{name}") is not None:
        return importlib.import_module(f"msj.{name}")
    raise AttributeError(f"module 'msj' has no attribute '{name}'")


__all__ = [
    "Coxian",
    "Deterministic",
    "Empirical",
    "Erlang",
    "Exponential",
    "Fit",
    "Hyperexponential",
    "InvalidInput",
    "JobClass",
    "Lognormal",
    "MsjError",
    "NotAccurate",
    "NotSupported",
    "Pareto",
    "PhaseType",
    "System",
    "TooLarge",
    "Uniform",
    "Unstable",
    "Weibull",
    "analyse",
    "analyse_model",
    "compare",
    "in_symbols",
    "open_system",
    "read",
    "response_curve",
    "saturate",
    "simulate",
    "write",
]
