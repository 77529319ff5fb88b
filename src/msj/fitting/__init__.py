"""Laws from a log: classes, run times, arrivals and the order of jobs, each with how near it is."""

from msj.fitting.fitted import Fitted, fitted
from msj.options import FitOptions

__all__ = ["FitOptions", "Fitted", "fitted"]
