"""Duration laws, one file each; the folder's listing is their catalogue."""

from msj.model.durations.base import Duration, duration_from_spec
from msj.model.durations.coxian import Coxian
from msj.model.durations.deterministic import Deterministic
from msj.model.durations.empirical import Empirical
from msj.model.durations.erlang import Erlang
from msj.model.durations.exponential import Exponential
from msj.model.durations.fit import Fit
from msj.model.durations.hyperexponential import Hyperexponential
from msj.model.durations.lognormal import Lognormal
from msj.model.durations.pareto import Pareto
from msj.model.durations.phase_type import PhaseType
from msj.model.durations.scipy import Scipy
from msj.model.durations.uniform import Uniform
from msj.model.durations.weibull import Weibull

__all__ = [
    "Coxian",
    "Deterministic",
    "Duration",
    "Empirical",
    "Erlang",
    "Exponential",
    "Fit",
    "Hyperexponential",
    "Lognormal",
    "Pareto",
    "PhaseType",
    "Scipy",
    "Uniform",
    "Weibull",
    "duration_from_spec",
]
