"""Logs of real clusters: readers in a catalogue, rules by which rows become jobs, and the trace that comes of it."""

from msj.logs.reading import as_trace, read_log
from msj.logs.reason import Reason
from msj.logs.trace import Trace

__all__ = ["Reason", "Trace", "as_trace", "read_log"]
