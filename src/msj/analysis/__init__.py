"""Analyses, one file each; all of them read marked chains or closed forms."""

from msj.analysis.analyse import analyse
from msj.analysis.saturated_chain import SaturatedSystem, saturate

__all__ = ["SaturatedSystem", "analyse", "saturate"]
