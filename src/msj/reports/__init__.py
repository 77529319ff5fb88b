"""Everything about one cluster in one command: findings, numbers, plots; as text, JSON or one HTML page."""

from msj.reports.contents import Finding, Report
from msj.reports.gather import report
from msj.reports.log_report import LogReport, report_log
from msj.reports.page import write_page
from msj.reports.text import write_text

__all__ = ["Finding", "LogReport", "Report", "report", "report_log", "write_page", "write_text"]
