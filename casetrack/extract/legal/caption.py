"""What the first page of a paper says of its case: court, number, parties, judge, day of filing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.extract.legal.docket_header import case_key, read_docket_header
from casetrack.extract.legal.facts import NOT_LEGAL, LegalFacts

if TYPE_CHECKING:
    from casetrack.extract.legal.text import WholeText

__all__ = ["NOT_LEGAL", "LegalFacts", "case_key", "read_caption"]


def read_caption(whole: WholeText, /) -> LegalFacts:
    """Return what the first pages of a document say of its kind and its case.

    Parameters
    ----------
    whole
        The document, or its first pages.
    """
    if not whole.pages:
        return NOT_LEGAL
    header = read_docket_header(whole.pages[0].text)
    if header is None:
        return NOT_LEGAL
    return LegalFacts(
        legal_type="other",
        legal_evidence=f'"{whole.pages[0].text[header.start : header.end]}" at the edge of page 1',
        case_number=header.case_number,
        court_id=header.court_id,
        filed_on=header.filed_on,
        docket_entry=header.entry,
    )
