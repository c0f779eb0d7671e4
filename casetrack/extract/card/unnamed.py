"""Parties that a document leaves unnamed: a blank, "[*]", "you", "the above-named"."""

from __future__ import annotations

import re
from typing import Final

_BLANK: Final = (
    r"(?:_{3,}|\.{6,}|…{2,}|-{6,}|\*{3,}|\[(?:[*•●_.…\s-]|\xa0){1,80}\]|"
    r"[\[<{](?=[^\]>}\n]{0,60}(?i:name|party|company|client|customer|insert|entity|firma))"
    r"[^\]>}\n]{2,80}[\]>}]|\(see\s[^()\n]{2,40}\))"
)
_POINTER: Final = (
    r"(?i:you\b|(?:the\s+)?(?:above|below|under|hereinbelow)[-\s]?(?:named|mentioned|signed|"
    r"identified|listed)\b|(?:the|that|those|each|any|an?)\s+(?:\w+[ /-]){1,3}?"
    r"(?:whose\s+(?:name|signature)|(?:(?:who|that|which)\s+)?(?:is\s+|are\s+|has\s+|have\s+)?"
    r"(?:as\s+)?(?:named|identified|listed|specified|indicated|signing|signed|accepting|accepts|"
    r"executing|designated|defined)\b))"
)
UNNAMED: Final = re.compile(
    r"\b(?:and|und|between|among|zwischen|with|to|mit)\s*(?:\(?(?:\d|[a-z]|ii?i?)[).]\s*)?"
    rf"(?P<blank>{_BLANK})|\b(?:and|und|between|among|zwischen|by)\s+(?P<pointer>{_POINTER})"
)
"""A position in a list of parties with a blank or a pointer instead of a name."""
UNNAMED_HERE: Final = re.compile(rf"\s*{_BLANK}")
"""A blank at a position."""
POINTED: Final = re.compile(rf"\s*(?:{_POINTER})")
"""A pointer such as "you" or "the undersigned" at a position."""
_YOU: Final = re.compile(r"\([^()]{0,80}[\"“„'‘](?:you|your)[,.]?[\"”“'’]", re.IGNORECASE)


def is_unnamed_between(text: str, start: int, end: int, /) -> bool:
    """Return whether the party that a term at *end* defines is unnamed in ``text[start:end]``.

    >>> is_unnamed_between("Acme Inc. and ______ (the “Buyer”)", 9, 21)
    True
    """
    match = UNNAMED.search(text, start, end)
    return match is not None or (end - start > 3 and _YOU.match(text, end) is not None)
