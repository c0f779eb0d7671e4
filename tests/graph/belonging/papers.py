"""Filings of three companies, and invoices, orders and contracts that belong together by number."""

from __future__ import annotations

from pathlib import Path

from graph.belonging.measure import read_papers

TYPES = ("interim_of", "supplements", "exhibit_of", "bills", "made_under", "amends")


def report(form: str, company: str, number: str, period: str, more: str = "") -> str:
    """Return the first pages of a filing."""
    what = {
        "10-K": f"ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)\n\nFor the fiscal year ended {period}",
        "10-Q": f"QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d)\n\nFor the quarterly period ended {period}",
        "8-K": f"CURRENT REPORT\n\nDate of Report (Date of earliest event reported): {period}",
    }[form[:4].rstrip("/")]
    return f"""UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549

FORM {form}

{what}

Commission file number {number}

{company}
(Exact name of registrant as specified in its charter)

Delaware

{more}
"""


_FILINGS, _OF_FILINGS = read_papers(Path(__file__).with_suffix(".txt"), section="filings")
_PAPERS, _OF_PAPERS = read_papers(Path(__file__).with_suffix(".txt"), section="papers")
FILES = {path: report(*facts.split("\n\n")) for path, facts in _FILINGS.items()} | _PAPERS
EDGES = _OF_FILINGS | _OF_PAPERS
