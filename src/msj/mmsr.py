"""The M/M/1 with Markovian service rate, for any service process a user writes down.

>>> from msj import mmsr
>>> pool = mmsr.breakdowns(servers=3, rate=1.0, failure_rate=0.01, repair_rate=0.2)
>>> round(mmsr.analyse(pool, load=0.9)["mean_response_time"], 6)
4.18755
"""

from msj.analysis.mmsr import analyse_service_process as analyse
from msj.analysis.mmsr import breakdowns, from_matrices, higher_priority, open_queue
from msj.markov import LongRun, MarkedChain, solve

__all__ = [
    "LongRun",
    "MarkedChain",
    "analyse",
    "breakdowns",
    "from_matrices",
    "higher_priority",
    "open_queue",
    "solve",
]
