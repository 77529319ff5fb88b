"""Arrival laws, one file each; the folder's listing is their catalogue."""

from msj.model.arrivals.base import Arrivals, ArrivalSampler, arrivals_from
from msj.model.arrivals.batch import BatchArrivals
from msj.model.arrivals.daily import DailyArrivals
from msj.model.arrivals.map import MapArrivals
from msj.model.arrivals.markov_form import MarkovForm
from msj.model.arrivals.mmpp import MmppArrivals
from msj.model.arrivals.poisson import PoissonArrivals
from msj.model.arrivals.recorded import RecordedArrivals
from msj.model.arrivals.renewal import RenewalArrivals

__all__ = [
    "ArrivalSampler",
    "Arrivals",
    "BatchArrivals",
    "DailyArrivals",
    "MapArrivals",
    "MarkovForm",
    "MmppArrivals",
    "PoissonArrivals",
    "RecordedArrivals",
    "RenewalArrivals",
    "arrivals_from",
]
