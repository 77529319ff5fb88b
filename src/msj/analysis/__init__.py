"""Analyses, one file each; all of them read marked chains or closed forms."""

from msj.analysis.open_fcfs import OpenSystem
from msj.analysis.own_model import analyse_model
from msj.analysis.saturated_chain import SaturatedSystem, saturate
from msj.analysis.symbolic import in_symbols

__all__ = ["OpenSystem", "SaturatedSystem", "analyse_model", "in_symbols", "saturate"]
