"""Analyses, one file each; all of them read marked chains or closed forms."""

from msj.analysis.exact_response import open_system
from msj.analysis.finite_skip_chain import analyse_model
from msj.analysis.open_fcfs import OpenSystem
from msj.analysis.response_curve import ResponseCurve, response_curve
from msj.analysis.saturated_chain import SaturatedSystem, saturate
from msj.analysis.symbolic import in_symbols

__all__ = [
    "OpenSystem",
    "ResponseCurve",
    "SaturatedSystem",
    "analyse_model",
    "in_symbols",
    "open_system",
    "response_curve",
    "saturate",
]
