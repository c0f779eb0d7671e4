"""What pin cites of a record look like, and the places that cite it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, one_line

if TYPE_CHECKING:
    import re

DASH = "[-–—‑]"
PAGES = rf"\*?\d{{1,5}}(?:\s?{DASH}\s?\d{{1,5}})?"
LINES = (
    rf"\d{{1,4}}:\d{{1,2}}(?:\s?{DASH}\s?(?:\d{{1,4}}:)?\d{{1,2}})?(?:,\s\d{{1,4}}:\d{{1,2}}(?:"
    rf"\s?{DASH}\s?(?:\d{{1,4}}:)?\d{{1,2}})?)*"
)
NOTE = r"(?:,?\s(?:&\s)?nn?\.\s?\d{1,3})?"
PARAGRAPHS = (
    rf"(?:¶{{1,2}}|\b[Pp]ara(?:s?\.|graphs?))\s?\d{{1,4}}(?:\([a-z0-9]\))*(?:\s?{DASH}\s?\d{{1,4"
    rf"}})?(?:(?:,\s|,?\s(?:and|&)\s)\d{{1,4}}(?:\s?{DASH}\s?\d{{1,4}})?(?![\w.]))*"
)
PIN = (
    rf"(?:,?\sat\s(?:pp?\.\s?)?(?:PageID(?:\.|\s#?:?\s?)\d+|{LINES}"
    rf"|{PAGES}(?:,\s{PAGES}(?!\s[A-Z]))*{NOTE}|{PARAGRAPHS}|[A-Z]{{1,6}}[-_ ]?\d{{3,9}})"
    rf"|,?\s{PARAGRAPHS}|,?\s{LINES}|,?\s(?:pp?\.)\s?{PAGES}"
    rf"|,?\s§{{1,2}}\s?[\w.]+(?:\([\w]+\))*)"
)
"""Pages, lines, paragraphs or sections of what is cited."""
WHOSE = (
    r"(?:(?:Pls?|Plaintiffs?|Defs?|Defendants?|Pets?|Resp(?:'t|’t)?|Appellants?|Appellees?|Gov"
    r"|Gov't|U\.S|[A-Z][a-z]+)\.?['’]s?\.?\s)?"
)
"""Whose paper it is, where that stands before it."""


def cite_at(text: str, match: re.Match[str], key: str, confidence: float, /) -> ReferenceMatch:
    """Return the place of a citation whose pattern has a group ``pin``; *key* is of the record."""
    end = match.end()
    return ReferenceMatch(
        match.start(),
        end,
        "record",
        f"record:{key}",
        one_line(text[match.start() : match.start("pin") if match["pin"] else end]).rstrip(","),
        confidence,
    )
