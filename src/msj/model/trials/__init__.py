"""Tests of laws from outside the package: what they declare against what they draw, once per law."""

from msj.model.trials.arrivals import try_arrivals
from msj.model.trials.durations import try_duration
from msj.model.trials.orders import try_order
from msj.model.trials.system import try_laws
from msj.model.trials.trial import Check, Trial

__all__ = ["Check", "Trial", "try_arrivals", "try_duration", "try_laws", "try_order"]
