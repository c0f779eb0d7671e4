"""Cite check: compare the citations and quotations of a draft with the documents of a case.

:func:`check_draft` reads the draft, resolves each citation to a document and compares each
quotation with its source. A missing source is not reported as an error of the draft.
"""

from casetrack.editions.legal.check.check import check_draft

__all__ = ["check_draft"]
