"""A briefing of a whole collection: one page of HTML on which every statement leads to its source.

>>> from casetrack.api.viewer.report import report_html
>>> html = report_html(collection.workspace.state())  # doctest: +SKIP
"""

from casetrack.api.viewer.report.gather import Report, gather
from casetrack.api.viewer.report.page import report_html, report_page, write_report

__all__ = ["Report", "gather", "report_html", "report_page", "write_report"]
