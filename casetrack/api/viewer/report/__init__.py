"""Report on a whole collection: one page of HTML on which every statement links to its source."""

from casetrack.api.viewer.report.gather import Report, gather
from casetrack.api.viewer.report.page import report_html, report_page, write_report

__all__ = ["Report", "gather", "report_html", "report_page", "write_report"]
