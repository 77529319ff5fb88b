"""Answers: quantities, results, provenance. Knows no queue."""

from msj.results.outcome import Outcome
from msj.results.provenance import provenance
from msj.results.quantity import Kind, Quantity
from msj.results.result import Result

__all__ = ["Kind", "Outcome", "Quantity", "Result", "provenance"]
