"""Everything about one cluster in one command: findings, numbers, plots; as text, JSON or one HTML page."""

from msj.reports.contents import Finding, Report
from msj.reports.gather import report
from msj.reports.page import write_page
from msj.reports.text import write_text

__all__ = ["Finding", "Report", "report", "write_page", "write_text"]
