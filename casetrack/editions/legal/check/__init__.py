"""Every citation and every quotation of a draft, held against the case.

:func:`check_draft` reads the draft, asks the case which document each citation means, and lays each
quotation beside its source. What the case does not hold is never called wrong.
"""

from casetrack.editions.legal.check.check import check_draft

__all__ = ["check_draft"]
