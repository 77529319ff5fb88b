"""Everything about one cluster on one page."""

from msj.report.contents import Finding, Report
from msj.report.gather import gather

__all__ = ["Finding", "Report", "gather"]
