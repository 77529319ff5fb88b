"""Answers: quantities, results, provenance. Knows no queue."""

from msj.effort import Progress, Watch
from msj.results.coordinates import COORDINATES, At
from msj.results.outcome import Missing, Outcome
from msj.results.provenance import provenance, version_of
from msj.results.quantity import KINDS, Kind, Quantity
from msj.results.records import quantities_from, read_csv
from msj.results.result import Result

__all__ = [
    "COORDINATES",
    "KINDS",
    "At",
    "Kind",
    "Missing",
    "Outcome",
    "Progress",
    "Quantity",
    "Result",
    "Watch",
    "provenance",
    "quantities_from",
    "read_csv",
    "version_of",
]
