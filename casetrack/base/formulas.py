"""Texts of documents in CSV: none of them may run as a formula in the spreadsheet that opens it."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What spreadsheets begin a formula with, in wide letters as well (OWASP, "CSV Injection")."""
_NUMBER = re.compile(r"[+-]?\d[\d.,'\u00a0\u202f ]*%?")


def without_formula(text: str, /) -> str:
    """Return the text of a cell so that a spreadsheet shows it and never runs it.

    An apostrophe before it makes a spreadsheet take it for text. Numbers with a sign stay.

    Examples
    --------
    >>> without_formula("=HYPERLINK(A1)"), without_formula("-1,250.00"), without_formula("Lease")
    ("'=HYPERLINK(A1)", '-1,250.00', 'Lease')
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text
