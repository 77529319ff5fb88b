"""Answers: quantities, results, provenance. Knows no queue."""

from msj.results.outcome import Outcome
from msj.results.provenance import provenance
from msj.results.quantity import Quantity
from msj.results.result import Result

__all__ = ["Outcome", "Quantity", "Result", "provenance"]
